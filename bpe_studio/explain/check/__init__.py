"""Checks somebody's own trainer: the first merge that is wrong, and the mistake that explains the
rest.

The right merges come from the engine. Each known mistake is a small change of a plain trainer; the
mistake with which this trainer makes the given merges is named.

Modules:
    trainer: the plain trainer, `engine/textbook.py` with a hook for each decision.
    ties: the orders by which trainers break ties, also those that nobody recommends.
    mistakes: the known mistakes, each a change of a decision of the trainer.
    check: the answer, as `bpe.check` and the command give it.
    encoders: the mistakes of an encoder and a decoder.
    split: the mistakes of a split, and the answer about it.
    function: runs somebody's function in a process of its own.
    function_process: the program of that process.
    grading: the points of a rubric, as Gradescope reads them.
"""
