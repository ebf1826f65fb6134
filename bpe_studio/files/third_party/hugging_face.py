"""A `tokenizer.json` with any model, normalizer, pre-tokenizer and post-processor, run by the
library `tokenizers`.

The pieces of a BPE come from the same file without its merges; see the package.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, groupby, islice
from operator import attrgetter, itemgetter
from typing import Any

from bpe_studio.engine.encoding.batching import BatchOptions, Words
from bpe_studio.engine.encoding.input_rows import (
    IDS,
    MASK,
    PLACES,
    SPECIAL,
    TOKENS,
    TYPES,
    WORDS,
    InputRows,
)
from bpe_studio.engine.encoding.tokenizer_model import Encoding, Part, Template
from bpe_studio.engine.presets import WORD_START
from bpe_studio.engine.text.alphabet import are_stand_ins, from_stand_ins
from bpe_studio.errors import BpeError, TokenizerFormatError, VocabularyError
from bpe_studio.files.formats.broad_text import long_texts, usual_texts
from bpe_studio.files.formats.huggingface.reading import read_merges, read_vocab
from bpe_studio.files.formats.huggingface.splits import read_pre_tokenizers
from bpe_studio.files.formats.tokenizer_file import check_token_lengths
from bpe_studio.files.json_parts import checked, member, optional
from bpe_studio.files.remembered import remembered
from bpe_studio.files.third_party.borders import (
    BYTE_NAMES,
    Cutting,
    borders,
    cut_otherwise,
    falls_back_to_bytes,
    is_local,
    is_plain_bpe,
    is_prefix,
    listed,
    normalized_otherwise,
    nothing,
    replacing_in,
    spaces_to_cut_before,
    split_at_marks,
    two_parts,
)
from bpe_studio.files.third_party.native_library import NewMerge, Pieces, errors_of
from bpe_studio.files.third_party.piece_merges import PieceMerges, one_for_each_token
from bpe_studio.files.third_party.text_growth import check_growth
from bpe_studio.files.third_party.trial import check_in_process

JsonObject = dict[str, Any]
MAX_TOKENS = 1_000_000
MAX_MERGES = 2_000_000
MAX_ADDED = 100_000
"""The most added tokens: more than any tokenizer has, as are the two numbers before."""
MAX_PIECE = 10_000
"""The most characters of a Unigram token.

