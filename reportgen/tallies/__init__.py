"""What is counted: the sufficient statistics measures are formulas of.

The quantities are names only; the frames (`reportgen.tallies.confusion` and
`reportgen.tallies.regression`) are imported where data are counted.
"""

from reportgen.tallies.quantities import (
    ABSOLUTE_ERRORS,
    AGREEMENT_BY_CHANCE,
    CASES,
    COMMON_SPREAD,
    CORRECT,
    EMPTY_MARGINS,
    FN,
    FP,
    MATRIX_SIZE,
    PREDICTED_SPREAD,
    PREDICTED_SQUARES,
    SQUARED_ERRORS,
    TN,
    TP,
    TRUE_SPREAD,
    TRUE_SQUARES,
)

__all__ = [
    "ABSOLUTE_ERRORS",
    "AGREEMENT_BY_CHANCE",
    "CASES",
    "COMMON_SPREAD",
    "CORRECT",
    "EMPTY_MARGINS",
    "FN",
    "FP",
    "MATRIX_SIZE",
    "PREDICTED_SPREAD",
    "PREDICTED_SQUARES",
    "SQUARED_ERRORS",
    "TN",
    "TP",
    "TRUE_SPREAD",
    "TRUE_SQUARES",
]
