"""The studio document as a file: it comes back as it was, and nothing that a stranger puts into one
does harm.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer_model import Template
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.engine.training.seeded_run import SeededRun
from bpe_studio.engine.training.trainer import Trainer, train
from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.document import records, word_tables
from bpe_studio.files.document.reading import read_now
from bpe_studio.files.document.records import (
    StoredBranch,
    StoredBreakpoint,
    StoredSource,
    StudioDocument,
    stored_columns,
    view_fault,
)
from bpe_studio.files.document.writing import pack
from tests.examples import examples

TEXT = "hug pug pun bun hugs hug hug\nسلام دنیا، سلام 😀😀 hug 汉字汉字\n" * 5
OVERRIDE = Override(2, OverrideKind.force, "p", "u")


def document(config: TrainingConfig | None = None, **changes: Any) -> StudioDocument:
    """A small document: a run of which the first steps are those of a branch too, and a run beside
    with a branch.
    """
    config = config or TrainingConfig.preset("gpt2", merges=12, pad_token="<p>")
    run = train(Corpus.from_text(TEXT, config), config)
    columns = stored_columns(run.columns, len(run.merges))
    main = StoredBranch(0, "Main run", None, None, config, columns, 7, 12, was_run=True)
    other = config.replace(ties="first-seen", merges=9)
    branch = StoredBranch(
        4, "شاخه 🌿", 0, OVERRIDE, other, stored_columns(run.columns, 5), 3, 9, True, True
    )
    cut = config.replace(split="words", merges=6, pad_token=None, template="$A <e>")
    beside = train(Corpus.from_text(TEXT, cut), cut)
    columns = stored_columns(beside.columns, len(beside.merges))
    aside = Corpus.from_text("other bun\n", cut)
    other_cut = StoredBranch(
        5,
        "split words",
        None,
        None,
        cut,
        columns,
        4,
        6,
        was_run=True,
        corpus=beside.corpus,
        held_out=aside,
    )
    its_branch = StoredBranch(
        6,
        "tie",
        5,
        Override(1, OverrideKind.ties, ties="first-seen"),
        cut.replace(ties="first-seen"),
        stored_columns(beside.columns, 3),
        2,
        6,
        corpus=beside.corpus,
        held_out=aside,
    )
    values: dict[str, Any] = {
        "name": "words.txt",
        "corpus": run.corpus,
        "branches": (main, branch, other_cut, its_branch),
        "sources": (StoredSource("words.txt", "utf-8", len(TEXT)),),
        "bookmarks": ((3, "سه"),),
        "breakpoints": (
            StoredBreakpoint("contains", "ug"),
            StoredBreakpoint("length", number=4, is_on=False),
        ),
        "typed_text": "هاگ \udcff hug 👩‍👩‍👧",
        "compared_steps": (1, 7),
        "view": {"docks": [1, {"a": None}], "zoom": 1.5},
        "held_out": Corpus.from_text("hug سلام bug\n", config),
        "held_out_share": 0.05,
    }
    return StudioDocument(**{**values, **changes})


DATA = pack(document())


def parts_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(parts: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return stream.getvalue()


def changed(path: str, value: object, data: bytes = DATA) -> bytes:
    """The document with one value of its JSON replaced; `...` takes it away."""
    parts = parts_of(data)
    main = json.loads(parts["document.json"])
    *places, last = path.split("/")
    holder: Any = main
    for place in places:
        holder = holder[int(place) if place.isdigit() else place]
    key: Any = int(last) if last.isdigit() else last
    if value is ...:
        del holder[key]
    else:
        holder[key] = value
    parts["document.json"] = json.dumps(main).encode()
    return zipped(parts)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "words.bpestudio"
    path.write_bytes(DATA)
    return path


def test_everything_comes_back(written: Path) -> None:
    before = document()
    after = read_now(written)
    for name in (
        "name",
        "sources",
        "reading",
        "notices",
        "shown",
        "bookmarks",
        "breakpoints",
        "typed_text",
    ):
        assert getattr(after, name) == getattr(before, name), name
    assert (after.compared_steps, after.view) == (before.compared_steps, before.view)
    assert list(after.corpus.items()) == list(before.corpus.items()), (
        "also the order in which words are first seen"
    )
    for name in (
        "config",
        "size_bytes",
        "n_characters",
        "n_whitespace_words",
        "n_documents",
        "is_counted",
    ):
        assert getattr(after.corpus, name) == getattr(before.corpus, name), name
        assert getattr(after.held_out, name) == getattr(before.held_out, name), name
    assert after.held_out is not None and before.held_out is not None
    assert (list(after.held_out.items()), after.held_out_share) == (
        list(before.held_out.items()),
        0.05,
    )
    for one, other in zip(after.branches, before.branches, strict=True):
        for name in (
            "number",
            "name",
            "parent",
            "override",
            "config",
            "step",
            "target",
            "is_ended",
            "was_run",
            "n_merges",
        ):
            assert getattr(one, name) == getattr(other, name), name
        for name, values in other.columns.items():
            assert np.array_equal(one.columns[name], values), name
        assert (one.corpus is None) is (other.corpus is None)
        if one.corpus is not None and other.corpus is not None:
            assert list(one.corpus.items()) == list(other.corpus.items())
            assert (one.corpus.config, one.corpus.size_bytes) == (
                other.corpus.config,
                other.corpus.size_bytes,
            )
        assert (one.held_out is None) is (other.held_out is None)
        if one.held_out is not None and other.held_out is not None:
            assert list(one.held_out.items()) == list(other.held_out.items())
    assert after.branches[3].corpus is after.branches[2].corpus


def test_counts_beyond_32_bits_come_back(tmp_path: Path) -> None:
    large = 2**40 + 7
    config = TrainingConfig.preset("textbook", merges=6, min_frequency=1)
    run = train(Corpus.from_counts({"hug": large, "pug": 2**53 - 3, "hugs": 2**31}, config), config)
    n = len(run.merges)
    main = StoredBranch(
        0, "Main run", None, None, config, stored_columns(run.columns, n), n, n, was_run=True
    )
    aside = Corpus.from_counts({"bun": large + 1}, config)
    (tmp_path / "a.bpestudio").write_bytes(
        pack(document(config, corpus=run.corpus, branches=(main,), held_out=aside))
    )
    found = read_now(tmp_path / "a.bpestudio")
    assert dict(found.corpus.items()) == {"hug": large, "pug": 2**53 - 3, "hugs": 2**31}
    assert found.held_out is not None and dict(found.held_out.items()) == {"bun": large + 1}
    columns = found.branches[0].columns
    assert columns["count"].tolist() == [merge.count for merge in run.merges]
    assert columns["count"][0] == large + 2**53 - 3 + 2**31
    assert columns["n_tokens"].tolist() == [merge.n_tokens for merge in run.merges]
    assert columns["n_tokens"][0] > 2**53


@pytest.mark.parametrize("preset", ["gpt2", "textbook", "sennrich", "subword-nmt", "sentencepiece"])
def test_as_a_tokenizer_it_is_the_branch_that_is_shown_at_its_step(
    tmp_path: Path, preset: str
) -> None:
    config = TrainingConfig.preset(preset, merges=12)
    run = train(Corpus.from_text(TEXT, config), config)
    path = tmp_path / "a.bpestudio"
    path.write_bytes(pack(document(config)))
    loaded = bpe.load(path)
    assert loaded.model == run.tokenizer(7).model
    assert loaded.encode("hug pug").ids == run.tokenizer(7).encode("hug pug").ids


def test_a_tokenizer_alone_makes_no_document(tmp_path: Path) -> None:
    tokenizer = train(Corpus.from_text(TEXT, document().corpus.config)).tokenizer()
    with pytest.raises(SaveError, match=r"a\.bpestudio.* --format studio"):
        tokenizer.save(tmp_path / "a.bpestudio", format="studio")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("format", "other", "does not say"),
        ("version", 4, "newer"),
        ("corpus/n_words", 3, "corpus/lengths has"),
        ("corpus/config/units", "syllables", "units"),
        ("corpus/is_counted", 1, "is_counted"),
        ("branches", [], "no run"),
        ("branches/0/number", 1, "branches/1/merges is missing"),
        ("branches/0/step", 13, "'step'"),
        ("branches/1/parent", 7, "no parent"),
        ("branches/1/override/step", 13, "begins after the end"),
        ("branches/1/override/kind", "wish", "wish"),
        ("branches/1/config/ties", [], "ties"),
        ("shown", 1, "branch 1"),
        ("breakpoints/0/question", "why", "why"),
        ("bookmarks/0/step", 10**9, "'step'"),
        ("typed_text", ..., "typed_text"),
        ("held_out/share", 0, "share"),
        ("view", [1], "view"),
        ("view/zoom", float("nan"), "JSON"),
    ],
)
def test_a_value_that_is_wrong_is_told(tmp_path: Path, path: str, value: object, says: str) -> None:
    place = tmp_path / "a.bpestudio"
    place.write_bytes(changed(path, value))
    with pytest.raises(TokenizerFormatError, match=says):
        read_now(place)


def column(values: list[int], kind: str) -> bytes:
    return np.array(values, kind).tobytes()


@pytest.mark.parametrize(
    ("words", "lengths", "counts", "says"),
    [
        (b"ab", [2, 0], [1, 1], "empty"),
        (b"abc", [1, 1], [1, 1], "end at byte 2 of 3"),
        (b"ab", [1, 1], [1, 0], "count"),
        (b"ab", [1, 1], [1, 2**60], "count"),
        (b"abcdefgh" * 200 + b"xy", [1600, 2], [2**53, 2**53], "more than can be counted"),
    ],
)
def test_a_table_that_is_no_table_is_told(
    tmp_path: Path, words: bytes, lengths: list[int], counts: list[int], says: str
) -> None:
    parts = parts_of(changed("corpus/n_words", 2))
    parts |= {
        "corpus/words": words,
        "corpus/lengths": column(lengths, "<u4"),
        "corpus/counts": column(counts, "<i8"),
    }
    place = tmp_path / "a.bpestudio"
    place.write_bytes(zipped(parts))
    with pytest.raises(TokenizerFormatError, match=says):
        read_now(place)


def on_tokenizer(**changes: Any) -> StudioDocument:
    """A document with a run that extends a tokenizer, and a branch that begins inside that."""
    config = TrainingConfig.preset("gpt2", merges=5, special=("<|endoftext|>", "<pad>"))
    trained = (
        train(Corpus.from_text("hug hug pun puns bun\n" * 3, config), config).tokenizer().model
    )
    model = replace(
        trained,
        template=Template(("<pad>",), pair=(("<pad>", 0), (0, 0), (1, 1))),
        pad_token="<pad>",
    )
    corpus = document().corpus
    run = SeededRun.of_merges(model, corpus)
    trainer = Trainer.from_run(run, run.n_seed, run.plan, target=run.n_seed + 4)
    trainer.run(4)
    run = trainer.run_record
    kept = replace(run.config, merges=9)
    seeded = StoredBranch(
        8, "extended", None, None, kept, stored_columns(run.columns, 9), 8, 9, tokenizer=model
    )
    inside = replace(
        seeded,
        number=9,
        parent=8,
        override=OVERRIDE,
        columns=stored_columns(run.columns, 4),
        step=2,
        tokenizer=None,
    )
    return document(**{"branches": (document().branches[0], seeded, inside), "shown": 8, **changes})


@cache
def packed_on_tokenizer() -> bytes:
    """That document as a file; nobody pays for it who only imports this module, as every process
    with tests does.
    """
    return pack(on_tokenizer())


def test_a_run_on_top_of_a_tokenizer_comes_back_with_it(tmp_path: Path) -> None:
    place = tmp_path / "a.bpestudio"
    before = on_tokenizer()
    place.write_bytes(packed_on_tokenizer())
    after = read_now(place)
    model = after.branches[1].tokenizer
    assert (
        model == before.branches[1].tokenizer
        and model is not None
        and after.branches[2].tokenizer is None
    )
    assert json.loads(parts_of(packed_on_tokenizer())["document.json"])["version"] == 3
    assert after.n_seed_tokens == 2 * len(model.tokens)
    # As a tokenizer it is the shown run at its step; the branch begins inside.
    loaded = bpe.load(place).model
    assert loaded.tokens[: len(model.tokens)] == model.tokens and len(loaded.merges) == 8
    assert (loaded.template, loaded.pad_token, loaded.special_ids) == (
        model.template,
        "<pad>",
        model.special_ids,
    )
    for step in (8, 5, 3):
        place.write_bytes(changed("branches/1/step", step, packed_on_tokenizer()))
        found = bpe.load(place)
        assert (
            found.n_merges == step
            and found.decode(found.encode("hug puns سلام").ids) == "hug puns سلام"
        )
    place.write_bytes(changed("shown", 9, packed_on_tokenizer()))
    assert bpe.load(place).model == model.until(2)


_SEED = "branches/1/tokenizer"


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (_SEED, [], "tokenizer"),
        (f"{_SEED}/n_tokens", 262, "tokenizer/lengths has"),
        (f"{_SEED}/n_tokens", 10**9, "'n_tokens'"),
        (f"{_SEED}/n_merges", 4, "tokenizer/merges has"),
        (f"{_SEED}/n_merges", 10**9, "'n_merges'"),
        (f"{_SEED}/config/units", "characters", "only possible with bytes"),
        (f"{_SEED}/config/units", "syllables", "units"),
        (f"{_SEED}/config/continuing", "##", "spell|continuing"),
        (f"{_SEED}/special_ids", {"<pad>": 0}, "is another token"),
        (f"{_SEED}/special_ids", {"<pad>": 263}, "the id of '<pad>'"),
        (f"{_SEED}/special_ids", [], "special_ids"),
        (f"{_SEED}/unknown_id", -1, "unknown_id"),
        (f"{_SEED}/template", [[], []], "template"),
        (f"{_SEED}/template", [["[CLS]"], [], None], "no token '\\[CLS\\]'"),
        (f"{_SEED}/template", [["<pad>"] * 1001, [], None], "more than 1,000"),
        (f"{_SEED}/template", [[], [], [[2, 0]]], "template"),
        (f"{_SEED}/template", [[], [], [["<pad>", -1]]], "type id"),
        (f"{_SEED}/template", [[1], [], None], "special token"),
        (f"{_SEED}/pad_token", "[PAD]", "no token"),
        (f"{_SEED}/model_max_length", 1.5, "model_max_length"),
        (f"{_SEED}/padding_side", "up", "not a side"),
        (f"{_SEED}/truncation_side", [], "not a side"),
        ("branches/2/tokenizer", {}, "also a parent"),
        ("branches/1/number", 7, "branches/7/merges is missing"),
    ],
)
def test_a_wrong_value_of_its_tokenizer_is_told(
    tmp_path: Path, path: str, value: object, says: str
) -> None:
    place = tmp_path / "a.bpestudio"
    place.write_bytes(changed(path, value, packed_on_tokenizer()))
    with pytest.raises(TokenizerFormatError, match=says):
        bpe.load(place)


@pytest.mark.parametrize("n_merges", [60, 5000])
def test_merges_that_double_a_token_again_and_again_make_no_tokenizer(
    tmp_path: Path, n_merges: int
) -> None:
    config = TrainingConfig.preset("textbook", merges=1)
    run = train(Corpus.from_counts({"aa": 3}, config), config)
    ids = np.arange(n_merges, dtype=np.int32)
    columns = {name: np.ones(n_merges, kind) for name, kind in records.MERGE_COLUMNS} | {
        "left": ids,
        "right": ids,
    }
    branch = StoredBranch(0, "Main run", None, None, config, columns, n_merges, n_merges)
    data = pack(StudioDocument("a", run.corpus, (branch,)))
    place = tmp_path / "a.bpestudio"
    place.write_bytes(data)
    assert len(data) < 4000 or n_merges > 60
    with pytest.raises(
        TokenizerFormatError, match=r"The first \d+ tokens together are longer than 134,217,728"
    ):
        bpe.load(place)


def test_a_file_that_would_unpack_to_very_much_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "FREELY_UNPACKED_BYTES", 1 << 20)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (parts_of(DATA) | {"corpus/words": bytes(8 << 20)}).items():
            archive.writestr(name, content)
    place = tmp_path / "a.bpestudio"
    place.write_bytes(stream.getvalue())
    monkeypatch.setattr(word_tables.DocumentArchive, "read", None)
    with pytest.raises(TokenizerFormatError, match="malicious"):
        read_now(place)


def test_deep_json_and_a_view_that_is_no_json_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "a.bpestudio"
    parts = parts_of(DATA)
    parts["document.json"] = b"[" * 200_000
    place.write_bytes(zipped(parts))
    with pytest.raises(TokenizerFormatError, match=r"deep|JSON"):
        read_now(place)
    deep: list[Any] = []
    for _ in range(200_000):
        deep = [deep]
    assert "JSON" in view_fault({"a": deep})
    assert "characters" in view_fault({"a": "b" * (2 << 20)})
    with pytest.raises(SaveError, match="JSON"):
        pack(document(view={"a": b"bytes"}))


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none.bpestudio", Path("a\0b")):
        with pytest.raises(TokenizerFormatError):
            read_now(place)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(DATA) - 1))
def test_a_file_that_is_cut_short_gives_a_plain_error(tmp_path: Path, size: int) -> None:
    place = tmp_path / "a.bpestudio"
    place.write_bytes(DATA[:size])
    with pytest.raises(TokenizerFormatError):
        read_now(place)


def places_of(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [before] * bool(before) + [
        place for key, one in inner for place in places_of(one, (*before, key))
    ]


@pytest.mark.parametrize("preset", ["gpt2", "superbpe"])
def test_the_files_and_their_weights_come_back(preset: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "text.txt").write_text(f"hug pug {name} " * 9)
    config = TrainingConfig.preset(preset, vocab_size=270, weight=["a/*=3"], alpha=0.5)
    if preset == "superbpe":
        config = config.replace(superwords_from=260)
    corpus = Corpus.from_files(tmp_path, config)
    run = train(corpus, config)
    columns = stored_columns(run.columns, len(run.merges))
    main = StoredBranch(0, "Main run", None, None, config, columns, 2, 9)
    beside = StoredBranch(1, "Plain", None, None, config.unweighted, columns, 2, 9)
    beside = replace(beside, corpus=corpus.weighed(config.unweighted))
    whole = StudioDocument("texts", corpus, (main, beside))
    path = tmp_path / "saved.bpestudio"
    path.write_bytes(pack(whole))
    assert str(tmp_path).encode() not in path.read_bytes()
    found = read_now(path)
    assert found.branches[1].config == config.unweighted
    again = train(found.corpus, config)
    assert [merge.to_log() for merge in again.merges] == [merge.to_log() for merge in run.merges]
    assert again.merges[-1].sources == run.merges[-1].sources
    assert list(found.corpus.sources) == ["a/text.txt", "b/text.txt"]
    other = ["b/text.txt=2"]
    expected = train(corpus, config, weight=other)
    assert [m.count for m in train(found.corpus, weight=other).merges] == [
        m.count for m in expected.merges
    ]


def test_a_file_keeps_the_folder_that_its_weight_names(tmp_path: Path) -> None:
    for folder, name in (("news", "a.txt"), ("books", "b.txt")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(f"hug pug {name} " * 9)
    config = TrainingConfig.preset("gpt2", merges=2, weight=["news/*=3"])
    corpus = Corpus.from_files(tmp_path, config)
    columns = stored_columns(train(corpus, config).columns, 2)
    main = StoredBranch(0, "Main run", None, None, config, columns, 2, 2)
    path = tmp_path / "saved.bpestudio"
    path.write_bytes(pack(StudioDocument("texts", corpus, (main,))))
    found = read_now(path).corpus
    assert list(found.sources) == ["b.txt", "news/a.txt"]
    smoothed = config.replace(alpha=0.5)
    repeated = found.weighed(smoothed).repetitions
    assert list(repeated.values()) == list(corpus.weighed(smoothed).repetitions.values())
