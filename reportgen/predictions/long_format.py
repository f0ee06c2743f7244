"""Long format: one file with a row per classifier and case, and a column of classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, Location, did_you_mean
from reportgen.errors.data import MODEL_UNKNOWN, VALUE_MISSING
from reportgen.predictions.cases import open_file
from reportgen.predictions.diagnostics import map_collecting_errors
from reportgen.predictions.remote import find_inputs
from reportgen.spec import Classifier, spec_file_for_dataset, with_models
from reportgen.spec.fields import is_invisible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reportgen.predictions.table import PredictionTable
    from reportgen.spec import DataSettings, SpecFile

MAX_MODELS = 200
_MAX_MODELS_SHOWN = 10


def expand_models(
    spec_file: SpecFile,
    find_models: Callable[[SpecFile, str], Sequence[str]] | None = None,
) -> SpecFile:
    """Return the spec with a classifier for each value of the `model` column of its files.

    Listed classifiers come first, then the other values in order of appearance. Each classifier
    reads its rows of the files by `where`.

    Args:
        spec_file: the spec.
        find_models: returns the values of the column where files are not on this machine.
    """
    spec = spec_file.spec
    column = spec.data.model
    if column is None:
        return spec_file
    models = (find_models or _find_models)(spec_file, column)
    if len(models) > MAX_MODELS:
        message = f"column `{column}` has {len(models)} different values, too many for classifiers"
        help_text = "name the column that says which classifier made a prediction"
        raise DataError(
            Diagnostic(MODEL_UNKNOWN, message, spec_file.locate("data", "model"), help_text)
        )
    shared = [classifier for classifier in spec.classifiers if spec.has_shared_files(classifier)]
    by_model = {
        classifier.model or classifier.name: classifier
        for classifier in shared
        if is_listed(classifier, column)
    }
    _check_listed(spec_file, list(by_model), models)
    classifiers = [
        classifier
        if classifier not in shared
        else select_model(classifier, spec.data, column, classifier.model or classifier.name)
        for classifier in spec.classifiers
        if classifier not in shared or is_listed(classifier, column)
    ]
    classifiers += [
        select_model(
            Classifier.model_construct(name=model, predictions=spec.data.predictions),
            *(spec.data, column, model),
        )
        for model in models
        if model not in by_model
    ]
    data = spec.data.model_copy(update={"model": None})
    update = {"classifiers": tuple(classifiers), "data": data}
    return with_models(spec_file, spec.model_copy(update=update))


def is_listed(classifier: Classifier, column: str) -> bool:
    """Return whether a classifier is a table of the spec, not the one that stands for the rest."""
    return not (
        classifier.name == column and classifier.model_fields_set == {"name", "predictions"}
    )


def select_model(classifier: Classifier, data: DataSettings, column: str, model: str) -> Classifier:
    """Return a classifier with the rows of a model of a file in long format.

    Its row filter, or else that of [data], stays.
    """
    where = data.where if classifier.where is None else classifier.where
    return classifier.model_copy(update={"where": {**(where or {}), column: model}})


def _find_models(spec_file: SpecFile, column: str) -> tuple[str, ...]:
    """Return the values of the model column of all files in order of appearance."""
    parts = [spec_file_for_dataset(spec_file, dataset) for dataset in spec_file.spec.datasets] or [
        spec_file
    ]
    tables = [table for part in parts for table in _open_tables(part)]
    diagnostics = [
        diagnostic
        for table in tables
        for diagnostic in table.missing_column_diagnostics({"data.model": column})
    ]
    if diagnostics:
        raise DataError(*diagnostics)
    models = dict.fromkeys(
        name
        for names in map_collecting_errors(tables, lambda t: _read_models(t, column))
        for name in names
    )
    return tuple(models)


def _open_tables(spec_file: SpecFile) -> Sequence[PredictionTable]:
    data = spec_file.spec.data
    files = find_inputs(
        spec_file.folder,
        data.predictions or (),
        lambda number: spec_file.locate("data", "predictions", number),
        remote=data.remote,
    )
    return map_collecting_errors(files, lambda file: open_file(file, data))


def _read_models(table: PredictionTable, column: str) -> list[str]:
    """Return the distinct values of the model column of a file, or raise if one is missing."""
    try:
        models = table.scan({"model": column}).select("row", pl.col("model").cast(pl.String))
        distinct = (
            models.group_by("model")
            .agg(pl.col("row").min())
            .sort("row")
            .collect(engine="streaming")
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        rows = table.read({"model": column}).select("row", pl.col("model").cast(pl.String))
        distinct = rows.unique("model", keep="first", maintain_order=True)
    empty = distinct.filter(pl.col("model").is_null() | (pl.col("model").str.strip_chars() == ""))
    if not empty.is_empty():
        raise DataError(
            *table.row_diagnostics(
                VALUE_MISSING,
                empty.select("row", value=pl.lit("")),
                lambda _: f"column `{column}`: the name of the model is missing",
                lambda _: "fill in the name or remove the row",
            )
        )
    names = distinct["model"].to_list()
    for name in names:
        if any(map(is_invisible, name)):
            message = f"the model {name!r} has an invisible character"
            raise DataError(
                Diagnostic(MODEL_UNKNOWN, message, Location(table.path), "rename the model")
            )
    return names


def _check_listed(spec_file: SpecFile, listed_models: Sequence[str], models: Sequence[str]) -> None:
    """Raise if a listed classifier is no value of the model column."""
    spec = spec_file.spec
    listing = ", ".join(f"`{model}`" for model in models[:_MAX_MODELS_SHOWN])
    more = ", …" if len(models) > _MAX_MODELS_SHOWN else ""
    diagnostics = [
        Diagnostic(
            MODEL_UNKNOWN,
            f"`{classifier.model or classifier.name}` is no value of column"
            f" `{spec.data.model}`: {listing}{more}",
            spec_file.locate("classifiers", index, "name" if classifier.model is None else "model"),
            did_you_mean(classifier.model or classifier.name, models)
            or 'a classifier with another name in the report needs `model = "…"`, the name in the'
            " file",
        )
        for index, classifier in enumerate(spec.classifiers)
        if spec.has_shared_files(classifier)
        and (classifier.model or classifier.name) in listed_models
        and (classifier.model or classifier.name) not in models
    ]
    if diagnostics:
        raise DataError(*diagnostics)
