"""The script of a character, as in SentencePiece's rule that a piece has one script.

Digits, punctuation and symbols have the script Common; combining marks and joiners (Inherited) fit
any script; kana count as Han. The numbers of scripts are valid only within one process.
"""

from __future__ import annotations

from functools import lru_cache

import regex

ANY = 0
_KANA_MARK = "\u30fc"
HAN_SCRIPTS = ("Han", "Hiragana", "Katakana")
OTHER_SCRIPTS = (
    "Latin",
    "Common",
    "Arabic",
    "Cyrillic",
    "Greek",
    "Hebrew",
    "Devanagari",
    "Bengali",
    "Gurmukhi",
    "Gujarati",
    "Oriya",
    "Tamil",
    "Telugu",
    "Kannada",
    "Malayalam",
    "Sinhala",
    "Thai",
    "Lao",
    "Tibetan",
    "Myanmar",
    "Georgian",
    "Hangul",
    "Ethiopic",
    "Cherokee",
    "Canadian_Aboriginal",
    "Ogham",
    "Runic",
    "Tagalog",
    "Hanunoo",
    "Buhid",
    "Tagbanwa",
    "Khmer",
    "Mongolian",
    "Bopomofo",
    "Yi",
    "Old_Italic",
    "Gothic",
    "Deseret",
    "Limbu",
    "Tai_Le",
    "Linear_B",
    "Ugaritic",
    "Shavian",
    "Osmanya",
    "Cypriot",
    "Braille",
    "Buginese",
    "Coptic",
    "New_Tai_Lue",
    "Glagolitic",
    "Tifinagh",
    "Syloti_Nagri",
    "Old_Persian",
    "Kharoshthi",
    "Balinese",
    "Cuneiform",
    "Phoenician",
    "Phags_Pa",
    "Nko",
    "Sundanese",
    "Lepcha",
    "Ol_Chiki",
    "Vai",
    "Saurashtra",
    "Kayah_Li",
    "Rejang",
    "Lycian",
    "Carian",
    "Lydian",
    "Cham",
    "Tai_Tham",
    "Tai_Viet",
    "Avestan",
    "Egyptian_Hieroglyphs",
    "Samaritan",
    "Lisu",
    "Bamum",
    "Javanese",
    "Meetei_Mayek",
    "Imperial_Aramaic",
    "Old_South_Arabian",
    "Inscriptional_Parthian",
    "Inscriptional_Pahlavi",
    "Old_Turkic",
    "Kaithi",
    "Batak",
    "Brahmi",
    "Mandaic",
    "Chakma",
    "Meroitic_Cursive",
    "Meroitic_Hieroglyphs",
    "Miao",
    "Sharada",
    "Sora_Sompeng",
    "Takri",
    "Armenian",
    "Syriac",
    "Thaana",
    "Adlam",
)


_NUMBERS = dict.fromkeys(HAN_SCRIPTS, ANY + 1) | {
    name: number for number, name in enumerate(OTHER_SCRIPTS, ANY + 2)
}
COMMON = _NUMBERS["Common"]
"""Also the script of private and unassigned characters, and of scripts that SentencePiece's list
does not have.
"""


SCRIPT_NAMES = (*HAN_SCRIPTS, *OTHER_SCRIPTS)
"""The names that `script_name` gives, beside "Common" for what belongs to no script or to every
one.
"""


@lru_cache(maxsize=1)
def _names() -> regex.Pattern[str]:
    return regex.compile("|".join(rf"(\p{{Script={name}}})" for name in SCRIPT_NAMES))


@lru_cache(maxsize=1 << 16)
def script_name(char: str) -> str:
    """The Unicode name of a character's script; "Common" also for marks that fit every script.

    >>> [script_name(char) for char in "aس漢の1"]
    ['Latin', 'Arabic', 'Han', 'Hiragana', 'Common']
    """
    found = _names().match(char)
    return "Common" if found is None else SCRIPT_NAMES[found.lastindex - 1]


@lru_cache(maxsize=1 << 16)
def script_of(char: str) -> int:
    """The number of a character's script; `ANY` for marks, which fit every script."""
    if char == _KANA_MARK:
        return ANY + 1
    return ANY if regex.match(r"\p{Script=Inherited}", char) else _NUMBERS[script_name(char)]
