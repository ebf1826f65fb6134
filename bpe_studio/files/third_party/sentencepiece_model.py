"""A SentencePiece `.model` of any type, run by the library `sentencepiece`.

Of a BPE model, the library only normalizes the text. A model joins any neighbours that together
spell a piece, the highest score first. Usually these are merges, one for each piece
(`formats/ranked_pieces`). Otherwise all such pairs merge, and a piece is one rank.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from math import inf
from typing import Any

import numpy as np

from bpe_studio.engine.encoding.tokenizer_model import Encoding, Part, Template
from bpe_studio.engine.presets import WORD_START
from bpe_studio.engine.processors import n_processors
from bpe_studio.errors import TokenizerFormatError, VocabularyError
from bpe_studio.files.formats import protobuf_wire as wire
from bpe_studio.files.formats.broad_text import long_texts, usual_texts
from bpe_studio.files.formats.ranked_pieces import NotMergeable, check_lengths, recover_merges
from bpe_studio.files.formats.sentencepiece import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Proto,
)
from bpe_studio.files.remembered import remembered
from bpe_studio.files.third_party.borders import Cutting, spaces_to_cut_before, split_at_marks
from bpe_studio.files.third_party.native_library import NewMerge, Pieces, errors_of
from bpe_studio.files.third_party.piece_merges import PieceMerges
from bpe_studio.files.third_party.trial import check_in_process

_BPE = 2
_PIECE = 1
_ALL = re.compile("(?s:.+)")
_TYPES = {1: "Unigram", 3: "word", 4: "character"}


@dataclass
class _Initial:
    """The initial symbols of a model, and the order of its merges.

    Attributes:
        why_no_merges: the reason why there are no merges; all the rest is empty then.
        ranked: the ids of the pieces that merges make, the first one first.
        parts: the ids of all pieces and characters that merges join and make, by name.
        symbols: the ids of characters.
        unmerged, hidden: see `Library`.
        frozen: the expression of the pieces that no merge touches; `None` if there are none.
        pieces: the expression that cuts a text into pieces that no merge crosses.
    """

    why_no_merges: str = ""
    ranked: list[int] = field(default_factory=list)
    parts: dict[str, int] = field(default_factory=dict)
    symbols: dict[str, int] = field(default_factory=dict)
    unmerged: dict[int, Sequence[int]] = field(default_factory=dict)
    hidden: dict[int, str] = field(default_factory=dict)
    frozen: re.Pattern[str] | None = None
    pieces: re.Pattern[str] = _ALL


class SentencePieceLibrary:
    """A SentencePiece model.

    Args:
        data: the bytes of its file.
        proto: its fields.

    Raises:
        TokenizerFormatError: they are not valid, or the library cannot load them.
    """

    name = "sentencepiece"
    finds_special = False
    units = "characters"
    takes_whole_pieces = False
    most_characters = 1 << 26
    has_prefix = False
    prefix_is_space = True
    continuing: str | None = None
    added_flags: Mapping[str, Mapping[str, bool]] = {}

    def __init__(self, data: bytes, proto: Proto) -> None:
        self._data = data
        self.proto = proto
        self.prefixes_parts = self.proto.adds_prefix and not self.proto.drops_spaces
        names = [name for name, _, _ in self.proto.pieces]
        check_lengths(names)
        self._kinds = [kind for _, _, kind in self.proto.pieces]
        self.checksum = hashlib.sha256(data).digest()
        trial = partial(check_in_process, self.name, data, [*usual_texts(), *long_texts()])
        remembered("trial", self.name, self.checksum, trial)
        self._load()
        self.tokens: Mapping[int, str] = dict(enumerate(names))
        self.special_ids: Mapping[str, int] = {
            name: number
            for number, name in enumerate(names)
            if self._kinds[number] in (CONTROL, UNKNOWN)
        }
        self.added_ids: Mapping[str, int] = self.special_ids
        self.unknown_id: int | None = next(iter(self._of_kind(UNKNOWN)), None)
        self.kind = "BPE"
        if self.proto.model_type != _BPE:
            self.kind = _TYPES.get(self.proto.model_type, "unknown")
        self._numbers = {name: number for number, name in enumerate(names)}
        self._bytes = {int(names[number][3:5], 16): number for number in self._of_kind(BYTE)}
        self._unknown = self.unknown_id or 0
        self.fused: int | None = None if self._bytes else self._unknown

    def _load(self) -> None:
        import sentencepiece

        self._model: Any = sentencepiece.SentencePieceProcessor()
        with errors_of(self.name, TokenizerFormatError, "the library cannot load it"):
            self._model.LoadFromSerializedProto(self._data)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_model"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._load()

    def encode(self, text: str, *, add_special_tokens: bool, recognize_special: bool) -> Encoding:
        """The tokens of a text; a model knows neither a template nor special tokens in the text."""
        with errors_of(self.name, VocabularyError, "The text cannot be encoded"):
            found = self._model.EncodeAsOffsetMapping(text)
        ids = list(found["ids"])
        tokens = [self.tokens[number] for number in ids]
        offsets = [(a, b) for a, b in found["offsets"]]
        return Encoding(ids, tokens, offsets, [1] * len(ids), [0] * len(ids))

    def ids(self, text: str, *, recognize_special: bool) -> list[int]:
        """The ids of a text."""
        with errors_of(self.name, VocabularyError, "The text cannot be encoded"):
            return list(self._model.EncodeAsIds(text))

    def template(self, n_texts: int) -> Sequence[Part]:
        """The texts without special tokens: programs add them, and the model does not say which."""
        return Template().parts(n_texts)

    def ids_of(self, texts: Sequence[str], *, recognize_special: bool) -> list[list[int]]:
        """The ids of each of several texts, which several threads encode."""
        with errors_of(self.name, VocabularyError, "The text cannot be encoded"):
            found: list[list[int]] = self._model.Encode(list(texts), num_threads=n_processors())
        return found

    def ids_and_pieces_of(
        self, texts: Sequence[str], *, recognize_special: bool
    ) -> list[tuple[Sequence[int], Sequence[int]]]:
        """The ids of each of several texts; the library puts all of them into one piece."""
        return [
            (ids, [0] * len(ids)) for ids in self.ids_of(texts, recognize_special=recognize_special)
        ]

    def unmergeable(self) -> Iterable[int]:
        """The ids of all but the usual pieces."""
        return (number for number, kind in enumerate(self._kinds) if kind != NORMAL)

    def with_merges(self, merges: Sequence[NewMerge]) -> bytes:
        """The content of the file with further pieces, which rank below all that it has."""
        score = np.float32(min(score for _, score, kind in self.proto.pieces if kind == NORMAL))
        data = [self._data]
        for merge in merges:
            score = min(score - np.float32(1), np.nextafter(score, np.float32(-np.inf)))
            data.append(wire.field(1, wire.field(1, merge.name) + wire.field(2, float(score))))
        return b"".join(data)

    def without(self, gone: Collection[int], number: Callable[[int], int]) -> bytes:
        """The content of the file without some pieces; the id of a piece is its place."""
        place = 0
        others = []
        pieces = {}
        for key, value in wire.fields(self._data):
            if key != _PIECE:
                others.append(wire.field(key, value))
                continue
            if place not in gone:
                pieces[number(place)] = wire.field(key, value)
            place += 1
        in_order = [pieces[new] for new in sorted(pieces)]
        return b"".join([*in_order, *others])

    def cutting(self) -> Cutting | None:
        """A split at marks and line ends, if no piece crosses them and the text is not normalized;
        otherwise `None`.
        """
        proto = self.proto
        is_plain = proto.model_type == _BPE and proto.escapes_spaces and not proto.treats_suffix
        if not is_plain or proto.drops_spaces or proto.table or proto.normalization != "identity":
            return None
        names = [self.tokens[number] for number in self._of_kind(NORMAL, UNUSED)]
        frozen = tuple(self.tokens[number] for number in self._of_kind(USER_DEFINED))
        split = split_at_marks(names, has_lines=True)
        if split is None or self.fused is not None or set("".join(frozen)) & {WORD_START, " "}:
            return None
        prefix = WORD_START if proto.adds_prefix else ""
        return Cutting(split, absent=frozen, prefix=prefix)

    def symbols_of(self, char: str) -> Sequence[int]:
        """The symbols of a character: itself, its bytes, or the unknown token."""
        char = WORD_START if char == " " else char
        number = self._initial.symbols.get(char)
        return self._of_unknown(char) if number is None else [number]

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        """The text of token ids."""
        with errors_of(self.name, VocabularyError, "The ids cannot be decoded"):
            return str(self._model.DecodeIds(list(ids)))

    def is_open(self, number: int) -> bool:
        """Whether a token is a byte: bytes side by side are decoded together."""
        return number in self._bytes.values()

    def id_of(self, token: str) -> int | None:
        """The id of a token; `None` if there is no such token."""
        return self._numbers.get(token)

    def content(self, number: int) -> bytes:
        """The bytes that a token stands for inside a text."""
        name = self.tokens[number]
        kind = self._kinds[number]
        if kind == BYTE:
            return bytes([int(name[3:5], 16)])
        if kind not in (CONTROL, UNKNOWN):
            name = name.replace(WORD_START, " ")
        return name.encode()

    def read_piece_merges(self) -> PieceMerges:
        """The merges of the model.

        Raises:
            TokenizerFormatError: it is not a BPE, has unused pieces, or has equal scores where it
                matters.
        """
        pieces = self.proto.pieces
        initial = self._initial
        if initial.why_no_merges:
            raise TokenizerFormatError(initial.why_no_merges)
        ranked = initial.ranked
        parts = initial.parts
        names = [pieces[number][0] for number in ranked]
        scores = {number: pieces[number][1] for number in ranked}
        if len(set(scores.values())) < len(scores):
            self._check_equal_scores(_of_all_pairs(names, parts), scores)
        try:
            listed = recover_merges(names, parts)
        except NotMergeable:
            return _of_all_pairs(names, parts)
        made = [new for *_, new in listed]
        ranks = {(a, b): rank for rank, (a, b, _) in enumerate(listed)}
        return PieceMerges(made, ranks)

    @cached_property
    def _initial(self) -> _Initial:
        pieces = self.proto.pieces
        found = _Initial()
        if self.proto.model_type != _BPE:
            kind = _TYPES.get(self.proto.model_type, str(self.proto.model_type))
            found.why_no_merges = f"its model is of the type {kind}, which has no merges"
            return found
        if any(len(pieces[number][0]) > 1 for number in self._of_kind(UNUSED)):
            found.why_no_merges = (
                "it has unused pieces, which the library makes and then cuts apart again"
            )
            return found
        found.parts = {
            pieces[number][0]: number for number in self._of_kind(NORMAL, UNUSED, USER_DEFINED)
        }
        found.ranked = sorted(
            (number for number in self._of_kind(NORMAL) if len(pieces[number][0]) > 1),
            key=lambda number: (-pieces[number][1], number),
        )
        found.symbols = {name: number for name, number in found.parts.items() if len(name) == 1}
        names = [pieces[number][0] for number in found.ranked]
        for char in dict.fromkeys("".join(names)):
            if char not in found.parts:
                # A character that only larger pieces hold is a symbol, but not a token.
                new = len(pieces) + len(found.unmerged)
                found.parts[char] = new
                found.symbols[char] = new
                found.unmerged[new] = self._of_unknown(char)
                found.hidden[new] = char
        frozen = [pieces[number][0] for number in self._of_kind(USER_DEFINED)]
        for name in frozen:
            found.parts.pop(name)
        if frozen:
            longest_first = sorted(frozen, key=len, reverse=True)
            found.frozen = re.compile("|".join(map(re.escape, longest_first)))
        found.pieces = _cut_at_marks(names)
        return found

    @property
    def unmerged(self) -> Mapping[int, Sequence[int]]:
        """The ids that a symbol without a token becomes if no merge takes it, by its id."""
        return self._initial.unmerged

    @property
    def hidden(self) -> Mapping[int, str]:
        """The name of each such symbol."""
        return self._initial.hidden

    def _check_equal_scores(self, merges: PieceMerges, scores: Mapping[int, float]) -> None:
        """Makes sure that the order in which pieces of equal scores are joined does not matter.

        The library joins the leftmost one, whichever it is. The pieces do not touch each other if
        no symbol that begins one ends another, and if no piece of this or a higher score needs a
        symbol that joining one of them makes.

        Raises:
            TokenizerFormatError: two of them can meet.
        """
        counts = Counter(scores[piece] for piece in merges.made)
        begin: dict[tuple[float, int], set[int]] = {}
        end: dict[tuple[float, int], set[int]] = {}
        meeting: list[set[int]] = []
        for (left, right), rank in merges.ranks.items():
            piece = merges.made[rank]
            score = scores[piece]
            meeting += [
                {part, piece}
                for part in (left, right)
                if counts[scores.get(part, inf)] > 1 and scores[part] <= score
            ]
            if counts[score] > 1:
                begin.setdefault((score, left), set()).add(piece)
                end.setdefault((score, right), set()).add(piece)
        meeting += [
            both for key in begin.keys() & end.keys() if len(both := begin[key] | end[key]) > 1
        ]
        if meeting:
            one, other = sorted(meeting[0])[:2]
            raise TokenizerFormatError(
                f"its pieces {self.tokens[one][:40]!r} and {self.tokens[other][:40]!r} can meet,"
                " and which of them is joined first depends on their places in the text, because"
                " scores are equal"
            )

    @property
    def scores(self) -> dict[int, float | str]:
        """The score of each piece; the kind of an unusual one."""
        kinds = {
            UNKNOWN: "unknown",
            CONTROL: "control",
            USER_DEFINED: "user-defined",
            UNUSED: "unused",
            BYTE: "byte",
        }
        return {n: kinds.get(kind, score) for n, (_, score, kind) in enumerate(self.proto.pieces)}

    @property
    def settings(self) -> dict[str, Any]:
        """The fields of the file besides its pieces."""
        found: dict[str, Any] = {}
        for each in fields(self.proto):
            if each.name not in ("pieces", "trainer", "table"):
                found[each.name] = getattr(self.proto, each.name)
        found["has_table"] = bool(self.proto.table)
        return found

    @cached_property
    def cuts_before(self) -> str:
        """The white space before which a text can be cut."""
        if self.proto.model_type != _BPE or self.fused is not None:
            return ""

        def ids_of(text: str, begins_text: bool) -> Sequence[object]:
            found = self.pieces(text, recognize_special=False, begins_text=begins_text)
            return [found.symbols[first:end] for first, end in found.bounds()]

        return spaces_to_cut_before(self.tokens.values(), (), ids_of)

    def normalized(self, text: str) -> str:
        """The text that comes back from encoding and decoding a text."""
        return self.decode(self.ids(text, recognize_special=False), skip_special_tokens=False)

    def stages(self, text: str) -> tuple[str, list[str]]:
        """The normalized text, and the same as the only piece."""
        with errors_of(self.name, VocabularyError, "The text cannot be normalized"):
            found = str(self._model.Normalize(text))
        return found, [found]

    def pieces(self, text: str, *, recognize_special: bool, begins_text: bool = True) -> Pieces:
        """The pieces of a text: words with their marks if no merge crosses a mark, otherwise the
        whole text.
        """
        with errors_of(self.name, VocabularyError, "The text cannot be normalized"):
            source, origins = self._model.Normalize(text, with_offsets=True)
        if not begins_text and self.proto.adds_prefix and not self.proto.drops_spaces:
            source = source[1:]
            origins = origins[1:]
        found = Pieces([], [], [], [])
        initial = self._initial
        for start, end in self._spans(source):
            found.firsts.append(len(found.symbols))
            found.wholes.append(None)
            if initial.frozen is not None and initial.frozen.fullmatch(source, start, end):
                self._add(found, [self.id_of(source[start:end]) or 0], origins[start], origins[end])
                continue
            for place in range(start, end):
                number = initial.symbols.get(source[place])
                new = self._of_unknown(source[place]) if number is None else [number]
                self._add(found, new, origins[place], origins[place + 1])
        return found

    @staticmethod
    def _add(found: Pieces, numbers: Sequence[int], start: int, end: int) -> None:
        found.symbols.extend(numbers)
        found.offsets.extend([(start, end)] * len(numbers))

    def _spans(self, source: str) -> list[tuple[int, int]]:
        spans: list[tuple[int, int]] = []
        start = 0
        initial = self._initial
        frozen = [] if initial.frozen is None else initial.frozen.finditer(source)
        for match in frozen:
            spans += [one.span() for one in initial.pieces.finditer(source, start, match.start())]
            spans.append(match.span())
            start = match.end()
        return spans + [one.span() for one in initial.pieces.finditer(source, start)]

    def _of_unknown(self, char: str) -> list[int]:
        """The symbols of a character that is not a piece: its bytes, or the unknown token."""
        if not self._bytes:
            return [self._unknown]
        return [self._bytes.get(byte, self._unknown) for byte in char.encode()]

    def _of_kind(self, *kinds: int) -> list[int]:
        return [number for number, kind in enumerate(self._kinds) if kind in kinds]


def _cut_at_marks(names: list[str]) -> re.Pattern[str]:
    """The expression that cuts a text at marks, where no merge crosses them."""
    before = not any(re.search(f"[^{WORD_START}]{WORD_START}", name) for name in names)
    after = not any(re.search(f"{WORD_START}[^{WORD_START}]", name) for name in names)
    mark = f"{WORD_START}+"
    other = f"[^{WORD_START}]+"
    if before and after:
        return re.compile(f"{mark}|{other}")
    if before:
        return re.compile(f"{mark}(?:{other})?|{other}")
    return re.compile(f"(?:{other})?{mark}|{other}") if after else _ALL


def _of_all_pairs(names: Sequence[str], parts: Mapping[str, int]) -> PieceMerges:
    """The merges of every two parts that spell a piece, for pieces that are not each made of two
    that rank before them.
    """
    made: list[int] = []
    ranks: dict[tuple[int, int], int] = {}
    for name in names:
        halves = ((parts.get(name[:at]), parts.get(name[at:])) for at in range(1, len(name)))
        pairs = [(left, right) for left, right in halves if left is not None and right is not None]
        ranks.update(dict.fromkeys(pairs, len(made)))
        if pairs:
            made.append(parts[name])
    return PieceMerges(made, ranks)
