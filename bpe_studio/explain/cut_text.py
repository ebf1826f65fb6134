"""The tokens of a text in a column, and the cuts in which it differs from another column.

`comparison/texts.py` marks the cuts that several columns do not all share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.explain.wording import number, plural

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.run import Run

    FloatArray = NDArray[np.float64]


def n_differing(own: FloatArray, reference: FloatArray) -> int:
    """The number of places that only one of two columns cuts."""
    import numpy as np

    return len(np.setxor1d(own, reference))


def difference_words(own: FloatArray, reference: FloatArray) -> str:
    """The difference between a column's cuts and those of the reference B, in words."""
    import numpy as np

    more = len(np.setdiff1d(own, reference))
    fewer = len(np.setdiff1d(reference, own))
    if not more and not fewer:
        return "tokenized as B"
    if not more:
        return f"{plural(fewer, 'boundary', 'boundaries')} of B merged"
    if not fewer:
        return f"{plural(more, 'boundary', 'boundaries')} more than B"
    return f"{number(fewer)} merged, {number(more)} more than B"


@dataclass(frozen=True, eq=False)
class CutText:
    """The content of a column.

    Attributes:
        text: the whole text.
        starts, ends: (n,) float64, the places of the tokens in code points; a fraction is inside a
            character.
        is_unknown: (n,) bool.
        tip: gives the tooltip of the k-th token.
        cut_here: places that this column cuts and another one does not.
        joined_here: places that another column cuts and this one does not.
        run: the run that cuts it; None for a tokenizer.
        ids: (n,) the internal ids of the tokens there; below 0 for an unknown one.
    """

    text: str
    starts: FloatArray
    ends: FloatArray
    is_unknown: NDArray[np.bool_]
    tip: Callable[[int], str]
    cut_here: FloatArray
    joined_here: FloatArray
    run: Run | None
    ids: NDArray[np.int64]
