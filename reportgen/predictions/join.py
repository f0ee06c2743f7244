"""Joining the cases of all classifiers, by id or by row order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import FOLDS_DIFFER, INCONSISTENT_JOIN_KEYS, NO_COMMON_CASES, ROWS_DIFFER
from reportgen.predictions.attributes import (
    MAX_EXPANDED_CASES,
    expand_counts,
    separate_attributes,
)
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
from reportgen.predictions.profiling import (
    describe_different_ids,
    infer_id_column,
    read_text_columns,
)
from reportgen.predictions.table import count_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from reportgen.predictions.cases import Cases, GroundTruth


if TYPE_CHECKING:
    RowPositions = npt.NDArray[np.int64]
    IdHashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class AlignedFrames:
    """The rows of shared ids, in the order of the first frame, and the ids that are not shared.

    By frame: `missing` are ids that only other frames have, `extra` ids that not all others have.
    """

    frames: tuple[pl.DataFrame, ...]
    missing: tuple[pl.Series, ...]
    extra: tuple[pl.Series, ...]


@dataclass(frozen=True, slots=True)
class _SortedHashes:
    """The sorted hashes of ids, and the row positions of the ids."""

    hashes: IdHashes
    positions: RowPositions

    def positions_of(self, hashes: IdHashes) -> RowPositions:
        """Return the row positions of hashes that are among these."""
        if _are_equal(hashes, self.hashes):
            return self.positions
        return self.positions[np.searchsorted(self.hashes, hashes)]


def fast_join(frames: Sequence[pl.DataFrame]) -> AlignedFrames | None:
    """Join frames on unique ids by hash; None if a frame has an id twice.

    Matching hashes is several times faster than matching texts. The texts of matches are compared
    afterwards, so that a collision of hashes gives None.
    """
    # Rows are gathered several times faster from one chunk.
    chunks = [frame.rechunk() for frame in frames]
    with ThreadPoolExecutor(pl.thread_pool_size()) as threads:
        sorted_hashes = list(threads.map(_sort_hashes, [frame["id"] for frame in chunks]))
        complete = [item for item in sorted_hashes if item is not None]
        if len(complete) < len(sorted_hashes):
            return None
        shared = reduce(_intersection, (item.hashes for item in complete))
        order = _order_of_positions(complete[0].positions_of(shared), chunks[0].height)
        sorted_frames = list(
            threads.map(
                lambda frame, item: frame[item.positions_of(shared)[order]], chunks, complete
            )
        )
        first = sorted_frames[0]["id"]
        if not all(threads.map(lambda frame: (frame["id"] == first).all(), sorted_frames[1:])):
            return None
    all_hashes = reduce(_union, (item.hashes for item in complete))
    return AlignedFrames(
        tuple(sorted_frames),
        tuple(_missing_ids(item, all_hashes, chunks, complete) for item in complete),
        tuple(
            frame["id"][item.positions_of(item.hashes[~_is_member(item.hashes, shared)])]
            for frame, item in zip(chunks, complete, strict=True)
        ),
    )


def _sort_hashes(ids: pl.Series) -> _SortedHashes | None:
    hashes = ids.hash().to_numpy()
    positions = np.argsort(hashes)
    ordered = hashes[positions]
    return None if (ordered[1:] == ordered[:-1]).any() else _SortedHashes(ordered, positions)


def _order_of_positions(positions: RowPositions, size: int) -> RowPositions:
    """Return the order that sorts row positions below `size`."""
    order = np.full(size, -1)
    order[positions] = np.arange(len(positions))
    return order[order >= 0]


def _intersection(first: IdHashes, second: IdHashes) -> IdHashes:
    return first[_is_member(first, second)]


def _union(first: IdHashes, second: IdHashes) -> IdHashes:
    new = second[~_is_member(second, first)]
    return np.sort(np.concatenate((first, new))) if len(new) else first


def _are_equal(hashes: IdHashes, others: IdHashes) -> bool:
    return len(hashes) == len(others) and bool((hashes == others).all())


def _is_member(hashes: IdHashes, others: IdHashes) -> npt.NDArray[np.bool_]:
    """Return the mask of the hashes that are among others; both are sorted."""
    if _are_equal(hashes, others):
        return np.ones(len(hashes), np.bool_)
    if not len(others):
        return np.zeros(len(hashes), np.bool_)
    nearest = np.searchsorted(others, hashes).clip(max=len(others) - 1)
    return np.asarray(others[nearest] == hashes)


def _missing_ids(
    hashes: _SortedHashes,
    all_hashes: IdHashes,
    frames: Sequence[pl.DataFrame],
    all_classifiers: Sequence[_SortedHashes],
) -> pl.Series:
    """Return the ids that only other frames have, each once."""
    remaining = all_hashes[~_is_member(all_hashes, hashes.hashes)]
    missing = [frames[0]["id"].clear()]
    for frame, other in zip(frames, all_classifiers, strict=True):
        is_present = _is_member(remaining, other.hashes)
        missing.append(frame["id"][other.positions_of(remaining[is_present])])
        remaining = remaining[~is_present]
    return pl.concat(missing)


_MAX_FOLDS_SHOWN = 5
_FOLDS_DIFFER_HELP = (
    "use the same folds for all classifiers, or let `fold` name a column that is the same for all,"
    " such as the repetition; take `fold` out if ids are unique without it"
)


def assign_case_numbers(
    all_rows: pl.DataFrame, *, is_repetition_named: bool
) -> tuple[pl.DataFrame, list[str]]:
    """Number ids and cases: a case is an id or, in repeated cross-validation, an id in a fold.

    Returns:
        The rows with `number` (of the id), `case` and `repeat` (the fold, if ids repeat), and
        warnings.
    """
    # Integers, because grouping by them is several times faster than by text.
    ids = all_rows.select("id").unique(maintain_order=True).with_row_index("number")
    all_rows = all_rows.join(ids, on="id", how="left", maintain_order="left")
    fold_assignments = all_rows.select("classifier", "number", "fold").unique()
    has_repetitions = (
        fold_assignments.height > fold_assignments.select("classifier", "number").unique().height
    )
    if not has_repetitions:
        case, repeat = pl.col("number"), pl.lit(None, pl.String)
        return all_rows.with_columns(case=case, repeat=repeat), []
    pairs = all_rows.select("number", "fold").unique(maintain_order=True).with_row_index("case")
    all_rows = all_rows.join(
        pairs, on=("number", "fold"), how="left", nulls_equal=True, maintain_order="left"
    )
    _check_same_folds(all_rows)
    return all_rows.with_columns(repeat=pl.col("fold")), _repetition_warnings(
        fold_assignments, ids.height, is_repetition_named=is_repetition_named
    )


def cluster_fold_warnings(joined: JoinedCases) -> list[str]:
    """Return a warning if a cluster is in several folds, so that training has seen its cases."""
    first = next(iter(joined.frames.values()))
    if "cluster" not in joined.attributes.columns or first.schema["fold"] == pl.Null:
        return []
    if joined.distinct_cases is not None:
        # In repeated cross-validation every cluster is in a fold of each repetition.
        return []
    pairs = pl.DataFrame([joined.attributes["cluster"], first["fold"]]).unique()
    n_split = pairs.filter(pl.col("cluster").is_duplicated())["cluster"].n_unique()
    if not n_split:
        return []
    number = f"{format_count(n_split, 'cluster')} of {pairs['cluster'].n_unique()}"
    warning = (
        f"{number} with cases in several folds: the models were trained on other cases of the same"
        " clusters, which may make them look better than on new clusters"
    )
    return [warning]


def _folds_name_repetitions(all_rows: pl.DataFrame) -> bool:
    """Return whether folds are called `Fold1.Rep2` and the like, as by caret."""
    folds = all_rows["fold"].drop_nulls().cast(pl.String).unique()
    return not folds.is_empty() and bool(folds.str.contains(r"(?i)\brep(eat)?_?\d+$").all())


_UNNAMED_REPETITION = (
    "every id occurs in several folds: read as repeated cross-validation, in which a case counts"
    " once however often it is predicted; name the repetition with `repeat` in [data], or"
    " `cluster` instead of `id` if an id has several cases"
)


def _repetition_warnings(
    fold_assignments: pl.DataFrame, ids: int, *, is_repetition_named: bool
) -> list[str]:
    """Return a warning if only some ids repeat, or if nothing says that ids repeat."""
    folds = fold_assignments.group_by("classifier", "number").agg(times=pl.len())
    if folds["times"].n_unique() == 1:
        return repetition_warnings({2: ids}, is_repetition_named=is_repetition_named)
    n_repeated = folds.filter(pl.col("times") > 1)["number"].n_unique()
    return repetition_warnings(
        {1: ids - n_repeated, 2: n_repeated}, is_repetition_named=is_repetition_named
    )


def repetition_warnings(ids_by_folds: Mapping[int, int], *, is_repetition_named: bool) -> list[str]:
    """Return a warning if only some ids repeat, or if nothing says that ids repeat.

    Args:
        ids_by_folds: the number of ids by the number of folds that they are in.
        is_repetition_named: whether the spec names a column of repetitions.
    """
    if len(ids_by_folds) == 1:
        return [] if is_repetition_named else [_UNNAMED_REPETITION]
    n_repeated = sum(number for folds, number in ids_by_folds.items() if folds > 1)
    warning = (
        f"{n_repeated} of {sum(ids_by_folds.values())} ids occur in more than one fold, or in more"
        " folds than others; each pair of id and fold is counted as a case"
    )
    return [warning]


def _check_same_folds(all_rows: pl.DataFrame) -> None:
    """Raise if each of two classifiers has folds of an id that the other lacks."""
    assignments = all_rows.select("classifier", "number", "id", "fold", "case").unique()
    sizes = assignments.group_by("classifier", "number").agg(size=pl.len())
    larger = pl.col("size").rank("max", descending=True).over("number")
    assignments = assignments.join(sizes.with_columns(larger=larger), on=("classifier", "number"))
    # If folds are only missing, classifiers with as many or more folds of an id have all of them.
    split = assignments.filter(pl.len().over("case") < pl.col("larger"))
    if split.is_empty():
        return
    example = min(split["id"].unique(), key=natural_sort_key)
    rows = assignments.filter(pl.col("id") == example).group_by("classifier").agg("fold")
    listing = "; ".join(
        f"{_format_folds(folds)} for `{name}`" for name, folds in rows.sort("classifier").rows()
    )
    number = format_count(split["number"].n_unique(), "id")
    message = (
        f"the folds differ between classifiers for {number} of {assignments['number'].n_unique()}:"
        f" `{example}` is in {listing}"
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
    """The cases that all classifiers are evaluated on, and the audit of those left out.

    `frames` has the rows of each classifier (fold, truth, prediction, score, probabilities), of the
    same cases in the same order. `counts` are the case weights where duplicate rows were
    aggregated, or None. `distinct_cases` is the number of distinct ids if ids repeat over folds,
    and `fold_mismatches` that of the cases whose fold differs between classifiers.
    """

    frames: Mapping[str, pl.DataFrame]
    audits: tuple[CaseAudit, ...]
    joined_by: Literal["id", "row order"] | None
    case_count: int
    warnings: tuple[str, ...] = ()
    distinct_cases: int | None = None
    fold_mismatches: int = 0
    counts: pl.Series | None = None
    attributes: pl.DataFrame = field(default_factory=pl.DataFrame)
    """Weight, cluster and segments of each row, where the spec names them."""

    def filter_rows(self, mask: pl.Series) -> JoinedCases:
        """Return some of the cases; audits and warnings stay those of all cases."""
        counts = None if self.counts is None else self.counts.filter(mask)
        case_count = int(mask.sum() if counts is None else counts.sum())
        distinct = self.distinct_cases
        if distinct is not None:
            distinct = round(distinct * case_count / self.case_count)
        return replace(
            self,
            frames={name: frame.filter(mask) for name, frame in self.frames.items()},
            counts=counts,
            attributes=self.attributes.filter(mask) if self.attributes.width else self.attributes,
            case_count=case_count,
            distinct_cases=distinct,
        )

    def stack(self) -> pl.LazyFrame:
        """Return the rows of all classifiers in one frame (classifier, fold, truth, prediction)."""
        labelled = (
            frame.lazy().select(
                pl.lit(name).alias("classifier"),
                pl.col("fold").cast(pl.String),
                "truth",
                "prediction",
            )
            for name, frame in self.frames.items()
        )
        return pl.concat(labelled)


def join_cases(
    cases: Sequence[Cases], ground_truths: Mapping[str, GroundTruth], *, identical: bool
) -> JoinedCases:
    """Join the classifiers by id if they have ids, and by row order if none has.

    With `identical` raise if a classifier has missing or extra cases; otherwise only the cases
    in common are kept.
    """
    with_ids = [item for item in cases if item.data.id is not None]
    if with_ids and len(with_ids) < len(cases):
        without_id = next(item for item in cases if item.data.id is None)
        message = f"`{with_ids[0].classifier}` has ids, but `{without_id.classifier}` has none"
        help_text = "name the id column for all classifiers or for none"
        raise DataError(Diagnostic(INCONSISTENT_JOIN_KEYS, message, help=help_text))
    if not with_ids:
        return _join_by_row_order(cases)
    joined = _join_unique_ids(cases, ground_truths, identical=identical)
    return joined or _join_by_id(cases, ground_truths, identical=identical)


def _join_unique_ids(
    cases: Sequence[Cases], ground_truths: Mapping[str, GroundTruth], *, identical: bool
) -> JoinedCases | None:
    """Join classifiers with unique ids and equal truths; None if any has others."""
    labelled = (item for item in cases if item.classifier in ground_truths)
    if any(ground_truths[item.classifier].frame.height != item.size for item in labelled):
        return None
    aligned = fast_join([item.frame for item in cases])
    if aligned is None or aligned.frames[0].is_empty() or not _have_same_truth(aligned.frames):
        return None
    # With a labels file, missing and extra cases are audited against it.
    if ground_truths and any(len(ids) for ids in (*aligned.missing, *aligned.extra)):
        return None
    audits = tuple(
        audit_unique_ids(item, missing, extra)
        for item, missing, extra in zip(cases, aligned.missing, aligned.extra, strict=True)
    )
    if identical:
        check_same_cases(audits, ground_truths)
    joined = _join_in_order(cases, aligned.frames, "id")
    warnings = audit_warnings(audits, ground_truths, joined.case_count)
    return replace(joined, audits=audits, warnings=(*warnings, *joined.warnings))


def _have_same_truth(frames: Sequence[pl.DataFrame]) -> bool:
    """Return whether all truths are known, and equal in every row."""
    first, *others = (frame["truth"] for frame in frames)
    is_equal = all((truth == first).all(ignore_nulls=False) for truth in others)
    return not first.null_count() and is_equal


def _join_in_order(
    cases: Sequence[Cases],
    frames: Sequence[pl.DataFrame],
    joined_by: Literal["id", "row order"] | None,
) -> JoinedCases:
    """Return the join of frames whose rows are the same cases in the same order."""
    count = count_rows(frames[0])
    mismatches = _count_fold_differences([frame["fold"] for frame in frames])
    by_name = {item.classifier: frame for item, frame in zip(cases, frames, strict=True)}
    by_name, attributes = separate_attributes(cases, by_name)
    counts = next(iter(by_name.values())).get_column("count", default=None)
    if counts is None and (aggregated := aggregate_duplicates(by_name, attributes)) is not None:
        by_name, counts, attributes = aggregated
    elif "count" in attributes.columns and _stands_for_many(cases, attributes["count"]):
        counts, attributes = attributes["count"], attributes.drop("count")
    elif "count" in attributes.columns:
        by_name, attributes = expand_counts(by_name, attributes)
    return JoinedCases(
        frames=by_name,
        attributes=attributes,
        audits=tuple(CaseAudit(item.classifier, count, count, 0, 0, 0, 0) for item in cases),
        joined_by=joined_by,
        case_count=count,
        warnings=tuple(fold_assignment_warnings(mismatches)),
        fold_mismatches=mismatches,
        counts=counts,
    )


def _stands_for_many(cases: Sequence[Cases], counts: pl.Series) -> bool:
    """Return whether an engine grouped rows that stand for more cases than fit in memory."""
    is_grouped = any(table.is_grouped for item in cases for table in item.tables)
    return is_grouped and int(counts.sum()) > MAX_EXPANDED_CASES


def _count_fold_differences(folds: Sequence[pl.Series]) -> int:
    """Return the number of cases whose fold differs between classifiers that have folds."""
    with_folds = [fold for fold in folds if fold.null_count() < len(fold)]
    if len(with_folds) < 2:  # noqa: PLR2004  # one cannot differ from itself
        return 0
    first, *others = with_folds
    differs = pl.any_horizontal([pl.lit(first != other) for other in others])
    return int(pl.select(differs.sum()).item())


def _join_by_id(
    cases: Sequence[Cases], ground_truths: Mapping[str, GroundTruth], *, identical: bool
) -> JoinedCases:
    names = pl.Enum([item.classifier for item in cases])
    all_rows = pl.concat(
        (
            item.with_locations().with_columns(classifier=pl.lit(item.classifier, names))
            for item in cases
        ),
        how="diagonal_relaxed",
    )
    is_repetition_named = any(
        item.data.repeat is not None for item in cases
    ) or _folds_name_repetitions(all_rows)
    numbered_rows, warnings = assign_case_numbers(all_rows, is_repetition_named=is_repetition_named)
    distinct_rows = numbered_rows.unique(["classifier", "case"], keep="first", maintain_order=True)
    check_conflicting_rows(cases, numbered_rows, distinct_rows)
    shared_cases = find_shared_cases(distinct_rows, len(cases))
    shared = distinct_rows.join(shared_cases, on="case", how="semi", maintain_order="left")
    audits = audit_cases(
        [item.classifier for item in cases],
        all_rows,
        distinct_rows,
        ground_truths,
    )
    if identical:
        check_same_cases(audits, ground_truths)
    if shared_cases.is_empty():
        raise DataError(_no_shared_case_diagnostic(distinct_rows, ground_truths))
    mismatches = _count_fold_mismatches(shared)
    warnings += audit_warnings(
        audits, ground_truths, shared_cases.height
    ) + fold_assignment_warnings(mismatches)
    distinct = shared["number"].n_unique()
    parts = shared.sort("case").partition_by("classifier", maintain_order=True, as_dict=True)
    frames, attributes = separate_attributes(
        cases,
        {item.classifier: parts[item.classifier,].select(item.frame.columns) for item in cases},
    )
    grouped_cases = (
        aggregate_duplicates(frames, attributes) if "count" in attributes.columns else None
    )
    counts, case_count = None, shared_cases.height
    if grouped_cases is not None:
        frames, counts, attributes = grouped_cases
        case_count = int(counts.sum())
    elif "count" in attributes.columns:
        frames, attributes = expand_counts(frames, attributes)
        case_count = next(iter(frames.values())).height
    return JoinedCases(
        frames=frames,
        attributes=attributes,
        counts=counts,
        audits=audits,
        joined_by="id",
        case_count=case_count,
        warnings=tuple(warnings),
        distinct_cases=distinct if distinct < shared_cases.height else None,
        fold_mismatches=mismatches,
    )


def _no_shared_case_diagnostic(
    distinct_rows: pl.DataFrame, ground_truths: Mapping[str, GroundTruth]
) -> Diagnostic:
    message = "no case is shared by all classifiers"
    if ground_truths:
        message += " and the labels"
    examples = distinct_rows.group_by("classifier", maintain_order=True).agg(pl.col("id").head(3))
    examples_text = [f"ids of `{name}`: {', '.join(ids)}" for name, ids in examples.rows()]
    examples_text += [
        f"ids of `{labels.file.display_name}`: {', '.join(labels.frame['id'].head(3))}"
        for labels in list(ground_truths.values())[:1]
    ]
    return Diagnostic(NO_COMMON_CASES, message, help="; ".join(examples_text[:_MAX_EXAMPLES]))


def audit_warnings(
    audits: Sequence[CaseAudit], ground_truths: Mapping[str, GroundTruth], count: int
) -> list[str]:
    """Return warnings of duplicate, missing and extra cases, and of the number of cases left."""
    warnings = [
        f"`{audit.classifier}`: {format_count(audit.duplicated, 'duplicate row')}, counted once"
        for audit in audits
        if audit.duplicated
    ]
    differences = describe_case_differences(audits, ground_truths)
    shared = f"all classifiers are evaluated on the {format_count(count, 'case')} in common"
    if len(audits) == 1:
        shared = f"`{audits[0].classifier}` is evaluated on {format_count(count, 'case')}"
    return warnings + differences + ([shared] if differences else [])


def _count_fold_mismatches(shared: pl.DataFrame) -> int:
    """Return the number of cases whose fold differs between classifiers."""
    if shared["fold"].null_count() == shared.height:
        return 0
    folds = shared.select("case", "fold").drop_nulls().unique()
    return folds.filter(pl.col("case").is_duplicated())["case"].n_unique()


def fold_assignment_warnings(mismatches: int) -> list[str]:
    """Return a warning if the folds of cases differ between classifiers."""
    if not mismatches:
        return []
    return [f"{format_count(mismatches, 'case')} in different folds for different classifiers"]


_NO_ID_HELP = "name an id column with `data.id`"
_DIFFERENT_CASES_HELP = (
    f"{_NO_ID_HELP}; if the files hold different cases, list those of one classifier together"
    ' (`predictions = ["a.csv", "b.csv"]`), or name data sets (`[[datasets]]`)'
)


def _join_by_row_order(cases: Sequence[Cases]) -> JoinedCases:
    if len({item.frame.height for item in cases}) > 1:
        sizes = ", ".join(f"`{item.classifier}` has {item.frame.height}" for item in cases)
        message = f"without ids all classifiers need the same number of rows, but {sizes}"
        location = Location(cases[0].tables[0].path)
        help_text = _suggest_id_column(cases, _DIFFERENT_CASES_HELP)
        raise DataError(Diagnostic(ROWS_DIFFER, message, location, help_text))
    frames = [item.frame for item in cases]
    if not _have_same_truth(frames):
        _raise_conflicting_truth(cases)
    return _join_in_order(cases, frames, "row order" if len(cases) > 1 else None)


def _raise_conflicting_truth(cases: Sequence[Cases]) -> None:
    all_rows = pl.concat(
        (
            item.with_locations().select(
                "file",
                "row",
                "truth",
                classifier=pl.lit(item.classifier),
                case=pl.int_range(pl.len()),
            )
            for item in cases
        ),
        how="vertical_relaxed",
    )
    truths = all_rows.select("case", "truth").unique(maintain_order=True)
    differing = truths.filter(pl.col("case").is_duplicated())["case"].unique().sort()
    diagnostics: list[Diagnostic] = []
    n_more = len(differing) - _MAX_EXAMPLES
    for number, position in enumerate(differing.head(_MAX_EXAMPLES), start=1):
        values, location = describe_values(
            cases, all_rows.filter(pl.col("case") == position), ("truth",)
        )
        end = (
            f"; and {format_count(n_more, 'more row')}"
            if n_more > 0 and number == _MAX_EXAMPLES
            else ""
        )
        message = f"row {position + 1} has different truths: {values}{end}"
        help_text = f"are the files in another order? {_suggest_id_column(cases)}"
        diagnostics.append(Diagnostic(ROWS_DIFFER, message, location, help_text))
    raise DataError(*diagnostics)


def _suggest_id_column(cases: Sequence[Cases], without_id: str = _NO_ID_HELP) -> str:
    """Return the help text to join by id instead, with the inferred id column if there is one."""
    texts = [read_text_columns(item.tables).with_folds(item.data.fold) for item in cases]
    column = infer_id_column(texts, cases[0].data.truth, [item.data.prediction for item in cases])
    if column is None:
        return describe_different_ids(texts) or without_id
    return f'`{column}` looks like an id: write `id = "{column}"` under `[data]`'
