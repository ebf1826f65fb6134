"""The script of a character, by Unicode and by SentencePiece.

Both have a rule that a token has one script. By Unicode, what belongs to no script (Common: digits,
punctuation, symbols) and combining marks and joiners (Inherited) fit any script. By SentencePiece,
Common is a script, and kana count as Han. The numbers of scripts are valid only within one process.
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
"""The scripts of SentencePiece's list, without those that count as Han."""
FURTHER_SCRIPTS = (
    "Ahom",
    "Anatolian_Hieroglyphs",
    "Bassa_Vah",
    "Bhaiksuki",
    "Caucasian_Albanian",
    "Chorasmian",
    "Cypro_Minoan",
    "Dives_Akuru",
    "Dogra",
    "Duployan",
    "Elbasan",
    "Elymaic",
    "Grantha",
    "Gunjala_Gondi",
    "Hanifi_Rohingya",
    "Hatran",
    "Kawi",
    "Khitan_Small_Script",
    "Khojki",
    "Khudawadi",
    "Linear_A",
    "Mahajani",
    "Makasar",
    "Manichaean",
    "Marchen",
    "Masaram_Gondi",
    "Medefaidrin",
    "Mende_Kikakui",
    "Modi",
    "Mro",
    "Multani",
    "Nabataean",
    "Nag_Mundari",
    "Nandinagari",
    "Newa",
    "Nushu",
    "Nyiakeng_Puachue_Hmong",
    "Old_Hungarian",
    "Old_North_Arabian",
    "Old_Permic",
    "Old_Sogdian",
    "Old_Uyghur",
    "Osage",
    "Pahawh_Hmong",
    "Palmyrene",
    "Pau_Cin_Hau",
    "Psalter_Pahlavi",
    "Siddham",
    "SignWriting",
    "Sogdian",
    "Soyombo",
    "Tangsa",
    "Tangut",
    "Tirhuta",
    "Toto",
    "Vithkuqi",
    "Wancho",
    "Warang_Citi",
    "Yezidi",
    "Zanabazar_Square",
)
"""All others of Unicode 15.1, the version of the oldest `regex` that the program runs with."""


_NUMBERS = dict.fromkeys(HAN_SCRIPTS, ANY + 1) | {
    name: number for number, name in enumerate(OTHER_SCRIPTS, ANY + 2)
}
COMMON = _NUMBERS["Common"]
"""The script, for SentencePiece, of private and unassigned characters, too, and of characters in
scripts that its list does not have.
"""


SCRIPT_NAMES = (*HAN_SCRIPTS, *OTHER_SCRIPTS, *FURTHER_SCRIPTS)
"""The names that `script_name` gives, in addition to "Common" for what belongs to no script or to
all.
"""

NO_SCRIPT = 0
ANY_SCRIPT = 1
MIXED = 2
"""The script of a text without a whole character; of one with only digits, signs and spaces; and of
one in several scripts.
"""
SCRIPTS = ("", "Common", "Mixed", *(name for name in SCRIPT_NAMES if name != "Common"))
"""The names of the scripts of texts, by number."""
_NUMBER_IN_TEXT = {name: number for number, name in enumerate(SCRIPTS)}


@lru_cache(maxsize=1)
def _names() -> regex.Pattern[str]:
    return regex.compile("|".join(rf"(\p{{Script={name}}})" for name in SCRIPT_NAMES))


@lru_cache(maxsize=1 << 16)
def script_name(char: str) -> str:
    """The Unicode name of a character's script; "Common" for marks that fit every script, too.

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
    if regex.match(r"\p{Script=Inherited}", char):
        return ANY
    return _NUMBERS.get(script_name(char), COMMON)


def script_of_text(text: str) -> int:
    """The number of a text's script in `SCRIPTS`.

    >>> [SCRIPTS[script_of_text(text)] for text in ("a1", "12", "a\u0441", "")]
    ['Latin', 'Common', 'Mixed', '']
    """
    script = NO_SCRIPT
    for char in text:
        script = joined_script(script, _NUMBER_IN_TEXT[script_name(char)])
    return script


def joined_script(one: int, other: int) -> int:
    """The script of two texts together."""
    if one == other or other == NO_SCRIPT:
        return one
    if one in (NO_SCRIPT, ANY_SCRIPT):
        return other
    return one if other == ANY_SCRIPT else MIXED
