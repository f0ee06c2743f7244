"""Distributed loading: equal cases are grouped where the files are, and read as other files are.

A group of equal cases and its count is all that comes back. While there are few groups, everything
that follows is the same as for files on this machine. Where scores have too many different values,
cases are grouped three times: by labels, which stay exact; by the finely binned score of each
classifier; and by the coarsely binned scores of every two classifiers, for what depends on both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl

from reportgen.aggregates.backends.backend import FileSet, ScoreBins
from reportgen.aggregates.backends.wide_rows import (
    CASE,
    COUNT,
    FILE_FOLD,
    join_classifiers,
    too_many_rows_diagnostic,
)
from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import (
    NO_COMMON_CASES,
    NOT_A_PROBABILITY,
    NOT_FINITE,
    VALUE_MISSING,
)
from reportgen.predictions.attributes import MAX_EXPANDED_CASES, attribute_columns
from reportgen.predictions.audit import CaseAudit, check_same_cases
from reportgen.predictions.cases import fold_names_from_paths, takes_most_probable_class
from reportgen.predictions.diagnostics import format_count
from reportgen.predictions.files import natural_sort_key
from reportgen.predictions.join import (
    audit_warnings,
    fold_assignment_warnings,
    repetition_warnings,
)
from reportgen.predictions.load import Input, LoadedPredictions, load_grouped_rows, map_datasets
from reportgen.predictions.long_format import MAX_MODELS
from reportgen.predictions.scores import score_type_warnings, score_warnings
from reportgen.predictions.unanswered import DROP, missing_policy
from reportgen.spec import EngineSettings, spec_file_for_dataset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType

    from reportgen.aggregates.backends.backend import AggregationBackend
    from reportgen.aggregates.backends.wide_rows import ClassifierRows, WideRows
    from reportgen.predictions.cases import Cases, GroundTruth
    from reportgen.predictions.join import JoinedCases
    from reportgen.predictions.table import GroupedRows
    from reportgen.spec import Classifier, SpecFile

# Groups of neighbouring bins for the joint counts of two scores.
JOINT_GROUPS = 1024


def load_distributed(spec_file: SpecFile, backend: AggregationBackend) -> LoadedPredictions:
    """Join and group the cases of a spec on a back end, and read the groups.

    The result is that of `reportgen.predictions.load.load_predictions`.
    """
    if spec_file.spec.datasets:
        return LoadedPredictions(
            datasets=map_datasets(spec_file, lambda part, _dataset: _load(part, backend))
        )
    return _load(spec_file, backend)


def _load(spec_file: SpecFile, backend: AggregationBackend) -> LoadedPredictions:
    wide = join_classifiers(spec_file, backend)
    if wide is None:
        return load_grouped_rows(_as_local(spec_file), {}, lambda _, joined: joined)
    settings = spec_file.spec.engine
    if not wide.summary.shared:
        raise DataError(_no_shared_case_diagnostic(wide))
    groups = None
    if _may_be_few(wide, settings.most_rows):
        keys = [
            *(f"rows {number}" for number in range(len(wide.classifiers))),
            *(alias for own in wide.classifiers for alias in own.columns.values()),
        ]
        groups = wide.group(wide.frame, keys, settings.most_rows)
    if groups is None:
        return _load_binned(wide)
    return _read_groups(wide, groups)


def _may_be_few(wide: WideRows, limit: int) -> bool:
    """Return whether there may be few groups: not if a classifier alone has too many numbers."""
    if wide.summary.cases <= limit:
        return True
    # Groups of other tasks are repeated in memory as often as they count.
    is_counted = wide.spec_file.spec.task.kind in {"binary", "multilabel"}
    for own in wide.classifiers:
        numbers = _number_columns(wide, own)
        if numbers and not is_counted and wide.summary.cases > MAX_EXPANDED_CASES:
            return False
        if numbers and wide.backend.approx_n_unique(wide.frame, numbers) > limit:
            return False
    return True


def _number_columns(wide: WideRows, own: ClassifierRows) -> list[str]:
    """Return the aliases of scores, probabilities and numeric predictions."""
    data = own.data
    numbers = [*own.aliases(data.score), *own.matching(data.probabilities)]
    if wide.spec_file.spec.task.kind == "regression":
        numbers += own.aliases(data.truth, data.prediction)
    return list(dict.fromkeys(numbers))


def _as_local(spec_file: SpecFile, classifiers: Sequence[Classifier] | None = None) -> SpecFile:
    """Return the spec of files on this machine, with some of its classifiers."""
    spec = spec_file.spec
    update: dict[str, object] = {"engine": EngineSettings()}
    if classifiers is not None:
        update["classifiers"] = tuple(classifiers)
    return replace(spec_file, spec=spec.model_copy(update=update))


# Keys of columns that grouped rows lack, or have under another name.
_FILE_KEYS = ("id", "labels", "where", "encoding", "count", "sheet", "table")
_FOLD_KEYS = ("fold", "repeat")
_SCORE_KEYS = ("score", "score_kind", "probabilities", "threshold")


def _reading_spec(
    wide: WideRows,
    numbers: Sequence[int],
    keys: Callable[[ClassifierRows], Mapping[str, object]] = lambda _: {},
    without: Sequence[str] = (),
) -> SpecFile:
    """Return the spec that names the columns of grouped rows of some classifiers.

    Args:
        wide: the cases.
        numbers: the classifiers.
        keys: returns the keys of a classifier that grouped rows need.
        without: keys of columns that the rows do not have, unless `keys` has them.
    """
    spec = wide.spec_file.spec
    by_name = {own.classifier.name: own for own in (wide.classifiers[at] for at in numbers)}
    has_all = len(numbers) == len(wide.classifiers)
    none = dict.fromkeys((*_FILE_KEYS, *without))
    classifiers = []
    for classifier in spec.classifiers:
        own = by_name.get(classifier.name)
        if own is None:
            if classifier.predictions is None and has_all:
                classifiers.append(classifier)
            continue
        fold = FILE_FOLD if own.is_file_fold else classifier.fold
        update = {"fold": fold, **none, **keys(own)}
        fields = type(classifier).model_fields
        classifiers.append(
            classifier.model_copy(update={key: update[key] for key in update if key in fields})
        )
    data = spec.data.model_copy(
        update={**none, "id": CASE, "count": COUNT, "cases": "common", "model": None}
    )
    local = _as_local(wide.spec_file, classifiers)
    return replace(local, spec=local.spec.model_copy(update={"data": data}))


def _read_groups(wide: WideRows, groups: pl.DataFrame) -> LoadedPredictions:
    """Read groups of cases that have all columns."""
    rows = {
        own.classifier.name: wide.grouped_rows(number, groups, _file_folds(own, groups))
        for number, own in enumerate(wide.classifiers)
    }
    numbers = range(len(wide.classifiers))
    return _finish(wide, _read(wide, _reading_spec(wide, numbers), rows))


def _read(
    wide: WideRows, spec_file: SpecFile, rows: Mapping[str, GroupedRows]
) -> LoadedPredictions:
    return load_grouped_rows(
        spec_file, rows, lambda cases, joined: _audit_join(wide, cases, joined)
    )


def _file_folds(own: ClassifierRows, groups: pl.DataFrame) -> dict[str, pl.Expr]:
    """Return the folds of files, named by the part in which their paths differ."""
    if not own.is_file_fold:
        return {}
    alias = own.columns[FILE_FOLD]
    paths = sorted(groups[alias].drop_nulls().unique())
    names = dict(zip(paths, fold_names_from_paths(paths), strict=True))
    return {FILE_FOLD: pl.col(alias).replace_strict(names, default=None, return_dtype=pl.String)}


def _finish(wide: WideRows, predictions: LoadedPredictions) -> LoadedPredictions:
    """Restore the columns that the spec names, and list the inputs."""
    by_name = {own.classifier.name: own for own in wide.classifiers}
    cases = tuple(
        replace(
            item,
            data=item.data.model_copy(
                update={
                    key: getattr(by_name[item.classifier].data, key)
                    for key in ("id", "count", "labels", "where", "fold")
                }
            ),
        )
        for item in predictions.cases
    )
    rows = dict(zip(by_name, wide.summary.rows, strict=True))
    inputs = []
    for item in predictions.inputs:
        # A sample has fewer rows than the files.
        inputs.append(replace(item, rows=rows[item.classifier]))
        truth = by_name[item.classifier].ground_truth
        if truth is not None:
            inputs.append(Input(item.classifier, truth.file.display_name, None, truth.rows))
    return replace(
        predictions,
        cases=cases,
        inputs=tuple(inputs),
        warnings=(*_multiple_file_warnings(wide), *predictions.warnings),
    )


def _multiple_file_warnings(wide: WideRows) -> Iterator[str]:
    for own in wide.classifiers:
        if own.files.may_match_several and own.data.fold is None:
            yield (
                f"`{own.classifier.name}`: on Spark the files of `{own.files.name}` are parts of"
                " one table, not folds; name a column with `fold` if they are"
            )


def _audit_join(wide: WideRows, cases: Sequence[Cases], joined: JoinedCases) -> JoinedCases:
    """Return joined groups with the audits and the warnings of all cases."""
    summary = wide.summary
    by_name = {own.classifier.name: number for number, own in enumerate(wide.classifiers)}
    ground_truths: dict[str, GroundTruth] = {
        own.classifier.name: own.ground_truth
        for own in wide.classifiers
        if own.ground_truth is not None
    }
    audits = []
    for item in cases:
        number = by_name[item.classifier]
        rows = item.size + (summary.extra[number] if item.classifier in ground_truths else 0)
        audits.append(
            CaseAudit(
                item.classifier,
                rows,
                joined.case_count,
                summary.missing[number],
                summary.extra[number],
                0,
                0,
            )
        )
    if wide.spec_file.spec.data.cases == "identical":
        check_same_cases(audits, ground_truths)
    mismatches = _count_fold_mismatches(joined) if joined.fold_mismatches else 0
    warnings = [
        *audit_warnings(audits, ground_truths, joined.case_count),
        *fold_assignment_warnings(mismatches),
    ]
    if summary.ids is not None:
        is_repetition_named = any(own.data.repeat is not None for own in wide.classifiers)
        warnings[:0] = repetition_warnings(
            summary.folds_per_id, is_repetition_named=is_repetition_named
        )
    has_ids = wide.classifiers[0].data.id is not None
    return replace(
        joined,
        audits=tuple(audits),
        joined_by="id" if has_ids else None,
        warnings=tuple(warnings),
        distinct_cases=summary.ids,
        fold_mismatches=mismatches,
    )


def _count_fold_mismatches(joined: JoinedCases) -> int:
    folds = [
        frame["fold"].cast(pl.String)
        for frame in joined.frames.values()
        if frame["fold"].null_count() < frame.height
    ]
    first, *others = folds
    differs = pl.select(pl.any_horizontal([pl.lit(first != other) for other in others])).to_series()
    return int(differs.sum() if joined.counts is None else joined.counts.filter(differs).sum())


def _no_shared_case_diagnostic(wide: WideRows) -> Diagnostic:
    message = "no case is shared by all classifiers"
    if any(own.ground_truth is not None for own in wide.classifiers):
        message += " and the labels"
    columns = ", ".join(f"`{own.data.id}` of `{own.classifier.name}`" for own in wide.classifiers)
    return Diagnostic(NO_COMMON_CASES, message, help=f"do the columns {columns} hold the same ids?")


def _load_binned(wide: WideRows) -> LoadedPredictions:
    """Group cases by labels, by binned scores, and by the binned scores of two classifiers."""
    if wide.spec_file.spec.task.kind != "binary":
        return _load_sampled(wide)
    scored = [number for number, own in enumerate(wide.classifiers) if _score_column(wide, own)]
    if not scored:
        raise DataError(too_many_rows_diagnostic(wide, wide.spec_file.spec.engine.most_rows))
    binned = _BinnedScores.from_rows(wide, scored)
    fine_views = {number: binned.read_fine(number) for number in scored}
    positive = wide.spec_file.spec.task.positive
    pairs = [
        binned.read_pair(first, second, fine_views) for first, second in combinations(scored, 2)
    ]
    labels = _load_labels(wide, {})
    warnings = [
        *(
            warning
            for own in fine_views.values()
            for warning in score_type_warnings(wide.spec_file.spec.task, own.view.cases)
        ),
        *(
            binning_warning(
                wide.classifiers[number].classifier.name,
                wide.spec_file.spec.engine.bins,
                own.counted,
                positive,
            )
            for number, own in fine_views.items()
        ),
        *(_describe_joint_bins(fine_views, positive) if pairs else ()),
    ]
    return replace(
        labels,
        score_views=(*(own.view for own in fine_views.values()), *pairs),
        predicted_at=partial(_load_labels, wide),
        warnings=(*labels.warnings, *warnings),
    )


def _score_column(wide: WideRows, own: ClassifierRows) -> str | None:
    """Return the name of the column of scores, or of the probability of the positive class."""
    data, positive = own.data, wide.spec_file.spec.task.positive
    if data.score is not None:
        return data.score
    if data.probabilities is None or positive is None:
        return None
    name = data.probabilities.replace("{class}", positive)
    return name if name in own.columns else None


@dataclass(frozen=True, slots=True)
class _FineView:
    """The cases of one classifier by the bin of its score.

    `counted` has truth, score and number of the cases, and whether different scores were binned;
    `numbers` has the number of the bin of each score.
    """

    view: LoadedPredictions
    counted: pl.DataFrame
    numbers: pl.DataFrame


@dataclass(frozen=True, slots=True)
class _BinnedScores:
    """The shared cases with scores as numbers, and the bins of each classifier's scores.

    `frame` has the number of the bin of each score in `bin k`, of classifier k.
    """

    wide: WideRows
    frame: pl.LazyFrame

    @classmethod
    def from_rows(cls, wide: WideRows, scored: Sequence[int]) -> _BinnedScores:
        """Find the range of the scores, and number their bins; raise if there are invalid ones."""
        backend, of = wide.backend, wide.backend.namespace
        frame = _answered_cases(wide)
        aliases = {number: _score_alias(wide, number) for number in scored}
        for number, alias in aliases.items():
            frame = backend.as_numbers(frame, [alias], wide.classifiers[number].data.decimal)
        sums: dict[str, pl.Expr] = {}
        for number, alias in aliases.items():
            score = of.col(alias)
            invalid = {
                "missing": score.is_null(),
                "infinite": ~score.is_finite(),
                "outside": (score < 0) | (score > 1),
            }
            sums |= {f"low {number}": score.min(), f"high {number}": score.max()}
            sums |= {
                f"{name} {number}": value.cast(of.Int64).sum() for name, value in invalid.items()
            }
        profile = backend.collect(frame.select(cases=of.len(), **sums)).row(0, named=True)
        _check_scores(wide, scored, profile)
        count = wide.spec_file.spec.engine.bins
        bins = {
            number: ScoreBins(profile[f"low {number}"], profile[f"high {number}"], count)
            for number in scored
        }
        indices = {
            f"bin {number}": bins[number].index(of.col(alias), of).cast(of.Int64)
            for number, alias in aliases.items()
        }
        return cls(wide, frame.with_columns(**indices))

    def read_fine(self, number: int) -> _FineView:
        """Read the cases of a classifier grouped by its labels and the bin of its score.

        The score of a bin is the middle of the scores in it.
        """
        wide, own = self.wide, self.wide.classifiers[number]
        of, score = wide.backend.namespace, _score_alias(wide, number)
        keys = [f"bin {number}", *_case_columns(wide, own, with_folds=True)]
        limit = MAX_BINNED_GROUPS
        groups = wide.group(
            self.frame, keys, limit, low=of.col(score).min(), high=of.col(score).max()
        )
        if groups is None:
            raise DataError(too_many_rows_diagnostic(wide, limit))
        in_bin = f"bin {number}"
        low, high = pl.col("low").min().over(in_bin), pl.col("high").max().over(in_bin)
        # Half of each, because the sum of two scores may overflow.
        middle = pl.when(low == high).then(low).otherwise(low / 2 + high / 2)
        groups = groups.with_columns(score=middle, is_binned=low < high)
        view = self._read_view((number,), {number: groups}, with_folds=True)
        numbers = groups.select(in_bin, "score", "is_binned").unique()
        score_counts = view.cases[0].frame.select("truth", "score", "count")
        return _FineView(
            view,
            score_counts.join(numbers.select("score", "is_binned"), on="score", how="left"),
            numbers,
        )

    def read_pair(
        self, first: int, second: int, fine_views: Mapping[int, _FineView]
    ) -> LoadedPredictions:
        """Read the cases grouped by truth and by neighbouring bins of two classifiers' scores."""
        wide, backend, frame = self.wide, self.wide.backend, self.frame
        task, means = wide.spec_file.spec.task, {}
        for number in (first, second):
            neighbours = group_bins(fine_views[number].counted, task.positive)
            means[number] = neighbours.select("group", "mean").unique()
            bin_groups = fine_views[number].numbers.join(neighbours, on="score", how="left")
            frame = frame.join(
                backend.from_frame(
                    bin_groups.select(f"bin {number}", pl.col("group").alias(f"group {number}"))
                ),
                on=f"bin {number}",
                how="left",
            )
        keys = [f"group {first}", f"group {second}"]
        for number in (first, second):
            keys += _case_columns(wide, wide.classifiers[number], with_folds=False)
        groups = wide.group(frame, keys, MAX_BINNED_GROUPS)
        if groups is None:
            raise DataError(too_many_rows_diagnostic(wide, MAX_BINNED_GROUPS))
        scored = {
            number: groups.join(
                means[number].rename({"group": f"group {number}", "mean": "score"}),
                on=f"group {number}",
                how="left",
                maintain_order="left",
            )
            for number in (first, second)
        }
        return self._read_view((first, second), scored, with_folds=False)

    def _read_view(
        self,
        numbers: Sequence[int],
        groups: Mapping[int, pl.DataFrame],
        *,
        with_folds: bool,
    ) -> LoadedPredictions:
        wide = self.wide
        rows = {}
        for number in numbers:
            own, group_counts = wide.classifiers[number], groups[number]
            values = {_score_name(wide, own): pl.col("score")}
            values |= _file_folds(own, group_counts) if with_folds else {}
            rows[own.classifier.name] = wide.grouped_rows(number, group_counts, values)

        def score_keys(own: ClassifierRows) -> dict[str, object]:
            # Of predicted classes there are none in these rows, and none are counted.
            return {
                "score": _score_name(wide, own),
                "score_kind": own.data.score_kind,
                "threshold": _UNUSED_THRESHOLD,
            }

        without = _SCORE_KEYS if with_folds else (*_SCORE_KEYS, *_FOLD_KEYS)
        spec_file = _reading_spec(wide, numbers, score_keys, without)
        predictions = load_grouped_rows(spec_file, rows, lambda _, joined: joined)
        return _finish(wide, predictions)


