"""Which rows of different classifiers are the same case."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import JOIN_MIXED, NO_SHARED_CASE, ROWS_DIFFER
from reportgen.frozen import frozen
from reportgen.predictions.alignment import aligned
from reportgen.predictions.audit import (
    audit_cases,
    audit_of,
    differences,
    refuse_differences,
    shared_cases,
)
from reportgen.predictions.contradictions import refuse_contradictions, values_told
from reportgen.predictions.ids import shared_id
from reportgen.predictions.inspection import texts_of
from reportgen.predictions.model import CaseAudit
from reportgen.predictions.patterns import count_together
from reportgen.predictions.repetitions import number_cases
from reportgen.predictions.table import counted_rows
from reportgen.predictions.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.predictions.truths import Truths

_FIRST = 5


@frozen
class Joined:
    """The cases that all classifiers are measured on, and what was left out.

    `frames` has the rows of each classifier (fold, truth, prediction, score, probabilities), all
    of the same cases in the same order. `counts` says how many cases each row stands for, where
    equal ones were counted together; otherwise it is one.
    """

    frames: Mapping[str, pl.DataFrame]
    audits: tuple[CaseAudit, ...]
    joined_by: Literal["id", "row order"] | None
    case_count: int
    warnings: tuple[str, ...] = ()
    distinct_cases: int | None = None
    moved_between_folds: int = 0
    counts: pl.Series | None = None

    def stacked(self) -> pl.LazyFrame:
        """Return the rows of all classifiers on top of each other."""
        named = (
            frame.lazy().select(
                pl.lit(name).alias("classifier"),
                pl.col("fold").cast(pl.String),
                "truth",
                "prediction",
            )
            for name, frame in self.frames.items()
        )
        return pl.concat(named)


def join_cases(cases: Sequence[Cases], truths: Mapping[str, Truths], *, identical: bool) -> Joined:
    """Join the classifiers by id if they have ids, and by row order if none has."""
    with_ids = [each for each in cases if each.data.id is not None]
    if with_ids and len(with_ids) < len(cases):
        without = next(each for each in cases if each.data.id is None)
        message = f"`{with_ids[0].classifier}` has ids, but `{without.classifier}` has none"
        help_text = "name the id column for all classifiers or for none"
        raise DataError(Fault(JOIN_MIXED, message, help=help_text))
    if not with_ids:
        return _join_by_row(cases)
    matched = _join_once(cases, truths, identical=identical)
    return matched or _join_by_id(cases, truths, identical=identical)


def _join_once(
    cases: Sequence[Cases], truths: Mapping[str, Truths], *, identical: bool
) -> Joined | None:
    """Join classifiers that have every id once and the same truths; None if any has not."""
    labelled = (each for each in cases if each.classifier in truths)
    if any(truths[each.classifier].frame.height != each.size for each in labelled):
        return None
    found = aligned([each.frame for each in cases])
    if found is None or found.frames[0].is_empty() or not _agree(found.frames):
        return None
    # What is missing or too much is told by the labels, where there are any.
    if truths and any(len(ids) for ids in (*found.missing, *found.extra)):
        return None
    audits = tuple(
        audit_of(each, missing, extra)
        for each, missing, extra in zip(cases, found.missing, found.extra, strict=True)
    )
    if identical:
        refuse_differences(audits, truths)
    joined = _side_by_side(cases, found.frames, "id")
    told = audit_warnings(audits, truths, joined.case_count)
    return replace(joined, audits=audits, warnings=(*told, *joined.warnings))


def _agree(frames: Sequence[pl.DataFrame]) -> bool:
    """Tell whether all truths are known, and the same at the same place."""
    first, *others = (frame["truth"] for frame in frames)
    alike = all((truth == first).all(ignore_nulls=False) for truth in others)
    return not first.null_count() and alike


def _side_by_side(
    cases: Sequence[Cases],
    frames: Sequence[pl.DataFrame],
    joined_by: Literal["id", "row order"] | None,
) -> Joined:
    """Return the join of rows that are the same case at the same place."""
    count = counted_rows(frames[0])
    moved = _number_moved([frame["fold"] for frame in frames])
    by_name = {each.classifier: frame for each, frame in zip(cases, frames, strict=True)}
    counts = frames[0].get_column("count", default=None)
    if counts is None and (together := count_together(by_name)) is not None:
        by_name, counts = together
    return Joined(
        frames=by_name,
        audits=tuple(CaseAudit(each.classifier, count, count, 0, 0, 0, 0) for each in cases),
        joined_by=joined_by,
        case_count=count,
        warnings=tuple(fold_warnings(moved)),
        moved_between_folds=moved,
        counts=counts,
    )


def _number_moved(folds: Sequence[pl.Series]) -> int:
    """Count the cases that are not in the same fold for all classifiers that have folds."""
    having = [fold for fold in folds if fold.null_count() < len(fold)]
    if len(having) < 2:  # noqa: PLR2004  # one cannot differ from itself
        return 0
    first, *others = having
    differs = pl.any_horizontal([pl.lit(first != other) for other in others])
    return int(pl.select(differs.sum()).item())


def _join_by_id(cases: Sequence[Cases], truths: Mapping[str, Truths], *, identical: bool) -> Joined:
    names = pl.Enum([each.classifier for each in cases])
    every = pl.concat(
        (each.located().with_columns(classifier=pl.lit(each.classifier, names)) for each in cases),
        how="diagonal_relaxed",
    )
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
    warnings += audit_warnings(audits, truths, held.height) + fold_warnings(moved)
    distinct = shared["number"].n_unique()
    parts = shared.sort("case").partition_by("classifier", maintain_order=True, as_dict=True)
    return Joined(
        frames={
            each.classifier: parts[each.classifier,].select(each.frame.columns) for each in cases
        },
        audits=audits,
        joined_by="id",
        case_count=held.height,
        warnings=tuple(warnings),
        distinct_cases=distinct if distinct < held.height else None,
        moved_between_folds=moved,
    )


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


def audit_warnings(
    audits: Sequence[CaseAudit], truths: Mapping[str, Truths], count: int
) -> list[str]:
    """Say what was repeated and left out, and on how many cases classifiers are measured."""
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


def fold_warnings(moved: int) -> list[str]:
    """Say how many cases are not in the same fold for all classifiers."""
    if not moved:
        return []
    return [f"{counted(moved, 'case')} in different folds for different classifiers"]


def _join_by_row(cases: Sequence[Cases]) -> Joined:
    if len({each.size for each in cases}) > 1:
        said = ", ".join(f"`{each.classifier}` has {each.size}" for each in cases)
        message = f"without ids all classifiers need the same number of rows, but {said}"
        place = Place(cases[0].tables[0].path)
        raise DataError(Fault(ROWS_DIFFER, message, place, _id_help(cases)))
    frames = [each.frame for each in cases]
    if not _agree(frames):
        _refuse_other_truth(cases)
    return _side_by_side(cases, frames, "row order" if len(cases) > 1 else None)


def _refuse_other_truth(cases: Sequence[Cases]) -> None:
    every = pl.concat(
        (
            each.located().select(
                "file",
                "row",
                "truth",
                classifier=pl.lit(each.classifier),
                case=pl.int_range(pl.len()),
            )
            for each in cases
        ),
        how="vertical_relaxed",
    )
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
    raise DataError(*faults)


def _id_help(cases: Sequence[Cases]) -> str:
    """Return how to pair rows instead, with the column that would do if there is one."""
    texts = [texts_of(each.tables).in_folds(each.data.fold) for each in cases]
    found = shared_id(texts, cases[0].data.truth, [each.data.prediction for each in cases])
    if found is None:
        return "name an id column with `data.id`"
    return f'`{found}` looks like an id: write `id = "{found}"` under `[data]`'
