"""The mistakes of encoders and decoders.

A mistake of an encoder is a function of the symbols of a word and the merges. The right encoder
applies the merge of lowest rank, again and again (`textbook.encode`):

>>> merges = ranked([("b", "c"), ("a", "b"), ("ab", "d"), ("bc", "e")])
>>> [encode("abce", merges) for encode in (lowest_rank, longest_match, leftmost_pair, highest_rank)]
[['a', 'bce'], ['ab', 'c', 'e'], ['ab', 'c', 'e'], ['ab', 'c', 'e']]
>>> most_frequent("abcbcab", merges)
['ab', 'c', 'bc', 'ab']
>>> in_list_order("abc", ranked([("ab", "c"), ("a", "b")]))
['ab', 'c']
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, combinations, islice, pairwise
from time import thread_time

from bpe_studio.engine.presets import DROPPING_SPLITS
from bpe_studio.engine.run import Run
from bpe_studio.engine.text.alphabet import from_stand_ins, to_stand_ins
from bpe_studio.engine.textbook import Pair, merge_pair
from bpe_studio.explain.names import display_log_name, display_text, elided, isolated
from bpe_studio.explain.wording import plural

Merges = Mapping[Pair, int]
"""The rank of each merge, in their order."""
Encode = Callable[[Sequence[str], Merges], list[str]]
Encoded = tuple[str, list[str]]
"""A text and its tokens, in the spelling of logs."""
Pieces = list[list[str]]
"""The symbols of each piece of a text."""
EncodeAll = Callable[[Sequence[Pieces], Merges], Iterator[list[str]]]
"""Encodes texts one after the other."""
MOST_WORDS = 200
MOST_LINES = 20
MOST_CHARACTERS = 200
"""Encoders are not tried on a longer line."""
_MOST_TOLD_APART = 3
_PROBE_SECONDS = 1
_BETWEEN = ("", "", "", "'s", "'t", "'re", " ", "12")
"""Texts between the tokens of words that are tried; a split cuts near most of them."""
_UNUSUAL = ("naïve 中文 😀", "  two  spaces ", "12345 don't!!", "a\n\nb")


@dataclass(frozen=True)
class WrongEncoding:
    """The first text that is encoded wrongly.

    Attributes:
        text: the text.
        expected: its tokens by the merges, in the spelling of logs.
        given: the given tokens.
        mistakes: the name and a sentence of each mistake that explains all texts.
        sentence: all of this, in words.
        n_right: the number of texts that are encoded correctly.
        n_texts: the number of texts that were tried.
    """

    text: str
    expected: list[str]
    given: list[str]
    mistakes: list[tuple[str, str]]
    sentence: str
    n_right: int
    n_texts: int


@dataclass(frozen=True)
class WrongDecoding:
    """The first tokens that are decoded wrongly.

    Attributes:
        tokens: the tokens, in the spelling of logs.
        expected: their text.
        given: the given text; `None` if the decoder fails.
        mistakes: the name and a sentence of each mistake that explains all texts.
        sentence: all of this, in words.
    """

    tokens: list[str]
    expected: str
    given: str | None
    mistakes: list[tuple[str, str]]
    sentence: str


def ranked(merges: Iterable[Pair]) -> dict[Pair, int]:
    """The rank of each merge; if a pair is listed twice, the first entry counts."""
    ranks: dict[Pair, int] = {}
    for rank, pair in enumerate(merges):
        ranks.setdefault(pair, rank)
    return ranks


def _merged_one_by_one(choose: Callable[[Sequence[tuple[int, int]]], tuple[int, int]]) -> Encode:
    """An encoder that merges one pair at a time; `choose` takes one of their (rank, place)."""

    def encode(symbols: Sequence[str], merges: Merges) -> list[str]:
        tokens = list(symbols)
        while found := [
            (merges[pair], place) for place, pair in enumerate(pairwise(tokens)) if pair in merges
        ]:
            _, place = choose(found)
            tokens[place : place + 2] = ["".join(tokens[place : place + 2])]
        return tokens

    return encode


lowest_rank = _merged_one_by_one(min)
highest_rank = _merged_one_by_one(max)
leftmost_pair = _merged_one_by_one(lambda found: min(found, key=lambda each: each[1]))


def longest_match(symbols: Sequence[str], merges: Merges) -> list[str]:
    """The longest token of the vocabulary that fits, from the left to the right."""
    vocabulary = _tokens_of(merges)
    tokens = []
    while symbols:
        n = next((n for n in range(len(symbols), 1, -1) if "".join(symbols[:n]) in vocabulary), 1)
        tokens.append("".join(symbols[:n]))
        symbols = symbols[n:]
    return tokens


def _tokens_of(merges: Merges) -> set[str]:
    """The tokens that merges make, kept from one word to the next."""
    known = _TOKENS.get(id(merges))
    if known is None or known[0] is not merges:
        known = merges, {left + right for left, right in merges}
        _TOKENS.clear()
        _TOKENS[id(merges)] = known
    return known[1]


_TOKENS: dict[int, tuple[Merges, set[str]]] = {}


def most_frequent(symbols: Sequence[str], merges: Merges) -> list[str]:
    """The pair that occurs most often in the word, everywhere in it."""
    tokens = list(symbols)
    while counts := Counter(pair for pair in pairwise(tokens) if pair in merges):
        pair = max(counts, key=counts.__getitem__)
        tokens = merge_pair(tokens, pair, "".join(pair))
    return tokens


def leftmost_everywhere(symbols: Sequence[str], merges: Merges) -> list[str]:
    """The leftmost pair, everywhere in the word."""
    tokens = list(symbols)
    while pair := next((pair for pair in pairwise(tokens) if pair in merges), None):
        tokens = merge_pair(tokens, pair, "".join(pair))
    return tokens


def in_list_order(symbols: Sequence[str], merges: Merges) -> list[str]:
    """Each merge once, in the order of the list: wrong if a later merge makes a token of one."""
    tokens = list(symbols)
    word = "".join(symbols)
    for left, right in merges:
        if left + right in word:
            tokens = merge_pair(tokens, (left, right), left + right)
    return tokens


def first_occurrences(symbols: Sequence[str], merges: Merges) -> list[str]:
    """Each merge once, in the order of the list, and only at its first place in the word."""
    tokens = list(symbols)
    word = "".join(symbols)
    for pair in merges:
        pairs = list(pairwise(tokens)) if "".join(pair) in word else []
        if pair in pairs:
            place = pairs.index(pair)
            tokens[place : place + 2] = ["".join(pair)]
    return tokens


def until_unknown(symbols: Sequence[str], merges: Merges) -> list[str]:
    """The pair of lowest rank, as long as every pair is a merge: an unknown pair has rank -1."""
    tokens = list(symbols)
    while len(tokens) > 1 and all(pair in merges for pair in pairwise(tokens)):
        pair = min(pairwise(tokens), key=merges.__getitem__)
        tokens = merge_pair(tokens, pair, "".join(pair))
    return tokens


def not_at_all(symbols: Sequence[str], merges: Merges) -> list[str]:
    """The symbols."""
    return list(symbols)


ENCODERS: dict[str, tuple[str, Encode]] = {
    "encode-longest-match": (
        "It takes the longest token that fits, from the left to the right.",
        longest_match,
    ),
    "encode-leftmost-pair": ("It merges the leftmost pair that is in the list.", leftmost_pair),
    "encode-highest-rank": (
        "It merges the last pair of the list first, instead of the first one.",
        highest_rank,
    ),
    "encode-most-frequent": (
        "It merges the pair that occurs most often in the text, instead of the first one of the"
        " list.",
        most_frequent,
    ),
    "encode-list-order": ("It goes through the list of merges once.", in_list_order),
    "encode-first-occurrence-only": (
        "It applies each merge of the list only at its first place in a piece.",
        first_occurrences,
    ),
    "encode-stops-early": (
        "It stops as soon as some pair is not in the list, though others are.",
        until_unknown,
    ),
    "encode-not-merged": ("It merges nothing.", not_at_all),
}
ACROSS = "encode-across-borders"
BAD_CACHE = "encode-bad-cache"
_ACROSS_SENTENCE = "It does not split the text, and merges across the borders of pieces."
_BAD_CACHE_SENTENCE = (
    "The tokens of a text depend on what it encoded before: it changes what is in its cache, or"
    " looks it up by something else than the piece."
)


def _by_piece(encode: Encode) -> EncodeAll:
    def encode_all(texts: Sequence[Pieces], merges: Merges) -> Iterator[list[str]]:
        for pieces in texts:
            yield list(chain.from_iterable(encode(piece, merges) for piece in pieces))

    return encode_all


def _across(encode: Encode) -> EncodeAll:
    def encode_all(texts: Sequence[Pieces], merges: Merges) -> Iterator[list[str]]:
        for pieces in texts:
            yield encode(list(chain.from_iterable(pieces)), merges)

    return encode_all


def _cached(key: Callable[[str], object]) -> EncodeAll:
    """An encoder with a cache whose key is not the whole piece."""

    def encode_all(texts: Sequence[Pieces], merges: Merges) -> Iterator[list[str]]:
        for pieces in texts:
            cache: dict[object, list[str]] = {}
            tokens: list[str] = []
            for piece in pieces:
                of = key("".join(piece))
                cache.setdefault(of, lowest_rank(piece, merges))
                tokens += cache[of]
            yield tokens

    return encode_all


def _without_space(piece: str) -> str:
    return piece.strip("Ġ ▁")


def _wrong_encoders() -> Iterator[tuple[str, str, EncodeAll]]:
    for name, (sentence, encode) in ENCODERS.items():
        yield name, sentence, _by_piece(encode)
    yield ACROSS, _ACROSS_SENTENCE, _across(lowest_rank)
    for name, (sentence, encode) in ENCODERS.items():
        yield f"{ACROSS}+{name}", f"{_ACROSS_SENTENCE} {sentence}", _across(encode)
    sentence = ENCODERS["encode-leftmost-pair"][0]
    yield "encode-leftmost-pair", sentence, _by_piece(leftmost_everywhere)
    for key in (str.lower, _without_space, len):
        yield BAD_CACHE, _BAD_CACHE_SENTENCE, _cached(key)


def probes(run: Run, text: str) -> tuple[list[str], list[str]]:
    """Words, which are one piece, and texts, on which encoders are tried.

    They are from a text, or tell the known mistakes apart. Some come twice, to find bad caches. If
    the split drops white space, no text has any.
    """
    special = run.config.all_special
    words = [word for word in dict.fromkeys(text.split()) if word not in special]
    lines = [line for line in text.splitlines() if 0 < len(line) <= MOST_CHARACTERS]
    if any(one in text for one in special):
        lines = [line for line in lines if not any(map(line.__contains__, special))]
    texts = list(dict.fromkeys(islice(lines, MOST_LINES)))
    if run.n_alphabet == 256:
        texts += _UNUSUAL
    words = words[:MOST_WORDS]
    # Without a split, a piece is a whole text.
    pieces = [piece for piece in run.corpus.pre_tokens() if len(piece) <= MOST_CHARACTERS]
    told = list(_told_apart(run, pieces[:MOST_WORDS]))
    without_space = [word for word in [*words, *told] if not any(map(str.isspace, word))]
    if run.config.split in DROPPING_SPLITS:
        texts = without_space
    else:
        texts += told
    words = [word for word in without_space if len(_pieces(run, word)) == 1]
    return [*words, *words[:20]], [*texts, *texts[:20]]


def _told_apart(run: Run, pieces: Sequence[str]) -> Iterator[str]:
    """Pieces, alone and some together, on which two encoders differ."""
    end_s = thread_time() + _PROBE_SECONDS
    rng = random.Random(1)
    merges = ranked((merge.left, merge.right) for merge in run.merges)
    encoders = [_by_piece(lowest_rank), *(encode for _, _, encode in _wrong_encoders())]
    n_apart: Counter[tuple[int, int]] = Counter()
    tokens = [merge.token for merge in run.merges]
    candidates = list(pieces)
    config = run.config
    known = set("".join(pieces))
    has_marks = bool(config.word_end or config.continuing or config.has_piece_rules)
    n_random = 0 if has_marks or not tokens else 1000
    for _ in range(n_random):
        parts = rng.choices(tokens, k=rng.randint(2, 3))
        if config.units == "bytes":
            parts = [from_stand_ins(part).decode("utf-8", "ignore") for part in parts]
        begin = rng.randrange(3)
        candidates.append(rng.choice(_BETWEEN).join(parts)[begin:])
    for word in candidates:
        if thread_time() > end_s:
            break
        if run.n_alphabet != 256 and not set(word) <= known:
            continue
        cut = [_pieces(run, word)]
        made = [list(encode(cut, merges)) for encode in encoders]
        apart = [
            pair for pair in combinations(range(len(made)), 2) if made[pair[0]] != made[pair[1]]
        ]
        if any(n_apart[pair] < _MOST_TOLD_APART for pair in apart):
            n_apart.update(apart)
            yield word


def wrong_encoding(run: Run, encoded: Sequence[Encoded]) -> WrongEncoding | None:
    """The first text whose tokens are not those of a run, with the mistakes that explain all."""
    tokenizer = run.tokenizer()
    right = [tokenizer.encode(text).tokens for text, _ in encoded]
    wrong = [place for place, tokens in enumerate(right) if tokens != encoded[place][1]]
    if not wrong:
        return None
    merges = ranked((merge.left, merge.right) for merge in run.merges)
    pieces = [_pieces(run, text) for text, _ in encoded]
    answers: dict[str, list[str]] = {}
    if all(answers.setdefault(text, tokens) == tokens for text, tokens in encoded):
        mistakes: dict[str, str] = {}
        for name, sentence, encode in _wrong_encoders():
            if mistakes and "+" in name:
                continue  # one mistake is enough
            made = encode(pieces, merges)
            if all(tokens == given for tokens, (_, given) in zip(made, encoded, strict=True)):
                mistakes[name] = sentence
    else:
        mistakes = {BAD_CACHE: _BAD_CACHE_SENTENCE}
    text, given = encoded[wrong[0]]
    expected = right[wrong[0]]
    shown = isolated(elided(display_text(text), 60))
    said = f"“{shown}” is encoded as {_shown(run, given)} instead of {_shown(run, expected)}."
    sentence = " ".join([said, *_explained(mistakes, len(encoded))])
    n_right = len(encoded) - len(wrong)
    named = list(mistakes.items())
    return WrongEncoding(text, expected, given, named, sentence, n_right, len(encoded))


def _explained(mistakes: Mapping[str, str], n_texts: int) -> Iterator[str]:
    for name, about in mistakes.items():
        yield f"The mistake ({name}): {about}"
    if not mistakes:
        yield "No known mistake explains this."
    elif n_texts > 1:
        yield f"This explains all {plural(n_texts, 'text')}."
    else:
        yield "This explains 1 text."


def _pieces(run: Run, text: str) -> Pieces:
    symbols = run.tokenizer(0).encode(text).tokens
    lengths = [len(gaps) + 1 for gaps in run.gap_ranks(text)]
    places = pairwise([0, *accumulate(lengths)])
    return [symbols[begin:end] for begin, end in places]


def names_by_id(run: Run) -> list[list[str]]:
    """The names of the ids of a run, for each order in which people number tokens."""
    merged = [merge.token for merge in run.merges]
    special = list(run.config.all_special)
    tokenizer = run.tokenizer()
    found = [tokenizer.convert_ids_to_tokens(list(range(tokenizer.vocab_size)))]
    if run.config.units == "bytes":
        alphabet = [to_stand_ins(bytes([byte])) for byte in range(256)]
        found += [
            [*alphabet, *merged, *special],
            [*alphabet, *special, *merged],
            [*special, *alphabet, *merged],
        ]
    return found


def named_ids(run: Run, encoded: Sequence[tuple[str, Sequence[int]]]) -> list[Encoded]:
    """Texts with the names of their ids, in the numbering in which most texts come out whole."""
    expected = ["".join(run.tokenizer().encode(text).tokens) for text, _ in encoded]
    best: list[Encoded] = []
    most = -1
    for names in names_by_id(run):
        named = [(text, _named(names, ids)) for text, ids in encoded]
        n_whole = sum(
            "".join(tokens) == whole for (_, tokens), whole in zip(named, expected, strict=True)
        )
        if n_whole > most:
            best = named
            most = n_whole
    return best


def _named(names: Sequence[str], ids: Sequence[int]) -> list[str]:
    by_id = dict(enumerate(names))
    return [by_id.get(number, f"id {number}") for number in ids]


Decode = Callable[[Sequence[bytes]], str]


def _each_decoded(errors: str) -> Decode:
    return lambda tokens: "".join(token.decode("utf-8", errors) for token in tokens)


def _decoded(errors: str, encoding: str = "utf-8") -> Decode:
    return lambda tokens: b"".join(tokens).decode(encoding, errors)


DECODERS: dict[str, tuple[str, tuple[Decode, ...]]] = {
    "decode-strict": (
        "It fails for bytes that are no whole character; decode with errors=“replace”.",
        (_decoded("strict"),),
    ),
    "decode-token-by-token": (
        "It decodes each token by itself, and loses a character whose bytes are in two tokens.",
        (_each_decoded("replace"), _each_decoded("strict"), _each_decoded("ignore")),
    ),
    "decode-ignores": (
        "It leaves out bytes that are no whole character, instead of writing U+FFFD.",
        (_decoded("ignore"), _decoded("backslashreplace"), _decoded("surrogateescape")),
    ),
    "decode-latin-1": ("It decodes latin-1 instead of UTF-8.", (_decoded("strict", "latin-1"),)),
    "decode-stand-ins": (
        "It leaves the stand-ins of bytes in the text, such as “Ġ” for a space.",
        (lambda tokens: to_stand_ins(b"".join(tokens)),),
    ),
    "decode-with-spaces": (
        "It puts a space between tokens.",
        (lambda tokens: " ".join(token.decode("utf-8", "replace") for token in tokens),),
    ),
    "decode-stripped": (
        "It strips white space from the text.",
        (lambda tokens: b"".join(tokens).decode("utf-8", "replace").strip(),),
    ),
    "decode-last-token-lost": (
        "It loses the last token.",
        (lambda tokens: b"".join(tokens[:-1]).decode("utf-8", "replace"),),
    ),
}


def wrong_decoding(
    run: Run, decoded: Sequence[tuple[list[str], str | None]]
) -> WrongDecoding | None:
    """The first tokens that are decoded wrongly, with the mistakes that explain all.

    Args:
        run: the run; with characters as units, nothing is checked.
        decoded: tokens in the spelling of logs, and their text; `None` if the decoder fails.
    """
    if run.config.units != "bytes":
        return None
    cases = [(list(map(from_stand_ins, tokens)), given) for tokens, given in decoded]
    right = _decoded("replace")
    wrong = next((n for n, (tokens, given) in enumerate(cases) if right(tokens) != given), None)
    if wrong is None:
        return None
    mistakes = {}
    for name, (sentence, decoders) in DECODERS.items():
        for decode in decoders:
            if all(_result(decode, tokens) == given for tokens, given in cases):
                mistakes[name] = sentence
    tokens, given = decoded[wrong]
    expected = right(cases[wrong][0])
    is_given = f"is decoded as “{isolated(display_text(given or ''))}”"
    if given is None:
        is_given = "cannot be decoded"
    said = f"{_shown(run, tokens)} {is_given} instead of “{isolated(display_text(expected))}”."
    sentence = " ".join([said, *_explained(mistakes, len(decoded))])
    return WrongDecoding(tokens, expected, given, list(mistakes.items()), sentence)


def _result(decode: Decode, tokens: Sequence[bytes]) -> str | None:
    try:
        return decode(tokens)
    except UnicodeDecodeError:
        return None


def _shown(run: Run, tokens: Sequence[str]) -> str:
    shown = [f"“{isolated(display_log_name(token, run.config))}”" for token in tokens[:12]]
    if len(tokens) > 12:
        shown.append("…")
    return " ".join(shown) or "no tokens"
