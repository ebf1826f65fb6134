"""Seeded, varied texts in several scripts, made rather than quoted.

Words are built from syllables and drawn with falling frequency, so the texts repeat themselves as
real ones do: a few words are very common, most are rare. The same seed always gives the same text.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import groupby


def _syllables(spaced: str) -> list[str]:
    return spaced.split(" ")


ENGLISH = _syllables(
    "th e an in er on re ed st en at or is al it ing tion ly ar le ment ness un ch sh oo ou ea gh"
    " qu w b k v z"
)
PERSIAN = _syllables(
    "می ها ان در از با ست ای ین کر دن شد ران گ پ چ ژ ند تر ین خانه کتاب زب نو آ\u200c"
)
CJK = _syllables(
    "日 本 語 中 文 字 言 葉 の は を が に で す る か な カ ナ ー ル 한 국 어 글 你 好 世 界 学 "
    "习"
)
DEVANAGARI = _syllables("का की है में से को पर और नहीं क्या श्री त्र ज्ञ ं ा")
EMOJI = ["😀", "😄", "👩‍👩‍👧", "🇮🇷", "👍🏽", "❤️", "🤖"]


def _rng(seed: int) -> random.Random:
    return random.Random(f"bpe studio {seed}")


def _vocabulary(rng: random.Random, syllables: list[str], size: int, longest: int = 4) -> list[str]:
    return ["".join(rng.choices(syllables, k=rng.randint(1, longest))) for _ in range(size)]


def _draw(rng: random.Random, words: list[str]) -> str:
    return words[int(len(words) ** rng.random()) - 1]


def _prose(
    rng: random.Random, words: list[str], n_words: int, between: str = " ", ends: str = ".!?"
) -> str:
    parts: list[str] = []
    for i in range(n_words):
        parts.append(_draw(rng, words))
        if rng.random() < 0.1:
            parts.append(rng.choice(",;:" + ends))
        parts.append("\n" if i % 13 == 12 else between)
    return "".join(parts)


def english(n_words: int = 400, seed: int = 0) -> str:
    """Sentences with capitals, contractions, numbers, double spaces, tabs and both kinds of line
    break.
    """
    rng = _rng(seed)
    words = _vocabulary(rng, ENGLISH, 120)
    words += [
        "don't",
        "we'll",
        "I'm",
        "they've",
        "she'd",
        "it's",
        "you're",
        "DON'T",
        "3.14",
        "2024",
        "1,000",
        "x2",
    ]
    rng.shuffle(words)
    text = _prose(rng, words + [word.capitalize() for word in words[:30]], n_words)
    return (
        text.replace(". ", ".  ")
        .replace("; ", ";\t")
        .replace("!\n", "!\r\n")
        .replace("?\n", "?\n\n   ")
    )


def persian(n_words: int = 400, seed: int = 0) -> str:
    """Right-to-left words with zero-width non-joiners, Persian digits and Persian punctuation."""
    rng = _rng(seed)
    words = _vocabulary(rng, PERSIAN, 100, 3) + ["۱۲۳", "می‌روم", "کتاب‌ها", "۱۴۰۳"]
    return _prose(rng, words, n_words, ends="؟،.")


def cjk_and_emoji(n_words: int = 400, seed: int = 0) -> str:
    """Chinese, Japanese and Korean without spaces, joined emoji, flags and skin tones
    between them.
    """
    rng = _rng(seed)
    words = _vocabulary(rng, CJK, 90, 3)
    return "".join(
        _draw(rng, words)
        + (rng.choice(EMOJI) if rng.random() < 0.15 else "")
        + ("。\n" if i % 17 == 16 else "")
        for i in range(n_words)
    )


def source_code(n_lines: int = 80, seed: int = 0) -> str:
    """Lines that look like a program: indents, operators, names, numbers, strings, trailing
    spaces.
    """
    rng = _rng(seed)
    names = [
        f"{a}_{b}"
        for a in ("get", "set", "n", "is")
        for b in ("value", "index", "left", "item", "tokens")
    ]
    lines = []
    for _ in range(n_lines):
        indent = "    " * rng.randint(0, 3)
        name = rng.choice(names)
        other = rng.choice(names)
        number = rng.randint(0, 9999)
        lines.append(
            indent
            + rng.choice(
                [
                    f"def {name}(self, {other}: int = {number}) -> None:",
                    f"{name} = {other}[{number}] + 0x{number:04x}",
                    f"if {name} >= {number} and not {other}:",
                    f"\treturn f'{{{name}}}'  # {other}",
                    f"for i in range({number}): {name}.append({other})  ",
                    "",
                ]
            )
        )
    return "\n".join(lines) + "\n"


def any_characters(n_characters: int = 1500, seed: int = 0) -> str:
    """Code points from everywhere, drawn from few of them so that pairs repeat.

    Combining marks and separators too.
    """
    rng = _rng(seed)
    planes = [
        (0x20, 0x7F),
        (0xA0, 0x250),
        (0x300, 0x370),
        (0x600, 0x700),
        (0x900, 0x980),
        (0x2000, 0x2070),
    ]
    planes += [
        (0x3040, 0x3100),
        (0x4E00, 0x4E40),
        (0xAC00, 0xAC40),
        (0x1F600, 0x1F650),
        (0x10330, 0x1034B),
    ]
    few = [chr(rng.randrange(*rng.choice(planes))) for _ in range(60)] + list(
        "  \n\n\t\r\x0b\x85\u2028\ufeff\x00"
    )
    return "".join(rng.choice(few) for _ in range(n_characters))


def mixed(n_words: int = 200, seed: int = 0) -> str:
    """A little of everything in one text."""
    rng = _rng(seed)
    words = (
        _vocabulary(rng, DEVANAGARI, 20)
        + _vocabulary(rng, ENGLISH, 20)
        + _vocabulary(rng, PERSIAN, 20)
    )
    return _prose(rng, words + EMOJI + ["naïve", "e\u0301te\u0301", "ﬁne", "Ⅳ", "½"], n_words)


KINDS: dict[str, Callable[..., str]] = {
    "english": english,
    "persian": persian,
    "cjk and emoji": cjk_and_emoji,
    "source code": source_code,
    "any characters": any_characters,
    "mixed": mixed,
}


@cache
def standing_out(end: int = 0x110000) -> str:
    """The characters below a code point that differ in category from those near them, and the ends
    of all other runs.

    Three quarters of the rest are ideographs and syllables, which follow each other by the
    thousand."""
    found: list[int] = []
    for _, run in groupby(range(end), lambda code: unicodedata.category(chr(code))):
        codes = list(run)
        found += codes if len(codes) < 64 else (codes[0], codes[-1])
    return "".join(map(chr, found))


@cache
def packed(start: int, end: int) -> str:
    """All code points from one to another, 64 after each space: neighbours are nearly all of one
    kind.

    One that was taken for another kind would end a pre-token.
    """
    places = range(start, end, 64)
    return "".join(
        [" " + "".join(map(chr, range(place, min(place + 64, end)))) for place in places]
    )
