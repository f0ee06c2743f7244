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
    caution="Depends on how common the class is.",
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
    question="How many of the cases of the class does it find?",
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
    question="How many of the other cases does it leave alone?",
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
    question="When it says the class, how often is that true?",
    source=Source(SJS_2006, "equation 4"),
    family=MeasureFamily.PREDICTIVE,
    interval=Proportion(),
    aliases=("ppv", "correctness"),
    caution="Depends on how common the class is.",
)
NPV = Measure(
    name="npv",
    title="Negative predictive value",
    symbol=Symbol("NPV"),
    formula=TN / (TN + FN),
    orientation=Orientation.HIGHER,
    range=UNIT,
    question="When it says another class, how often is that true?",
    source=Source(SJS_2006, "footnote 2"),
    family=MeasureFamily.PREDICTIVE,
    interval=Proportion(),
    caution="Depends on how common the class is.",
)
BALANCED_ACCURACY = Measure(
    name="balanced_accuracy",
    title="Balanced accuracy",
    symbol=Symbol("AUC", subscript="b"),
    formula=(SENSITIVITY + SPECIFICITY) / 2,
    orientation=Orientation.HIGHER,
    range=UNIT,
    question="How often is it right when both sides count the same?",
    source=Source(SJS_2006, "equation 8"),
    family=MeasureFamily.CLASS,
    interval=SumOfProportions((SENSITIVITY, SPECIFICITY), 0.5),
    aliases=("auc_b",),
)
G_MEAN = Measure(
    name="g_mean",
    title="Geometric mean",
    symbol=Symbol("G"),
    formula=sqrt(SENSITIVITY * SPECIFICITY),
    orientation=Orientation.HIGHER,
    range=UNIT,
    question="Is it good on both sides at once?",
    source=Source(KUBAT_1998),
    family=MeasureFamily.CLASS,
    interval=DeltaMethod(LinkFunction.LOG),
)
TYPE_1_RATE = Measure(
    name="type_1_rate",
    title="Type I misclassification rate",
    symbol=Symbol("type I rate"),
    formula=1 - SPECIFICITY,
    orientation=Orientation.LOWER,
    range=UNIT,
    question="How many of the other cases does it take for the class?",
    source=Source(EL_EMAM_2000, "section 6.5.4"),
    family=MeasureFamily.CLASS,
    interval=Proportion(),
)
TYPE_2_RATE = Measure(
    name="type_2_rate",
    title="Type II misclassification rate",
    symbol=Symbol("type II rate"),
    formula=1 - SENSITIVITY,
    orientation=Orientation.LOWER,
    range=UNIT,
    question="How many of the cases of the class does it miss?",
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
    question="How far do the true and the predicted cases of the class overlap?",
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
    question="How far can both of its answers be trusted?",
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
    title="Lift",
    symbol=Symbol("lift"),
    formula=PRECISION / PREVALENCE,
    orientation=Orientation.HIGHER,
    range=NONNEGATIVE,
    question="How much richer in the class are its positive answers than the data?",
    source=Source(BRIN_1997),
    family=MeasureFamily.PREDICTIVE,
    interval=DeltaMethod(LinkFunction.LOG),
)


def f_measure(beta: float) -> Measure:
    """Return the F-measure F_β, which weighs recall β times as much as precision."""
    written = f"{Decimal(repr(beta)).normalize():f}"
    square = beta * beta
    missed = FN if square == 1 else square * FN
    return Measure(
        name=f"f{written}",
        title=f"F{written} measure",
        symbol=Symbol("F", subscript=written),
        formula=((1 + square) * TP) / ((1 + square) * TP + missed + FP),
        orientation=Orientation.HIGHER,
        range=UNIT,
        question="How good are sensitivity and precision together?",
        source=Source(SJS_2006, "equation 6"),
        family=MeasureFamily.OVERLAP,
        interval=TransformedWilson() if square == 1 else DeltaMethod(LinkFunction.LOGIT),
        caution="β above 1 favours sensitivity, below 1 precision.",
    )
