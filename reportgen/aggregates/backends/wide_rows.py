"""Wide rows: one row per case with the columns of all classifiers, joined where the files are."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

import polars as pl

from reportgen.aggregates.backends.backend import FileSet
from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import DUPLICATE_IDS, NO_ROWS, TOO_MANY_LABELS, VALUE_MISSING
from reportgen.predictions.attributes import attribute_columns
from reportgen.predictions.cases import (
    GroundTruth,
    required_columns,
    takes_most_probable_class,
    validate_columns,
)
from reportgen.predictions.diagnostics import format_count, map_collecting_errors
from reportgen.predictions.presets.registry import PRESETS
from reportgen.predictions.table import GroupedRows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.aggregates.backends.backend import AggregationBackend
    from reportgen.predictions.table import PredictionTable
    from reportgen.spec import Classifier, DataSettings, Spec, SpecFile

# Names of columns that no file is expected to have: the case, its number, and the file as a fold.
CASE, COUNT, FILE_FOLD = "reportgen case", "reportgen count", "reportgen file"
_PLACEHOLDERS = ("{class}", "{number}")


@dataclass(frozen=True, slots=True)
class ClassifierRows:
    """The rows of one classifier on the back end: `id`, and its columns under aliases.

    `columns` has the alias of each column by its name in the files. `is_file_fold` is whether
    every file is a fold.
    """

    classifier: Classifier
    data: DataSettings
    files: FileSet
    table: PredictionTable
    columns: Mapping[str, str]
    rows: pl.LazyFrame
    ground_truth: GroundTruth | None = None
    is_file_fold: bool = False

    def aliases(self, *names: str | None) -> list[str]:
        """Return the aliases of those columns that the files have."""
        return [self.columns[name] for name in names if name is not None and name in self.columns]

    def matching(self, pattern: str | None) -> list[str]:
        """Return the aliases of the columns that match a pattern with {class}."""
        if pattern is None:
            return []
        return [alias for name, alias in self.columns.items() if _matches(name, pattern)]


def scan_classifier(
    spec_file: SpecFile, number: int, backend: AggregationBackend
) -> ClassifierRows:
    """Scan the columns of a classifier that its evaluation needs, and join its labels file."""
    spec = spec_file.spec
    classifier = spec.classifiers[number]
    data = spec.data_settings_for(classifier)
    files = FileSet(spec_file.folder, classifier.predictions or (), data.encoding)
    table = files.table(backend.column_names(files))
    if data.format is not None and data.id is None:
        data = data.model_copy(update={"id": PRESETS[data.format].column("id", table.names)})
    _check_columns(spec, data, table)
    is_file_fold = (
        classifier.fold is None
        and data.fold is not None
        and data.fold not in table.names
        and files.may_match_several
    )
    needed_columns = _needed_columns(spec, data, table.names)
    columns = {name: f"c{number}_{at}" for at, name in enumerate(needed_columns)}
    if is_file_fold:
        columns[FILE_FOLD] = f"c{number}_file"
    source_columns = {alias: name for name, alias in columns.items() if name != FILE_FOLD}
    if data.id is not None:
        source_columns["id"] = data.id
    rows = backend.scan(files, source_columns, data.where or {}, columns.get(FILE_FOLD))
    if data.id is None:
        of = backend.namespace
        rows = rows.with_columns(id=of.lit(None, of.String))
    own = ClassifierRows(classifier, data, files, table, columns, rows, is_file_fold=is_file_fold)
    return own if data.labels is None else _join_labels(spec_file, own, number, backend)


def _check_columns(spec: Spec, data: DataSettings, table: PredictionTable) -> None:
    """Raise if the files lack a column; those of presets and label sets are resolved later."""
    columns_by_key = {f"data.where.{name}": name for name in data.where or {}}
    if data.id is not None:
        columns_by_key["data.id"] = data.id
    if diagnostics := table.missing_column_diagnostics(columns_by_key):
        raise DataError(*diagnostics)
    if data.format is not None or spec.task.kind == "multilabel":
        return
    columns = required_columns(data)
    columns.pop("fold", None)
    if takes_most_probable_class(table, data):
        columns.pop("prediction", None)
    attributes = attribute_columns(spec, data)
    if data.labels is not None:
        attributes = {role: name for role, name in attributes.items() if name in table.names}
    validate_columns(table, data, columns, attributes)


def _needed_columns(spec: Spec, data: DataSettings, names: Sequence[str]) -> list[str]:
    """Return the columns of the files that any role of the spec may name, but the id."""
    column_names = {data.prediction, data.score, data.fold, *attribute_columns(spec, data).values()}
    patterns = [data.probabilities, data.prediction]
    if data.labels is None:
        column_names.add(data.truth)
        patterns.append(data.truth)
    if data.format is not None:
        preset = PRESETS[data.format]
        column_names.update(preset.known_columns)
        patterns += [*preset.probability_patterns, *preset.indexed_probability_patterns]
    return [
        name
        for name in dict.fromkeys(names)
        if name != data.id
        and (
            name in column_names or any(pattern and _matches(name, pattern) for pattern in patterns)
        )
    ]


def _matches(name: str, pattern: str) -> bool:
    """Return whether a column is one of a pattern's, with any class in the place of {class}."""
    for placeholder in _PLACEHOLDERS:
        before, separator, after = pattern.partition(placeholder)
        if separator:
            return (
                len(name) > len(before) + len(after)
                and name.startswith(before)
                and name.endswith(after)
            )
    return False


