"""`bpe-studio train --counts` refuses a table that was cut in another way, and warns of one without
a head.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.errors import SourceError
from tests.cli.conftest import Studio


@pytest.mark.parametrize("name", ["t.tsv", "t.parquet"])
def test_training_refuses_what_was_cut_in_another_way(
    name: str, studio: Studio, tmp_path: Path
) -> None:
    counter = bpe.Counter(bpe.TrainingConfig.preset("gpt2", vocab_size=300))
    counter.update(["low lower lowest", "سلام دنیا\nnew line", ""])
    counter.save(tmp_path / name)
    told = studio(
        "train", "--counts", tmp_path / name, "-o", "out", "--split", "o200k", "--documents", "file"
    )
    assert "split gpt2 and not o200k, documents line and not file" in told.sentence()
    assert not Path("out").exists()
    assert (
        studio("train", "--counts", tmp_path / name, "-o", "out", "--ties", "raw-ids").status == 0
    )


def test_a_table_without_a_head_is_read_with_a_warning(studio: Studio, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "t.tsv").write_text("hug\t10\npug\t5\n", "utf-8")
    pq.write_table(
        pa.table({"piece": pa.array([b"hug", b"pug"]), "count": [10, 5]}), tmp_path / "t.parquet"
    )
    for name in ("t.tsv", "t.parquet"):
        outcome = studio(
            "train",
            "--counts",
            tmp_path / name,
            "--preset",
            "textbook",
            "--merges",
            "1",
            "-o",
            "out",
        )
        assert outcome.status == 0
        assert "Warning: " in outcome.err
        assert "does not say how its text was cut" in outcome.err
        with pytest.raises(SourceError, match="does not say how"):
            bpe.Counter.load(tmp_path / name)
