"""`--format studio`: a document from the command line, and a document where a tokenizer is asked
for.
"""

from __future__ import annotations

from pathlib import Path

from bpe_studio.files.document.reading import read_now
from tests.cli.conftest import Studio

TEXT = "hug pug pun bun hugs hug hug\nسلام دنیا، سلام 😀😀 hug 汉字汉字\n" * 5


def test_train_writes_a_document_that_every_command_reads(studio: Studio) -> None:
    Path("words.txt").write_text(TEXT, "utf-8")
    assert (
        studio(
            "train", "words.txt", "--merges", "9", "--format", "studio", "-o", "a.bpestudio"
        ).status
        == 0
    )
    assert studio("train", "words.txt", "--merges", "9", "-o", "hf").status == 0
    read = read_now("a.bpestudio")
    assert (read.name, read.shown_branch.step, read.shown_branch.n_merges) == ("words.txt", 9, 9)
    expected = studio("encode", "-t", "hf", "--text", TEXT).out
    assert studio("encode", "-t", "a.bpestudio", "--text", TEXT).out == expected
    assert studio("convert", "a.bpestudio", "out", "--to", "huggingface").status == 0
    assert Path("out/tokenizer.json").read_bytes() == Path("hf/tokenizer.json").read_bytes()
    outcome = studio("train", "-", "--merges", "9", "--format", "studio", "-o", "-", given=TEXT)
    Path("b.bpestudio").write_bytes(outcome.out_bytes)
    piped = read_now("b.bpestudio")
    assert piped.name == "Standard input"
    assert list(piped.corpus.items()) == list(read.corpus.items())


def test_convert_makes_no_document_and_a_cut_one_is_told(studio: Studio) -> None:
    Path("words.txt").write_text(TEXT, "utf-8")
    studio("train", "words.txt", "--merges", "9", "-o", "hf")
    assert "--format studio" in studio("convert", "hf", "a.bpestudio", "--to", "studio").sentence()
    data = studio("train", "words.txt", "--merges", "9", "--format", "studio", "-o", "-").out_bytes
    Path("a.bpestudio").write_bytes(data[: len(data) // 2])
    assert "cut short" in studio("encode", "-t", "a.bpestudio", "--text", "a").sentence()


def test_a_document_remembers_how_its_files_were_read(studio: Studio) -> None:
    Path("rows.csv").write_text("title,n\nhug pug hug,1\npun bun hug,2\n", "utf-8")
    options = ["rows.csv", "--merges", "3", "--format", "studio", "-o", "a.bpestudio"]
    for chosen, column, form in (
        (["--column", "title"], "title", "CSV"),
        (["--plain-text"], None, "plain text"),
    ):
        assert studio("train", *options, *chosen).status == 0
        document = read_now("a.bpestudio")
        assert (document.reading.column, document.reading.is_plain) == (column, column is None)
        source = document.sources[0]
        assert (source.name, source.form, source.column) == ("rows.csv", form, column or "")
