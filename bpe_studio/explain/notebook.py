"""The public objects as HTML for notebooks; large ones are summarized."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from html import escape
from itertools import accumulate, islice, pairwise
from typing import Any

import numpy as np

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.encoded_texts import EncodedTexts
from bpe_studio.engine.encoding.tokenizer import Encoding, Tokenizer
from bpe_studio.engine.run import Run
from bpe_studio.engine.token_statistics import Float64Array
from bpe_studio.engine.training.merge_log import MergeList
from bpe_studio.explain.check.check import Check
from bpe_studio.explain.comparison.token_counts import Comparison
from bpe_studio.explain.doctor.examination import Examination
from bpe_studio.explain.inspection.enough import Enough
from bpe_studio.explain.inspection.findings import visible_excerpt
from bpe_studio.explain.inspection.inspection import Inspection
from bpe_studio.explain.names import display_log_name
from bpe_studio.explain.wording import data_size, percent
from bpe_studio.files.changes.extend import Extension
from bpe_studio.files.changes.prune import Pruning
from bpe_studio.files.exports.html_text import CutText, fragment

_MOST_TOKENS = 400
_MOST_ROWS = 10
_MOST_POINTS = 200
_MOST_CHARACTERS = 300
_WIDTH = 300
_HEIGHT = 60


def html_of(thing: Any) -> str:
    """A fragment of HTML, in which all text is escaped."""
    return next(write(thing) for kind, write in _WRITERS.items() if isinstance(thing, kind))


def _encoding(encoding: Encoding) -> str:
    tokens = encoding.tokens[:_MOST_TOKENS]
    places = encoding.offsets[:_MOST_TOKENS]
    text = encoding.text
    is_cut = len(tokens) < len(encoding)
    if text is None:
        text = "".join(tokens)
        places = list(pairwise([0, *accumulate(map(len, tokens))]))
    elif is_cut:
        text = text[: max(end for _, end in places)]
    rows = zip(places, tokens, encoding.ids, strict=False)
    shown = [
        (start, end, f"{token}\nid {number}") for (start, end), token, number in rows if start < end
    ]
    shown.sort()
    starts, ends, titles = zip(*shown, strict=True) if shown else ((), (), ())
    n_tokens = f"{len(encoding):,} tokens"
    if is_cut:
        n_tokens = f"{n_tokens}, of which the first are shown"
    return f"<div>{fragment(CutText(text, starts, ends, titles))}<small>{n_tokens}</small></div>"


def _tokenizer(tokenizer: Tokenizer) -> str:
    specials = list(tokenizer.special_ids)
    others = f" and {len(specials) - _MOST_ROWS:,} more" if len(specials) > _MOST_ROWS else ""
    return _table(
        (
            ("Model", tokenizer.kind),
            ("Tokens", len(tokenizer)),
            ("Merges", tokenizer.why_no_merges or tokenizer.n_merges),
            ("Special tokens", ", ".join(specials[:_MOST_ROWS]) + others or "none"),
            *(("Note", notice) for notice in tokenizer.notices),
        )
    )


def _corpus(corpus: Corpus) -> str:
    first = np.argsort(-corpus.counts, kind="stable")[:_MOST_ROWS].tolist()
    rows = [(repr(corpus.pre_token(index)), int(corpus.counts[index])) for index in first]
    facts = _table((("Pre-tokens", corpus.n_words), ("Distinct", len(corpus))))
    return facts + _table(rows, ("Pre-token", "Count"))


def _run(run: Run) -> str:
    n_merges = len(run.merges)
    counts = run.measure("n_tokens")
    sizes = f"{counts[0]:,.0f} at first, {counts[-1]:,.0f} after all merges"
    facts = _table(
        (
            ("Merges", n_merges),
            ("Vocabulary", run.vocab_size_at(n_merges)),
            ("Tokens in the corpus", sizes),
        )
    )
    rows = []
    for merge in run.merges[:_MOST_ROWS]:
        left, right, token = (
            display_log_name(name, run.config) for name in (merge.left, merge.right, merge.token)
        )
        rows.append((merge.rank, left, right, token, merge.count))
    return facts + _curve(counts) + _table(rows, ("Rank", "Left", "Right", "Token", "Count"))


def _merges(merges: MergeList) -> str:
    rows = []
    for merge in merges[: _MOST_ROWS + 1]:
        rows.append((merge.rank, merge.left, merge.right, merge.token, merge.count))
    return _beginning(rows, ("Rank", "Left", "Right", "Token", "Count"), len(merges))


def _encoded_texts(found: EncodedTexts) -> str:
    rows = []
    for number, ids in enumerate(islice(found, _MOST_ROWS + 1)):
        rows.append((number, len(ids), " ".join(map(str, ids[:_MOST_CHARACTERS].tolist()))))
    facts = _table((("Texts", len(found)), ("Tokens", len(found.ids))))
    return facts + _beginning(rows, ("Text", "Tokens", "Ids"), len(found))


def _config(config: TrainingConfig) -> str:
    rows = []
    for name, value in config.to_dict().items():
        rows.append((name, str(value)))
    return _table(rows)


def _comparison(comparison: Comparison) -> str:
    titles = {
        "tokenizer": "Tokenizer",
        "step": "Merges",
        "vocab_size": "Vocabulary",
        "n_tokens": "Tokens",
        "bytes_per_token": "Bytes per token",
        "chars_per_token": "Characters per token",
        "fertility": "Tokens per word",
        "n_unknown": "Unknown",
        "n_types_used": "Tokens used",
    }
    rows = [operator.itemgetter(*titles)(row) for row in comparison.rows]
    return _table(rows, list(titles.values()))


def _examination(found: Examination) -> str:
    unused = () if found.unused is None else (("never used", len(found.unused)),)
    counts = [(kind.value, count) for kind, count in found.counts.items()]
    classes = _table([("all", found.n_tokens), *counts, *unused], ("Tokens", "Count"))
    gates = []
    for gate in found.gates:
        result = "passed" if gate.passed else "✗ failed"
        gates.append((gate.title, result, gate.detail))
    causes = [
        (token.token, token.id, token.cause.reason.value, token.cause.by)
        for token in found.tokens
        if token.cause is not None
    ]
    unreachable = _beginning(causes, ("Unreachable", "Id", "Reason", "By"))
    return classes + _table(gates, ("Gate", "Result", "Detail")) + unreachable


def _check(found: Check) -> str:
    lines = (*found.sentences, *found.others)
    return "".join(f'<p dir="auto">{escape(line)}</p>' for line in lines)


def _inspection(found: Inspection) -> str:
    facts = (
        ("Size", data_size(found.n_bytes)),
        ("Documents", found.n_documents),
        ("Lines", found.n_lines),
    )
    findings = []
    for finding in found.findings:
        place = next((place.after(place.file) for place in finding.places), "")
        findings.append(
            (finding.sentence, place, visible_excerpt(next(iter(finding.excerpts), "")))
        )
    if not findings:
        return _table((*facts, ("Findings", "none")))
    return _table(facts) + _table(findings, ("Finding", "First place", "Text"))


def _enough(found: Enough) -> str:
    rows = [
        (
            percent(sample.share),
            data_size(sample.n_bytes),
            percent(sample.overlap),
            1 / sample.tokens_per_byte,
        )
        for sample in found.samples
    ]
    titles = ("Share of the text", "Size", "Same vocabulary", "Bytes per token of held-out text")
    return f"<p>{escape(found.sentence)}.</p>{_table(rows, titles)}"


def _extension(found: Extension) -> str:
    rows = [(merge.left, merge.right, merge.token, merge.count) for merge in found.merges]
    facts = (("New merges", len(rows)), *_change(found.n_tokens))
    return _table(facts) + _beginning(rows, ("Left", "Right", "New token", "Tokens saved"))


def _pruning(found: Pruning) -> str:
    rows = [(token.token, token.id, token.count) for token in found.removed]
    facts = (("Removed tokens", len(rows)), *_change(found.n_tokens))
    return _table(facts) + _beginning(rows, ("Removed token", "Id", "Uses"))


def _change(n_tokens: tuple[int, int]) -> tuple[tuple[str, int], ...]:
    return ("Tokens of the corpus before", n_tokens[0]), ("After", n_tokens[1])


def _beginning(
    rows: Sequence[Sequence[str | int | float]], head: Sequence[str], n_rows: int | None = None
) -> str:
    """The first rows of a table, and the number of all if there are more; "" without rows.

    Args:
        rows: the rows, or at least the first of them.
        head: the titles of the columns.
        n_rows: the number of all rows; None for those in `rows`.
    """
    if not rows:
        return ""
    n_rows = len(rows) if n_rows is None else n_rows
    more = f"<small>The first {_MOST_ROWS} of {n_rows:,}</small>" if n_rows > _MOST_ROWS else ""
    return _table(rows[:_MOST_ROWS], head) + more


def _curve(values: Float64Array) -> str:
    """A curve of the values at each step, on a scale from 0 to the greatest."""
    steps = np.unique(np.linspace(0, len(values) - 1, _MOST_POINTS).astype(int))
    places = (
        steps / max(1, len(values) - 1) * _WIDTH,
        _HEIGHT * (1 - values[steps] / max(1, values.max())),
    )
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(*places, strict=True))
    line = f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/>'
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" style="overflow:visible">{line}</svg>'


def _table(rows: Iterable[Sequence[str | int | float]], head: Sequence[str] = ()) -> str:
    """A table of texts and numbers; without a head, its rows are names and values."""

    def cell(value: str | int | float) -> str:
        if isinstance(value, str):
            shown = value if len(value) <= _MOST_CHARACTERS else value[: _MOST_CHARACTERS - 1] + "…"
            return (
                f'<td dir="auto" style="text-align:start;white-space:pre-wrap">{escape(shown)}</td>'
            )
        number = f"{value:,.3f}" if isinstance(value, float) else f"{value:,}"
        return f'<td style="text-align:{side}">{number}</td>'

    side = "end" if head else "start"
    lines = ["".join(map(cell, row)) for row in rows]
    if head:
        titles = "".join(f'<th style="text-align:start">{title}</th>' for title in head)
        lines.insert(0, titles)
    table = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table>{table}</table>"


_WRITERS: dict[type, Callable[[Any], str]] = {
    Encoding: _encoding,
    Tokenizer: _tokenizer,
    Corpus: _corpus,
    Run: _run,
    MergeList: _merges,
    EncodedTexts: _encoded_texts,
    TrainingConfig: _config,
    Comparison: _comparison,
    Check: _check,
    Examination: _examination,
    Inspection: _inspection,
    Enough: _enough,
    Extension: _extension,
    Pruning: _pruning,
}