# Fine bins times folds, classes, segments and weights: beyond, something else is in a column.
MAX_BINNED_GROUPS = 20_000_000
_UNUSED_THRESHOLD = 0.5


def _score_name(wide: WideRows, own: ClassifierRows) -> str:
    name = _score_column(wide, own)
    if name is None:
        raise LookupError(own.classifier.name)
    return name


def _score_alias(wide: WideRows, number: int) -> str:
    own = wide.classifiers[number]
    return own.columns[_score_name(wide, own)]


def _case_columns(wide: WideRows, own: ClassifierRows, *, with_folds: bool) -> list[str]:
    """Return the aliases of truth, fold and attributes, but not of predictions and scores."""
    data = own.data
    names = [data.truth, *attribute_columns(wide.spec_file.spec, data).values()]
    if not with_folds:
        names = [name for name in names if name != data.repeat]
    return own.aliases(*names, *([data.fold, FILE_FOLD] if with_folds else []))


def _answered_cases(wide: WideRows) -> pl.LazyFrame:
    """Return the shared cases, without those that some classifier does not answer if they drop."""
    of, spec = wide.backend.namespace, wide.spec_file.spec
    frame = wide.frame.filter(wide.is_shared())
    if missing_policy(spec) != DROP:
        return frame
    for own in wide.classifiers:
        for alias in own.aliases(own.data.prediction):
            prediction = of.col(alias).cast(of.String)
            unanswered = ["", *(spec.task.abstain or ())]
            frame = frame.filter(~prediction.is_null(), ~prediction.is_in(unanswered))
        for alias in own.aliases(_score_column(wide, own)):
            score = of.col(alias).cast(of.String)
            frame = frame.filter(~score.is_null(), score != of.lit(""))
    return frame


