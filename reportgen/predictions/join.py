"""Which rows of different classifiers are the same case."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import FOLDS_DIFFER, INCONSISTENT_JOIN_KEYS, NO_COMMON_CASES, ROWS_DIFFER
from reportgen.predictions.audit import (
    CaseAudit,
    audit_cases,
    audit_unique_ids,
    check_conflicting_rows,
    check_same_cases,
    describe_case_differences,
    describe_values,
    find_shared_cases,
)
from reportgen.predictions.diagnostics import format_count
from reportgen.predictions.duplicates import aggregate_duplicates
from reportgen.predictions.files import natural_sort_key
from reportgen.predictions.profiling import infer_id_column, read_text_columns
from reportgen.predictions.table import count_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from reportgen.predictions.cases import Cases, GroundTruth


# Rows of several classifiers put side by side by id, where each has every id once.

if TYPE_CHECKING:
    RowPositions = npt.NDArray[np.int64]
    IdHashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class AlignedFrames:
    """The rows of the cases that all have, in the order of the first, and the ids of the others.

    By frame: `missing` are ids that it lacks and others have, `extra` those that others lack.
    """

    frames: tuple[pl.DataFrame, ...]
    missing: tuple[pl.Series, ...]
    extra: tuple[pl.Series, ...]


@dataclass(frozen=True, slots=True)
class _SortedHashes:
    """Ids in the order of their hashes: the hashes, and the places of the ids."""

    hashes: IdHashes
    positions: RowPositions

    def positions_of(self, hashes: IdHashes) -> RowPositions:
        """Return the places of ids that are among these."""
        if _are_equal(hashes, self.hashes):
            return self.positions
        return self.positions[np.searchsorted(self.hashes, hashes)]


def fast_join(frames: Sequence[pl.DataFrame]) -> AlignedFrames | None:
    """Put rows with the same `id` side by side; None if a frame has an id twice.

    Ids are matched by a hash, which is several times faster than by their texts, and the texts
    of those that match are compared: a hash that two ids share is found out.
    """
    # Rows are picked several times faster out of one piece.
    whole = [frame.rechunk() for frame in frames]
    with ThreadPoolExecutor(pl.thread_pool_size()) as threads:
        ranked = list(threads.map(_sort_hashes, [frame["id"] for frame in whole]))
        known = [each for each in ranked if each is not None]
        if len(known) < len(ranked):
            return None
        shared = reduce(_intersection, (each.hashes for each in known))
        order = _order_of_positions(known[0].positions_of(shared), whole[0].height)
        picked = list(
            threads.map(lambda frame, own: frame[own.positions_of(shared)[order]], whole, known)
        )
        first = picked[0]["id"]
        if not all(threads.map(lambda frame: (frame["id"] == first).all(), picked[1:])):
            return None
    every = reduce(_union, (each.hashes for each in known))
    return AlignedFrames(
        tuple(picked),
        tuple(_missing_ids(own, every, whole, known) for own in known),
        tuple(
            frame["id"][own.positions_of(own.hashes[~_is_member(own.hashes, shared)])]
            for frame, own in zip(whole, known, strict=True)
        ),
    )


def _sort_hashes(ids: pl.Series) -> _SortedHashes | None:
    hashes = ids.hash().to_numpy()
    places = np.argsort(hashes)
    ordered = hashes[places]
    return None if (ordered[1:] == ordered[:-1]).any() else _SortedHashes(ordered, places)


def _order_of_positions(positions: RowPositions, size: int) -> RowPositions:
    """Return which of the places, of so many, comes first, second and so on."""
    held = np.full(size, -1)
    held[positions] = np.arange(len(positions))
    return held[held >= 0]


def _intersection(one: IdHashes, other: IdHashes) -> IdHashes:
    return one[_is_member(one, other)]


def _union(one: IdHashes, other: IdHashes) -> IdHashes:
    new = other[~_is_member(other, one)]
    return np.sort(np.concatenate((one, new))) if len(new) else one


def _are_equal(hashes: IdHashes, others: IdHashes) -> bool:
    return len(hashes) == len(others) and bool((hashes == others).all())


def _is_member(hashes: IdHashes, others: IdHashes) -> npt.NDArray[np.bool_]:
    """Tell which hashes are among others; both are in order."""
    if _are_equal(hashes, others):
        return np.ones(len(hashes), np.bool_)
    if not len(others):
        return np.zeros(len(hashes), np.bool_)
    nearest = np.searchsorted(others, hashes).clip(max=len(others) - 1)
    return np.asarray(others[nearest] == hashes)


def _missing_ids(
    own: _SortedHashes,
    all_hashes: IdHashes,
    frames: Sequence[pl.DataFrame],
    known: Sequence[_SortedHashes],
) -> pl.Series:
    """Return the ids that other frames have, each once."""
    left = all_hashes[~_is_member(all_hashes, own.hashes)]
    found = [frames[0]["id"].clear()]
    for frame, each in zip(frames, known, strict=True):
        here = _is_member(left, each.hashes)
        found.append(frame["id"][each.positions_of(left[here])])
        left = left[~here]
    return pl.concat(found)


# Cases that occur in several folds, as in repeated cross-validation.

_MAX_FOLDS_SHOWN = 5
_FOLDS_DIFFER_HELP = (
    "use the same folds for all classifiers, or let `fold` name a column that is the same for all,"
    " such as the repetition; take `fold` out if ids are unique without it"
)


def assign_case_numbers(all_rows: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Number ids and cases: a case is an id or, if ids repeat over folds, an id in a fold."""
    # Numbers, because grouping by them is several times faster than by text.
    ids = all_rows.select("id").unique(maintain_order=True).with_row_index("number")
    all_rows = all_rows.join(ids, on="id", how="left", maintain_order="left")
    places = all_rows.select("classifier", "number", "fold").unique()
    repeated = places.height > places.select("classifier", "number").unique().height
    if not repeated:
        case, repeat = pl.col("number"), pl.lit(None, pl.String)
        return all_rows.with_columns(case=case, repeat=repeat), []
    pairs = all_rows.select("number", "fold").unique(maintain_order=True).with_row_index("case")
    all_rows = all_rows.join(
        pairs, on=("number", "fold"), how="left", nulls_equal=True, maintain_order="left"
    )
    _check_same_folds(all_rows)
    return all_rows.with_columns(repeat=pl.col("fold")), _repetition_warnings(places, ids.height)


