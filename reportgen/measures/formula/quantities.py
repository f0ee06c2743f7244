"""The quantities of formulas: columns of the aggregates, with their symbols."""

from reportgen.measures.formula.tree import Quantity, Symbol

TP = Quantity("tp", Symbol("TP"), "true positives: cases of the class predicted as such")
FN = Quantity("fn", Symbol("FN"), "false negatives: cases of the class that were missed")
FP = Quantity("fp", Symbol("FP"), "false positives: other cases predicted as the class")
TN = Quantity("tn", Symbol("TN"), "true negatives: other cases predicted as such")

CORRECT = Quantity("correct", Symbol("c"), "correctly predicted cases, over all classes", TP + TN)
MATRIX_TOTAL = Quantity("total", Symbol("n"), "all cases", TP + FN + FP + TN)
CHANCE_AGREEMENT = Quantity(
    "margin_products",
    Symbol("Σtₖpₖ"),
    "sum over the classes of true cases times predicted cases",
    (TP + FN) * (TP + FP) + (FP + TN) * (FN + TN),
)
MEAN_RECALL = Quantity(
    "mean_recall",
    Symbol("mean recall"),
    "correctly predicted share of the cases of a class, mean over the classes that have cases",
    (TP / (TP + FN) + TN / (FP + TN)) / 2,
)
SQUARED_TRUE_TOTALS = Quantity(
    "true_squares",
    Symbol("Σtₖ²"),
    "sum of the squared true class sizes",
    (TP + FN) ** 2 + (FP + TN) ** 2,
)
SQUARED_PREDICTED_TOTALS = Quantity(
    "predicted_squares",
    Symbol("Σpₖ²"),
    "sum of the squared predicted class sizes",
    (TP + FP) ** 2 + (FN + TN) ** 2,
)

RANK_ERRORS = Quantity(
    "rank_errors",
    Symbol("Σ|i−j|"),
    "how many places apart the true class i and the predicted class j are, summed over the cases",
    FN + FP,
)
SQUARED_RANK_ERRORS = Quantity(
    "squared_rank_errors",
    Symbol("Σ(i−j)²"),
    "squared places between the true class i and the predicted class j, summed over the cases",
    FN + FP,
)
WITHIN_ONE_CLASS = Quantity(
    "within_one_class",
    Symbol("c", subscript="±1"),
    "cases predicted as their class or as a class next to it",
    TP + FN + FP + TN,
)
CHANCE_RANK_ERRORS = Quantity(
    "chance_rank_errors",
    Symbol("Σ|i−j|tᵢpⱼ"),
    "places between two classes times true cases of the first times predicted cases of the"
    " second, summed over all pairs of classes",
    (TP + FN) * (FN + TN) + (FP + TN) * (TP + FP),
)
CHANCE_SQUARED_RANK_ERRORS = Quantity(
    "chance_squared_rank_errors",
    Symbol("Σ(i−j)²tᵢpⱼ"),
    "squared places between two classes times true cases of the first times predicted cases of"
    " the second, summed over all pairs of classes",
    (TP + FN) * (FN + TN) + (FP + TN) * (TP + FP),
)

SET_COUNT = Quantity("set_cases", Symbol("n"), "all cases, each with its set of labels")
CORRECT_SETS = Quantity("correct_sets", Symbol("c"), "cases with exactly the true set of labels")
LABEL_ERRORS = Quantity(
    "label_errors", Symbol("Σ|Y△Z|"), "labels that are missed or wrongly predicted, over all cases"
)
LABEL_DECISIONS = Quantity("label_decisions", Symbol("nL"), "cases times labels")
SET_JACCARD_SUM = Quantity(
    "set_jaccard",
    Symbol("ΣJ"),
    "labels both true and predicted, divided by those true or predicted, summed over the cases; 1"
    " where both sets are empty",
)
SET_F1_SUM = Quantity(
    "set_f1",
    Symbol("ΣF"),
    "twice the labels both true and predicted, divided by the sizes of both sets, summed over the"
    " cases; 1 where both sets are empty",
)

CASE_COUNT = Quantity("cases", Symbol("n"), "all cases")
SQUARED_ERRORS = Quantity("squared_errors", Symbol("Σ(y−ŷ)²"), "sum of squared errors")
ABSOLUTE_ERRORS = Quantity("absolute_errors", Symbol("Σ|y−ŷ|"), "sum of absolute errors")
TRUE_SUM_OF_SQUARES = Quantity(
    "true_spread", Symbol("Σ(y−ȳ)²"), "squared deviations of the true values from their mean"
)
PREDICTED_SUM_OF_SQUARES = Quantity(
    "predicted_spread",
    Symbol("Σ(ŷ−m)²"),
    "squared deviations of the predicted values from their mean m",
)
SUM_OF_CROSS_PRODUCTS = Quantity(
    "common_spread",
    Symbol("Σ(y−ȳ)(ŷ−m)"),
    "products of the deviations of true and predicted values",
)

