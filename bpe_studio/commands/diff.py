"""Finds out why two tokenizers give different ids.

Prints the parts that differ, then the tokens, merges, ids, added tokens and settings that only one
has. Then it looks for a short text that they encode differently: in the given files, and in texts
made to reach every part of a tokenizer. It says why the ids differ: the normalizer, the split, the
merge order, an added token, the prefix space, the fallback, the template or the vocabulary. The
exit status is 0 if nothing differs, and 1 otherwise.

--through opens a tokenizer with a library instead: `diff FOLDER --through transformers` compares a
folder as it is opened here with the same folder as Transformers opens it. If you give two
tokenizers, one --through is for both; with two, the first is for A and the second for B.

--golden OUT writes texts with the ids of A. --check FILE compares A with such a file, and exits
with 1 if ids have changed.

Example:
    bpe-studio diff tokenizer other
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from bpe_studio.commands.options import (
    FILE_HELP,
    add_input_options,
    add_split_option,
    load_tokenizer,
    reading_from,
)
from bpe_studio.commands.output import ProgressBar, on_one_line, say, write_result
from bpe_studio.commands.reading import read_texts
from bpe_studio.commands.saving import write_file
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.generators import result_of
from bpe_studio.explain.names import elided
from bpe_studio.explain.tokenizer_diff.difference import (
    SECONDS,
    TextDifference,
    TokenizerDifference,
    comparing,
)
from bpe_studio.explain.tokenizer_diff.golden import checking, golden_lines
from bpe_studio.explain.tokenizer_diff.made_texts import sample
from bpe_studio.explain.tokenizer_diff.sentences import kind_of_example, why
from bpe_studio.explain.tokenizer_diff.through import LIBRARIES
from bpe_studio.explain.wording import json_line, merge_name, plural
from bpe_studio.files.recognition import recognize

DIFFERENT = 1
_MOST_NAMED = 8
_MOST_SHOWN = 200
"""The limit for the characters of a text, or of its tokens, in the report."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("a", metavar="A", help="A tokenizer's folder or file")
    parser.add_argument(
        "rest", metavar="B_OR_FILE", nargs="*", help=f"Another tokenizer, then texts. {FILE_HELP}"
    )
    parser.add_argument(
        "--through",
        metavar="LIBRARY",
        action="append",
        choices=LIBRARIES,
        default=[],
        help=f"The library that gives the ids: {', '.join(LIBRARIES)}",
    )
    parser.add_argument(
        "--golden",
        metavar="OUT",
        help='Write texts with the ids of A, as JSON lines; "-" prints them',
    )
    parser.add_argument("--check", metavar="FILE", help="Compare A with the ids in such a file")
    parser.add_argument(
        "--seconds",
        metavar="N",
        type=_seconds,
        default=SECONDS,
        help=f"The number of seconds to look for a text (default: {SECONDS:g})",
    )
    parser.add_argument(
        "--json", action="store_true", help="Print one JSON object instead of a report"
    )
    add_split_option(parser)
    add_input_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Compares, writes or checks."""
    is_alone = bool(options.golden or options.check or options.through)
    has_b = bool(options.rest) and (not is_alone or recognize(options.rest[0]).is_tokenizer)
    files = options.rest[1:] if has_b else options.rest
    if options.check:
        if options.rest or len(options.through) > 1 or options.golden:
            parser.error(
                "--check compares one tokenizer with a file: leave out B, texts and --golden"
            )
        _check(_opened(options.a, options, *options.through), options)
    if not has_b and not is_alone:
        parser.error("give two tokenizers, or one with --through, --golden or --check")
    if len(options.through) > 2:
        parser.error("give --through twice at most: for A and for B")
    texts = list(read_texts(files, reading_from(options))) if files else []
    ways = options.through
    name_of_b = options.rest[0] if has_b else options.a
    if len(ways) == 2:
        of_a, of_b = ways
    else:
        of_b = "".join(ways)
        # One library is for both, unless A would be compared with itself.
        of_a = "" if options.a == name_of_b else of_b
    a = _opened(options.a, options, of_a)
    if not has_b and not ways:
        _write_golden(a, texts, options.golden)
        return
    b = _opened(name_of_b, options, of_b)
    with ProgressBar("Comparing") as bar:
        found = result_of(
            comparing(a, b, texts, options.seconds), lambda n: bar.update(0, 0, f"{n:,} texts")
        )
    if options.golden:
        _write_golden(a, [*(each.text for each in found.texts), *texts], options.golden)
    if options.golden != "-":
        titles = [_title(options.a, of_a), _title(name_of_b, of_b)]
        told = as_json(a, b, titles, found)
        result = json_line(told) if options.json else report(told)
        write_result(result)
    if not found.is_equal:
        raise SystemExit(DIFFERENT)


def _title(name: str, library: str) -> str:
    return f"{name} through {library}" if library else name


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not value > 0:
        raise argparse.ArgumentTypeError(f"give a number of seconds above 0, not {text!r}")
    return value


def _opened(path: str, options: argparse.Namespace, library: str = "") -> Tokenizer:
    return load_tokenizer(path, options.split, library)


def _write_golden(tokenizer: Tokenizer, texts: Sequence[str], out: str) -> None:
    lines = list(golden_lines(tokenizer, chain(_lines(texts), sample(tokenizer))))
    write_file(out, "".join(lines))
    if out != "-":
        say(f"Wrote {out}: {plural(len(lines), 'text')} with their ids")


def _lines(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        yield from text.splitlines(keepends=True)


def _check(tokenizer: Tokenizer, options: argparse.Namespace) -> None:
    with ProgressBar("Checking") as bar:
        drift = result_of(
            checking(tokenizer, options.check), lambda n: bar.update(0, 0, f"{n:,} texts")
        )
    n_texts = plural(drift.n_texts, "text")
    if options.json:
        write_result(json_line(vars(drift)))
    elif not drift.n_drifted:
        write_result(f"All {n_texts} of {options.check} have the same ids\n")
    else:
        write_result(
            f"{drift.n_drifted:,} of {n_texts} have other ids; the first is in line "
            f"{drift.line:,}\n"
            f"text      {elided(repr(drift.text), _MOST_SHOWN)}\n"
            f"expected  {_ids(drift.expected)}\n"
            f"found     {_ids(drift.found)}\n"
        )
    status = DIFFERENT if drift.n_drifted else 0
    raise SystemExit(status)


def _ids(ids: Sequence[int] | None) -> str:
    return "cannot be encoded" if ids is None else elided(" ".join(map(str, ids)), _MOST_SHOWN)


def as_json(
    a: Tokenizer, b: Tokenizer, titles: Sequence[str], found: TokenizerDifference
) -> dict[str, Any]:
    """The difference of two tokenizers as JSON values.

    Args:
        a, b: the two.
        titles: their names.
        found: the difference.
    """
    sides = (a, b)
    own = found.own
    about = [
        {"name": title, "kind": each.kind, "n_tokens": each.vocab_size, "n_merges": each.n_merges}
        for title, each in zip(titles, sides, strict=True)
    ]
    only = []
    for each, numbers, ranks in zip(sides, own.tokens, own.merges, strict=True):
        tokens = [{"id": n, "token": each.tokens[n]} for n in numbers]
        only.append({"tokens": tokens, "merges": _merges(each, ranks)})
    ranks_in_a = [rank for rank, _ in own.moved]
    moved = zip(_merges(a, ranks_in_a), own.moved, strict=True)
    unlike = {}
    for what, values in own.values.items():
        unlike[what] = [each._asdict() for each in values]
    return {
        "equal": found.is_equal,
        "said": found.said,
        "a": about[0],
        "b": about[1],
        "only_a": only[0],
        "only_b": only[1],
        "moved": [merge | {"rank_b": rank} for merge, (_, rank) in moved],
        **unlike,
        "differences": [_difference(sides, each) for each in found.texts],
        "n_tried": found.n_tried,
        "tried": found.tried,
        "complete": found.is_complete,
        "seconds": round(found.seconds, 3),
    }


def _merges(tokenizer: Tokenizer, ranks: Sequence[int]) -> list[dict[str, Any]]:
    names = tokenizer.tokens
    merges = tokenizer.merges if ranks else ()
    found = []
    for rank in ranks:
        left, right, new = merges[rank]
        found.append(
            {"rank": rank, "left": names[left], "right": names[right], "token": names[new]}
        )
    return found


def _difference(sides: Sequence[Tokenizer], found: TextDifference) -> dict[str, Any]:
    merges = []
    for side, rank in zip(sides, found.blame.ranks, strict=True):
        merge = None if rank is None else _merges(side, [rank])[0]
        merges.append(merge)
    merge_of_each = {"a": merges[0], "b": merges[1]} if any(merges) else None
    a, b = (
        {"ids": ids, "tokens": tokens} for ids, tokens in zip(found.ids, found.tokens, strict=True)
    )
    return {
        "text": found.text,
        "kind": kind_of_example(found),
        "is_shortest": found.is_shortest,
        "when": found.when,
        "part": found.blame.part.value,
        "because": found.blame.because,
        "why": why(found),
        "added_token": found.blame.name or None,
        "merge": merge_of_each,
        "a": a,
        "b": b,
        "n_characters_tried": found.n_characters,
    }


def report(found: dict[str, Any]) -> str:
    """The lines of a report.

    Args:
        found: the difference as `as_json` gives it.
    """
    lines = []
    groups: dict[str, list[dict[str, Any]]] = {}
    for letter in "AB":
        side = found[letter.lower()]
        only = found[f"only_{letter.lower()}"]
        n_tokens = plural(side["n_tokens"], "token")
        n_merges = plural(side["n_merges"], "merge")
        lines.append(f"{letter}  {side['name']}: {side['kind']}, {n_tokens}, {n_merges}")
        groups |= {f"{what} only in {letter}": entries for what, entries in only.items()}
    groups["merges in another order"] = found["moved"]
    groups |= {
        what.replace("_", " "): found[what]
        for what in ("ids", "scores", "added_tokens", "settings")
    }
    named = [_group(title, entries) for title, entries in groups.items() if entries]
    lines += ["", *found["said"]] if named else []
    lines += ["", *named] if named else []
    for each in found["differences"]:
        lines += ["", *_text_lines(each)]
    if not found["differences"]:
        lines += ["", "The ids are the same on everything that was tried"]
    tried = (
        f"{plural(found['n_tried'], 'text')} tried in {found['seconds']:.1f} s:"
        f" {', '.join(found['tried'])}"
    )
    late = "" if found["complete"] else "; there was no time for the others (--seconds gives more)"
    return "\n".join([*lines, "", tried + late]) + "\n"


def _group(title: str, entries: Sequence[dict[str, Any]]) -> str:
    more = f" and {len(entries) - _MOST_NAMED:,} more" if len(entries) > _MOST_NAMED else ""
    return f"{title}: {len(entries):,}: {', '.join(map(_named, entries[:_MOST_NAMED]))}{more}"


def _named(entry: dict[str, Any]) -> str:
    if "left" in entry:
        pair = f"{on_one_line(entry['left'])} + {on_one_line(entry['right'])}"
        if "rank_b" not in entry:
            return pair
        return f"{pair} ({merge_name(entry['rank'])}, {merge_name(entry['rank_b'])})"
    if "name" in entry:
        return f"{on_one_line(entry['name'])} ({elided(entry['a'], 40)}, {elided(entry['b'], 40)})"
    return on_one_line(entry["token"])


def _text_lines(found: dict[str, Any]) -> list[str]:
    text: str = found["text"]
    points = [f"U+{ord(char):04X}" for char in text[:8]]
    if len(text) > 8:
        points.append("...")
    when = f" {found['when']}" if found["when"] else ""
    lines = [f"{found['kind']}{when}: {elided(repr(text), _MOST_SHOWN)}  {' '.join(points)}"]
    for letter in "AB":
        side = found[letter.lower()]
        names = elided(" ".join(map(on_one_line, side["tokens"])), _MOST_SHOWN)
        lines.append(f"  {letter}  {_ids(side['ids'])}\t{names}")
    lines.append(f"  {found['why']}")
    if found["n_characters_tried"] and not found["is_shortest"]:
        lines.append(
            f"  none of the shorter texts of the {found['n_characters_tried']:,} likeliest"
            " characters differs"
        )
    return lines
