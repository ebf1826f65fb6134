"""A tokenizer given as the file to open: a run over no words that cuts any text as the tokenizer
does.
"""

from __future__ import annotations

import pytest

from bpe_studio.engine.analysis.token_traits import TokenTraits
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.explain.vocabulary import vocabulary_at
from bpe_studio.files.loading import load
from bpe_studio.files.third_party import hub
from tests.files.third_party.made import TEXTS, content_of
from tests.files.third_party.test_bad_input import FILES
from tests.workspace.test_with_engine import many_words

TEXT = many_words(3000) + "\nسلام دنیا، سلام 😀😀 汉字汉字\n" * 9


def saved(tmp_path, preset, form="huggingface", **options):
    config = TrainingConfig.preset(preset, merges=80, **options)
    path = tmp_path / "tokenizer"
    train(Corpus.from_text(TEXT, config), config).tokenizer().save(path, form)
    return path


@pytest.fixture
def real(make_workspace, watched):
    workspace = make_workspace(config=TrainingConfig.preset("gpt2", merges=9))
    workspace.watch = watched(workspace)
    return workspace


@pytest.mark.parametrize(
    ("preset", "form"),
    [
        ("gpt2", "huggingface"),
        ("textbook", "huggingface"),
        ("sennrich", "huggingface"),
        ("sentencepiece", "huggingface"),
        ("subword-nmt", "subword-nmt"),
        ("raw", "minbpe"),
    ],
)
def test_its_merges_are_a_run_that_cuts_as_it_does(real, wait_for, tmp_path, preset, form):
    path = saved(tmp_path, preset, form)
    tokenizer = load(path)
    real.opener.open_files([path])
    wait_for(real, "done")
    assert (real.n_merges, real.step, real.transport.can_train_more) == (80, 80, False)
    assert not real.watch.notices, "its page shows what is worth knowing"
    text = " ".join(TEXT.split()[:9])
    for step in (0, 7, 80):
        assert real.run.tokenizer(step).encode(TEXT).ids == tokenizer.at(step).encode(TEXT).ids
        tokens = real.run.live(text).tokens(step).ids.tolist()
        assert [real.run.external_id(token, step) for token in tokens] == tokenizer.at(step).encode(
            text
        ).ids
    assert real.run.tokenizer().model.tokens == tokenizer.model.tokens


def test_an_address_stays_an_address_so_that_it_can_be_opened_again(
    real, wait_for, tmp_path, monkeypatch
):
    folder = saved(tmp_path, "gpt2")

    def fetching(_path):
        yield 0, 0
        return str(folder)

    monkeypatch.setattr(hub, "fetching", fetching)
    real.opener.open_files(["hf:owner/name"])
    wait_for(real, "done")
    assert (str(real.corpus.request.tokenizer), real.corpus.name) == ("hf:owner/name", "owner/name")


def test_it_can_be_undone_and_what_was_open_is_set_aside(real, wait_for, tmp_path):
    real.opener.open_text(TEXT, "Words")
    wait_for(real, "ready")
    real.transport.run_training()
    wait_for(real, "done")
    run = real.run
    changes = []
    real.undo_step_added.connect(changes.append)
    real.opener.open_files([saved(tmp_path, "gpt2")])
    wait_for(real, "done")
    assert real.run is not run and real.opener.previous.name == "Words"
    changes[-1].undo()
    assert real.run is run


def test_it_makes_a_document_that_opens_again(real, make_workspace, wait_for, qtbot, tmp_path):
    real.opener.open_files([saved(tmp_path, "gpt2")])
    wait_for(real, "done")
    with qtbot.waitSignal(real.document_changed):
        real.saver.save_document(tmp_path / "a.bpestudio")
    other = make_workspace()
    other.opener.open_files([tmp_path / "a.bpestudio"])
    wait_for(other, "done")
    assert other.run.tokenizer().model == real.run.tokenizer().model


