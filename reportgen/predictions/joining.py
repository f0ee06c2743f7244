"""Which rows of different classifiers are the same case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import JOIN_MIXED, NO_SHARED_CASE, ROWS_DIFFER
from reportgen.predictions.audit import audit_cases, differences, refuse_differences, shared_cases
from reportgen.predictions.contradictions import refuse_contradictions, values_told
from reportgen.predictions.ids import shared_id
from reportgen.predictions.inspection import texts_of
from reportgen.predictions.model import CaseAudit
from reportgen.predictions.probabilities import probability_names
from reportgen.predictions.repetitions import number_cases
from reportgen.predictions.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.predictions.truths import Truths

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
    distinct_cases: int | None = None
    moved_between_folds: int = 0


def join_cases(cases: Sequence[Cases], truths: Mapping[str, Truths], *, identical: bool) -> Joined:
    """Join the classifiers by id if they have ids, and by row order if none has."""
    with_ids = [each for each in cases if each.data.id is not None]
    if with_ids and len(with_ids) < len(cases):
        without = next(each for each in cases if each.data.id is None)
        message = f"`{with_ids[0].classifier}` has ids, but `{without.classifier}` has none"
        help_text = "name the id column for all classifiers or for none"
        raise DataError(Fault(JOIN_MIXED, message, help=help_text))
    names = pl.Enum([each.classifier for each in cases])
    columns = [*_COLUMNS, *probability_names(cases[0].frame.columns)]
    every = pl.concat(
        each.frame.with_columns(classifier=pl.lit(each.classifier, names)).select(columns)
        for each in cases
    )
    if with_ids:
        return _join_by_id(cases, every, truths, identical=identical)
    return _join_by_row(cases, every)


def _join_by_id(
    cases: Sequence[Cases],
    every: pl.DataFrame,
    truths: Mapping[str, Truths],
    *,
    identical: bool,
) -> Joined:
    numbered, warnings = number_cases(every)
    once = numbered.unique(["classifier", "case"], keep="first", maintain_order=True)
    refuse_contradictions(cases, numbered, once)
    held = shared_cases(once, len(cases))
    shared = once.join(held, on="case", how="semi", maintain_order="left")
    audits = audit_cases([each.classifier for each in cases], every, once, truths)
    if identical:
        refuse_differences(audits, truths)
    if held.is_empty():
        raise DataError(_no_shared_case(once, truths))
    moved = _moved_between_folds(shared)
    warnings += _audit_warnings(audits, truths, held.height) + _fold_warnings(moved)
    distinct = shared["number"].n_unique()
    return Joined(
        frame=_named(shared),
        audits=audits,
        joined_by="id",
        case_count=held.height,
        warnings=tuple(warnings),
        distinct_cases=distinct if distinct < held.height else None,
        moved_between_folds=moved,
    )


def _named(shared: pl.DataFrame) -> pl.DataFrame:
    return shared.with_columns(pl.col("classifier").cast(pl.String))


def _no_shared_case(once: pl.DataFrame, truths: Mapping[str, Truths]) -> Fault:
    message = "no case is shared by all classifiers"
    if truths:
        message += " and the labels"
    examples = once.group_by("classifier", maintain_order=True).agg(pl.col("id").head(3))
    told = [f"ids of `{name}`: {', '.join(ids)}" for name, ids in examples.rows()]
    told += [
        f"ids of `{labels.file.written}`: {', '.join(labels.frame['id'].head(3))}"
        for labels in list(truths.values())[:1]
    ]
    return Fault(NO_SHARED_CASE, message, help="; ".join(told[:_FIRST]))


def _audit_warnings(
    audits: Sequence[CaseAudit], truths: Mapping[str, Truths], count: int
) -> list[str]:
    warnings = [
        f"`{audit.classifier}`: {counted(audit.duplicated, 'row')} only repeating another row,"
        " counted once"
        for audit in audits
        if audit.duplicated
    ]
    told = differences(audits, truths)
    shared = f"all classifiers are measured on the {counted(count, 'case')} they share"
    if len(audits) == 1:
        shared = f"`{audits[0].classifier}` is measured on {counted(count, 'case')}"
    return warnings + told + ([shared] if told else [])


def _moved_between_folds(shared: pl.DataFrame) -> int:
    """Count the cases that are not in the same fold for all classifiers."""
    if shared["fold"].null_count() == shared.height:
        return 0
    folds = shared.select("case", "fold").drop_nulls().unique()
    return folds.filter(pl.col("case").is_duplicated())["case"].n_unique()


def _fold_warnings(moved: int) -> list[str]:
    if not moved:
        return []
    return [f"{counted(moved, 'case')} in different folds for different classifiers"]


def _join_by_row(cases: Sequence[Cases], every: pl.DataFrame) -> Joined:
    counts = [each.frame.height for each in cases]
    if len(set(counts)) > 1:
        said = ", ".join(f"`{each.classifier}` has {each.frame.height}" for each in cases)
        message = f"without ids all classifiers need the same number of rows, but {said}"
        place = Place(cases[0].tables[0].path)
        raise DataError(Fault(ROWS_DIFFER, message, place, _id_help(cases)))
    position = pl.int_range(pl.len(), dtype=pl.UInt32)
    every = every.with_columns(case=position % counts[0])
    _refuse_other_truth(cases, every)
    audits = tuple(CaseAudit(each.classifier, counts[0], counts[0], 0, 0, 0, 0) for each in cases)
    joined: Literal["row order"] | None = "row order" if len(cases) > 1 else None
    moved = _moved_between_folds(every)
    return Joined(
        frame=_named(every),
        audits=audits,
        joined_by=joined,
        case_count=counts[0],
        warnings=tuple(_fold_warnings(moved)),
        moved_between_folds=moved,
    )


def _refuse_other_truth(cases: Sequence[Cases], every: pl.DataFrame) -> None:
    said = every.select("case", "truth").unique(maintain_order=True)
    differing = said.filter(pl.col("case").is_duplicated())["case"].unique().sort()
    faults: list[Fault] = []
    more = len(differing) - _FIRST
    for number, position in enumerate(differing.head(_FIRST), start=1):
        told, place = values_told(cases, every.filter(pl.col("case") == position), ("truth",))
        end = f"; and {counted(more, 'more row')}" if more > 0 and number == _FIRST else ""
        message = f"row {position + 1} has different truths: {told}{end}"
        help_text = f"are the files in another order? {_id_help(cases)}"
        faults.append(Fault(ROWS_DIFFER, message, place, help_text))
    if faults:
        raise DataError(*faults)


def _id_help(cases: Sequence[Cases]) -> str:
    """Return how to pair rows instead, with the column that would do if there is one."""
    texts = [texts_of(each.tables).in_folds(each.data.fold) for each in cases]
    found = shared_id(texts, cases[0].data.truth, [each.data.prediction for each in cases])
    if found is None:
        return "name an id column with `data.id`"
    return f'`{found}` looks like an id: write `id = "{found}"` under `[data]`'