def _repetition_warnings(fold_assignments: pl.DataFrame, ids: int) -> list[str]:
    """Tell if only some ids occur in several folds, which no repeated cross-validation does."""
    folds = fold_assignments.group_by("classifier", "number").agg(times=pl.len())
    if folds["times"].n_unique() == 1:
        return []
    several = folds.filter(pl.col("times") > 1)["number"].n_unique()
    warning = (
        f"{several} of {ids} ids occur in more than one fold, or in more folds than others;"
        " each pair of id and fold is counted as a case"
    )
    return [warning]


def _check_same_folds(all_rows: pl.DataFrame) -> None:
    """Raise if an id has folds in one classifier that it lacks in another, and the reverse."""
    held = all_rows.select("classifier", "number", "id", "fold", "case").unique()
    sizes = held.group_by("classifier", "number").agg(size=pl.len())
    larger = pl.col("size").rank("max", descending=True).over("number")
    held = held.join(sizes.with_columns(larger=larger), on=("classifier", "number"))
    # If classifiers only lack folds, those with as many or more folds have all the folds of one.
    split = held.filter(pl.len().over("case") < pl.col("larger"))
    if split.is_empty():
        return
    example = min(split["id"].unique(), key=natural_sort_key)
    rows = held.filter(pl.col("id") == example).group_by("classifier").agg("fold")
    told = "; ".join(
        f"{_format_folds(folds)} for `{name}`" for name, folds in rows.sort("classifier").rows()
    )
    number = format_count(split["number"].n_unique(), "id")
    message = (
        f"the folds differ between classifiers for {number} of {held['number'].n_unique()}:"
        f" `{example}` is in {told}"
    )
    raise DataError(Diagnostic(FOLDS_DIFFER, message, help=_FOLDS_DIFFER_HELP))


def _format_folds(folds: list[str | None]) -> str:
    ordered = sorted((fold or "no fold" for fold in folds), key=natural_sort_key)
    return ", ".join(ordered[:_MAX_FOLDS_SHOWN]) + (
        ", …" if len(ordered) > _MAX_FOLDS_SHOWN else ""
    )


_MAX_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class JoinedCases:
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
    fold_mismatches: int = 0
    counts: pl.Series | None = None

    def stack(self) -> pl.LazyFrame:
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


