"""Extending and pruning in the workspace: the result of the command as a run in the list, and
nothing else changes.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

import bpe_studio as bpe
from bpe_studio.engine.generators import result_of
from bpe_studio.errors import BpeError
from bpe_studio.workspace.opening.changes import Place, Source
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace
from tests.files.third_party.made import SENTENCEPIECE, content_of, sentencepiece_model

SMALL = "low lower lowest newest widest new news\n" * 3
TEXT = (
    "the rivers run to the sea; سلام به دنیا سلام, 你好世界 你好 👩‍👩‍👧 naïve rivers over the river\n"
    "" * 6
)


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
    workspace.changes.extend(
        ready, place or workspace.changes.open_place(), ready.vocab_size + n_more
    )
    qtbot.waitUntil(lambda: workspace.run is not before or workspace.state is State.failed)
    return workspace.run


def test_a_file_is_extended_on_the_open_text_as_by_the_command(
    qtbot, workspace, path, seed, tmp_path
):
    settings = workspace.runs.entries[0].config
    first = workspace.run
    run = extended(qtbot, workspace, Source("small", path=path), 10)
    assert [entry.name for entry in workspace.runs.entries] == ["Main run", "small, extended"]
    assert workspace.runs.shown.run is run and workspace.runs.entries[0].run is first
    assert (
        run.n_seed == 12
        and len(run.merges) == 22
        and workspace.step == 22
        and workspace.state is State.done
    )
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


def test_a_tokenizer_with_superwords_cuts_all_steps_by_the_coarser_split(
    qtbot, workspace, tmp_path
):
    config = bpe.TrainingConfig.preset("superbpe", vocab_size=280, superwords_from=270)
    tokenizer = bpe.train(bpe.Corpus.from_text(SMALL, config), config).tokenizer()
    tokenizer.save(tmp_path / "superwords")
    run = extended(qtbot, workspace, Source("superwords", path=tmp_path / "superwords"), 5)
    assert any("the split of superwords" in said for said in workspace.seen)
    assert dict(run.corpus.items()) == dict(lines(tokenizer).items())
    for step in (5, 20):
        words = run.words_at(step)
        encode = run.tokenizer(step).encode
        for number, piece in enumerate(run.corpus.pre_tokens()):
            assert words.n_tokens(number) == len(encode(piece).ids)


def test_without_a_text_files_are_read_and_opened(qtbot, workspace, path, tmp_path):
    settings = workspace.opener.own_config
    workspace.opener.open_files([path])
    qtbot.waitUntil(lambda: workspace.corpus.name == "small")
    (source, *_) = workspace.changes.sources()
    run = extended(qtbot, workspace, source, 3, Place(None, (tmp_path / "text.txt",)))
    assert (
        workspace.corpus.name == "text.txt"
        and workspace.runs.shown.run is run
        and len(run.merges) == 15
    )
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
        path = folder / "a.model"
        content = sentencepiece_model(name)
    else:
        path = folder / "tokenizer.json"
        content = content_of(name).encode()
    path.write_bytes(content)
    return path


def content(path):
    """What is in a file, or in each file of a folder."""
    return (
        {each.name: each.read_bytes() for each in path.iterdir()}
        if path.is_dir()
        else path.read_bytes()
    )


def session_of(workspace):
    return [(entry.run, entry.name, entry.position) for entry in workspace.runs.entries]


SLOW = pytest.mark.slow(buys="files of the other library; a model of SentencePiece is in each run")


@pytest.mark.parametrize(
    "name", [pytest.param("llama3", marks=SLOW), pytest.param("llama2", marks=SLOW), "llama"]
)
def test_one_that_only_its_library_runs_is_opened_extended_as_by_the_command(
    qtbot, workspace, sound_files, tmp_path, name
):
    seed = bpe.load(of_others(name, tmp_path))
    settings = workspace.opener.own_config
    before = session_of(workspace)
    steps = []
    workspace.undo_step_added.connect(steps.append)
    expected = bpe.extend(seed, [TEXT], seed.vocab_size + 9)
    run = extended(qtbot, workspace, Source("mine", tokenizer=seed), 9)
    made = run.tokenizer()
    assert dict(made.tokens) == dict(expected.tokenizer.tokens)
    assert [(merge.token, merge.count) for merge in run.merges][-9:] == [
        (merge.token, merge.count) for merge in expected.merges
    ]
    assert (
        not run.columns.count[:-9].any() and workspace.step == len(run.merges) == seed.n_merges + 9
    )
    n_before, n_after = expected.n_tokens
    assert any(
        f"9 merges added to the {seed.vocab_size} tokens of mine" in said for said in workspace.seen
    )
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
    ready = workspace.changes.prepare(Source("mine", tokenizer=seed))
    place = workspace.changes.open_place()
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
        f"{len(expected.removed)} tokens removed from the {seed.vocab_size} of mine" in said
        for said in workspace.seen
    )


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
    assert (
        workspace.run is first
        and workspace.state is State.done
        and len(workspace.runs.entries) == 1
    )


def test_pruning_costs_what_was_said_before_and_leaves_a_run(qtbot, workspace, path, seed):
    ready = workspace.changes.prepare(Source("small", path=path))
    place = workspace.changes.open_place()
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