To free a much longer one, the library needs more stack than there is.
"""
MAX_ID = (1 << 31) - 1
"""The limit of ids: they are int32, and one more must stay free."""
ADDED_FLAGS = ("special", "lstrip", "rstrip", "single_word", "normalized")
_MODEL_OPTIONS = (
    "unk_token",
    "unk_id",
    "dropout",
    "fuse_unk",
    "byte_fallback",
    "ignore_merges",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "max_input_chars_per_word",
)
_TEMPLATE_TRIALS = 500
_LOADED = ("_whole", "_lock", "_bare", "_looking_up", "_inside", "_ranks")
"""The attributes that are not pickled, but made again from the content."""
_BYTE = re.compile("<0x([0-9A-F]{2})>")
_LOCAL_DECODERS = ("ByteFallback", "ByteLevel", "Fuse", "Metaspace", "Strip")
"""The decoders that change no more than bytes, one token, or the beginning or end of a text."""


@dataclass(frozen=True)
class Spelling:
    """The spelling of text in the names of tokens, as the decoder of a file has it.

    Attributes:
        has_stand_ins: whether bytes are written as GPT-2's printable characters, even if the
            decoder does not know it.
        has_bytes: whether a name such as `<0x0A>` is a byte.
        space: the character for a space; empty for the space itself.
        prefix: the beginning of tokens that continue a word; empty for none.
        suffix: the end of tokens that end a word; empty for none.
    """

    has_stand_ins: bool
    has_bytes: bool
    space: str
    prefix: str
    suffix: str

    @classmethod
    def of(cls, root: JsonObject) -> Spelling:
        """The spelling in a `tokenizer.json`."""
        model = root["model"]
        decoder = json.dumps(root.get("decoder"), ensure_ascii=False)
        suffix = _text_in(model, "end_of_word_suffix")
        if not suffix and '"BPEDecoder"' in decoder:
            suffix = "</w>"
        parts = (json.dumps(root.get(key)) for key in ("decoder", "pre_tokenizer", "normalizer"))
        space = WORD_START if WORD_START in decoder else ""
        return cls(
            any('"ByteLevel"' in part for part in parts),
            '"ByteFallback"' in decoder,
            space,
            _text_in(model, "continuing_subword_prefix"),
            suffix,
        )

    def content(self, name: str) -> bytes:
        """The bytes of a token."""
        if self.has_bytes and (match := _BYTE.fullmatch(name)):
            return bytes.fromhex(match[1])
        end = b" " if self.suffix and name.endswith(self.suffix) else b""
        name = name.removeprefix(self.prefix).removesuffix(self.suffix)
        if self.has_stand_ins and are_stand_ins(name):
            return from_stand_ins(name) + end
        if self.space:
            name = name.replace(self.space, " ")
        return name.encode() + end

    def text(self, piece: str) -> str:
        """The text of a piece that a pre-tokenizer makes."""
        if self.has_stand_ins and are_stand_ins(piece):
            return from_stand_ins(piece).decode("utf-8", "replace")
        return piece


_COLUMNS: Mapping[str, Callable[[Any], list[Any]]] = {
    IDS: attrgetter("ids"),
    TYPES: attrgetter("type_ids"),
    MASK: attrgetter("attention_mask"),
    SPECIAL: attrgetter("special_tokens_mask"),
    PLACES: attrgetter("offsets"),
    TOKENS: attrgetter("tokens"),
    WORDS: attrgetter("word_ids"),
}
"""The getter of each column of model input, from a row of the library."""


class HuggingFaceLibrary:
    """A `tokenizer.json`, as `Library` asks for it.

    Args:
        root: its content.
        is_ours: whether we wrote all but the vocabulary and the merges, so that it cannot harm the
            library.
        data: the bytes of the file; empty to make them from the content.

    Raises:
        TokenizerFormatError: the library cannot load it.
    """

    name = "tokenizers"
    finds_special = True
    most_characters = 1 << 23
    fused: int | None = None

    def __init__(self, root: JsonObject, *, is_ours: bool = False, data: bytes = b"") -> None:
        self.root = root
        content = data or _content(root)
        self.checksum = hashlib.sha256(content).digest()
        if not is_ours:
            remembered("trial", self.name, self.checksum, partial(_check_in_process, root))
        self._whole = _loaded(content)
        self._lock = threading.Lock()
        added = self._whole.get_added_tokens_decoder()
        vocab = root["model"]["vocab"]
        ids = vocab.values() if isinstance(vocab, dict) else ()
        highest = max(max(added, default=0), max(ids, default=0))
        if highest >= MAX_ID:
            raise TokenizerFormatError(
                f"it has the id {highest:,}, and ids below {MAX_ID:,} are read"
            )
        self.added_ids: Mapping[str, int] = {
            token.content: number for number, token in added.items()
        }
        self.special_ids: Mapping[str, int] = {
            token.content: number for number, token in added.items() if token.special
        }
        self.unknown_id: int | None = None
        unknown = getattr(self._whole.model, "unk_token", None)
        if isinstance(unknown, str):
            self.unknown_id = self._whole.token_to_id(unknown)
        if self.unknown_id is None:
            # A Unigram model has the number, and no name.
            self.unknown_id = root["model"].get("unk_id")
        self.kind = type(self._whole.model).__name__
        self._spelling = Spelling.of(root)
        self.unmerged: Mapping[int, Sequence[int]] = {}
        self.hidden: Mapping[int, str] = {}
        self.has_prefix = any(map(is_prefix, listed(root.get("normalizer"), "normalizers")))
        self.prefixes_parts = self.has_prefix
        self.prefix_is_space = _prefix_before_marks(root.get("normalizer")) == WORD_START
        self.continuing: str | None = self._spelling.prefix or None
        self.takes_whole_pieces = bool(root["model"].get("ignore_merges"))
        self.units = "bytes" if self._spelling.has_stand_ins else "characters"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _LOADED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._whole = _loaded(_content(self.root))
        self._lock = threading.Lock()

    @cached_property
    def tokens(self) -> Mapping[int, str]:
        """The tokens by id, from the lowest id."""
        vocab = self._whole.get_vocab(with_added_tokens=True)
        return {number: name for name, number in sorted(vocab.items(), key=itemgetter(1))}

    def encode(self, text: str, *, add_special_tokens: bool, recognize_special: bool) -> Encoding:
        """The tokens of a text."""
        found = self._encoded(self._whole, text, recognize_special, add_special_tokens)
        return Encoding(
            found.ids,
            found.tokens,
            found.offsets,
            found.attention_mask,
            found.type_ids,
            found.special_tokens_mask,
        )

    def inputs(
        self,
        texts: Sequence[Sequence[str | Words]],
        options: BatchOptions,
        *,
        add_special_tokens: bool,
        recognize_special: bool,
    ) -> InputRows:
        """The truncated input of each text or pair of texts, followed by the rest that was cut
        off if the options ask for it.
        """
        given: list[str | Words | tuple[str | Words, ...]] = []
        for each in texts:
            one_or_two = each[0] if len(each) == 1 else tuple(each)
            given.append(one_or_two)
        are_words = any(isinstance(text, list) for text in chain.from_iterable(texts))
        tokenizer = self._whole
        with errors_of(self.name, VocabularyError, "The texts cannot be encoded"), self._lock:
            tokenizer.encode_special_tokens = not recognize_special
            try:
                if options.truncates and options.max_length is not None:
                    tokenizer.enable_truncation(
                        options.max_length,
                        stride=options.stride,
                        strategy=options.strategy,
                        direction=options.truncation_side or "right",
                    )
                found = tokenizer.encode_batch(
                    given, is_pretokenized=are_words, add_special_tokens=add_special_tokens
                )
            finally:
                tokenizer.no_truncation()
        rows = [[row] for row in found]
        if options.keeps_rest:
            rows = [[row, *row.overflowing] for row in found]
        return InputRows.of_library(rows, _COLUMNS)

    def byte_ranks(self) -> Mapping[int, str]:
        """The tokens that are not added, by id, as byte stand-ins.

        Raises:
            SaveError: they are not ranks of tiktoken.
        """
        return self._ranks

    @cached_property
    def _ranks(self) -> Mapping[int, str]:
        from bpe_studio.files.third_party.ranked_tokens import ranks_of

        return ranks_of(self.root)

    def template(self, n_texts: int) -> Sequence[Part]:
        """The parts of an input of one text, or of two."""
        # If no token stands for its character, a text may be encoded to nothing.
        for text in self._texts_to_try():
            found = self._encoded(self._whole, (text,) * n_texts, True, True)
            parts: list[Part] = []
            for name, type_id, number in zip(
                found.tokens, found.type_ids, found.sequence_ids, strict=True
            ):
                name_or_text = name if number is None else number
                part = (name_or_text, type_id)
                if number is None or part not in parts[-1:]:
                    parts.append(part)
            if sorted(name for name, _ in parts if isinstance(name, int)) == list(range(n_texts)):
                return parts
        return Template().parts(n_texts)

    def _texts_to_try(self) -> Iterator[str]:
        yield "a"
        for number in islice(self.tokens, _TEMPLATE_TRIALS):
            yield self.decode([number], skip_special_tokens=False)

    def ids(self, text: str, *, recognize_special: bool) -> list[int]:
        """The ids of a text, without special tokens around it."""
        ids: list[int] = self._encoded(self._whole, text, recognize_special).ids
        return ids

    def ids_of(self, texts: Sequence[str], *, recognize_special: bool) -> list[list[int]]:
        """The ids of each of several texts, which the library's own threads encode."""
        with errors_of(self.name, VocabularyError, "The text cannot be encoded"), self._lock:
            self._whole.encode_special_tokens = not recognize_special
            return [
                found.ids
                for found in self._whole.encode_batch_fast(list(texts), add_special_tokens=False)
            ]

    def ids_and_pieces_of(
        self, texts: Sequence[str], *, recognize_special: bool
    ) -> list[tuple[Sequence[int], Sequence[int]]]:
        """The ids of each of several texts, and for each id the number of the piece that it
        is in.
        """
        with errors_of(self.name, VocabularyError, "The text cannot be encoded"), self._lock:
            self._whole.encode_special_tokens = not recognize_special
            found = self._whole.encode_batch(list(texts), add_special_tokens=False)
            return [(one.ids, one.word_ids) for one in found]

    def unmergeable(self) -> Iterable[int]:
        """The ids of the tokens of bytes, of the unknown one and of special ones."""
        numbers = {
            *map(self.id_of, replacing_in(self.root["model"])),
            self.unknown_id,
            *self.special_ids.values(),
        }
        return (number for number in numbers if number is not None)

    def with_merges(self, merges: Sequence[NewMerge]) -> JsonObject:
        """The content of the file with further merges."""
        model = self.root["model"]
        # The library gives added tokens that are not in the vocabulary new ids, after these.
        vocab = {**self.added_ids, **model["vocab"]} | {merge.name: merge.made for merge in merges}
        names = {**self.tokens, **{merge.made: merge.name for merge in merges}}
        pairs = [(names[merge.left], names[merge.right]) for merge in merges]
        listed: list[Any] = list(model["merges"])
        have_spaces = any(" " in name for name in chain.from_iterable(pairs))
        if listed and isinstance(listed[0], str) and not have_spaces:
            listed += map(" ".join, pairs)
        else:
            listed = [*map(two_parts, listed), *map(list, pairs)]
        return {**self.root, "model": {**model, "vocab": vocab, "merges": listed}}

    def with_added(self, names: Sequence[str], are_special: bool) -> tuple[JsonObject, int]:
        """The content of the file with further added tokens, and the number that the library
        counts as new.
        """
        tokenizer = _loaded(_content(self.root))
        add = tokenizer.add_special_tokens if are_special else tokenizer.add_tokens
        with errors_of(self.name, VocabularyError, "The tokens cannot be added"):
            n_added = add(names)
            added = json.loads(tokenizer.to_str())["added_tokens"]
        return {**self.root, "added_tokens": added}, n_added

    def without(self, gone: Collection[int], number: Callable[[int], int]) -> JsonObject:
        """The content of the file without some tokens and the merges that name them."""
        root = self.root
        model = self.root["model"]
        vocab = {
            name: number(old)
            for name, old in (self.added_ids | model["vocab"]).items()
            if old not in gone
        }
        cut = len(self.continuing or "")
        merges = []
        for pair in model["merges"]:
            left, right = two_parts(pair)
            if left in vocab and right in vocab and left + right[cut:] in vocab:
                merges.append(pair)
        return {
            **root,
            "model": {**model, "vocab": vocab, "merges": merges},
            "added_tokens": [
                {**one, "id": number(one["id"])} for one in root.get("added_tokens") or ()
            ],
            "post_processor": _renumbered(root.get("post_processor"), number),
            "padding": _renumbered(root.get("padding"), number),
        }

    def cutting(self) -> Cutting | None:
        """The split of the pre-tokenizers, if we have it; without any, one at marks that no merge
        crosses.
        """
        root = self.root
        if root["model"].get("dropout"):
            return None
        normalizer = root.get("normalizer")
        absent = tuple(self.added_ids.keys() - self.special_ids.keys())
        split = _split_of(root)
        forms = _forms_of(normalizer)
        if split is not None and forms is not None:
            cut = partial(cut_otherwise, root.get("pre_tokenizer"))
            normalized = partial(normalized_otherwise, normalizer, forms) if forms else nothing
            return Cutting(split, forms, absent, "", cut, normalized)
        prefix = _prefix_before_marks(normalizer)
        if (
            root.get("pre_tokenizer") is not None
            or prefix is None
            or not is_plain_bpe(root["model"])
        ):
            return None
        vocab = root["model"]["vocab"]
        unknown = root["model"].get("unk_token")
        # Unknown characters side by side become one unknown token, so a line end must not be one.
        has_lines = "\n" in vocab or falls_back_to_bytes(root["model"])
        names = [name for name in vocab if name not in BYTE_NAMES and name != unknown]
        split = split_at_marks(names, has_lines=has_lines) if WORD_START in vocab else None
        if split is None or (prefix and not has_lines):
            return None
        return Cutting(split, absent=absent, prefix=prefix)

    def symbols_of(self, char: str) -> Sequence[int]:
        """The symbols of a character: itself, or its bytes.

        Raises:
            VocabularyError: no token stands for it.
        """
        model = self.root["model"]
        vocab: Mapping[str, int] = model["vocab"]
        char = WORD_START if char == " " else char
        if char in vocab:
            return [vocab[char]]
        names = [f"<0x{byte:02X}>" for byte in char.encode()]
        if model.get("byte_fallback") and vocab.keys() >= set(names):
            return [vocab[name] for name in names]
        raise VocabularyError(f"No token stands for {char!r}")

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        """The text of token ids."""
        with errors_of(self.name, VocabularyError, "The ids cannot be decoded"):
            text: str = self._whole.decode(list(ids), skip_special_tokens=skip_special_tokens)
        return text

    def is_open(self, number: int) -> bool:
        """Whether the text of a token may change with the token that follows, as bytes of a byte
        fallback are decoded together.
        """
        decoders = self._decoders
        if decoders is None:
            return True
        name = self.tokens.get(number, "")
        is_fallback = name.startswith("<0x")
        for part in decoders:
            if part["type"] == "ByteFallback" and is_fallback:
                return True
            if part["type"] == "BPEDecoder":
                suffix = _text_in(part, "suffix")
                return suffix in name.removesuffix(suffix)
        return False

    @cached_property
    def _decoders(self) -> list[JsonObject] | None:
        """The decoders in order; `None` if they may change a text with what follows in a way that
        `is_open` does not know.
        """
        decoders = []
        for part in listed(self.root.get("decoder"), "decoders"):
            decoders.append(checked(part, dict, "the decoder"))
        kinds = [part["type"] for part in decoders]
        if kinds in (["BPEDecoder"], ["WordPiece"]):
            return decoders
        is_joined = False
        for part in decoders:
            kind = part["type"]
            replaces = kind == "Replace" and len(part["pattern"].get("String", "")) == 1
            if kind not in _LOCAL_DECODERS and not replaces:
                return None
            if kind == "ByteFallback" and is_joined:
                return None
            is_joined = is_joined or kind in ("Fuse", "ByteLevel")
        return decoders

    def id_of(self, token: str) -> int | None:
        """The id of a token; `None` if there is no such token."""
        try:
            number: int | None = self._whole.token_to_id(token)
        except UnicodeEncodeError:
            # The token holds half of a surrogate pair.
            return None
        return number

    def content(self, number: int) -> bytes:
        """The bytes that a token stands for inside a text."""
        name = self.tokens[number]
        return name.encode() if name in self.added_ids else self._spelling.content(name)

    @property
    def added_flags(self) -> dict[str, dict[str, bool]]:
        """The flags of each added token."""
        flags = {}
        for token in self._whole.get_added_tokens_decoder().values():
            flags[token.content] = {flag: getattr(token, flag) for flag in ADDED_FLAGS}
        return flags

    @property
    def scores(self) -> dict[int, float | str]:
        """The scores of a Unigram model."""
        if self.kind != "Unigram":
            return {}
        return {n: score for n, (_, score) in enumerate(self.root["model"]["vocab"])}

    @property
    def settings(self) -> dict[str, Any]:
        """The parts of the file, with the library's defaults."""
        whole = self._whole
        model = self._whole.model
        parts = {
            "normalizer": whole.normalizer,
            "pre_tokenizer": whole.pre_tokenizer,
            "decoder": whole.decoder,
        }
        found: dict[str, Any] = {}
        for key, part in parts.items():
            found[key] = None if part is None else json.loads(part.__getstate__())
        said = {option: self.root["model"].get(option) for option in _MODEL_OPTIONS}
        found |= {
            f"model: {option}": getattr(model, option, value) for option, value in said.items()
        }
        nothing = (
            "",
            {"type": "Sequence", "normalizers": []},
            {"type": "Sequence", "pretokenizers": []},
        )
        for key, value in found.items():
            if value in nothing:
                found[key] = None
        return found

    @cached_property
    def cuts_before(self) -> str:
        """The white space before which a text can be cut."""
        root = self.root
        normalizers = listed(root.get("normalizer"), "normalizers")
        pre_tokenizers = listed(root.get("pre_tokenizer"), "pretokenizers")
        is_odd_prefix = self.has_prefix and (self.takes_whole_pieces or self.kind != "BPE")
        if is_odd_prefix or not all(map(is_local, (*normalizers, *pre_tokenizers))):
            return ""
        # Unknown characters that are left out, or become one token, make neighbours of others.
        merges_anywhere = is_plain_bpe(root["model"]) and falls_back_to_bytes(root["model"])

        def ids_of(text: str, begins_text: bool) -> Sequence[object]:
            part = self._whole
            if self.has_prefix:
                part = self._bare if begins_text else self._inside
            found = self._encoded(part, text, False)
            if merges_anywhere:
                ids: Sequence[object] = found.ids
                return ids
            pieces = []
            for _, piece in groupby(zip(found.ids, found.word_ids, strict=True), itemgetter(1)):
                pieces.append([number for number, _ in piece])
            return pieces

        names = (name for name in self.tokens.values() if name not in self.added_ids)
        return spaces_to_cut_before(names, self.added_ids, ids_of)

    def normalized(self, text: str) -> str:
        """The normalized text, without the prefix that normalization puts before a text."""
        normalizer = self._whole.normalizer
        found: str = text if normalizer is None else normalizer.normalize_str(text)
        if found != text and WORD_START not in text:
            found = found.replace(WORD_START, " ")
            if self.has_prefix:
                found = found.removeprefix(" ")
        return found

    def stages(self, text: str) -> tuple[str, list[str]]:
        """The normalized text, and its pieces."""
        normalizer = self._whole.normalizer
        pre_tokenizer = self._whole.pre_tokenizer
        with errors_of(self.name, VocabularyError, "The text cannot be cut"):
            found = text if normalizer is None else normalizer.normalize_str(text)
            pieces = [found]
            if pre_tokenizer is not None:
                pieces = [each for each, _ in pre_tokenizer.pre_tokenize_str(found)]
        return found, [self._spelling.text(each) for each in pieces]

    def pieces(self, text: str, *, recognize_special: bool, begins_text: bool = True) -> Pieces:
        """The pieces of a text."""
        part = self._bare if begins_text else self._inside
        found = self._encoded(part, text, recognize_special)
        symbols = found.ids
        words = found.word_ids
        firsts = [
            place for place, word in enumerate(words) if not place or word != words[place - 1]
        ]
        if len(firsts) < len(symbols) and self._looking_up is None:
            starts = set(borders(text, self.cuts_before))
            at_starts = [place for place, (start, _) in enumerate(found.offsets) if start in starts]
            firsts = sorted({*firsts, *at_starts})
        wholes: list[int | None] = [None] * len(firsts)
        if self._looking_up is not None:
            # A piece without any symbol may still be a token: then the two copies differ in their
            # pieces.
            looked_up = self._encoded(self._looking_up, text, recognize_special)
            taken: dict[int, list[int]] = {}
            for word, number in zip(looked_up.word_ids, looked_up.ids, strict=True):
                taken.setdefault(word, []).append(number)
            for place, first in enumerate(firsts):
                end = firsts[place + 1] if place + 1 < len(firsts) else len(symbols)
                tokens = taken.get(words[first], [])
                if len(tokens) == 1 and end - first > 1:
                    wholes[place] = tokens[0]
        return Pieces(symbols, found.offsets, firsts, wholes)

    @cached_property
    def _bare(self) -> Any:
        """The copy that cuts a text into initial symbols."""
        return _loaded(_content(_without_merges(self.root, ignore_merges=False)))

    @cached_property
    def _looking_up(self) -> Any:
        """The copy that finds the pieces that are taken whole; `None` if none is."""
        if not self.takes_whole_pieces:
            return None
        return _loaded(_content(_without_merges(self.root, ignore_merges=True)))

    @cached_property
    def _inside(self) -> Any:
        """The copy that cuts a part of a text that does not begin it."""
        normalizers = listed(self.root.get("normalizer"), "normalizers")
        others = [one for one in normalizers if not is_prefix(one)]
        if len(others) == len(normalizers):
            return self._bare
        root = {**self.root, "normalizer": {"type": "Sequence", "normalizers": others}}
        return _loaded(_content(_without_merges(root, ignore_merges=False)))

    def _encoded(
        self,
        tokenizer: Any,
        text: str | Sequence[str],
        recognize_special: bool,
        add_special_tokens: bool = False,
    ) -> Any:
        each = (text,) if isinstance(text, str) else text
        with errors_of(self.name, VocabularyError, "The text cannot be encoded"), self._lock:
            tokenizer.encode_special_tokens = not recognize_special
            return tokenizer.encode(*each, add_special_tokens=add_special_tokens)


