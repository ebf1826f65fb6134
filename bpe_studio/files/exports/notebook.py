"""Encodings, tokenizers, corpora and runs as HTML for notebooks: of large ones, the beginning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Encoding, Tokenizer
from bpe_studio.engine.run import Run
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
    if text is None:
        text, places = "".join(tokens), list(pairwise([0, *accumulate(map(len, tokens))]))
    elif len(tokens) < len(encoding):
        text = text[: max(end for _, end in places)]
    rows = zip(places, tokens, encoding.ids, strict=False)
    shown = sorted((start, end, f"{token}\nid {number}") for (start, end), token, number in rows if start < end)
    starts, ends, titles = zip(*shown, strict=True) if shown else ((), (), ())
    rest = f"{_number(len(encoding))} tokens" + (
        ", of which the first are shown" if len(tokens) < len(encoding) else ""
    )
    return f"<div>{fragment(CutText(text, starts, ends, titles))}<small>{rest}</small></div>"


def _tokenizer(tokenizer: Tokenizer) -> str:
    specials = list(tokenizer.special_ids)
    more = f" and {_number(len(specials) - _MOST_ROWS)} more" if len(specials) > _MOST_ROWS else ""
    facts = [
        ("Model", tokenizer.kind),
        ("Tokens", _number(len(tokenizer))),
        ("Merges", tokenizer.why_no_merges or _number(tokenizer.n_merges)),
        ("Special tokens", ", ".join(specials[:_MOST_ROWS]) + more or "none"),
        *(("Note", notice) for notice in tokenizer.notices),
    ]
    return _table(facts)


def _corpus(corpus: Corpus) -> str:
    facts = [("Distinct pre-tokens", _number(len(corpus))), ("Pre-tokens", _number(corpus.n_words))]
    if not corpus.is_counted:
        facts += [("Size", f"{_number(corpus.size_bytes)} bytes"), ("Documents", _number(corpus.n_documents))]
    first = np.argsort(-corpus.counts, kind="stable")[:_MOST_ROWS].tolist()
    rows = [(repr(corpus.pre_token(index)), _number(int(corpus.counts[index]))) for index in first]
    return _table(facts) + _table(rows, ("Pre-token", "Count"))


def _run(run: Run) -> str:
    merges = run.merges
    facts = [("Merges", _number(len(merges))), ("Vocabulary", _number(run.vocab_size_at(len(merges))))]
    if len(run.corpus):
        counts = run.measure("n_tokens")
        facts.append(("Tokens in the corpus", f"{_number(int(counts[0]))} at first, {_number(int(counts[-1]))} now"))
        facts.append(("At each step", _curve(counts)))
    rows = [(_number(m.rank), m.left, m.right, m.token, _number(m.count)) for m in merges[:_MOST_ROWS]]
    return _table(facts) + _table(rows, ("Rank", "Left", "Right", "Token", "Count"))


def _curve(values: Any) -> _Html:
    """Values from the first step to the last, from 0 to the greatest."""
    steps = np.unique(np.linspace(0, len(values) - 1, _MOST_POINTS).astype(int))
    places = steps / max(1, len(values) - 1) * _WIDTH, _HEIGHT * (1 - values[steps] / max(1, values.max()))
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(*places, strict=True))
    line = f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/>'
    return _Html(f'<svg width="{_WIDTH}" height="{_HEIGHT}" style="overflow:visible">{line}</svg>')


class _Html(str):
    """Text that is HTML already."""


def _table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    titles = f"<tr>{''.join(f'<th>{title}</th>' for title in head)}</tr>" if head else ""
    cells = (
        "".join(f'<td style="text-align:start">{c if isinstance(c, _Html) else escape(c)}</td>' for c in row)
        for row in rows
    )
    return f"<table>{titles}{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


def _number(value: int) -> str:
    return f"{value:,}"
