"""The data that the engine of the living page takes from Python: settings, runs, and properties of
characters.

The engine is `resources/living_page/engine.js`. A browser has a Unicode version of its own, so the
engine asks it for no property of a character: each set of characters in a split is found here, with
the `regex` package, among all code points. That makes splits equal to the program's in any browser.
Only normalization and lowercase are the browser's. They never change for the characters that Python
knows, and the engine leaves all others alone, so the browser's Unicode may be newer than Python's.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain, groupby
from typing import Any

import numpy as np
import regex

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.kernels.buffers import (
    FIRST_SEEN,
    GREATEST_TEXTS,
    SHORTEST_TEXT,
    SMALLEST_IDS,
)
from bpe_studio.engine.options import REGEX
from bpe_studio.engine.presets import (
    DIGIT_SPLITS,
    DROPPING_SPLITS,
    NAMED_SPLITS,
    PATTERNS,
    digits_apart,
)
from bpe_studio.engine.run import Run
from bpe_studio.engine.splits.regex_parser import CHARACTER, SET
from bpe_studio.engine.text.normalization import (
    NMT_DROPPED,
    NMT_KEPT,
    NMT_NFKC,
    NMT_SPACES,
    REPLACED_CHARACTERS,
    normalize,
)
from bpe_studio.engine.text.unicode_scripts import COMMON, HAN_SCRIPTS, OTHER_SCRIPTS, script_of
from bpe_studio.engine.tie_rules import TIE_RULES, TieRule
from bpe_studio.engine.training.seeded_run import SeededRun
from bpe_studio.errors import SaveError

_OPENING = regex.compile(r"\((?:\?(?P<flags>-?i)?:|\?[=!])?(?!\?|\*)")
_SYNTAX = regex.compile(r"[|)]|(?:[*+?]|\{\d+(?:,\d*)?\})\??(?!\+)")
_LITERAL = regex.compile(r"['/ A-Za-z0-9]")
_ORDERS = {
    FIRST_SEEN: "first-seen",
    SMALLEST_IDS: "smallest-ids",
    GREATEST_TEXTS: "greatest-texts",
    SHORTEST_TEXT: "shortest-text",
}
"""The page's names for the ways to compare pairs, by their number in the merge loop."""
_END_OF_CHANGES = 0x30000
"""No normal form changes a character from here on."""
_PROPERTIES: dict[str, Callable[[str], bool]] = {
    "unassigned": lambda char: unicodedata.category(char) == "Cn",
    "accent": lambda char: unicodedata.category(char) == "Mn",
    "mark": lambda char: unicodedata.category(char)[0] == "M",
    "hidden": lambda char: unicodedata.category(char)[0] in "CZ",
    "punctuation": lambda char: unicodedata.category(char)[0] == "P",
    "letter": lambda char: unicodedata.category(char)[0] in "LMN",
    "space": str.isspace,
    "rightToLeft": lambda char: char >= "\u0590" and unicodedata.bidirectional(char) in ("R", "AL"),
}


