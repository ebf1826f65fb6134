"""Finds damage in the characters, words, lines and documents of a corpus, before it becomes tokens.

Prints each finding with its count and its first places; --json has up to 1,000 places of each. With
--price, the command trains a run with the given settings and, for each finding, another run without
it (by --normalize or --clean). The merges that the other run does not make, or makes later, are the
price of the finding.

After the findings come measures of the text: words that occur once, kinds of digits, characters
that NFKC would change, and the scripts of each tenth of the text. The command does not change the
files, and its exit status is 0 even if it finds something.

Example:
    bpe-studio inspect corpus.txt
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from itertools import zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING

from bpe_studio.commands import options as shared
from bpe_studio.commands.output import ProgressBar, say, write_result
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.generators import result_of
from bpe_studio.explain.inspection.findings import Finding, first_ones, visible_excerpt
from bpe_studio.explain.inspection.inspection import Inspection, inspecting
from bpe_studio.explain.names import display_log_name, display_text
from bpe_studio.explain.wording import data_size, json_line, number, part_of, plural

if TYPE_CHECKING:
    from bpe_studio.explain.inspection.price import Price

PLACES = 3
_CHANGED = 5
_LEAST_SHARE = 0.1
"""A script has a line of its own if its shares in the ten tenths add up to this."""
_ISOLATES = dict.fromkeys(map(ord, "\u2066\u2067\u2068\u2069"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("files", metavar="FILE", nargs="+", help=shared.FILE_HELP)
    parser.add_argument(
        "--json", action="store_true", help="Print one JSON object instead of a report"
    )
    parser.add_argument(
        "--places",
        metavar="N",
        type=shared.whole_number,
        default=PLACES,
        help=f"The number of places to print for each finding (default: {PLACES})",
    )
    parser.add_argument(
        "--price",
        action="store_true",
        help="Also find the merges that each finding causes in a run with these settings",
    )
    shared.add_input_options(parser)
    shared.add_cut_options(parser)
    shared.add_training_options(parser, weighs_files=False)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Inspects the files and prints the findings."""
    config = shared.config_from(options)
    job = inspecting(options.files, config, shared.reading_from(options))
    with ProgressBar("Inspecting") as bar:
        found = result_of(job, lambda place: bar.update(*place))
    for notice in found.notices:
        say(notice)
    prices = _prices(options, found) if options.price else {}
    if options.json:
        values = found.as_json()
        for finding in values["findings"]:
            if finding["name"] in prices:
                finding["price"] = prices[finding["name"]].as_json()
        write_result(json_line(values))
    else:
        write_result(report(found, options.places, prices, config))


def _prices(options: argparse.Namespace, found: Inspection) -> dict[str, Price]:
    """The price of each finding in a run with the given settings."""
    from bpe_studio.commands.train import trained  # nothing else here trains
    from bpe_studio.explain.inspection.price import pricing

    assert found.corpus is not None
    trainer = trained(found.corpus, shared.config_from(options))
    fixes = {finding.name: finding.fix for finding in found.findings}
    names = list(fixes)
    job = pricing(options.files, trainer.run_record, fixes, shared.reading_from(options))
    with ProgressBar("Training without") as bar:
        return result_of(job, lambda finding: bar.update(names.index(finding), len(names), finding))


def report(
    found: Inspection,
    n_places: int = PLACES,
    prices: Mapping[str, Price] = MappingProxyType({}),
    config: TrainingConfig | None = None,
) -> str:
    """The findings as lines to read.

    Args:
        found: the inspection.
        n_places: the number of places of each finding to print.
        prices: the prices of findings, by their names.
        config: the settings by which tokens are written; `None` for the spelling of `--log`.
    """
    counted = [
        data_size(found.n_bytes),
        plural(found.n_documents, "document"),
        plural(found.n_lines, "line"),
    ]
    lines = [", ".join(counted), ""]
    if not found.findings:
        lines.append("Nothing was found.")
    for finding in found.findings:
        lines.append(f"{finding.sentence[0].upper()}{finding.sentence[1:]}.")
        lines += _places_of(finding, n_places)
        if finding.name in prices:
            words = prices[finding.name].in_words(lambda token: f"“{_shown(token, config)}”")
            lines.append(f"    Price: {words}.")
    measures = found.measures
    n_once = measures["words"]["n_once"]
    n_distinct = measures["words"]["n_distinct"]
    lines += ["", f"words that occur once  {part_of(number(n_once), number(n_distinct))}"]
    if measures["digits"]:
        lines.append(f"digits                 {first_ones(measures['digits'])}")
    changed = [
        f"{visible_excerpt(each['character'])} → {display_text(each['becomes'])}"
        f" ({number(each['count'])})"
        for each in measures["nfkc"]["characters"]
    ]
    if changed:
        n_changed = plural(measures["nfkc"]["n_characters"], "character")
        more = ", …" if len(changed) > _CHANGED else ""
        lines.append(f"changed by NFKC        {n_changed}: {', '.join(changed[:_CHANGED])}{more}")
    lines += _scripts(measures["scripts"])
    return "\n".join(lines) + "\n"


def _places_of(finding: Finding, n_places: int) -> list[str]:
    """The first places with the text around each."""
    places = [place.after(place.file) for place in finding.places[:n_places]]
    width = max(map(len, places), default=0)
    excerpts = [_plain(visible_excerpt(each)) for each in finding.excerpts[:n_places]]
    return [
        f"    {place:{width}}  {text}".rstrip()
        for place, text in zip_longest(places, excerpts, fillvalue="")
    ]


def _shown(token: str, config: TrainingConfig | None) -> str:
    return token if config is None else _plain(display_log_name(token, config))


def _plain(text: str) -> str:
    """A text without the characters that isolate its direction, which few terminals know."""
    return text.translate(_ISOLATES)


def _scripts(tenths: list[dict[str, float]]) -> list[str]:
    """The shares of the scripts in each tenth of the text, a line for each script; one line for all
    if no share changes.
    """
    totals: dict[str, float] = {}
    for each in tenths:
        for name, share in each.items():
            totals[name] = totals.get(name, 0.0) + share
    names = [
        name
        for name, total in sorted(totals.items(), key=lambda item: -item[1])
        if total >= _LEAST_SHARE
    ]
    if not names:
        return ["scripts                none"]
    rows = {}
    for name in names:
        rows[name] = [round(100 * each.get(name, 0.0)) for each in tenths]
    if all(len(set(row)) == 1 for row in rows.values()):
        shares_of_all = [f"{name} {row[0]} %" for name, row in rows.items()]
        return [f"scripts                {', '.join(shares_of_all)}"]
    width = max(map(len, names))
    lines = []
    for name, row in rows.items():
        shares = " ".join(f"{share:3}" for share in row)
        lines.append(f"{name:{width}}  {shares}")
    first, *rest = [f"{lines[0]} % of the letters of each tenth", *lines[1:]]
    return [f"scripts                {first}", *(" " * 23 + line for line in rest)]