def _join_labels(
    spec_file: SpecFile, own: ClassifierRows, number: int, backend: AggregationBackend
) -> ClassifierRows:
    """Add the truth of the labels file to the rows, null where it has none."""
    spec, data, of = spec_file.spec, own.data, backend.namespace
    files = FileSet(spec_file.folder, (data.labels or "",), data.encoding)
    table = files.table(backend.column_names(files))
    missing = [
        name for name in attribute_columns(spec, data).values() if name not in own.table.names
    ]
    truths = [data.truth] if data.truth in table.names else []
    truths += [name for name in table.names if _matches(name, data.truth) and name != data.id]
    diagnostics = table.missing_column_diagnostics(
        {"data.id": data.id or ""}
        | ({} if truths else {"data.truth": data.truth})
        | {f"column {name}": name for name in missing}
    )
    if diagnostics:
        raise DataError(*diagnostics)
    columns = {
        name: f"c{number}_l{at}" for at, name in enumerate(dict.fromkeys([*truths, *missing]))
    }
    source_columns = {"id": data.id or "", **{alias: name for name, alias in columns.items()}}
    labels = backend.scan(files, source_columns, {})
    by_id = labels.group_by("id").agg(count=of.len())
    summary = backend.collect(
        by_id.select(
            rows=of.col("count").sum(), repeated=(of.col("count") > 1).cast(of.Int64).sum()
        )
    ).row(0, named=True)
    if summary["repeated"]:
        raise DataError(repeated_ids_diagnostic(table, data, int(summary["repeated"])))
    rows, labels = unify_id_types((own.rows, labels), backend)
    return ClassifierRows(
        own.classifier,
        data,
        own.files,
        own.table,
        {**own.columns, **columns},
        rows.join(labels, on="id", how="left"),
        GroundTruth(files.input(), table, pl.DataFrame(), int(summary["rows"] or 0)),
        own.is_file_fold,
    )


def repeated_ids_diagnostic(table: PredictionTable, data: DataSettings, number: int) -> Diagnostic:
    """Return the diagnostic of ids that occur in more than one row."""
    verb = "occurs" if number == 1 else "occur"
    column, ids = table.describe_column(data.id or ""), format_count(number, "id")
    message = f"{column}: {ids} {verb} in more than one row"
    help_text = (
        "drop duplicate rows; in repeated cross-validation name the repetition with `repeat`"
    )
    return Diagnostic(DUPLICATE_IDS, message, Location(table.path), help_text)


