"""Names of tokens, pairs and overrides for people: in tables, tooltips, chips and sentences.

White space is visible (``␣ ⏎ ⇥``). Bytes that are not valid UTF-8 are in hex (``⟨F0 9F⟩``).
Characters that are invisible or change the direction of text have names (``⟨ZWNJ⟩``). A combining
mark without its letter is on a dotted circle. Logs and tokenizer files use other names
(`Run.token_name`); the names made here are never read back. `wording.py` has numbers and plurals.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING

from bpe_studio.engine.options import label_of
from bpe_studio.engine.text.outside_alphabet import LAST_SPECIAL
from bpe_studio.engine.text.utf8 import next_character, start_of_character
from bpe_studio.explain.wording import number

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.overrides import Override

MORE = "…"
UNKNOWN_NAME = "unknown"

_ISOLATE = "\u2068"
_END_ISOLATE = "\u2069"
_LEFT_TO_RIGHT = "\u2066"
_MARK = re.compile("[!-~]{2,}")
_DOTTED_CIRCLE = "\u25cc"
_ZWNJ = "\u200c"
_ZWJ = "\u200d"
_WHITE = {" ": "␣", "\n": "⏎", "\r": "␍", "\t": "⇥", "\u00a0": "⍽"}
_NAMED = {
    "\u00ad": "SHY",
    "\u034f": "CGJ",
    "\u061c": "ALM",
    "\u200b": "ZWSP",
    _ZWNJ: "ZWNJ",
    _ZWJ: "ZWJ",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\u2028": "LS",
    "\u2029": "PS",
    "\u202a": "LRE",
    "\u202b": "RLE",
    "\u202c": "PDF",
    "\u202d": "LRO",
    "\u202e": "RLO",
    "\u2060": "WJ",
    "\u2066": "LRI",
    "\u2067": "RLI",
    "\u2068": "FSI",
    "\u2069": "PDI",
    "\ufeff": "BOM",
}
_PLAIN = re.compile(
    r"[!-~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u0391-\u03a1\u03a3-\u0482\u3041-\u3096\u4e00-\u9fff\uac00-\ud7a3]*"
)

_OVERRIDES = {"force": "force {}", "skip": "skip once: {}", "forbid": "forbid {}"}
LEFT_OUT = {"skip": "skipped at this step", "forbid": "forbidden"}
"""A word for a pair that an override leaves out, by the kind of the override."""


def display_name(run: Run, token: int) -> str:
    """The name of a token in the window: its content made visible, with its marks (``</w>``,
    ``##``) if it has any.

    Args:
        run: the run that has the token.
        token: its internal id; below 0 for a special or an unknown token, as in
            `engine/text/outside_alphabet.py`.
    """
    if token <= LAST_SPECIAL:
        return display_text(run.config.all_special[LAST_SPECIAL - token])
    if token < 0:
        return UNKNOWN_NAME
    config = run.config
    if config.units == "items":
        return display_items(run.token_name(token))
    if config.units != "bytes":
        return display_text(run.token_name(token))
    content = run.token_content(token)
    if not config.word_end and not config.continuing:
        return display_token(content)
    from bpe_studio.engine.text.alphabet import to_stand_ins

    # With byte units, a name consists of the stand-ins of the content, and of marks around them.
    name = run.token_name(token)
    stand_ins = to_stand_ins(content)
    if not stand_ins:
        return name
    before, found, after = name.partition(stand_ins)
    return f"{before}{display_token(content)}{after}" if found else display_token(content)


def joined_name(run: Run, left: int, right: int) -> str:
    """The name in the window of the token that two tokens would make, even if the run has none."""
    config = run.config
    if config.units == "bytes" and not config.word_end and not config.continuing:
        return display_token(run.token_content(left) + run.token_content(right))
    names = display_name(run, left), display_name(run, right)
    if config.units == "items":
        return config.joined(*names)
    return names[0] + names[1].removeprefix(config.continuing or "")


def display_text(text: str) -> str:
    """A text made visible; lone surrogates represent stray bytes."""
    if len(text) <= MOST_BYTES and _PLAIN.fullmatch(text):
        return text
    try:
        return display_token(text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return display_token(text.encode("utf-8", "surrogatepass"))


def display_items(text: str) -> str:
    """Items made visible, with one space between them."""
    return " ".join(map(display_text, text.split()))


def display_pre_token(corpus: Corpus, index: int) -> str:
    """A pre-token of a corpus made visible."""
    content = corpus.pre_token_bytes(index)
    if corpus.config.units == "items":
        return display_items(elided(content.decode("utf-8", "replace"), MOST_BYTES))
    return display_token(content)


MOST_BYTES = 800


@lru_cache(maxsize=1 << 14)
def display_token(content: bytes) -> str:
    r"""The bytes of a token made visible.

    >>> display_token(b" the"), display_token(b"\xf0\x9f"), display_token(b"a\xe2\x82")
    ('␣the', '⟨F0 9F⟩', 'a⟨E2 82⟩')

    A very long token is shortened to its beginning and end around an ellipsis.
    """
    if len(content) > MOST_BYTES:
        head = start_of_character(content, MOST_BYTES // 2)
        tail = next_character(content, len(content) - MOST_BYTES // 4)
        return display_token(content[:head]) + MORE + display_token(content[tail:])
    shown: list[str] = []
    while content:
        try:
            shown.append(_visible(content.decode("utf-8")))
            break
        except UnicodeDecodeError as error:
            shown.append(_visible(content[: error.start].decode("utf-8")))
            end = error.start + _n_stray(content[error.start :])
            shown.append(f"⟨{hex_bytes(content[error.start : end])}⟩")
            content = content[end:]
    return "".join(shown)


def visible_path(path: str) -> str:
    """A path in full, with every character visible that could make it look like another path.

    Its parts follow each other in the direction of the text around them, and each part runs in the
    direction of its own letters. A zero-width non-joiner between two Arabic letters, as in many
    Persian names, stays as it is.

    >>> visible_path("/home/a b/x\u202etxt.exe").replace("\u2068", "").replace("\u2069", "")
    '/home/a b/x⟨RLO⟩txt.exe'
    """
    shown = "".join(_visible_in_path(path, place) for place in range(len(path)))
    ends = len(shown) - len(shown.rstrip(" "))
    shown = (shown.rstrip(" ") + "␣" * ends).replace("  ", "␣␣")
    return re.sub(r"[^/\\]+", f"{_ISOLATE}\\g<0>{_END_ISOLATE}", shown)


def _visible_in_path(path: str, place: int) -> str:
    char = path[place]
    if char == " " or (char.isprintable() and unicodedata.category(char) != "Cf"):
        return char
    if "\udc80" <= char <= "\udcff":
        return f"⟨{ord(char) - 0xDC00:02X}⟩"
    if char == _ZWNJ:
        around = (path[place - 1 : place] or " ", path[place + 1 : place + 2] or " ")
        if all(unicodedata.bidirectional(neighbour) == "AL" for neighbour in around):
            return char
    return f"⟨{_NAMED.get(char, f'U+{ord(char):04X}')}⟩"


def hex_bytes(content: bytes) -> str:
    """Bytes in hex, two digits each, separated by spaces."""
    return content.hex(" ").upper()


def bytes_in_brief(content: bytes, n_bytes: int = 24) -> str:
    """Bytes in hex, only the first of them if there are many: "68 75 … (30 bytes)"."""
    more = f" … ({number(len(content))} bytes)" if len(content) > n_bytes else ""
    return hex_bytes(content[:n_bytes]) + more


def elided(text: str, n_characters: int = 40) -> str:
    """The text, shortened to its beginning and end around an ellipsis if it is too long.

    Combining marks stay with their letter.
    """
    if len(text) <= n_characters:
        return text
    kept = max(1, n_characters - 1)
    head = kept - kept // 3
    tail = len(text) - kept // 3
    while head > 1 and _leans(text, head):
        head -= 1
    while tail < len(text) and _leans(text, tail):
        tail += 1
    return text[:head] + MORE + text[tail:]


def isolated(text: str) -> str:
    """The text in bidi isolates if part of it runs right to left, so that the surrounding text
    keeps its order.
    """
    return f"{_ISOLATE}{upright(text)}{_END_ISOLATE}" if any(map(_runs_left, text)) else text


def isolated_title(text: str) -> str:
    """The name of a text or file in isolates; a name with Latin letters runs left to right, as the
    window does.
    """
    has_latin = any(unicodedata.bidirectional(char) == "L" for char in text)
    is_mixed = has_latin and any(map(_runs_left, text))
    return f"{_LEFT_TO_RIGHT}{text}{_END_ISOLATE}" if is_mixed else isolated(text)


def upright(text: str) -> str:
    """The text, with each mark in an isolate if a part of the text runs right to left: ``</w>``
    would be mirrored there.
    """
    if not any(map(_runs_left, text)):
        return text
    return _MARK.sub(rf"{_LEFT_TO_RIGHT}\g<0>{_END_ISOLATE}", text)


def in_sentence(name: str) -> str:
    """A token's name for use in a sentence: isolated if it runs right to left, quoted if it is
    punctuation alone.

    >>> in_sentence("the"), in_sentence(","), in_sentence("␣("), in_sentence("␣")
    ('the', '“,”', '“␣(”', '␣')
    """
    kinds = {unicodedata.category(char)[0] for char in name}
    return f"“{isolated(name)}”" if "P" in kinds and not kinds & set("LMN") else isolated(name)


def short_name(run: Run, token: int, n_characters: int = 40) -> str:
    """A token's name for use in a sentence: shortened if it is long; see `in_sentence`."""
    return in_sentence(elided(display_name(run, token), n_characters))


def display_log_name(name: str, config: TrainingConfig) -> str:
    """The name in the window of a token in the spelling of logs: "␣the" for "Ġthe"."""
    from bpe_studio.engine.text.alphabet import from_stand_ins
    from bpe_studio.errors import VocabularyError

    if config.units == "items":
        return display_items(name)
    if config.units != "bytes" or config.word_end or config.continuing:
        return display_text(name)
    try:
        return display_token(from_stand_ins(name))
    except VocabularyError:
        return display_text(name)


def override_text(override: Override | None, config: TrainingConfig) -> str:
    """An override without its step: "force ␣t + h", "ties: first in the text"; "" for none."""
    if override is None:
        return ""
    if override.kind.value == "ties":
        return f"ties: {label_of('ties', override.ties)}"
    names = (display_log_name(each, config) for each in (override.left, override.right))
    pair = " + ".join(isolated(elided(name, 24)) for name in names)
    return _OVERRIDES[override.kind.value].format(pair)


def branch_name(override: Override, config: TrainingConfig) -> str:
    """The name of a branch that was given none: "forbid ␣t + h from step 1,204 on"."""
    text = override_text(override, config)
    step = number(override.step)
    if override.kind.value in ("forbid", "ties"):
        return f"{text} from step {step} on"
    return f"{text} at step {step}"


def is_right_to_left(text: str) -> bool:
    """Whether the first letter with a direction runs right to left, as `dir=auto` decides on a web
    page.
    """
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind in ("R", "AL"):
            return True
        if kind == "L":
            return False
    return False


def any_right_to_left(*texts: str) -> bool:
    """Whether one of some texts, such as the two tokens of a pair, runs right to left.

    >>> any_right_to_left("ab", "سلام"), any_right_to_left("ab", ",")
    (True, False)
    """
    return any(map(is_right_to_left, texts))


def visible_white_space(text: str) -> str:
    """The text with its white space made visible and nothing else changed: "␣the" for " the"."""
    return "".join(_WHITE.get(char, char) for char in text)


def _n_stray(content: bytes) -> int:
    """The number of bytes at the beginning that belong to no character."""
    for end in range(1, len(content)):
        # A character can only begin at a byte that is not a continuation, and must be complete.
        try:
            content[end : end + _size(content[end])].decode("utf-8")
        except UnicodeDecodeError:
            continue
        return end
    return len(content)


def _size(first: int) -> int:
    """The number of bytes of a character, by its first byte."""
    return 1 + bisect_right((0xC0, 0xE0, 0xF0), first)


def _visible(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    if text[0] == " " and _PLAIN.fullmatch(text, 1):
        return _WHITE[" "] + text[1:]  # the usual case
    shown = []
    for place, char in enumerate(text):
        if char in _WHITE:
            shown.append(_WHITE[char])
        elif char in (_ZWNJ, _ZWJ) and _joins(text, place):
            shown.append(char)
        else:
            shown.append(_visible_character(char, is_first=place == 0 or text[place - 1].isspace()))
    return "".join(shown)


def _visible_character(char: str, *, is_first: bool) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if char in _NAMED:
        return f"⟨{_NAMED[char]}⟩"
    kind = unicodedata.category(char)
    if 0xFE00 <= code <= 0xFE0F:
        return f"⟨VS{code - 0xFE00 + 1}⟩" if is_first else char
    if kind in ("Mn", "Mc", "Me"):
        return _DOTTED_CIRCLE + char if is_first else char
    if kind in ("Cc", "Cf", "Zs", "Zl", "Zp", "Co", "Cn", "Cs") and not _is_emoji_tag(code):
        return f"⟨U+{code:04X}⟩"
    return f"⟨U+{code:04X}⟩" if _is_emoji_tag(code) and is_first else char


def _is_emoji_tag(code: int) -> bool:
    return 0xE0020 <= code <= 0xE007F


def _joins(text: str, place: int) -> bool:
    """Whether a joiner or non-joiner is between two characters that it affects."""
    return (
        0 < place < len(text) - 1
        and not text[place - 1].isspace()
        and not text[place + 1].isspace()
    )


def _leans(text: str, place: int) -> bool:
    """Whether the text must not be cut before this character."""
    char = text[place]
    return unicodedata.category(char)[0] == "M" or char in (_ZWNJ, _ZWJ) or text[place - 1] == _ZWJ


def _runs_left(char: str) -> bool:
    return char >= "\u0590" and unicodedata.bidirectional(char) in ("R", "AL")
