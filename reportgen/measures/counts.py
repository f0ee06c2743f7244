"""Measures of one class against the rest: formulas of TP, FN, FP and TN."""

from decimal import Decimal

from reportgen.measures.formula import Symbol, sqrt
from reportgen.measures.formula.quantities import CORRECT, FN, FP, MATRIX_TOTAL, TN, TP
from reportgen.measures.measure import (
    NONNEGATIVE,
    SIGNED_UNIT,
    UNIT,
    DeltaMethod,
    LinkFunction,
    Measure,
    MeasureFamily,
    Orientation,
    Proportion,
    SumOfProportions,
    TransformedWilson,
)
from reportgen.measures.references import (
    BRIN_1997,
    EL_EMAM_2000,
    JACCARD_1901,
    KUBAT_1998,
    POWERS_2011,
    SJS_2006,
    Source,
)

ACCURACY = Measure(
    name="accuracy",
    title="Accuracy",
    symbol=Symbol("accuracy"),
    formula=(TP + TN) / (TP + FN + FP + TN),
    overall_formula=CORRECT / MATRIX_TOTAL,
    orientation=Orientation.HIGHER,
    range=UNIT,
    question="How often is it right?",
    source=Source(SJS_2006, "equation 1"),
    family=MeasureFamily.OVERALL,
    interval=Proportion(),
    caution="Depends on the prevalence.",
)
ERROR_RATE = Measure(
    name="error_rate",
    title="Error rate",
    symbol=Symbol("error rate"),
    formula=(FP + FN) / (TP + FN + FP + TN),
    overall_formula=(MATRIX_TOTAL - CORRECT) / MATRIX_TOTAL,
    orientation=Orientation.LOWER,
    range=UNIT,
    question="How often is it wrong?",
    source=Source(EL_EMAM_2000, "section 6.5.3"),
    family=MeasureFamily.OVERALL,
    interval=Proportion(),
)
SENSITIVITY = Measure(
    name="sensitivity",
    title="Sensitivity",
    symbol=Symbol("sensitivity"),
    formula=TP / (TP + FN),
    orientation=Orientation.HIGHER,
    range=UNIT,
    question="What share of the positives is found?",
    source=Source(SJS_2006, "equations 2 and 5"),
    family=MeasureFamily.CLASS,
    interval=Proportion(),
    aliases=("recall", "completeness"),
)
SPECIFICITY = Measure(
    name="specificity",
    title="Specificity",
    symbol=Symbol("specificity"),
    formula=TN / (FP + TN),
    orientation=Orientation.HIGHER,
    range=UNIT,
    question="What share of negatives is correctly rejected?",
    source=Source(SJS_2006, "equation 3"),
    family=MeasureFamily.CLASS,
    interval=Proportion(),
)
PRECISION = Measure(
    name="precision",
    title="Precision",
    symbol=Symbol("precision"),
    formula=TP / (TP + FP),
    orientation=Orientation.HIGHER,
    range=UNIT,
    question="When it predicts the class, how often is it right?",
    source=Source(SJS_2006, "equation 4"),
    family=MeasureFamily.PREDICTIVE,
    interval=Proportion(),
    aliases=("ppv", "correctness"),
    caution="Depends on the prevalence.",
)
NPV = Measure(
    name="npv",
    title="Negative predictive value",
    symbol=Symbol("NPV"),
    formula=TN / (TN + FN),
    orientation=Orientation.HIGHER,
    range=UNIT,
    question="When it rejects the class, how often is it right?",
    source=Source(SJS_2006, "footnote 2"),
    family=MeasureFamily.PREDICTIVE,
    interval=Proportion(),
    caution="Depends on the prevalence.",
)
BALANCED_ACCURACY = Measure(
    name="balanced_accuracy",
    title="Balanced accuracy",
    symbol=Symbol("balanced accuracy"),
    formula=(SENSITIVITY + SPECIFICITY) / 2,
    orientation=Orientation.HIGHER,
    range=UNIT,
    question="Mean of sensitivity and specificity",
    source=Source(SJS_2006, "equation 8"),
    family=MeasureFamily.CLASS,
    interval=SumOfProportions((SENSITIVITY, SPECIFICITY), 0.5),
    aliases=("auc_b",),
)
G_MEAN = Measure(
    name="g_mean",
    title="G-mean",
    symbol=Symbol("G-mean"),
    formula=sqrt(SENSITIVITY * SPECIFICITY),
    orientation=Orientation.HIGHER,
    range=UNIT,
    question="Geometric mean of sensitivity and specificity",
    source=Source(KUBAT_1998),
    family=MeasureFamily.CLASS,
    interval=DeltaMethod(LinkFunction.LOG),
)
TYPE_1_RATE = Measure(
    name="type_1_rate",
    title="False positive rate",
    symbol=Symbol("FPR"),
    formula=1 - SPECIFICITY,
    orientation=Orientation.LOWER,
    range=UNIT,
    question="What share of the negatives is wrongly predicted as the class?",
    source=Source(EL_EMAM_2000, "section 6.5.4"),
    family=MeasureFamily.CLASS,
    interval=Proportion(),
)
TYPE_2_RATE = Measure(
    name="type_2_rate",
    title="False negative rate",
    symbol=Symbol("FNR"),
    formula=1 - SENSITIVITY,
    orientation=Orientation.LOWER,
    range=UNIT,
    question="What share of the positives is missed?",
    source=Source(EL_EMAM_2000, "section 6.5.4"),
    family=MeasureFamily.CLASS,
    interval=Proportion(),
)
JACCARD = Measure(
    name="jaccard",
    title="Jaccard index",
    symbol=Symbol("Jaccard"),
    formula=TP / (TP + FN + FP),
    orientation=Orientation.HIGHER,
    range=UNIT,
    question="How large is the overlap of true and predicted positives?",
    source=Source(JACCARD_1901),
    family=MeasureFamily.OVERLAP,
    interval=Proportion(),
)
MARKEDNESS = Measure(
    name="markedness",
    title="Markedness",
    symbol=Symbol("markedness"),
    formula=PRECISION + NPV - 1,
    orientation=Orientation.HIGHER,
    range=SIGNED_UNIT,
    question="How reliable are positive and negative predictions together?",
    source=Source(POWERS_2011),
    family=MeasureFamily.PREDICTIVE,
    interval=SumOfProportions((PRECISION, NPV)),
)
PREVALENCE = Measure(
    name="prevalence",
    title="Prevalence",
    symbol=Symbol("p"),
    formula=(TP + FN) / (TP + FN + FP + TN),
    orientation=Orientation.NEITHER,
    range=UNIT,
    question="How common is the class in these data?",
    source=Source(EL_EMAM_2000, "section 6.7"),
    family=MeasureFamily.DESCRIPTION,
    interval=Proportion(),
    has_class_averages=False,
)
LIFT = Measure(
    name="lift",
    title="Lift (precision ÷ prevalence)",
    symbol=Symbol("lift"),
    formula=PRECISION / PREVALENCE,
    orientation=Orientation.HIGHER,
    range=NONNEGATIVE,
    question="How many times more frequent is the class among the predicted positives?",
    source=Source(BRIN_1997),
    family=MeasureFamily.PREDICTIVE,
    interval=DeltaMethod(LinkFunction.LOG),
)


def f_measure(beta: float) -> Measure:
    """Return the F score that weights sensitivity `beta` times as much as precision."""
    beta_text = f"{Decimal(repr(beta)).normalize():f}"
    square = beta * beta
    missed = FN if square == 1 else square * FN
    return Measure(
        name=f"f{beta_text}",
        title=f"F{beta_text} score",
        symbol=Symbol("F", subscript=beta_text),
        formula=((1 + square) * TP) / ((1 + square) * TP + missed + FP),
        orientation=Orientation.HIGHER,
        range=UNIT,
        question="Weighted harmonic mean of precision and sensitivity",
        source=Source(SJS_2006, "equation 6"),
        family=MeasureFamily.OVERLAP,
        interval=TransformedWilson() if square == 1 else DeltaMethod(LinkFunction.LOGIT),
        caution="β above 1 favours sensitivity, below 1 precision.",
    )
