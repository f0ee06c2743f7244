"""Tables and matrices with every kind of cell, many classifiers and classes, and hostile text."""

from __future__ import annotations

from dataclasses import replace

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import get_measure
from reportgen.report.document import Column, Matrix, Paragraph, RowGroup, Table
from reportgen.report.inline import (
    CheckMark,
    Count,
    Estimate,
    InlineCode,
    Interval,
    MatrixCell,
    MeasureDifference,
    MeasureEstimate,
    MeasureName,
    PlainNumber,
    PValue,
    Strong,
    TableCell,
    Tone,
    VerdictBadge,
)

SCRIPT = "<script>alert(1)</script>"
FORMULA_INJECTION = '=cmd("calc")|x'
TURNED_AROUND = "evil\u202etxt.exe"
LATEX_SPECIALS = r"R&D_50% \input{x} #1 $y$ ~^"
CLASSIFIERS = (
    "SVM",
    "Naive Bayes",
    "Decision tree",
    "Random forest",
    "Gradient boosting",
    "k-nearest neighbours",
    "Logistic regression",
    "Multilayer perceptron",
    "Majority",
    SCRIPT,
    TURNED_AROUND,
    LATEX_SPECIALS,
)
CLASSES = tuple(f"class {letter}" for letter in "ABCDEFGHIJKLMNOPQRST")
REASON = "nothing was predicted as the class (tp + fp = 0)"
NAMES = (
    "accuracy",
    "f1",
    "sensitivity",
    "specificity",
    "precision",
    "npv",
    "balanced_accuracy",
    "youden",
    "lr_positive",
    "lr_negative",
    "discriminant_power",
    "diagnostic_odds_ratio",
    "kappa",
    "kappa_best",
    "mcc",
    "chi_square",
    "chi_square_p",
)


def defined(value: float, reason: str | None = None) -> MeasureValue:
    """Return a score with a number."""
    return MeasureValue(value, ValueState.DEFINED, reason)


UNDEFINED = MeasureValue(None, ValueState.UNDEFINED, REASON)
INFINITE = MeasureValue(None, ValueState.INFINITE, "+∞: every other case was left alone (fp = 0)")
MINUS_INFINITE = MeasureValue(None, ValueState.INFINITE, "−∞: no case was found (tp = 0)")
AVERAGED = defined(0.7744, "over 9 of 10 classes; undefined for class J")


def sample_value(row: int, column: int) -> MeasureEstimate:
    """Return some score or other, every kind of it now and then."""
    measure = get_measure(NAMES[row % len(NAMES)])
    number = 0.55 + ((row * 7 + column * 13) % 41) / 100
    score = defined(number if measure.range.high == 1 else number**-12)
    if (row * 5 + column) % 23 == 7:
        score = UNDEFINED
    elif measure.range.high is None and column == 4:
        score = INFINITE
    elif measure.name == "chi_square_p":
        score = defined(1e-9)
    return MeasureEstimate(
        score, measure, best=column == row % 5 and score.state is ValueState.DEFINED
    )


def measures_table(name: str, classifiers: tuple[str, ...], names: tuple[str, ...]) -> Table:
    """Return measures down, classifiers across."""
    return Table(
        name=name,
        caption=f"Measures of {len(classifiers)} classifiers",
        columns=(
            Column("Measure"),
            *(Column(Strong(classifier), numeric=True) for classifier in classifiers),
        ),
        groups=(
            RowGroup(
                tuple(
                    (
                        MeasureName(get_measure(name)),
                        *(sample_value(NAMES.index(name), at) for at in range(len(classifiers))),
                    )
                    for name in names
                )
            ),
        ),
        note=Paragraph(("Scores of the positive class ", Strong("success"), ".")),
    )


def per_class_table() -> Table:
    """Return classes down, measures across, one group per classifier."""
    names = (
        "sensitivity",
        "specificity",
        "precision",
        "f1",
        "youden",
        "lr_positive",
        "type_1_rate",
    )
    columns = tuple(Column(MeasureName(get_measure(name)), numeric=True) for name in names)

    def row(label: str, at: int) -> tuple[TableCell, ...]:
        measures = (get_measure(name) for name in names)
        cells = (
            MeasureEstimate(
                UNDEFINED if (at + number) % 19 == 0 else defined(0.61 + at / 77), measure
            )
            for number, measure in enumerate(measures)
        )
        return (label, *cells, Count(1200 + at))

    groups = tuple(
        RowGroup(
            (
                *(row(item, at) for at, item in enumerate(CLASSES)),
                (
                    "macro average",
                    *(MeasureEstimate(AVERAGED, get_measure(name)) for name in names),
                    None,
                ),
            ),
            head=classifier,
        )
        for classifier in CLASSIFIERS[:2]
    )
    return Table(
        "per-class",
        "Each class against the rest",
        (Column("Class"), *columns, Column("Cases", numeric=True)),
        groups,
    )


