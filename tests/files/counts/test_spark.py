"""The recipe for Spark in `docs/corpora.md` gives the table that one process counts.

Spark needs Java, and is a large package that nothing else here uses: it is no part of the extra `test`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.files.samples import list_samples

ROOT = Path(__file__).resolve().parents[3]
RECIPE = re.findall(r"^```py\n(.*?)^```", (ROOT / "docs" / "corpora.md").read_text("utf-8"), re.M | re.S)[0]


def test_the_recipe_is_a_program() -> None:
    compile(RECIPE, "docs/corpora.md", "exec")


@pytest.mark.slow("starts Spark, whose recipe is run as it is written")
@pytest.mark.skipif(
    not (shutil.which("java") and find_spec("pyspark") and find_spec("pandas")),
    reason="Java, pyspark or pandas is not installed; none is a part of the extra test",
)
def test_the_recipe_gives_the_table_of_one_process(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = [line for sample in list_samples() for line in sample.path.read_text("utf-8").splitlines(keepends=True)]
    pq.write_table(pa.table({"text": [*texts, None]}), tmp_path / "texts.parquet", row_group_size=500)
    program = RECIPE.replace("s3a://bucket/texts", str(tmp_path / "texts.parquet")).replace(
        "s3a://bucket/counts", str(tmp_path / "counts")
    )
    assert "s3a" not in program
    (tmp_path / "recipe.py").write_text(program, "utf-8")
    outcome = subprocess.run(
        [sys.executable, tmp_path / "recipe.py"], cwd=ROOT, capture_output=True, text=True, timeout=280, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable},
    )  # fmt: skip
    assert outcome.returncode == 0, outcome.stderr[-3000:]
    config = bpe.TrainingConfig.preset("gpt2", documents="file")
    alone = bpe.Counter(config)
    alone.update(texts)
    found = bpe.Counter.load(tmp_path / "counts", config)
    assert dict(found.rows()) == dict(alone.rows())
    merges = [merge.to_log() for merge in bpe.train(alone.corpus(), config.replace(vocab_size=400)).merges]
    again = bpe.train(found.corpus(config), config.replace(vocab_size=400)).merges
    assert [merge.to_log() for merge in again] == merges
