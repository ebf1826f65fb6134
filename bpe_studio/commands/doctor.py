"""Checks a tokenizer, token by token.

Each token is reachable (some text is encoded as it), unreachable, partial (part of a character) or
special (an added token). The reason for an unreachable token is the split, normalization or an
earlier merge. Gates check the tokenizer as a whole. The exit status is 0 if all gates pass, and 1
otherwise.

Example:
    bpe-studio doctor -t tokenizer --corpus corpus.txt
"""

from __future__ import annotations

import argparse

from bpe_studio.commands.options import (
    add_input_options,
    add_split_option,
    add_through_option,
    load_tokenizer,
    reading_from,
)
from bpe_studio.commands.output import ProgressBar, on_one_line, say, write_result
from bpe_studio.commands.reading import read_texts
from bpe_studio.engine.generators import result_of
from bpe_studio.explain.doctor.examination import Examination, examining
from bpe_studio.explain.doctor.token_classes import TokenClass
from bpe_studio.explain.wording import plural

FAILED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("-t", "--tokenizer", metavar="TOK", required=True, help="The tokenizer")
    parser.add_argument(
        "--corpus",
        metavar="FILE",
        action="append",
        help=(
            'Also find the tokens that this text never uses; repeat it for more files; "-" is'
            " standard input"
        ),
    )
    parser.add_argument(
        "--json", action="store_true", help="Print one JSON object instead of a report"
    )
    add_split_option(parser)
    add_through_option(parser)
    add_input_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Examines the tokenizer and prints the findings."""
    tokenizer = load_tokenizer(options.tokenizer, options.split, options.through)
    texts = None
    if options.corpus is not None:
        texts = list(read_texts(options.corpus, reading_from(options)))
    job = examining(tokenizer, texts)
    with ProgressBar("Examining") as bar:
        found = result_of(job, lambda share: bar.update(share, 1))
    result = found.as_line() if options.json else report(found)
    write_result(result)
    failed = [gate.name for gate in found.gates if not gate.passed]
    if failed:
        say(f"{plural(len(failed), 'gate')} of {len(found.gates)} failed: {', '.join(failed)}")
        raise SystemExit(FAILED)


def report(found: Examination) -> str:
    """The findings as lines to read."""
    lines = [plural(found.n_tokens, "token")]
    lines += [f"  {kind.value:12} {found.counts[kind]:>9,}" for kind in TokenClass]
    if found.unused is not None:
        lines.append(f"  {'never used':12} {len(found.unused):>9,}")
    lines += ["", "gates"]
    for gate in found.gates:
        verdict = "passed" if gate.passed else "FAILED"
        lines.append(f"  {verdict}  {gate.name}: {gate.detail}")
    rows = []
    for token in found.tokens:
        cause = token.cause
        if cause is not None:
            name = on_one_line(token.token)
            rows.append(f"{name}\t{token.id}\t{cause.reason.value}\t{on_one_line(cause.by)}")
    if rows:
        lines += ["", "unreachable\tid\treason\tby", *rows]
    return "\n".join(lines) + "\n"
