"""The difference between two tokenizers: the parts that only one has, and short texts that show it,
each with the part to blame.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.explain.tokenizer_diff import made_texts
from bpe_studio.explain.tokenizer_diff.blame import Blame, Part, blame
from bpe_studio.explain.tokenizer_diff.own_parts import OwnParts, own_parts, template_words
from bpe_studio.explain.tokenizer_diff.pair import TokenizerPair, ids_of
from bpe_studio.explain.tokenizer_diff.search import Search
from bpe_studio.explain.tokenizer_diff.sentences import what_differs

SECONDS = 20.0
GIVEN = "the texts given"
_SPECIAL = "special"
_PART = 200_000
_OVERLAP = 100
"""The numbers of characters of a given text that are compared at once, and again with the next."""


@dataclass(frozen=True)
class TextDifference:
    """A text with other ids in A than in B.

    Attributes:
        text: the text.
        ids: its ids in A and in B; `None` if it cannot be encoded.
        tokens: the tokens of these ids, as the files write them.
        blame: the part to blame.
        when: a phrase on how the text must be encoded for this; "" for the usual way.
        n_characters: all shorter texts of so many characters were tried; 0 for none.
        is_shortest: whether no shorter text differs.
    """

    text: str
    ids: tuple[list[int] | None, list[int] | None]
    tokens: tuple[list[str], list[str]]
    blame: Blame
    when: str = ""
    n_characters: int = 0
    is_shortest: bool = False


@dataclass(frozen=True, eq=False)
class TokenizerDifference:
    """The difference between two tokenizers.

    Attributes:
        own: the parts that only one has.
        said: sentences about the parts that differ.
        texts: a short text with different tokens, and texts that differ only if special tokens are
            treated in another way.
        n_tried: the number of texts that were tried.
        seconds: the time that it took.
        tried: the kinds of these texts.
        is_complete: whether there was time for all of them.
    """

    own: OwnParts
    said: list[str]
    texts: list[TextDifference]
    n_tried: int
    seconds: float
    tried: list[str]
    is_complete: bool

    @property
    def is_equal(self) -> bool:
        """Whether no difference was found."""
        return self.own.is_empty and not self.texts


def comparing(
    a: Tokenizer, b: Tokenizer, texts: Sequence[str] = (), seconds: float = SECONDS
) -> Generator[int, None, TokenizerDifference]:
    """Compares two tokenizers; yields the number of texts that were tried.

    Args:
        a, b: the two.
        texts: texts to try first.
        seconds: the time for trying texts.
    """
    yield 0
    pair = TokenizerPair(a, b)
    begin = time.monotonic()
    own = own_parts(pair)
    yield 0
    found = list[TextDifference]()
    given = [(GIVEN, _parts_of(texts))] if texts else []
    # Large files leave time for the made texts.
    search = Search(pair.differs, seconds / 2)
    shortest = yield from search.finding(given)
    is_complete = not search.is_late
    search = Search(pair.differs, begin + seconds - time.monotonic(), search.n_tried, search.tried)
    shortest = yield from search.finding(made_texts.sources(pair, own), shortest)
    is_complete = is_complete and not search.is_late
    if shortest is not None:
        shortest, n = yield from search.proving(
            shortest, made_texts.likeliest_characters(pair, shortest)
        )
        found.append(_usual(pair, shortest, blame(pair, own, shortest), n))
    elif pair.renumbered:
        search = Search(pair.differs_in_ids, SECONDS, search.n_tried, search.tried)
        contents = sorted((a.content(pair.ids[0][key]) for key in pair.renumbered), key=len)
        made = chain.from_iterable(map(made_texts.completed, contents))
        shortest = yield from search.finding([("tokens with other ids", made)])
        if shortest is not None:
            because = (
                f"The same tokens have other ids: {len(pair.renumbered):,} of {len(a.tokens):,}"
            )
            found.append(_usual(pair, shortest, Blame(Part.vocabulary, because)))
    found += [*_with_template(pair), *_as_plain_text(pair, own)]
    said = what_differs(pair, own)
    return TokenizerDifference(
        own, said, found, search.n_tried, time.monotonic() - begin, search.tried, is_complete
    )


def _usual(pair: TokenizerPair, text: str, why: Blame, n_characters: int = 0) -> TextDifference:
    a, b = (ids_of(side, text) for side in pair.sides)
    # Only the empty text is shorter than one character; there are too many texts of one to try all.
    is_shortest = not text or (len(text) == 1 and not pair.differs_in_ids(""))
    return TextDifference(text, (a, b), _names(pair, a, b), why, "", n_characters, is_shortest)


def _parts_of(texts: Sequence[str]) -> Iterator[str]:
    """Overlapping parts of texts, and short texts as they are."""
    for text in texts:
        for at in range(0, max(1, len(text)), _PART):
            yield text[at : at + _PART + _OVERLAP]


def _names(
    pair: TokenizerPair, a: list[int] | None, b: list[int] | None
) -> tuple[list[str], list[str]]:
    return _names_of(pair.sides[0], a), _names_of(pair.sides[1], b)


def _names_of(tokenizer: Tokenizer, ids: list[int] | None) -> list[str]:
    return [tokenizer.tokens.get(n, str(n)) for n in ids or ()]


def _with_template(pair: TokenizerPair) -> Iterator[TextDifference]:
    """The shortest text with different special tokens around it."""
    a, b = (template_words(side, 1) for side in pair.sides)
    if not a or not b or a == b:
        return
    for text in ("", "a"):
        ids = [ids_of(side, text, add_special_tokens=True) for side in pair.sides]
        if pair.keys_of(0, ids[0]) != pair.keys_of(1, ids[1]):
            why = Blame(
                Part.template,
                f"A makes {a!r} of a text A, and B {b.replace('A', 'B')!r} of a text B",
            )
            when = "with special tokens around it"
            yield TextDifference(
                text, (ids[0], ids[1]), _names(pair, ids[0], ids[1]), why, when, is_shortest=True
            )
            return


def _as_plain_text(pair: TokenizerPair, own: OwnParts) -> Iterator[TextDifference]:
    """An added token that is special in one only: the two differ if special tokens are taken as
    text.
    """
    for flag in own.values["added_tokens"]:
        name, _, what = flag.name.rpartition(": ")
        ids = [ids_of(side, name, recognize_special=False) for side in pair.sides]
        if what == _SPECIAL and pair.keys_of(0, ids[0]) != pair.keys_of(1, ids[1]):
            side_name = "A" if flag.a == "true" else "B"
            said = f"{name!r} is a special token in {side_name} only"
            why = Blame(Part.added_token, said, name=name)
            yield TextDifference(
                name,
                (ids[0], ids[1]),
                _names(pair, ids[0], ids[1]),
                why,
                "with special tokens taken as text",
            )
            return
