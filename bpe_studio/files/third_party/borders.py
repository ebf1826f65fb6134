"""The places where a text can be cut so that a library gives each part the tokens that it has in
the text.

They are between a letter and a space or a line end. A text can be cut there if no token holds two
such characters, no added token can begin before the place and end behind it, and the parts of the
broad text have the ids that they have in it.

With a `Cutting`, our engine cuts a text as a library does, to count its pieces. Each of the two
knows the characters of some version of Unicode, seldom the same one, and a letter that only one of
them knows is cut in another way. So the characters of a text are given to the library: those of
each class in its expressions, and what its normalizer makes of them, must be the same as here. With
that, an expression that means the same in both cuts alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any

import regex

from bpe_studio.engine.presets import WORD_START
from bpe_studio.engine.text.alphabet import FALLBACK_NAMES, byte_to_stand_in
from bpe_studio.engine.text.normalization import normalize
from bpe_studio.errors import VocabularyError
from bpe_studio.files.formats.broad_text import usual_texts

JsonObject = Mapping[str, Any]
LETTERS = "A-Za-zÀ-ÖØ-öø-ÿΑ-ΡΣ-Ωα-ωА-яёא-תء-غف-يپچژکگیअ-हก-ฮぁ-ゖァ-ヺ一-龥가-힣"
"""Letters, as a class of an expression lists them: every version of Unicode since 3.2 has them, and
they combine with nothing that precedes a space.
"""
SPACES = " \n"
BYTE_NAMES = frozenset(FALLBACK_NAMES)
"""The tokens of bytes, to which a model may fall back."""
_LETTERS = LETTERS + "".join(byte_to_stand_in[128:])
_LOCAL = frozenset(
    {
        "NFC",
        "NFD",
        "NFKC",
        "NFKD",
        "Lowercase",
        "StripAccents",
        "BertNormalizer",
        "Nmt",
        "Prepend",
        "ByteLevel",
        "Split",
        "Metaspace",
        "Digits",
        "Punctuation",
        "WhitespaceSplit",
        "Whitespace",
        "BertPreTokenizer",
    }
)
_WRITTEN = {" ": f"{WORD_START}Ġ", "\n": "Ċ"}


def spaces_to_cut_before(
    names: Iterable[str], added: Iterable[str], ids_of: Callable[[str, bool], Sequence[object]]
) -> str:
    """The characters of `SPACES` before which a text can be cut, if one of `LETTERS` precedes.

    Args:
        names: the tokens that are not added.
        added: the added tokens.
        ids_of: gives the ids of a part of a text, told whether the part begins the text; in pieces,
            if they must end where a part does.
    """
    found = not_after_letters_in(names, without_spaces_in(added, SPACES))
    return "".join(space for space in found if _can_always_be_cut(space, ids_of))


def _can_always_be_cut(space: str, ids_of: Callable[[str, bool], Sequence[object]]) -> bool:
    return all(_can_be_cut(text, space, ids_of) for text in usual_texts())


def _can_be_cut(text: str, space: str, ids_of: Callable[[str, bool], Sequence[object]]) -> bool:
    """Whether the parts of a text have the ids that they have in it."""
    try:
        whole = ids_of(text, True)
    except VocabularyError:
        # The library itself does not encode this text.
        return True
    places = [0, *borders(text, space), len(text)]
    parts = (ids_of(text[start:end], not start) for start, end in pairwise(places))
    return list(chain.from_iterable(parts)) == list(whole)


def last_border(text: str, spaces: str, start: int) -> int:
    """The last place to cut a text at, up to `start`; 0 if there is none."""
    found = _borders(spaces, True).search(text, 0, start)
    return found.end() - 1 if found else 0


def next_border(text: str, spaces: str, end: int) -> int:
    """The first place to cut a text at with both of its characters after `end`; the end of the text
    if there is none.
    """
    found = _borders(spaces, False).search(text, end)
    return found.end() - 1 if found else len(text)


def borders(text: str, spaces: str) -> Iterator[int]:
    """The places to cut a text at."""
    if not spaces:
        return iter(())
    return (match.end() - 1 for match in _borders(spaces, False).finditer(text))


def parts_of(text: str, spaces: str, size: int) -> Iterator[str]:
    """The parts of a text: of about `size` characters, cut where that changes nothing, or of just
    that size without `spaces`.
    """
    start = 0
    while len(text) - start > size:
        end = next_border(text, spaces, start + size) if spaces else start + size
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def without_spaces_in(names: Iterable[str], spaces: str) -> str:
    """The spaces that no added token holds; none if an added token ends with a letter, as it may
    take the spaces behind it.
    """
    for name in names:
        if re.match(f"[{LETTERS}]", name[-1:]):
            return ""
        spaces = "".join(space for space in spaces if space not in name)
    return spaces


def not_after_letters_in(tokens: Iterable[str], spaces: str) -> str:
    """The spaces that no token holds after one of the letters, in any spelling."""
    names = "\0".join(tokens)
    found = [
        space for space in spaces if not re.search(f"[{_LETTERS}][{space}{_WRITTEN[space]}]", names)
    ]
    return "".join(found)


@lru_cache(maxsize=8)
def _borders(spaces: str, backwards: bool) -> regex.Pattern[str]:
    flag = "(?r)" if backwards else ""
    return regex.compile(f"{flag}[{LETTERS}][{spaces}]")


def is_local(part: object) -> bool:
    """Whether a normalizer or pre-tokenizer treats a character alike, whatever stands farther away
    from it.
    """
    match part:
        case {"type": str(kind)} if kind in _LOCAL:
            return True
        case {"type": "Replace", "pattern": {"String": str(old)}}:
            return len(old) == 1
        case _:
            return False


def is_prefix(normalizer: object) -> bool:
    """Whether a normalizer puts something before each text."""
    return isinstance(normalizer, dict) and normalizer.get("type") == "Prepend"


def is_plain_bpe(model: JsonObject) -> bool:
    """Whether the tokens of a model are just those that merges make of characters, or of the tokens
    that replace characters.
    """
    unusual = ("ignore_merges", "dropout", "continuing_subword_prefix", "end_of_word_suffix")
    vocab = model.get("vocab")
    merges = model.get("merges")
    if (
        model.get("type") != "BPE"
        or any(map(model.get, unusual))
        or not isinstance(vocab, dict)
        or not merges
    ):
        return False
    # A token that replaces characters must not merge, as its name does not say what it stands for.
    replacing = replacing_in(model)
    return not replacing or replacing.isdisjoint(chain.from_iterable(map(two_parts, merges)))


def replacing_in(model: JsonObject) -> frozenset[str]:
    """The tokens that replace characters: those of bytes, and the unknown one."""
    unknown = model.get("unk_token")
    names = BYTE_NAMES if model.get("byte_fallback") else frozenset()
    return names | {unknown} if isinstance(unknown, str) else names


def two_parts(pair: Any) -> Any:
    """The two parts of a merge, given as a pair or as one text."""
    return pair.split(" ") if isinstance(pair, str) else pair


def falls_back_to_bytes(model: JsonObject) -> bool:
    """Whether a character that is not a token becomes its bytes."""
    if not model.get("byte_fallback"):
        return False
    vocab = model["vocab"].keys()
    missing = (int(name[3:5], 16) for name in BYTE_NAMES - vocab)
    # A byte below 0x80 is a character by itself, which may be a token.
    return all(byte < 0x80 and chr(byte) in vocab for byte in missing)


def listed(part: object, inside: str) -> list[object]:
    """The parts of a sequence, with nested ones expanded."""
    if (
        isinstance(part, dict)
        and part.get("type") == "Sequence"
        and isinstance(part.get(inside), list)
    ):
        found: list[object] = []
        for inner in part[inside]:
            found += listed(inner, inside)
        return found
    return [] if part is None else [part]


_CLASS = re.compile(r"\\[pP]\{\^?\w+\}|\\[sSdDwW]|\\p[A-Z]")
_CASED = re.compile(r"\(\?i:([^()]*)\)")
_LATIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_BELOW = "\u0345"
_ABOVE = "\u0334"
"""The marks that come last and first when marks are put in order: next to them, the place of any
other mark shows.
"""


def nothing(_characters: str) -> set[str]:
    """The empty set, for a `Cutting` that holds for every character."""
    return set()


@dataclass(frozen=True)
class Cutting:
    """Settings by which our engine cuts a text into pieces, each of which has the tokens that it
    has in the text.

    Attributes:
        split: a split of ours.
        normalize: the normalization before it, as in `TrainingConfig`.
        absent: texts that the library finds before it cuts; a text must not contain them.
        prefix: the text that the library puts before each text; empty for none.
        cut_otherwise: returns the characters of a normalized text that the library cuts in another
            way.
        normalized_otherwise: returns the characters of a text that the library normalizes in
            another way.
    """

    split: str
    normalize: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    prefix: str = ""
    cut_otherwise: Callable[[str], set[str]] = nothing
    normalized_otherwise: Callable[[str], set[str]] = nothing


def split_at_marks(names: Sequence[str], *, has_lines: bool) -> str | None:
    """A split for a BPE to which a text is one piece: at places that no merge can cross; `None` if
    there are none.

    A merge across a border makes a token that holds both characters at that border. So if no token
    has a `▁` after another character, no merge crosses the border before a `▁`; the same holds for
    line ends. If only some white space precedes a `▁` in tokens, the borders are those after any
    other character.

    Args:
        names: the tokens, without those of bytes.
        has_lines: whether the text can be cut at line ends if no token holds one and something
            else.
    """
    every = "\0".join(names)
    mark = f" {WORD_START}"
    before = {found[0] for found in re.findall(rf"[^\0{WORD_START}]{WORD_START}", every)}
    if has_lines and not before and not re.search(r"[^\0\n]\n|\n[^\0\n]", every):
        return rf"regex:[{mark}]*[^{mark}\n]+|[{mark}]+|\n+"
    if not before:
        return f"regex:[{mark}]*[^{mark}]+|[{mark}]+"
    if not before <= set("\t\n\r"):
        return None
    # A piece goes on over marks that follow such a character.
    held = "".join(sorted(before))
    return f"regex:[{mark}]*(?:[^{mark}{held}]|[{held}]+[{mark}]*)+|[{mark}]+"


def cut_otherwise(pre_tokenizer: object, characters: str) -> set[str]:
    """The characters that are in a class of a pre-tokenizer's expressions but not in ours, or the
    reverse.
    """
    import tokenizers

    found: set[str] = set()
    for part in listed(pre_tokenizer, "pretokenizers"):
        assert isinstance(part, dict)
        if part["type"] == "Digits":
            digits = tokenizers.pre_tokenizers.Digits(individual_digits=True)
            pieces = digits.pre_tokenize_str("a".join(["", *characters, ""]))
            theirs = {piece for piece, _ in pieces if "a" not in piece}
            found |= theirs ^ set(regex.findall(r"\p{N}", characters))
        pattern = part["pattern"].get("Regex", "") if part["type"] == "Split" else r"\s\p{L}\p{N}"
        cased = set("".join(_CASED.findall(pattern))) & _LATIN
        classes = {*_CLASS.findall(pattern), *(f"(?i:{letter})" for letter in cased)}
        for one in classes:
            split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(one), "removed")
            others = "".join(piece for piece, _ in split.pre_tokenize_str(characters))
            found |= (set(characters) - set(others)) ^ set(regex.findall(one, characters))
    return found


def normalized_otherwise(normalizer: object, names: tuple[str, ...], characters: str) -> set[str]:
    """The characters that a normalizer by forms of Unicode changes in another way than we do, alone
    or among others.

    A form never changes its result for the characters of one version in a later one. So these
    characters count: those that Python does not know, and those that the library decomposes in
    another way, puts in another order among marks, or does not compose.
    """
    import tokenizers

    made: list[Any] = [
        getattr(tokenizers.normalizers, one["type"])()
        for one in listed(normalizer, "normalizers")
        if isinstance(one, dict)
    ]
    change = tokenizers.normalizers.Sequence(made).normalize_str
    pairs = _composed_pairs()
    theirs = change(pairs).split("\n")
    ours = normalize(pairs, names).split("\n")
    found: set[str] = set()
    for pair, one, other in zip(pairs.split("\n"), theirs, ours, strict=True):
        if one != other:
            found.update(pair)
    for char in characters:
        text = f"{char}\na{char}{_ABOVE}\na{_BELOW}{char}\n"
        if unicodedata.category(char) == "Cn" or change(text) != normalize(text, names):
            found.add(char)
    return found & set(characters)


@lru_cache(maxsize=1)
def _composed_pairs() -> str:
    """The parts of each character that has a canonical decomposition, in lines."""
    composed = []
    for point in (*range(0xAC00), *range(0xD7A4, 0xD800), *range(0xF900, 0x30000)):
        decomposition = unicodedata.decomposition(chr(point))
        if decomposition and not decomposition.startswith("<"):
            composed.append(unicodedata.normalize("NFD", chr(point)))
    return "\n".join(composed)
