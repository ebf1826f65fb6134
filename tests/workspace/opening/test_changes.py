"""Extending and pruning in the workspace: the result of the command as a run in the list, and nothing else changes."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

import bpe_studio as bpe
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.errors import BpeError
from bpe_studio.workspace.opening.changes import Place, Source
from bpe_studio.workspace.opening.kept_session import kept_sessions, open_session
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace
from tests.files.third_party.made import SENTENCEPIECE, content_of, sentencepiece_model

SMALL = "low lower lowest newest widest new news\n" * 3
TEXT = "the rivers run to the sea; سلام به دنیا سلام, 你好世界 你好 👩‍👩‍👧 naïve rivers over the river\n" * 6


@pytest.fixture
def workspace(qtbot, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    workspace = Workspace(config=bpe.TrainingConfig.preset("cl100k", merges=20, vocab_size=None))
    workspace.opener.open_files([path])
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done)
    workspace.seen = []
    workspace.noticed.connect(lambda notice: workspace.seen.append(notice.message))
    yield workspace
    workspace.shutdown()


@pytest.fixture(scope="module")
def seed(tmp_path_factory):
    config = bpe.TrainingConfig.preset("gpt2", merges=12, vocab_size=None)
    tokenizer = bpe.train(bpe.Corpus.from_text(SMALL, config), config).tokenizer()
    tokenizer.save(tmp_path_factory.mktemp("seed") / "small", format="huggingface")
    return tokenizer


@pytest.fixture
def path(seed, tmp_path):
    seed.save(tmp_path / "small", format="huggingface")
    return tmp_path / "small"


def lines(tokenizer):
    """The text as the workspace reads it, in lines, and as a tokenizer cuts it."""
    return bpe.Corpus.from_text(TEXT, tokenizer.model.config.replace(documents="line"))


def extended(qtbot, workspace, source, n_more, place=None):
    ready = workspace.changes.prepare(source)
    before = workspace.run
    workspace.changes.extend(ready, place or workspace.changes.open_place(), ready.vocab_size + n_more)
    qtbot.waitUntil(lambda: workspace.run is not before or workspace.state is State.failed)
    return workspace.run


def test_a_file_is_extended_on_the_open_text_as_by_the_command(qtbot, workspace, path, seed, tmp_path):
    settings = workspace.runs.entries[0].config
    first = workspace.run
    run = extended(qtbot, workspace, Source("small", path=path), 10)
    assert [entry.name for entry in workspace.runs.entries] == ["Main run", "small, extended"]
    assert workspace.runs.shown.run is run and workspace.runs.entries[0].run is first
    assert run.n_seed == 12 and len(run.merges) == 22 and workspace.step == 22 and workspace.state is State.done
    assert dict(run.corpus.items()) == dict(lines(seed).items())
    tokenizer = run.tokenizer()
    assert tokenizer.model.tokens[: seed.vocab_size] == seed.model.tokens
    assert tokenizer.vocab_size == seed.vocab_size + 10 == run.vocab_size_at(22)
    assert tokenizer.encode(SMALL).ids == seed.encode(SMALL).ids
    assert [merge.count for merge in run.merges[12:]] == [
        run.n_tokens_at(step) - run.n_tokens_at(step + 1) for step in range(12, 22)
    ]
    assert any("10 merges added to the 269 tokens of small" in said for said in workspace.seen)
    # The next text has the settings that it would have had.
    assert workspace.opener.own_config == settings
    (tmp_path / "next.txt").write_text("other words", encoding="utf-8")
    workspace.opener.open_files([tmp_path / "next.txt"])
    qtbot.waitUntil(lambda: workspace.corpus.name == "next.txt")
    assert workspace.config == settings


def test_a_run_of_the_list_is_extended_from_its_step_without_reading_the_text_again(qtbot, workspace, monkeypatch):
    monkeypatch.setattr(type(workspace.backend), "builder", None)
    workspace.transport.go_to(5)
    (source,) = workspace.changes.sources()
    assert (source.name, source.step) == ("Main run", 5)
    first = workspace.run
    run = extended(qtbot, workspace, source, 15)
    # On its own text, extending is training on.
    assert [(m.left, m.right, m.count) for m in run.merges] == [(m.left, m.right, m.count) for m in first.merges]


def test_without_a_text_files_are_read_and_opened(qtbot, workspace, path, tmp_path):
    settings = workspace.opener.own_config
    workspace.opener.open_files([path])
    qtbot.waitUntil(lambda: workspace.corpus.name == "small")
    (source, *_) = workspace.changes.sources()
    run = extended(qtbot, workspace, source, 3, Place(None, (tmp_path / "text.txt",)))
    assert workspace.corpus.name == "text.txt" and workspace.runs.shown.run is run and len(run.merges) == 15
    assert workspace.opener.own_config == settings


def test_what_cannot_be_extended_says_why(workspace, tmp_path):
    (tmp_path / "no.txt").write_text("no tokenizer at all", encoding="utf-8")
    with pytest.raises(BpeError):
        workspace.changes.prepare(Source("no", path=tmp_path / "no.txt"))
    config = bpe.TrainingConfig.preset("gpt2", merges=0, vocab_size=None)
    empty = bpe.train(bpe.Corpus.from_text("a", config), config).tokenizer()
    with pytest.raises(BpeError, match="empty has no merges"):
        workspace.changes.prepare(Source("empty", tokenizer=empty))


def of_others(name, folder):
    """A file that only its library runs."""
    if name in SENTENCEPIECE:
        path, content = folder / "a.model", sentencepiece_model(name)
    else:
        path, content = folder / "tokenizer.json", content_of(name).encode()
    path.write_bytes(content)
    return path


def content(path):
    """What is in a file, or in each file of a folder."""
    return {each.name: each.read_bytes() for each in path.iterdir()} if path.is_dir() else path.read_bytes()


def session_of(workspace):
    return [(entry.run, entry.name, entry.position) for entry in workspace.runs.entries]


SLOW = pytest.mark.slow(buys="files of the other library; a model of SentencePiece is in each run")


@pytest.mark.parametrize("name", [pytest.param("llama3", marks=SLOW), pytest.param("llama2", marks=SLOW), "llama"])
def test_one_that_only_its_library_runs_is_opened_extended_as_by_the_command(
    qtbot, workspace, sound_files, tmp_path, name
):
    seed, settings, before = bpe.load(of_others(name, tmp_path)), workspace.opener.own_config, session_of(workspace)
    steps = []
    workspace.undo_step_added.connect(steps.append)
    expected = bpe.extend(seed, [TEXT], seed.vocab_size + 9)
    run = extended(qtbot, workspace, Source("mine", tokenizer=seed), 9)
    made = run.tokenizer()
    assert dict(made.tokens) == dict(expected.tokenizer.tokens)
    assert [(merge.token, merge.count) for merge in run.merges][-9:] == [
        (merge.token, merge.count) for merge in expected.merges
    ]
    assert not run.columns.count[:-9].any() and workspace.step == len(run.merges) == seed.n_merges + 9
    n_before, n_after = expected.n_tokens
    assert any(f"9 merges added to the {seed.vocab_size} tokens of mine" in said for said in workspace.seen)
    assert any(f"has {n_after} tokens instead of {n_before} " in said for said in workspace.seen)
    # What is shown is what the library makes of it, and what is written is what the command writes.
    shown = [run.external_id(token) for token in run.live(TEXT).tokens(workspace.step).ids.tolist()]
    assert shown == made.encode(TEXT).ids == expected.tokenizer.encode(TEXT).ids
    assert workspace.keeping.unsaved.has_tokenizer
    workspace.saver.save_tokenizer(tmp_path / "large", made.own_format)
    qtbot.waitUntil(lambda: not workspace.saver.is_saving)
    expected.tokenizer.save(tmp_path / "expected", format=made.own_format)
    assert content(tmp_path / "large") == content(tmp_path / "expected")
    assert workspace.corpus.name == "mine, extended" and workspace.opener.own_config == settings
    assert not workspace.keeping.unsaved, "it was saved"
    steps[-1].undo()
    assert session_of(workspace) == before and workspace.changes.sources()[0].tokenizer is seed


def test_one_in_its_own_file_is_pruned_as_by_the_command(qtbot, workspace, sound_files, tmp_path):
    seed = bpe.load(of_others("llama", tmp_path))
    ready, place = workspace.changes.prepare(Source("mine", tokenizer=seed)), workspace.changes.open_place()
    plan = result_of(workspace.changes.plan(ready, place))
    size = plan.order.smallest + 9
    expected = bpe.prune(seed, [TEXT], size)
    assert plan.order.n_tokens == expected.n_tokens[0]
    assert list(plan.order.removed(size)) == list(expected.removed)
    assert result_of(plan.order.pruning(size)).n_tokens == expected.n_tokens
    assert plan.order.most_tokens(size) >= expected.n_tokens[1] > plan.order.n_tokens
    before = workspace.run
    workspace.changes.prune(ready, place, plan, size)
    qtbot.waitUntil(lambda: workspace.run is not before)
    made = workspace.run.tokenizer()
    assert dict(made.tokens) == dict(expected.tokenizer.tokens) and made.encode(TEXT).ids == (
        expected.tokenizer.encode(TEXT).ids
    )
    assert workspace.corpus.name == "mine, pruned"
    assert any(
        f"{len(expected.removed)} tokens removed from the {seed.vocab_size} of mine" in said for said in workspace.seen
    )


def test_an_open_tokenizer_is_changed_in_its_own_file_on_text_from_files(qtbot, workspace, sound_files, tmp_path):
    workspace.opener.open_files([of_others("llama2", tmp_path)])
    qtbot.waitUntil(lambda: workspace.corpus.name == "tokenizer.json")
    source = workspace.changes.sources()[0]
    (tmp_path / "latin.txt").write_bytes("the naïve façade, the naïve façade".encode("latin-1"))
    (tmp_path / "empty.txt").write_bytes(b"")
    place = Place(None, tuple(tmp_path / f"{name}.txt" for name in ("text", "latin", "empty")))
    run = extended(qtbot, workspace, source, 3, place)
    assert workspace.corpus.name == "tokenizer.json, extended" and len(run.merges) == len(source.run.merges) + 3
    assert all(any(name in said for said in workspace.seen) for name in ("latin", "empty.txt"))
    # At an earlier step it is no file.
    workspace.transport.go_to(5)
    (shown, before) = workspace.changes.sources()
    assert (shown.name, shown.step, before.name) == ("tokenizer.json, extended", 5, "tokenizer.json")
    with pytest.raises(BpeError, match="can neither train this tokenizer"):
        workspace.changes.prepare(shown)


@pytest.mark.parametrize(
    "how", ["the text has changed", "a file is no text", "the file cannot be changed", "cancelled"]
)
def test_what_was_open_stays_where_a_file_cannot_be_changed(qtbot, workspace, sound_files, tmp_path, monkeypatch, how):
    ready = workspace.changes.prepare(Source("mine", path=of_others("llama2", tmp_path)))
    before, place = session_of(workspace), workspace.changes.open_place()
    expected = ""
    if how == "the text has changed":
        (tmp_path / "text.txt").write_text(TEXT.replace("rivers", "RIVERS"), encoding="utf-8")
        expected = "text.txt has changed since it was opened"
    elif how == "a file is no text":
        place, expected = Place(None, (tmp_path / "tokenizer.json",)), "tokenizer.json is a tokenizer, not a text"
    elif how == "the file cannot be changed":
        monkeypatch.setattr(
            type(ready.kind.tokenizer.native), "with_merges", lambda *_: json.loads(content_of("llama3"))
        )
        expected = "The tokenizer cannot be changed: its library would number its tokens in another way"
    workspace.changes.extend(ready, place, ready.vocab_size + 9)
    if how == "cancelled":
        workspace.cancel()
    else:
        qtbot.waitUntil(lambda: workspace.state is State.failed)
        assert expected in workspace.failure.message
    assert session_of(workspace) == before


def test_it_can_be_undone_and_cancelled(qtbot, workspace, path):
    steps = []
    workspace.undo_step_added.connect(steps.append)
    first = workspace.run
    extended(qtbot, workspace, Source("small", path=path), 3)
    steps[-1].undo()
    assert workspace.run is first and len(workspace.runs.entries) == 1
    ready = workspace.changes.prepare(Source("small", path=path))
    workspace.changes.extend(ready, workspace.changes.open_place(), ready.vocab_size + 10)
    workspace.cancel()
    assert workspace.run is first and workspace.state is State.done and len(workspace.runs.entries) == 1


def test_pruning_costs_what_was_said_before_and_leaves_a_run(qtbot, workspace, path, seed):
    ready, place = workspace.changes.prepare(Source("small", path=path)), workspace.changes.open_place()
    plan = result_of(workspace.changes.plan(ready, place))
    assert plan.order.smallest == seed.vocab_size - 12
    before = workspace.run
    workspace.changes.prune(ready, place, plan, seed.vocab_size - 5)
    qtbot.waitUntil(lambda: workspace.run is not before)
    run = workspace.run
    assert run.tokenizer().vocab_size == seed.vocab_size - 5 and len(run.merges) == 7
    model = replace(seed.model, config=run.corpus.config)
    expected = bpe.prune(bpe.Tokenizer(model), run.corpus, seed.vocab_size - 5)
    assert run.tokenizer().model.tokens == expected.tokenizer.model.tokens
    assert run.n_tokens_at(7) == expected.n_tokens[1]
    assert workspace.runs.shown.name == "small, pruned"
    assert any("5 tokens removed from the 269 of small" in said for said in workspace.seen)


def same_runs(found, before):
    for one, other in zip(found, before, strict=True):
        for name in ("number", "name", "parent", "override", "config", "position"):
            assert getattr(one, name) == getattr(other, name), name
        assert list(one.run.merges) == list(other.run.merges) and one.run.gaps.tolist() == other.run.gaps.tolist()
        for step in {0, 5, other.run.n_seed, len(other.run.merges)}:
            assert one.run.tokenizer(step).model == other.run.tokenizer(step).model
            assert one.run.n_tokens_at(step) == other.run.n_tokens_at(step)
            assert one.run.external_ids(step).tolist() == other.run.external_ids(step).tolist()


@pytest.mark.parametrize(("is_first", "is_in_order"), [(False, True), (True, True), (False, False)])
def test_a_document_holds_it_and_its_branches(qtbot, workspace, path, seed, tmp_path, is_first, is_in_order):
    """Also where no text was open, so that it is the first run, and where merges use tokens of later ones."""
    path = path if is_in_order else out_of_order(seed, tmp_path)
    place = None
    if is_first:
        workspace.opener.open_files([path])
        qtbot.waitUntil(lambda: workspace.corpus.name == "small")
        place = Place(None, (tmp_path / "text.txt",))
    run = extended(qtbot, workspace, Source("small", path=path), 6, place)
    for step in (14, 7):
        branched_at(qtbot, workspace, run, step)
    workspace.transport.go_to(6)
    assert workspace.keeping.unsaved
    workspace.saver.save_document(tmp_path / "all.bpestudio")
    qtbot.waitUntil(lambda: workspace.document is not None)
    assert not workspace.keeping.unsaved
    before = workspace.runs.entries
    assert len(before) == (3 if is_first else 4)
    shutil.rmtree(path)  # the tokenizer is inside
    workspace.opener.open_files([tmp_path / "all.bpestudio"])
    qtbot.waitUntil(lambda: workspace.state is not State.loading and workspace.runs.entries[0] is not before[0])
    same_runs(workspace.runs.entries, before)
    assert not workspace.keeping.unsaved and workspace.step == 6
    assert bpe.load(tmp_path / "all.bpestudio").model == before[-1].run.tokenizer(6).model
    assert not any("not what the document says" in said for said in workspace.seen)


def out_of_order(seed, folder):
    """The same tokenizer with the last merges first, of which two use tokens that later ones make."""
    merges, path = seed.model.merges, folder / "out of order"
    bpe.Tokenizer(replace(seed.model, merges=(*merges[9:], *merges[:9]))).save(path)
    assert bpe.load(path).model.misplaced_merge is not None
    return path


def branched_at(qtbot, workspace, run, step):
    n = len(workspace.runs.entries)
    number = next(each.number for each in workspace.runs.entries if each.run is run)
    workspace.runs.show(number)
    merge = run.merges[step]
    override = Override(step, OverrideKind.forbid, merge.left, merge.right)
    workspace.runs.branch_off(override, f"other {step}")
    qtbot.waitUntil(lambda: len(workspace.runs.entries) > n and workspace.state is not State.loading)


def test_it_is_kept_for_the_case_of_a_crash(qtbot, workspace, path, tmp_path):
    workspace.keeping.begin(tmp_path / "sessions", dict)
    run = extended(qtbot, workspace, Source("small", path=path), 6)
    for n_merges in (19, 20):
        workspace.transport.step_forward(1)
        qtbot.waitUntil(lambda n=n_merges: workspace.state is State.done and workspace.n_merges == n)
        workspace.keeping.keep()
        qtbot.waitUntil(lambda: workspace.keeping._job is None)
    entries = workspace.runs.entries
    workspace.keeping.end(is_clean=False)
    (session,) = kept_sessions(tmp_path / "sessions")
    opened = result_of(open_session(workspace.backend, session))
    assert session.words == "1 comparison run"
    same_runs(opened.project.session.entries, entries)
    assert opened.project.session.entries[1].run.n_seed == run.n_seed == 12
    session.folder.remove()
