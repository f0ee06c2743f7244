"""Agreement beyond chance, and the test of independence."""

from reportgen.measures.formula import (
    NamedFormula,
    Symbol,
    absolute_value,
    chi_square_survival,
    maximum,
    sqrt,
)
from reportgen.measures.formula.quantities import (
    CHANCE_AGREEMENT,
    CORRECT,
    FN,
    FP,
    MATRIX_TOTAL,
    SQUARED_PREDICTED_TOTALS,
    SQUARED_TRUE_TOTALS,
    TN,
    TP,
)
from reportgen.measures.measure import (
    AT_MOST_ONE,
    NONNEGATIVE,
    SIGNED_UNIT,
    UNIT,
    DeltaMethod,
    LinkFunction,
    Measure,
    MeasureFamily,
    NoInterval,
    Orientation,
)
from reportgen.measures.references import (
    COHEN_1960,
    EL_EMAM_2000,
    GORODKIN_2004,
    PEARSON_1900,
    Source,
)

KAPPA = Measure(
    name="kappa",
    title="Cohen's kappa",
    symbol=Symbol("κ"),
    # (accuracy − chance) / (1 − chance), written in counts: for a rare class both differences
    # would lose all but a few of their digits.
    formula=(2 * (TP * TN - FP * FN)) / ((TP + FN) * (FN + TN) + (FP + TN) * (TP + FP)),
    overall_formula=(MATRIX_TOTAL * CORRECT - CHANCE_AGREEMENT)
    / (MATRIX_TOTAL**2 - CHANCE_AGREEMENT),
    orientation=Orientation.HIGHER,
    range=SIGNED_UNIT,
    question="Agreement beyond chance",
    source=Source(COHEN_1960),
    family=MeasureFamily.AGREEMENT,
    interval=DeltaMethod(LinkFunction.FISHER_Z),
    aliases=("cohen_kappa", "cohen_kappa_score"),
    caution="(Accuracy − chance) / (1 − chance). Depends on the prevalence.",
)
MAJORITY_SIZE = NamedFormula("larger_side", Symbol("m"), maximum(TP + FN, FP + TN))
KAPPA_BEST = Measure(
    name="kappa_best",
    title="Kappa vs majority class",
    symbol=Symbol("κ", subscript="b"),
    formula=(TP + TN - MAJORITY_SIZE) / (TP + FN + FP + TN - MAJORITY_SIZE),
    requires=(TP + FN, FP + TN),
    orientation=Orientation.HIGHER,
    range=AT_MOST_ONE,
    question="How much better is it than always predicting the majority class?",
    source=Source(EL_EMAM_2000, "equation 16"),
    family=MeasureFamily.AGREEMENT,
    interval=DeltaMethod(LinkFunction.COMPLEMENTARY_LOG),
    caution="Depends on the prevalence.",
)
MCC = Measure(
    name="mcc",
    title="Matthews correlation coefficient",
    symbol=Symbol("MCC"),
    formula=(TP * TN - FP * FN) / sqrt((TP + FP) * (TP + FN) * (TN + FP) * (TN + FN)),
    overall_formula=(CORRECT * MATRIX_TOTAL - CHANCE_AGREEMENT)
    / sqrt((MATRIX_TOTAL**2 - SQUARED_PREDICTED_TOTALS) * (MATRIX_TOTAL**2 - SQUARED_TRUE_TOTALS)),
    orientation=Orientation.HIGHER,
    range=SIGNED_UNIT,
    question="Correlation of truth and prediction",
    source=Source(GORODKIN_2004, "after Matthews 1975"),
    family=MeasureFamily.AGREEMENT,
    interval=DeltaMethod(LinkFunction.FISHER_Z),
    aliases=("matthews_corrcoef", "phi"),
)
CHI_SQUARE = Measure(
    name="chi_square",
    title="Chi-square with Yates' correction",
    symbol=Symbol("χ", superscript="2"),
    formula=(
        (TP + FN + FP + TN)
        * maximum(0, absolute_value(TP * TN - FP * FN) - (TP + FN + FP + TN) / 2) ** 2
    )
    / ((TP + FN) * (FP + TN) * (TP + FP) * (FN + TN)),
    orientation=Orientation.NEITHER,
    range=NONNEGATIVE,
    question="How strong is the evidence against independence of truth and prediction?",
    source=Source(EL_EMAM_2000, "section 6.5.1"),
    family=MeasureFamily.ASSOCIATION,
    interval=NoInterval("a test statistic, not an estimate"),
    has_class_averages=False,
    caution="The same for a classifier and its inverse: a large value does not mean a good one.",
)
CHI_SQUARE_P = Measure(
    name="chi_square_p",
    title="p-value of chi-square",
    symbol=Symbol("p", subscript="χ²"),
    formula=chi_square_survival(CHI_SQUARE),
    orientation=Orientation.NEITHER,
    range=UNIT,
    question="How probable is such a chi-square if truth and prediction are independent?",
    source=Source(EL_EMAM_2000, "section 6.5.1"),
    family=MeasureFamily.ASSOCIATION,
    interval=NoInterval("a probability that was computed, not estimated"),
    has_class_averages=False,
)
PEARSON_CHI_SQUARE = Measure(
    name="pearson_chi_square",
    title="Chi-square without correction",
    symbol=Symbol("χ", subscript="P", superscript="2"),
    formula=((TP + FN + FP + TN) * (TP * TN - FP * FN) ** 2)
    / ((TP + FN) * (FP + TN) * (TP + FP) * (FN + TN)),
    orientation=Orientation.NEITHER,
    range=NONNEGATIVE,
    question="Evidence against independence of truth and prediction, by Pearson's statistic",
    source=Source(PEARSON_1900),
    family=MeasureFamily.ASSOCIATION,
    interval=NoInterval("a test statistic, not an estimate"),
    has_class_averages=False,
    caution="The same for a classifier and its inverse: a large value does not mean a good one.",
)
PEARSON_CHI_SQUARE_P = Measure(
    name="pearson_chi_square_p",
    title="p-value of chi-square without correction",
    symbol=Symbol("p", subscript="χ²P"),
    formula=chi_square_survival(PEARSON_CHI_SQUARE),
    orientation=Orientation.NEITHER,
    range=UNIT,
    question="How probable is Pearson's statistic if truth and prediction are independent?",
    source=Source(PEARSON_1900),
    family=MeasureFamily.ASSOCIATION,
    interval=NoInterval("a probability that was computed, not estimated"),
    has_class_averages=False,
)
