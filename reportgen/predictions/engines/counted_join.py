"""Which rows of different classifiers are the same case, where only counts come back."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import CASES_CONTRADICT, NO_SHARED_CASE
from reportgen.frozen import frozen
from reportgen.predictions.audit import refuse_differences
from reportgen.predictions.engines.aggregation import by_case, count_cases, held_by_all, numbered
from reportgen.predictions.engines.counted import counted_again, repeated_ids, with_same_ids
from reportgen.predictions.joining import Joined, audit_warnings, fold_warnings
from reportgen.predictions.model import CaseAudit
from reportgen.predictions.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.predictions.engines.counted import Counted
    from reportgen.predictions.engines.engine import CountingEngine

_SPELLED = ("fold", "truth", "prediction")


@frozen
class CountedJoin:
    """The cases that all classifiers are measured on, and each one's own counted by score."""

    joined: Joined
    scored: tuple[pl.DataFrame, ...]


def join_counted(
    engine: CountingEngine,
    every: Sequence[Counted],
    cases: Sequence[Cases],
    *,
    identical: bool,
) -> CountedJoin:
    """Join classifiers by id; of one without ids every row is a case."""
    if cases[0].data.id is None:
        return _alone(cases[0])
    of, size = engine.of, len(every)
    rows = with_same_ids(tuple(each.rows for each in every), engine)
    answers = [numbered(own, each.values, of) for own, each in zip(rows, every, strict=True)]
    by_id = by_case(answers, of)
    patterns = _spelled(engine.collect(count_cases(by_id, size, of)), cases)
    _refuse_repeated(every, patterns)
    _refuse_contradictions(cases, patterns)
    shared = patterns.filter(_is_held(range(size)) & _is_labelled(range(size)))
    audits = tuple(_audit(number, every, patterns, shared) for number in range(size))
    truths = {each.cases.classifier: each.truths for each in every if each.truths is not None}
    if identical:
        refuse_differences(audits, truths)
    if shared.is_empty():
        raise DataError(_no_shared_case(every, cases))
    count = int(shared["count"].sum())
    moved = _number_moved(shared, size)
    joined = Joined(
        frames={
            each.classifier: shared.select(pl.col(f"{name} {at}").alias(name) for name in _SPELLED)
            for at, each in enumerate(cases)
        },
        audits=audits,
        joined_by="id",
        case_count=count,
        warnings=(*audit_warnings(audits, truths, count), *fold_warnings(moved)),
        moved_between_folds=moved,
        counts=shared["count"],
    )
    held = held_by_all(by_id, size, of)
    scored = tuple(
        own.frame
        if "blurred" not in own.frame.columns or own.size == count
        else _scored_again(engine, each, own, kept.join(held, on="id", how="semi"))
        for each, own, kept in zip(every, cases, rows, strict=True)
    )
    return CountedJoin(joined, scored)


def _alone(cases: Cases) -> CountedJoin:
    size = cases.size
    joined = Joined(
        frames={cases.classifier: cases.frame},
        audits=(CaseAudit(cases.classifier, size, size, 0, 0, 0, 0),),
        joined_by=None,
        case_count=size,
        counts=cases.frame["count"],
    )
    return CountedJoin(joined, (cases.frame,))


def _spelled(patterns: pl.DataFrame, cases: Sequence[Cases]) -> pl.DataFrame:
    """Give patterns the folds and classes that the numbers of their answers stand for."""
    for at, each in enumerate(cases):
        known = each.frame.select("answer", *_SPELLED).unique("answer", keep="first")
        names = {name: f"{name} {at}" for name in (*_SPELLED, "answer")}
        patterns = patterns.join(known.rename(names), on=f"answer {at}", how="left")
    return patterns.sort(pl.col("^answer .*$"), pl.col("^rows .*$"))


def _is_held(numbers: range) -> pl.Expr:
    return pl.all_horizontal(pl.col(f"rows {at}") == 1 for at in numbers)


def _is_labelled(numbers: range) -> pl.Expr:
    return pl.all_horizontal(pl.col(f"truth {at}").is_not_null() for at in numbers)


def _sum(patterns: pl.DataFrame, condition: pl.Expr) -> int:
    return int(patterns.filter(condition)["count"].sum())


def _refuse_repeated(every: Sequence[Counted], patterns: pl.DataFrame) -> None:
    faults = [
        repeated_ids(each.cases.tables[0], each.cases.data, number)
        for at, each in enumerate(every)
        if (number := _sum(patterns, pl.col(f"rows {at}") > 1))
    ]
    if faults:
        raise DataError(*faults)


def _refuse_contradictions(cases: Sequence[Cases], patterns: pl.DataFrame) -> None:
    faults = []
    for first, second in combinations(range(len(cases)), 2):
        differs = patterns.filter(pl.col(f"truth {first}") != pl.col(f"truth {second}"))
        if differs.is_empty():
            continue
        one, other = cases[first], cases[second]
        said, otherwise = differs.select(f"truth {first}", f"truth {second}").row(0)
        number = int(differs["count"].sum())
        verb = "has" if number == 1 else "have"
        message = (
            f"{counted(number, 'id')} {verb} another truth for `{one.classifier}` than for"
            f" `{other.classifier}`, such as {said} and {otherwise}"
        )
        help_text = f"are ids of column `{one.data.id}` used for two cases?"
        faults.append(Fault(CASES_CONTRADICT, message, Place(other.tables[0].path), help_text))
    if faults:
        raise DataError(*faults)


def _audit(
    at: int, every: Sequence[Counted], patterns: pl.DataFrame, shared: pl.DataFrame
) -> CaseAudit:
    own = every[at]
    truths, rows = own.truths, own.cases.size
    if truths is None:
        missing = _sum(patterns, pl.col(f"rows {at}") == 0)
        extra = _sum(patterns, (pl.col(f"rows {at}") == 1) & ~_is_held(range(len(every))))
    else:
        extra = _sum(patterns, (pl.col(f"rows {at}") == 1) & pl.col(f"truth {at}").is_null())
        missing = truths.rows - (rows - extra)
    cases = int(shared["count"].sum())
    return CaseAudit(own.cases.classifier, rows, cases, missing, extra, 0, 0)


def _no_shared_case(every: Sequence[Counted], cases: Sequence[Cases]) -> Fault:
    message = "no case is shared by all classifiers"
    if any(each.truths is not None for each in every):
        message += " and the labels"
    told = ", ".join(f"`{each.data.id}` of `{each.classifier}`" for each in cases)
    return Fault(NO_SHARED_CASE, message, help=f"do the columns {told} hold the same ids?")


def _number_moved(shared: pl.DataFrame, size: int) -> int:
    """Count the cases that are not in the same fold for all classifiers that have folds."""
    folds = [shared[f"fold {at}"] for at in range(size)]
    having = [f"fold {at}" for at, fold in enumerate(folds) if fold.null_count() < len(fold)]
    if len(having) < 2:  # noqa: PLR2004  # one cannot differ from itself
        return 0
    first, *others = having
    return _sum(shared, pl.any_horizontal(pl.col(first) != pl.col(other) for other in others))


def _scored_again(
    engine: CountingEngine, each: Counted, cases: Cases, rows: pl.LazyFrame
) -> pl.DataFrame:
    """Count the scores of the cases that are shared, with folds and classes as they are spelled."""
    labelled = rows.filter(~engine.of.col("truth").is_null())
    found = counted_again(engine, each, labelled).select("answer", "score", "blurred", "count")
    known = cases.frame.select("answer", *_SPELLED).unique("answer", keep="first")
    return found.join(known, on="answer", how="left", maintain_order="left")
