r"""The mistakes that people make in a trainer, each a small change of a correct one's decisions.

A change takes a procedure and returns another one, or `None` if it makes no sense there. Two
mistakes together are one change after the other.

>>> one_by_one(["a", "a", "a", "a", "b"])
[('a', 'a'), ('a', 'a'), ('a', 'b')]
>>> merged_from_the_right(["a", "a", "a"], ("a", "a"), "aa")
['a', 'aa']
>>> merged_once(["a", "b", "a", "b"], ("a", "b"), "ab")
['ab', 'a', 'b']
>>> merged_as_text(["xa", "b"], ("a", "b"), "ab")
['xab']
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, product, starmap
from typing import Any

from bpe_studio.engine.config import MAX_SUPERWORDS_WORDS
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.options import OPTIONS
from bpe_studio.engine.presets import PRESETS
from bpe_studio.engine.text.alphabet import from_stand_ins, to_stand_ins
from bpe_studio.engine.text.normalization import normalize
from bpe_studio.engine.textbook import Pair, Words, merge_pair
from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.engine.training.corpus_array import lay_out
from bpe_studio.errors import ConfigError, VocabularyError
from bpe_studio.explain.check import ties
from bpe_studio.explain.check.trainer import (
    PlainTrainer,
    Procedure,
    corpus_of,
    merged_in_order,
    places_of,
)

Change = Callable[[Procedure], Procedure | None]


@dataclass(frozen=True)
class Mistake:
    """A known mistake.

    Attributes:
        name: a short name without spaces; the names of two mistakes are joined by a plus sign.
        sentence: a sentence on what the trainer does wrong.
        change: makes the mistake.
    """

    name: str
    sentence: str
    change: Change

    def __add__(self, other: Mistake) -> Mistake:
        def both(procedure: Procedure) -> Procedure | None:
            first = self.change(procedure)
            return None if first is None else other.change(first)

        return Mistake(f"{self.name}+{other.name}", f"{self.sentence} {other.sentence}", both)

    @property
    def is_about_ties(self) -> bool:
        """Whether it is a tie rule."""
        return self.name.startswith("ties-")

    @property
    def is_about_end(self) -> bool:
        """Whether it only decides when training ends."""
        return self.name.startswith(("size-", "merges-as-", "alphabet-", "min-frequency-"))

    @property
    def lesson(self) -> str:
        """The title of the program's lesson about it; "" for none."""
        return next((title for begin, title in _LESSONS.items() if self.name.startswith(begin)), "")


def one_by_one(tokens: Sequence[str]) -> list[Pair]:
    """The pairs of a word without overlapping ones of the same tokens, as `str.count` counts."""
    found: list[Pair] = []
    before = None
    overlaps = False
    for pair in pairwise(tokens):
        overlaps = pair == before and not overlaps
        before = pair
        if not overlaps:
            found.append(pair)
    return found


def each_once(tokens: Sequence[str]) -> list[Pair]:
    """The distinct pairs of a word."""
    return list(dict.fromkeys(pairwise(tokens)))


def all_but_last(tokens: Sequence[str]) -> list[Pair]:
    """The pairs of a word without the last one."""
    return list(pairwise(tokens[:-1]))


def all_but_first(tokens: Sequence[str]) -> list[Pair]:
    """The pairs of a word without the first one."""
    return list(pairwise(tokens[1:]))


def merged_from_the_right(tokens: list[str], pair: Pair, token: str) -> list[str]:
    """A word in which a pair is merged from the right to the left."""
    return merge_pair(tokens[::-1], (pair[1], pair[0]), token)[::-1]


def merged_into_one(tokens: list[str], pair: Pair, token: str) -> list[str]:
    """A word in which all overlapping pairs become one token, as a mask makes it: a symbol is
    lost.

    >>> merged_into_one(["a", "a", "a", "b"], ("a", "a"), "aa")
    ['aa', 'b']
    """
    merged = []
    follows = False
    for place, each in enumerate(tokens):
        begins = tuple(tokens[place : place + 2]) == pair
        kept = token if begins else each
        if not follows:
            merged.append(kept)
        follows = begins
    return merged


def merged_each(tokens: list[str], pair: Pair, token: str) -> list[str]:
    """A word in which each of several overlapping pairs becomes a token.

    >>> merged_each(["a", "a", "a", "b"], ("a", "a"), "aa")
    ['aa', 'aa', 'b']
    """
    merged = []
    follows = False
    for place, each in enumerate(tokens):
        begins = tuple(tokens[place : place + 2]) == pair
        if begins:
            merged.append(token)
        elif not follows:
            merged.append(each)
        follows = begins
    return merged


def merged_once(tokens: list[str], pair: Pair, token: str) -> list[str]:
    """A word in which a pair is merged at its first place only."""
    place = next(places_of(pair, tokens), None)
    return tokens if place is None else [*tokens[:place], token, *tokens[place + 2 :]]