def unify_id_types(
    frames: tuple[pl.LazyFrame, ...], backend: AggregationBackend
) -> tuple[pl.LazyFrame, ...]:
    """Cast ids to text in all frames unless all have the same type."""
    of = backend.namespace
    if len({str(frame.collect_schema()["id"]) for frame in frames}) == 1:
        return frames
    return tuple(frame.with_columns(id=of.col("id").cast(of.String)) for frame in frames)


@dataclass(frozen=True, slots=True)
class JoinSummary:
    """Numbers of rows and cases: tuples are by classifier.

    `most` is the largest number of rows of one case; `ids` is the number of distinct ids of shared
    cases if ids repeat, and `folds_per_id` how often they repeat.
    """

    cases: int
    shared: int
    rows: tuple[int, ...]
    missing: tuple[int, ...]
    extra: tuple[int, ...]
    most: tuple[int, ...]
    without_id: tuple[int, ...]
    ids: int | None = None
    folds_per_id: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WideRows:
    """All cases of the classifiers on the back end, with the columns of every classifier.

    `rows k` is the number of rows that classifier k has of a case.
    """

    spec_file: SpecFile
    backend: AggregationBackend
    classifiers: tuple[ClassifierRows, ...]
    frame: pl.LazyFrame
    summary: JoinSummary

    def is_shared(self) -> pl.Expr:
        """Return whether all classifiers have the case, and its truth is known."""
        return _is_shared(self.classifiers, self.backend)

    def group(
        self, frame: pl.LazyFrame, keys: Sequence[str], limit: int, **aggregations: pl.Expr
    ) -> pl.DataFrame | None:
        """Count cases with equal keys, with the lowest id of each group; None if beyond a limit."""
        of = self.backend.namespace
        group_counts = frame.group_by(*keys).agg(
            of.len().alias(COUNT), of.col("case").min().alias(CASE), **aggregations
        )
        collected = self.backend.collect(group_counts, limit + 1)
        if collected.height > limit:
            return None
        if self.classifiers[0].data.id is None:
            return collected.sort(*keys).with_columns(pl.int_range(pl.len()).alias(CASE))
        return collected.sort(CASE)

    def grouped_rows(
        self, number: int, groups: pl.DataFrame, values: Mapping[str, pl.Expr] | None
    ) -> GroupedRows:
        """Return the rows of a classifier in groups of cases, with the columns of its files."""
        own = self.classifiers[number]
        classifier_groups = groups
        if f"rows {number}" in groups.columns:
            classifier_groups = groups.filter(pl.col(f"rows {number}") == 1)
        if own.ground_truth is not None:
            truths = [alias for alias in own.aliases(own.data.truth) if alias in groups.columns]
            classifier_groups = (
                classifier_groups.drop_nulls(truths) if truths else classifier_groups
            )
        count = pl.col(COUNT).cast(pl.Int64)
        if own.data.count is not None:
            count *= pl.col(own.columns[own.data.count]).cast(pl.String).cast(pl.Float64)
        columns = {
            name: pl.col(alias) for name, alias in own.columns.items() if alias in groups.columns
        }
        columns |= values or {}
        if classifier_groups.is_empty():
            raise DataError(_no_rows_diagnostic(own))
        columns.pop(own.data.count or "", None)
        return GroupedRows(
            classifier_groups.select(pl.col(CASE), count.alias(COUNT), **columns),
            own.files.input().path,
            own.files.name,
            classifier_groups[COUNT],
        )


def _no_rows_diagnostic(own: ClassifierRows) -> Diagnostic:
    message = "there are no rows"
    if own.data.where:
        conditions = " and ".join(f"`{name}` = {value!r}" for name, value in own.data.where.items())
        message = f"no row has {conditions}"
    return Diagnostic(NO_ROWS, message, Location(own.table.path))


