"""Evaluations from data in memory and from spec files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from reportgen import pipeline
from reportgen.api.columns import to_label, to_series
from reportgen.api.inputs import (
    PROBABILITY_COLUMN,
    ClassifierInput,
    SharedInput,
    build_input_frames,
    check_index_order,
    format_argument_item,
    infer_task_kind,
    read_probability_columns,
    read_shared_columns,
)
from reportgen.api.report import Report, validate_formats
from reportgen.api.settings import CallSettings, argument_errors
from reportgen.errors import DataError, Diagnostic, RenderingError, SpecError, did_you_mean
from reportgen.errors.spec import INVALID_ARGUMENT
from reportgen.output.lock import file_lock, lock_path

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from os import PathLike

    import polars as pl

    from reportgen.api.columns import ArrayLike, Label
    from reportgen.spec import TaskKind

T = TypeVar("T")


def evaluate(  # noqa: PLR0913  # all but two are settings with a name and a default
    truth: ArrayLike,
    predictions: Mapping[str, ArrayLike] | None = None,
    *,
    positive: Label | None = None,
    task: TaskKind | None = None,
    classes: Iterable[Label] | None = None,
    scores: Mapping[str, ArrayLike] | None = None,
    score_kind: str | None = None,
    probabilities: Mapping[str, ArrayLike | Mapping[str, ArrayLike]] | None = None,
    threshold: float | Mapping[str, float] | None = None,
    folds: ArrayLike | None = None,
    ids: ArrayLike | None = None,
    measures: str | Sequence[str] | None = None,
    title: str | None = None,
    primary: str | None = None,
    baseline: str | None = None,
    margin: Mapping[str, float] | None = None,
    level: float | None = None,
    alpha: float | None = None,
    prevalence: float | Sequence[float] | None = None,
    seed: int | None = None,
    spec: Mapping[str, object] | None = None,
) -> Report:
    """Measure and compare classifiers whose predictions are in memory.

    Everything but the data is a setting of the spec, where docs/spec.md explains it. Data may be
    lists or columns of polars, pandas, NumPy or Arrow, with one value for each case, in the same
    order.

    Args:
        truth: The true class or value of each case.
        predictions: By classifier, what it predicted.
        positive: The positive class; with it the task is binary.
        task: The kind of task; without it, numbers with fractions are a regression, and more than
            two classes are multiclass.
        classes: All classes in the order of the report.
        scores: By classifier, a score that is higher the more positive a case is.
        score_kind: "probability" or "ranking", if the scores do not show it.
        probabilities: By classifier, the probability of every class: a frame or mapping with a
            column for each class, or an array whose columns are in the order of `classes`. They
            do not stand in for predictions.
        threshold: Predict the positive class from this score on; by classifier if they differ.
        folds: The cross-validation fold of each case.
        ids: What names each case.
        measures: Names and groups of measures to show.
        title: The title of the report.
        primary: The measure that was declared to decide.
        baseline: The classifier that all others are compared with.
        margin: By measure, the difference below which classifiers count as equivalent.
        level: The level of the intervals, 0.95 unless told.
        alpha: The chance of any false claim of a difference, 0.05 unless told.
        prevalence: Shares of positive cases to compute the measures for.
        seed: Where random draws begin.
        spec: Any other setting, with the keys of a spec file.

    Raises:
        SpecError: If the settings ask for something that cannot be.
        DataError: If the data are not what the settings say they are.
    """
    with argument_errors():
        shared = read_shared_columns(truth, folds, ids)
        labels = None if classes is None else [to_label(each, "`classes`") for each in classes]
        tables = {
            "predictions": _check_mapping(predictions, "predictions"),
            "scores": _check_mapping(scores, "scores"),
            "probabilities": _check_mapping(probabilities, "probabilities"),
        }
        given = _read_classifiers(shared, tables, threshold, score_kind, labels)
        if task is None and positive is not None:
            task = "binary"
        own = [
            each.columns["predictions"] for each in given.values() if "predictions" in each.columns
        ]
        settings = CallSettings(
            {
                "task": task or infer_task_kind(shared.columns["truth"], own, labels),
                "positive": None if positive is None else to_label(positive, "`positive`"),
                "classes": labels,
                "measures": [measures] if isinstance(measures, str) else measures,
                "title": title,
                "primary": primary,
                "baseline": baseline,
                "margin": margin,
                "level": level,
                "alpha": alpha,
                "prevalence": [prevalence] if isinstance(prevalence, int | float) else prevalence,
                "seed": seed,
            },
            spec or {},
        )
        frames = build_input_frames(shared, given)
        spec_file = settings.to_spec_file(
            shared.to_spec_table(), [each.to_spec_table() for each in given.values()]
        )
        return Report(pipeline.evaluate_spec_file(spec_file, frames))


def evaluate_spec(path: str | PathLike[str]) -> Report:
    """Measure and compare the classifiers that a spec file names.

    Raises:
        SpecError: If the spec asks for something that cannot be.
        DataError: If the prediction files are not what the spec says they are.
    """
    return Report(pipeline.load_and_evaluate(Path(path)))


def build(
    path: str | PathLike[str],
    output: str | PathLike[str] = "reports",
    formats: Collection[str] | None = None,
) -> Report:
    """Write the report of a spec file into a folder of its own, as `reportgen build` does.

    Raises:
        ReportgenError: As `evaluate_spec` and `Report.write`; what could be written was written.
    """
    wanted = None if formats is None else validate_formats(formats)
    with file_lock(lock_path(Path(output) / Path(path).stem)):
        built = pipeline.build_and_write(Path(path), Path(output), wanted)
    if built.diagnostics:
        raise RenderingError(*built.diagnostics)
    return Report(built.evaluation)


def _read_classifiers(
    shared: SharedInput,
    tables: Mapping[str, Mapping[str, object]],
    threshold: float | Mapping[str, float] | None,
    score_kind: str | None,
    classes: Sequence[str] | None,
) -> dict[str, ClassifierInput]:
    """Read what the arguments have for each classifier, in the order in which they are named."""
    names = list(dict.fromkeys([*tables["predictions"], *tables["scores"]]))
    _check_known_names(tables["probabilities"], names, "probabilities", "predictions")
    thresholds = (
        _with_text_keys(threshold, "threshold")
        if isinstance(threshold, Mapping)
        else dict.fromkeys(tables["scores"], threshold)
    )
    _check_predictions_available(names, tables, thresholds, threshold)
    found: dict[str, ClassifierInput] = {}
    for name in names:
        own = {argument: table[name] for argument, table in tables.items() if name in table}
        found[name] = replace(
            _read_classifier(shared, name, own, classes),
            threshold=thresholds.get(name),
            score_kind=score_kind if "scores" in own else None,
        )
    return found


def _read_classifier(
    shared: SharedInput, name: str, arguments: Mapping[str, object], classes: Sequence[str] | None
) -> ClassifierInput:
    """Read the columns of a classifier from what each argument has for it."""
    columns: dict[str, pl.Series] = {}
    said: dict[str, str] = {}
    for argument, values in arguments.items():
        told = format_argument_item(argument, name)
        if argument == "probabilities":
            check_index_order(shared, values, told)
            for label, column in read_probability_columns(values, told, classes).items():
                of_class = PROBABILITY_COLUMN.replace("{class}", label)
                columns[of_class], said[of_class] = column, f"{told} of class {label!r}"
        else:
            columns[argument], said[argument] = to_series(values, told), told
            check_index_order(shared, values, told)
    return ClassifierInput(name, columns, said)


def _check_mapping(mapping: object, argument: str) -> Mapping[str, object]:
    if mapping is None:
        return {}
    if not isinstance(mapping, Mapping):
        message = f"`{argument}` is of the type {type(mapping).__name__}, not a mapping"
        help_text = f'name the classifier: `{{"SVM": {argument}}}`'
        raise SpecError(Diagnostic(INVALID_ARGUMENT, message, help=help_text))
    return _with_text_keys(mapping, argument)


def _with_text_keys(mapping: Mapping[str, T], argument: str) -> dict[str, T]:
    """Return what is given by names as texts; names that are one text must be told apart."""
    first: dict[str, object] = {}
    twice = [name for name in mapping if first.setdefault(str(name), name) is not name]
    if twice:
        raise SpecError(
            *(_duplicate_name_diagnostic(argument, first[str(name)], name) for name in twice)
        )
    return {str(name): values for name, values in mapping.items()}


def _duplicate_name_diagnostic(argument: str, first: object, second: object) -> Diagnostic:
    message = f"`{argument}` names {str(first)!r} twice, as {first!r} and as {second!r}"
    return Diagnostic(INVALID_ARGUMENT, message, help="give every classifier a name of its own")


def _check_known_names(
    mapping: Mapping[str, object], names: Sequence[str], argument: str, required_argument: str
) -> None:
    faults = [
        Diagnostic(
            INVALID_ARGUMENT,
            f"`{argument}` names {name!r}, which has no {required_argument}",
            help=did_you_mean(name, names) or _missing_argument_help(required_argument, names),
        )
        for name in mapping
        if name not in names
    ]
    if faults:
        raise SpecError(*faults)


def _missing_argument_help(required_argument: str, names: Sequence[str]) -> str:
    others = f"; there are those of {', '.join(names)}" if names else ""
    return f"pass its `{required_argument}` too{others}"


def _check_predictions_available(
    names: Sequence[str],
    tables: Mapping[str, Mapping[str, object]],
    thresholds: Mapping[str, float | None],
    threshold: object,
) -> None:
    """Raise where there is nothing to take a prediction from, or to apply a threshold to."""
    if not names:
        message = "there are no classifiers: `predictions` is empty"
        raise DataError(
            Diagnostic(INVALID_ARGUMENT, message, help='pass `{"SVM": …}`, one entry for each')
        )
    if threshold is not None and not tables["scores"]:
        message = "`threshold` is applied to `scores`, and there are none"
        raise SpecError(Diagnostic(INVALID_ARGUMENT, message, help="pass `scores`"))
    _check_known_names(thresholds, list(tables["scores"]), "threshold", "scores")
    without = [
        name for name in names if name not in tables["predictions"] and thresholds.get(name) is None
    ]
    if without:
        message = f"{', '.join(without)}: there are scores, but no predictions"
        help_text = "pass `predictions` too, or a `threshold` to make them from the scores"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=help_text))
