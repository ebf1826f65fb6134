"""Branching: a trainer that continues from any step of a run with an override.

The gap ranks and the merges are all that a trainer needs, so nothing is trained again. The override
is in the branch's `plan`; `trainer.py` does the training.
"""

from __future__ import annotations

from bpe_studio.engine.arguments import expect
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.candidates import forced_ids
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.engine.training.trainer import Trainer


def branch(of: Trainer | Run, override: Override) -> Trainer:
    """A trainer that continues from a step of a run with an override.

    The merges before the step are copied; the run itself does not change and may continue. The
    branch is a run of its own, whose `plan` has the override and those before it. `prepare`, or the
    first training step, makes its buffers.

    Args:
        of: the run to branch off from, or its trainer, whose target the branch takes over.
        override: the override, with its step.

    Raises:
        TrainingError: the run has fewer merges, or a forced pair has a token that does not exist at
            the step, or makes one that already exists.

    >>> from bpe_studio import Corpus, TrainingConfig
    >>> trainer = Trainer(Corpus.from_counts({"hug": 10, "pug": 5}, TrainingConfig.preset("textbook")))
    >>> len(trainer.run(2)), branch(trainer, Override(1, OverrideKind.forbid, "h", "ug")).run(1)[0].token
    (2, 'pug')
    """  # noqa: E501
    target = None
    if isinstance(of, Trainer):
        target = of.target
        of = of.run_record
    expect(of, Run, "give what train returns")
    expect(override, Override, 'give one, such as Override(1, OverrideKind.skip, "t", "h")')
    trainer = Trainer.from_run(of, override.step, of.plan.with_override(override), target=target)
    if override.kind is OverrideKind.force:
        run = trainer.run_record.at(override.step)
        forced_ids(run, (override.left, override.right), override.step)
    return trainer
