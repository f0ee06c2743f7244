"""Measures of ranking by scores: areas under ROC and precision-recall curves."""

from reportgen.measures.formula import Symbol
from reportgen.measures.formula.quantities import (
    CASE_PAIRS,
    CONCORDANT_PAIRS,
    HAND_TILL_M,
    POSITIVES,
    PR_AREA,
    PRECISION_SUM,
    TIED_PAIRS,
)
from reportgen.measures.measure import (
    UNIT,
    DeLong,
    InfluenceFunction,
    Measure,
    MeasureFamily,
    Orientation,
)
from reportgen.measures.references import DAVIS_2006, HANLEY_1982, MANNING_2008, Source

ROC_AUC = Measure(
    name="roc_auc",
    title="Area under the ROC curve",
    symbol=Symbol("AUC"),
    formula=(CONCORDANT_PAIRS + TIED_PAIRS / 2) / CASE_PAIRS,
    # Hand and Till 2001: pairs of classes, so that it does not depend on the class frequencies.
    overall_formula=HAND_TILL_M,
    requires=(CASE_PAIRS,),
    orientation=Orientation.HIGHER,
    range=UNIT,
    question="How often does a positive case get a higher score than a negative one?",
    source=Source(HANLEY_1982),
    family=MeasureFamily.RANKING,
    interval=DeLong(),
    aliases=("auc", "auroc", "roc_auc_score"),
    caution="Over all classes it is the mean over pairs of classes (Hand and Till 2001).",
)
AVERAGE_PRECISION = Measure(
    name="average_precision",
    title="Average precision",
    symbol=Symbol("AP"),
    formula=PRECISION_SUM / POSITIVES,
    requires=(POSITIVES,),
    orientation=Orientation.HIGHER,
    range=UNIT,
    question="Mean precision over the ranks at which positives are found",
    source=Source(MANNING_2008, "section 8.4"),
    family=MeasureFamily.RANKING,
    interval=InfluenceFunction(),
    aliases=("ap", "average_precision_score"),
    caution=(
        "A sum of steps, not the interpolated area under the precision-recall curve; depends on"
        " the prevalence."
    ),
)
PR_AUC = Measure(
    name="pr_auc",
    title="Area under the precision-recall curve",
    symbol=Symbol("AUC", subscript="PR"),
    formula=PR_AREA / POSITIVES,
    requires=(POSITIVES,),
    orientation=Orientation.HIGHER,
    range=UNIT,
    question="Mean precision over all levels of recall",
    source=Source(DAVIS_2006),
    family=MeasureFamily.RANKING,
    interval=InfluenceFunction(),
    aliases=("auprc",),
    caution=(
        "Between thresholds false positives grow in proportion to true ones, so the curve is not"
        " joined by straight lines; average precision sums up steps instead. Depends on the"
        " prevalence."
    ),
)