def merged_as_text(tokens: list[str], pair: Pair, token: str) -> list[str]:
    """A word in which the text of a pair is replaced, with a mark between tokens: also where a
    token only ends like the left one.
    """
    return "\0".join(tokens).replace("\0".join(pair), token).split("\0")


def merged_skipping(tokens: list[str], pair: Pair, token: str) -> list[str]:
    """A word in which the token after a merged pair is skipped, because the list is shorter."""
    walked = list(tokens)
    place = 0
    while place < len(walked) - 1:
        if (walked[place], walked[place + 1]) == pair:
            walked[place : place + 2] = [token]
            place += 1
        place += 1
    return walked


def merged_at_old_places(tokens: list[str], pair: Pair, token: str) -> list[str]:
    """A word in which pairs are merged at the places that they had before the first merge."""
    walked = list(tokens)
    for place, each in enumerate(pairwise(tokens)):
        if each == pair:
            walked[place : place + 2] = [token]
    return walked


def merged_beside_copy(tokens: list[str], pair: Pair, token: str) -> list[str]:
    """A word that is walked together with a copy of its rest, which stays as it was."""
    walked = list(tokens)
    for place, each in enumerate(zip(walked, tokens[1:], strict=False)):
        if each == pair:
            walked[place : place + 2] = [token]
    return walked


def merged_at_first_left(tokens: list[str], pair: Pair, token: str) -> list[str]:
    """A word in which a pair is looked for by its left token."""
    walked = list(tokens)
    for each in pairwise(tokens):
        if each == pair and pair[0] in walked:
            place = walked.index(pair[0])
            walked[place : place + 2] = [token]
    return walked


def without_last(tokens: list[str], pair: Pair, token: str) -> list[str]:
    """A word in which a pair is merged, without the last symbol if no merge reaches it."""
    merged = merge_pair(tokens, pair, token)
    is_reached = bool(merged) and merged[-1] == token and tuple(tokens[-2:]) == pair
    return merged if is_reached else merged[:-1]


def without_last_if_there(tokens: list[str], pair: Pair, token: str) -> list[str]:
    """The same, for a trainer that looks only at words that have the pair."""
    is_there = pair in pairwise(tokens)
    return without_last(tokens, pair, token) if is_there else tokens


def merged_in_numbers(trainer: PlainTrainer) -> Callable[[list[str], Pair, str], list[str]]:
    """Replaces ids in a text of ids with spaces between them, also where one only ends so."""
    if trainer.procedure.config.units != "bytes":
        return merged_in_order
    ids = {to_stand_ins(bytes([byte])): byte for byte in range(256)}
    names = {number: name for name, number in ids.items()}

    def merged(tokens: list[str], pair: Pair, token: str) -> list[str]:
        new = 255 + len(trainer.merges)
        if any(name.startswith(_UNKNOWN_ID) for name in pair):
            token = f"{_UNKNOWN_ID}{new}"
        names.setdefault(ids.setdefault(token, new), token)
        text = " ".join(str(ids[each]) for each in tokens)
        after = text.replace(f"{ids[pair[0]]} {ids[pair[1]]}", str(ids[token]))
        numbers = list(map(int, after.split()))
        for number in numbers:
            name = names.setdefault(number, f"{_UNKNOWN_ID}{number}")
            ids.setdefault(name, number)
        return [names[number] for number in numbers]

    return merged


def numbered_after_greatest(merges: Iterator[Pair], procedure: Procedure) -> Iterator[Pair]:
    """Merges whose new ids follow the greatest byte of the text, read as if they followed 255."""
    if procedure.config.units != "bytes":
        yield from merges
        return
    greatest = max(bytes(corpus_of(procedure).blob), default=0)
    read = [to_stand_ins(bytes([byte])) for byte in range(256)]
    ids = {name: byte for byte, name in enumerate(read)}
    for rank, (left, right) in enumerate(merges, 1):
        pair = []
        for number in (ids[left], ids[right]):
            known = read[number : number + 1] or [f"{_UNKNOWN_ID}{number}"]
            pair += known
        yield pair[0], pair[1]
        ids.setdefault(left + right, greatest + rank)
        token = "".join(pair)
        if any(name.startswith(_UNKNOWN_ID) for name in pair):
            token = f"{_UNKNOWN_ID}{len(read)}"
        read.append(token)


def totals(trainer: PlainTrainer) -> Mapping[Pair, float]:
    """The sums of all counts so far."""
    trainer.totals.update(trainer.counts)
    return trainer.totals


