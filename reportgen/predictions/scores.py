"""Scores and probabilities: validation, decision thresholds and score types."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import polars as pl

from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import (
    COLUMN_MISSING,
    NEGATIVE_CLASS_UNKNOWN,
    NOT_A_PROBABILITY,
    TOO_MANY_LABELS,
)
from reportgen.predictions.columns import parse_number_column, read_fast
from reportgen.predictions.diagnostics import map_collecting_errors
from reportgen.predictions.table import count_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.predictions.columns import ColumnType
    from reportgen.predictions.diagnostics import LabelLocations
    from reportgen.predictions.table import PredictionTable
    from reportgen.spec import Task


_SUM_TOLERANCE = 1e-3
_PERCENT = 100
# The largest of percentages is more; a probability above 1 is a slip.
_MIN_PERCENTAGE = 2
_RANKING_HELP = 'if these scores are not probabilities, set `score_kind` to "ranking"'
_NO_PROBABILITIES_HELP = "fix the value; if these are not probabilities, omit `probabilities`"
_SUM_HELP = (
    "every class needs a column, and the probabilities of a case add up to 1: divide weights by"
    " their sum, or omit `probabilities`"
)
_PROBABILITY_COLUMN = re.compile(r"p\d+")


def read_probabilities(
    task: Task, cases: Sequence[Cases], classes: Sequence[str]
) -> tuple[Cases, ...]:
    """Add the columns of class probabilities (p0, p1, …), and check scores declared as such."""
    return map_collecting_errors(cases, lambda item: _add_probabilities(task, item, classes))


def probability_column_names(classes: Sequence[str]) -> list[str]:
    """Return the names of the columns of class probabilities: p0, p1, …."""
    return [f"p{number}" for number in range(len(classes))]


def find_probability_columns(columns: Sequence[str]) -> list[str]:
    """Return the columns of a frame that hold class probabilities."""
    return [name for name in columns if _PROBABILITY_COLUMN.fullmatch(name)]


def _add_probabilities(task: Task, cases: Cases, classes: Sequence[str]) -> Cases:
    pattern = cases.data.probabilities
    if pattern is None:
        _check_score_range(cases)
        return cases
    probability_frames = map_collecting_errors(
        cases.tables,
        lambda table: _read_probability_columns(
            table, pattern, classes, sum_to_one=task.kind != "multilabel"
        ),
    )
    frame = cases.frame.hstack(pl.concat(probability_frames))
    if frame["prediction"].null_count() == frame.height:
        frame = frame.with_columns(prediction=_most_probable_class(frame, classes))
    if task.positive is None or cases.data.score is not None:
        return replace(cases, frame=frame)
    column = pattern.replace("{class}", task.positive)
    return replace(
        cases,
        data=cases.data.model_copy(update={"score": column}),
        frame=frame.with_columns(score=f"p{list(classes).index(task.positive)}"),
    )


def _most_probable_class(frame: pl.DataFrame, classes: Sequence[str]) -> pl.Series:
    """Return the class with the highest probability, of equal ones the first in order."""
    codes = frame.select(probability_column_names(classes)).to_numpy().argmax(axis=1)
    enumeration = pl.Enum(classes)
    physical = pl.Series(list(classes), dtype=enumeration).to_physical()
    return physical.gather(codes.tolist()).cat.to(enumeration)


def _check_score_range(cases: Cases) -> None:
    """Raise if scores that the spec declares as probabilities are not between 0 and 1."""
    if cases.data.score is None or cases.data.score_kind != "probability":
        return
    name = cases.data.score
    advise = _build_advice(cases.frame["score"], _RANKING_HELP)
    if cases.frame["score"].is_between(0, 1).all():
        return
    diagnostics = [
        diagnostic
        for table in cases.tables
        for diagnostic in _range_diagnostics(table, _reread_scores(table, name), name, advise)
    ]
    if diagnostics:
        raise DataError(*diagnostics)


def _reread_scores(table: PredictionTable, name: str) -> pl.DataFrame:
    """Read the scores of a file again, with their rows."""
    frame = table.read({"score": name})
    values, _ = parse_number_column(table, frame, "score", name)
    return pl.DataFrame({"row": frame["row"], "value": values})


def _read_probability_columns(
    table: PredictionTable, pattern: str, classes: Sequence[str], *, sum_to_one: bool
) -> pl.DataFrame:
    """Return the columns of class probabilities of a file."""
    columns = {label: pattern.replace("{class}", label) for label in classes}
    diagnostics = table.missing_column_diagnostics(
        {f"data.probabilities of {label}": n for label, n in columns.items()}
    )
    if table.in_memory_frame is not None:
        diagnostics = [
            Diagnostic(
                COLUMN_MISSING,
                f"class {label!r} has no column of probabilities",
                Location(table.path),
                "add a column for every class",
            )
            for label, name in columns.items()
            if name not in table.names
        ]
    if diagnostics:
        raise DataError(*diagnostics)
    aliases = {f"p{number}": name for number, name in enumerate(columns.values())}
    kinds: dict[str, ColumnType] = dict.fromkeys(aliases, "number")
    frame = read_fast(table, aliases, kinds)
    if frame is not None and _are_probabilities(frame.select(*aliases), sum_to_one=sum_to_one):
        return frame.select(*aliases)
    return _read_probabilities_with_diagnostics(table, columns, sum_to_one=sum_to_one)


def _are_probabilities(frame: pl.DataFrame, *, sum_to_one: bool) -> bool:
    is_in_range = pl.all_horizontal(pl.all().is_between(0, 1).all())
    sum_is_one = ((pl.sum_horizontal(pl.all()) - 1).abs().round(6) <= _SUM_TOLERANCE).all()
    valid = is_in_range & sum_is_one if sum_to_one else is_in_range
    return bool(frame.select(valid).item())


def _read_probabilities_with_diagnostics(
    table: PredictionTable, columns: dict[str, str], *, sum_to_one: bool
) -> pl.DataFrame:
    """Read probabilities value by value, and raise diagnostics with the locations."""
    diagnostics: list[Diagnostic] = []
    rows = table.read({f"p{number}": name for number, name in enumerate(columns.values())})
    columns_read: list[pl.Series] = [rows["row"]]
    for number, name in enumerate(columns.values()):
        values, column_diagnostics = parse_number_column(table, rows, f"p{number}", name)
        diagnostics.extend(column_diagnostics)
        if len(values) == rows.height:
            columns_read.append(values)
    frame = pl.DataFrame(columns_read)
    advise = _build_advice(
        pl.concat([pl.Series([], dtype=pl.Float64), *columns_read[1:]]), _NO_PROBABILITIES_HELP
    )
    for number, name in enumerate(columns.values()):
        if f"p{number}" in frame.columns:
            diagnostics += _range_diagnostics(
                table, frame.select("row", value=f"p{number}"), name, advise
            )
    if sum_to_one and len(columns_read) == len(columns) + 1:
        diagnostics += _sum_diagnostics(table, frame)
    if diagnostics:
        raise DataError(*diagnostics)
    return frame.drop("row")


def _range_diagnostics(
    table: PredictionTable, values: pl.DataFrame, name: str, advise: Callable[[str], str]
) -> list[Diagnostic]:
    return table.row_diagnostics(
        NOT_A_PROBABILITY,
        values.filter(pl.col("value").is_finite() & ~pl.col("value").is_between(0, 1)),
        lambda value: f"{table.describe_column(name)}: {value} is not between 0 and 1",
        advise,
    )


def _build_advice(values: pl.Series, default_help: str) -> Callable[[str], str]:
    """Return the function from an invalid value to its help text."""
    mean = values.mean()
    # A single wrong value among probabilities leaves their mean below 1.
    are_percentages = (
        isinstance(mean, float) and mean > 1 and bool(values.is_between(0, _PERCENT).all())
    )

    def advise(value: str) -> str:
        if are_percentages and float(value) > 1:
            return f"a percentage? write {float(value) / _PERCENT:g}; {default_help}"
        return default_help

    return advise


def _sum_diagnostics(table: PredictionTable, frame: pl.DataFrame) -> list[Diagnostic]:
    # Only of rows without an invalid value is the sum checked.
    in_range = frame.filter(
        pl.all_horizontal(pl.exclude("row").is_between(0, 1).fill_null(value=False))
    )
    sums = in_range.select("row", value=pl.sum_horizontal(pl.exclude("row")).round(6))
    return table.row_diagnostics(
        NOT_A_PROBABILITY,
        sums.filter((pl.col("value") - 1).abs().round(6) > _SUM_TOLERANCE),
        lambda value: f"the probabilities of a case add up to {value}, not to 1",
        lambda _: _SUM_HELP,
    )


def apply_thresholds(
    task: Task, cases: Sequence[Cases], locations: LabelLocations
) -> tuple[Cases, ...]:
    """Predict the positive class for scores of at least the threshold, where one is set."""
    if all(item.data.threshold is None for item in cases):
        return tuple(cases)
    negative = _negative_class(task, cases, locations)
    derived = (
        pl.when(pl.col("reached").is_null())
        .then(None)
        .when("reached")
        .then(pl.lit(task.positive).cast(pl.Categorical))
        .otherwise(pl.lit(negative).cast(pl.Categorical))
    )
    return tuple(
        item
        if item.data.threshold is None
        else replace(
            item,
            frame=item.frame.with_columns(reached=pl.col("score") >= item.data.threshold)
            .with_columns(prediction=derived)
            .drop("reached"),
        )
        for item in cases
    )


def _negative_class(task: Task, cases: Sequence[Cases], locations: LabelLocations) -> str:
    """Return the negative class, or raise if there is not exactly one."""
    labels: set[str] = set()
    for item in cases:
        labels |= set(item.labels)
    others = sorted(set(task.classes or labels) - {task.positive})
    if len(others) == 1:
        return str(others[0])
    help_text = f'list both classes in `classes`: ["{task.positive}", "…"]'
    if not others:
        message = (
            f"only the label {task.positive!r} occurs, so scores below the threshold have none"
        )
        raise DataError(
            Diagnostic(
                NEGATIVE_CLASS_UNKNOWN, message, locations.locate_positive_class(), help_text
            )
        )
    message = (
        f"a binary task has two labels, but besides {task.positive!r} occur {', '.join(others[:5])}"
    )
    location = locations.locate_label(others[-1])
    raise DataError(Diagnostic(TOO_MANY_LABELS, message, location, help_text))


def score_warnings(task: Task, cases: Sequence[Cases]) -> list[str]:
    """Return warnings of predictions that are inconsistent with the scores."""
    if task.kind != "binary":
        return []
    return [warning for item in cases if (warning := _score_warning(task, item)) is not None]


def _score_warning(task: Task, cases: Cases) -> str | None:
    frame, name = cases.frame, cases.classifier
    if cases.data.score is None:
        return None
    low, high = cases.score_range
    if cases.size > 1 and low == high:
        return f"`{name}`: all scores are equal"
    if cases.data.threshold is not None:
        predicted = pl.col("prediction").cast(pl.Categorical)
        different = cases.count_where(pl.col("file_prediction") != predicted)
        if not different:
            return None
        return (
            f"`{name}`: column `{cases.data.prediction}` differs from the predictions at threshold"
            f" {cases.data.threshold} in {different} of {cases.size} rows; the threshold is used"
        )
    is_positive = pl.col("prediction") == task.positive
    limits = frame.lazy().select(
        positive=pl.when(is_positive).then("score").min(),
        negative=pl.when(~is_positive).then("score").max(),
    )
    positive, negative = limits.collect(engine="streaming").row(0)
    if positive is None or negative is None or positive >= negative:
        return None
    # As few digits as distinguish them: 0.02, not 0.020000000000000018, which 1 - 0.98 is.
    texts = ((f"{negative:.{digits}g}", f"{positive:.{digits}g}") for digits in range(3, 18))
    higher, lower = next(pair for pair in texts if pair[0] != pair[1])
    return (
        f"`{name}`: predictions contradict the scores: a case with score {higher} is predicted"
        f" negative, one with {lower} positive"
    )


# Of scores that only rank, a larger proportion would lie outside 0 to 1.
_MAX_OUTLIER_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class ScoreType:
    """Whether the scores of a classifier are probabilities, or only rank the cases.

    `declared` is false where the type was inferred: probabilities if all lie between 0 and 1.
    """

    classifier: str
    columns: str
    kind: Literal["probability", "ranking"]
    declared: bool


def infer_score_types(task: Task, cases: Sequence[Cases]) -> dict[str, ScoreType]:
    """Return the score types of the classifiers that have scores, by classifier."""
    inferred = {item.classifier: _infer_score_type(task, item) for item in cases}
    return {name: score_type for name, score_type in inferred.items() if score_type is not None}


def _infer_score_type(task: Task, cases: Cases) -> ScoreType | None:
    """Return the score type of a classifier, or None without scores."""
    data, name = cases.data, cases.classifier
    if data.probabilities is not None:
        return ScoreType(name, data.probabilities, "probability", declared=True)
    if data.score is None or task.kind != "binary":
        return None
    if data.score_kind is not None:
        return ScoreType(name, data.score, data.score_kind, declared=True)
    low, high = cases.score_range
    kind: Literal["probability", "ranking"] = "probability" if 0 <= low <= high <= 1 else "ranking"
    return ScoreType(name, data.score, kind, declared=False)


def score_type_warnings(task: Task, cases: Sequence[Cases]) -> list[str]:
    """Return warnings where a few outliers alone make scores a ranking."""
    return [
        warning
        for item in cases
        if (score_type := _infer_score_type(task, item)) is not None
        and score_type.kind == "ranking"
        and not score_type.declared
        and (warning := _outlier_warning(item) or _percentage_warning(item)) is not None
    ]


def _percentage_warning(cases: Cases) -> str | None:
    """Return a warning of scores between 0 and 100, which may be percentages."""
    low, high = cases.score_range
    if low < 0 or not _MIN_PERCENTAGE < high <= _PERCENT:
        return None
    return (
        f"`{cases.classifier}`: scores lie between {low:.3g} and {high:.3g}: if they are"
        " percentages, divide them by 100; as they are, they only rank the cases, without Brier"
        ' score, log loss and calibration (`score_kind = "ranking"` says that this is meant)'
    )


def _outlier_warning(cases: Cases) -> str | None:
    outside = cases.with_locations().filter(~pl.col("score").is_between(0, 1))
    number, total = count_rows(outside), cases.size
    if number >= _MAX_OUTLIER_SHARE * total:
        return None
    file, row, score = outside.select("file", "row", "score").row(0)
    verb = "lies" if number == 1 else "lie"
    return (
        f"`{cases.classifier}`: {number} of {total} scores {verb} outside 0 to 1"
        f" ({cases.format_location(file, row)}: {score:g}), so they are treated as a ranking, not"
        f" as probabilities; fix {'it' if number == 1 else 'them'}, or write"
        ' `score_kind = "ranking"` if only their order counts'
    )
