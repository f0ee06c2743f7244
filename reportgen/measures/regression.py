"""Measures of numeric predictions."""

from reportgen.formulas import Symbol, sqrt
from reportgen.measures.interval import Curve, Moments
from reportgen.measures.measure import (
    AT_MOST_ONE,
    NOT_NEGATIVE,
    SIGNED_UNIT,
    Family,
    Measure,
    Orientation,
)
from reportgen.measures.references import DRAPER_1998, PASSERINI, WILLMOTT_2005, Source
from reportgen.tallies import (
    ABSOLUTE_ERRORS,
    CASES,
    COMMON_SPREAD,
    PREDICTED_SPREAD,
    SQUARED_ERRORS,
    TRUE_SPREAD,
)

RMSE = Measure(
    name="rmse",
    title="Root mean squared error",
    symbol=Symbol("RMSE"),
    formula=sqrt(SQUARED_ERRORS / CASES),
    requires=(CASES,),
    orientation=Orientation.LOWER,
    range=NOT_NEGATIVE,
    answers="How far off is it, large errors counting most?",
    source=Source(PASSERINI, "regression"),
    family=Family.REGRESSION,
    interval=Moments(Curve.LOG),
)
MAE = Measure(
    name="mae",
    title="Mean absolute error",
    symbol=Symbol("MAE"),
    formula=ABSOLUTE_ERRORS / CASES,
    requires=(CASES,),
    orientation=Orientation.LOWER,
    range=NOT_NEGATIVE,
    answers="How far off is it on average?",
    source=Source(WILLMOTT_2005),
    family=Family.REGRESSION,
    interval=Moments(Curve.LOG),
)
R2 = Measure(
    name="r2",
    title="Coefficient of determination",
    symbol=Symbol("R", above="2"),
    formula=1 - SQUARED_ERRORS / TRUE_SPREAD,
    orientation=Orientation.HIGHER,
    range=AT_MOST_ONE,
    answers="How much of the variation does it explain?",
    source=Source(DRAPER_1998),
    family=Family.REGRESSION,
    interval=Moments(Curve.LOG_OF_REST),
)
PEARSON = Measure(
    name="pearson",
    title="Pearson correlation",
    symbol=Symbol("r"),
    formula=COMMON_SPREAD / sqrt(TRUE_SPREAD * PREDICTED_SPREAD),
    requires=(TRUE_SPREAD, PREDICTED_SPREAD),
    orientation=Orientation.HIGHER,
    range=SIGNED_UNIT,
    answers="How closely do true and predicted values lie on a line?",
    source=Source(PASSERINI, "regression"),
    family=Family.REGRESSION,
    interval=Moments(Curve.FISHER_Z),
    caution="Blind to a constant shift or scale of the predictions.",
)