def _text_in(model: JsonObject, key: str) -> str:
    found = model.get(key)
    return found if isinstance(found, str) else ""


def check_json(root: object) -> JsonObject:
    """The content of a `tokenizer.json`, if it is valid and not too large.

    Raises:
        TokenizerFormatError: it is not.
    """
    parts = checked(root, dict, "the file")
    model = member(parts, "model", dict, "the file")
    vocab = model.get("vocab")
    limits = (
        ("tokens", vocab, MAX_TOKENS),
        ("merges", model.get("merges"), MAX_MERGES),
        ("added tokens", parts.get("added_tokens"), MAX_ADDED),
    )
    for what, entries, most in limits:
        if isinstance(entries, dict | list) and len(entries) > most:
            raise TokenizerFormatError(
                f"it has {len(entries):,} {what}, and {most:,} at most are read"
            )
    pieces: Iterable[object] = ()
    if isinstance(vocab, list):
        pieces = (entry[0] for entry in vocab if isinstance(entry, list) and entry)
    longest = max((len(piece) for piece in pieces if isinstance(piece, str)), default=0)
    if longest > MAX_PIECE:
        raise TokenizerFormatError(
            f"its longest token has {longest:,} characters, and {MAX_PIECE:,} at most are read"
        )
    if isinstance(vocab, dict):
        check_token_lengths(vocab)
    check_growth(parts)
    return parts


