"""Measures of probabilities: log loss, Brier score, calibration error, information score."""

from reportgen.measures.formula import Symbol
from reportgen.measures.formula.quantities import (
    CALIBRATION_GAP_SUM,
    CASE_COUNT,
    INFORMATION_SUM,
    LOG_LOSS_SUM,
    PRIOR_ENTROPY,
    SQUARED_PROBABILITY_ERRORS,
)
from reportgen.measures.measure import (
    NONNEGATIVE,
    REAL,
    UNIT,
    Bootstrap,
    Measure,
    MeasureFamily,
    Orientation,
    StudentT,
    ValueRange,
)
from reportgen.measures.references import BRIER_1950, GOOD_1952, GUO_2017, KONONENKO_1991, Source

BRIER = Measure(
    name="brier",
    title="Brier score",
    symbol=Symbol("Brier"),
    formula=SQUARED_PROBABILITY_ERRORS / CASE_COUNT,
    overall_formula=SQUARED_PROBABILITY_ERRORS / CASE_COUNT,
    requires=(CASE_COUNT,),
    orientation=Orientation.LOWER,
    range=ValueRange(0, 2),
    question="Mean squared error of the probabilities",
    source=Source(BRIER_1950),
    family=MeasureFamily.PROBABILITY,
    interval=StudentT(
        "probability_errors", "probability_errors_squared", "probability_errors_cubed"
    ),
    aliases=("brier_score", "brier_score_loss"),
    has_class_averages=False,
    caution="At most 1 for two classes and 2 for more, where it is summed over the classes.",
)
LOG_LOSS = Measure(
    name="log_loss",
    title="Log loss",
    symbol=Symbol("log loss"),
    formula=LOG_LOSS_SUM / CASE_COUNT,
    overall_formula=LOG_LOSS_SUM / CASE_COUNT,
    requires=(CASE_COUNT,),
    orientation=Orientation.LOWER,
    range=NONNEGATIVE,
    question="How much probability did it give to the true class?",
    source=Source(GOOD_1952),
    family=MeasureFamily.PROBABILITY,
    interval=StudentT("log_losses", "log_losses_squared", "log_losses_cubed"),
    aliases=("logloss", "cross_entropy"),
    has_class_averages=False,
    caution="In natural logarithms; infinite when a true class was given probability 0.",
)
ECE = Measure(
    name="ece",
    title="Expected calibration error",
    symbol=Symbol("ECE"),
    formula=CALIBRATION_GAP_SUM / CASE_COUNT,
    overall_formula=CALIBRATION_GAP_SUM / CASE_COUNT,
    requires=(CASE_COUNT,),
    orientation=Orientation.LOWER,
    range=UNIT,
    question="Mean gap between predicted probabilities and observed frequencies",
    source=Source(GUO_2017),
    family=MeasureFamily.PROBABILITY,
    interval=Bootstrap(),
    has_class_averages=False,
    caution=(
        "By the positive class's probability for two classes and by the highest probability for"
        " more, in 15 bins of equal width; too high in small samples."
    ),
)
INFORMATION_SCORE = Measure(
    name="information_score",
    title="Information score",
    symbol=Symbol("I", subscript="a"),
    formula=INFORMATION_SUM / CASE_COUNT,
    overall_formula=INFORMATION_SUM / CASE_COUNT,
    requires=(CASE_COUNT, PRIOR_ENTROPY),
    orientation=Orientation.HIGHER,
    range=REAL,
    question="How many bits does a prediction add to knowing the class frequencies?",
    source=Source(KONONENKO_1991),
    family=MeasureFamily.PROBABILITY,
    interval=StudentT("information", "information_squared"),
    has_class_averages=False,
    caution="Class frequencies are those of these data.",
)
RELATIVE_INFORMATION_SCORE = Measure(
    name="relative_information_score",
    title="Relative information score",
    symbol=Symbol("I", subscript="r"),
    formula=100 * INFORMATION_SCORE / PRIOR_ENTROPY,
    overall_formula=100 * INFORMATION_SCORE / PRIOR_ENTROPY,
    requires=(CASE_COUNT, PRIOR_ENTROPY),
    orientation=Orientation.HIGHER,
    range=ValueRange(None, 100),
    question="What percentage of the entropy of the classes does it explain?",
    source=Source(KONONENKO_1991),
    family=MeasureFamily.PROBABILITY,
    interval=StudentT("information", "relative_information_squared"),
    has_class_averages=False,
    caution="In percent: 100 for a perfect classifier, 0 for predicting the class frequencies.",
)
