"""One undo step: back to how it was, and forward to how it was when it was undone."""

from __future__ import annotations

from bpe_studio.workspace.undo import UndoStep


def test_it_goes_back_and_forward_as_often_as_asked():
    value = ["after"]

    def go(to):
        value[0] = to

    step = UndoStep("Change", "before", lambda: value[0], go)
    assert (step.text, step.before) == ("Change", "before")
    step.undo()
    assert value == ["before"]
    value[0] = "before, but elsewhere"
    step.redo()
    assert value == ["after"]
    step.undo()
    assert value == ["before, but elsewhere"], "what was seen last is gone back to"