POSITIVES = Quantity("positives", Symbol("n", subscript="1"), "cases of the class")
NEGATIVES = Quantity("negatives", Symbol("n", subscript="0"), "cases of other classes")
CASE_PAIRS = Quantity("pairs", Symbol("pairs"), "pairs of a case of the class and another case")
CONCORDANT_PAIRS = Quantity(
    "concordant", Symbol("ordered"), "pairs where the case of the class scores higher"
)
TIED_PAIRS = Quantity("tied", Symbol("tied"), "pairs with equal scores")
PRECISION_SUM = Quantity(
    "precision_steps",
    Symbol("Σprecision"),
    "precision at the score of each case of the class, summed",
)
PR_AREA = Quantity(
    "pr_area",
    Symbol("PR area"),
    "precision integrated over the true positives, interpolated between thresholds",
)
HAND_TILL_M = Quantity(
    "hand_till",
    Symbol("M"),
    "area under the ROC curve of one class against one other, by the score of the first; mean"
    " over all ordered pairs of classes that occur",
)
SQUARED_PROBABILITY_ERRORS = Quantity(
    "probability_errors",
    Symbol("Σ(p−y)²"),
    "squared differences of probabilities p from the truth y, which is 1 or 0: of the positive"
    " class for two classes, summed over the classes for more",
)
RANK_PROBABILITY_ERRORS = Quantity(
    "rank_probability_errors",
    Symbol("Σ(P−Y)²"),
    "squared differences of the probability P of a class or a lower one from the truth Y, which is"
    " 1 or 0; mean over all classes but the highest, summed over the cases",
)
LOG_LOSS_SUM = Quantity(
    "log_losses", Symbol("Σln(1/p)"), "natural logarithms of 1/p, p the true class's probability"
)
INFORMATION_SUM = Quantity(
    "information",
    Symbol("ΣI"),
    "bits that a prediction gives about the true class, whose frequency in these data is P:"
    " log2 p − log2 P where its probability p is at least P, else log2(1−P) − log2(1−p), below 0",
)
PRIOR_ENTROPY = Quantity(
    "prior_entropy",
    Symbol("E"),
    "−log2 of the true class's frequency in these data, mean over the cases: the classes' entropy",
)
CALIBRATION_GAP_SUM = Quantity(
    "calibration_gap",
    Symbol("Σ|p−y|ₖ"),
    "|sum of probabilities − positive cases|, summed over 15 bins k of equal width",
)

EMPTY_MARGIN_DESCRIPTIONS = {
    frozenset({TP, FN}): "no case belongs to the class",
    frozenset({FP, TN}): "every case belongs to the class",
    frozenset({TP, FP}): "nothing was predicted as the class",
    frozenset({FN, TN}): "everything was predicted as the class",
    frozenset({TP, FN, FP, TN}): "there are no cases",
    frozenset({TP, FN, FP}): "the class is neither true nor predicted anywhere",
    frozenset({MATRIX_TOTAL}): "there are no cases",
    frozenset({MATRIX_TOTAL, CHANCE_AGREEMENT}): "all cases are of one class and predicted so",
    frozenset({MATRIX_TOTAL, SQUARED_TRUE_TOTALS, SQUARED_PREDICTED_TOTALS}): (
        "all cases are of one class, or are predicted as one"
    ),
    frozenset({CHANCE_RANK_ERRORS}): "all cases are of one class and predicted so",
    frozenset({CHANCE_SQUARED_RANK_ERRORS}): "all cases are of one class and predicted so",
    frozenset({SET_COUNT}): "there are no cases",
    frozenset({LABEL_DECISIONS}): "there are no cases",
    frozenset({CASE_COUNT}): "there are no cases",
    frozenset({POSITIVES}): "no case belongs to the class",
    frozenset({NEGATIVES}): "every case belongs to the class",
    frozenset({CASE_PAIRS}): "there are no two cases of different classes",
    frozenset({PRIOR_ENTROPY}): "all cases are of one class",
    frozenset({TRUE_SUM_OF_SQUARES}): "all true values are equal",
    frozenset({PREDICTED_SUM_OF_SQUARES}): "all predicted values are equal",
}