@pytest.mark.usefixtures("sound_files")
@pytest.mark.parametrize(
    "name", ["gpt2", "llama3", "llama2", "clip", "out_of_order", "unigram", "qwen"]
)
def test_one_of_another_program_is_shown_at_any_step(real, wait_for, tmp_path, name):
    (tmp_path / "notes.txt").write_text(content_of(name), "utf-8")
    tokenizer = load(tmp_path / "notes.txt")
    before = real.config
    real.opener.open_files([tmp_path / "notes.txt"])
    wait_for(real, "done")
    run = real.run
    merges = run.tokenizer().piece_merges
    # Merges that can apply; in the order of the file, after so many ranks.
    is_reordered = name == "out_of_order"
    steps = (
        [step for step in range(len(merges) + 1) if merges.limit_of(step) is not None]
        if is_reordered
        else None
    )
    n_merges = len(merges) if is_reordered else tokenizer.n_merges
    assert (real.n_merges, real.transport.can_train_more) == (n_merges, False)
    assert any("There are no steps to show" in notice for notice in real.corpus.notices) == (
        n_merges == 0
    )
    for step in {0, n_merges // 2, n_merges} if steps is None else {*steps[::40], n_merges}:
        rank = merges.limit_of(step) if is_reordered else step
        for text in TEXTS:
            found = run.live(text).tokens(step)
            ids = tokenizer.encode(text, step=rank if n_merges else None).ids
            assert [run.external_id(token) for token in found.ids.tolist()] == ids
            assert run.text_gaps(text).n_tokens(step) == len(ids)
        shown = vocabulary_at(run, step, TokenTraits(run))
        assert set(shown.ids.tolist()) == set(
            tokenizer.at(rank).tokens if n_merges else tokenizer.tokens
        )
        assert set(shown.ids[shown.is_special].tolist()) <= set(tokenizer.added_ids.values())
    real.opener.open_text(TEXT, "Words")
    wait_for(real, "ready")
    assert real.config == before, "what was opened does not change the settings of the next run"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("document", b"document.json", b"document.jsom"),
        ("minbpe", b"256 103", b"999 103"),
        ("tekken", b"aHVn", b"!!!!"),
    ],
)
def test_what_was_open_stays_where_a_file_is_refused(real, wait_for, tmp_path, name, old, new):
    real.opener.open_text(TEXT, "Words")
    wait_for(real, "ready")
    real.transport.run_training()
    wait_for(real, "done")
    run = real.run
    step = real.step
    file, content = FILES[name]
    (tmp_path / file).write_bytes(content.replace(old, new))
    real.opener.open_files([tmp_path / file])
    wait_for(real, "failed")
    assert file in real.failure.message
    assert (real.run, len(real.runs.entries), real.step, real.corpus.name) == (
        run,
        1,
        step,
        "Words",
    )


def test_one_of_another_program_is_no_document(real, wait_for, tmp_path, qtbot):
    (tmp_path / "tokenizer.json").write_text(content_of("gpt2"), "utf-8")
    real.opener.open_files([tmp_path])
    wait_for(real, "done")
    with qtbot.waitSignal(real.saver.ended):
        real.saver.save_document(tmp_path / "a.bpestudio")
    assert not (tmp_path / "a.bpestudio").exists()
    assert "tokenizer of another program" in real.failure.message


def test_another_split_has_no_text_to_cut(real, wait_for, tmp_path):
    real.opener.open_files([saved(tmp_path, "gpt2")])
    wait_for(real, "done")
    real.settings.apply(real.config.replace(split="whitespace"))
    wait_for(real, "failed")
    assert "open the text itself" in real.failure.message


def test_one_among_texts_is_refused(real, wait_for, tmp_path):
    path = saved(tmp_path, "gpt2") / "tokenizer.json"
    text = tmp_path / "words.txt"
    text.write_text(TEXT, "utf-8")
    real.opener.open_files([text, path])
    wait_for(real, "failed")
    assert "is a tokenizer, not a text" in real.failure.message


def test_a_file_of_a_tokenizer_that_cannot_be_opened_is_no_text(make_workspace, wait_for, tmp_path):
    (tmp_path / "dict.txt").write_text("the 120\nth@@ 9\ne 9\n")
    workspace = make_workspace()
    workspace.opener.open_files([tmp_path / "dict.txt"])
    wait_for(workspace, "failed")
    assert "fairseq" in workspace.failure.message