def packed(size: int, first: int) -> Callable[[PlainTrainer], Mapping[Pair, float]]:
    """The counts of pairs as `left * size + right`, where different pairs may be the same number.

    Args:
        size: the factor.
        first: the id of the first merge.
    """

    def counts(trainer: PlainTrainer) -> Mapping[Pair, float]:
        if first + len(trainer.merges) <= size:
            return trainer.counts  # no id is too great yet
        names = [to_stand_ins(bytes([byte])) for byte in range(256)]
        names += ["" for _ in range(256, first)]
        names += map(trainer.token_of, trainer.merges)
        ids = {name: number for number, name in reversed(list(enumerate(names)))}
        great = {name for name, number in ids.items() if number >= size}
        found = dict(trainer.counts)
        for pair in [pair for pair in found if pair[1] in great]:
            count = found.pop(pair)
            left, right = divmod(ids[pair[0]] * size + ids[pair[1]], size)
            if left < len(names) and trainer.ids.keys() >= {names[left], names[right]}:
                same = names[left], names[right]
                found[same] = found.get(same, 0) + count
        return found

    return counts


def scores(trainer: PlainTrainer) -> Mapping[Pair, float]:
    """The score of WordPiece: the count of a pair, divided by the counts of its tokens."""
    counts: Counter[str] = Counter()
    for tokens, count in trainer.words:
        for token in tokens:
            counts[token] += count
    return {
        (left, right): count / (counts[left] * counts[right])
        for (left, right), count in trainer.counts.items()
        if count > 0 and counts[left] and counts[right]  # others no longer occur
    }


def _sources(change: Callable[[tuple[str, ...]], Iterable[str]]) -> Change:
    """A change of the texts before anything else; words with their counts have none."""

    def changed(procedure: Procedure) -> Procedure | None:
        source = procedure.source
        return (
            replace(procedure, source=tuple(change(source))) if isinstance(source, tuple) else None
        )

    return changed


def _texts(change: Callable[[str], str]) -> Change:
    return _sources(lambda texts: map(change, texts))


def _normalized(form: str) -> Change:
    return _texts(lambda text: normalize(text, (form,)))


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _lines_of_all(texts: Iterable[str]) -> Iterator[str]:
    return chain.from_iterable(map(_lines, texts))


def _settings(**options: Any) -> Change:
    """A change of settings; the number of merges stays the same."""

    def changed(procedure: Procedure) -> Procedure | None:
        config = procedure.config
        if not isinstance(procedure.source, tuple) and set(options) & {
            n for n, o in OPTIONS.items() if o.is_cut
        }:
            return None
        if options.get("units") == "bytes" and config.byte_fallback:
            return None
        return replace(procedure, config=config.replace(**options))

    return changed


def _preset(values: dict[str, Any]) -> Change:
    options = {n: value for n, value in values.items() if n not in ("vocab_size", "merges")}
    return _settings(**options)


def _documents(right: str, wrong: str) -> Change:
    def changed(procedure: Procedure) -> Procedure | None:
        if procedure.config.documents != right:
            return None
        return _settings(documents=wrong)(procedure)

    return changed


def _rules(**decisions: Any) -> Change:
    return lambda procedure: replace(procedure, **decisions)


def _split(name: str) -> Change:
    return _settings(split=name, split_digits=False)


def _n_special(procedure: Procedure) -> int:
    return len(procedure.config.all_special)


def _least(change: int) -> Change:
    return lambda procedure: _settings(
        min_frequency=max(1, procedure.config.min_frequency + change)
    )(procedure)


def _more_merges(number: Callable[[Procedure], int]) -> Change:
    def changed(procedure: Procedure) -> Procedure | None:
        n_merges = procedure.n_merges + number(procedure)
        return replace(procedure, n_merges=n_merges) if n_merges >= 0 else None

    return changed


def _greatest_ids(procedure: Procedure) -> Procedure | None:
    """Ids as most people give them: a byte has its value."""
    numbered = _settings(ties="raw-ids")(procedure)
    return numbered and replace(numbered, choose=ties.greatest_ids)


def _n_symbols(procedure: Procedure) -> int:
    """The number of tokens before the first merge, if the target is a number of merges; else 0."""
    if procedure.config.vocab_size is not None:
        return 0
    alphabet = lay_out(corpus_of(procedure), procedure.config).alphabet
    return len(alphabet.names) + _n_special(procedure)


def _superwords(**options: Any) -> Change:
    """Other settings of superwords."""

    def changed(procedure: Procedure) -> Procedure | None:
        if procedure.config.superwords_from is None:
            return None
        config = procedure.config.replace(**options)
        source = procedure.source
        if config.superwords_from is None and isinstance(source, Corpus):
            source = source.first or source
        return replace(procedure, config=config, source=source)

    return changed


def _superwords_from_beginning(procedure: Procedure) -> Procedure | None:
    alphabet = lay_out(corpus_of(procedure), procedure.config).alphabet
    return _superwords(superwords_from=alphabet.n_own + _n_special(procedure))(procedure)


