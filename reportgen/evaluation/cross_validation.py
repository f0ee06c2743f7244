"""Cross-validation: fold design, means and variances, stratification, fold-level tests."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from reportgen.evaluation.comparison import Comparison
from reportgen.evaluation.pairwise_tests import pairs_to_compare
from reportgen.evaluation.values import ValueState
from reportgen.measures import Measure, Orientation, find_measure
from reportgen.measures.ordering import competition_ranks
from reportgen.statistics.distributions import critical_t
from reportgen.statistics.t_tests import (
    CORRECTED_RESAMPLED_T,
    F_5X2CV,
    PAIRED_T,
    RANGE_TOLERANCE,
    FoldTest,
    corrected_resampled_ttest,
    paired_ttest,
    ttest_5x2cv,
)
from reportgen.statistics.wilcoxon import wilcoxon_signed_rank

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.values import MeasureValues
    from reportgen.spec import Spec
    from reportgen.statistics.wilcoxon import FloatArray


FIVE_BY_TWO_SHAPE = (5, 10)


@dataclass(frozen=True, slots=True)
class FoldDesign:
    """The number of folds and repeats; `ratio` is n_test/n_train."""

    folds: int
    repeats: int
    test_train_ratio: float | None
    ratio_source: Literal["spec", "sizes", "number of folds"] | None
    is_5x2cv: bool


def fold_sizes(aggregates: Aggregates) -> dict[str, dict[str, tuple[int, ...]]]:
    """Return the class sizes by classifier and fold; in regression the number of cases."""
    by_classifier: dict[str, dict[str, tuple[int, ...]]] = {}
    in_fold = pl.col("fold").is_not_null()
    if aggregates.confusion is not None:
        margins = aggregates.confusion.margins.filter(in_fold)
        fold_margins = margins.group_by("classifier", "fold", maintain_order=True).agg("true")
        for classifier, fold, sizes in fold_margins.rows():
            by_classifier.setdefault(classifier, {})[fold] = tuple(sizes)
    if aggregates.regression is not None:
        frame = aggregates.regression.frame.filter(in_fold)
        for classifier, fold, cases in frame.select("classifier", "fold", "cases").rows():
            by_classifier.setdefault(classifier, {})[fold] = (int(cases),)
    return by_classifier


def infer_fold_design(
    folds: Sequence[str],
    sizes: Mapping[str, tuple[int, ...]] | None,
    spec: Spec,
    aggregates: Aggregates,
) -> FoldDesign:
    """Return the design from the spec and, where it is silent, from the fold sizes."""
    settings = spec.folds
    repeats = settings.repeats or (_infer_repeats(aggregates) if sizes else 1)
    ratio: float | None
    source: Literal["spec", "sizes", "number of folds"] | None
    if settings.ratio is not None:
        ratio, source = settings.ratio, "spec"
    elif sizes is not None:
        tested = [sum(sizes[fold]) for fold in folds]
        total = aggregates.distinct_cases or sum(tested) / repeats
        has_training_cases = all(size < total for size in tested)
        shares = [size / (total - size) for size in tested] if has_training_cases else []
        ratio, source = (sum(shares) / len(shares), "sizes") if shares else (None, None)
    elif len(folds) > repeats:
        ratio, source = repeats / (len(folds) - repeats), "number of folds"
    else:
        ratio, source = None, None
    halves = (repeats, len(folds)) == FIVE_BY_TWO_SHAPE and _folds_are_halves(folds, sizes)
    return FoldDesign(len(folds), repeats, ratio, source, halves)


def _infer_repeats(aggregates: Aggregates) -> int:
    """Return the number of predictions per case if it is the same for all cases, else 1."""
    cases, distinct = aggregates.case_count, aggregates.distinct_cases
    if not cases or not distinct or cases % distinct:
        return 1
    return cases // distinct


def _folds_are_halves(folds: Sequence[str], sizes: Mapping[str, tuple[int, ...]] | None) -> bool:
    """Return whether consecutive pairs of folds can partition the cases (as in 5×2cv)."""
    if sizes is None:
        return True
    pairs = zip(folds[::2], folds[1::2], strict=True)
    together = {tuple(map(sum, zip(sizes[one], sizes[other], strict=True))) for one, other in pairs}
    return len(together) == 1


@dataclass(frozen=True, slots=True)
class FoldSummary:
    """Mean and variance over the folds with a finite value of the measure."""

    classifier: str
    class_: str | None
    average: str | None
    measure: str
    k: int
    mean: float | None
    variance: float | None
    variance_of_mean: float | None
    undefined_folds: int
    low: float | None = None
    high: float | None = None

    @property
    def standard_deviation(self) -> float | None:
        """The square root of the variance."""
        return None if self.variance is None else math.sqrt(self.variance)

    @property
    def is_overall(self) -> bool:
        """Return whether it is an overall value: neither of a class nor an average."""
        return self.class_ is None and self.average is None


def summarize_folds(
    values: MeasureValues, level: float = 0.95, ratios: Mapping[str, float | None] | None = None
) -> tuple[FoldSummary, ...]:
    """Return mean, variance and confidence interval of every value that exists per fold.

    `ratios` are n_test/n_train by classifier, by default 1/(k − 1) as in cross-validation; without
    one there is no interval.
    """
    # Lists, because sums over groups depend in their last digit on the number of threads.
    finite, used = pl.col("finite"), pl.col("finite").list.len()
    variance = finite.list.var(ddof=1)
    summaries = (
        values.frame.filter(pl.col("fold").is_not_null())
        .group_by("classifier", "class", "average", "measure", maintain_order=True)
        .agg(k=pl.len(), finite=pl.col("value").filter(pl.col("state") == ValueState.DEFINED.value))
        .select(
            *("classifier", "class", "average", "measure", "k"),
            mean=finite.list.mean(),
            variance=variance,
            variance_of_mean=variance / used,
            undefined_folds=pl.col("k") - used,
        )
    )
    unbounded = (FoldSummary(*row) for row in summaries.rows())
    return tuple(
        _add_corrected_interval(
            summary,
            level,
            _default_test_train_ratio(summary) if ratios is None else ratios[summary.classifier],
        )
        for summary in unbounded
    )


def infer_test_train_ratios(
    values: MeasureValues, spec: Spec, aggregates: Aggregates
) -> dict[str, float | None]:
    """Return n_test/n_train of every classifier with folds, where it is known."""
    folds_by_classifier = (
        values.frame.filter(pl.col("fold").is_not_null())
        .group_by("classifier", maintain_order=True)
        .agg(pl.col("fold").unique(maintain_order=True))
    )
    sizes = fold_sizes(aggregates)
    return {
        classifier: infer_fold_design(
            folds, sizes.get(classifier), spec, aggregates
        ).test_train_ratio
        for classifier, folds in folds_by_classifier.rows()
    }


def _default_test_train_ratio(summary: FoldSummary) -> float | None:
    return 1 / (summary.k - 1) if summary.k > 1 else None


def _add_corrected_interval(summary: FoldSummary, level: float, ratio: float | None) -> FoldSummary:
    """Add the t interval with Nadeau and Bengio's corrected variance, clipped to the range.

    Folds without variance give no interval.
    """
    measure = find_measure(summary.measure)
    used = summary.k - summary.undefined_folds
    if measure is None or ratio is None or summary.mean is None or summary.variance is None:
        return summary
    if math.sqrt(summary.variance) <= RANGE_TOLERANCE * abs(summary.mean):
        return summary
    half = critical_t(used - 1, level) * math.sqrt((1 / used + ratio) * summary.variance)
    low, high = summary.mean - half, summary.mean + half
    least, most = measure.range.low, measure.range.high
    return replace(
        summary,
        low=low if least is None else max(low, least),
        high=high if most is None else min(high, most),
    )


# Counts are integers, so a class may differ from its proportion by one case.
STRATIFICATION_TOLERANCE = 1 + 1e-9


class Stratification(StrEnum):
    """Whether folds are stratified by class."""

    STRATIFIED = "stratified"
    NOT_STRATIFIED = "not stratified"
    TOO_SMALL = "too small to stratify"


@dataclass(frozen=True, slots=True)
class ClassDistribution:
    """The proportion of a class overall, its minimum and maximum over folds, and empty folds."""

    class_: str
    proportion: float
    min_proportion: float
    max_proportion: float
    folds_without_class: tuple[str, ...]
    """The folds without a case of the class."""


@dataclass(frozen=True, slots=True)
class FoldAudit:
    """Fold sizes of some classifiers, and the distribution of the classes over the folds.

    Stratified means: in every fold every class has its proportion of the fold's cases, up to one
    case, or as many cases as in every other fold.
    """

    classifiers: tuple[str, ...]
    folds: tuple[str, ...]
    sizes: tuple[int, ...]
    classes: tuple[ClassDistribution, ...]
    verdict: Stratification
    chi_square: float | None
    df: int
    p: float | None

    @property
    def has_equal_sizes(self) -> bool:
        """Whether fold sizes differ by at most one case."""
        return max(self.sizes) - min(self.sizes) <= 1


def audit_folds(aggregates: Aggregates, repeats: int | None = None) -> tuple[FoldAudit, ...]:
    """Audit the folds; classifiers with equal fold sizes share an audit.

    `repeats` is needed where ids do not show it.
    """
    if aggregates.confusion is None:
        return ()
    classifiers_by_sizes: dict[tuple[tuple[str, tuple[int, ...]], ...], list[str]] = {}
    for classifier, sizes in fold_sizes(aggregates).items():
        classifiers_by_sizes.setdefault(tuple(sizes.items()), []).append(classifier)
    is_repeated = aggregates.distinct_cases is not None or (repeats or 1) > 1
    return tuple(
        _audit_fold_group(tuple(names), dict(sizes), aggregates.classes, is_repeated=is_repeated)
        for sizes, names in classifiers_by_sizes.items()
    )


def _audit_fold_group(
    classifiers: tuple[str, ...],
    sizes: dict[str, tuple[int, ...]],
    classes: tuple[str, ...],
    *,
    is_repeated: bool,
) -> FoldAudit:
    folds = tuple(sizes)
    counts = np.array(list(sizes.values()), dtype=np.float64)
    by_fold, by_class = counts.sum(axis=1), counts.sum(axis=0)
    shares = counts / by_fold[:, None]
    overall = by_class / by_class.sum()
    chi_square, df, p = _stratification_chi_square(counts[:, by_class > 0], is_repeated=is_repeated)
    return FoldAudit(
        classifiers=classifiers,
        folds=folds,
        sizes=tuple(int(size) for size in by_fold),
        classes=tuple(
            ClassDistribution(
                class_,
                float(overall[place]),
                float(shares[:, place].min()),
                float(shares[:, place].max()),
                tuple(
                    fold for fold, count in zip(folds, counts[:, place], strict=True) if not count
                ),
            )
            for place, class_ in enumerate(classes)
            if by_class[place]
        ),
        verdict=_assess_stratification(counts, by_fold, overall),
        chi_square=chi_square,
        df=df,
        p=p,
    )


def _assess_stratification(
    counts: FloatArray, fold_totals: FloatArray, class_proportions: FloatArray
) -> Stratification:
    if fold_totals.mean() < np.count_nonzero(class_proportions):
        return Stratification.TOO_SMALL
    from_share = np.abs(counts - np.outer(fold_totals, class_proportions)).max()
    from_others = np.abs(counts - counts.mean(axis=0)).max()
    even = min(from_share, from_others) <= STRATIFICATION_TOLERANCE
    return Stratification.STRATIFIED if even else Stratification.NOT_STRATIFIED


def _stratification_chi_square(
    counts: FloatArray, *, is_repeated: bool
) -> tuple[float | None, int, float | None]:
    """Return chi-square of fold by class, with a p-value where every case is in one fold."""
    from scipy.special import chdtrc

    df = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    if not df:
        return None, 0, None
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    chi_square = float(((counts - expected) ** 2 / expected).sum())
    return chi_square, df, None if is_repeated else float(chdtrc(df, chi_square))


WILCOXON_SIGNED_RANK = "wilcoxon"
NO_SHARED_FOLD = "there is no fold in which both have a finite value"
UNKNOWN_TEST_TRAIN_RATIO = (
    "how many test cases there are for a training case is not known; name it with `ratio` in"
    " [folds]"
)
FOLDS_MATCHED_BY_NAME = "folds of the same name are taken to be the same folds"
FOLDS_PAIRED_IN_ORDER = "the folds are taken two by two, in their order, as the halves of a repeat"
HODGES_LEHMANN_NOTE = "difference by Hodges and Lehmann"
TEST_TRAIN_RATIO_NOTE = "test cases for a training case"


@dataclass(frozen=True, slots=True)
class FoldPair:
    """Two classifiers with their common folds, the design, and why they may not be tested."""

    first: str
    second: str
    folds: tuple[str, ...]
    design: FoldDesign | None
    primary_test: bool
    mismatch_reason: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class CorrectionDisagreement:
    """A difference that is significant by the uncorrected t-test only."""

    uncorrected: Comparison
    corrected: Comparison


def fold_pairs(values: MeasureValues, spec: Spec, aggregates: Aggregates) -> tuple[FoldPair, ...]:
    """Return all pairs of classifiers with folds, including those that cannot be tested."""
    in_folds = values.frame.filter(pl.col("fold").is_not_null())
    folds_by_classifier = in_folds.group_by("classifier", maintain_order=True).agg(
        pl.col("fold").unique(maintain_order=True)
    )
    folds: dict[str, list[str]] = dict(folds_by_classifier.rows())
    sizes = fold_sizes(aggregates)
    names_with_fold_scores = {
        item.name for item in spec.classifiers if item.fold_scores is not None
    }
    has_mismatches = aggregates.fold_mismatches > 0
    pairs: list[FoldPair] = []
    names = [item.name for item in spec.classifiers if item.name in folds]
    for first, second in pairs_to_compare(names, spec.comparison.baseline):
        if second not in folds:
            continue
        primary = not names_with_fold_scores.isdisjoint({first, second})
        same = set(folds[first]) == set(folds[second])
        same = same and (primary or (not has_mismatches and sizes[first] == sizes[second]))
        pair_sizes = sizes.get(first) or sizes.get(second)
        pairs.append(
            FoldPair(
                first,
                second,
                tuple(folds[first]),
                infer_fold_design(folds[first], pair_sizes, spec, aggregates) if same else None,
                primary,
                None if same else _mismatch_reason(folds[first], folds[second]),
                FOLDS_MATCHED_BY_NAME if primary and pair_sizes else None,
            )
        )
    return tuple(pairs)


def run_fold_tests(
    measure_values: MeasureValues, spec: Spec, aggregates: Aggregates
) -> tuple[Comparison, ...]:
    """Run the fold-level tests; the corrected one is primary where no cases are known."""
    pairs = [
        pair
        for pair in fold_pairs(measure_values, spec, aggregates)
        if pair.mismatch_reason is None
    ]
    if not pairs:
        return ()
    values = _values_by_fold(measure_values)
    rows: list[Comparison] = []
    for pair in pairs:
        names = [name for classifier, name in values if classifier == pair.first]
        for name in names:
            measure = find_measure(name)
            second = values.get((pair.second, name))
            if measure is None or measure.orientation is Orientation.NEITHER or second is None:
                continue
            paired = [(values[pair.first, name][fold], second[fold]) for fold in pair.folds]
            rows += _compare_over_folds(pair, measure, np.array(paired), spec)
    return tuple(rows)


def find_correction_disagreements(
    comparisons: Sequence[Comparison], alpha: float
) -> tuple[CorrectionDisagreement, ...]:
    """Return the differences significant by the uncorrected but not the corrected t-test."""
    uncorrected = {
        row.key: row for row in comparisons if row.data == "folds" and row.test == PAIRED_T
    }
    return tuple(
        CorrectionDisagreement(uncorrected[row.key], row)
        for row in comparisons
        if row.test == CORRECTED_RESAMPLED_T
        and row.p is not None
        and row.key in uncorrected
        and (uncorrected[row.key].p or 0.0) <= alpha < row.p
    )


@dataclass(frozen=True, slots=True)
class FoldDifferences:
    """The differences of two classifiers by fold, first minus second, and their mean.

    The first is the best classifier by its mean over the folds; with a baseline, the second is the
    baseline. The interval is that of the corrected t-test; a difference of None is not finite.
    """

    first: str
    second: str
    measure: str
    differences: Mapping[str, float | None]
    mean: float | None
    low: float | None
    high: float | None


def compute_fold_differences(
    values: MeasureValues,
    pairs: Sequence[FoldPair],
    summaries: Sequence[FoldSummary],
    comparisons: Sequence[Comparison],
    baseline: str | None,
) -> tuple[FoldDifferences, ...]:
    """Return the differences by fold of the best classifier, or the baseline, from all others."""
    if not pairs:
        return ()
    by_fold = _values_by_fold(values)
    comparable = {frozenset((pair.first, pair.second)) for pair in pairs if pair.design is not None}
    tests = {
        (row.measure, row.first, row.second): row
        for row in comparisons
        if row.test == CORRECTED_RESAMPLED_T and row.data == "folds" and row.class_ is None
    }
    rows: list[FoldDifferences] = []
    for measure, names in _ranked_by_mean(summaries).items():
        reference = baseline if baseline in names else names[0]
        for other in names:
            if other == reference or frozenset((reference, other)) not in comparable:
                continue
            first, second = (other, reference) if reference == baseline else (reference, other)
            left, right = by_fold[first, measure], by_fold[second, measure]
            differences = {fold: left[fold] - right[fold] for fold in left if fold in right}
            test = tests.get((measure, first, second)) or tests.get((measure, second, first))
            is_reversed = test is not None and test.first == second
            limits = (None, None, None) if test is None else (test.difference, test.low, test.high)
            mean, low, high = _negate_interval(*limits) if is_reversed else limits
            rows.append(
                FoldDifferences(
                    first,
                    second,
                    measure,
                    {
                        fold: gap if math.isfinite(gap) else None
                        for fold, gap in differences.items()
                    },
                    mean,
                    low,
                    high,
                )
            )
    return tuple(rows)


def _ranked_by_mean(summaries: Sequence[FoldSummary]) -> dict[str, list[str]]:
    """Return by measure the classifiers with a mean over folds, the best first."""
    means: dict[str, dict[str, float]] = {}
    for summary in summaries:
        if summary.is_overall and summary.mean is not None:
            means.setdefault(summary.measure, {})[summary.classifier] = summary.mean
    names_by_measure: dict[str, list[str]] = {}
    for name, by_classifier in means.items():
        measure = find_measure(name)
        if measure is not None and measure.orientation is not Orientation.NEITHER:
            ranks = competition_ranks(by_classifier, measure.orientation)
            names_by_measure[name] = sorted(by_classifier, key=ranks.__getitem__)
    return names_by_measure


def _negate_interval(
    number: float | None, low: float | None, high: float | None
) -> tuple[float | None, float | None, float | None]:
    """Return the interval of the difference the other way round."""
    negated = [None if value is None else -value + 0.0 for value in (number, high, low)]
    return negated[0], negated[1], negated[2]


@dataclass(frozen=True, slots=True)
class FoldTestDetail:
    """The standard error and the critical value of a t-test over folds.

    `critical_value` is the quantile of Student's t for the significance level of the report, one-
    or two-sided as the spec says.
    """

    first: str
    second: str
    measure: str
    test: str
    df: float
    standard_error: float | None
    """The difference divided by t; None: t is 0 or there is none."""
    critical_value: float


def compute_fold_test_details(
    comparisons: Sequence[Comparison], spec: Spec
) -> tuple[FoldTestDetail, ...]:
    """Return standard errors and critical values of all t-tests over folds."""
    sides = 1 if spec.folds.tails == "two" else 2
    level = 1 - sides * spec.comparison.alpha
    return tuple(
        FoldTestDetail(
            row.first,
            row.second,
            row.measure,
            row.test,
            row.df,
            row.difference / row.statistic
            if row.statistic and row.difference is not None
            else None,
            critical_t(row.df, level),
        )
        for row in comparisons
        if row.data == "folds"
        and row.test in {PAIRED_T, CORRECTED_RESAMPLED_T}
        and row.df is not None
    )


def _mismatch_reason(first: Sequence[str], second: Sequence[str]) -> str:
    if set(first) == set(second):
        return "their folds have the same names but hold different cases"
    shared = len(set(first) & set(second))
    return f"they have {len(first)} and {len(second)} folds, of which {shared} share a name"


def _values_by_fold(values: MeasureValues) -> dict[tuple[str, str], dict[str, float]]:
    """Return values by classifier and measure, then by fold; NaN where not finite."""
    by_fold: dict[tuple[str, str], dict[str, float]] = {}
    frame = values.per_fold()
    columns = frame.select("classifier", "measure", "fold", pl.col("value").fill_null(np.nan))
    for classifier, measure, fold, value in columns.rows():
        by_fold.setdefault((classifier, measure), {})[fold] = value
    return by_fold


def _compare_over_folds(
    pair: FoldPair, measure: Measure, paired_values: FloatArray, spec: Spec
) -> Iterator[Comparison]:
    """Run all tests with better counted as positive, and restore the sign of the measure."""
    sign = -1.0 if measure.orientation is Orientation.LOWER else 1.0
    differences = sign * (paired_values[:, 0] - paired_values[:, 1])
    used = differences[np.isfinite(differences)]
    left_out = len(differences) - len(used)
    shared = [
        *([pair.note] if pair.note else []),
        *([f"{left_out} of {len(differences)} folds left out"] if left_out else []),
        *(["one tail: is the first better?"] if spec.folds.tails == "one" else []),
    ]
    for test, notes in _applicable_tests(pair, used, spec, all_folds_used=not left_out):
        # Adding 0 turns a negative zero into zero.
        ends = [None if end is None else sign * end + 0.0 for end in (test.low, test.high)]
        low, high = ends if sign > 0 else ends[::-1]
        signed = test.statistic is not None and test.name not in {WILCOXON_SIGNED_RANK, F_5X2CV}
        reasons = [test.reason] if test.reason else []
        yield Comparison(
            first=pair.first,
            second=pair.second,
            measure=measure.name,
            test=test.name,
            data="folds",
            difference=sign * test.estimate + 0.0 if len(used) else None,
            low=low,
            high=high,
            statistic=sign * (test.statistic or 0.0) + 0.0 if signed else test.statistic,
            df=test.df,
            p=test.p,
            primary_test=pair.primary_test and test.name == CORRECTED_RESAMPLED_T,
            note="; ".join([*reasons, *notes, *shared]) or None,
        )


def _applicable_tests(
    pair: FoldPair, differences: FloatArray, spec: Spec, *, all_folds_used: bool
) -> Iterator[tuple[FoldTest, list[str]]]:
    """Yield every test that the design allows, with its notes."""
    level, tails, design = spec.intervals.level, spec.folds.tails, pair.design
    if not len(differences):
        for name in (PAIRED_T, CORRECTED_RESAMPLED_T, WILCOXON_SIGNED_RANK):
            yield FoldTest(name=name, estimate=0.0, reason=NO_SHARED_FOLD), []
        return
    t_test = paired_ttest(differences, level, tails)
    yield t_test, []
    if design is None or design.test_train_ratio is None:
        yield (
            FoldTest(
                name=CORRECTED_RESAMPLED_T,
                estimate=t_test.estimate,
                reason=UNKNOWN_TEST_TRAIN_RATIO,
            ),
            [],
        )
    else:
        ratio = f"{design.test_train_ratio:.4g} {TEST_TRAIN_RATIO_NOTE}"
        yield corrected_resampled_ttest(differences, design.test_train_ratio, level, tails), [ratio]
    yield _wilcoxon_test(differences, spec)
    if all_folds_used and design is not None and design.is_5x2cv:
        t, f = ttest_5x2cv(differences.reshape(5, 2), tails)
        yield t, [FOLDS_PAIRED_IN_ORDER]
        yield f, [FOLDS_PAIRED_IN_ORDER, "10 and 5 degrees of freedom, two-tailed by nature"]


def _wilcoxon_test(differences: FloatArray, spec: Spec) -> tuple[FoldTest, list[str]]:
    result = wilcoxon_signed_rank(differences, spec.intervals.level, tails=spec.folds.tails)
    test = FoldTest(
        name=WILCOXON_SIGNED_RANK,
        estimate=result.estimate,
        statistic=result.statistic,
        p=result.p,
        low=result.low,
        high=result.high,
    )
    dropped = f", {result.n_zeros} without a difference dropped" if result.n_zeros else ""
    kind = "exact" if result.exact else "normal approximation"
    return test, [f"{kind} over {result.n_used} folds{dropped}", HODGES_LEHMANN_NOTE]
