"""Which rows of different classifiers are the same case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import JOIN_MIXED, NO_SHARED_CASE, ROWS_DIFFER
from reportgen.predictions.audit import audit_cases, refuse_differences
from reportgen.predictions.contradictions import refuse_contradictions, values_told
from reportgen.predictions.model import CaseAudit
from reportgen.predictions.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.predictions.cases import Cases

_COLUMNS = ("classifier", "file", "row", "id", "fold", "truth", "prediction", "score")
_FIRST = 5


@dataclass(frozen=True, slots=True)
class Joined:
    """The cases that all classifiers are measured on, and what was left out."""

    frame: pl.DataFrame
    audits: tuple[CaseAudit, ...]
    joined_by: Literal["id", "row order"] | None
    case_count: int
    warnings: tuple[str, ...]


def join_cases(
    cases: Sequence[Cases], labelled: Mapping[str, pl.DataFrame], *, identical: bool
) -> Joined:
    """Join the classifiers by id if they have ids, and by row order if none has."""
    with_ids = [each for each in cases if each.data.id is not None]
    if with_ids and len(with_ids) < len(cases):
        without = next(each for each in cases if each.data.id is None)
        message = f"`{with_ids[0].classifier}` has ids, but `{without.classifier}` has none"
        help_text = "name the id column for all classifiers or for none"
        raise DataError(Fault(JOIN_MIXED, message, help=help_text))
    names = pl.Enum([each.classifier for each in cases])
    every = pl.concat(
        each.frame.with_columns(classifier=pl.lit(each.classifier, names)).select(_COLUMNS)
        for each in cases
    )
    if with_ids:
        return _join_by_id(cases, every, labelled, identical=identical)
    return _join_by_row(cases, every)


def _join_by_id(
    cases: Sequence[Cases],
    every: pl.DataFrame,
    labelled: Mapping[str, pl.DataFrame],
    *,
    identical: bool,
) -> Joined:
    numbered, warnings = _numbered(every)
    once = numbered.unique(["classifier", "case"], keep="first", maintain_order=True)
    refuse_contradictions(cases, numbered, once)
    held = once.group_by("case").agg(
        shared=(pl.len() == len(cases)) & pl.col("truth").is_not_null().all()
    )
    shared = once.join(held.filter("shared"), on="case", how="semi", maintain_order="left")
    audits = audit_cases([each.classifier for each in cases], every, once, labelled)
    if identical:
        refuse_differences(audits)
    count = held.filter("shared").height
    if count == 0:
        raise DataError(_no_shared_case(once, labelled))
    warnings += _audit_warnings(audits, count) + _fold_warnings(shared)
    return Joined(_named(shared), audits, "id", count, tuple(warnings))


def _numbered(every: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Number ids and cases: a case is an id or, if ids repeat over folds, an id in a fold."""
    # Numbers, because grouping by them is several times faster than by text.
    ids = every.select("id").unique(maintain_order=True).with_row_index("number")
    every = every.join(ids, on="id", how="left", maintain_order="left")
    places = every.select("classifier", "number", "fold").unique()
    repeated = places.height > places.select("classifier", "number").unique().height
    if not repeated:
        case, repeat = pl.col("number"), pl.lit(None, pl.String)
        return every.with_columns(case=case, repeat=repeat), []
    pairs = every.select("number", "fold").unique(maintain_order=True).with_row_index("case")
    every = every.join(
        pairs, on=("number", "fold"), how="left", nulls_equal=True, maintain_order="left"
    )
    return every.with_columns(repeat=pl.col("fold")), _repeat_warnings(places, ids.height)


def _repeat_warnings(places: pl.DataFrame, ids: int) -> list[str]:
    """Tell if only some ids occur in several folds, which no repeated cross-validation does."""
    folds = places.group_by("classifier", "number").agg(times=pl.len())
    if folds["times"].n_unique() == 1:
        return []
    several = folds.filter(pl.col("times") > 1)["number"].n_unique()
    warning = (
        f"{several} of {ids} ids occur in more than one fold, or in more folds than others;"
        " each pair of id and fold is counted as a case"
    )
    return [warning]