def _mark(where: str | None) -> Change:
    """Another place for the mark at the ends of words, or none."""

    def changed(procedure: Procedure) -> Procedure | None:
        if not procedure.config.word_end:
            return None
        options = {"word_end": None} if where is None else {"word_end_as": where}
        return _settings(**options)(procedure)

    return changed


def _in_one_row(procedure: Procedure) -> Procedure | None:
    """All words one after the other, each with its mark: pairs cross their borders."""
    config = procedure.config
    source = procedure.source
    is_known = config.split == "whitespace" and config.word_end_as == "own-symbol"
    if not is_known or not config.word_end or not isinstance(source, tuple):
        return None
    rows = []
    for text in source:
        row: list[str] = []
        for word in text.split():
            row += (*word, config.word_end)
        rows.append((row, 1))
    return replace(procedure, laid_out=lambda words: rows)


def _outdated(lowers: bool, raises: bool) -> Change:
    """Counts that are not kept up to date.

    They stay in the order in which they came into their table.
    """

    def changed(procedure: Procedure) -> Procedure:
        choose = ties.first_counted if _in_text_order(procedure) else procedure.choose
        return replace(procedure, choose=choose, lowers_counts=lowers, raises_counts=raises)

    return changed


def _with_specials(procedure: Procedure) -> Procedure | None:
    """Special tokens that are part of the text."""
    if procedure.config.documents != "separator":
        return None
    return _settings(documents="file", special=(), unknown=None)(procedure)


def _specials_replaced(by: str) -> Change:
    """Special tokens that are replaced, so that the texts before and after each become one."""

    def changed(procedure: Procedure) -> Procedure | None:
        if procedure.config.documents != "separator":
            return None

        def without(text: str) -> str:
            for special in procedure.config.all_special:
                text = text.replace(special, by)
            return text

        other = _texts(without)(procedure)
        return None if other is None else _settings(documents="file")(other)

    return changed


def _other_units(procedure: Procedure) -> Procedure | None:
    other = "characters" if procedure.config.units == "bytes" else "bytes"
    return _settings(units=other, byte_fallback=False)(procedure)


def _in_text_order(procedure: Procedure) -> bool:
    """Whether the order in the text decides ties."""
    return procedure.choose is None and procedure.config.ties == "first-seen"


def _in_order_of_words(procedure: Procedure) -> bool:
    """Whether the order of several words decides ties."""
    return _in_text_order(procedure) and len(corpus_of(procedure)) > 1


def _never_emptied(procedure: Procedure) -> Procedure:
    choose = ties.first_counted if _in_text_order(procedure) else procedure.choose
    return replace(procedure, choose=choose, values=totals)


def _laid_out(change: Callable[[Words], Words], orders_only: bool = False) -> Change:
    """A change of the words and their counts."""

    def changed(procedure: Procedure) -> Procedure | None:
        if orders_only and not _in_order_of_words(procedure):
            return None
        return replace(procedure, laid_out=change)

    return changed


def _moved(procedure: Procedure) -> Procedure | None:
    return replace(procedure, moves_changed=True) if _in_order_of_words(procedure) else None


def _with_bytes(**decisions: Any) -> Change:
    """A change that makes sense with ids of bytes only."""

    def changed(procedure: Procedure) -> Procedure | None:
        return replace(procedure, **decisions) if procedure.config.units == "bytes" else None

    return changed


def _packed(size: int, has_specials: bool) -> Change:
    """A pair as one number.

    Args:
        size: the factor; 0 for the number after the greatest byte.
        has_specials: whether special tokens have the ids before the first merge.
    """

    def changed(procedure: Procedure) -> Procedure | None:
        n_special = _n_special(procedure)
        if has_specials and not n_special:
            return None
        first = 256 + n_special if has_specials else 256
        factor = size or max(bytes(corpus_of(procedure).blob), default=0) + 1
        if factor >= first + procedure.n_merges:
            return None
        return _with_bytes(values=packed(factor, first))(procedure)

    return changed


def _sorted(words: Words) -> Words:
    """Words in the order of their texts."""

    def text_of(word: tuple[list[str], int]) -> bytes:
        name = "".join(word[0])
        try:
            return from_stand_ins(name)
        except VocabularyError:  # these are characters
            return name.encode("utf-8", "surrogatepass")

    return sorted(words, key=text_of)


def _in_latin_1(errors: str) -> Change:
    def encoded(words: Words) -> Words:
        made = []
        for tokens, count in words:
            text = from_stand_ins("".join(tokens)).decode("utf-8", "replace")
            made.append((list(to_stand_ins(text.encode("latin-1", errors))), count))
        return made

    def changed(procedure: Procedure) -> Procedure | None:
        full = _with_bytes(laid_out=encoded)(procedure)
        return None if full is None else _settings(full_alphabet=True)(full)

    return changed


