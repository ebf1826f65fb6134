"""The sentences about failures."""

from __future__ import annotations

from bpe_studio.errors import SaveError
from bpe_studio.workspace.messages import failure_of


def test_errors_of_the_program_speak_for_themselves(caplog):
    failure = failure_of("Save out", SaveError("The disk is full: free some space"))
    assert failure.message == "The disk is full: free some space."
    assert failure.hint == ""
    assert not caplog.records


def test_an_error_of_the_system_names_the_file(caplog):
    failure = failure_of("Open a", OSError(5, "Input/output error", "a.txt"))
    assert failure.message == "Input/output error (a.txt)."
    assert failure.hint