def join_classifiers(spec_file: SpecFile, backend: AggregationBackend) -> WideRows | None:
    """Join the rows of all classifiers by id; None if no classifier has files.

    Without ids, which only one classifier may lack, a row is a case.
    """
    spec = spec_file.spec
    numbers = [
        number
        for number, classifier in enumerate(spec.classifiers)
        if classifier.predictions is not None
    ]
    classifiers = tuple(
        map_collecting_errors(numbers, lambda number: scan_classifier(spec_file, number, backend))
    )
    if not classifiers:
        return None
    of = backend.namespace
    if classifiers[0].data.id is None:
        frame = classifiers[0].rows.with_columns(
            **{"rows 0": of.lit(1, of.Int64), "case": of.lit(1, of.Int64)}
        )
        frame = backend.persist(frame)
        summary = _summarize(frame, classifiers, backend)
        _check_rows(classifiers, summary)
        return WideRows(spec_file, backend, classifiers, frame, summary)
    rows = unify_id_types(tuple(own.rows for own in classifiers), backend)
    frame = backend.persist(_stack_by_key(rows, classifiers, ["id"], backend))
    summary = _summarize(frame, classifiers, backend)
    _check_rows(classifiers, summary)
    keys = _repetition_columns(classifiers)
    if max(summary.most) > 1 and keys is not None:
        shared_keys = [f"key {at}" for at in range(len(keys[0]))]
        rows = tuple(
            own.with_columns(
                **{
                    key: of.col(alias).cast(of.String)
                    for key, alias in zip(shared_keys, aliases, strict=True)
                }
            )
            for own, aliases in zip(rows, keys, strict=True)
        )
        frame = backend.persist(_stack_by_key(rows, classifiers, ["id", *shared_keys], backend))
        summary = _summarize(frame, classifiers, backend, repeats=True)
    diagnostics = [
        repeated_ids_diagnostic(own.table, own.data, _count_repeated(frame, number, backend))
        for number, own in enumerate(classifiers)
        if summary.most[number] > 1
    ]
    if diagnostics:
        raise DataError(*diagnostics)
    return WideRows(spec_file, backend, classifiers, frame, summary)


def _check_rows(classifiers: Sequence[ClassifierRows], summary: JoinSummary) -> None:
    empty = [
        _no_rows_diagnostic(own)
        for own, rows in zip(classifiers, summary.rows, strict=True)
        if not rows
    ]
    for own, rows, number in zip(classifiers, summary.rows, summary.without_id, strict=True):
        if number and own.data.id is not None:
            column = own.table.describe_column(own.data.id)
            message = f"{column}: {format_count(number, 'row')} of {rows} without an id"
            help_text = "fill in the ids, or remove the rows"
            empty.append(Diagnostic(VALUE_MISSING, message, Location(own.table.path), help_text))
    if empty:
        raise DataError(*empty)


def _count_repeated(frame: pl.LazyFrame, number: int, backend: AggregationBackend) -> int:
    of = backend.namespace
    count_query = frame.filter(of.col(f"rows {number}") > 1).select(ids=of.len())
    return int(backend.collect(count_query)["ids"][0])


def _repetition_columns(classifiers: Sequence[ClassifierRows]) -> list[list[str]] | None:
    """Return the aliases of repetition and fold of every classifier, if all have the same."""
    columns = [own.aliases(own.data.repeat, own.data.fold, FILE_FOLD) for own in classifiers]
    return columns if columns[0] and len({len(own) for own in columns}) == 1 else None


def _stack_by_key(
    rows: Sequence[pl.LazyFrame],
    classifiers: Sequence[ClassifierRows],
    keys: Sequence[str],
    backend: AggregationBackend,
) -> pl.LazyFrame:
    """Return one row per key with the columns of all classifiers, null where one has no row.

    A union and one aggregation: the rows of all classifiers are shuffled once.
    """
    of = backend.namespace
    types = [frame.collect_schema() for frame in rows]
    parts = []
    for number, frame in enumerate(rows):
        columns = {}
        for other, own in enumerate(classifiers):
            is_own = other == number
            columns[f"rows {other}"] = of.lit(int(is_own), of.Int64)
            for alias in own.columns.values():
                columns[alias] = of.col(alias) if is_own else of.lit(None, types[other][alias])
        parts.append(frame.select(*keys, **columns))
    all_rows: pl.LazyFrame = of.concat(parts, how="vertical") if len(parts) > 1 else parts[0]
    numbers = range(len(rows))
    joined = all_rows.group_by(*keys).agg(
        **{f"rows {number}": of.col(f"rows {number}").sum() for number in numbers},
        **{alias: of.col(alias).max() for own in classifiers for alias in own.columns.values()},
    )
    if len(keys) == 1:
        return joined.with_columns(case=of.col("id"))
    texts = [of.col(key).cast(of.String) for key in keys]
    return joined.with_columns(case=of.concat_str(*texts, separator=" / ", ignore_nulls=True))


