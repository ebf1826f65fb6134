"""Counts in files: what is written is read back, and a table that does not fit is refused."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.counting.corpus import MOST_SYMBOLS
from bpe_studio.errors import BpeError, CorpusError, SourceError
from bpe_studio.files.counts import tsv
from bpe_studio.files.counts.tsv import tsv_parts
from bpe_studio.files.own_marks import COUNTS_START

GPT2 = bpe.TrainingConfig.preset("gpt2", vocab_size=300)
SUPERWORDS = bpe.TrainingConfig.preset("superbpe", vocab_size=300, superwords_from=260)
RAW = bpe.TrainingConfig.preset("raw", units="characters", vocab_size=300)
TEXTS = ["low lower lowest", "سلام دنیا\nnew line", "", "a\tb\n\n3\tc\r\n", "\ufeffmark\x00 \udcff"]


def _counter(config: bpe.TrainingConfig, texts: list[str]) -> bpe.Counter:
    counter = bpe.Counter(config)
    counter.update(texts)
    return counter


def _same(one: bpe.Counter, other: bpe.Counter) -> None:
    tables = [list(words.rows()) for words in one.tables()]
    assert tables == [list(words.rows()) for words in other.tables()]
    assert one.measures == other.measures
    assert one.config == other.config


@pytest.mark.parametrize("name", ["t.tsv", "t.parquet", "counts"])
@pytest.mark.parametrize(
    "config",
    [GPT2, RAW, GPT2.replace(documents="separator", normalize="nfc"), SUPERWORDS],
    ids=str,
)
def test_what_is_saved_is_loaded(config: bpe.TrainingConfig, name: str, tmp_path: Path) -> None:
    counter = _counter(config, TEXTS)
    counter.add_sources(["a.txt", "b.txt"])
    counter.save(tmp_path / name)
    again = bpe.Counter.load(tmp_path / name)
    _same(again, counter)
    assert (again.sources, again.n_sources, again.notices) == (["a.txt", "b.txt"], 2, [])
    assert again.corpus().size_bytes == sum(
        len(text.encode("utf-8", "surrogateescape")) for text in TEXTS
    )
    assert bpe.Counter.load(tmp_path / name, config.replace(merges=7)).corpus().config.merges == 7


def test_counters_are_pickled_and_merged() -> None:
    whole = _counter(GPT2, TEXTS)
    parts = [
        pickle.loads(pickle.dumps(_counter(GPT2, TEXTS[:2]))),
        _counter(GPT2, []),
        _counter(GPT2, TEXTS[2:]),
    ]
    for part in parts[1:]:
        parts[0].merge(part)
    _same(parts[0], whole)
    parts[0].update("more")
    parts[0].merge(_counter(GPT2, ["text"]))
    _same(parts[0], _counter(GPT2, [*TEXTS, "more", "text"]))
    corpus = whole.corpus()
    assert list(corpus.items()) == list(bpe.Counter.of(corpus).corpus().items())
    with pytest.raises(CorpusError, match="cut with split gpt2 and not cl100k"):
        _counter(GPT2.replace(split="cl100k"), ["a"]).merge(whole)


@pytest.mark.parametrize("config", [GPT2, SUPERWORDS], ids=str)
@pytest.mark.parametrize("suffix", [".tsv", ".parquet"])
def test_files_joined_end_to_end_and_folders_are_sums(
    suffix: str, config: bpe.TrainingConfig, tmp_path: Path
) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    for number, texts in enumerate((TEXTS[:1], TEXTS[1:3], TEXTS[3:])):
        _counter(config, texts).save(folder / f"part-{number}{suffix}")
    (folder / "_SUCCESS").write_bytes(b"")
    _same(bpe.Counter.load(folder), _counter(config, TEXTS))
    if suffix == ".tsv":
        (tmp_path / "all.tsv").write_bytes(
            b"".join(path.read_bytes() for path in sorted(folder.glob("*.tsv")))
        )
        _same(bpe.Counter.load(tmp_path / "all.tsv"), _counter(config, TEXTS))
        _counter(GPT2.replace(split="o200k"), ["a"]).save(tmp_path / "other.tsv")
        with open(tmp_path / "all.tsv", "ab") as stream:
            stream.write((tmp_path / "other.tsv").read_bytes())
        with pytest.raises(SourceError, match=r"cut differently .*split o200k and not"):
            bpe.Counter.load(tmp_path / "all.tsv")


def test_other_programs_write_the_stage_of_each_piece(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    counter = _counter(SUPERWORDS, TEXTS)
    tables = [list(words.rows()) for words in counter.tables()]
    rows = []
    for stage, words in enumerate(counter.tables(), 1):
        rows += [{"piece": word, "count": count, "stage": stage} for word, count in words.rows()]
    for kind in pa.int8(), pa.int64(), pa.uint16():
        schema = pa.schema([("piece", pa.binary()), ("count", pa.int64()), ("stage", kind)])
        pq.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "t.parquet")
        again = bpe.Counter.load(tmp_path / "t.parquet", SUPERWORDS)
        assert [list(words.rows()) for words in again.tables()] == tables
        assert "does not say how its text was cut" in again.notices[0]
    pq.write_table(pa.Table.from_pylist(rows, schema).drop(["stage"]), tmp_path / "t.parquet")
    with pytest.raises(SourceError, match="need those of a second one"):
        bpe.Counter.load(tmp_path / "t.parquet", SUPERWORDS)


def test_rows_of_one_stage_are_refused_before_tables_of_two(tmp_path: Path) -> None:
    both = b"".join(tsv_parts(_counter(SUPERWORDS, TEXTS)))
    _, second = both.split(b"\n", 1)
    first = second.partition(COUNTS_START.encode())[0]
    path = tmp_path / "t.tsv"
    path.write_bytes(first + both)
    with pytest.raises(SourceError, match="need those of a second one"):
        bpe.Counter.load(path, SUPERWORDS)
    path.write_bytes(second + both)
    twice = [list(words.rows()) for words in _counter(SUPERWORDS, TEXTS * 2).tables()]
    tables = bpe.Counter.load(path, SUPERWORDS).tables()
    assert [list(words.rows()) for words in tables] == twice


def test_a_table_that_is_cut_short_or_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    _counter(GPT2, TEXTS).save(path)
    lines = path.read_bytes().splitlines(keepends=True)
    for changed in (
        lines[:-1],
        [*lines, b"more\t1\n"],
        [*lines[:-1], lines[-1].replace(b"\t1", b"\t2")],
    ):
        path.write_bytes(b"".join(changed))
        with pytest.raises(SourceError, match="is cut short or was changed: its head says"):
            bpe.Counter.load(path)
    path.write_bytes(b"".join([lines[0][:-5] + b"\n", *lines[1:]]))
    with pytest.raises(SourceError, match=r"The head of .* is damaged"):
        bpe.Counter.load(path)
    head = json.loads(lines[0].split(b" ", 1)[1])
    path.write_bytes(
        COUNTS_START.encode()
        + json.dumps({**head, "version": 9}).encode()
        + b"\n"
        + b"".join(lines[1:])
    )
    with pytest.raises(SourceError, match="newer version"):
        bpe.Counter.load(path)


def test_tables_that_are_no_counts(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "t.parquet"
    for table, why in (
        (
            pa.table({"text": ["a"]}),
            r"needs the columns piece \(binary\) and count \(int64\), and has text",
        ),
        (
            pa.table({"piece": pa.array([b"a", None]), "count": [1, 2]}),
            "rows without a piece or a count",
        ),
        (
            pa.table({"piece": pa.array([b"a", b"b"]), "count": [1, -2]}),
            "Row 2 of .* with count -2",
        ),
        (
            pa.table({"piece": [b"a"], "count": [1], "stage": pa.array([3], pa.int8())}),
            "a stage that is not 1 or 2",
        ),
        (
            pa.table({"piece": [b"a"], "count": [1], "stage": ["1"]}),
            "stage of .* is string",
        ),
    ):
        pq.write_table(table, path)
        with pytest.raises(SourceError, match=why):
            bpe.Counter.load(path, GPT2)
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match="is a folder without counts files"):
        bpe.Counter.load(tmp_path / "empty")


def test_counts_have_64_bits(tmp_path: Path) -> None:
    large = MOST_SYMBOLS // 4
    path = tmp_path / "t.tsv"
    path.write_text(f"a\t{large}\nb\t1\n", "utf-8")
    counter = bpe.Counter.load(path, GPT2)
    assert list(counter.rows()) == [(b"a", large), (b"b", 1)]
    for name in ("again.tsv", "again.parquet"):
        counter.save(tmp_path / name)
        assert list(bpe.Counter.load(tmp_path / name).rows()) == [(b"a", large), (b"b", 1)]
    path.write_text(f"a\t{large}\na\t{large}\na\t{large}\n", "utf-8")
    with pytest.raises(BpeError, match="too many to add up"):
        bpe.Counter.load(path, GPT2)


@given(
    st.lists(st.text(st.characters(codec="utf-8"), max_size=6), max_size=5),
    st.sampled_from([GPT2, RAW, RAW.replace(split="whitespace")]),
    st.integers(1, 9),
)
def test_any_texts_are_read_back_whatever_the_chunk(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[str],
    config: bpe.TrainingConfig,
    size: int,
) -> None:
    counter = _counter(config, texts)
    try:
        data = b"".join(tsv_parts(counter))
    except BpeError:
        return
    path = tmp_path_factory.mktemp("counts") / "t.tsv"
    path.write_bytes(data + data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tsv, "_CHUNK", size)
        again = bpe.Counter.load(path)
    counter.merge(_counter(config, texts))
    _same(again, counter)
