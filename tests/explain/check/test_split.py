"""Splits as people write them: a right one raises no alarm, and a mistake in one is named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import regex

import bpe_studio as bpe
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.presets import PATTERNS
from bpe_studio.explain.check.split import SplitCheck, checking_split
from tests.engine import texts

TEXT = (
    "Don't stop, it's he'SO it'so late; WE'LL see.  Two  spaces, 1234567 and x12y.\n\n\tsnake_case, "
    "camelCase;\r\nnaïve cafe\u0301 हिन्दी 中文字符abc中文 3½ ٣٤ 😀!!! (a)\n x = foo(bar) // done 12345."
)
GPT2 = PATTERNS["gpt2"]
CL100K = PATTERNS["cl100k"]


def checked(pieces: Iterable[str], split: str = "gpt2", text: str = TEXT) -> SplitCheck:
    config = bpe.TrainingConfig.preset("gpt2", split=split)
    return result_of(checking_split(list(pieces), text, config))


@pytest.mark.parametrize("split", ["gpt2", "cl100k", "o200k", "whitespace", "words", "none"])
@pytest.mark.parametrize("kind", ["english", "persian", "mixed"])
def test_right_pieces_raise_no_alarm(split: str, kind: str) -> None:
    text = texts.KINDS[kind](n_words=200, seed=4) + TEXT
    pieces = [text] if split == "none" else regex.findall(PATTERNS[split], text)
    assert checked(pieces, split, text).correct
    if split != "none":
        by_line = [regex.findall(PATTERNS[split], line) for line in regex.split("(?<=\n)", text)]
        assert checked([piece for line in by_line for piece in line], split, text).correct


def test_special_tokens_may_be_left_out_given_or_cut() -> None:
    config = bpe.TrainingConfig.preset("cs336")
    special = "<|endoftext|>"
    parts = [regex.findall(GPT2, part) for part in ("one two", " three")]
    text = f"one two{special} three"
    for pieces in (
        [*parts[0], *parts[1]],
        [*parts[0], special, *parts[1]],
        regex.findall(GPT2, text),
    ):
        assert result_of(checking_split(pieces, text, config)).correct


WRONG: dict[str, tuple[str, Callable[[str], Iterable[str]]]] = {
    "digits-from-the-left": (
        "digits-right",
        lambda text: regex.findall(
            r"\p{N}{1,3}|'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+",
            text,
        ),
    ),
    "digits-not-grouped": (
        "cl100k",
        lambda text: regex.findall(CL100K.replace("{1,3}", "+"), text),
    ),
    "contractions-not-split": (
        "gpt2",
        lambda text: regex.findall(r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", text),
    ),
    "contractions-in-words": (
        "gpt2",
        lambda text: regex.findall(r" ?[\p{L}']+| ?\p{N}+| ?[^\s\p{L}\p{N}']+|\s+(?!\S)|\s+", text),
    ),
    "contractions-by-case": (
        "cl100k",
        lambda text: regex.findall(CL100K.replace("?i:", "?:"), text),
    ),
    "space-not-joined": (
        "gpt2",
        lambda text: regex.findall(
            r"'(?:[sdmt]|ll|ve|re)|\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", text
        ),
    ),
    "space-after-word": ("gpt2", lambda text: regex.findall(r"\S+ ?|\s+", text)),
    "pieces-stripped": (
        "gpt2",
        lambda text: [piece.strip() for piece in regex.findall(GPT2, text)],
    ),
    "white-space-lost": (
        "gpt2",
        lambda text: [piece for piece in regex.findall(GPT2, text) if not piece.isspace()],
    ),
    "white-space-kept": ("words", lambda text: regex.findall(r"\w+|[^\w\s]+|\s+", text)),
    "last-space-not-left": (
        "gpt2",
        lambda text: regex.findall(GPT2.replace(r"\s+(?!\S)|", ""), text),
    ),
    "marks-joined": (
        "gpt2",
        lambda text: regex.findall(
            GPT2.replace(r"\p{L}", r"\p{L}\p{M}").replace(r" ?\p{L}\p{M}+", r" ?[\p{L}\p{M}]+"),
            text,
        ),
    ),
    "letters-ascii": ("gpt2", lambda text: re.findall("[a-zA-Z]+", text)),
    "han-one-by-one": (
        "gpt2",
        lambda text: [
            part
            for piece in regex.findall(GPT2, text)
            for part in regex.findall(r"\p{Han}|\P{Han}+", piece)
        ],
    ),
    "case-changed": ("gpt2", lambda text: regex.findall(GPT2, text.lower())),
    "case-not-cut": (
        "o200k",
        lambda text: regex.findall(
            r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}"
            r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
            text,
        ),
    ),
    "punctuation-lost": ("gpt2", lambda text: re.findall(r"\w+", text)),
    "last-piece-lost": ("gpt2", lambda text: regex.findall(GPT2, text)[:-1]),
    "line-breaks-lost": ("gpt2", lambda text: regex.findall(GPT2, " ".join(text.splitlines()))),
    "overlaps": ("gpt2", lambda text: regex.findall(GPT2, text, overlapped=True)),
    "groups-returned": ("gpt2", lambda text: regex.findall(GPT2.replace("?:", ""), text)),
    "re-for-regex": (
        "gpt2",
        lambda text: re.findall(
            r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+", text
        ),
    ),
    "split-at-spaces": ("gpt2", lambda text: text.split(" ")),
    "split-whitespace": ("gpt2", str.split),
    "symbols": ("gpt2", list),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_named(name: str) -> None:
    split, cut = WRONG[name]
    found = checked(cut(TEXT), split)
    named = [mistake.name for mistake in found.mistakes]
    assert named[:1] == [name]
    answer = found.as_json()
    assert answer["mistake"] == name and not answer["right"]
    if answer["expected"] is not None:
        assert TEXT.startswith(answer["expected"], answer["start"])


def test_two_mistakes_together_are_named() -> None:
    pattern = CL100K.replace("{1,3}", "+").replace("?i:", "?:")
    found = checked(regex.findall(pattern, TEXT), "cl100k")
    assert [set(mistake.name.split("+")) for mistake in found.mistakes] == [
        {"digits-not-grouped", "contractions-by-case"}
    ]


@pytest.mark.parametrize(
    ("pieces", "name"),
    [
        (["one", "e two", " two", " three"], "overlaps"),
        (["one", " TWO", " three"], "case-changed"),
        (["one", " 2", " three"], "text-changed"),
        (["one", " t", " thre"], "text-lost"),
    ],
)
def test_what_no_mistake_explains_is_a_guess(pieces: list[str], name: str) -> None:
    found = checked(pieces, text="one two three")
    assert not found.mistakes and found.as_json()["mistake"] == name
    assert name in str(found)


SPLITTERS = {
    "texts": "def split(text): return regex.findall(GPT2, text)",
    "matches": "def pretokenize(text): return regex.finditer(GPT2, text)",
    "bytes": "def words(s): return [piece.encode() for piece in regex.findall(GPT2, s)]",
    "symbols": "def f(text): return [tuple(piece) for piece in regex.findall(GPT2, text)]",
    "bytes one by one": """