def capability_table() -> Table:
    """Return verdicts of every tone, backed, not backed and not tested."""
    positive, negative = get_measure("lr_positive"), get_measure("lr_negative")
    because = (
        (positive.symbol, MeasureEstimate(defined(2.508), positive)),
        (negative.symbol, MeasureEstimate(defined(0.3301), negative)),
    )
    odd = (
        (positive.symbol, MeasureEstimate(INFINITE, positive)),
        (negative.symbol, MeasureEstimate(UNDEFINED, negative)),
    )
    rows: tuple[tuple[TableCell, ...], ...] = (
        (
            Strong("SVM"),
            VerdictBadge("superior", Tone.GOOD, significant=True, estimates=because),
            VerdictBadge(
                "superior on positive examples", Tone.MIXED, significant=None, estimates=odd
            ),
            VerdictBadge("tied", Tone.NEUTRAL, significant=None),
        ),
        (
            Strong("Naive Bayes"),
            VerdictBadge("inferior", Tone.BAD, significant=False, estimates=because),
            VerdictBadge("superior", Tone.GOOD, significant=False),
            VerdictBadge("second of four", Tone.NEUTRAL, significant=True),
        ),
        (
            Strong("Decision tree"),
            VerdictBadge("inferior", Tone.BAD, significant=None, estimates=because),
            VerdictBadge("superior", Tone.GOOD, significant=None, estimates=because),
            VerdictBadge("limited", Tone.MIXED, significant=True),
        ),
    )
    heads = ("Classifier", "Overall effectiveness", "Predictive power", "Class effectiveness")
    return Table(
        "capabilities", "Who is better at what", tuple(map(Column, heads)), (RowGroup(rows),)
    )


def evidence_table() -> Table:
    """Return values with intervals, differences, p-values, and numbers that are no measures."""
    accuracy, ratio = get_measure("accuracy"), get_measure("lr_positive")
    sure = MeasureValue(0.9118, ValueState.DEFINED, None, 0.8851, 0.9332, "wilson")
    half_open = replace(INFINITE, low=3.21, method="delta")
    rows: tuple[tuple[TableCell, ...], ...] = (
        (
            SCRIPT,
            MeasureEstimate(sure, accuracy, best=True),
            MeasureDifference(accuracy, 0.0061),
            Interval(-0.0191, 0.0312, accuracy),
            PValue(0.0154),
            Estimate(0.43, 0.31, 0.52),
        ),
        (
            "SVM",
            MeasureEstimate(half_open, ratio),
            MeasureDifference(accuracy, None),
            Interval(None, 0.0312, accuracy),
            PValue(1e-9),
            Estimate(None),
        ),
    )
    heads = ("Value", "Difference", "Interval", "p", "Threshold")
    columns = (Column("Classifier"), *(Column(head, numeric=True) for head in heads))
    return Table("evidence", "How sure it is", columns, (RowGroup(rows),))


def inputs_table() -> Table:
    """Return paths, hashes, counts and plain numbers."""
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (
            name,
            InlineCode(f"data/{name.lower()}.parquet"),
            InlineCode("9f86d081884c7d659a2f" * 3, display_length=12),
            Count(12345),
            PlainNumber(77.4, unit="%"),
            PlainNumber(-0.5, 3),
            CheckMark(passed=at % 2 == 0),
        )
        for at, name in enumerate(CLASSIFIERS[-4:])
    )
    return Table(
        "inputs",
        "Files & rows",
        (
            Column("Classifier"),
            Column("File"),
            Column("SHA-256"),
            Column("Rows", numeric=True),
            Column("Published", numeric=True),
            Column("Difference", numeric=True),
            Column("Check"),
        ),
        (RowGroup(rows),),
    )


def matrix(name: str, classes: tuple[str, ...]) -> Matrix:
    """Return a matrix that is mostly right."""
    rows = []
    for true in range(len(classes)):
        counts = [
            1108 if true == at else (true * 31 + at * 17) % 90 * ((true + at) % 3 == 0)
            for at in range(len(classes))
        ]
        rows.append(
            tuple(
                MatrixCell(count, count / sum(counts), correct=at == true)
                for at, count in enumerate(counts)
            )
        )
    return Matrix(name, f"{name}, 2 561 cases", classes, tuple(rows))