def read_piece_merges(root: JsonObject) -> PieceMerges:
    """The merges of a `tokenizer.json`.

    Raises:
        TokenizerFormatError: its model is not a BPE, or drops merges at random.
    """
    model = member(root, "model", dict, "the file")
    kind = optional(model, "type", str, "the model")
    if kind != "BPE" and (kind is not None or "merges" not in model):
        raise TokenizerFormatError(f"its model is of the type {kind}, which has no merges")
    if model.get("dropout"):
        raise TokenizerFormatError(
            f"it drops merges at random (dropout {str(model['dropout'])[:20]})"
        )
    vocab = read_vocab(member(model, "vocab", dict, "the model"))
    prefix = optional(model, "continuing_subword_prefix", str, "the model") or ""
    merges = read_merges(member(model, "merges", list, "the model"), vocab, len(prefix))
    found = merges
    if not prefix and not model.get("end_of_word_suffix"):
        # The initial symbols are single characters, and the tokens that replace some of them.
        replacing = {vocab[name] for name in replacing_in(model) if name in vocab}
        if not any(left in replacing or right in replacing for left, right, _ in merges):
            found = one_for_each_token(merges, vocab)
    ranks = {(left, right): rank for rank, (left, right, _) in enumerate(found)}
    made = [new for _, _, new in found]
    return PieceMerges(made, ranks)