def split(text):
    return [tuple(bytes([byte]) for byte in piece.encode()) for piece in regex.findall(GPT2, text)]
""",
    "places": "def split(text): return [(m.group(), m.span()) for m in regex.finditer(GPT2, text)]",
    "lines": "def split(text): return [regex.findall(GPT2, line) for line in regex.split('(?<=\\n)', text)]",
    "generator": "def split_text(text):\n    yield from regex.findall(GPT2, text)",
    "path": "def split(path): return regex.findall(GPT2, open(path, newline='', encoding='utf-8').read())",
    "class": """
class Splitter:
    def __init__(self, pattern=GPT2): self.pattern = pattern
    def split(self, text): return regex.findall(self.pattern, text)
""",
}


def handed_in(tmp_path: Path, source: str) -> str:
    path = tmp_path / "split.py"
    path.write_text(f"import regex\nGPT2 = {GPT2!r}\n{source}", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", SPLITTERS)
def test_a_right_function_is_right(tmp_path: Path, name: str) -> None:
    config = bpe.TrainingConfig.preset("gpt2")
    assert result_of(checking_split(handed_in(tmp_path, SPLITTERS[name]), TEXT, config)).correct


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("", "def split"),
        ("def split(text): return {}", "pieces in their order"),
        ("def split(text): return [1, 2]", "returns 1"),
        ("def split(text, tables, depth): return []", "depth"),
        ("def split(text): return text[9999]", "IndexError in line"),
    ],
)
def test_what_does_not_fit_is_told_in_one_sentence(tmp_path: Path, source: str, says: str) -> None:
    with pytest.raises(bpe.TrainingError) as raised:
        result_of(
            checking_split(handed_in(tmp_path, source), TEXT, bpe.TrainingConfig.preset("gpt2"))
        )
    assert says in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "written",
    [
        '["one", " two", "\\n"]',
        "['one', b' two', '\\n']",
        '"one"\n" two"\n"\\n"\n',
        "'one'\n' two'\n'\\n'",
    ],
)
def test_pieces_in_a_file(tmp_path: Path, written: str) -> None:
    path = tmp_path / "pieces"
    path.write_text(written, encoding="utf-8")
    config = bpe.TrainingConfig.preset("gpt2")
    assert result_of(checking_split(path, "one two\n", config)).correct
    path.write_text("one\n two\n", encoding="utf-8")
    assert result_of(checking_split(path, "one two", config)).correct
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(bpe.TokenizerFormatError, match="pieces"):
        result_of(checking_split(path, "one two", config))
