"""Case audit: missing, extra, duplicate and conflicting cases of each classifier."""

from __future__ import annotations

from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import CASES_DIFFER, CONFLICTING_CASES
from reportgen.predictions.diagnostics import format_count
from reportgen.predictions.files import natural_sort_key
from reportgen.predictions.scores import find_probability_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reportgen.predictions.cases import Cases, GroundTruth


_MAX_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class CaseAudit:
    """Numbers of missing, extra, duplicate and conflicting cases of one classifier.

    `rows` is the number of rows of its files, and `cases` that of the cases it is evaluated on.
    """

    classifier: str
    rows: int
    cases: int
    missing: int
    extra: int
    duplicated: int
    conflicting: int
    missing_examples: tuple[str, ...] = ()
    extra_examples: tuple[str, ...] = ()


def audit_cases(
    names: Sequence[str],
    all_rows: pl.DataFrame,
    distinct_rows: pl.DataFrame,
    ground_truths: Mapping[str, GroundTruth],
) -> tuple[CaseAudit, ...]:
    """Return the audit of each classifier against the other classifiers or the labels file."""
    shared = find_shared_cases(distinct_rows, len(names)).height
    union = distinct_rows.select("case", "id", "repeat").unique(
        "case", keep="first", maintain_order=True
    )
    classifier_counts = distinct_rows.group_by("case").agg(count=pl.len())
    unshared = classifier_counts.filter(pl.col("count") < len(names))
    rows = dict(all_rows["classifier"].value_counts().rows())
    return tuple(
        _audit_classifier(
            name,
            (rows[name], shared),
            classifier_rows,
            _AuditReference(union, unshared, ground_truths.get(name)),
        )
        for name in names
        for classifier_rows in (
            distinct_rows.filter(pl.col("classifier") == name).select("case", "id", "repeat"),
        )
    )


def audit_unique_ids(cases: Cases, missing: pl.Series, extra: pl.Series) -> CaseAudit:
    """Return the audit of a classifier with unique ids, given its missing and extra ids."""
    return CaseAudit(
        classifier=cases.classifier,
        rows=cases.size,
        cases=cases.size - len(extra),
        missing=len(missing),
        extra=len(extra),
        duplicated=0,
        conflicting=0,
        missing_examples=_first_examples(missing),
        extra_examples=_first_examples(extra),
    )


def find_shared_cases(distinct_rows: pl.DataFrame, classifiers: int) -> pl.DataFrame:
    """Return the cases that all classifiers have with a known truth."""
    shared = (pl.len() == classifiers) & pl.col("truth").is_not_null().all()
    return distinct_rows.group_by("case").agg(shared=shared).filter("shared")


@dataclass(frozen=True, slots=True)
class _AuditReference:
    """The cases that a classifier's cases are compared with."""

    all_cases: pl.DataFrame
    unshared_cases: pl.DataFrame
    ground_truth: GroundTruth | None


def _audit_classifier(
    name: str, counts: tuple[int, int], classifier_rows: pl.DataFrame, reference: _AuditReference
) -> CaseAudit:
    rows, shared = counts
    absent_cases = reference.all_cases.join(
        classifier_rows, on="case", how="anti", maintain_order="left"
    )
    if reference.ground_truth is None:
        missing = absent_cases
        extra = classifier_rows.join(
            reference.unshared_cases, on="case", how="semi", maintain_order="left"
        )
    else:
        # Cases of the labels file, also those that no classifier has.
        labels = reference.ground_truth.frame.select("id")
        unpredicted = labels.join(reference.all_cases, on="id", how="anti", maintain_order="left")
        absent_labelled = absent_cases.join(labels, on="id", how="semi", maintain_order="left")
        missing = pl.concat([absent_labelled, unpredicted.select("id")], how="diagonal")
        extra = classifier_rows.join(labels, on="id", how="anti", maintain_order="left")
    return CaseAudit(
        classifier=name,
        rows=rows,
        cases=shared,
        missing=missing.height,
        extra=extra.height,
        duplicated=rows - classifier_rows.height,
        conflicting=0,
        missing_examples=_case_names(missing),
        extra_examples=_case_names(extra),
    )


def _case_names(cases: pl.DataFrame) -> tuple[str, ...]:
    names = (
        name if fold is None else f"{name} in fold {fold}"
        for name, fold in cases.select("id", "repeat").iter_rows()
    )
    return _first_examples(names)