def join_cases(
    cases: Sequence[Cases], ground_truths: Mapping[str, GroundTruth], *, identical: bool
) -> JoinedCases:
    """Join the classifiers by id if they have ids, and by row order if none has."""
    with_ids = [each for each in cases if each.data.id is not None]
    if with_ids and len(with_ids) < len(cases):
        without = next(each for each in cases if each.data.id is None)
        message = f"`{with_ids[0].classifier}` has ids, but `{without.classifier}` has none"
        help_text = "name the id column for all classifiers or for none"
        raise DataError(Diagnostic(INCONSISTENT_JOIN_KEYS, message, help=help_text))
    if not with_ids:
        return _join_by_row_order(cases)
    matched = _join_unique_ids(cases, ground_truths, identical=identical)
    return matched or _join_by_id(cases, ground_truths, identical=identical)


def _join_unique_ids(
    cases: Sequence[Cases], ground_truths: Mapping[str, GroundTruth], *, identical: bool
) -> JoinedCases | None:
    """Join classifiers that have every id once and the same truths; None if any has not."""
    labelled = (each for each in cases if each.classifier in ground_truths)
    if any(ground_truths[each.classifier].frame.height != each.size for each in labelled):
        return None
    found = fast_join([each.frame for each in cases])
    if found is None or found.frames[0].is_empty() or not _have_same_truth(found.frames):
        return None
    # What is missing or too much is told by the labels, where there are any.
    if ground_truths and any(len(ids) for ids in (*found.missing, *found.extra)):
        return None
    audits = tuple(
        audit_unique_ids(each, missing, extra)
        for each, missing, extra in zip(cases, found.missing, found.extra, strict=True)
    )
    if identical:
        check_same_cases(audits, ground_truths)
    joined = _join_in_order(cases, found.frames, "id")
    told = audit_warnings(audits, ground_truths, joined.case_count)
    return replace(joined, audits=audits, warnings=(*told, *joined.warnings))


def _have_same_truth(frames: Sequence[pl.DataFrame]) -> bool:
    """Tell whether all truths are known, and the same at the same place."""
    first, *others = (frame["truth"] for frame in frames)
    alike = all((truth == first).all(ignore_nulls=False) for truth in others)
    return not first.null_count() and alike


def _join_in_order(
    cases: Sequence[Cases],
    frames: Sequence[pl.DataFrame],
    joined_by: Literal["id", "row order"] | None,
) -> JoinedCases:
    """Return the join of rows that are the same case at the same place."""
    count = count_rows(frames[0])
    moved = _count_fold_differences([frame["fold"] for frame in frames])
    by_name = {each.classifier: frame for each, frame in zip(cases, frames, strict=True)}
    counts = frames[0].get_column("count", default=None)
    if counts is None and (together := aggregate_duplicates(by_name)) is not None:
        by_name, counts = together
    return JoinedCases(
        frames=by_name,
        audits=tuple(CaseAudit(each.classifier, count, count, 0, 0, 0, 0) for each in cases),
        joined_by=joined_by,
        case_count=count,
        warnings=tuple(fold_assignment_warnings(moved)),
        fold_mismatches=moved,
        counts=counts,
    )


def _count_fold_differences(folds: Sequence[pl.Series]) -> int:
    """Count the cases that are not in the same fold for all classifiers that have folds."""
    having = [fold for fold in folds if fold.null_count() < len(fold)]
    if len(having) < 2:  # noqa: PLR2004  # one cannot differ from itself
        return 0
    first, *others = having
    differs = pl.any_horizontal([pl.lit(first != other) for other in others])
    return int(pl.select(differs.sum()).item())


def _join_by_id(
    cases: Sequence[Cases], ground_truths: Mapping[str, GroundTruth], *, identical: bool
) -> JoinedCases:
    names = pl.Enum([each.classifier for each in cases])
    every = pl.concat(
        (
            each.with_locations().with_columns(classifier=pl.lit(each.classifier, names))
            for each in cases
        ),
        how="diagonal_relaxed",
    )
    numbered, warnings = assign_case_numbers(every)
    once = numbered.unique(["classifier", "case"], keep="first", maintain_order=True)
    check_conflicting_rows(cases, numbered, once)
    held = find_shared_cases(once, len(cases))
    shared = once.join(held, on="case", how="semi", maintain_order="left")
    audits = audit_cases([each.classifier for each in cases], every, once, ground_truths)
    if identical:
        check_same_cases(audits, ground_truths)
    if held.is_empty():
        raise DataError(_no_shared_case_diagnostic(once, ground_truths))
    moved = _count_fold_mismatches(shared)
    warnings += audit_warnings(audits, ground_truths, held.height) + fold_assignment_warnings(moved)
    distinct = shared["number"].n_unique()
    parts = shared.sort("case").partition_by("classifier", maintain_order=True, as_dict=True)
    return JoinedCases(
        frames={
            each.classifier: parts[each.classifier,].select(each.frame.columns) for each in cases
        },
        audits=audits,
        joined_by="id",
        case_count=held.height,
        warnings=tuple(warnings),
        distinct_cases=distinct if distinct < held.height else None,
        fold_mismatches=moved,
    )


