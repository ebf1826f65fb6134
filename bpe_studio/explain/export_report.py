"""A report on a tokenizer that was written to a file: whether it cuts the words of a corpus as it
did before.

The file is read again, and both tokenizers encode each distinct word of the corpus. Words are
joined into longer texts, because one long text is encoded much faster than its words. Where such a
text is encoded differently, its words are compared one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.engine.generators import relay
from bpe_studio.errors import BpeError
from bpe_studio.explain.wording import number, plural
from bpe_studio.files.formats.registry import FORMATS, kept

if TYPE_CHECKING:
    from os import PathLike

    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.encoding.tokenizer import Tokenizer

N_TOGETHER = 1000
MOST_EXAMPLES = 20
Tokens = tuple[str, ...] | None
"""The tokens of a word; None if it cannot be encoded."""


@dataclass(frozen=True)
class WordDifference:
    """A word that the two tokenizers cut differently: its text, and its tokens before and after."""

    word: str
    before: Tokens
    after: Tokens


@dataclass(frozen=True)
class WordComparison:
    """The numbers of words that two tokenizers encode alike and differently.

    Attributes:
        n_words: the number of distinct words that were compared.
        n_other_tokens: the number of words with other tokens.
        n_other_ids: the number of words with the same tokens, but other ids.
        examples: the first words with other tokens.
    """

    n_words: int
    n_other_tokens: int = 0
    n_other_ids: int = 0
    examples: tuple[WordDifference, ...] = ()


@dataclass(frozen=True)
class ExportReport:
    """A tokenizer before and after it was written.

    Attributes:
        path: the file or folder.
        description: the format.
        keeps: the parts of the tokenizer that the format holds.
        drops: the parts that it does not hold; "" for none.
        comparison: of the words of the open corpus.
    """

    path: str | PathLike[str]
    description: str
    keeps: str
    drops: str
    comparison: WordComparison

    @property
    def sentence(self) -> str:
        """The result of the comparison."""
        found = self.comparison
        words = plural(found.n_words, "distinct word")
        if not found.n_words:
            return "There is no corpus, so no words were compared."
        if found.n_other_tokens:
            other = number(found.n_other_tokens)
            return (
                f"Checked: the saved file gives different tokens for {other} of {words} of the"
                " corpus."
            )
        if found.n_other_ids:
            return (
                f"Checked: the saved file gives the same tokens for all {words}, with different"
                " ids."
            )
        return (
            f"Checked: the saved file gives the same tokens and ids for all {words} of the corpus."
        )


def reporting(
    made: Callable[[], Tokenizer],
    read_again: Callable[[], Tokenizer],
    path: str | PathLike[str],
    form: str,
    corpus: Corpus,
) -> Generator[tuple[int, int], None, ExportReport]:
    """Makes the report on a tokenizer that was written.

    Args:
        made: returns the tokenizer.
        read_again: returns the tokenizer of the file.
        path: the file or folder.
        form: the name of its format.
        corpus: the corpus whose words are compared.

    Yields:
        The number of words that have been compared, and of all words.

    Raises:
        TokenizerFormatError: the file cannot be read.
    """
    words = words_of(corpus)
    yield 0, len(words)
    before = made()
    yield 0, len(words)
    comparing = compare_words(before, read_again(), words)
    comparison = yield from relay(comparing, lambda done: (done, len(words)))
    return ExportReport(path, FORMATS[form].description, *kept(before, form), comparison)


def words_of(corpus: Corpus) -> list[str]:
    """The distinct words of a corpus as texts that a tokenizer can encode."""
    # A tokenizer puts the mark of SentencePiece before each word itself.
    mark = corpus.config.word_start
    return [word for name in corpus.pre_tokens() if (word := name.removeprefix(mark))]


def compare_words(
    before: Tokenizer, after: Tokenizer, words: Sequence[str]
) -> Generator[int, None, WordComparison]:
    """Encode words with two tokenizers; yields the number of words that have been compared."""
    n_other_tokens = 0
    n_other_ids = 0
    examples: list[WordDifference] = []
    for begin in range(0, len(words), N_TOGETHER):
        part = words[begin : begin + N_TOGETHER]
        if not _is_same(before, after, "\n".join(part)):
            for word in part:
                if _is_same(before, after, word):
                    continue
                one = _tokens(before, word)
                other = _tokens(after, word)
                if one == other:
                    n_other_ids += 1
                    continue
                n_other_tokens += 1
                if len(examples) < MOST_EXAMPLES:
                    examples.append(WordDifference(word, one, other))
        yield begin + len(part)
    return WordComparison(len(words), n_other_tokens, n_other_ids, tuple(examples))


def _is_same(before: Tokenizer, after: Tokenizer, text: str) -> bool:
    try:
        one = before.encode_ids(text)
        other = after.encode_ids(text)
    except BpeError:
        return False
    ids = one.tolist()
    if ids != other.tolist():
        return False
    return bool(before.convert_ids_to_tokens(ids) == after.convert_ids_to_tokens(ids))


def _tokens(tokenizer: Tokenizer, word: str) -> Tokens:
    try:
        return tuple(tokenizer.tokenize(word))
    except BpeError:
        return None