def _specials_not_escaped(procedure: Procedure) -> Procedure | None:
    """Special tokens that are taken for an expression."""
    if procedure.config.documents != "separator":
        return None
    try:
        pattern = re.compile("|".join(procedure.config.all_special))
    except re.error:
        return None
    changed = _sources(lambda texts: chain.from_iterable(map(pattern.split, texts)))(procedure)
    return None if changed is None else _settings(documents="file")(changed)


def _chunks(ends: Callable[[int], Iterable[int]]) -> tuple[Change, ...]:
    """Changes that cut a text at any place: between characters, or between bytes.

    Args:
        ends: the places, given the length of the text.
    """

    def cut(texts: tuple[str, ...]) -> Iterator[str]:
        for text in texts:
            for begin, end in pairwise([0, *ends(len(text)), len(text)]):
                yield text[begin:end]

    def cut_bytes(texts: tuple[str, ...]) -> Iterator[str]:
        for text in texts:
            content = text.encode("utf-8", "surrogatepass")
            for begin, end in pairwise([0, *ends(len(content)), len(content)]):
                yield content[begin:end].decode("utf-8", "ignore")

    def changed(procedure: Procedure) -> Procedure | None:
        is_ascii = isinstance(procedure.source, tuple) and all(map(str.isascii, procedure.source))
        return None if is_ascii else _sources(cut_bytes)(procedure)

    return _sources(cut), changed


