"""The changes that the option `clean` makes to the text of a corpus, each by a function of whole
lines.

Each removes one kind of finding of an inspection and leaves every other character as it is.
`engine/counting/cleaner.py` makes the changes that depend on earlier lines and documents.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

import regex

from bpe_studio.engine.text.unicode_scripts import script_name

RUN_CHARACTERS = 20
BASE64_CHARACTERS = 32
LONG_LINE_BYTES = 65_536
REPEATED_CHARACTERS = 40
KNOWN_SPECIALS = (
    "<|endoftext|>",
    "<|startoftext|>",
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|im_sep|>",
    "<|fim_prefix|>",
    "<|fim_middle|>",
    "<|fim_suffix|>",
    "<|endofprompt|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|pad|>",
    "<|user|>",
    "<|assistant|>",
    "<|system|>",
    "<s>",
    "</s>",
    "<pad>",
    "<unk>",
    "<mask>",
    "<bos>",
    "<eos>",
    "<start_of_turn>",
    "<end_of_turn>",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "[PAD]",
    "[UNK]",
    "[INST]",
    "[/INST]",
)
"""Special tokens of well-known tokenizers."""
WITHOUT_SPACES = frozenset(
    [
        *(
            "Han",
            "Hiragana",
            "Katakana",
            "Bopomofo",
            "Yi",
            "Thai",
            "Lao",
            "Khmer",
            "Myanmar",
            "Tibetan",
        ),
        *("Tai_Le", "New_Tai_Lue", "Tai_Tham", "Tai_Viet", "Javanese", "Balinese"),
    ]
)
"""Scripts of languages that write words without spaces."""
NO_SPACES = WITHOUT_SPACES | {"Common", "Hangul"}
"""These scripts, and others whose words are joined to those of another script."""
SIGNS = frozenset("\u03a9\u2126\u03bc\u03b2\u03b8\u03c7")
"""Greek letters that are signs elsewhere: of units (kΩ, μm), and three of the phonetic alphabet (β,
θ, χ).
"""
LONGEST_JUDGED = 10_000
"""Characters at the start of a line that are searched for mojibake."""
_LIGATURES = "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06\ufb13\ufb14\ufb15\ufb16\ufb17"
_MISREAD_IN = (
    "cp1252",
    "latin-1",
    "cp1250",
    "cp1251",
    "cp1253",
    "cp1254",
    "cp1257",
    "iso8859-2",
    "mac-roman",
    "cp437",
)
"""The encodings in which ftfy looks for misread UTF-8."""
_HASH_DIGITS = frozenset({32, 40, 48, 56, 64, 96, 128})
_HEXADECIMAL = re.compile(rb"(?=[0-9]*[a-fA-F])(?=[a-fA-F]*[0-9])(?:[0-9a-f]+|[0-9A-F]+)")
_LEAST_BASE64 = 40
_LEAST_CHANGES = 0.4
RUN = re.compile(rf"(\S)\1{{{RUN_CHARACTERS - 1},}}")
DATA = re.compile(rf"([A-Za-z0-9+/]{{{BASE64_CHARACTERS},}})(=*)")
_ENDS = r"""\s<>"“”‘’«»„。，、）】"""
# The punctuation after an address does not belong to it.
URL = re.compile(
    rf"""(?<![A-Za-z0-9+.\-])[A-Za-z0-9+.\-]*[a-z]://(?:[^{_ENDS}]*[^{_ENDS}.,;:!?'()\[\]{{}}])?"""
)
"""An address: a scheme, and what follows up to white space, quotes or angle brackets."""


def misread_bytes(span: tuple[int, int]) -> frozenset[str]:
    """The characters that these bytes may have been misread as."""
    return frozenset(
        "".join(bytes(range(*span)).decode(encoding, "ignore") for encoding in _MISREAD_IN)
    )


LEADS = ((0xC2, 0xE0), (0xE0, 0xF0), (0xF0, 0xF5))
CONTINUATIONS = (0x80, 0xC0)
"""The first bytes of characters in UTF-8, of two, three and four bytes, and their other bytes."""
LOST = " ?\x1a\ufffd"
"""What a byte of a misread character that is neither its first nor its second may have become."""


def is_presentation_form(char: str) -> bool:
    """Whether a character is a form of a letter that has a code point of its own for old fonts."""
    return char in _LIGATURES or (
        "\ufb50" <= char <= "\ufefc" and unicodedata.name(char, "").endswith(" FORM")
    )


def is_of_one_script(char: str) -> bool:
    """Whether a letter is written in words of its own script alone, unless one letter is mistaken
    for another.
    """
    return char not in SIGNS and script_name(char) not in NO_SPACES


@lru_cache(maxsize=1 << 16)
def is_mixed(word: str) -> bool:
    """Whether a word has letters of two scripts that are written with spaces; `SIGNS` fit any
    script.

    >>> is_mixed("p\u0430ypal"), is_mixed("paypal"), is_mixed("k\u03a9")
    (True, False, False)
    """
    return len({script_name(char) for char in word if is_of_one_script(char)}) > 1


def kind_of_data(word: bytes) -> str:
    """The finding for a long run of letters and digits: "hashes", "base64", or "" for neither.

    Base64 changes often between capitals, small letters and digits; names and paths do not.

    >>> kind_of_data(b"d41d8cd98f00b204e9800998ecf8427e")
    'hashes'
    >>> kind_of_data(b"TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsuIEFuZCBtb3JlLg")
    'base64'
    >>> kind_of_data(b"Internationalization/LocalizationOfTheProgramsManual")
    ''
    """
    if len(word) in _HASH_DIGITS and _HEXADECIMAL.fullmatch(word):
        return "hashes"
    if len(word) < _LEAST_BASE64:
        return ""
    kinds = list(map(_kind_of_byte, word[:256]))
    n_changes = sum(one != other for one, other in pairwise(kinds))
    if {0, 1, 2} <= set(kinds) and n_changes >= _LEAST_CHANGES * (len(kinds) - 1):
        return "base64"
    return ""


