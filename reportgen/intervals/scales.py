"""The scales on which values are closest to normal: there, its slope, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import numpy as np

from reportgen.measures.interval import Curve

if TYPE_CHECKING:
    from reportgen.formulas.as_numpy import Numbers


def onto(curve: Curve, value: Numbers | float) -> Numbers:
    """Carry a value onto the scale."""
    value = np.asarray(value, dtype=np.float64)
    with np.errstate(all="ignore"):
        match curve:
            case Curve.PLAIN:
                return value
            case Curve.LOG:
                return np.log(value)
            case Curve.LOGIT:
                return np.log(value) - np.log1p(-value)
            case Curve.FISHER_Z:
                return np.arctanh(value)
            case Curve.LOG_OF_REST:
                return np.log(1 - value)
            case _:
                assert_never(curve)


def slope_at(curve: Curve, value: Numbers | float) -> Numbers:
    """Return how fast the scale runs at a value."""
    value = np.asarray(value, dtype=np.float64)
    with np.errstate(all="ignore"):
        match curve:
            case Curve.PLAIN:
                return np.ones_like(value)
            case Curve.LOG:
                return 1 / value
            case Curve.LOGIT:
                return 1 / (value * (1 - value))
            case Curve.FISHER_Z:
                return 1 / (1 - value * value)
            case Curve.LOG_OF_REST:
                return -1 / (1 - value)
            case _:
                assert_never(curve)


def back(curve: Curve, value: Numbers | float) -> Numbers:
    """Carry a value back from the scale."""
    value = np.asarray(value, dtype=np.float64)
    with np.errstate(all="ignore"):
        match curve:
            case Curve.PLAIN:
                return value
            case Curve.LOG:
                return np.exp(value)
            case Curve.LOGIT:
                return 1 / (1 + np.exp(-value))
            case Curve.FISHER_Z:
                return np.tanh(value)
            case Curve.LOG_OF_REST:
                return 1 - np.exp(value)
            case _:
                assert_never(curve)
