"""Why a token of a run is never the result of its own text, as a sentence; `reasons.py` does it for any tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.text.normalization import normalize
from bpe_studio.engine.text.pretokenization import spans
from bpe_studio.explain.merges import joint_sentence
from bpe_studio.explain.names import display_text

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run


def why_unreachable(run: Run, token: int) -> str:
    """Why a token, of which `engine/analysis/reachability.py` says that it is unreachable, is so.

    Args:
        run: the run that has the token.
        token: its internal id.
    """
    text = run.token_content(token).decode(errors="replace")
    normalized = normalize(text, run.config.normalize)
    if normalized != text:
        return f"never made, because normalization turns it into {display_text(normalized)}"
    if run.config.split != "sentencepiece" and next(spans(text, run.config.cutting), None) != (0, len(text)):
        return "never made, because the split divides it"
    symbols, own = _symbols_and_ranks(run, token)
    gaps = run.segmenter.close_symbols(np.array(symbols, np.int32), np.array([0, len(symbols)]))[1:].tolist()
    others = [found for found, wanted in zip(gaps, own, strict=True) if found != wanted and 0 <= found < NEVER]
    if not others:
        return "never made, because another token has its text"
    sentence = joint_sentence(run, min(others)).partition(",")[0]
    return f"never made, because an earlier merge uses part of it: {sentence[0].lower()}{sentence[1:]}"


def _symbols_and_ranks(run: Run, token: int) -> tuple[list[int], list[int]]:
    """The symbols that a token is made from, and the rank of the merge that closes each gap between them."""
    symbols: list[int] = []
    ranks: list[int] = []
    # From left to right, without recursion: a token may be nested as deeply as there are merges.
    waiting: list[tuple[int, int]] = [(token, -1)]
    while waiting:
        part, rank_before = waiting.pop()
        rank = part - run.n_alphabet
        if rank >= 0:
            waiting += [(int(run.columns.right[rank]), rank), (int(run.columns.left[rank]), rank_before)]
            continue
        if symbols:
            ranks.append(rank_before)
        symbols.append(part)
    return symbols, ranks