def settings_json(config: TrainingConfig) -> dict[str, Any]:
    """The options of a run as the page's engine takes them.

    Raises:
        SaveError: the page cannot train or encode with one of them.
    """
    prefix = config.continuing or ""
    mark = config.word_end or ""
    if config.clean:
        raise SaveError(
            f"A page cannot clean its text ({', '.join(config.clean)}): train without cleaning to"
            " share it"
        )
    if config.is_weighted:
        raise SaveError("A page has one text, without weights of files: train without weights")
    if config.units == "items":
        raise SaveError(
            "A page cannot train on items: train with units bytes or characters to share it"
        )
    if config.superwords_from is not None:
        raise SaveError("A page cannot train superwords: train without superwords-from to share it")
    for option in ("whole_characters", "one_script"):
        if getattr(config, option):
            spelled = option.replace("_", "-")
            raise SaveError(
                f"A page cannot train with {spelled}: train without it to share the run"
            )
    if config.force or config.forbid:
        raise SaveError(
            "A page cannot force or forbid merges: train without forced and forbidden pairs to"
            " share it"
        )
    if prefix and mark and prefix[1:] == mark[:-1]:
        raise SaveError(
            f"A page cannot tell the prefix {prefix!r} from the word end {mark!r}: choose others"
        )
    if config.initial_alphabet or config.limit_alphabet is not None:
        raise SaveError(
            "A page takes the alphabet from its text: train without initial alphabet and alphabet"
            " limit"
        )
    own_pattern = None
    if config.split.startswith(REGEX):
        parts = _parts(config.split.removeprefix(REGEX))
        own_pattern = {"parts": parts, "sets": {source: _set(source) for source in parts[1::2]}}
    most_words = config.superwords_words if config.limits_words else None
    return {
        "preset": config.preset_name,
        "vocabSize": config.vocab_size,
        "merges": config.merges,
        "minFrequency": config.min_frequency,
        "units": config.units,
        "split": config.split,
        "splitDigits": config.split_digits,
        "superwordsWords": most_words,
        "ownPattern": own_pattern,
        "documents": config.documents,
        "normalize": list(config.normalize),
        "wordEnd": config.word_end,
        "wordEndAs": config.word_end_as,
        "continuing": config.continuing,
        "fullAlphabet": config.full_alphabet,
        "characterCoverage": config.character_coverage,
        "byteFallback": config.byte_fallback,
        "maxTokenLength": config.max_token_length,
        "ties": config.ties,
        "special": list(config.all_special),
        "unknown": config.unknown,
    }


def run_json(run: Run, most_characters: int | None = None) -> dict[str, Any]:
    """A run as the page's engine opens it, with the words of its corpus.

    Args:
        run: the run.
        most_characters: the most characters of all words together, of which the most frequent are
            kept; `None` for all.

    Raises:
        SaveError: the page cannot encode as the run does.
    """
    if not run.is_own or (isinstance(run, SeededRun) and not run.is_in_order):
        raise SaveError(
            "A page cannot cut text as this tokenizer does: open a text and train, or export an"
            " animation"
        )
    columns = (
        run.columns.left,
        run.columns.right,
        run.columns.count,
        run.columns.tied,
        run.columns.n_tokens,
    )
    kept = np.ones(len(run.corpus), bool)
    words = list(run.corpus.pre_tokens())
    if most_characters is not None:
        order = np.argsort(-run.corpus.counts, kind="stable")
        lengths = [len(words[index]) for index in order]
        kept[order] = np.cumsum(lengths) <= most_characters
    merges = zip(*(column.tolist() for column in columns), strict=True)
    return {
        # The options that only decide about merges are no longer needed.
        "settings": settings_json(run.config.unweighted.replace(clean=(), force=(), forbid=())),
        "alphabet": run.alphabet.codes.tolist(),
        "merges": list(map(list, merges)),
        "passed": list(map(list, run.passed)),
        "nTokens": run.n_tokens_at(0),
        "words": [[words[index], int(run.corpus.counts[index])] for index in np.flatnonzero(kept)],
    }


def _newer() -> dict[str, str]:
    """The text that SentencePiece makes of each character that Python does not know yet."""
    unknown = [char for char in map(chr, range(_END_OF_CHANGES)) if _PROPERTIES["unassigned"](char)]
    changed = normalize("\n".join(unknown), [NMT_NFKC]).split("\n")
    return {char: new for char, new in zip(unknown, changed, strict=True) if char != new}


@lru_cache(maxsize=1)
def tables_json() -> dict[str, Any]:
    """The named splits and the properties of characters, the same for all settings."""
    patterns = {name: PATTERNS[name] for name in NAMED_SPLITS if name != "none"}
    with_digits = [name for name in NAMED_SPLITS if name not in (*DIGIT_SPLITS, "sentencepiece")]
    patterns |= {f"{name} digits": digits_apart(name) for name in with_digits}
    patterns["sentencepiece digits"] = PATTERNS["sentencepiece"]
    parts = {name: _parts(pattern) for name, pattern in patterns.items()}
    sources = chain.from_iterable(pattern[1::2] for pattern in parts.values())
    sets = {source: _set(source) for source in sources}
    return {
        "patterns": parts,
        "sets": sets,
        "properties": {
            name: _text_of(_spans(map(is_one, _every()))) for name, is_one in _PROPERTIES.items()
        },
        "scripts": _text_of(_scripts()),
        "commonScript": COMMON,
        "droppingSplits": DROPPING_SPLITS,
        "replacements": REPLACED_CHARACTERS,
        "nmt": {"dropped": NMT_DROPPED, "spaces": NMT_SPACES, "kept": NMT_KEPT, "newer": _newer()},
        "ties": {name: _tie_rule(rule) for name, rule in TIE_RULES.items()},
    }


