"""Says what is wrong with a corpus: dirt in its characters, words, lines and documents that becomes tokens.

Each finding is counted, and its first places are printed (with --places N, so many of them); --json has all that are
kept, up to 1,000 of each. With --price, a run is trained with the given settings, and for each finding another one with
the normalization (--normalize) or the cleaning (--clean) that removes it: the merges that are not made there, or later,
are its price.
After the findings come measures that every text has: words that occur once, digits by their
kind, what NFKC would change, and the scripts of each tenth of the text. Nothing is changed. The exit status is 0
whether something was found or not.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import MappingProxyType

from bpe_studio.commands import options as shared
from bpe_studio.commands.output import ProgressBar, json_line, say, write_result
from bpe_studio.commands.train import trained
from bpe_studio.engine.generators import result_of
from bpe_studio.explain.corpus_doctor.findings import first_ones
from bpe_studio.explain.corpus_doctor.inspection import Inspection, inspecting
from bpe_studio.explain.corpus_doctor.price import Price, pricing
from bpe_studio.explain.wording import data_size, number, part_of, percent, plural

PLACES = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("files", metavar="FILE", nargs="+", help=shared.FILE_HELP)
    parser.add_argument("--json", action="store_true", help="Print one object instead of a report")
    parser.add_argument(
        "--places", metavar="N", type=shared.whole_number, default=PLACES,
        help=f"How many places of each finding the report names (default: {PLACES})",
    )  # fmt: skip
    parser.add_argument(
        "--price", action="store_true", help="Say which merges of a run with these settings each finding causes"
    )
    shared.add_input_options(parser)
    shared.add_cut_options(parser)
    shared.add_training_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Inspects the files and prints what was found."""
    config = shared.config_from(options)
    job = inspecting(options.files, config, shared.reading_from(options))
    with ProgressBar("Inspecting") as bar:
        found = result_of(job, lambda progress: bar.update(progress.done, progress.total, progress.name))
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
        write_result(report(found, options.places, prices))


def _prices(options: argparse.Namespace, found: Inspection) -> dict[str, Price]:
    """What each finding costs in a run with the given settings."""
    assert found.corpus is not None
    trainer = trained(found.corpus, shared.config_from(options))
    fixes = {finding.name: finding.fix for finding in found.findings}
    names = list(fixes)
    job = pricing(options.files, trainer.run_record, fixes, shared.reading_from(options))
    with ProgressBar("Training without") as bar:
        return result_of(job, lambda finding: bar.update(names.index(finding), len(names), finding))


def report(found: Inspection, n_places: int = PLACES, prices: Mapping[str, Price] = MappingProxyType({})) -> str:
    """The findings as lines to read."""
    counted = [data_size(found.n_bytes), plural(found.n_documents, "document"), plural(found.n_lines, "line")]
    lines = [", ".join(counted), ""]
    if not found.findings:
        lines.append("Nothing was found.")
    for finding in found.findings:
        lines.append(f"{finding.sentence[0].upper()}{finding.sentence[1:]}.")
        lines += [f"    {place.file}:{place.line}:{place.column}" for place in finding.places[:n_places]]
        if finding.name in prices:
            lines.append(f"    Price: {prices[finding.name].sentence}.")
    measures = found.measures
    n_once, n_distinct = measures["words"]["n_once"], measures["words"]["n_distinct"]
    lines += ["", f"words that occur once  {part_of(number(n_once), number(n_distinct))}"]
    if measures["digits"]:
        lines.append(f"digits                 {first_ones(measures['digits'])}")
    changed = {f"{each['character']}→{each['becomes']}": each["count"] for each in measures["nfkc"]["characters"]}
    if changed:
        n_changed = measures["nfkc"]["n_characters"]
        lines.append(f"changed by NFKC        {number(n_changed)}: {first_ones(changed)}")
    lines.append(f"scripts                {_shares_by_tenth(measures['scripts'])}")
    return "\n".join(lines) + "\n"


def _shares_by_tenth(tenths: list[dict[str, float]]) -> str:
    """The most frequent scripts of each tenth of the text; tenths with the same ones together."""
    shown = [
        " ".join(f"{name} {percent(share)}" for name, share in list(each.items())[:2]) or "none" for each in tenths
    ]
    borders = [i for i in range(1, len(shown)) if shown[i] != shown[i - 1]]
    if not borders:
        return shown[0]
    spans = zip([0, *borders], [*borders, len(shown)], strict=True)
    return ", ".join(f"{shown[low]} (to {percent(high / len(shown))})" for low, high in spans)
