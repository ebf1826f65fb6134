"""`bpe-studio train --counts` refuses a table that was cut in another way, and warns of one without
a head.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.errors import SourceError
from tests.cli.conftest import Studio, read_log


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


def test_tables_of_a_folder_have_weights(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    texts = {"a": "low lower\n" * 3, "b": "new newer\n" * 2}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
        studio("count", f"{name}.txt", "-o", f"tables/{name}.tsv")
    (tmp_path / "whole.txt").write_text(texts["a"] + 3 * texts["b"])
    logs = []
    for source in (["whole.txt"], ["--counts", "tables", "--weight", "b.tsv=3"]):
        outcome = studio("train", *source, "--merges", "5", "-o", "out", "--log", "log.jsonl")
        assert outcome.status == 0, outcome.err
        logs.append(read_log(Path("log.jsonl")))
    assert logs[0] == logs[1]
    counts = ["train", "--counts", "tables", "-o", "out"]
    assert "fits none" in studio(*counts, "--weight", "b.txt=3").sentence()
    (tmp_path / "plain.tsv").write_text("low\t3\n")
    counts = ["train", "--counts", "plain.tsv", "-o", "out", "--preset", "textbook"]
    assert studio(*counts, "--weight", "plain.tsv=3").status == 0
    assert "which alpha" in studio(*counts, "--alpha", "0.5").sentence()
