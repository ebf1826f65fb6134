"""Opens a tokenizer with a library by name, to compare the ids of that library with ours or with
others.

`transformers` and `tiktoken` need not be installed. Only the ids come from the library; everything
else (tokens, merges, normalizer) is read as usual.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any

from bpe_studio.engine.encoding.batching import BatchOptions, Words
from bpe_studio.engine.encoding.input_rows import InputRows
from bpe_studio.engine.encoding.tokenizer import Encoding, Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import Part
from bpe_studio.engine.text.alphabet import from_stand_ins
from bpe_studio.engine.text.pretokenization import compile_split
from bpe_studio.errors import TokenizerFormatError, VocabularyError
from bpe_studio.files.extras import needed
from bpe_studio.files.formats import sentencepiece, tiktoken
from bpe_studio.files.formats.huggingface.folder import Batch
from bpe_studio.files.formats.huggingface.writing import added_token
from bpe_studio.files.formats.tokenizer_file import contents, json_of, lines_of, reading
from bpe_studio.files.json_parts import checked
from bpe_studio.files.loading import load
from bpe_studio.files.recognition import TOKENIZERS, recognize
from bpe_studio.files.third_party import hub, tekken, tiktoken_ranks
from bpe_studio.files.third_party.hugging_face import (
    HuggingFaceLibrary,
    check_json,
    read_piece_merges,
)
from bpe_studio.files.third_party.native_library import Library, errors_of
from bpe_studio.files.third_party.piece_merges import PieceMerges
from bpe_studio.files.third_party.ranked_tokens import RankedTokens
from bpe_studio.files.third_party.sentencepiece_model import SentencePieceLibrary
from bpe_studio.files.third_party.tokenizer import Steps, ThirdPartyTokenizer

LIBRARIES = ("transformers", "tokenizers", "sentencepiece", "tiktoken")
_KINDS = {"tokenizers": "huggingface", "sentencepiece": "sentencepiece"}
"""The kind of file that a library opens."""


def loading_through(
    library: str, path: str, split: str | None = None
) -> Generator[tuple[int, int], None, Tokenizer]:
    """Opens a tokenizer with a library, as a job; yields the bytes that have been fetched, and all.

    Args:
        library: a name of `LIBRARIES`.
        path: a folder or a file, or `hf:OWNER/NAME`.
        split: the split, if the file does not say it.

    Raises:
        TokenizerFormatError: the library is not installed, or cannot open it.
    """
    yield 0, 0
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    module = needed(library, f"--through {library} compares with that library")
    place = os.fspath(path)
    if hub.is_address(path):
        place = os.fspath((yield from hub.fetching(path)))
    if library == "transformers":
        return _of_transformers(module, place)
    if library == "tiktoken":
        return _of_tiktoken(module, place, split)
    file = _file(place, _KINDS[library])
    with reading(file, TOKENIZERS[_KINDS[library]]):
        if library == "tokenizers":
            root = check_json(json_of(file))
            return _opened(HuggingFaceLibrary(root), partial(read_piece_merges, root))
        data = contents(file)
        model = _PlainSentencePieceLibrary(data, sentencepiece.parsed(data))
        return _opened(model, model.read_piece_merges)


def _opened(
    library: Library, read: Callable[[], PieceMerges], batch: Batch | None = None
) -> ThirdPartyTokenizer:
    return ThirdPartyTokenizer(library, partial(Steps.of, read), batch=batch)


def _file(path: str, kind: str) -> str:
    """The file of a kind: the path itself, or the first such file in a folder."""
    files = [path]
    if os.path.isdir(path):
        files = sorted(os.path.join(path, name) for name in os.listdir(path))
    for file in files:
        if os.path.isfile(file) and recognize(file).kind == kind:
            return file
    raise TokenizerFormatError(f"{path} has no {TOKENIZERS[kind]}: choose another library")


class _PlainSentencePieceLibrary(SentencePieceLibrary):
    """A model by itself: programs put special tokens around its ids."""

    def template(self, n_texts: int) -> Sequence[Part]:
        """Nothing: the library has no templates."""
        return ()


class _AskedLibrary(HuggingFaceLibrary):
    """A tokenizer whose ids come from another library, and all the rest from a `tokenizer.json` of
    the same tokenizer.

    Args:
        name: the library.
        root: the content of the file.
        ask: gives the ids of a text, given the text, whether to put special tokens around it, and
            whether to find them in it.
    """

    def __init__(
        self, name: str, root: dict[str, Any], ask: Callable[[str, bool, bool], Sequence[int]]
    ) -> None:
        super().__init__(root, is_ours=True)
        self.name = name
        self._ask = ask

    def encode(self, text: str, *, add_special_tokens: bool, recognize_special: bool) -> Encoding:
        """The tokens of a text, without places."""
        with errors_of(self.name, VocabularyError, "The text cannot be encoded"):
            ids = list(self._ask(text, add_special_tokens, recognize_special))
        tokens = [self.tokens.get(number, str(number)) for number in ids]
        return Encoding(ids, tokens, list)

    def ids(self, text: str, *, recognize_special: bool) -> list[int]:
        """The ids of a text, without special tokens around it."""
        return self.encode(text, add_special_tokens=False, recognize_special=recognize_special).ids

    def ids_of(self, texts: Sequence[str], *, recognize_special: bool) -> list[list[int]]:
        """The ids of each of several texts, without special tokens around them."""
        return [self.ids(text, recognize_special=recognize_special) for text in texts]


class _AskedTiktoken(_AskedLibrary):
    """A tokenizer of tiktoken: ranks, an expression and special tokens.

    The rest of the `tokenizer.json` that stands for them means nothing.

    Args:
        expression: the expression of the split.
        root, ask: see `_AskedLibrary`.
    """

    def __init__(
        self, expression: str, root: dict[str, Any], ask: Callable[[str, bool, bool], Sequence[int]]
    ) -> None:
        super().__init__("tiktoken", root, ask)
        self._expression = expression

    @property
    def settings(self) -> dict[str, Any]:
        """The expression."""
        return {"expression": self._expression}

    @property
    def added_flags(self) -> dict[str, dict[str, bool]]:
        """No flags: special tokens are found as they are."""
        return {name: {} for name in self.added_ids}

    def template(self, n_texts: int) -> Sequence[Part]:
        """Nothing: the library has no templates."""
        return ()


class _AskedTransformers(_AskedLibrary):
    """A tokenizer of Transformers; its class may run in pure Python.

    Args:
        opened: the tokenizer.
        root: its `tokenizer.json`, or one with the same tokens.
    """

    def __init__(self, opened: Any, root: dict[str, Any]) -> None:
        super().__init__("transformers", root, self._ids_of)
        self._opened = opened

    def _ids_of(self, text: str, adds: bool, recognizes: bool) -> Sequence[int]:
        found: Sequence[int] = self._opened.encode(
            text, add_special_tokens=adds, split_special_tokens=not recognizes
        )
        return found

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        """The text of token ids."""
        with errors_of(self.name, VocabularyError, "The ids cannot be decoded"):
            text: str = self._opened.decode(list(ids), skip_special_tokens=skip_special_tokens)
        return text

    def inputs(
        self,
        texts: Sequence[Sequence[str | Words]],
        options: BatchOptions,
        *,
        add_special_tokens: bool,
        recognize_special: bool,
    ) -> InputRows:
        """The input of each text or pair of texts.

        Raises:
            VocabularyError: the tokenizer has no `tokenizer.json`.
        """
        if not self._opened.is_fast:
            name = type(self._opened).__name__
            raise VocabularyError(
                f"Transformers runs {name} in Python, of which only ids are asked: leave out --json"
            )
        return super().inputs(
            texts,
            options,
            add_special_tokens=add_special_tokens,
            recognize_special=recognize_special,
        )


def _of_transformers(transformers: Any, path: str) -> ThirdPartyTokenizer:
    folder = path if os.path.isdir(path) else os.path.dirname(path) or os.curdir
    with errors_of("transformers", TokenizerFormatError, f"{path} cannot be opened"):
        opened = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    root = (
        json.loads(opened.backend_tokenizer.to_str()) if opened.is_fast else _tokens_alone(opened)
    )
    root = check_json(root)
    sides = (
        "pad_token",
        "model_max_length",
        "padding_side",
        "truncation_side",
        "split_special_tokens",
    )
    settings = {name: getattr(opened, name) for name in sides}
    batch = Batch.of(settings)
    return _opened(_AskedTransformers(opened, root), partial(read_piece_merges, root), batch)


def _tokens_alone(opened: Any) -> dict[str, Any]:
    """A `tokenizer.json` with only the tokens of a tokenizer that Transformers runs in Python."""
    added = [
        added_token(number, str(token)) for number, token in opened.added_tokens_decoder.items()
    ]
    special = set(opened.all_special_tokens)
    for token in added:
        token["special"] = token["content"] in special
    parts = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder"))
    model = {"type": "WordLevel", "vocab": opened.get_vocab(), "unk_token": str(opened.unk_token)}
    return {"version": "1.0", "added_tokens": added, **parts, "model": model}


def _of_tiktoken(library: Any, path: str, split: str | None) -> ThirdPartyTokenizer:
    ranked = _ranked(path, split)
    pattern = compile_split(ranked.split).pattern if ranked.split != "none" else "(?s:.+)"
    ranks = {from_stand_ins(name): number for number, name in ranked.names.items()}
    with errors_of("tiktoken", TokenizerFormatError, f"{path} cannot be opened"):
        opened = library.Encoding(
            path, pat_str=pattern, mergeable_ranks=ranks, special_tokens=dict(ranked.special_ids)
        )

    def ids(text: str, _adds: bool, recognizes: bool) -> Sequence[int]:
        found: Sequence[int] = (
            opened.encode(text, allowed_special="all")
            if recognizes
            else opened.encode_ordinary(text)
        )
        return found

    root = check_json(ranked.as_tokenizer_json())
    return _opened(_AskedTiktoken(pattern, root, ids), partial(read_piece_merges, root))


def _ranked(path: str, split: str | None) -> RankedTokens:
    """The ranks in a file, or those of a tokenizer whose merges are in the order of its ids."""
    found = recognize(path)
    match found.kind:
        case "tiktoken":
            return tiktoken_ranks.ranked(
                lines_of(found.files[0]), os.path.basename(found.files[0]), split
            )[0]
        case "tekken":
            return tekken.ranked(checked(json_of(found.files[0]), dict, "the file"))
    tokenizer = load(path, split=split)
    tiktoken.content(tokenizer)  # raises an error if tiktoken cannot give the same ids
    special = tokenizer.special_ids
    names = {number: name for number, name in tokenizer.tokens.items() if name not in special}
    return RankedTokens(names, special, tokenizer.model.config.cutting)
