"""How the cases of each classifier compare with those of the others or of the labels."""

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
    """How the cases of one classifier compare with the cases that were asked for.

    `cases` are those it was measured on; `rows` counts what its files hold.
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
    """Count rows, cases, and what is missing, extra and duplicated for each classifier."""
    shared = find_shared_cases(distinct_rows, len(names)).height
    union = distinct_rows.select("case", "id", "repeat").unique(
        "case", keep="first", maintain_order=True
    )
    held = distinct_rows.group_by("case").agg(holders=pl.len())
    not_everywhere = held.filter(pl.col("holders") < len(names))
    rows = dict(all_rows["classifier"].value_counts().rows())
    return tuple(
        _audit_classifier(
            name,
            (rows[name], shared),
            own,
            _AuditReference(union, not_everywhere, ground_truths.get(name)),
        )
        for name in names
        for own in (
            distinct_rows.filter(pl.col("classifier") == name).select("case", "id", "repeat"),
        )
    )


def audit_unique_ids(cases: Cases, missing: pl.Series, extra: pl.Series) -> CaseAudit:
    """Return the audit of a classifier that has every id once, by what it lacks or has alone."""
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
    """Return the cases that all classifiers have, and whose truth is known."""
    shared = (pl.len() == classifiers) & pl.col("truth").is_not_null().all()
    return distinct_rows.group_by("case").agg(shared=shared).filter("shared")


@dataclass(frozen=True, slots=True)
class _AuditReference:
    """What a classifier's cases are compared with."""

    all_cases: pl.DataFrame
    unshared_cases: pl.DataFrame
    ground_truth: GroundTruth | None


