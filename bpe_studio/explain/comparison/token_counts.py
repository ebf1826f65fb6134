"""The number of tokens of texts under several tokenizers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bpe_studio.engine.arguments import each_text, expect
from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.file_access import file_access
from bpe_studio.explain.group_measures import Row, ratio
from bpe_studio.explain.wording import plural
from bpe_studio.files.third_party.piece_counting import tokens_in_texts
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

_LARGE = 1_000_000
"""From this many characters on, counting the distinct pieces of a text, and proving that this gives
the same, takes less time than encoding the text.
"""


@dataclass(frozen=True)
class Comparison:
    """Texts under several tokenizers.

    Attributes:
        rows: a dict for each tokenizer, with the columns of `bpe-studio compare`;
            `pandas.DataFrame(rows)` makes a table of them.
    """

    rows: list[Row]

    def __repr__(self) -> str:
        return f"<Comparison of {plural(len(self.rows), 'tokenizer')}>"

    def _repr_html_(self) -> str:
        return file_access().html_of(self)


def compare(tokenizers: Mapping[str, Tokenizer], texts: str | Iterable[str]) -> Comparison:
    """Count the tokens of texts under several tokenizers.

    Args:
        tokenizers: the tokenizers, by names of your choice; `tokenizer.at(step)` is a tokenizer
            after fewer merges.
        texts: a text, or several, which count as one.

    >>> from bpe_studio import Corpus, TrainingConfig, train
    >>> config = TrainingConfig.preset("gpt2", merges=2, vocab_size=None)
    >>> trained = train(Corpus.from_text("hug hug", config), config).tokenizer()
    >>> found = compare({"bytes": trained.at(0), "two merges": trained}, "hug hut")
    >>> [(row["tokenizer"], row["n_tokens"]) for row in found.rows]
    [('bytes', 7), ('two merges', 4)]
    """
    expect(tokenizers, Mapping, 'give the tokenizers by name, such as {"mine": tokenizer}')
    for tokenizer in tokenizers.values():
        expect(tokenizer, Tokenizer, "give one, such as load(path)")
    known = [texts] if isinstance(texts, str) else list(each_text(texts))
    rows = [compared_row(name, each.n_merges, each, known) for name, each in tokenizers.items()]
    return Comparison(rows)


def compared_row(name: str, step: int, tokenizer: Tokenizer, texts: Sequence[str]) -> Row:
    """The counts and ratios of texts under one tokenizer."""
    counts = token_counts(tokenizer, texts)
    n_tokens = int(counts.sum())
    unknown = tokenizer.unknown_id
    n_unknown = 0 if unknown is None else int(counts[unknown])
    n_bytes = sum(map(_n_bytes, texts))
    n_words = sum(len(text.split()) for text in texts)
    return {
        "tokenizer": name,
        "step": step,
        "vocab_size": tokenizer.vocab_size,
        "n_tokens": n_tokens,
        "bytes_per_token": ratio(n_bytes, n_tokens),
        "chars_per_token": ratio(sum(map(len, texts)), n_tokens),
        "fertility": ratio(n_tokens, n_words),
        "n_unknown": n_unknown,
        "n_types_used": int(np.count_nonzero(counts)),
    }


def _n_bytes(text: str) -> int:
    """The size of a text in UTF-8.

    A lone surrogate that stands for a stray byte counts as that byte; any other has three bytes.
    """
    try:
        return len(text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return len(text.encode("utf-8", "surrogatepass"))


def token_counts(tokenizer: Tokenizer, texts: Sequence[str]) -> Int64Array:
    """(n,) int64, the count of each token."""
    counts = np.zeros(max(tokenizer.tokens, default=0) + 1, np.int64)
    if isinstance(tokenizer, ThirdPartyTokenizer) and sum(map(len, texts)) >= _LARGE:
        found = tokens_in_texts(tokenizer, texts)
        if found is not None:
            return found
    if not isinstance(tokenizer, ThirdPartyTokenizer):
        return np.bincount(tokenizer.encode_many(texts, as_arrays=True).ids, minlength=len(counts))
    for text in texts:
        counts += np.bincount(tokenizer.encode_ids(text), minlength=len(counts))
    return counts
