"""Tables and matrices with every kind of cell, many classifiers and classes, and hostile text."""

from __future__ import annotations

from dataclasses import replace

from reportgen.measures import known_measure
from reportgen.report.document import Column, Matrix, Paragraph, RowGroup, Table
from reportgen.report.parts import (
    Cell,
    Check,
    Code,
    Count,
    DifferenceOf,
    Estimate,
    Interval,
    MeasureName,
    Plain,
    PValue,
    Share,
    Strong,
    Tone,
    Value,
    Verdict,
)
from reportgen.scores import Score, State

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


def defined(value: float, reason: str | None = None) -> Score:
    """Return a score with a number."""
    return Score(value, State.DEFINED, reason)


UNDEFINED = Score(None, State.UNDEFINED, REASON)
INFINITE = Score(None, State.INFINITE, "+∞: every other case was left alone (fp = 0)")
MINUS_INFINITE = Score(None, State.INFINITE, "−∞: no case was found (tp = 0)")
AVERAGED = defined(0.7744, "over 9 of 10 classes; undefined for class J")


def sample_value(row: int, column: int) -> Value:
    """Return some score or other, every kind of it now and then."""
    measure = known_measure(NAMES[row % len(NAMES)])
    number = 0.55 + ((row * 7 + column * 13) % 41) / 100
    score = defined(number if measure.range.high == 1 else number**-12)
    if (row * 5 + column) % 23 == 7:
        score = UNDEFINED
    elif measure.range.high is None and column == 4:
        score = INFINITE
    elif measure.name == "chi_square_p":
        score = defined(1e-9)
    return Value(score, measure, best=column == row % 5 and score.state is State.DEFINED)


def measures_table(name: str, classifiers: tuple[str, ...], names: tuple[str, ...]) -> Table:
    """Return measures down, classifiers across."""
    return Table(
        name=name,
        caption=f"Measures of {len(classifiers)} classifiers",
        columns=(Column("Measure"), *(Column(Strong(each), numeric=True) for each in classifiers)),
        groups=(
            RowGroup(
                tuple(
                    (
                        MeasureName(known_measure(each)),
                        *(sample_value(NAMES.index(each), at) for at in range(len(classifiers))),
                    )
                    for each in names
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
    columns = tuple(Column(MeasureName(known_measure(name)), numeric=True) for name in names)

    def row(label: str, at: int) -> tuple[Cell, ...]:
        measures = (known_measure(name) for name in names)
        cells = (
            Value(UNDEFINED if (at + number) % 19 == 0 else defined(0.61 + at / 77), measure)
            for number, measure in enumerate(measures)
        )
        return (label, *cells, Count(1200 + at))

    groups = tuple(
        RowGroup(
            (
                *(row(each, at) for at, each in enumerate(CLASSES)),
                ("macro average", *(Value(AVERAGED, known_measure(name)) for name in names), None),
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
    positive, negative = known_measure("lr_positive"), known_measure("lr_negative")
    because = (
        (positive.symbol, Value(defined(2.508), positive)),
        (negative.symbol, Value(defined(0.3301), negative)),
    )
    odd = (
        (positive.symbol, Value(INFINITE, positive)),
        (negative.symbol, Value(UNDEFINED, negative)),
    )
    rows: tuple[tuple[Cell, ...], ...] = (
        (
            Strong("SVM"),
            Verdict("superior", Tone.GOOD, backed=True, because=because),
            Verdict("superior on positive examples", Tone.MIXED, backed=None, because=odd),
            Verdict("tied", Tone.NEUTRAL, backed=None),
        ),
        (
            Strong("Naive Bayes"),
            Verdict("inferior", Tone.BAD, backed=False, because=because),
            Verdict("superior", Tone.GOOD, backed=False),
            Verdict("second of four", Tone.NEUTRAL, backed=True),
        ),
        (
            Strong("Decision tree"),
            Verdict("inferior", Tone.BAD, backed=None, because=because),
            Verdict("superior", Tone.GOOD, backed=None, because=because),
            Verdict("limited", Tone.MIXED, backed=True),
        ),
    )
    heads = ("Classifier", "Overall effectiveness", "Predictive power", "Class effectiveness")
    return Table(
        "capabilities", "Who is better at what", tuple(map(Column, heads)), (RowGroup(rows),)
    )


def evidence_table() -> Table:
    """Return values with intervals, differences, p-values, and numbers that are no measures."""
    accuracy, ratio = known_measure("accuracy"), known_measure("lr_positive")
    sure = Score(0.9118, State.DEFINED, None, 0.8851, 0.9332, "wilson")
    half_open = replace(INFINITE, low=3.21, interval="delta")
    rows: tuple[tuple[Cell, ...], ...] = (
        (
            SCRIPT,
            Value(sure, accuracy, best=True),
            DifferenceOf(accuracy, 0.0061),
            Interval(-0.0191, 0.0312, accuracy),
            PValue(0.0154),
            Estimate(0.43, 0.31, 0.52),
        ),
        (
            "SVM",
            Value(half_open, ratio),
            DifferenceOf(accuracy, None),
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
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            name,
            Code(f"data/{name.lower()}.parquet"),
            Code("9f86d081884c7d659a2f" * 3, shown=12),
            Count(12345),
            Plain(77.4, unit="%"),
            Plain(-0.5, 3),
            Check(agrees=at % 2 == 0),
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
                Share(count, count / sum(counts), right=at == true)
                for at, count in enumerate(counts)
            )
        )
    return Matrix(name, f"{name}, 2 561 cases", classes, tuple(rows))