def _named(shared: pl.DataFrame) -> pl.DataFrame:
    return shared.with_columns(pl.col("classifier").cast(pl.String))


def _no_shared_case(once: pl.DataFrame, labelled: Mapping[str, pl.DataFrame]) -> Fault:
    message = "no case is shared by all classifiers"
    if labelled:
        message += " and the labels"
    examples = once.group_by("classifier", maintain_order=True).agg(pl.col("id").head(3))
    told = [f"ids of `{name}`: {', '.join(ids)}" for name, ids in examples.rows()]
    told += [
        f"ids of the labels: {', '.join(frame['id'].head(3))}"
        for frame in list(labelled.values())[:1]
    ]
    return Fault(NO_SHARED_CASE, message, help="; ".join(told[:_FIRST]))


def _audit_warnings(audits: Sequence[CaseAudit], count: int) -> list[str]:
    warnings = [
        f"`{audit.classifier}`: {counted(audit.duplicated, 'row')} only repeating another row,"
        " counted once"
        for audit in audits
        if audit.duplicated
    ]
    warnings += [
        f"`{audit.classifier}` lacks {counted(audit.missing, 'case')}"
        f" ({_some(audit.missing_examples, audit.missing)})"
        for audit in audits
        if audit.missing
    ]
    warnings += [
        f"`{audit.classifier}` has {counted(audit.extra, 'case')} that others lack"
        f" ({_some(audit.extra_examples, audit.extra)})"
        for audit in audits
        if audit.extra
    ]
    if any(audit.missing or audit.extra for audit in audits):
        warnings.append(f"all classifiers are measured on the {counted(count, 'case')} they share")
    return warnings


def _some(examples: Sequence[str], count: int) -> str:
    return ", ".join(examples) + (", …" if count > len(examples) else "")


def _fold_warnings(shared: pl.DataFrame) -> list[str]:
    if shared["fold"].null_count() == shared.height:
        return []
    folds = shared.select("case", "fold").drop_nulls().unique()
    moved = folds.height - folds["case"].n_unique()
    if not moved:
        return []
    return [f"{counted(moved, 'case')} in different folds for different classifiers"]


def _join_by_row(cases: Sequence[Cases], every: pl.DataFrame) -> Joined:
    counts = [each.frame.height for each in cases]
    if len(set(counts)) > 1:
        said = ", ".join(f"`{each.classifier}` has {each.frame.height}" for each in cases)
        message = f"without ids all classifiers need the same number of rows, but {said}"
        place = Place(cases[0].tables[0].path)
        raise DataError(Fault(ROWS_DIFFER, message, place, "name an id column with `data.id`"))
    position = pl.int_range(pl.len(), dtype=pl.UInt32)
    every = every.with_columns(case=position % counts[0])
    _refuse_other_truth(cases, every)
    audits = tuple(CaseAudit(each.classifier, counts[0], counts[0], 0, 0, 0, 0) for each in cases)
    joined: Literal["row order"] | None = "row order" if len(cases) > 1 else None
    return Joined(_named(every), audits, joined, counts[0], tuple(_fold_warnings(every)))


def _refuse_other_truth(cases: Sequence[Cases], every: pl.DataFrame) -> None:
    said = every.select("case", "truth").unique(maintain_order=True)
    differing = said.filter(pl.col("case").is_duplicated())["case"].unique().sort()
    faults: list[Fault] = []
    more = len(differing) - _FIRST
    for number, position in enumerate(differing.head(_FIRST), start=1):
        told, place = values_told(cases, every.filter(pl.col("case") == position), ("truth",))
        end = f"; and {counted(more, 'more row')}" if more > 0 and number == _FIRST else ""
        message = f"row {position + 1} has different truths: {told}{end}"
        help_text = "are the files in another order? name an id column with `data.id`"
        faults.append(Fault(ROWS_DIFFER, message, place, help_text))
    if faults:
        raise DataError(*faults)
