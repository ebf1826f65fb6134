"""Small random texts: every script, emoji, marks, white space of all kinds, NULs, stray bytes,
repetitions.
"""

from __future__ import annotations

import random

ALPHABETS = (
    "ab",
    "abc",
    "aab",
    "abcdef",
    "etaoin shrdlu",
    "ABab'sdlr",
    "01289 ,.",
    "a.b-_1",
    "#a b##",
    "</w>ab",
    "_a_b",
    "éàüñç",
    "e\u0301a\u0300\u0327",
    "ſKﬁﬀ½²Ⅳ",
    "İıßẞ",
    "ΑΣσς",
    "абвгд",
    "سلام دنیا",
    "می\u200cرو",
    "۱۲۳٤٥",
    "日本語かなカナー",
    "你好世界",
    "한국어\u1100\u1161\u11a8",
    "कखक्षि\u093f",
    "ไทยภาษา\u0e48",
    "😀😄🤖",
    "👩\u200d👧👍🏽",
    "🇮🇷🇩🇪",
    "❤\ufe0f\u20e3",
    "𝒳𐌰𐌱",
    "▁ab",
    "Ġ Ċa",
    "\u202e\u200fab",
    "a\u00adb\u2060",
    "\ufeffab",
    "\ue000\ufffda",
)
WHITE_SPACE = (
    " ",
    " ",
    " ",
    "\n",
    "\n",
    "  ",
    "\t",
    "\r\n",
    "\r",
    " \n ",
    "\x0b",
    "\x0c",
    "\x85",
    "\u00a0",
    "\u2028",
    "\u3000",
    "\x1c",
    "\x1f",
)
CONTRACTIONS = (
    "don't",
    "we'll",
    "I'M",
    "they've",
    "it's",
    "123456",
    "x2",
    "3.14",
    "<|endoftext|>",
    "[UNK]",
    "</w>",
)
STRAYS = ("\udc80", "\udcff", "\udcc3", "\udcf0\udc9f", "\udced\udca0\udc80", "\udcc3\udca9")
"""Bytes that are no UTF-8, as reading keeps them."""
_PLANES = (
    (0x20, 0x7F),
    (0xA0, 0x250),
    (0x300, 0x370),
    (0x370, 0x530),
    (0x590, 0x700),
    (0x900, 0x980),
    (0xE00, 0xE60),
    (0x1100, 0x1200),
    (0x2000, 0x2070),
    (0x20D0, 0x2100),
    (0x3040, 0x3100),
    (0x4E00, 0x4E80),
    (0xAC00, 0xAC40),
    (0xE000, 0xE010),
    (0xFB00, 0xFB50),
    (0xFE00, 0xFE10),
    (0x1F1E6, 0x1F200),
    (0x1F3FB, 0x1F400),
    (0x1F600, 0x1F650),
    (0xE0100, 0xE0110),
)


def any_character(rng: random.Random) -> str:
    """Any code point but a surrogate."""
    if rng.random() < 0.8:
        return chr(rng.randrange(*rng.choice(_PLANES)))
    code = rng.randrange(0x110000 - 0x800)
    return chr(code if code < 0xD800 else code + 0x800)


def word(rng: random.Random, alphabet: str) -> str:
    """A word over few characters, so that pairs repeat; sometimes one letter over and over."""
    if rng.random() < 0.15:
        return rng.choice(alphabet) * rng.choice((1, 2, 3, 4, 5, 7, 8, 9, 16, 17))
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(1, 7)))


def text(rng: random.Random, n_words: int, *, strays: float = 0.06, nul: float = 0.04) -> str:
    """A text of about so many words, drawn from few of them.

    Args:
        rng: the random numbers.
        n_words: how many.
        strays: the share of texts with bytes that are no UTF-8, as lone surrogates.
        nul: the share of texts with NULs.
    """
    alphabets = [rng.choice(ALPHABETS) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    if rng.random() < 0.1:
        alphabets.append("".join(any_character(rng) for _ in range(rng.randint(1, 6))))
    words = [word(rng, rng.choice(alphabets)) for _ in range(rng.randint(1, max(1, n_words)))]
    if rng.random() < 0.1:
        words.append(rng.choice(CONTRACTIONS))
    if rng.random() < strays:
        words += [rng.choice(STRAYS) + word(rng, alphabets[0]), rng.choice(STRAYS)]
    if rng.random() < nul:
        words += ["\0", "a\0\0b", "\x01\x7f"]
    between = rng.choice(WHITE_SPACE) if rng.random() < 0.7 else ""
    pieces = []
    for _ in range(n_words):
        pieces.append(rng.choice(words))
        pieces.append(between or rng.choice(WHITE_SPACE) if rng.random() < 0.9 else "")
    return "".join(pieces)