def _kind_of_byte(byte: int) -> int:
    """0 for a capital, 1 for a small letter or what follows it in ASCII, 2 for a digit, else 3."""
    if 65 <= byte <= 90:
        return 0
    if byte >= 97:
        return 1
    return 2 if 48 <= byte <= 57 else 3


def size_in_file(text: str) -> int:
    """The size of a text in its file as UTF-8: a stray byte is a lone surrogate here.

    >>> size_in_file(chr(0xE9) + chr(0xDCFF))
    3
    """
    return len(text.encode("utf-8", "surrogatepass")) - 2 * len(re.findall("[\udc80-\udcff]", text))


def without_mojibake(text: str) -> str:
    """The text with lines that were decoded in the wrong encoding decoded again, as ftfy would."""
    if text.isascii():
        return text
    import ftfy  # most texts are never asked about

    suspect = _suspects()
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if suspect.search(line, 0, LONGEST_JUDGED):
            lines[number] = ftfy.fix_encoding(line[:LONGEST_JUDGED]) + line[LONGEST_JUDGED:]
    return "\n".join(lines)


def without_urls(text: str) -> str:
    """The text without addresses.

    >>> without_urls("See (https://example.org/a_b), or not.")
    'See (), or not.'
    """
    return URL.sub("", text) if "://" in text else text


def without_special_tokens(text: str) -> str:
    """The text without `KNOWN_SPECIALS`, even those that form when others are left out."""
    n = 1
    while n:
        text, n = special_tokens().subn("", text)
    return text


def without_mixed_words(text: str) -> str:
    """The text without words that have letters of two scripts that are written with spaces."""
    if text.isascii():
        return text
    cleaned: str = words_of_scripts().sub(_unless_mixed, text)
    return cleaned


def _unless_mixed(word: regex.Match[str]) -> str:
    text: str = word[0]
    return "" if is_mixed(text) else text


def with_short_runs(text: str) -> str:
    """The text with one character in place of 20 or more that are the same, white space aside.

    >>> with_short_runs("a" + 20 * "-" + "b" + 19 * "-")
    'a-b-------------------'
    """
    return RUN.sub(r"\1", text)


def without_data(text: str, kind: str) -> str:
    """The text without pieces of Base64 and the marks that pad them, or without hashes."""

    def new(found: re.Match[str]) -> str:
        if kind_of_data(found[1].encode()) != kind:
            return found[0]
        return "" if kind == "base64" else found[2]

    return DATA.sub(new, text)


def without_presentation_forms(text: str) -> str:
    """The text with the letters themselves in place of their presentation forms."""
    return text if text.isascii() else text.translate(_forms())


def without_invalid_bytes(text: str) -> str:
    """The text without lone surrogates that stand for bytes that are not UTF-8."""
    return text if text.isascii() else re.sub("[\udc80-\udcff]+", "", text)


def without_unassigned(text: str) -> str:
    """The text without code points that neither this Python nor the `regex` package knows."""
    if text.isascii():
        return text
    cleaned: str = regex.sub(r"\p{Cn}", lambda found: _unless_unassigned(found[0]), text)
    return cleaned


def _unless_unassigned(char: str) -> str:
    return "" if unicodedata.category(char) == "Cn" else char


CHANGES: dict[str, Callable[[str], str]] = {
    "mojibake": without_mojibake,
    "invalid-bytes": without_invalid_bytes,
    "unassigned": without_unassigned,
    "presentation-forms": without_presentation_forms,
    "special-tokens": without_special_tokens,
    "urls": without_urls,
    "base64": lambda text: without_data(text, "base64"),
    "hashes": lambda text: without_data(text, "hashes"),
    "mixed-scripts": without_mixed_words,
    "character-runs": with_short_runs,
}
"""The changes by the option's names for them, in the order in which they are made."""


@lru_cache(maxsize=1)
def _suspects() -> re.Pattern[str]:
    """The expression of a possibly misread character, even with a C1 control as second byte."""
    classes = []
    for span in (*LEADS, CONTINUATIONS):
        misread = "".join(sorted(misread_bytes(span)))
        classes.append(f"[{re.escape(misread)}]")
    leads = classes[:-1]
    others = classes[-1]
    lost = f"[{others[1:-1]}{LOST}]"
    whole = [f"{lead}{others}{lost * n_more}" for n_more, lead in enumerate(leads)]
    return re.compile("|".join([*whole, f"(?:{'|'.join(leads)})[\x80-\x9f]"]))


@lru_cache(maxsize=1)
def special_tokens() -> re.Pattern[str]:
    """Matches one of `KNOWN_SPECIALS`, the longest at a place."""
    return re.compile("|".join(map(re.escape, sorted(KNOWN_SPECIALS, key=len, reverse=True))))


@lru_cache(maxsize=1)
def words_of_scripts() -> regex.Pattern[str]:
    """Matches a word in scripts that are written with spaces."""
    scripts = "".join(rf"\p{{Script={name}}}" for name in sorted(NO_SPACES - {"Common"}))
    return regex.compile(rf"[\w--[{scripts}]]+", regex.V1)


@lru_cache(maxsize=1)
def _forms() -> dict[int, str]:
    forms = filter(is_presentation_form, [*_LIGATURES, *map(chr, range(0xFB50, 0xFEFD))])
    return {ord(char): unicodedata.normalize("NFKC", char) for char in forms}
