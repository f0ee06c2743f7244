"""The columns of the tallies as measures' formulas name them."""

from reportgen.formulas import Quantity, Symbol

TP = Quantity("tp", Symbol("tp"), "true positives: cases of the class that were predicted as such")
FN = Quantity("fn", Symbol("fn"), "false negatives: cases of the class that were missed")
FP = Quantity("fp", Symbol("fp"), "false positives: other cases that were taken for the class")
TN = Quantity("tn", Symbol("tn"), "true negatives: other cases that were predicted as such")

CORRECT = Quantity("correct", Symbol("c"), "cases predicted rightly, over all classes", TP + TN)
MATRIX_SIZE = Quantity("total", Symbol("n"), "all cases", TP + FN + FP + TN)
AGREEMENT_BY_CHANCE = Quantity(
    "margin_products",
    Symbol("Σtₖpₖ"),
    "sum over the classes of true cases times predicted cases",
    (TP + FN) * (TP + FP) + (FP + TN) * (FN + TN),
)
TRUE_SQUARES = Quantity(
    "true_squares",
    Symbol("Σtₖ²"),
    "sum of the squared true class sizes",
    (TP + FN) ** 2 + (FP + TN) ** 2,
)
PREDICTED_SQUARES = Quantity(
    "predicted_squares",
    Symbol("Σpₖ²"),
    "sum of the squared predicted class sizes",
    (TP + FP) ** 2 + (FN + TN) ** 2,
)

CASES = Quantity("cases", Symbol("n"), "all cases")
SQUARED_ERRORS = Quantity("squared_errors", Symbol("Σ(y−ŷ)²"), "sum of squared errors")
ABSOLUTE_ERRORS = Quantity("absolute_errors", Symbol("Σ|y−ŷ|"), "sum of absolute errors")
TRUE_SPREAD = Quantity(
    "true_spread", Symbol("Σ(y−ȳ)²"), "squared deviations of the true values from their mean"
)
PREDICTED_SPREAD = Quantity(
    "predicted_spread",
    Symbol("Σ(ŷ−m)²"),
    "squared deviations of the predicted values from their mean m",
)
COMMON_SPREAD = Quantity(
    "common_spread",
    Symbol("Σ(y−ȳ)(ŷ−m)"),
    "products of the deviations of true and predicted values",
)

EMPTY_MARGINS = {
    frozenset({TP, FN}): "no case belongs to the class",
    frozenset({FP, TN}): "every case belongs to the class",
    frozenset({TP, FP}): "nothing was predicted as the class",
    frozenset({FN, TN}): "everything was predicted as the class",
    frozenset({TP, FN, FP, TN}): "there are no cases",
    frozenset({TP, FN, FP}): "the class is neither true nor predicted anywhere",
    frozenset({MATRIX_SIZE}): "there are no cases",
    frozenset({MATRIX_SIZE, AGREEMENT_BY_CHANCE}): "all cases are of one class and predicted so",
    frozenset({MATRIX_SIZE, TRUE_SQUARES, PREDICTED_SQUARES}): (
        "all cases are of one class, or are predicted as one"
    ),
    frozenset({CASES}): "there are no cases",
    frozenset({TRUE_SPREAD}): "all true values are equal",
    frozenset({PREDICTED_SPREAD}): "all predicted values are equal",
}
