"""Texts that reach every part of two tokenizers: added tokens, normalizer, split, merges,
vocabulary, fallback.
"""

from __future__ import annotations

import random
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from heapq import nsmallest
from itertools import chain, islice, product

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.explain.tokenizer_diff.own_parts import OwnParts
from bpe_studio.explain.tokenizer_diff.pair import TokenizerPair
from bpe_studio.files.formats.broad_text import texts_around, usual_texts

Source = tuple[str, Iterable[str]]
"""A name for a kind of texts, as in a sentence, and the texts."""
_KINDS = "ab AZé1½.'-_\"(\n\t\r\u00a0\u3000漢あ가ب\u0650\u200c😀\u0301\u0915\u094d▁Ġſ"
"""A character of each kind that splits and normalizers tell apart."""
_BEFORE = (" ", "a", "A", "1", ".", "\n", "'")
_AFTER = ("a", " ", "1", ".", "\n", "'s")
_WIDE = {code: code + 0xFEE0 for code in range(ord("!"), ord("~") + 1)}
_FIRST_ADDED = 40
_MOST_ADDED = 2000
_MOST_MERGES = 200
_MOST_AROUND = 40_000
_MOST_PAIRS = 20_000
_SAMPLED_TOKENS = 1000
_IN_ONE_TEXT = 100
_SAMPLED_MERGES = 1000
_FEWEST_AROUND = 4
_MOST_COMPETING = 5000
_HEADS = (b"", b"\xd8", b"\xe4\xb8", b"\xf0\x9f\x98", b"\xe4", b"\xf0\x9f", b"\xf0")
_TAILS = (b"", b"\xb3", b"\xb8\x80", b"\x98\x80", b"\x9f\x98\x80")
"""The last bytes of characters, to complete a part of a character."""


def sources(pair: TokenizerPair, own: OwnParts) -> Iterator[Source]:
    """The texts for two tokenizers; those that find most in the shortest time come first."""
    unlike = (each.name.rpartition(": ")[0] or each.name for each in own.values["added_tokens"])
    added = list(dict.fromkeys((*unlike, *pair.sides[0].added_ids, *pair.sides[1].added_ids)))
    yield "added tokens in context", _around_added(added[:_FIRST_ADDED])
    yield "tokens of only one, or with other scores", _own_tokens(pair, own)
    yield "many scripts and styles", map(_known, usual_texts())
    yield "merges that differ", islice(_around_merges(pair, own), _MOST_PAIRS)
    of_tokens = (key for key in pair.ids[0] if isinstance(key, str) and len(key) == 1)
    yield "characters", chain(_characters(), of_tokens)
    yield "short texts", _short_texts()
    yield "every token", chain.from_iterable(map(contents, pair.sides))
    yield "tokens in context", _between(pair)
    yield "more added tokens", _around_added(added[_FIRST_ADDED:_MOST_ADDED])
    yield "token pairs", token_pairs(contents(pair.sides[0]), _MOST_PAIRS)


