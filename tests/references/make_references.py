"""Make references.json: every measure's value, computed by other people's code.

Run it from the root: `python -m tests.references.make_references`; reportgen is never imported.
"""

import json
import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from sklearn import metrics

from tests.references.averaged import AVERAGED, AVERAGES
from tests.references.binary import BINARY, BinaryLabels
from tests.references.multiclass_and_regression import (
    GRADES,
    MULTICLASS,
    MULTILABEL,
    ORDINAL,
    ORDINAL_PROBABILITY,
    REGRESSION,
    indicator_matrix,
)
from tests.references.scored import (
    HAND_TILL,
    OPERATING_POINTS,
    OVER_ALL_CASES,
    PROBABILITY,
    RANKING,
    ProbabilityReference,
    ProbableCases,
    RankingReference,
    ranked,
    shares,
)

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "specs" / "data"

# tp, fn, fp, tn
TABLES = (
    (1242, 189, 390, 740),  # Sokolova and others 2006, Table 2, SVM
    (1108, 323, 272, 858),  # Sokolova and others 2006, Table 2, naive Bayes
    (31, 10, 10, 25),  # El Emam and others 2000, Figure 4
    (10, 31, 25, 10),  # El Emam and others 2000, Figure 5
    (19, 1, 37, 19),  # El Emam and others 2000, Figure 6
    (5, 5, 20, 70),  # El Emam and others 2000, Figure 7
    (80, 20, 30, 170),
    (18, 12, 45, 9925),  # three positives in a thousand
)
BREAST_CANCER = {
    "SVM": "svm.parquet",
    "Naive Bayes": "naive_bayes.parquet",
    "Decision tree": "decision_tree.csv.gz",
}
DIGITS = {
    "Logistic regression": "logistic_regression.parquet",
    "Naive Bayes": "naive_bayes/fold-*.parquet",
    "Decision tree": "decision_tree.parquet",
}
DIABETES = {
    "Linear regression": "linear_regression.csv",
    "Nearest neighbours": "nearest_neighbours.csv",
    "Random forest": "random_forest.csv",
}


ORDINAL_MODELS = {
    "Logistic regression": "logistic",
    "Random forest": "forest",
    "Ridge, rounded": "rounded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a value is about: one classifier's predictions or a part of them."""

    data: str
    classifier: str | None = None
    class_: str | None = None
    average: str | None = None
    fold: str | None = None


Row = dict[str, str | float | None]


def row(subject: Subject, measure: str, source: str, value: float) -> Row:
    """Return one line of references.json."""
    return {
        "source": source,
        "data": subject.data,
        "classifier": subject.classifier,
        "class": subject.class_,
        "average": subject.average,
        "fold": subject.fold,
        "measure": measure,
        "value": value,
    }


def read(path: Path) -> pl.DataFrame:
    """Read predictions, with labels and folds as text."""
    frame = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path)
    names = {"diagnosis": "truth", "progression": "truth", "predicted": "prediction"}
    return frame.rename(names, strict=False).with_columns(pl.col("fold").cast(pl.String))


def binary_rows(subject: Subject, labels: BinaryLabels) -> Iterator[Row]:
    """Yield the measures of one class against the rest, where they are defined and finite."""
    for reference in BINARY:
        value = reference.compute(labels)
        if math.isfinite(value):
            yield row(subject, reference.measure, reference.source, value)


def table_rows() -> Iterator[Row]:
    """Yield the measures of the tables given by their four counts."""
    for counts in TABLES:
        subject = Subject(data="table:" + ",".join(map(str, counts)))
        yield from binary_rows(subject, BinaryLabels.of_counts(*counts))


def class_rows(data: str, classifier: str, frame: pl.DataFrame) -> Iterator[Row]:
    """Yield the measures of each class against the rest."""
    for label in frame["truth"].unique().sort():
        subject = Subject(data=data, classifier=classifier, class_=str(label))
        yield from binary_rows(subject, BinaryLabels.of_class(frame, label))


def average_rows(data: str, classifier: str, frame: pl.DataFrame) -> Iterator[Row]:
    """Yield the averages over the classes."""
    for average in AVERAGES:
        subject = Subject(data=data, classifier=classifier, average=average)
        for reference in AVERAGED:
            value = reference.compute(frame, average)
            yield row(subject, reference.measure, reference.source, value)


def ranking_rows(
    subject: Subject,
    frame: pl.DataFrame,
    label: str | int,
    column: str,
    references: tuple[RankingReference, ...] = RANKING,
) -> list[Row]:
    """Return the measures of a ranking for one class."""
    cases = ranked(frame, label, column)
    return [
        row(subject, reference.measure, reference.source, reference.compute(cases))
        for reference in references
    ]


def probability_rows(
    subject: Subject, cases: ProbableCases, references: tuple[ProbabilityReference, ...]
) -> Iterator[Row]:
    """Yield the measures of probabilities, where they are finite."""
    for reference in references:
        value = reference.compute(cases)
        if math.isfinite(value):
            yield row(subject, reference.measure, reference.source, value)


def malignant_cases(frame: pl.DataFrame, all_cases: pl.DataFrame) -> ProbableCases:
    """Return the cases of a frame with the probabilities of benign and malignant."""
    truth = (frame["truth"] == "malignant").cast(pl.Int64).to_numpy()
    score = frame["p_malignant"].to_numpy()
    places = (all_cases["truth"] == "malignant").cast(pl.Int64).to_numpy()
    return ProbableCases(truth, np.column_stack([1 - score, score]), shares(places))


