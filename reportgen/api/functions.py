"""The functions `evaluate`, `evaluate_spec` and `build`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from reportgen import pipeline
from reportgen.api.columns import to_label, to_label_sets, to_series
from reportgen.api.estimators import PredictionsLike, predict_with_estimators
from reportgen.api.inputs import (
    PROBABILITY_COLUMN,
    ClassifierInput,
    build_input_frames,
    check_indexes,
    format_argument_item,
    infer_task_kind,
    named_columns,
    read_probability_columns,
    read_shared_columns,
)
from reportgen.api.report import Report, validate_formats
from reportgen.api.settings import CallSettings, argument_errors
from reportgen.errors import DataError, Diagnostic, RenderingError, SpecError, did_you_mean
from reportgen.errors.spec import INVALID_ARGUMENT
from reportgen.output.lock import file_lock, lock_path
from reportgen.render.theme import load_theme
from reportgen.spec import load_spec

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from os import PathLike

    import polars as pl

    from reportgen.api.columns import ArrayLike, Label
    from reportgen.spec import TaskKind

T = TypeVar("T")


def evaluate(  # noqa: PLR0913  # all but two are settings with a name and a default
    truth: ArrayLike,
    predictions: PredictionsLike | None = None,
    *,
    X: object = None,  # noqa: N803  # as in scikit-learn
    positive: Label | None = None,
    task: TaskKind | None = None,
    classes: Iterable[Label] | None = None,
    scores: Mapping[str, ArrayLike] | None = None,
    score_kind: str | None = None,
    probabilities: Mapping[str, ArrayLike | Mapping[str, ArrayLike]] | None = None,
    threshold: float | Mapping[str, float] | None = None,
    folds: ArrayLike | None = None,
    ids: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    segments: Mapping[str, ArrayLike] | pl.DataFrame | None = None,
    missing: str | None = None,
    measures: str | Sequence[str] | None = None,
    title: str | None = None,
    primary: str | None = None,
    baseline: str | None = None,
    margin: Mapping[str, float] | None = None,
    level: float | None = None,
    alpha: float | None = None,
    prevalence: float | Sequence[float] | None = None,
    cost: Mapping[str, float] | None = None,
    require: Mapping[str, float] | None = None,
    seed: int | None = None,
    spec: Mapping[str, object] | None = None,
) -> Report:
    """Evaluate and compare classifiers from predictions in memory.

    All arguments but the data are settings of the spec (docs/spec.md). Data may be lists or
    columns of polars, pandas, NumPy or Arrow, with one value per case, in the same order.

    Args:
        truth: The true class or value of each case.
        predictions: The predictions by classifier: a mapping, or a frame (also lazy) with a column
            per classifier. Instead of predictions a fitted estimator of scikit-learn, by name or
            alone, which predicts `X`.
        X: The features of the cases, for estimators. Their `predict_proba` or
            `decision_function` gives the scores.
        positive: The positive class; it makes the task binary.
        task: The kind of task; by default numbers with fractions are a regression, and more than
            two classes are multiclass. Classes in an order are "ordinal", with `classes`; sets of
            labels are "multilabel", a list per case or a table of 0 and 1 per label.
        classes: All classes in the order of the report; of an ordinal task from the lowest to
            the highest.
        scores: Scores by classifier, higher for cases more likely to be positive.
        score_kind: "probability" or "ranking"; by default inferred from the scores.
        probabilities: Class probabilities by classifier: a frame or mapping with a column per
            class, or an array with columns in the order of `classes`. They do not replace
            predictions.
        threshold: Predict the positive class where score ≥ threshold; a mapping for different
            thresholds by classifier.
        folds: The cross-validation fold of each case.
        ids: The id of each case.
        clusters: The cluster of each case, such as the patient; its cases depend on each other.
        weights: The sampling weight of each case.
        segments: Columns of segments by name; the report has values and gaps by segment.
        missing: What an empty prediction counts as: "wrong", "drop" or a class; by default it is
            an error.
        measures: Names and groups of the measures in the report.
        title: The title of the report.
        primary: The pre-specified primary measure.
        baseline: The classifier that all others are compared with.
        margin: Equivalence margins by measure.
        level: The confidence level, by default 0.95.
        alpha: The family-wise error rate, by default 0.05.
        prevalence: Target prevalences to compute the measures for.
        cost: The costs of a `false_positive` and a `false_negative`, to recommend a classifier by.
        require: The least value by measure, to recommend a classifier by.
        seed: The random seed.
        spec: Other settings, with the keys of a spec file.

    Raises:
        SpecError: If the settings are invalid.
        DataError: If the data are invalid or do not match the settings.
    """
    with argument_errors():
        labels = None if classes is None else [to_label(label, "`classes`") for label in classes]
        attributes = {
            "truth": truth,
            "folds": folds,
            "ids": ids,
            "clusters": clusters,
            "weights": weights,
        }
        segment_columns = _check_mapping(segments, "segments")
        columns: dict[str, object] = dict(attributes)
        if task == "multilabel":
            columns["truth"] = to_label_sets(truth, "`truth`", labels)
        shared = read_shared_columns(columns, segment_columns, missing)
        outputs = predict_with_estimators(
            predictions, X, None if positive is None else to_label(positive, "`positive`")
        )
        tables = {
            "predictions": _check_mapping(outputs.predictions, "predictions"),
            "scores": {**outputs.scores, **_check_mapping(scores, "scores")},
            "probabilities": {
                **outputs.probabilities,
                **_check_mapping(probabilities, "probabilities"),
            },
        }
        check_indexes(
            [
                *((f"`{name}`", values) for name, values in attributes.items()),
                *(
                    (format_argument_item(argument, name), values)
                    for argument, table in ({"segments": segment_columns} | tables).items()
                    for name, values in table.items()
                ),
            ]
        )
        if task == "multilabel":
            tables["predictions"] = {
                name: to_label_sets(sets, format_argument_item("predictions", name), labels)
                for name, sets in tables["predictions"].items()
            }
        classifiers = _read_classifiers(tables, threshold, score_kind, labels)
        if task is None and positive is not None:
            task = "binary"
        predicted = [
            classifier.columns["predictions"]
            for classifier in classifiers.values()
            if "predictions" in classifier.columns
        ]
        settings = CallSettings(
            {
                "task": task or infer_task_kind(shared.columns["truth"], predicted, labels),
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
                "cost": cost,
                "require": require,
                "seed": seed,
            },
            _with_segments(spec or {}, segment_columns),
        )
        frames = build_input_frames(shared, classifiers)
        spec_file = settings.to_spec_file(
            shared.to_spec_table(),
            [classifier.to_spec_table() for classifier in classifiers.values()],
        )
        # First, so that errors of the theme are reported before the evaluation.
        theme = load_theme(spec_file)
        return Report(pipeline.evaluate_spec_file(spec_file, frames), theme)


def evaluate_spec(path: str | PathLike[str]) -> Report:
    """Evaluate and compare the classifiers of a spec file.

    Raises:
        SpecError: If the spec is invalid.
        DataError: If the prediction files are invalid or do not match the spec.
    """
    spec_file = load_spec(Path(path))
    theme = load_theme(spec_file)
    return Report(pipeline.evaluate_spec_file(spec_file), theme)


def build(
    path: str | PathLike[str],
    output: str | PathLike[str] = "reports",
    formats: Collection[str] | None = None,
) -> Report:
    """Write the report of a spec file to a folder in `output`, as `reportgen build` does.

    Raises:
        ReportgenError: As `evaluate_spec` and `Report.write`; formats without errors are written.
    """
    requested = None if formats is None else validate_formats(formats)
    with file_lock(lock_path(Path(output) / Path(path).stem)):
        report = pipeline.build_and_write(Path(path), Path(output), requested)
    if report.diagnostics:
        raise RenderingError(*report.diagnostics)
    return Report(report.evaluation, report.theme)


def _read_classifiers(
    tables: Mapping[str, Mapping[str, object]],
    threshold: float | Mapping[str, float] | None,
    score_kind: str | None,
    classes: Sequence[str] | None,
) -> dict[str, ClassifierInput]:
    """Return the data of each classifier, in the order of the arguments."""
    names = list(dict.fromkeys([*tables["predictions"], *tables["scores"]]))
    _check_known_names(tables["probabilities"], names, "probabilities", "predictions")
    thresholds = (
        _with_text_keys(threshold, "threshold")
        if isinstance(threshold, Mapping)
        else dict.fromkeys(tables["scores"], threshold)
    )
    _check_predictions_available(names, tables, thresholds, threshold)
    classifiers: dict[str, ClassifierInput] = {}
    for name in names:
        arguments = {argument: table[name] for argument, table in tables.items() if name in table}
        classifiers[name] = replace(
            _read_classifier(name, arguments, classes),
            threshold=thresholds.get(name),
            score_kind=score_kind if "scores" in arguments else None,
        )
    return classifiers


def _read_classifier(
    name: str, arguments: Mapping[str, object], classes: Sequence[str] | None
) -> ClassifierInput:
    """Return the columns of a classifier from the values of each argument for it."""
    columns: dict[str, pl.Series] = {}
    descriptions: dict[str, str] = {}
    for argument, values in arguments.items():
        item = format_argument_item(argument, name)
        if argument == "probabilities":
            for label, column in read_probability_columns(values, item, classes).items():
                column_name = PROBABILITY_COLUMN.replace("{class}", label)
                columns[column_name] = column
                descriptions[column_name] = f"{item} of class {label!r}"
        else:
            columns[argument], descriptions[argument] = to_series(values, item), item
    return ClassifierInput(name, columns, descriptions)


def _check_mapping(mapping: object, argument: str) -> Mapping[str, object]:
    if mapping is None:
        return {}
    columns = named_columns(mapping)
    if columns is None:
        message = f"`{argument}` has the type {type(mapping).__name__}, not a mapping"
        help_text = f'name the classifier: `{{"SVM": {argument}}}`'
        raise SpecError(Diagnostic(INVALID_ARGUMENT, message, help=help_text))
    return _with_text_keys(columns, argument)


def _with_segments(
    spec: Mapping[str, object], segments: Mapping[str, object]
) -> Mapping[str, object]:
    """Return the spec with a table for each column of segments that it does not have."""
    if not segments:
        return spec
    tables = spec.get("segments", [])
    existing_segments = (
        [table for table in tables if isinstance(table, Mapping)]
        if isinstance(tables, list)
        else []
    )
    existing_columns = {table.get("column") for table in existing_segments}
    return {
        **spec,
        "segments": [
            *existing_segments,
            *({"column": name} for name in segments if name not in existing_columns),
        ],
    }


def _with_text_keys(mapping: Mapping[Any, T], argument: str) -> dict[str, T]:
    """Return a mapping with names as text; raise if two names are the same text."""
    first: dict[str, object] = {}
    duplicates = [name for name in mapping if first.setdefault(str(name), name) is not name]
    if duplicates:
        raise SpecError(
            *(_duplicate_name_diagnostic(argument, first[str(name)], name) for name in duplicates)
        )
    return {str(name): values for name, values in mapping.items()}


def _duplicate_name_diagnostic(argument: str, first: object, second: object) -> Diagnostic:
    message = f"`{argument}` names {str(first)!r} twice, as {first!r} and as {second!r}"
    return Diagnostic(INVALID_ARGUMENT, message, help="give every classifier a unique name")


def _check_known_names(
    mapping: Mapping[str, object], names: Sequence[str], argument: str, required_argument: str
) -> None:
    diagnostics = [
        Diagnostic(
            INVALID_ARGUMENT,
            f"`{argument}` names {name!r}, which has no {required_argument}",
            help=did_you_mean(name, names) or _missing_argument_help(required_argument, names),
        )
        for name in mapping
        if name not in names
    ]
    if diagnostics:
        raise SpecError(*diagnostics)


def _missing_argument_help(required_argument: str, names: Sequence[str]) -> str:
    others = f"; expected one of {', '.join(names)}" if names else ""
    return f"pass its `{required_argument}` too{others}"


def _check_predictions_available(
    names: Sequence[str],
    tables: Mapping[str, Mapping[str, object]],
    thresholds: Mapping[str, float | None],
    threshold: object,
) -> None:
    """Raise if a classifier has no predictions, or a threshold has no scores."""
    if not names:
        message = "no classifiers: `predictions` is empty"
        help_text = 'pass `{"SVM": …}`, one entry per classifier'
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=help_text))
    if threshold is not None and not tables["scores"]:
        message = "`threshold` is applied to `scores`, which are missing"
        raise SpecError(Diagnostic(INVALID_ARGUMENT, message, help="pass `scores`"))
    _check_known_names(thresholds, list(tables["scores"]), "threshold", "scores")
    missing = [
        name for name in names if name not in tables["predictions"] and thresholds.get(name) is None
    ]
    if missing:
        message = f"{', '.join(missing)}: scores without predictions"
        help_text = "pass `predictions` too, or a `threshold` to derive them from the scores"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=help_text))