def sample(tokenizer: Tokenizer) -> Iterator[str]:
    """Texts that show most changes of a tokenizer, in a file of moderate size."""
    yield ""
    for _, texts in texts_around(islice(tokenizer.added_ids, _FIRST_ADDED)):
        yield from texts
    yield from usual_texts()
    for first in _KINDS:
        yield from (first + second for second in _KINDS)
    texts = contents(tokenizer)
    yield from (
        " ".join(texts[at : at + _IN_ONE_TEXT]) for at in range(0, len(texts), _IN_ONE_TEXT)
    )
    chosen = random.Random(1).sample(texts, min(len(texts), _SAMPLED_TOKENS))
    for text in chosen:
        yield from (text, f" {text}", f"{text}a")
    yield from token_pairs(texts, _SAMPLED_TOKENS)
    n = tokenizer.n_merges
    ranks = random.Random(3).sample(range(n), min(n, _SAMPLED_MERGES))
    made = _competing(tokenizer, ranks, max(_FEWEST_AROUND, _SAMPLED_MERGES // max(1, n)))
    yield from islice(chain.from_iterable(map(completed, made)), _MOST_COMPETING)


def contents(tokenizer: Tokenizer) -> list[str]:
    """The texts of tokens, without added tokens and those that are part of a character."""
    added = set(tokenizer.added_ids.values())
    found = (
        _decoded(tokenizer.content(number)) for number in tokenizer.tokens if number not in added
    )
    return list(dict.fromkeys(text for text in found if text))


def _short_texts() -> Iterator[str]:
    kinds = dict.fromkeys(_KINDS)
    for n in (0, 2, 3):
        yield from map("".join, product(kinds, repeat=n))


def token_pairs(texts: Sequence[str], most: int) -> Iterator[str]:
    """Pairs of tokens, drawn at random."""
    if not texts:
        return
    draw = random.Random(2)
    for _ in range(most):
        yield draw.choice(texts) + draw.choice(texts)


def likeliest_characters(pair: TokenizerPair, text: str) -> list[str]:
    """The characters of a text, then of all tokens, the most frequent ones first, then one of each
    kind.
    """
    texts = chain.from_iterable(map(contents, pair.sides))
    counts = Counter(chain.from_iterable(texts))
    usual = [char for char, _ in counts.most_common()]
    return list(dict.fromkeys((*text, *usual, *_KINDS)))


def _around_added(names: Sequence[str]) -> Iterator[str]:
    for _, texts in texts_around(names):
        yield from texts
    # Texts that one normalizer may take for the same name, and another one not.
    for name in names:
        wide = name.translate(_WIDE)
        yield from (f"{name}\u0301", wide, name.replace(" ", "▁"), name.replace("▁", " "))


def _own_tokens(pair: TokenizerPair, own: OwnParts) -> Iterator[str]:
    for side, numbers in zip(pair.sides, own.tokens, strict=True):
        for number in numbers[:_MOST_PAIRS]:
            if text := _decoded(side.content(number)):
                yield text
    yield from (each.name.replace("▁", " ") for each in own.values["scores"])


@cache
def _characters() -> str:
    """Characters that normalization changes, white space, marks and signs, and every 40th of the
    others.
    """
    found = []
    for point in range(0x30000):
        char = chr(point)
        is_hangul = 0xAC00 <= point < 0xD7A4
        is_changed = unicodedata.normalize("NFKD", char) != char or char.lower() != char
        is_odd = unicodedata.category(char)[0] in "ZM" or unicodedata.category(char) in (
            "Cc",
            "Cf",
            "Po",
            "Nl",
            "No",
        )
        if point % 40 == 0 or ((is_changed or is_odd) and not is_hangul):
            found.append(char)
    return _known("".join(char for char in found if not "\ud800" <= char < "\ue000"))


def _known(text: str) -> str:
    """A text without unassigned characters, which newer versions of Unicode may assign."""
    return "".join(char for char in text if unicodedata.category(char) != "Cn")


def _between(pair: TokenizerPair) -> Iterator[str]:
    texts = list(dict.fromkeys(chain.from_iterable(map(contents, pair.sides))))
    for before in _BEFORE:
        yield from (before + text for text in texts)
    for after in _AFTER:
        yield from (text + after for text in texts)


def _around_merges(pair: TokenizerPair, own: OwnParts) -> Iterator[str]:
    """Texts in which a merge whose place differs competes with another for a token, the shortest
    first.

    Two merges compete if the second part of one is the first part of the other. A merge that uses a
    token which is made later may compete in only one of the two tokenizers.
    """
    for side, (tokenizer, numbers) in enumerate(zip(pair.sides, own.merges, strict=True)):
        changed = [ranks[side] for ranks in own.moved[:_MOST_MERGES]] + numbers[:_MOST_MERGES]
        if not changed:
            continue
        made = _competing(tokenizer, changed, _MOST_AROUND // len(changed))
        for content in sorted(made, key=len):
            yield from completed(content)


def _competing(tokenizer: Tokenizer, ranks: Sequence[int], most: int) -> Iterator[bytes]:
    """The parts of some merges, each with what another merge would join to them.

    The others are those whose ranks are nearest.

    Args:
        tokenizer: the tokenizer.
        ranks: the merges.
        most: the number of other merges on each side of a merge.
    """
    merges = tokenizer.merges
    starting = dict[int, list[int]]()
    ending = dict[int, list[int]]()
    for rank, (left, right, _) in enumerate(merges):
        starting.setdefault(left, []).append(rank)
        ending.setdefault(right, []).append(rank)
    few = int(most**0.5)
    texts = dict[tuple[int, ...], None]()
    for rank in ranks:
        left, right, new = merges[rank]

        def near(
            others: dict[int, list[int]], token: int, most: int, rank: int = rank
        ) -> list[int]:
            return nsmallest(most, others.get(token, ()), key=lambda other: abs(other - rank))

        found: list[tuple[int, ...]] = [(left, right)]
        found += [(left, right, merges[each][1]) for each in near(starting, right, most)]
        found += [(merges[each][0], left, right) for each in near(ending, left, most)]
        # With another token on each side: at the end of a word, the last part may be another token.
        around = product(near(ending, left, few), near(starting, right, few))
        found += [(merges[before][0], left, right, merges[after][1]) for before, after in around]
        # The merges that use the new token, and those that compete with them.
        for each in near(starting, new, few):
            after = merges[each][1]
            found.append((left, right, after))
            found += [(left, right, after, merges[n][1]) for n in near(starting, after, few)]
        for each in near(ending, new, few):
            before = merges[each][0]
            found.append((before, left, right))
            found += [(merges[n][0], before, left, right) for n in near(ending, before, few)]
        texts |= dict.fromkeys(found)
    for parts in texts:
        yield b"".join(map(tokenizer.content, parts))


def completed(content: bytes) -> Iterator[str]:
    """A text that holds some bytes, with more bytes that complete a character at each end."""
    for head, tail in product(_HEADS, _TAILS):
        text = _decoded(head + content + tail)
        if text:
            yield text
            return


def _decoded(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return ""
