"""How tokens are written for people: white space, stray bytes, marks, joiners, direction,
length.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.engine.training.trainer import train
from bpe_studio.explain.names import (
    UNKNOWN_NAME,
    display_name,
    display_token,
    elided,
    isolated,
    isolated_title,
    override_text,
    short_name,
)


def run_of(text, preset="gpt2", **options):
    config = TrainingConfig.preset(preset, **options)
    return train(Corpus.from_text(text, config), config)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"", ""),
        (b" the", "␣the"),
        (b"\n\t\r", "⏎⇥␍"),
        ("a\u00a0b".encode(), "a⍽b"),
        (b"\x00\x1b\x7f", "␀␛␡"),
        (b"\xf0\x9f", "⟨F0 9F⟩"),
        (b"\x98\x80", "⟨98 80⟩"),
        (b"a\xe2\x82", "a⟨E2 82⟩"),
        (b"\x80a\xff\xfeb", "⟨80⟩a⟨FF FE⟩b"),
        (b"\xed\xa0\x80x", "⟨ED A0 80⟩x"),
        (b"\xf0\x9f\xc3\xa9", "⟨F0 9F⟩é"),
        ("👨‍👩‍👧".encode(), "👨‍👩‍👧"),
        ("\u200d👩".encode(), "⟨ZWJ⟩👩"),
        ("می‌خواهم".encode(), "می‌خواهم"),
        ("\u200c".encode(), "⟨ZWNJ⟩"),
        ("\u0301e".encode(), "\u25cc\u0301e"),
        ("e\u0301".encode(), "e\u0301"),
        (" \u093f".encode(), "␣\u25cc\u093f"),
        ("\u202eabc".encode(), "⟨RLO⟩abc"),
        ("\ufeff".encode(), "⟨BOM⟩"),
        ("❤\ufe0f".encode(), "❤\ufe0f"),
        ("\ufe0f".encode(), "⟨VS16⟩"),
        ("\u2003\ue000".encode(), "⟨U+2003⟩⟨U+E000⟩"),
        ("漢字".encode(), "漢字"),
    ],
)
def test_every_byte_is_shown_as_what_it_is(content, name):
    assert display_token(content) == name


@given(st.binary(max_size=12))
def test_no_bytes_make_a_replacement_sign_or_an_invisible_name(content):
    name = display_token(content)
    assert "\ufffd" not in name or "\ufffd".encode() in content
    assert bool(name) == bool(content)
    assert not any(char.isspace() for char in name if char != " ")


def test_names_of_byte_tokens():
    run = run_of("the the the the 😀", vocab_size=262)
    names = [display_name(run, run.token_of(k)) for k in range(len(run.merges))]
    assert "␣the" in names
    assert display_name(run, run.find_token("Ġ")) == "␣"
    assert display_name(run, run.find_token("ð")) == "⟨F0⟩"
    assert display_name(run, -1) == UNKNOWN_NAME


def test_marks_stay_in_the_name():
    run = run_of("low low lower", "sennrich", merges=4)
    assert display_name(run, run.find_token("</w>")) == "</w>"
    assert display_name(run, run.find_token("low</w>")) == "low</w>"
    run = run_of(
        "low low lower",
        "gpt2",
        split="whitespace",
        vocab_size=260,
        word_end="</w>",
        word_end_as="own-symbol",
    )
    assert display_name(run, run.find_token("</w>")) == "</w>"
    assert {display_name(run, run.token_of(k)) for k in range(len(run.merges))} >= {"lo", "low"}


def test_long_names_keep_both_ends_and_their_marks():
    assert elided("short", 10) == "short"
    assert elided("a" * 50 + "z", 10) == "aaaaaa…aaz"
    assert len(elided("ab" * 100, 21)) == 21
    marked = "e\u0301" * 30
    short = elided(marked, 12)
    assert not short.split("…")[1].startswith("\u0301")
    assert marked.startswith(short.split("…")[0])


def test_right_to_left_names_are_isolated():
    assert isolated("abc") == "abc"
    assert isolated("سلام") == "\u2068سلام\u2069"
    run = run_of("سلام سلام", "textbook", merges=3)
    token = run.find_token("سلام")
    assert short_name(run, token) == "\u2068سلام\u2069"
    assert display_name(run, token) == "سلام"


def test_a_title_in_two_scripts_is_read_from_the_left():
    assert isolated_title("داستان (Persian story)") == "\u2066داستان (Persian story)\u2069"
    assert isolated_title("داستان") == "\u2068داستان\u2069"
    assert isolated_title("A story") == "A story"


def test_an_override_reads_as_a_person_writes_it():
    config = TrainingConfig.preset("gpt2")
    assert override_text(Override(3, OverrideKind.force, "Ġt", "he"), config) == "force ␣t + he"
    assert (
        override_text(Override(3, OverrideKind.ties, ties="raw-ids"), config)
        == "ties: smallest ids by byte (rustbpe)"
    )
    assert override_text(Override(3, OverrideKind.skip, "Ġt", "he"), config) == "skip once: ␣t + he"
    assert override_text(None, config) == ""
