"""The types of the arrays that the engine's modules hand to each other.

Their names do not import numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    ByteArray = npt.NDArray[np.uint8]
    Int32Array = npt.NDArray[np.int32]
    Int64Array = npt.NDArray[np.int64]
    FloatArray = npt.NDArray[np.float64]
    BoolArray = npt.NDArray[np.bool_]
else:
    ByteArray = Int32Array = Int64Array = FloatArray = BoolArray = Any