def _split_of(root: JsonObject) -> str | None:
    """The split of the pre-tokenizers of bytes; `None` if we do not have it."""
    try:
        found = read_pre_tokenizers(root.get("pre_tokenizer"))
    except BpeError:
        return None
    return found.split if found.is_bytes else None


def _forms_of(normalizer: object) -> tuple[str, ...] | None:
    """The normalizations of ours that a normalizer by forms of Unicode does; `None` for any other
    normalizer.
    """
    kinds = []
    for one in listed(normalizer, "normalizers"):
        kind = one.get("type") if isinstance(one, dict) else None
        kinds.append(kind)
    if not set(kinds) <= {"NFC", "NFD", "NFKC", "NFKD"}:
        return None
    return tuple(str(kind).lower() for kind in kinds)


def _prefix_before_marks(normalizer: object) -> str | None:
    """The text that a normalizer puts before a text if it otherwise only writes `▁` for a space;
    `None` for any other normalizer.
    """
    writes = {"type": "Replace", "pattern": {"String": " "}, "content": WORD_START}
    puts = {"type": "Prepend", "prepend": WORD_START}
    parts = listed(normalizer, "normalizers")
    if parts == [writes]:
        return ""
    return WORD_START if parts == [puts, writes] else None


def _without_merges(root: JsonObject, *, ignore_merges: bool) -> JsonObject:
    model = {**root["model"], "merges": [], "ignore_merges": ignore_merges, "dropout": None}
    return {**root, "model": model, "post_processor": None}