def _first_examples(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(nsmallest(_MAX_EXAMPLES, names, key=natural_sort_key))


def describe_case_differences(
    audits: Sequence[CaseAudit], ground_truths: Mapping[str, GroundTruth]
) -> list[str]:
    """Return a message for each classifier with missing or extra cases, with examples.

    A case that others lack is in the messages of those that lack it.
    """
    messages: list[str] = []
    for audit in audits:
        name, labels = audit.classifier, ground_truths.get(audit.classifier)
        missing, extra = format_count(audit.missing, "case"), format_count(audit.extra, "case")
        file = "" if labels is None else f"`{labels.file.display_name}`"
        if audit.missing:
            examples = _format_examples(audit.missing_examples, audit.missing)
            messages.append(f"`{name}` lacks {missing}{f' of {file}' if file else ''}{examples}")
        if audit.extra and file:
            examples = _format_examples(audit.extra_examples, audit.extra)
            messages.append(f"{file} has no truth for {extra} that `{name}` predicts{examples}")
    return messages


def _format_examples(examples: Sequence[str], count: int) -> str:
    """Return examples in brackets; counts from a cluster have none."""
    ellipsis = ", …" if count > len(examples) else ""
    return f" ({', '.join(examples)}{ellipsis})" if examples else ""


def check_same_cases(audits: Sequence[CaseAudit], ground_truths: Mapping[str, GroundTruth]) -> None:
    """Raise if any classifier has missing or extra cases."""
    help_text = 'write `cases = "common"` under `[data]` to evaluate on the cases in common'
    diagnostics = [
        Diagnostic(CASES_DIFFER, message, help=help_text)
        for message in describe_case_differences(audits, ground_truths)
    ]
    if diagnostics:
        raise DataError(*diagnostics)


_MAX_CASES_SHOWN = 5
_MAX_VALUES_SHOWN = 4
_CORE_COLUMNS = ("truth", "prediction", "score")
_REPETITION_HELP = (
    "is the id used for two cases? in repeated cross-validation name the column of the repetition"
    ' or fold: `fold = "…"` under `[data]`; if it is a patient or another group of cases, name it'
    " with `cluster` instead of `id`"
)


def check_conflicting_rows(
    cases: Sequence[Cases], all_rows: pl.DataFrame, distinct_rows: pl.DataFrame
) -> None:
    """Raise if a classifier has different rows for one case, or a case has different truths."""
    diagnostics: list[Diagnostic] = []
    conflict_numbers = pl.Series("number", [], pl.UInt32)
    if distinct_rows.height < all_rows.height:
        columns = ("truth", "prediction", "score", *find_probability_columns(all_rows.columns))
        answers = pl.struct(columns).n_unique()
        conflicting_rows = all_rows.filter(answers.over("classifier", "case") > 1)
        diagnostics += _conflict_diagnostics(cases, conflicting_rows, columns, "rows")
        if all(item.data.fold is None for item in cases):
            diagnostics = [replace(diagnostic, help=_REPETITION_HELP) for diagnostic in diagnostics]
        conflict_numbers = conflicting_rows["number"].unique()
    truths = distinct_rows.select("number", "truth").drop_nulls().unique()
    conflicting = truths.filter(pl.col("number").is_duplicated()).select("number").unique()
    # Truths that differ within one classifier are already reported by its rows.
    conflicting = conflicting.filter(~pl.col("number").is_in(conflict_numbers.implode()))
    others = distinct_rows.join(conflicting, on="number", how="semi", maintain_order="left")
    diagnostics += _conflict_diagnostics(
        cases, others.with_columns(case="number"), ("truth",), "truths"
    )
    if diagnostics:
        raise DataError(*diagnostics)


def _conflict_diagnostics(
    cases: Sequence[Cases], conflicts: pl.DataFrame, columns: tuple[str, ...], noun: str
) -> list[Diagnostic]:
    names = conflicts.select("case", "id").unique("case", keep="first", maintain_order=True)
    n_more = names.height - _MAX_CASES_SHOWN
    diagnostics: list[Diagnostic] = []
    for number, (case, name) in enumerate(names.head(_MAX_CASES_SHOWN).rows(), start=1):
        values, location = describe_values(cases, conflicts.filter(pl.col("case") == case), columns)
        end = (
            f"; and {format_count(n_more, 'more case')}"
            if n_more > 0 and number == _MAX_CASES_SHOWN
            else ""
        )
        message = f"case `{name}` has conflicting {noun}: {values}{end}"
        diagnostics.append(
            Diagnostic(CONFLICTING_CASES, message, location, "is the id used for two cases?")
        )
    return diagnostics


def describe_values(
    cases: Sequence[Cases], rows: pl.DataFrame, columns: tuple[str, ...]
) -> tuple[str, Location | None]:
    """Return the distinct values of a case by classifier and file, and the last location."""
    by_name = {item.classifier: item for item in cases}
    descriptions: list[str] = []
    location: Location | None = None
    distinct = rows.unique(list(columns), keep="first", maintain_order=True).head(_MAX_VALUES_SHOWN)
    for row in distinct.iter_rows(named=True):
        item = by_name[row["classifier"]]
        (location,) = item.tables[row["file"]].locations([row["row"]])
        source = item.format_location(row["file"], row["row"])
        values = ", ".join(
            f"{_column_title(column)} {row[column]}"
            for column in columns
            if row[column] is not None and (column in _CORE_COLUMNS or rows[column].n_unique() > 1)
        )
        descriptions.append(f"{values} for `{row['classifier']}` ({source})")
    return "; ".join(descriptions), location


def _column_title(column: str) -> str:
    """Return the name of a column in messages; probabilities are numbered by class."""
    return column if column in _CORE_COLUMNS else f"probability {int(column[1:]) + 1}"
