"""Encodings, tokenizers, corpora and runs as HTML for notebooks: of large ones, the beginning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import accumulate, pairwise

import numpy as np

from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Encoding, Tokenizer
from bpe_studio.engine.run import Run
from bpe_studio.engine.token_statistics import Float64Array
from bpe_studio.files.exports.html_text import CutText, fragment

_MOST_TOKENS, _MOST_ROWS, _MOST_POINTS = 400, 10, 200
_WIDTH, _HEIGHT = 300, 60


def html_of(thing: Encoding | Tokenizer | Corpus | Run) -> str:
    """A fragment of HTML, in which all text is escaped."""
    match thing:
        case Encoding():
            return _encoding(thing)
        case Tokenizer():
            return _tokenizer(thing)
        case Corpus():
            return _corpus(thing)
        case Run():
            return _run(thing)


def _encoding(encoding: Encoding) -> str:
    tokens, places, text = encoding.tokens[:_MOST_TOKENS], encoding.offsets[:_MOST_TOKENS], encoding.text
    is_cut = len(tokens) < len(encoding)
    if text is None:
        text, places = "".join(tokens), list(pairwise([0, *accumulate(map(len, tokens))]))
    elif is_cut:
        text = text[: max(end for _, end in places)]
    rows = zip(places, tokens, encoding.ids, strict=False)
    shown = sorted((start, end, f"{token}\nid {number}") for (start, end), token, number in rows if start < end)
    starts, ends, titles = zip(*shown, strict=True) if shown else ((), (), ())
    n_tokens = f"{len(encoding):,} tokens{', of which the first are shown' if is_cut else ''}"
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
    n_merges, counts = len(run.merges), run.measure("n_tokens")
    sizes = f"{counts[0]:,.0f} at first, {counts[-1]:,.0f} after all merges"
    facts = _table((("Merges", n_merges), ("Vocabulary", run.vocab_size_at(n_merges)), ("Tokens in the corpus", sizes)))
    rows = [(merge.rank, merge.left, merge.right, merge.token, merge.count) for merge in run.merges[:_MOST_ROWS]]
    return facts + _curve(counts) + _table(rows, ("Rank", "Left", "Right", "Token", "Count"))


def _curve(values: Float64Array) -> str:
    """Values at each step, from 0 to the greatest."""
    steps = np.unique(np.linspace(0, len(values) - 1, _MOST_POINTS).astype(int))
    places = steps / max(1, len(values) - 1) * _WIDTH, _HEIGHT * (1 - values[steps] / max(1, values.max()))
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(*places, strict=True))
    line = f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/>'
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" style="overflow:visible">{line}</svg>'


def _table(rows: Iterable[Sequence[str | int]], head: Sequence[str] = ()) -> str:
    def cell(value: str | int) -> str:
        return escape(value) if isinstance(value, str) else f"{value:,}"

    titles = ["".join(f"<th>{title}</th>" for title in head)] if head else []
    lines = ("".join(f'<td style="text-align:start">{cell(value)}</td>' for value in row) for row in rows)
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in (*titles, *lines))}</table>"
