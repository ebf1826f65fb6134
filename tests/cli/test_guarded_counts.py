"""`bpe-studio train --counts` refuses a table that was cut in another way, and warns of one without a head."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.errors import SourceError
from tests.cli.conftest import Studio

GPT2 = bpe.TrainingConfig.preset("gpt2", vocab_size=300)
TEXTS = ["low lower lowest", "سلام دنیا\nnew line", ""]


def _counter() -> bpe.Counter:
    counter = bpe.Counter(GPT2)
    counter.update(TEXTS)
    return counter


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        ({"split": "cl100k"}, "split gpt2 and not cl100k"),
        ({"documents": "file"}, "documents line and not file"),
        ({"normalize": "nfkc,lowercase"}, "normalize none and not nfkc,lowercase"),
        ({"units": "characters", "ties": "first-seen"}, "units bytes and not characters"),
        ({"split": "o200k", "documents": "file"}, "split gpt2 and not o200k, documents line and not file"),
    ],
)
def test_training_refuses_what_was_cut_in_another_way(
    options: dict[str, str], difference: str, studio: Studio, tmp_path: Path
) -> None:
    for name in ("t.tsv", "t.parquet"):
        _counter().save(tmp_path / name)
        words = [word for key, value in options.items() for word in (f"--{key}", value)]
        told = studio("train", "--counts", tmp_path / name, "-o", "out", *words).sentence()
        assert difference in told
        assert not Path("out").exists()
        assert studio("train", "--counts", tmp_path / name, "-o", "out", "--ties", "raw-ids").status == 0
        shutil.rmtree("out")


def test_a_table_without_a_head_is_read_with_a_warning(studio: Studio, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "t.tsv").write_text("hug\t10\npug\t5\n", "utf-8")
    pq.write_table(pa.table({"piece": pa.array([b"hug", b"pug"]), "count": [10, 5]}), tmp_path / "t.parquet")
    for name in ("t.tsv", "t.parquet"):
        outcome = studio("train", "--counts", tmp_path / name, "--preset", "textbook", "--merges", "1", "-o", "out")
        assert outcome.status == 0
        assert "Warning: " in outcome.err
        assert "does not say how its text was cut" in outcome.err
        with pytest.raises(SourceError, match="does not say how"):
            bpe.Counter.load(tmp_path / name)