def _audit_classifier(
    name: str, counts: tuple[int, int], own: pl.DataFrame, reference: _AuditReference
) -> CaseAudit:
    rows, shared = counts
    lacking = reference.all_cases.join(own, on="case", how="anti", maintain_order="left")
    if reference.ground_truth is None:
        missing = lacking
        extra = own.join(reference.unshared_cases, on="case", how="semi", maintain_order="left")
    else:
        # Cases that the labels ask for, also those that no classifier has.
        labels = reference.ground_truth.frame.select("id")
        by_none = labels.join(reference.all_cases, on="id", how="anti", maintain_order="left")
        asked = lacking.join(labels, on="id", how="semi", maintain_order="left")
        missing = pl.concat([asked, by_none.select("id")], how="diagonal")
        extra = own.join(labels, on="id", how="anti", maintain_order="left")
    return CaseAudit(
        classifier=name,
        rows=rows,
        cases=shared,
        missing=missing.height,
        extra=extra.height,
        duplicated=rows - own.height,
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
    """Say, per classifier, which cases it lacks and which only it has, or the labels lack."""
    told: list[str] = []
    for audit in audits:
        name, labels = audit.classifier, ground_truths.get(audit.classifier)
        missing, extra = format_count(audit.missing, "case"), format_count(audit.extra, "case")
        lacks, alone = f"`{name}` lacks {missing}", f"`{name}` has {extra} that others lack"
        if labels is not None:
            lacks += f" of `{labels.file.display_name}`"
            alone = f"`{labels.file.display_name}` has no truth for {extra} that `{name}` predicts"
        if audit.missing:
            told.append(f"{lacks}{_format_examples(audit.missing_examples, audit.missing)}")
        if audit.extra:
            told.append(f"{alone}{_format_examples(audit.extra_examples, audit.extra)}")
    return told


def _format_examples(examples: Sequence[str], count: int) -> str:
    """Name examples in brackets; a cluster gives none."""
    more = ", …" if count > len(examples) else ""
    return f" ({', '.join(examples)}{more})" if examples else ""


def check_same_cases(audits: Sequence[CaseAudit], ground_truths: Mapping[str, GroundTruth]) -> None:
    """Raise if any classifier has other cases than it should."""
    help_text = 'write `cases = "common"` under `[data]` to measure on the cases all share'
    faults = [
        Diagnostic(CASES_DIFFER, said, help=help_text)
        for said in describe_case_differences(audits, ground_truths)
    ]
    if faults:
        raise DataError(*faults)


# Cases about which files say two things.

_MAX_CASES_SHOWN = 5
_MAX_VALUES_SHOWN = 4
_CORE_COLUMNS = ("truth", "prediction", "score")
_REPETITION_HELP = (
    "is the id used for two cases? in repeated cross-validation name the column that tells the"
    ' predictions of a case apart: `fold = "…"` under `[data]`'
)


def check_conflicting_rows(
    cases: Sequence[Cases], all_rows: pl.DataFrame, distinct_rows: pl.DataFrame
) -> None:
    """Raise if a classifier has two answers for one case, or a case has two truths."""
    faults: list[Diagnostic] = []
    told = pl.Series("number", [], pl.UInt32)
    if distinct_rows.height < all_rows.height:
        columns = ("truth", "prediction", "score", *find_probability_columns(all_rows.columns))
        answers = pl.struct(columns).n_unique()
        own = all_rows.filter(answers.over("classifier", "case") > 1)
        faults += _conflict_diagnostics(cases, own, columns, "rows")
        if all(each.data.fold is None for each in cases):
            faults = [replace(fault, help=_REPETITION_HELP) for fault in faults]
        told = own["number"].unique()
    truths = distinct_rows.select("number", "truth").drop_nulls().unique()
    two = truths.filter(pl.col("number").is_duplicated()).select("number").unique()
    # Truths that differ inside one classifier are already told by its rows.
    two = two.filter(~pl.col("number").is_in(told.implode()))
    others = distinct_rows.join(two, on="number", how="semi", maintain_order="left")
    faults += _conflict_diagnostics(cases, others.with_columns(case="number"), ("truth",), "truths")
    if faults:
        raise DataError(*faults)


def _conflict_diagnostics(
    cases: Sequence[Cases], conflicts: pl.DataFrame, columns: tuple[str, ...], noun: str
) -> list[Diagnostic]:
    names = conflicts.select("case", "id").unique("case", keep="first", maintain_order=True)
    more = names.height - _MAX_CASES_SHOWN
    faults: list[Diagnostic] = []
    for number, (case, name) in enumerate(names.head(_MAX_CASES_SHOWN).rows(), start=1):
        told, place = describe_values(cases, conflicts.filter(pl.col("case") == case), columns)
        end = (
            f"; and {format_count(more, 'more case')}"
            if more > 0 and number == _MAX_CASES_SHOWN
            else ""
        )
        message = f"case `{name}` has contradicting {noun}: {told}{end}"
        faults.append(
            Diagnostic(CONFLICTING_CASES, message, place, "is the id used for two cases?")
        )
    return faults


def describe_values(
    cases: Sequence[Cases], rows: pl.DataFrame, columns: tuple[str, ...]
) -> tuple[str, Location | None]:
    """Return who says what where about one case, and the place of the last one."""
    by_name = {each.classifier: each for each in cases}
    told: list[str] = []
    place: Location | None = None
    different = rows.unique(list(columns), keep="first", maintain_order=True).head(
        _MAX_VALUES_SHOWN
    )
    for row in different.iter_rows(named=True):
        own = by_name[row["classifier"]]
        (place,) = own.tables[row["file"]].locations([row["row"]])
        at = own.format_location(row["file"], row["row"])
        values = ", ".join(
            f"{_column_title(column)} {row[column]}"
            for column in columns
            if row[column] is not None and (column in _CORE_COLUMNS or rows[column].n_unique() > 1)
        )
        told.append(f"{values} for `{row['classifier']}` ({at})")
    return "; ".join(told), place


def _column_title(column: str) -> str:
    """Call a column of probabilities by the place of its class."""
    return column if column in _CORE_COLUMNS else f"probability {int(column[1:]) + 1}"