def _renumbered(part: Any, number: Callable[[int], int]) -> Any:
    """A post-processor, or the settings of padding, with new ids."""
    if not isinstance(part, dict):
        return part
    found = dict(part)
    if isinstance(part.get("processors"), list):
        found["processors"] = [_renumbered(one, number) for one in part["processors"]]
    for key in {"sep", "cls"} & part.keys():
        name, old = part[key]
        found[key] = [name, number(old)]
    if isinstance(part.get("special_tokens"), dict):
        found["special_tokens"] = {}
        for name, token in part["special_tokens"].items():
            ids = [number(old) for old in token["ids"]]
            found["special_tokens"][name] = {**token, "ids": ids}
    if isinstance(part.get("pad_id"), int):
        found["pad_id"] = number(part["pad_id"])
    return found


def _check_in_process(root: JsonObject) -> str | None:
    """Makes sure that the library can load a file, and encode texts with it.

    Of a BPE, it gets the single characters alone: all that can harm the library is in the other
    parts, and in other models. It gets all tokens if the merges have a prefix, which the library
    cuts off without a check.
    """
    model = root["model"]
    usual_kind = "BPE" if "merges" in model else None
    kind = model.get("type", usual_kind)
    if (
        kind == "BPE"
        and isinstance(model.get("vocab"), dict)
        and not model.get("continuing_subword_prefix")
    ):
        characters = {name: number for name, number in model["vocab"].items() if len(name) == 1}
        root = {**root, "model": {**model, "vocab": characters, "merges": []}}
    texts = [*usual_texts(), *long_texts()]
    return check_in_process(HuggingFaceLibrary.name, _content(root), texts)


def _content(root: JsonObject) -> bytes:
    """The bytes of the file, without truncation and padding.

    Raises:
        TokenizerFormatError: it holds half of a surrogate pair.
    """
    content = json.dumps({**root, "truncation": None, "padding": None}, ensure_ascii=False)
    try:
        return content.encode()
    except UnicodeEncodeError as error:
        raise TokenizerFormatError(
            f"it holds {content[error.start]!r}, half of a surrogate pair, which is not a character"
        ) from None


def _loaded(content: bytes) -> Any:
    import tokenizers

    with errors_of("tokenizers", TokenizerFormatError, "the library cannot load it"):
        tokenizer = tokenizers.Tokenizer.from_buffer(content)
    # A call asks for truncation and padding.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # The library's cache of words is never freed, not even with the tokenizer: 0.2 to 2 MB for each
    # that was opened. Without the cache, encoding takes a tenth longer.
    if hasattr(tokenizer.model, "_resize_cache"):
        tokenizer.model._resize_cache(0)
    return tokenizer