def _parts(n: int) -> Callable[[int], Iterable[int]]:
    return lambda size: [size // n * part for part in range(1, n)]


def _every(n: int) -> Callable[[int], Iterable[int]]:
    return lambda size: range(n, size, n)


def _n_not_in_text(procedure: Procedure) -> int:
    config = procedure.config
    if config.vocab_size is None or not config.full_alphabet:
        return 0
    return 256 - len(set(bytes(corpus_of(procedure).blob)))


def _hidden_minimum(least: int) -> Change:
    def changed(procedure: Procedure) -> Procedure | None:
        if least <= procedure.config.min_frequency + 1:
            return None
        return _settings(min_frequency=least)(procedure)

    return changed


def _more_frequent(least: int) -> Callable[[Words], Words]:
    return lambda words: [(tokens, count) for tokens, count in words if count >= least]


_PARTS = (2, 3, 4, 5, 8, 10, 16)
_BLOCKS = (256, 512, 1000, 1024, 2048, 4096, 8192, 10_000, 16_384, 65_536, 100_000, 1 << 20)
_ENDS = {
    **{f"in {n} chunks, and cuts them": _parts(n) for n in _PARTS},
    **{f"in chunks of {n:,}, which it cuts": _every(n) for n in _BLOCKS},
}
_CHUNKS: list[tuple[str, Change]] = []
for _how, _ends in _ENDS.items():
    _sentence = f"It reads the text {_how} anywhere, also inside words."
    _CHUNKS += ((_sentence, _form) for _form in _chunks(_ends))
_FACTORS = {f"with a factor of {size:,}": size for size in (256, 300, 512, 1000, 1024, 10_000)}
_FACTORS["with a factor of one more than the greatest byte"] = 0
_PACKED = "It packs a pair into one number {}, so that different pairs get the same number."
_WALKED = "It changes a list while it walks through it: {}."
_UNKNOWN_ID = "idĠ"
"""The beginning of the name of an id that no merge has made, in the spelling of logs."""


_OTHER_TIES: tuple[tuple[str, str, Change], ...] = (
    ("last-seen", "the pair whose first place in the text is last", _rules(choose=ties.last_seen)),
    (
        "first-counted",
        "the pair that came into the table of counts first",
        _rules(choose=ties.first_counted),
    ),
    (
        "last-counted",
        "the pair that came into the table of counts last",
        _rules(choose=ties.last_counted),
    ),
    ("greatest-ids", "the pair with the greatest token ids", _greatest_ids),
    ("smallest-bytes", "the pair whose text sorts first", _rules(choose=ties.smallest_text)),
    (
        "greatest-token",
        "the pair whose new token sorts last, instead of the pair",
        _rules(choose=ties.greatest_token),
    ),
    (
        "shorter-first",
        "the pair with the greatest bytes, but of two tokens that begin alike the shorter; negated"
        " bytes in a heap do so",
        _rules(choose=ties.longest_text_last),
    ),
)
_SPLITS = OPTIONS["split"].choices
_LESSONS = {
    "ties-": "Two right answers: low, newest and a tie",
    "runs-": "Count all, merge all: hmmm and banana",
    "merged-at-": "Count all, merge all: hmmm and banana",
    "pairs-": "Count all, merge all: hmmm and banana",
    "counts-": "Counts after a merge",
    "new-pairs-": "Counts after a merge",
    "lowered-": "Counts after a merge",
    "pieces-": "A word counts as often as it occurs",
    "borders-": "What the split forbids",
    "split-superwords": "The split is a choice",
    "split-": "What the split forbids",
    "specials-not-removed": "Special tokens: in training and in use",
    "other-units": "Bytes or characters",
    "size-": "Off by one: what a vocabulary size includes",
}
"""The title of the lesson about the mistakes whose names begin so."""

MISTAKES: tuple[Mistake, ...] = (
    *(
        Mistake(
            f"ties-{rule.name}",
            (
                f"It breaks ties by the rule “{rule.label}”: of equally frequent pairs, it takes"
                f" {rule.words}."
            ),
            _settings(ties=rule.name),
        )
        for rule in TIE_RULES.values()
    ),
    *(
        Mistake(
            f"ties-{name}",
            f"It breaks ties otherwise: of equally frequent pairs, it takes {which}.",
            change,
        )
        for name, which, change in _OTHER_TIES
    ),
    *starmap(
        Mistake,
        (
            (
                "runs-counted-without-overlap",
                "In a run such as “aaa”, it counts the pair “a a” once instead of twice.",
                _rules(pairs_in=one_by_one),
            ),
            (
                "runs-merged-from-the-right",
                "It merges a run such as “aaa” from the right, into “a aa” instead of “aa a”.",
                _rules(merged=merged_from_the_right),
            ),
            (
                "runs-merged-whole",
                "It merges overlapping pairs, too, and a run such as “aaa” becomes one token; a"
                " mask in NumPy does so.",
                _rules(merged=merged_into_one),
            ),
            (
                "runs-merged-whole",
                "It merges overlapping pairs, too, and a run such as “aaa” becomes “aa aa”.",
                _rules(merged=merged_each),
            ),
            (
                "merged-at-first-place-only",
                "It merges a pair only at its first place in each piece.",
                _rules(merged=merged_once),
            ),
            (
                "merged-across-tokens",
                (
                    "It replaces a pair as text, so that it also merges a token which only ends or "
                    "begins like one of the pair."
                ),
                _rules(merged=merged_as_text, merges_everywhere=True),
            ),
            (
                "pairs-taken-once",
                "Where a merge changes a piece, it takes each of its old pairs from the counts only"
                " once, however often the piece has the pair.",
                _rules(taken_from=each_once),
            ),
            *(
                (
                    "several-merges-a-count",
                    f"It makes {n} merges each time that it counts pairs.",
                    _rules(n_at_once=n),
                )
                for n in (2, 3, 4, 5, 8, 10)
            ),
            (
                "pairs-counted-once-in-a-piece",
                "It counts a pair that occurs several times in a piece only once.",
                _rules(pairs_in=each_once),
            ),
            (
                "counts-never-updated",
                "It counts pairs only before the first merge.",
                _outdated(False, False),
            ),
            (
                "counts-not-lowered",
                "After a merge, it still counts the pairs that the merge has destroyed.",
                _outdated(False, True),
            ),
            (
                "new-pairs-not-counted",
                "After a merge, it does not count the pairs that the new token forms.",
                _outdated(True, False),
            ),
            (
                "lowered-pairs-lost",
                "It never merges a pair whose count a merge has lowered: a heap that drops old"
                " counts needs the new ones, too.",
                _rules(keeps_lowered=False),
            ),
            (
                "counts-never-emptied",
                "It never empties its table, and adds the counts of every round to those before.",
                _never_emptied,
            ),
            (
                "last-pair-not-counted",
                "It does not count the last pair of each piece.",
                _rules(pairs_in=all_but_last, merges_everywhere=True),
            ),
            (
                "first-pair-not-counted",
                "It does not count the first pair of each piece.",
                _rules(pairs_in=all_but_first, merges_everywhere=True),
            ),
            (
                "last-symbol-lost",
                "It loses the last symbol of a piece when it merges another pair of it.",
                _rules(merged=without_last_if_there),
            ),
            (
                "last-symbol-lost",
                "It loses the last symbol of every piece at every merge.",
                _rules(merged=without_last, merges_everywhere=True),
            ),
            (
                "last-symbol-lost",
                "It loses the last symbol of every piece before the first merge.",
                _laid_out(lambda words: [(tokens[:-1], count) for tokens, count in words]),
            ),
            *(
                ("list-changed-while-walked", _WALKED.format(how), _rules(merged=merged))
                for how, merged in (
                    ("the token after each merge is skipped", merged_skipping),
                    ("it merges at places that pairs had before", merged_at_old_places),
                    ("it walks beside a copy that stays as it was", merged_beside_copy),
                    ("it looks for a pair by its left token", merged_at_first_left),
                )
            ),
            (
                "replaced-inside-numbers",
                "It replaces ids as text, also inside other numbers: “1 25” is in “101 256”.",
                _with_bytes(merged_by=merged_in_numbers, merges_everywhere=True),
            ),
            (
                "ids-after-greatest",
                "It numbers new tokens from `max(ids) + 1` on, after the greatest byte of the text,"
                " instead of from 256 on.",
                _with_bytes(reported=numbered_after_greatest),
            ),
            *(
                ("packed-pairs", _PACKED.format(how), _packed(size, has_specials))
                for (how, size), has_specials in product(_FACTORS.items(), (False, True))
            ),
            (
                "wordpiece-score",
                "It divides the count of a pair by those of its tokens, as WordPiece does.",
                _rules(values=scores, has_minimum=False),
            ),
            (
                "pieces-sorted-set",
                "It trains on a sorted set of pieces: each counts once, and their order in the text"
                " is lost.",
                _laid_out(lambda words: [(tokens, 1) for tokens, _ in _sorted(words)], True),
            ),
            (
                "words-sorted",
                "It sorts the pieces, so that their order in the text is lost.",
                _laid_out(_sorted, True),
            ),
            (
                "words-by-count",
                "It orders the pieces by their counts, so that their order in the text is lost.",
                _laid_out(lambda words: sorted(words, key=lambda word: -word[1]), True),
            ),
            (
                "words-moved-to-the-end",
                "It puts each word that a merge changes at the end of its table, so that the"
                " order of the text is lost.",
                _moved,
            ),
            (
                "pieces-counted-once",
                "It counts each distinct piece once, however often the piece occurs.",
                _rules(weighs_words=False),
            ),
            (
                "borders-crossed",
                "It merges across the borders of pieces: the text is not split.",
                _split("none"),
            ),
            (
                "borders-crossed",
                "It keeps all words in one row, so that pairs cross the marks at their ends.",
                _in_one_row,
            ),
            (
                "superwords-never",
                "It never lets merges join words: it has no second stage.",
                _superwords(superwords_from=None),
            ),
            (
                "superwords-from-the-beginning",
                "It lets merges join words from the first merge on.",
                _superwords_from_beginning,
            ),
            (
                "superwords-of-any-length",
                "It does not limit how many words a token has.",
                _superwords(superwords_words=MAX_SUPERWORDS_WORDS),
            ),
            (
                "mark-on-last-character",
                "It puts the mark on the last character of a word, instead of after it.",
                _mark("on-last-character"),
            ),
            (
                "mark-own-symbol",
                "It makes the mark a symbol of its own, instead of a part of the last character.",
                _mark("own-symbol"),
            ),
            ("mark-left-out", "It does not mark the ends of words.", _mark(None)),
            (
                "split-marks-apart",
                "It makes each punctuation mark a piece of its own, instead of runs of them.",
                _split(r"regex:\w+|[^\w\s]"),
            ),
            (
                "split-single-spaces",
                'It splits at spaces only, as `split(" ")` does: line breaks are parts of words.',
                _split("regex:[^ ]+"),
            ),
            *(
                (
                    f"split-{split}",
                    f"It splits the text as {split} does ({_SPLITS[split]}).",
                    _split(split),
                )
                for split in ("whitespace", "words", "gpt2", "cl100k", "o200k")
            ),
            (
                "letters-only",
                "It takes only runs of the letters A to Z, and drops everything else.",
                _split("regex:[A-Za-z]+"),
            ),
            (
                "lines-not-apart",
                "It splits a text as a whole, not line by line.",
                _documents("line", "file"),
            ),
            (
                "lines-apart",
                "It splits each line by itself, not the text as a whole.",
                _documents("file", "line"),
            ),
            (
                "specials-not-removed",
                "It trains on the special tokens in the text as if they were ordinary text.",
                _with_specials,
            ),
            (
                "specials-not-escaped",
                "It splits at the special tokens without `re.escape`, and “|” means “or”.",
                _specials_not_escaped,
            ),
            (
                "specials-joined",
                (
                    "It deletes the special tokens, so that the texts before and after them become "
                    "one."
                ),
                _specials_replaced(""),
            ),
            *(
                (
                    "specials-as-white-space",
                    f"It replaces the special tokens by {name}, so that the texts before and after"
                    " them become one.",
                    _specials_replaced(by),
                )
                for name, by in (("spaces", " "), ("line breaks", "\n"))
            ),
            (
                "line-breaks-translated",
                (
                    "It reads the line break \\r\\n as \\n, as Python does in text mode; open the file "  # noqa: E501
                    'with newline="".'
                ),
                _texts(lambda text: "\n".join(_lines(text))),
            ),
            (
                "final-line-break-lost",
                "It loses the line break at the end of the text.",
                _texts(lambda text: text.removesuffix("\n").removesuffix("\r")),
            ),
            (
                "text-stripped",
                "It strips white space from both ends of the text.",
                _texts(str.strip),
            ),
            (
                "line-breaks-dropped",
                "It drops line breaks.",
                _texts(lambda text: "".join(_lines(text))),
            ),
            (
                "line-breaks-as-spaces",
                "It reads line breaks as spaces.",
                _texts(lambda text: " ".join(_lines(text))),
            ),
            (
                "lines-without-breaks",
                "It reads the text line by line without the line breaks.",
                _sources(_lines_of_all),
            ),
            (
                "latin-1",
                "It reads the file as latin-1, so that “é” becomes “Ã©”.",
                _texts(lambda text: text.encode("utf-8", "surrogateescape").decode("latin-1")),
            ),
            *(
                ("latin-1", "It encodes the text as latin-1 instead of UTF-8.", _in_latin_1(errors))
                for errors in ("ignore", "replace")
            ),
            *(
                (
                    "rare-pieces-dropped",
                    f"It drops pieces that occur fewer than {least} times.",
                    _laid_out(_more_frequent(least)),
                )
                for least in (2, 3, 5, 10)
            ),
            *(
                ("normalized", f"It normalizes the text ({form.upper()}).", _normalized(form))
                for form in ("nfc", "nfkc", "nfd", "nfkd")
            ),
            ("not-normalized", "It does not normalize the text.", _settings(normalize=())),
            ("lowercased", "It lowercases the text.", _texts(str.lower)),
            (
                "other-units",
                "It trains on characters instead of bytes, or the other way round.",
                _other_units,
            ),
            (
                "size-one-more",
                "Its vocabulary has one token too many.",
                _more_merges(lambda procedure: 1),
            ),
            (
                "size-one-less",
                "Its vocabulary lacks one token.",
                _more_merges(lambda procedure: -1),
            ),
            (
                "size-without-specials",
                "It does not count the special tokens in the size of the vocabulary.",
                _more_merges(_n_special),
            ),
            (
                "size-specials-twice",
                "It counts the special tokens twice in the size of the vocabulary.",
                _more_merges(lambda procedure: -_n_special(procedure)),
            ),
            (
                "size-without-alphabet",
                "It takes the size of the vocabulary for the number of merges.",
                _more_merges(
                    lambda procedure: max(
                        0, (procedure.config.vocab_size or 0) - procedure.n_merges
                    )
                ),
            ),
            (
                "merges-as-size",
                "It takes the number of merges for the size of the vocabulary, and makes fewer.",
                _more_merges(lambda procedure: -_n_symbols(procedure)),
            ),
            (
                "alphabet-of-text",
                "Its alphabet has only the bytes that occur, so that it makes more merges.",
                _more_merges(_n_not_in_text),
            ),
            (
                "min-frequency-ignored",
                "It has no minimum frequency, and merges pairs that occur once.",
                _settings(min_frequency=1),
            ),
            (
                "min-frequency-exclusive",
                "It stops at pairs that occur exactly as often as the minimum frequency.",
                _least(1),
            ),
            (
                "min-frequency-below",
                "It merges pairs that occur one time less than the minimum frequency.",
                _least(-1),
            ),
            *(
                (
                    "min-frequency-hidden",
                    f"It stops at pairs that occur fewer than {least} times, a minimum of its own.",
                    _hidden_minimum(least),
                )
                for least in range(2, 21)
            ),
            *(("chunks-cut-anywhere", sentence, change) for sentence, change in _CHUNKS),
        ),
    ),
)

_MINBPE = {**PRESETS["raw"].values, "min_frequency": 1}
_TRAINERS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    *(
        (name, name, preset.values)
        for name, preset in PRESETS.items()
        if preset.values["superwords_from"] is None
    ),
    ("minbpe", "raw --min-frequency 1", _MINBPE),
    ("minbpe-split", "raw --min-frequency 1 --split cl100k", {**_MINBPE, "split": "cl100k"}),
)
SETTINGS = tuple(
    Mistake(f"settings-{name}", f"It follows other settings: --preset {options}.", _preset(values))
    for name, options, values in _TRAINERS
)
"""Other trainers, with all of their settings; perhaps somebody wanted one of these."""


def no_rule(merges: Sequence[Pair], is_stable: bool) -> Mistake:
    """The mistake of choosing among equal counts by chance.

    Args:
        merges: the pairs that were chosen.
        is_stable: whether the trainer chose the same pairs each time.
    """
    name = "ties-by-no-rule" if is_stable else "ties-by-hash-order"
    sentence = (
        "Of equally frequent pairs, it takes one by no known rule; perhaps the order of a set, or"
        " of something else that is sorted by hash, decides."
    )
    if not is_stable:
        sentence = (
            "Its ties depend on hash order: with another hash seed, the same function makes other"
            " merges. Do not let the order of a set decide."
        )
    return Mistake(name, sentence, _rules(choose=ties.as_given(merges)))


def changed(
    mistakes: Sequence[Mistake], procedure: Procedure
) -> Iterator[tuple[Mistake, Procedure]]:
    """Each mistake that makes a difference to a procedure, with the changed procedure."""
    for mistake in mistakes:
        try:
            other = mistake.change(procedure)
        except ConfigError:  # settings that cannot go together
            continue
        if other is not None and other != procedure:
            yield mistake, other
