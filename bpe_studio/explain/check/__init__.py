"""Checks somebody's own trainer: the first merge that is wrong, and the mistake that explains the
rest.

The settings' own merges come from the engine. Each known mistake is a small change of a plain
trainer; the mistake that makes the same merges as the given ones is named.

Modules:
    trainer: the plain trainer, `engine/textbook.py` with a hook for each decision.
    ties: the orders by which trainers break ties, also those that nobody recommends.
    mistakes: the known mistakes, each a change of what the trainer decides.
    check: the answer, as `bpe.check` and the command give it.
    encoders: the mistakes of an encoder.
    split: the same for how a text is split.
    function: runs somebody's function in a process of its own.
    function_process: the program of that process.
    grading: the points of a rubric, as Gradescope reads them.
"""