def _is_shared(classifiers: Sequence[ClassifierRows], backend: AggregationBackend) -> pl.Expr:
    of = backend.namespace
    conditions: list[pl.Expr] = [
        of.col(f"rows {number}") == 1 for number in range(len(classifiers))
    ]
    conditions += [condition for own in classifiers for condition in _is_labelled(own, backend)]
    return reduce(and_, conditions)


def _is_labelled(own: ClassifierRows, backend: AggregationBackend) -> Iterator[pl.Expr]:
    """Yield whether the labels file has the case, if there is one."""
    if own.ground_truth is not None:
        for alias in own.aliases(own.data.truth) or own.matching(own.data.truth):
            yield ~backend.namespace.col(alias).is_null()


def _summarize(
    frame: pl.LazyFrame,
    classifiers: Sequence[ClassifierRows],
    backend: AggregationBackend,
    *,
    repeats: bool = False,
) -> JoinSummary:
    of = backend.namespace
    shared = _is_shared(classifiers, backend)
    sums = {"cases": of.len(), "shared": shared.cast(of.Int64).sum()}
    for number, own in enumerate(classifiers):
        rows = of.col(f"rows {number}")
        labelled = list(_is_labelled(own, backend))
        extra = (rows >= 1) & ~shared
        if labelled:
            extra = (rows >= 1) & ~reduce(and_, labelled)
        sums[f"rows {number}"] = rows.sum()
        sums[f"most {number}"] = rows.max()
        sums[f"without id {number}"] = (
            of.when(of.col("id").is_null()).then(rows).otherwise(of.lit(0, of.Int64)).sum()
        )
        sums[f"missing {number}"] = (rows == 0).cast(of.Int64).sum()
        sums[f"extra {number}"] = extra.cast(of.Int64).sum()
    totals = backend.collect(frame.select(**sums)).row(0, named=True)
    numbers = range(len(classifiers))

    def by_classifier(name: str) -> tuple[int, ...]:
        return tuple(int(totals[f"{name} {number}"] or 0) for number in numbers)

    ids, folds_per_id = None, {}
    if repeats:
        per_id = frame.filter(shared).group_by("id").agg(times=of.len())
        id_counts = backend.collect(per_id.group_by("times").agg(ids=of.len()))
        folds_per_id = dict(id_counts.select("times", "ids").rows())
        ids = sum(folds_per_id.values())
    missing = tuple(
        own.ground_truth.rows - (rows - extra) if own.ground_truth is not None else absent
        for own, rows, extra, absent in zip(
            classifiers,
            by_classifier("rows"),
            by_classifier("extra"),
            by_classifier("missing"),
            strict=True,
        )
    )
    return JoinSummary(
        int(totals["cases"]),
        int(totals["shared"] or 0),
        by_classifier("rows"),
        missing,
        by_classifier("extra"),
        by_classifier("most"),
        by_classifier("without id"),
        ids,
        folds_per_id,
    )


def too_many_rows_diagnostic(wide: WideRows, limit: int) -> Diagnostic:
    """Return the diagnostic of more distinct rows than may come back."""
    names = [
        f"`{name}`"
        for name in dict.fromkeys(name for own in wide.classifiers for name in own.columns)
        if name != FILE_FOLD
    ]
    message = (
        f"the columns {', '.join(names[:12])} have more than {limit} different combinations of"
        " values"
    )
    help_text = (
        "do they hold folds, classes and groups of cases, and not numbers or ids? Clusters and"
        " sampling weights come back one by one: raise `most_rows` in [engine] if they fit memory"
    )
    return Diagnostic(TOO_MANY_LABELS, message, Location(wide.classifiers[0].table.path), help_text)
