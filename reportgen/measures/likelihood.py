"""Likelihood ratios, discriminant power and their kin, which do not depend on the prevalence."""

from reportgen.measures.counts import SENSITIVITY, SPECIFICITY, TYPE_1_RATE, TYPE_2_RATE
from reportgen.measures.formula import PI, Symbol, ln, sqrt
from reportgen.measures.formula.quantities import FN, FP, TN, TP
from reportgen.measures.measure import (
    NONNEGATIVE,
    REAL,
    SIGNED_UNIT,
    DeltaMethod,
    LinkFunction,
    Measure,
    MeasureFamily,
    Orientation,
    ProductOfProportions,
    SumOfProportions,
)
from reportgen.measures.references import GLAS_2003, SJS_2006, Source

YOUDEN = Measure(
    name="youden",
    title="Youden's J",
    symbol=Symbol("γ"),
    formula=SENSITIVITY + SPECIFICITY - 1,
    orientation=Orientation.HIGHER,
    range=SIGNED_UNIT,
    question="Sensitivity plus specificity minus 1: how well are errors avoided in both classes?",
    source=Source(SJS_2006, "equation 9"),
    family=MeasureFamily.LIKELIHOOD,
    interval=SumOfProportions((SENSITIVITY, SPECIFICITY)),
    aliases=("j", "informedness", "youden_j"),
)
LR_POSITIVE = Measure(
    name="lr_positive",
    title="Positive likelihood ratio",
    symbol=Symbol("LR+"),
    formula=SENSITIVITY / (1 - SPECIFICITY),
    orientation=Orientation.HIGHER,
    range=NONNEGATIVE,
    question="How much does a positive result raise the odds?",
    source=Source(SJS_2006, "equation 11"),
    family=MeasureFamily.LIKELIHOOD,
    interval=ProductOfProportions(((SENSITIVITY, 1), (TYPE_1_RATE, -1))),
    aliases=("lr_plus", "plr"),
    caution="Written ρ₊ in the source.",
)
LR_NEGATIVE = Measure(
    name="lr_negative",
    title="Negative likelihood ratio",
    symbol=Symbol("LR−"),
    formula=(1 - SENSITIVITY) / SPECIFICITY,
    orientation=Orientation.LOWER,
    range=NONNEGATIVE,
    question="How much does a negative result lower the odds?",
    source=Source(SJS_2006, "equation 12"),
    family=MeasureFamily.LIKELIHOOD,
    interval=ProductOfProportions(((TYPE_2_RATE, 1), (SPECIFICITY, -1))),
    aliases=("lr_minus", "nlr"),
    caution="Written ρ₋ in the source.",
)
DISCRIMINANT_POWER = Measure(
    name="discriminant_power",
    title="Discriminant power",
    symbol=Symbol("DP"),
    formula=(sqrt(3) / PI)
    * (ln(SENSITIVITY / (1 - SENSITIVITY)) + ln(SPECIFICITY / (1 - SPECIFICITY))),
    orientation=Orientation.HIGHER,
    range=REAL,
    question="How well does it discriminate between the class and the rest?",
    source=Source(SJS_2006, "equation 13"),
    family=MeasureFamily.LIKELIHOOD,
    interval=DeltaMethod(LinkFunction.IDENTITY),
    caution="Natural logarithm; poor below 1, limited below 2, fair below 3, good from 3.",
)
DIAGNOSTIC_ODDS_RATIO = Measure(
    name="diagnostic_odds_ratio",
    title="Diagnostic odds ratio",
    symbol=Symbol("DOR"),
    formula=(TP * TN) / (FP * FN),
    orientation=Orientation.HIGHER,
    range=NONNEGATIVE,
    question="How many times higher are the odds of a positive prediction within the class?",
    source=Source(GLAS_2003),
    family=MeasureFamily.LIKELIHOOD,
    interval=DeltaMethod(LinkFunction.LOG),
    aliases=("dor",),
)
