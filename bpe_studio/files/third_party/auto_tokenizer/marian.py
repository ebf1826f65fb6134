"""Marian's folders: a SentencePiece model whose pieces have the ids of a `vocab.json`.

Transformers runs them without its library `tokenizers`: added tokens are found first, what begins with `>>` and holds
`<<` names a language, and an end follows the text. Of two texts, the second follows the first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from bpe_studio.engine.encoding.batching import BatchOptions, input_rows
from bpe_studio.engine.encoding.encoded_texts import EncodedTexts
from bpe_studio.engine.encoding.input_rows import IDS, SPECIAL, TYPES, InputRows, Lists
from bpe_studio.engine.encoding.tokenizer_model import Encoding, Kept, OwnFiles, Part
from bpe_studio.errors import TokenizerFormatError, VocabularyError
from bpe_studio.files.formats import sentencepiece
from bpe_studio.files.formats.huggingface.folder import CONFIG
from bpe_studio.files.formats.huggingface.side_files import SideFiles
from bpe_studio.files.third_party.auto_tokenizer.added_tokens import AddedToken
from bpe_studio.files.third_party.auto_tokenizer.classes import ROLES
from bpe_studio.files.third_party.auto_tokenizer.files import FolderFiles
from bpe_studio.files.third_party.auto_tokenizer.folder import batch_of, check_special, settings_of
from bpe_studio.files.third_party.native_library import errors_of
from bpe_studio.files.third_party.sentencepiece_model import SentencePieceLibrary
from bpe_studio.files.third_party.tokenizer import Steps, ThirdPartyTokenizer

_ROLES = {"unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<pad>"}
_MAX_LENGTH = 512
_WHY_NO_MERGES = (
    "There are no steps to show, because the ids of its pieces are those of vocab.json, which has no merges; its ids "
    "are those of its library"
)


class MarianLibrary(SentencePieceLibrary):
    """A model with the ids of a `vocab.json`.

    Args:
        data: the bytes of the model.
        vocab: the ids.
        listed: the added tokens by id.
        special: the special tokens, of which those that have no id yet are added.
        unknown: the token for every other piece.
        eos: the token after a text.

    Raises:
        TokenizerFormatError: the model is not valid, or the unknown token has no id.
    """

    finds_special = True

    def __init__(
        self,
        data: bytes,
        vocab: dict[str, int],
        listed: dict[int, AddedToken],
        special: Sequence[str],
        unknown: str,
        eos: str,
    ) -> None:
        super().__init__(data, sentencepiece.parsed(data))
        if unknown not in vocab:
            raise TokenizerFormatError(f"vocab.json has no id for the unknown token {unknown[:40]!r}")
        self._vocab, self._eos = vocab, eos
        self._added = dict(listed)
        self._numbers_of_added = {token.content: number for number, token in listed.items()}
        known = {**vocab, **self._numbers_of_added}
        following = len(known)
        for name in special:
            if name and name not in self._numbers_of_added:
                if name not in known:
                    known[name], following = following, following + 1
                self._numbers_of_added[name] = known[name]
                self._added[known[name]] = AddedToken(name, special=True)
        self._known = {**vocab, **self._numbers_of_added}
        self.tokens = {number: name for name, number in sorted(self._known.items(), key=lambda one: one[1])}
        self.special_ids = {name: self._known[name] for name in special if name}
        self.added_ids = self._numbers_of_added
        self.unknown_id, self._unknown = self._known[unknown], vocab[unknown]
        self._masked = set(self.special_ids.values()) - {self.unknown_id}
        # A token whose id another one has taken is not found.
        names = sorted({token.content for token in self._added.values() if token.content}, key=len, reverse=True)
        self._finder = re.compile("|".join(map(re.escape, names))) if names else None

    def encode(self, text: str, *, add_special_tokens: bool, recognize_special: bool) -> Encoding:
        """The tokens of a text."""
        found = list(self._tokenized(text, recognize_special))
        found += [(self._eos, (0, 0))] if add_special_tokens else []
        names = [name for name, _ in found]
        ids = [self._number_of(name) for name in names]
        return Encoding(
            ids, names, [place for _, place in found], special_tokens_mask=self._mask(ids, add_special_tokens)
        )

    def ids(self, text: str, *, recognize_special: bool) -> list[int]:
        """The ids of a text."""
        return [self._number_of(name) for name, _ in self._tokenized(text, recognize_special)]

    def ids_of(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each of several texts."""
        return [self.ids(text, recognize_special=False) for text in texts]

    def inputs(
        self,
        texts: Sequence[Sequence[str]],
        options: BatchOptions,
        *,
        add_special_tokens: bool,
        recognize_special: bool,
    ) -> InputRows:
        """The input of each text or pair of texts, truncated, followed by what was cut off."""
        parts = [
            self.encode(text, add_special_tokens=False, recognize_special=recognize_special)
            for each in texts
            for text in each
        ]
        sizes = list(map(len, texts))
        templates = {size: self.template(size)[: None if add_special_tokens else -1] for size in set(sizes)}
        encoded = EncodedTexts.of_encodings(parts)

        def tokens() -> list[str]:
            return [token for part in parts for token in part.tokens]

        rows = input_rows(encoded, tokens, sizes, templates, self.id_of, options)
        ids = rows.columns[IDS]
        of_marian: dict[str, Callable[[], Lists]] = {
            TYPES: lambda: [[0] * length for length in rows.lengths],
            SPECIAL: lambda: [self._mask(row, add_special_tokens) for row in ids()],
        }
        return InputRows(rows.lengths, rows.numbers, {**rows.columns, **of_marian})

    def template(self, n_texts: int) -> Sequence[Part]:
        """The parts of an input of one text, or of two."""
        return [*((number, 0) for number in range(n_texts)), (self._eos, 0)]

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        """The text of token ids."""
        text, waiting = "", list[str]()
        with errors_of(self.name, VocabularyError, "The ids cannot be decoded"):
            for number in ids:
                name = self.tokens[number]
                if name not in self.special_ids:
                    waiting.append(name)
                elif not skip_special_tokens:
                    text += str(self._model.DecodePieces(waiting)) + name + " "
                    waiting = []
            return (text + str(self._model.DecodePieces(waiting))).replace("▁", " ").strip()

    def id_of(self, token: str) -> int | None:
        """The id of a token; `None` if there is no such token."""
        return self._known.get(token)

    def content(self, number: int) -> bytes:
        """The bytes that a token stands for inside a text."""
        name = self.tokens[number]
        return (name if name in self._numbers_of_added else name.replace("▁", " ")).encode()

    def _mask(self, ids: Sequence[int], has_end: bool) -> list[int]:
        """1 for special tokens, those of the text included; without an end after the text, Transformers marks none."""
        return [*(int(number in self._masked) for number in ids[:-1]), 1] if has_end else [0] * len(ids)

    def _number_of(self, name: str) -> int:
        number = self._numbers_of_added.get(name, self._vocab.get(name))
        return self._unknown if number is None else number

    def _tokenized(self, text: str, recognize_special: bool) -> Iterator[tuple[str, tuple[int, int]]]:
        """The tokens of a text and their places."""
        for part, start in self._parts(text) if recognize_special else [(text, 0)]:
            if recognize_special and (part in self._numbers_of_added or part in self.special_ids):
                yield part, (start, start + len(part))
            elif part:
                yield from self._pieces_of(part, start)

    def _pieces_of(self, text: str, start: int) -> Iterator[tuple[str, tuple[int, int]]]:
        end = text.find("<<") if text.startswith(">>") else -1
        if end != -1:
            yield text[: end + 2], (start, start + end + 2)
            text, start = text[end + 2 :], start + end + 2
        with errors_of(self.name, VocabularyError, "The text cannot be encoded"):
            found = self._model.EncodeAsOffsetMapping(text)
        for name, (first, last) in zip(found["pieces"], found["offsets"], strict=True):
            yield name, (start + first, start + last)

    def _parts(self, text: str) -> list[tuple[str, int]]:
        """The added tokens in a text and what is between them, and where each begins."""
        if self._finder is None:
            return [(text, 0)]
        cuts = sorted({0, len(text), *(place for match in self._finder.finditer(text) for place in match.span())})
        parts = [(text[start:end], start) for start, end in pairwise(cuts)]
        for place in range(len(parts)):
            name, start = parts[place]
            number = self._numbers_of_added.get(name)
            if number is None:
                continue
            token = self._added[number]
            left, begin = parts[place - 1] if place else ("", 0)
            right, after = parts[place + 1] if place + 1 < len(parts) else ("", 0)
            if token.rstrip and right:
                parts[place + 1] = (right.lstrip(), after + len(right) - len(right.lstrip()))
            if token.lstrip and left:
                parts[place - 1] = (left.rstrip(), begin)
            if token.single_word and left and left[-1] != " ":
                parts[place - 1 : place + 1] = [(parts[place - 1][0] + name, begin), ("", start)]
            elif token.single_word and right and right[0] != " ":
                parts[place : place + 2] = [("", start), (name + parts[place + 1][0], start)]
        return parts


