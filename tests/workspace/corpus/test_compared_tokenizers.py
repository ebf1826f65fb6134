"""Tokenizers that are opened to be compared: the counts equal encoding, and nothing that is open
changes.
"""

from __future__ import annotations

import numpy as np
import pytest

from bpe_studio import Corpus, TrainingConfig, train
from bpe_studio.explain.comparison.measures import Measurer
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus import compared_tokenizers
from bpe_studio.workspace.corpus.token_counting import WHOLE
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace
from tests.files.third_party.test_text_parts import rare_text
from tests.files.third_party.test_typed_text import opened

OWN = (
    "the theme then other thin thing with this that these those low lower newest widest سلام دنیا "
    "سلام\n" * 12
)
OTHER = (
    "rivers run to the sea, and the seas run over the rivers; سلام به دنیا 你好世界 👩‍👩‍👧 naïve\n"
    * 9
)


def saved(folder, name, preset, text=OTHER, **options):
    config = TrainingConfig.preset(preset, **options)
    tokenizer = train(Corpus.from_text(text, config), config).tokenizer()
    tokenizer.save(folder / name)
    return folder / name


@pytest.fixture
def workspace(qtbot, tmp_path):
    path = tmp_path / "own.txt"
    path.write_text(OWN, encoding="utf-8")
    workspace = Workspace(config=TrainingConfig.preset("gpt2", merges=40))
    workspace.opener.open_files([path])
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done)
    yield workspace
    workspace.shutdown()


def counted(qtbot, workspace, *paths):
    workspace.tokenizers.add(paths)
    n = len(paths)
    qtbot.waitUntil(
        lambda: (
            len(workspace.tokenizers.entries) == n
            and all(
                each.corpus_counts is not None or each.why_not
                for each in workspace.tokenizers.entries
            )
        )
    )
    return workspace.tokenizers.entries


def lines_encoded(tokenizer, text=OWN):
    """The tokens of each line, as the open run reads its corpus."""
    found = np.zeros(tokenizer.vocab_size, np.int64)
    for line in text.splitlines(keepends=True):
        found += np.bincount(tokenizer.encode_ids(line), minlength=tokenizer.vocab_size)
    return found


def test_tokenizers_are_counted_on_the_corpus_and_nothing_that_is_open_changes(
    qtbot, tmp_path, workspace
):
    before = (
        workspace.run,
        workspace.config,
        workspace.step,
        workspace.n_merges,
        workspace.document,
    )
    paths = [
        saved(tmp_path, "same cut", "gpt2", merges=50),
        saved(tmp_path, "another cut", "cl100k", merges=50),
        saved(tmp_path, "characters", "sentencepiece", text=OTHER + OWN, vocab_size=120),
    ]
    entries = counted(qtbot, workspace, *paths)
    assert [each.name for each in entries] == ["same cut", "another cut", "characters"]
    for each in entries:
        assert not each.why_not
        assert each.corpus_counts.tolist() == lines_encoded(each.tokenizer).tolist(), each.name
    assert (
        workspace.run,
        workspace.config,
        workspace.step,
        workspace.n_merges,
        workspace.document,
    ) == before
    assert workspace.state is State.done


def test_a_text_that_cannot_be_cut_is_given_to_the_library_whole_and_that_is_said(
    qtbot, tmp_path, workspace, monkeypatch
):
    library = opened("sentencepiece unigram").tokenizer()
    text = rare_text(9_000)
    path = tmp_path / "unigram.model"
    path.write_text("of the library", encoding="utf-8")

    def loading(self, path):
        yield 0, 0
        return library

    monkeypatch.setattr(Backend, "loading", loading)
    (entry,) = counted(qtbot, workspace, path)
    assert not entry.remark and "\n" not in entry.tip, "its lines are short"
    workspace.set_config(TrainingConfig.preset("gpt2", documents="file"))
    workspace.opener.open_text(text, "rare")
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    workspace.tokenizers.count()
    qtbot.waitUntil(lambda: workspace.tokenizers.entries[0].corpus_counts is not None)
    (entry,) = workspace.tokenizers.entries
    ids = library.native.ids(text, recognize_special=False)
    assert (
        entry.corpus_counts.tolist()
        == np.bincount(ids, minlength=len(entry.corpus_counts)).tolist()
    )
    assert entry.remark == WHOLE and entry.tip.endswith(WHOLE)


def test_what_cannot_be_opened_is_one_sentence_and_the_others_stay(qtbot, tmp_path, workspace):
    good = saved(tmp_path, "good", "gpt2", merges=10)
    bad = tmp_path / "notes.txt"
    bad.write_text("no tokenizer", encoding="utf-8")
    told = []
    workspace.tokenizers.failed.connect(told.append)
    (entry,) = counted(qtbot, workspace, good)
    workspace.tokenizers.add([bad])
    qtbot.waitUntil(lambda: bool(told))
    assert len(told) == 1 and "notes.txt" in told[0] and told[0].count("\n") == 0
    assert workspace.tokenizers.entries == (entry,) and workspace.state is State.done
    workspace.tokenizers.remove(entry.number)
    assert workspace.tokenizers.entries == ()


def test_counting_is_cancelled_and_another_text_is_counted_anew(
    qtbot, tmp_path, workspace, monkeypatch
):
    path = saved(tmp_path, "slow", "gpt2", merges=10)

    def endless(*_):
        while True:
            yield

    count = compared_tokenizers.count_tokens
    monkeypatch.setattr(compared_tokenizers, "count_tokens", endless)
    workspace.tokenizers.add([path])
    qtbot.waitUntil(
        lambda: bool(workspace.tokenizers.entries) and workspace.tokenizers.progress is not None
    )
    workspace.tokenizers.cancel()
    (entry,) = workspace.tokenizers.entries
    assert entry.corpus_counts is None and entry.why_not == "Counting was cancelled"
    assert workspace.tokenizers.progress is None
    monkeypatch.setattr(compared_tokenizers, "count_tokens", count)
    workspace.opener.open_text(OTHER, "another")
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    workspace.tokenizers.count()
    qtbot.waitUntil(lambda: workspace.tokenizers.entries[0].corpus_counts is not None)
    counts = workspace.tokenizers.entries[0].corpus_counts
    assert (
        counts.tolist() == lines_encoded(workspace.tokenizers.entries[0].tokenizer, OTHER).tolist()
    )


def test_a_second_tokenizer_of_a_name_has_a_number():
    assert compared_tokenizers.free_name("gpt2", ()) == "gpt2"
    assert compared_tokenizers.free_name("gpt2", {"gpt2", "gpt2 (2)"}) == "gpt2 (3)"


def test_measures_and_cuts_are_those_of_the_tokenizer(qtbot, tmp_path, workspace):
    (entry,) = counted(qtbot, workspace, saved(tmp_path, "other", "gpt2", merges=60))
    text = "naïve 👩‍👩‍👧 rivers سلام"
    found = Measurer().measure([entry], text, 20)[entry]
    assert found.n_tokens == len(entry.tokenizer.encode(text).ids) == len(found.content.starts)
    starts = found.content.starts.tolist()
    ends = found.content.ends.tolist()
    assert starts[0] == 0 and starts[1:] == ends[:-1] and ends[-1] == len(text), (
        "each character is in one token"
    )
