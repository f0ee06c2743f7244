"""Measures of numeric predictions (regression)."""

from reportgen.measures.formula import Symbol, sqrt
from reportgen.measures.formula.quantities import (
    ABSOLUTE_ERRORS,
    CASE_COUNT,
    PREDICTED_SUM_OF_SQUARES,
    SQUARED_ERRORS,
    SUM_OF_CROSS_PRODUCTS,
    TRUE_SUM_OF_SQUARES,
)
from reportgen.measures.measure import (
    AT_MOST_ONE,
    NONNEGATIVE,
    SIGNED_UNIT,
    DeltaMoments,
    LinkFunction,
    Measure,
    MeasureFamily,
    Orientation,
)
from reportgen.measures.references import DRAPER_1998, PASSERINI, WILLMOTT_2005, Source

RMSE = Measure(
    name="rmse",
    title="Root mean squared error",
    symbol=Symbol("RMSE"),
    formula=sqrt(SQUARED_ERRORS / CASE_COUNT),
    requires=(CASE_COUNT,),
    orientation=Orientation.LOWER,
    range=NONNEGATIVE,
    question="Typical size of the errors, large errors weighing most",
    source=Source(PASSERINI, "regression"),
    family=MeasureFamily.REGRESSION,
    interval=DeltaMoments(LinkFunction.IDENTITY),
    aliases=("root_mean_squared_error",),
)
MAE = Measure(
    name="mae",
    title="Mean absolute error",
    symbol=Symbol("MAE"),
    formula=ABSOLUTE_ERRORS / CASE_COUNT,
    requires=(CASE_COUNT,),
    orientation=Orientation.LOWER,
    range=NONNEGATIVE,
    question="How large is the error on average?",
    source=Source(WILLMOTT_2005),
    family=MeasureFamily.REGRESSION,
    interval=DeltaMoments(LinkFunction.IDENTITY),
    aliases=("mean_absolute_error",),
)
R2 = Measure(
    name="r2",
    title="Coefficient of determination",
    symbol=Symbol("R", superscript="2"),
    formula=1 - SQUARED_ERRORS / TRUE_SUM_OF_SQUARES,
    orientation=Orientation.HIGHER,
    range=AT_MOST_ONE,
    question="What share of the variance is explained?",
    source=Source(DRAPER_1998),
    family=MeasureFamily.REGRESSION,
    interval=DeltaMoments(LinkFunction.COMPLEMENTARY_LOG),
    aliases=("r2_score", "r_squared"),
)
PEARSON = Measure(
    name="pearson",
    title="Pearson correlation",
    symbol=Symbol("r"),
    formula=SUM_OF_CROSS_PRODUCTS / sqrt(TRUE_SUM_OF_SQUARES * PREDICTED_SUM_OF_SQUARES),
    requires=(TRUE_SUM_OF_SQUARES, PREDICTED_SUM_OF_SQUARES),
    orientation=Orientation.HIGHER,
    range=SIGNED_UNIT,
    question="Linear correlation of true and predicted values",
    source=Source(PASSERINI, "regression"),
    family=MeasureFamily.REGRESSION,
    interval=DeltaMoments(LinkFunction.FISHER_Z),
    caution="Not affected by a constant shift or scale of the predictions.",
)
