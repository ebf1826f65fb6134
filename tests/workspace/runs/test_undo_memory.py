"""How much memory earlier states keep: held to a plain sum over what they reach."""

from __future__ import annotations

import numpy as np
import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import Trainer
from bpe_studio.workspace.runs.undo_memory import n_within
from bpe_studio.workspace.session import ROOT, Project, RunEntry, RunPosition, Session
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest
from bpe_studio.workspace.undo import UndoStep

CONFIG = TrainingConfig.preset("gpt2", merges=3)


def sitting_of(text, request=None):
    trainer = Trainer(Corpus.from_text(text, CONFIG), CONFIG)
    trainer.run()
    info = CorpusInfo("Text", trainer.run_record.corpus, (), (), request or OpeningRequest("Text"))
    return Session((RunEntry(ROOT, "Main run", None, None, trainer, CONFIG, RunPosition(3), info),))


def change_from(before):
    return UndoStep("Open", before, lambda: None, print)


def size_of(session):
    run = session.entries[0].run
    arrays = [run.gaps, run.corpus.blob, run.corpus.offsets, run.corpus.counts]
    arrays += [value for value in vars(run.layout).values() if isinstance(value, np.ndarray)]
    columns = run.columns
    arrays += [columns.left, columns.right, columns.count, columns.tied, columns.forced, columns.n_tokens]
    return sum(array.nbytes for array in arrays)


@pytest.mark.parametrize("kept_as", [lambda each: each, Project])
def test_the_newest_that_fit_are_kept(kept_as):
    sessions = [sitting_of(f"hug pug {'pun ' * 10}{'bun' * n}") for n in range(4)]
    changes = [change_from(kept_as(each)) for each in sessions]
    sizes = [size_of(each) for each in sessions]
    for n in range(1, 5):
        assert n_within(changes, (), sum(sizes[-n:])) == n
        assert n_within(changes, (), sum(sizes[-n:]) - 1) == max(1, n - 1)
    assert n_within([], (), 0) == 0


def test_what_is_open_or_shared_costs_nothing_more():
    session = sitting_of("hug pug pun")
    changes = [change_from(session), change_from(Project(None)), change_from(()), change_from(session)]
    assert n_within(changes, session.entries, 0) == 4
    assert n_within(changes, (), 0) == 4, "the newest keeps it anyhow"
    assert n_within([change_from(sitting_of("a b")), *changes], session.entries, 0) == 4
