"""Branching off: a trainer that continues from any step of a run as if a person had decided otherwise there.

The gap ranks and the merges tell all that a trainer must know, so nothing is learned again. What was decided is in the
branch's `plan`. How it is learned is in `trainer.py`.
"""

from __future__ import annotations

from bpe_studio.engine.run import Run
from bpe_studio.engine.training.candidates import forced_ids
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.engine.training.trainer import Trainer


def branch(of: Trainer | Run, override: Override) -> Trainer:
    """A trainer that continues from a step of a run as if a person had decided otherwise there.

    What was learned until then is copied; the run itself stays as it is and may continue. The branch is a run of its
    own, whose `plan` holds this decision and those before it. Its buffers are made by `prepare`, at the latest when it
    learns.

    Args:
        of: the run to branch off from, or its trainer, whose target the branch then has.
        override: the decision, and its step.

    Raises:
        TrainingError: the run has fewer merges than that, or a forced pair names a token that there is not at the
            step, or makes one that there is.

    >>> from bpe_studio import Corpus, TrainingConfig
    >>> trainer = Trainer(Corpus.from_counts({"hug": 10, "pug": 5}, TrainingConfig.preset("textbook")))
    >>> len(trainer.run(2)), branch(trainer, Override(1, OverrideKind.forbid, "h", "ug")).run(1)[0].token
    (2, 'pug')
    """
    run, target = (of.run_record, of.target) if isinstance(of, Trainer) else (of, None)
    trainer = Trainer.from_run(run, override.step, run.plan.with_override(override), target=target)
    if override.kind is OverrideKind.force:
        forced_ids(trainer.run_record, (override.left, override.right), override.step)
    return trainer