_SCORE_CHECKS = {
    "missing": (VALUE_MISSING, "have no score, or one that is not a number"),
    "infinite": (NOT_FINITE, "have a score that is not finite"),
    "outside": (NOT_A_PROBABILITY, "have a score that is not between 0 and 1"),
}


def _check_scores(
    wide: WideRows, scored: Sequence[int], profile: Mapping[str, float | int | None]
) -> None:
    """Raise if scores are missing, not finite, or no probabilities although the spec says so."""
    diagnostics = []
    for number in scored:
        own = wide.classifiers[number]
        for check, (code, description) in _SCORE_CHECKS.items():
            count = int(profile[f"{check} {number}"] or 0)
            if not count or (check == "outside" and own.data.score_kind != "probability"):
                continue
            verb = description if count > 1 else description.replace("have", "has", 1)
            column = own.table.describe_column(_score_name(wide, own))
            rows = f"{format_count(count, 'row')} of {profile['cases']}"
            message = f"{column}: {rows} {verb}"
            help_text = "correct the values, or remove the rows"
            diagnostics.append(Diagnostic(code, message, Location(own.table.path), help_text))
    if diagnostics:
        raise DataError(*diagnostics)


def _without_scores(predictions: LoadedPredictions) -> LoadedPredictions:
    """Return predictions without the scores that they were derived from."""

    def drop(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(score=pl.lit(None)) if "score" in frame.columns else frame

    cases = tuple(
        replace(
            item,
            data=item.data.model_copy(update={"score": None, "probabilities": None}),
            frame=drop(item.frame),
        )
        for item in predictions.cases
    )
    joined = predictions.joined
    if joined is None:
        return replace(predictions, cases=cases)
    frames = {name: drop(frame) for name, frame in joined.frames.items()}
    return replace(predictions, cases=cases, joined=replace(joined, frames=frames))


def group_bins(score_counts: pl.DataFrame, positive: str | None) -> pl.DataFrame:
    """Return each score (truth, score, count) with its `group` and the `mean` score of the group.

    Groups are of neighbouring scores and have about equal shares of both classes together, so that
    a rare class is resolved as well as a frequent one. A score with more than the share of a group
    has a group of its own, and so have the lowest and the highest.
    """
    positives, negatives = _sides(score_counts, positive)
    shares = [side / max(float(side.sum()), 1.0) for side in (positives, negatives)]
    scores = score_counts["score"].unique().sort()
    frame = pl.DataFrame(
        {"score": scores, "count": positives + negatives, "share": (shares[0] + shares[1]) / 2}
    )
    share, count, place = pl.col("share"), pl.col("count"), pl.int_range(pl.len())
    is_alone = (place == 0) | (place == pl.len() - 1) | (share > 1 / JOINT_GROUPS)
    between = ((share.cum_sum() - share / 2) * JOINT_GROUPS).floor()
    group = pl.when(is_alone).then(place + JOINT_GROUPS + 1).otherwise(between)
    mean = (pl.col("score") * count).sum().over("group") / count.sum().over("group")
    return (
        frame.with_columns(group=group.cast(pl.Int64))
        .with_columns(mean=mean)
        .select("score", "group", "mean")
    )


def binning_warning(
    classifier: str, bin_count: int, score_counts: pl.DataFrame, positive: str | None
) -> str:
    """Return the warning that scores were binned, with the error bound of the AUC."""
    bound = auc_error_bound(score_counts, positive)
    text = f"scores of `{classifier}` were counted in {bin_count} bins"
    if not bound:
        return f"{text}: none has different scores of both classes, so the area is exact"
    return f"{text}: the area under the ROC curve is exact to ±{_round_up(bound)}"


def auc_error_bound(score_counts: pl.DataFrame, positive: str | None) -> float:
    """Return the largest possible error of the AUC that bins cause.

    Args:
        score_counts: truth, score and count of cases, and whether different scores were binned.
        positive: the positive class.

    Pairs within a bin count one half, as ties do, but contribute between 0 and 1 to the exact
    area: a bin is off by at most half of its pairs.
    """
    positives, negatives = _sides(score_counts, positive)
    pairs = float(positives.sum()) * float(negatives.sum())
    positives, negatives = _sides(score_counts.filter("is_binned"), positive)
    return float((positives * negatives).sum()) / (2 * pairs) if pairs else 0.0


def _sides(score_counts: pl.DataFrame, positive: str | None) -> tuple[pl.Series, pl.Series]:
    """Return the numbers of positives and negatives of each score."""
    is_positive = pl.col("truth").cast(pl.String) == positive
    by_score = (
        score_counts.group_by("score")
        .agg(
            positives=pl.col("count").filter(is_positive).sum().cast(pl.Float64),
            negatives=pl.col("count").filter(~is_positive).sum().cast(pl.Float64),
        )
        .sort("score")
    )
    return by_score["positives"], by_score["negatives"]


def _describe_joint_bins(
    fine_views: Mapping[int, _FineView], positive: str | None
) -> Iterator[str]:
    """Yield the warning that pairs of scores were binned, with the bound of the standard error."""
    bounds = sorted(
        (standard_error_bound(own.counted, positive) for own in fine_views.values()),
        reverse=True,
    )
    yield (
        f"pairs of scores were counted in {JOINT_GROUPS} groups of bins each: the standard error"
        " of a difference of two areas under the ROC curve is exact to"
        f" ±{_round_up(bounds[0] + bounds[1])}"
    )


def standard_error_bound(score_counts: pl.DataFrame, positive: str | None) -> float:
    """Return by how much groups of bins may change the standard error that one AUC contributes.

    A placement value is off by at most half of the share of the other class in the group. The
    standard error is a norm of the placement values, so it is off by at most the norm of their
    errors: sqrt(d₊² / positives + d₋² / negatives).
    """
    labels = score_counts["truth"].cast(pl.String)
    grouped = group_bins(score_counts, positive)
    group_counts = score_counts.with_columns(truth=labels).join(grouped, on="score")
    # Groups of one score change nothing.
    is_grouped = (pl.col("score").n_unique().over("group") > 1) | pl.col("is_binned")
    by_side = group_counts.filter(is_grouped).group_by("group", "truth").agg(pl.col("count").sum())
    sizes = dict(group_counts.group_by("truth").agg(pl.col("count").sum()).rows())
    if len(sizes) < 2:  # noqa: PLR2004  # an area needs both classes
        return 0.0
    largest = dict(by_side.group_by("truth").agg(pl.col("count").max()).rows())
    (one, one_size), (other, other_size) = sizes.items()
    errors = largest.get(other, 0) / other_size / 2, largest.get(one, 0) / one_size / 2
    return math.sqrt(errors[0] ** 2 / one_size + errors[1] ** 2 / other_size)


def _round_up(bound: float) -> str:
    """Format a bound with one significant digit, rounded up."""
    if not bound:
        return "0"
    digits = max(0, -math.floor(math.log10(bound)))
    return f"{math.ceil(bound * 10**digits) / 10**digits:.{digits}f}"


def _load_labels(wide: WideRows, thresholds: Mapping[str, float]) -> LoadedPredictions:
    """Read the cases grouped by labels, of all classifiers and without scores.

    Args:
        wide: the cases.
        thresholds: the threshold of scores by classifier; others predict as the spec says.
    """
    of, everyone = wide.backend.namespace, range(len(wide.classifiers))
    limit = wide.spec_file.spec.engine.most_rows
    frame, keys = wide.frame, list[str]()
    keys_of: dict[str, dict[str, object]] = {}
    values: dict[int, dict[str, pl.Expr]] = {number: {} for number in everyone}
    for number, own in enumerate(wide.classifiers):
        name, derived, numbers = (
            own.classifier.name,
            f"predicted {number}",
            _number_columns(wide, own),
        )
        others = [alias for alias in own.columns.values() if alias not in numbers]
        keys += [f"rows {number}", *others]
        threshold = thresholds.get(name, own.data.threshold)
        most_probable = takes_most_probable_class(own.table, own.data)
        if threshold is None and not most_probable:
            continue
        frame = wide.backend.as_numbers(frame, numbers, own.data.decimal)
        if threshold is not None:
            level = _threshold_level(of.col(_score_alias(wide, number)), threshold, of)
            values[number] = {_score_name(wide, own): pl.col(derived)}
            keys_of[name] = {"score": _score_name(wide, own), "threshold": threshold}
        else:
            level = _most_probable_class(own, of)
            values[number] = {own.data.prediction: pl.col(derived)}
        frame = frame.with_columns(**{derived: level})
        keys.append(derived)
    groups = wide.group(frame, keys, limit)
    if groups is None:
        raise DataError(too_many_rows_diagnostic(wide, limit))
    rows = {
        own.classifier.name: wide.grouped_rows(
            number, groups, {**_file_folds(own, groups), **values[number]}
        )
        for number, own in enumerate(wide.classifiers)
    }
    spec_file = _reading_spec(
        wide, everyone, lambda own: keys_of.get(own.classifier.name, {}), _SCORE_KEYS
    )
    predictions = _finish(wide, _read(wide, spec_file, rows))
    # Those of predictions at a threshold; of others there are no scores here.
    warnings = score_warnings(spec_file.spec.task, predictions.cases)
    return _without_scores(replace(predictions, warnings=(*predictions.warnings, *warnings)))


def _threshold_level(score: pl.Expr, threshold: float, of: ModuleType) -> pl.Expr:
    """Return one of two scores, at the threshold or below it: all that predictions need."""
    below = of.when(score < threshold).then(of.lit(threshold - 1))
    return of.when(score >= threshold).then(of.lit(threshold)).otherwise(below)  # type: ignore[no-any-return]


def _most_probable_class(own: ClassifierRows, of: ModuleType) -> pl.Expr:
    """Return the class of the highest probability, of equal ones the first column's."""
    before, _, after = (own.data.probabilities or "").partition("{class}")
    aliases = own.matching(own.data.probabilities)
    labels = {
        alias: name[len(before) : len(name) - len(after)]
        for name, alias in own.columns.items()
        if alias in aliases
    }
    highest = of.max_horizontal(*aliases)
    return of.coalesce(  # type: ignore[no-any-return]
        *(of.when(of.col(alias) == highest).then(of.lit(labels[alias])) for alias in aliases)
    )


def _load_sampled(wide: WideRows) -> LoadedPredictions:
    """Group all cases by labels; read the numbers of a random sample of the cases.

    The probabilities of several classes have no bins that two of them could share, and numeric
    predictions are as many as cases.
    """
    spec, summary = wide.spec_file.spec, wide.summary
    numbers = [alias for own in wide.classifiers for alias in _number_columns(wide, own)]
    limit = spec.engine.most_rows
    if not numbers or spec.task.kind == "multilabel":
        raise DataError(too_many_rows_diagnostic(wide, limit))
    share = min(1.0, limit / summary.shared) * _SAMPLED_SHARE
    unit, namespace = _sampling_unit(wide), wide.backend.namespace
    sample = wide.backend.sample(wide.frame.filter(wide.is_shared()), unit, share)
    everyone = range(len(wide.classifiers))
    keys = [
        *(f"rows {number}" for number in everyone),
        *(alias for own in wide.classifiers for alias in own.columns.values()),
    ]
    groups = wide.group(sample, keys, limit)
    if groups is None:
        raise DataError(too_many_rows_diagnostic(wide, limit))
    rows = {
        own.classifier.name: wide.grouped_rows(number, groups, _file_folds(own, groups))
        for number, own in enumerate(wide.classifiers)
    }
    spec_file = _reading_spec(wide, everyone)
    if spec.task.kind == "regression":
        sampled = _finish(wide, _read(wide, spec_file, rows))
        if summary.ids is not None and sampled.joined is not None:
            ids = wide.backend.collect(sample.select("id").unique().select(ids=namespace.len()))
            joined = replace(sampled.joined, distinct_cases=int(ids["ids"][0]))
            sampled = replace(sampled, joined=joined)
        return replace(sampled, warnings=(*sampled.warnings, _describe_sample(wide, sampled)))
    view = _finish(wide, load_grouped_rows(spec_file, rows, lambda _, joined: joined))
    labels = _load_labels(wide, {})
    return replace(
        labels,
        score_views=(view,),
        predicted_at=partial(_load_labels, wide),
        warnings=(*labels.warnings, _describe_sample(wide, view)),
    )


def _sampling_unit(wide: WideRows) -> list[str]:
    """Return the columns that make the unit of a sample: the cluster, the id or else the row."""
    first = wide.classifiers[0]
    if first.data.cluster is not None:
        return first.aliases(first.data.cluster)
    # All repetitions of a case are sampled together.
    return ["id"] if first.data.id is not None else list(first.columns.values())


# Of the rows that may come back, so that a random number of them does not exceed the limit.
_SAMPLED_SHARE = 0.9


def _describe_sample(wide: WideRows, sampled: LoadedPredictions) -> str:
    """Return the warning that numbers are those of a sample."""
    cases = 0 if sampled.joined is None else sampled.joined.case_count
    shared = wide.summary.shared
    if wide.spec_file.spec.task.kind == "regression":
        return (
            f"evaluated on a random sample of {cases} of {shared} cases, as many as `most_rows` in"
            " [engine] allows"
        )
    return (
        f"probabilities are evaluated on a random sample of {cases} of {shared} cases, as many as"
        " `most_rows` in [engine] allows; predicted classes on all of them"
    )


def find_models(spec_file: SpecFile, column: str, backend: AggregationBackend) -> tuple[str, ...]:
    """Return the values of the model column of the files of [data], in natural order."""
    models: set[str] = set()
    parts = [spec_file_for_dataset(spec_file, dataset) for dataset in spec_file.spec.datasets]
    for part in parts or [spec_file]:
        data = part.spec.data
        files = FileSet(part.folder, data.predictions or (), data.encoding)
        table = files.table(backend.column_names(files))
        if diagnostics := table.missing_column_diagnostics({"data.model": column}):
            raise DataError(*diagnostics)
        rows = backend.scan(files, {"model": column}, {})
        distinct = backend.collect(rows.unique(), MAX_MODELS + 1)["model"].cast(pl.String)
        if distinct.null_count() or (distinct.str.strip_chars() == "").any():
            message = f"column `{column}`: the name of the model is missing"
            help_text = "every row needs the classifier that made it"
            raise DataError(Diagnostic(VALUE_MISSING, message, Location(table.path), help_text))
        models.update(distinct)
    return tuple(sorted(models, key=natural_sort_key))