def tokenizer_of(files: FolderFiles, side: SideFiles) -> ThirdPartyTokenizer:
    """The tokenizer of a folder of Marian.

    Args:
        files: its files.
        side: those of them that are written again as they are.

    Raises:
        TokenizerFormatError: Transformers does not open it.
    """
    if files.vocab_file != "source.spm" or files.vocab is None or not files.target:
        raise TokenizerFormatError("its class needs source.spm, target.spm and vocab.json")
    if files.config.get("separate_vocabs") or files.config.get("sp_model_kwargs"):
        raise TokenizerFormatError("'separate_vocabs' and 'sp_model_kwargs' are not known here")
    said = settings_of(files)
    roles = {role: said.values.get(role, _ROLES.get(role)) for role in ROLES}
    named = {**roles, **said.own}
    check_special(named, said.extra)
    if roles["unk_token"] is None or roles["eos_token"] is None:
        raise TokenizerFormatError("its class needs unk_token and eos_token, one of which is null")
    special = list(dict.fromkeys(str(value) for value in (*named.values(), *said.extra) if value is not None))
    library = MarianLibrary(
        files.model, files.vocab, said.listed, special, str(roles["unk_token"]), str(roles["eos_token"])
    )
    batch = batch_of(said.values, roles["pad_token"], default_length=_MAX_LENGTH)
    kept = Kept("all files of its folder", "; ".join(name for name in side.left if name != "vocab.json"))
    own_files = OwnFiles("huggingface", kept, partial(_content, files, side), None)
    return ThirdPartyTokenizer(library, partial(Steps, None, _WHY_NO_MERGES), batch=batch, own_files=own_files)


def _content(files: FolderFiles, side: SideFiles) -> dict[str, str | bytes]:
    config = {**files.config, "tokenizer_class": files.config.get("tokenizer_class") or "MarianTokenizer"}
    texts = {"vocab.json": files.vocab, CONFIG: config}
    models = {"source.spm": files.model, "target.spm": files.target}
    return {**models, **side.texts, **{name: json.dumps(one, ensure_ascii=False) for name, one in texts.items()}}
