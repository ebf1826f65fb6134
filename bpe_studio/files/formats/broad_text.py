"""The texts that check a tokenizer: many scripts and styles, characters of all of Unicode, and each
added token.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

_PASSAGES = (
    "The quick brown fox jumps over the lazy dog. It's what they'd've said; WE'LL SEE, don't you "
    "think?",
    (
        "Größenwahn, naïve façade, Škoda, Ærøskøbing, İstanbul ıssız, ﬁne ﬂower, ½ kg at 20 °C for "
        "3€50."
    ),
    "سلام دنیا! این یک متن فارسی است و نیم‌فاصله می‌خواهد؛ «نقل‌قول» ۱۲۳۴۵۶۷۸۹۰، كتاب ٱلْكِتَابُ العربية.",
    (
        "我能吞下玻璃而不伤身体。日本語のテキスト、カタカナとひらがな。한국어 문장입니다. ㋿ ㌀ ㍿ "
        "臺灣"
    ),
    "नमस्ते दुनिया, கணினி மொழி, ภาษาไทยไม่เว้นวรรค, မြန်မာ, ქართული, Ελληνικά ΣΊΣΥΦΟΣ, Привет, мир! שָׁלוֹם",
    "👍🏽 👩‍👩‍👧‍👦 🇮🇷🇯🇵 🏴‍☠️ ☺️ 1️⃣ 🫠 é é Å Å ﷺ ﷻ Ⅷ ① ² ㎏ ｆｕｌｌ　ｗｉｄｔｈ ～",
    "0 12 345 6789 01234567890 3.14159 1,000,000 -42 0x1F 1e-9 ١٢٣٤ 一二三 2026-11-22 23:59:59",
    (
        "def f(x):\n    return {'a': x**2, \"b\": [1, 2]}  # why?\n\n\n\tif not x:\r\n\t\tpass\n"
        "</div><br/>&nbsp;"
    ),
    "  two   three    four\t\ttabs \n \n\n  \r\n\r\n   end   ",
    "a\u00a0b\u2003c\u3000d\u200be\u200cf\u200dg\u2060h\ufeffi\u00adj\u2028k\u0085l",
    (
        "aaaaaaaaaaaaaaaaaaaaaaaa !!!!!!!!!!!! ------------ ============ ........ ▁▁ ▁ Ġ Ċ ## @@ </w> "  # noqa: E501
        "<0x41>"
    ),
    (
        "https://example.org/a_b-c?d=e&f=%20#g user@example.com snake_case camelCase SCREAMING_CASE "  # noqa: E501
        "x²+y²≤z"
    ),
    "\x00\x01\x07\x1b\x7f\u0080\ufffd\ufffe\U0010ffff\ue000\U000e0001",
)
_SHAPES = (
    "{0}",
    "he{0}it",
    "he {0} it",
    "he  {0}  it",
    "{0}he",
    "{0} he",
    "he{0}",
    "he {0}",
    "{0}{0}",
    "{0} {0}",
    "he\n{0}\nit",
)
_MOST_OVERLAP = 32
_MANY = 20_000


def passages() -> Iterator[str]:
    """Short texts in many scripts and styles."""
    yield from _PASSAGES


def texts_around(tokens: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Each token with texts that hold it: between words and spaces, at both ends, next to itself
    and to others.

    The texts also hold other forms of the token, which a normalizer may turn into it, and tokens
    that overlap it.
    """
    tokens = [token for token in tokens if token]
    are_many = len(tokens) > _MANY
    shapes = _SHAPES[:4] if are_many else _SHAPES
    beginning: dict[str, str] = {}
    for token in tokens:
        for n in range(1, min(len(token), _MOST_OVERLAP)):
            beginning[token[:n]] = token
    before = tokens[-1] if tokens else ""
    for token in tokens:
        forms = [token]
        if not are_many:
            forms += [token.lower(), token.upper()]
            forms += [unicodedata.normalize(form, token) for form in ("NFD", "NFKC")]
        texts = []
        for form in dict.fromkeys(forms):
            texts += [shape.format(form) for shape in shapes]
        for n in range(1, min(len(token), _MOST_OVERLAP)):
            if token[-n:] in beginning:
                texts.append(token + beginning[token[-n:]][n:])
        yield token, [*texts, token + before, before + token]
        before = token


def usual_texts() -> Iterator[str]:
    """The texts that every tokenizer is checked on, added tokens aside."""
    yield ""
    yield from _PASSAGES
    yield "\n".join(_PASSAGES)
    yield unicodedata.normalize("NFD", "".join(_PASSAGES))
    points = [point for point in range(33, 0x30000, 149) if not 0xD800 <= point < 0xE000]
    yield " ".join("".join(map(chr, points[at : at + 3])) for at in range(0, len(points), 3))


def long_texts() -> Iterator[str]:
    """Long runs of one character, on which an expression may run for ever."""
    yield from (char * 20_000 for char in "a \n1")
