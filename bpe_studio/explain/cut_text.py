"""Where the cuts of one column of text differ from those of others.

Of any columns, the cuts that they do not share. Among the sizes of one run a later step only joins what an earlier one
cuts, so the smallest of them has all the cuts that any has, and the greatest those that all share: two comparisons a
column, however many columns there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.explain.names import display_name
from bpe_studio.explain.wording import number, plural

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.encoding.editable_text import TokenSpans
    from bpe_studio.engine.run import Run

    FloatArray = NDArray[np.float64]


def differences(starts: Sequence[FloatArray]) -> list[tuple[FloatArray, FloatArray]]:
    """The cuts that not all columns share.

    Args:
        starts: for each column the sorted places where its tokens begin.

    Returns:
        For each column the places where it cuts and another does not, and where another cuts and it does not.

    Example:
        `differences([[0, 1, 2], [0, 2]])` is `[([1], []), ([], [1])]`.
    """
    import numpy as np

    if not starts:
        return []
    every, n_columns = np.unique(np.concatenate([np.unique(column) for column in starts]), return_counts=True)
    contested = every[n_columns < len(starts)]
    result = []
    for column in starts:
        is_here = np.isin(contested, column)
        result.append((contested[is_here], contested[~is_here]))
    return result


def differences_of_size(own: FloatArray, every: FloatArray, shared: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The cuts of a column that not all columns share.

    Args:
        own: the sorted places where its tokens begin.
        every: those of the smallest size that is compared, which are all that any column has.
        shared: those of the greatest, which every column has.

    Returns:
        The places where it cuts and another does not, and where another cuts and it does not.

    Example:
        `differences_of_size([0, 2, 3], [0, 1, 2, 3], [0, 3])` is `([2], [1])`.
    """
    import numpy as np

    return np.setdiff1d(own, shared), np.setdiff1d(every, own)


def difference_words(own: FloatArray, reference: FloatArray) -> str:
    """How a column's cuts differ from those of the column that it is compared with, in words."""
    import numpy as np

    more, fewer = len(np.setdiff1d(own, reference)), len(np.setdiff1d(reference, own))
    if not more and not fewer:
        return "tokenized as the reference"
    if not more:
        return f"{plural(fewer, 'boundary', 'boundaries')} of the reference merged"
    if not fewer:
        return f"{plural(more, 'boundary', 'boundaries')} more than the reference"
    return f"{number(fewer)} merged, {number(more)} more than the reference"


@dataclass(frozen=True, eq=False)
class CutText:
    """What a column shows.

    Attributes:
        text: the whole text.
        starts, ends: (n,) float64, the tokens' places in code points; a fraction is inside a character.
        is_unknown: (n,) bool.
        tip: what is said about the k-th token.
        cut_here: places where this step cuts and another does not.
        joined_here: places where another step cuts and this one does not.
    """

    text: str
    starts: FloatArray
    ends: FloatArray
    is_unknown: NDArray[np.bool_]
    tip: Callable[[int], str]
    cut_here: FloatArray
    joined_here: FloatArray


def token_tip(run: Run, span: TokenSpans, step: int, k: int) -> str:
    """What is said about the k-th token of a text that is cut at a step."""
    token = int(span.ids[k])
    if token < 0:
        return "Not in the alphabet of this run: unknown"
    made = "in the alphabet" if token < run.n_alphabet else f"made by merge {token - run.n_alphabet:,}"
    return f"{display_name(run, token)}\nid {run.external_id(token, step):,}, {made}"
