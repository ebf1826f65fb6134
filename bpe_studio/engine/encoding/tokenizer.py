"""A finished tokenizer: text to ids and back.

It works with a `TokenizerModel`, which comes from a run or from a file. It does not train; `segmentation.py` encodes
typed text with a run that is still training.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import ceil
from os import PathLike
from typing import Any

import numpy as np

from bpe_studio.engine.arrays import Int32Array
from bpe_studio.engine.counting.plain_counting import specials_pattern
from bpe_studio.engine.encoding.batching import BatchOptions, to_tensors
from bpe_studio.engine.encoding.bulk_tokenizer import BulkTokenizer
from bpe_studio.engine.encoding.pre_token_encoder import PreTokenEncoder
from bpe_studio.engine.encoding.token_marks import TokenMarks
from bpe_studio.engine.encoding.tokenizer_model import Encoding, Template, TokenizerModel
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.text.alphabet import from_stand_ins
from bpe_studio.engine.text.pretokenization import WORD_START, spans
from bpe_studio.engine.text.timed_matches import TimeBudget
from bpe_studio.errors import VocabularyError

__all__ = ["Encoding", "Template", "Tokenizer", "TokenizerModel"]

_PADS = ("[PAD]", "<pad>", "<|pad|>", "<PAD>")


class Tokenizer:
    """Encodes text as token ids, and decodes ids.

    >>> from bpe_studio import Corpus, TrainingConfig, train
    >>> config = TrainingConfig.preset("gpt2", merges=2)
    >>> tokenizer = train(Corpus.from_text("hug hugs", config), config).tokenizer()
    >>> tokenizer.encode("a hug").tokens
    ['a', 'Ġ', 'hug']
    >>> tokenizer.decode(tokenizer.encode("a hug").ids)
    'a hug'
    """

    def __init__(self, model: TokenizerModel) -> None:
        self.model = model
        self._ids = {name: number for number, name in reversed(list(enumerate(model.tokens)))}
        self._ids.update(model.special_ids)
        self._specials = {number: name for name, number in model.special_ids.items()}
        self._marks = TokenMarks(model)
        self._pieces = PreTokenEncoder(model, self._ids, self._marks)
        self._bulk = BulkTokenizer(model, self._ids) if BulkTokenizer.is_possible(model) else None

    @property
    def vocab_size(self) -> int:
        """The number of tokens: alphabet, merges and special tokens."""
        return len(self.model.tokens)

    @property
    def n_merges(self) -> int:
        """The number of merges, which is the last step."""
        return len(self.model.merges)

    @property
    def pad_id(self) -> int:
        """The id that fills up a batch: the pad token's, or that of a special token with a usual name, or the first.

        Raises:
            VocabularyError: there is no special token.
        """
        for name in (self.model.pad_token, *_PADS, *self.model.special_ids):
            if name is not None and name in self._ids:
                return self._ids[name]
        raise VocabularyError(
            "Padding needs a special token to pad with, and this tokenizer has none; train it with one"
        )

    def encode(
        self,
        text: str | bytes,
        *,
        step: int | None = None,
        add_special_tokens: bool = False,
        recognize_special: bool = False,
    ) -> Encoding:
        """The tokens of a text.

        Args:
            text: the text; with byte units, bytes need not be valid UTF-8.
            step: how many merges apply; `None` for all.
            add_special_tokens: whether to put the template's special tokens around the text.
            recognize_special: whether the text of a special token becomes that token, and is not text like any other.

        Raises:
            VocabularyError: a character is outside the alphabet and there is no unknown token.
            PatternError: the split's own expression takes too long on this text.
        """
        if isinstance(text, bytes):
            text = text.decode("utf-8", "surrogateescape")
        limit, budget = self._limit(step), TimeBudget()
        ids: list[int] = []
        offsets: list[tuple[int, int]] = []
        for begin, part, special in self._parts(text, recognize_special):
            at_once = None if special is not None or self._bulk is None else self._bulk.places(part, limit)
            if special is not None:
                ids.append(special)
                offsets.append((begin, begin + len(part)))
            elif at_once is not None:
                numbers, starts, ends = at_once
                ids.extend(numbers.tolist())
                offsets.extend(zip((begin + starts).tolist(), (begin + ends).tolist(), strict=True))
            else:
                for found, where in self._words(part, limit, budget):
                    ids.extend(found)
                    offsets.extend((int(begin + a), ceil(begin + b)) for a, b in where)
        if add_special_tokens and self.model.template is not None:
            before, after = ([self._ids[name] for name in names] for names in self._template_names())
            ids = [*before, *ids, *after]
            offsets = [(0, 0)] * len(before) + offsets + [(0, 0)] * len(after)
        return Encoding(ids, self.convert_ids_to_tokens(ids), offsets, [1] * len(ids), [0] * len(ids))

    def encode_ids(self, text: str | bytes, *, step: int | None = None) -> Int32Array:
        """The ids of a text as an array, without special tokens; several times faster than `encode` for large texts.

        Args:
            text: the text.
            step: how many merges apply; `None` for all.

        Returns:
            (n,) int32.

        Raises:
            VocabularyError: a character is outside the alphabet and there is no unknown token.
            PatternError: the split's own expression takes too long on this text.
        """
        if isinstance(text, bytes):
            text = text.decode("utf-8", "surrogateescape")
        limit = self._limit(step)
        found = None if self._bulk is None else self._bulk.ids(text, limit)
        return np.array(self.encode(text, step=step).ids, np.int32) if found is None else found

    def tokenize(self, text: str, *, step: int | None = None) -> list[str]:
        """The tokens of a text, in the spelling of logs."""
        return self.encode(text, step=step).tokens

    def decode_bytes(self, ids: Iterable[int], *, skip_special_tokens: bool = False) -> bytes:
        """The UTF-8 bytes of token ids; with byte units they need not be valid UTF-8.

        Raises:
            VocabularyError: an id is not in the vocabulary.
        """
        contents = []
        for number in ids:
            if not 0 <= number < len(self.model.tokens):
                raise VocabularyError(
                    f"There is no token with id {number}; ids go from 0 to {len(self.model.tokens) - 1:,}"
                )
            if number in self._specials:
                contents.append(b"" if skip_special_tokens else self._specials[number].encode("utf-8", "surrogatepass"))
            else:
                contents.append(self._content(number))
        joined = b"".join(contents)
        if self.model.config.split == "sentencepiece" and self.model.config.units == "bytes":
            # The mark has three bytes, which may be in several tokens.
            joined = joined.replace(WORD_START.encode(), b" ")
        if self.model.config.split == "sentencepiece" and joined.startswith(b" "):
            return joined[1:]
        if self._ends_words and self.model.config.drops_text:
            return joined.removesuffix(b" ")
        if self._starts_words and self.model.config.drops_text:
            return joined.removeprefix(b" ")
        return joined

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The text of token ids; bytes that are not valid UTF-8 become U+FFFD.

        Raises:
            VocabularyError: an id is not in the vocabulary.
        """
        return self.decode_bytes(ids, skip_special_tokens=skip_special_tokens).decode("utf-8", "replace")

    def convert_tokens_to_ids(self, tokens: str | Sequence[str]) -> Any:
        """The id of each token; for other texts, the id of the unknown token.

        Raises:
            VocabularyError: a text is not a token, and there is no unknown token.
        """
        if not isinstance(tokens, str):
            return [self.convert_tokens_to_ids(token) for token in tokens]
        number = self._ids.get(tokens, self.model.unknown_id)
        if number is None:
            raise VocabularyError(f"{tokens!r} is not a token of this tokenizer; `tokenize` gives the tokens of a text")
        return number

    def convert_ids_to_tokens(self, ids: int | Sequence[int]) -> Any:
        """The token of each id, in the spelling of logs.

        Raises:
            VocabularyError: an id is not in the vocabulary.
        """
        if isinstance(ids, int):
            return self.convert_ids_to_tokens([ids])[0]
        if len(ids) and not 0 <= min(ids) <= max(ids) < len(self.model.tokens):
            wrong = next(number for number in ids if not 0 <= number < len(self.model.tokens))
            raise VocabularyError(f"There is no token with id {wrong}; ids go from 0 to {len(self.model.tokens) - 1:,}")
        return list(map(self.model.tokens.__getitem__, ids))

    def __call__(
        self,
        text: str | Sequence[str],
        *,
        padding: bool | str = False,
        truncation: bool | str | None = None,
        max_length: int | None = None,
        add_special_tokens: bool = True,
        return_tensors: str | None = None,
    ) -> dict[str, Any]:
        """Encodes one text or several as model input, with the names and meanings of Transformers.

        Returns:
            `input_ids`, `token_type_ids` and `attention_mask`: lists for one text, lists of lists for several, or
            arrays of shape (texts, tokens) if `return_tensors` is given.
        """
        options = BatchOptions(padding, truncation, max_length, return_tensors)
        if max_length is None and (options.truncates or padding == "max_length"):
            options = replace(options, max_length=self.model.model_max_length)
        texts = [text] if isinstance(text, str) else list(text)
        rows = [self._truncated(one, options, add_special_tokens) for one in texts]
        width = options.width([len(row) for row in rows])
        filled = [row + [self.pad_id] * (width - len(row)) if len(row) < width else row for row in rows]
        masks = [[1] * len(row) + [0] * (width - len(row)) for row in rows]
        types = [[0] * len(row) for row in filled]
        columns: dict[str, Any] = {"input_ids": filled, "token_type_ids": types, "attention_mask": masks}
        if isinstance(text, str) and return_tensors is None:
            return {name: values[0] for name, values in columns.items()}
        return to_tensors(columns, return_tensors)

    def at(self, step: int) -> Tokenizer:
        """The tokenizer after `step` merges, with only the tokens that it had then.

        Where merges are out of order, those whose parts are not there yet are left out; see `TokenizerModel.until`.

        Raises:
            VocabularyError: there are fewer merges.
        """
        self._limit(step)
        return Tokenizer(self.model.until(step))

    def save(self, path: str | PathLike[str], format: str = "huggingface") -> None:  # noqa: A002 - the public name
        """Write the tokenizer to disk; `bpe_studio.load` reads it back.

        Raises:
            SaveError: the format cannot hold this tokenizer exactly, or the file cannot be written.
        """
        file_access().save_tokenizer(self, path, format)

    def _truncated(self, text: str, options: BatchOptions, add_special_tokens: bool) -> list[int]:
        ids: list[int] = self.encode_ids(text).tolist()
        names = self._template_names() if add_special_tokens else ((), ())
        before, after = ([self._ids[name] for name in part] for part in names)
        if options.truncates and options.max_length is not None:
            ids = ids[: max(0, options.max_length - len(before) - len(after))]
        return [*before, *ids, *after]

    def _template_names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        template = self.model.template
        return ((), ()) if template is None else (template.before, template.after)

    def _limit(self, step: int | None) -> int:
        if step is None:
            return NEVER
        if not 0 <= step <= self.n_merges:
            raise VocabularyError(f"There is no step {step:,}; the tokenizer's steps go from 0 to {self.n_merges:,}")
        return step

    @cached_property
    def _special_pattern(self) -> Any:
        return specials_pattern(self.model.special_ids) if self.model.special_ids else None

    def _parts(self, text: str, recognize: bool) -> Iterator[tuple[int, str, int | None]]:
        """The text between special tokens, and the special tokens: (start, text, id of the special token or None)."""
        begin = 0
        if recognize and self._special_pattern is not None:
            for match in self._special_pattern.finditer(text):
                if match.start() > begin:
                    yield begin, text[begin : match.start()], None
                yield match.start(), match.group(), self.model.special_ids[match.group()]
                begin = match.end()
        if begin < len(text):
            yield begin, text[begin:], None

    def _words(
        self, text: str, limit: int, budget: TimeBudget
    ) -> Iterator[tuple[list[int], list[tuple[float, float]]]]:
        config = self.model.config
        aligned = self.model.normalized(text)
        source = text if aligned is None else aligned.text
        marked = config.split == "sentencepiece"
        for start, end in spans(source, config.split, budget=budget):
            piece = WORD_START + source[start:end] if marked else source[start:end]
            ids, places = self._pieces.cut(piece, limit)
            if aligned is None:
                yield ids, [(start + a, start + b) for a, b in places]
            else:
                back = aligned.starts
                yield ids, [(_to_source(back, start + a), _to_source(back, start + b)) for a, b in places]

    @cached_property
    def _ends_words(self) -> bool:
        return self.model.config.word_end is not None

    @cached_property
    def _starts_words(self) -> bool:
        return self.model.config.continuing is not None

    def _content(self, number: int) -> bytes:
        """The bytes of a token; a mark at a word's end or start becomes the space that the split dropped."""
        config = self.model.config
        name = self.model.tokens[number]
        space = b" " if config.drops_text else b""
        before = after = b""
        is_continuing, is_ending = self._marks.of(number) if self._marks.has_any else (False, False)
        if is_continuing:
            name = name.removeprefix(config.continuing or "")
        elif config.continuing is not None and config.word_end is None:
            before = space
        if is_ending:
            name, after = name.removesuffix(config.word_end or ""), space
        content = from_stand_ins(name) if config.units == "bytes" else name.encode("utf-8", "surrogatepass")
        if config.split == "sentencepiece":
            content = content.replace(WORD_START.encode(), b" ")
        return before + content + after


def _to_source(starts: Any, place: float) -> float:
    """A place in the normalized text as a place in the source."""
    whole = min(int(place), len(starts) - 1)
    following = starts[min(whole + 1, len(starts) - 1)]
    return float(starts[whole] + (place - whole) * (following - starts[whole]))