def _tie_rule(rule: TieRule) -> dict[str, Any]:
    return {
        "takes": rule.words,
        "order": _ORDERS[rule.number],
        "comparesNames": rule.compares_names,
        "hasSpecialFirst": rule.has_special_first,
        "hasFrequentFirst": rule.has_frequent_first,
    }


def _parts(pattern: str) -> list[str]:
    r"""An expression in JavaScript's syntax: syntax, a set of characters in Python's, syntax, a
    set, and so on.

    >>> _parts(r"(?i:'s)|\s+(?!\S)")
    ["(?:'", '(?i:s)', ')|', '\\s', '+(?!', '\\S', ')']
    """
    parts = [""]
    place = 0
    ignores_case = [False]
    if regex.fullmatch(pattern, ""):
        raise SaveError(
            f"A page cannot split text with {pattern!r}, which also matches nothing: choose a named"
            " split"
        )
    while place < len(pattern):
        if found := SET.match(pattern, place) or CHARACTER.match(pattern, place):
            is_cased = ignores_case[-1] and found[0].upper() != found[0].lower()
            if _LITERAL.fullmatch(found[0]) and not is_cased:
                parts[-1] += found[0]
            else:
                one_of = f"(?i:{found[0]})" if is_cased else found[0]
                parts += [one_of, ""]
        elif found := _OPENING.match(pattern, place):
            ignores_inside = found["flags"] == "i" if found["flags"] else ignores_case[-1]
            ignores_case.append(ignores_inside)
            parts[-1] += found[0] if found[0][-1] in "=!" else "(?:"
        elif found := _SYNTAX.match(pattern, place):
            ignores_case = ignores_case[:-1] if found[0] == ")" else ignores_case
            parts[-1] += found[0]
        else:
            raise SaveError(
                f"A page cannot split text with the regular expression {pattern!r}: choose a named"
                " split"
            )
        place = found.end()
    return parts


@lru_cache(maxsize=1)
def _every() -> str:
    return np.arange(0x110000, dtype=np.uint32).tobytes().decode("utf-32-le", "surrogatepass")


@lru_cache(maxsize=64)
def _set(source: str) -> str:
    return _text_of(match.span() for match in regex.finditer(f"(?:{source})+", _every()))


def _spans(belongs: Iterable[bool]) -> Iterator[tuple[int, int]]:
    place = 0
    for is_in, group in groupby(belongs):
        start = place
        place += len(list(group))
        if is_in:
            yield start, place


def _scripts() -> Iterator[tuple[int, int, int]]:
    """The spans of code points of one script each, and its number; all others are of `COMMON`."""
    others = [name for name in OTHER_SCRIPTS if name != "Common"]
    names = ("Inherited", *HAN_SCRIPTS, *others)
    one = regex.compile("|".join([rf"\p{{Script={name}}}+" for name in names] + ["\u30fc"]))
    for others in regex.finditer(
        r"[[^\p{Cn}\p{Co}\p{Cs}\p{Script=Common}]\u30fc]+", _every(), regex.V1
    ):
        for found in one.finditer(_every(), *others.span()):
            yield *found.span(), script_of(found[0][0])


def _text_of(spans: Iterable[tuple[int, ...]]) -> str:
    """Spans as text: the gap before each, its length, and its further numbers, in base 36."""
    numbers = []
    before = 0
    for start, end, *more in spans:
        numbers += [start - before, end - start, *more]
        before = end
    return " ".join(np.base_repr(number, 36).lower() for number in numbers)
