"""The sentences about failures and about what a change would discard."""

from __future__ import annotations

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.errors import SaveError
from bpe_studio.workspace.messages import failure_of, loss

GPT2 = TrainingConfig.preset("gpt2")


@pytest.mark.parametrize(
    ("change", "n_merges", "expected"),
    [
        ({"split": "none"}, 1204, "1,204 merges learned with split gpt2 will be discarded."),
        (
            {"split": "none", "ties": "raw-ids"},
            1,
            "1 merge learned with split gpt2 and ties huggingface will be discarded.",
        ),
        ({"normalize": ("nfc",)}, 7, "7 merges learned with no normalize will be discarded."),
        ({"split": "none"}, 0, ""),
        ({"vocab_size": 9999}, 7, ""),
        ({"merges": 9999}, 7, ""),
    ],
)
def test_what_is_lost(change, n_merges, expected):
    assert loss(n_merges, GPT2, GPT2.replace(**change)) == expected


def test_many_changes_are_not_listed():
    sentence = loss(5, GPT2, TrainingConfig.preset("sennrich"))
    assert sentence == "5 merges learned with the current settings will be discarded."


def test_errors_of_the_program_speak_for_themselves(caplog):
    failure = failure_of("Save out", SaveError("The disk is full: free some space"))
    assert failure.message == "The disk is full: free some space."
    assert failure.hint == ""
    assert not caplog.records


def test_an_error_of_the_system_names_the_file(caplog):
    failure = failure_of("Open a", OSError(5, "Input/output error", "a.txt"))
    assert failure.message == "Input/output error (a.txt)."
    assert failure.hint
