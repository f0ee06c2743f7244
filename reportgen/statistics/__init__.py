"""Pure functions of numbers: distributions, tests, intervals; nothing here knows of classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FloatArray: TypeAlias = "npt.NDArray[np.float64]"
IndexArray: TypeAlias = "npt.NDArray[np.int64]"