def scored_breast_cancer_rows(classifier: str, frame: pl.DataFrame) -> Iterator[Row]:
    """Yield the measures of the score: over all cases and per fold."""
    data, positive, column = "breast_cancer", "malignant", "p_malignant"
    overall = Subject(data=data, classifier=classifier)
    yield from ranking_rows(overall, frame, positive, column)
    yield from ranking_rows(overall, frame, positive, column, OPERATING_POINTS)
    both = malignant_cases(frame, frame)
    yield from probability_rows(overall, both, (*PROBABILITY, *OVER_ALL_CASES))
    for number in range(1, 11):
        part = frame.filter(pl.col("fold") == str(number))
        subject = Subject(data=data, classifier=classifier, fold=str(number))
        yield from ranking_rows(subject, part, positive, column)
        yield from probability_rows(subject, malignant_cases(part, frame), PROBABILITY)


def scored_digits_rows(classifier: str, frame: pl.DataFrame) -> Iterator[Row]:
    """Yield the measures of the probabilities: overall, per class and averaged."""
    digits = range(10)
    truth = frame["truth"].to_numpy().astype(np.int64)
    rows = frame.select(f"p_{digit}" for digit in digits).to_numpy()
    cases = ProbableCases(truth, rows, shares(truth))
    overall = Subject(data="digits", classifier=classifier)
    yield from probability_rows(overall, cases, (HAND_TILL, *PROBABILITY, *OVER_ALL_CASES))
    for digit in digits:
        subject = Subject(data="digits", classifier=classifier, class_=str(digit))
        yield from ranking_rows(subject, frame, digit, f"p_{digit}")
    is_digit = np.eye(len(digits), dtype=int)[truth]
    for average in ("macro", "weighted"):
        subject = Subject(data="digits", classifier=classifier, average=average)
        for measure in ("roc_auc", "average_precision"):
            name = f"{measure}_score"
            value = float(getattr(metrics, name)(is_digit, rows, average=average))
            yield row(subject, measure, f"sklearn.metrics.{name}(average=...)", value)


def breast_cancer_rows() -> Iterator[Row]:
    """Yield the binary data's measures: overall, per fold, per class and averaged."""
    data, positive = "breast_cancer", "malignant"
    for classifier, name in BREAST_CANCER.items():
        frame = read(DATA / data / name)
        overall = Subject(data=data, classifier=classifier)
        yield from binary_rows(overall, BinaryLabels.of_class(frame, positive))
        yield from class_rows(data, classifier, frame)
        yield from average_rows(data, classifier, frame)
        for number in range(1, 11):
            part = frame.filter(pl.col("fold") == str(number))
            subject = Subject(data=data, classifier=classifier, fold=str(number))
            yield from binary_rows(subject, BinaryLabels.of_class(part, positive))
        yield from scored_breast_cancer_rows(classifier, frame)


def digits_rows() -> Iterator[Row]:
    """Yield the multiclass data's measures: overall, per class and averaged."""
    for classifier, name in DIGITS.items():
        frame = read(DATA / "digits" / name)
        subject = Subject(data="digits", classifier=classifier)
        for reference in MULTICLASS:
            yield row(subject, reference.measure, reference.source, reference.compute(frame))
        yield from class_rows("digits", classifier, frame)
        yield from average_rows("digits", classifier, frame)
        yield from scored_digits_rows(classifier, frame)


def ordinal_rows() -> Iterator[Row]:
    """Yield the measures of ordered classes."""
    csv = pl.read_csv(DATA / "severity.csv")
    for classifier, name in ORDINAL_MODELS.items():
        coded = {
            code: pl.col(column).replace_strict(GRADES, range(len(GRADES)), return_dtype=pl.Int64)
            for code, column in (("truth_code", "truth"), ("prediction_code", name))
        }
        frame = csv.with_columns(prediction=pl.col(name), **coded)
        has_probabilities = f"{name} {GRADES[0]}" in csv.columns
        if has_probabilities:
            frame = frame.rename({f"{name} {grade}": f"p_{grade}" for grade in GRADES})
        subject = Subject(data="ordinal", classifier=classifier)
        probability = (ORDINAL_PROBABILITY,) if has_probabilities else ()
        for reference in (*MULTICLASS, *ORDINAL, *probability):
            yield row(subject, reference.measure, reference.source, reference.compute(frame))


def multilabel_rows() -> Iterator[Row]:
    """Yield the measures of sets of labels, and averages over the labels."""
    frame = pl.read_csv(DATA / "topics.csv").with_columns(pl.col(pl.String).fill_null(""))
    truth = indicator_matrix(frame["topics"])
    for classifier, name in (("Logistic regression", "logistic"), ("Random forest", "forest")):
        predicted = indicator_matrix(frame[name])
        for reference in MULTILABEL:
            subject = Subject(data="multilabel", classifier=classifier, average=reference.average)
            value = reference.compute(truth, predicted)
            yield row(subject, reference.measure, reference.source, value)


def diabetes_rows() -> Iterator[Row]:
    """Yield the regression data's measures."""
    for classifier, name in DIABETES.items():
        frame = read(DATA / "diabetes" / name)
        subject = Subject(data="diabetes", classifier=classifier)
        for reference in REGRESSION:
            yield row(subject, reference.measure, reference.source, reference.compute(frame))


def main() -> None:
    """Write references.json beside this script, one value a line."""
    rows = [
        *table_rows(),
        *breast_cancer_rows(),
        *digits_rows(),
        *ordinal_rows(),
        *multilabel_rows(),
        *diabetes_rows(),
    ]
    lines = ",\n".join(json.dumps(line, allow_nan=False) for line in rows)
    (HERE / "references.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    # The libraries warn of 0/0 and x/0; those values are left out of the file.
    warnings.simplefilter("ignore")
    main()