def _no_shared_case_diagnostic(
    distinct_rows: pl.DataFrame, ground_truths: Mapping[str, GroundTruth]
) -> Diagnostic:
    message = "no case is shared by all classifiers"
    if ground_truths:
        message += " and the labels"
    examples = distinct_rows.group_by("classifier", maintain_order=True).agg(pl.col("id").head(3))
    told = [f"ids of `{name}`: {', '.join(ids)}" for name, ids in examples.rows()]
    told += [
        f"ids of `{labels.file.display_name}`: {', '.join(labels.frame['id'].head(3))}"
        for labels in list(ground_truths.values())[:1]
    ]
    return Diagnostic(NO_COMMON_CASES, message, help="; ".join(told[:_MAX_EXAMPLES]))


def audit_warnings(
    audits: Sequence[CaseAudit], ground_truths: Mapping[str, GroundTruth], count: int
) -> list[str]:
    """Say what was repeated and left out, and on how many cases classifiers are measured."""
    warnings = [
        f"`{audit.classifier}`: {format_count(audit.duplicated, 'row')} only repeating another row,"
        " counted once"
        for audit in audits
        if audit.duplicated
    ]
    told = describe_case_differences(audits, ground_truths)
    shared = f"all classifiers are measured on the {format_count(count, 'case')} they share"
    if len(audits) == 1:
        shared = f"`{audits[0].classifier}` is measured on {format_count(count, 'case')}"
    return warnings + told + ([shared] if told else [])


def _count_fold_mismatches(shared: pl.DataFrame) -> int:
    """Count the cases that are not in the same fold for all classifiers."""
    if shared["fold"].null_count() == shared.height:
        return 0
    folds = shared.select("case", "fold").drop_nulls().unique()
    return folds.filter(pl.col("case").is_duplicated())["case"].n_unique()


def fold_assignment_warnings(mismatches: int) -> list[str]:
    """Say how many cases are not in the same fold for all classifiers."""
    if not mismatches:
        return []
    return [f"{format_count(mismatches, 'case')} in different folds for different classifiers"]


def _join_by_row_order(cases: Sequence[Cases]) -> JoinedCases:
    if len({each.size for each in cases}) > 1:
        said = ", ".join(f"`{each.classifier}` has {each.size}" for each in cases)
        message = f"without ids all classifiers need the same number of rows, but {said}"
        place = Location(cases[0].tables[0].path)
        raise DataError(Diagnostic(ROWS_DIFFER, message, place, _suggest_id_column(cases)))
    frames = [each.frame for each in cases]
    if not _have_same_truth(frames):
        _raise_conflicting_truth(cases)
    return _join_in_order(cases, frames, "row order" if len(cases) > 1 else None)


def _raise_conflicting_truth(cases: Sequence[Cases]) -> None:
    every = pl.concat(
        (
            each.with_locations().select(
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
    faults: list[Diagnostic] = []
    more = len(differing) - _MAX_EXAMPLES
    for number, position in enumerate(differing.head(_MAX_EXAMPLES), start=1):
        told, place = describe_values(cases, every.filter(pl.col("case") == position), ("truth",))
        end = (
            f"; and {format_count(more, 'more row')}"
            if more > 0 and number == _MAX_EXAMPLES
            else ""
        )
        message = f"row {position + 1} has different truths: {told}{end}"
        help_text = f"are the files in another order? {_suggest_id_column(cases)}"
        faults.append(Diagnostic(ROWS_DIFFER, message, place, help_text))
    raise DataError(*faults)


def _suggest_id_column(cases: Sequence[Cases]) -> str:
    """Return how to pair rows instead, with the column that would do if there is one."""
    texts = [read_text_columns(each.tables).with_folds(each.data.fold) for each in cases]
    found = infer_id_column(texts, cases[0].data.truth, [each.data.prediction for each in cases])
    if found is None:
        return "name an id column with `data.id`"
    return f'`{found}` looks like an id: write `id = "{found}"` under `[data]`'
