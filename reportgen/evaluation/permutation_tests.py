"""Permutation tests of two classifiers: paired (label swap per case) and unpaired.

Paired: under the null hypothesis either classifier is equally likely to be the one that predicts
the class on a discordant case, so the split of the discordant pairs is binomial with probability
½ (generalized McNemar) and the null distribution of every measure can be enumerated exactly.

Unpaired: with counts only, the predictions for the cases of a class could as well have been
assigned to the other classifier. Given the totals, the first one's count is hypergeometric, which
for sensitivity is Fisher's exact test.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from reportgen.evaluation.confidence.gradient import SparseConfusionMatrix, gradient_overall
from reportgen.evaluation.contingency_tables import (
    DiscordantSplits,
    build_confusion_matrix,
    build_paired_tables,
    encode_classes,
)
from reportgen.evaluation.multiple_testing import HypothesisFamily, SupportWeights
from reportgen.evaluation.studentized import (
    PermutedCounts,
    split_statistics_by_table,
    studentize_permutations,
    studentized_unpaired,
)
from reportgen.statistics.permutation import NullDistribution

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from reportgen.evaluation.multiple_testing import Hypothesis, PermutationPlan
    from reportgen.measures import Measure
    from reportgen.statistics import FloatArray, IndexArray
    from reportgen.statistics.paired_tests import PairedContingencyTable


PAIRED_EXACT, PAIRED_MONTE_CARLO = "paired permutation (exact)", "paired permutation (Monte Carlo)"
# Up to this many outcomes are enumerated; beyond, they are sampled.
MAX_ENUMERATED = 60_000
MONTE_CARLO_PERMUTATIONS = 40_000
# Outcomes in tails with less than this probability are not enumerated; their probability is
# added to every p-value instead.
TAIL_CUTOFF = 1e-9


def paired_permutation_test(
    pair: tuple[str, str],
    table: PairedContingencyTable,
    hypotheses: Sequence[Hypothesis],
    plan: PermutationPlan,
) -> HypothesisFamily:
    """Test all measures of one class against the rest by swapping predictions within cases."""
    measures = [hypothesis.measure for hypothesis in hypotheses]
    splits, outcomes = permute_discordant_pairs(table, plan)
    ((observed, null),) = studentize_permutations([measures], [table], [splits])
    return HypothesisFamily(
        pair=pair,
        data="paired",
        test=PAIRED_EXACT if outcomes.exact else PAIRED_MONTE_CARLO,
        cases=table.positives.total + table.negatives.total,
        hypotheses=tuple(hypotheses),
        observed=observed,
        null_distributions=(null,),
        support=outcomes,
    )


def permute_discordant_pairs(
    table: PairedContingencyTable, plan: PermutationPlan
) -> tuple[DiscordantSplits, SupportWeights]:
    """Return all splits of the discordant pairs with probabilities, or a sample of them."""
    split_hits = table.positives.first_only + table.positives.second_only
    split_alarms = table.negatives.first_only + table.negatives.second_only
    tp, hit_weights = _binomial_half_support(split_hits)
    fp, alarm_weights = _binomial_half_support(split_alarms)
    if len(tp) * len(fp) <= MAX_ENUMERATED:
        weights = np.outer(hit_weights, alarm_weights).ravel()
        splits = DiscordantSplits(np.repeat(tp, len(fp)), np.tile(fp, len(tp)))
        uncovered = max(0.0, 1.0 - float(weights.sum()))
        return splits, SupportWeights(weights, uncovered, exact=True)
    random, n_samples = plan.rng(), max(MONTE_CARLO_PERMUTATIONS, plan.n_min)
    sampled = DiscordantSplits(
        random.binomial(split_hits, 0.5, n_samples).astype(np.float64),
        random.binomial(split_alarms, 0.5, n_samples).astype(np.float64),
    )
    return sampled, SupportWeights.monte_carlo(n_samples)


def _binomial_half_support(n_trials: int) -> tuple[FloatArray, FloatArray]:
    """Return the support of Binomial(n, ½) without negligible tails, and the probabilities."""
    from scipy.special import bdtr, gammaln

    # By Hoeffding's bound all that are farther from the middle are too remote.
    farthest = np.sqrt(n_trials / 2 * np.log(2 / TAIL_CUTOFF))
    fewest = max(0, int(n_trials / 2 - farthest))
    support = np.arange(fewest, n_trials - fewest + 1, dtype=np.float64)
    if n_trials:
        below = bdtr(support, n_trials, 0.5)
        support = support[(below > TAIL_CUTOFF / 2) & (below[::-1] > TAIL_CUTOFF / 2)]
    logs = gammaln(n_trials + 1) - gammaln(support + 1) - gammaln(n_trials - support + 1)
    return support, np.exp(logs - n_trials * np.log(2.0))


MIN_PAIRED_PERMUTATIONS, MAX_PAIRED_PERMUTATIONS = 2_000, 20_000
# Samples times groups of discordant pairs held in memory at once.
MAX_PAIRED_CELLS = 10_000_000


@dataclass(frozen=True, slots=True)
class DiscordantPairs:
    """Discordant pairs grouped by the true class and the two predicted classes a and b.

    `n_ab` counts cases where the first predicts a and the second b, `n_ba` the reverse.
    """

    truth: npt.NDArray[np.int64]
    class_a: npt.NDArray[np.int64]
    class_b: npt.NDArray[np.int64]
    n_ab: FloatArray
    n_ba: FloatArray

    @property
    def n_discordant(self) -> FloatArray:
        """The number of discordant pairs in each group."""
        return self.n_ab + self.n_ba

    def sample(self, rng: np.random.Generator, n_samples: int) -> FloatArray:
        """Sample the number of (a, b) pairs in each group under the null hypothesis.

        A row per group, in the sampling order, and a column per sample.
        """
        single = self.n_discordant == 1
        signs = rng.integers(0, 2, (n_samples, int(single.sum())), dtype=np.int8)
        n_several = self.n_discordant[~single].astype(np.int64)
        several = rng.binomial(n_several, 0.5, (n_samples, len(n_several)))
        return np.concatenate([signs.T, several.T.astype(np.float64)])

    @property
    def sampling_order(self) -> IndexArray:
        """The groups with a single case, which need one random bit, before those with several."""
        return np.argsort(self.n_discordant != 1, kind="stable")


def count_discordant_pairs(frame: pl.DataFrame, classes: Sequence[str]) -> DiscordantPairs:
    """Return the cases for which two classifiers predict different classes, grouped."""
    numbered = pl.DataFrame(
        {
            "truth": encode_classes(frame["truth"], classes),
            "first": encode_classes(frame["first_prediction"], classes),
            "second": encode_classes(frame["second_prediction"], classes),
            "count": frame["count"],
        }
    )
    first, second, count = pl.col("first"), pl.col("second"), pl.col("count")
    kinds = (
        numbered.filter(first != second)
        .group_by(
            "truth", one=pl.min_horizontal(first, second), other=pl.max_horizontal(first, second)
        )
        .agg(straight=count.filter(first < second).sum(), turned=count.filter(first > second).sum())
        .sort("truth", "one", "other")
    )
    truth, one, other, n_ab, n_ba = (kinds[name].to_numpy() for name in kinds.columns)
    return DiscordantPairs(truth, one, other, n_ab.astype(np.float64), n_ba.astype(np.float64))


def paired_permutation_test_multiclass(
    pair: tuple[str, str],
    frame: pl.DataFrame,
    classes: Sequence[str],
    hypotheses: Sequence[Hypothesis],
    plan: PermutationPlan,
) -> HypothesisFamily:
    """Test measures of every class and over all classes by swapping predictions within cases."""
    kinds = count_discordant_pairs(frame, classes)
    n_samples = plan.n_fitting_memory(
        len(kinds.truth), MAX_PAIRED_CELLS, MIN_PAIRED_PERMUTATIONS, MAX_PAIRED_PERMUTATIONS
    )
    ordered = sorted(hypotheses, key=lambda one: one.class_index(classes))
    matrices = (
        build_confusion_matrix(frame, classes, "first_prediction"),
        build_confusion_matrix(frame, classes, "second_prediction"),
    )
    overall = [
        _paired_overall_statistic(one.measure, matrices, kinds)
        for one in ordered
        if one.class_ is None
    ]
    splits, moved = _sample_splits(
        kinds, len(classes), [moves for _, moves in overall], n_samples, plan
    )
    observed, nulls = (
        [np.array([value for value, _ in overall])],
        [NullDistribution.from_values(moved)],
    )
    tables = build_paired_tables(frame, classes)
    by_class = {
        label: [one.measure for one in group]
        for label, group in groupby(ordered[len(overall) :], key=lambda one: one.class_ or "")
    }
    for statistics, null in studentize_permutations(
        list(by_class.values()),
        [tables[label] for label in by_class],
        [splits[classes.index(label)] for label in by_class],
    ):
        observed.append(statistics)
        nulls.append(null)
    return HypothesisFamily(
        pair=pair,
        data="paired",
        test=PAIRED_MONTE_CARLO,
        cases=int(frame["count"].sum()),
        hypotheses=tuple(ordered),
        observed=np.concatenate(observed),
        null_distributions=tuple(nulls),
        support=SupportWeights.monte_carlo(n_samples),
    )


def _sample_splits(
    discordant: DiscordantPairs,
    n_classes: int,
    overall_gradients: Sequence[FloatArray],
    n_samples: int,
    plan: PermutationPlan,
) -> tuple[list[DiscordantSplits], FloatArray]:
    """Yield blocks of sampled splits: how often only the first predicts each class.

    With them the first-order change of the overall measures, a row for each.
    """
    rows = np.arange(len(discordant.truth))
    predicted = np.zeros((2, len(rows), n_classes))
    predicted[:, rows, discordant.class_a] += 1
    predicted[:, rows, discordant.class_b] -= 1
    is_class = np.equal.outer(discordant.truth, np.arange(n_classes))
    predicted[0][~is_class] = 0
    predicted[1][is_class] = 0
    # Whoever did not give the one answer gave the other.
    always = [
        np.where(part < 0, discordant.n_discordant[:, None], 0).sum(axis=0) for part in predicted
    ]
    moves = np.array(overall_gradients).reshape(len(overall_gradients), len(rows))
    # A case that is straight instead of turned moves a measure there and not back.
    effects = np.concatenate([predicted[0].T, predicted[1].T, 2 * moves])
    start = np.concatenate([*always, -(moves @ discordant.n_discordant)])
    effects = effects[:, discordant.sampling_order]
    random = plan.rng()
    part = max(1, MAX_PAIRED_CELLS // max(1, len(rows)))
    blocks = [
        effects @ discordant.sample(random, min(part, n_samples - done))
        for done in range(0, n_samples, part)
    ]
    sampled = np.concatenate(blocks, axis=1) + start[:, None]
    splits = [
        DiscordantSplits(tp, fp)
        for tp, fp in zip(sampled[:n_classes], sampled[n_classes : 2 * n_classes], strict=True)
    ]
    return splits, sampled[2 * n_classes :]


def _paired_overall_statistic(
    measure: Measure,
    matrices: tuple[SparseConfusionMatrix, SparseConfusionMatrix],
    discordant: DiscordantPairs,
) -> tuple[float, FloatArray]:
    """Return the statistic of an overall measure, and its gradient in the swaps."""
    first, second = (gradient_overall(measure, matrix) for matrix in matrices)
    moved = np.zeros(len(discordant.truth))
    for slopes in (first, second):
        moved += (
            slopes.at_cells(discordant.truth, discordant.class_a)
            - slopes.at_cells(discordant.truth, discordant.class_b)
        ) / 2
    error = float(np.sqrt((moved**2 * discordant.n_discordant).sum()))
    if not error:
        return 0.0, moved
    return (first.value - second.value) / error, moved / error


_IntArray: TypeAlias = "npt.NDArray[np.int64]"
UNPAIRED_EXACT, UNPAIRED_MONTE_CARLO = (
    "unpaired permutation (exact)",
    "unpaired permutation (Monte Carlo)",
)
MIN_UNPAIRED_PERMUTATIONS, MAX_UNPAIRED_PERMUTATIONS = 1_000, 4_000
MAX_UNPAIRED_CELLS = 10_000_000
# Beyond this many cases the normal approximation of the hypergeometric is sampled.
MAX_HYPERGEOMETRIC_CASES = 10**8


@dataclass(frozen=True, slots=True)
class Hypergeometric:
    """The hypergeometric distribution of the first classifier's count, given the totals."""

    successes: int
    first_cases: int
    second_cases: int

    @property
    def population(self) -> int:
        """The number of predictions in all."""
        return self.first_cases + self.second_cases

    def support(self) -> tuple[FloatArray, FloatArray] | None:
        """Return the support with probabilities; None if it is too large to enumerate."""
        least, most = (
            max(0, self.successes - self.second_cases),
            min(self.successes, self.first_cases),
        )
        spread = 10 * self._standard_deviation() + 1
        middle = self._mean()
        from_, to = max(least, int(middle - spread)), min(most, int(middle + spread) + 1)
        if to - from_ >= MAX_ENUMERATED:
            return None
        got = np.arange(from_, to + 1, dtype=np.float64)
        weights = np.exp(
            _log_binomial_coefficient(self.first_cases, got)
            + _log_binomial_coefficient(self.second_cases, self.successes - got)
            - _log_binomial_coefficient(self.population, np.array(float(self.successes)))
        )
        kept = weights > TAIL_CUTOFF / max(1, len(got))
        return got[kept], weights[kept]

    def sample(self, rng: np.random.Generator, n_samples: int) -> FloatArray:
        """Sample from the distribution."""
        if self.population < MAX_HYPERGEOMETRIC_CASES:
            dealt = rng.hypergeometric(
                self.successes, self.population - self.successes, self.first_cases, n_samples
            )
            return dealt.astype(np.float64)
        samples = np.rint(rng.normal(self._mean(), self._standard_deviation(), n_samples))
        return np.clip(samples, max(0, self.successes - self.second_cases), self.first_cases)

    def _mean(self) -> float:
        return self.first_cases * self.successes / max(1, self.population)

    def _standard_deviation(self) -> float:
        share = self.successes / max(1, self.population)
        left = self.second_cases / max(1, self.population - 1)
        return float(np.sqrt(self.first_cases * share * (1 - share) * left))


def unpaired_permutation_test(
    pair: tuple[str, str],
    matrices: tuple[SparseConfusionMatrix, SparseConfusionMatrix],
    classes: Sequence[str],
    hypotheses: Sequence[Hypothesis],
    plan: PermutationPlan,
) -> HypothesisFamily:
    """Test two classifiers of which only the confusion matrices are known."""
    ordered = sorted(hypotheses, key=lambda one: one.class_index(classes))
    labels = {hypothesis.class_ for hypothesis in ordered}
    if len(labels) == 1 and None not in labels:
        observed, nulls, outcomes = _permute_one_class(matrices, classes, ordered, plan)
    else:
        observed, nulls, outcomes = _permute_all_classes(matrices, classes, ordered, plan)
    return HypothesisFamily(
        pair=pair,
        data="unpaired",
        test=UNPAIRED_EXACT if outcomes.exact else UNPAIRED_MONTE_CARLO,
        cases=int(min(matrix.total for matrix in matrices)),
        hypotheses=tuple(ordered),
        observed=observed,
        null_distributions=nulls,
        support=outcomes,
    )


def _log_binomial_coefficient(n: int, k: FloatArray) -> FloatArray:
    """Return the logarithm of the binomial coefficient."""
    from scipy.special import gammaln

    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.asarray(ways, dtype=np.float64)


def _class_counts(matrix: SparseConfusionMatrix, class_index: int) -> PermutedCounts:
    counts = matrix.class_counts
    return PermutedCounts(
        *(counts[name][class_index : class_index + 1] for name in ("tp", "fn", "fp", "tn"))
    )


def _permute_one_class(
    matrices: tuple[SparseConfusionMatrix, SparseConfusionMatrix],
    classes: Sequence[str],
    hypotheses: Sequence[Hypothesis],
    plan: PermutationPlan,
) -> tuple[FloatArray, tuple[NullDistribution, ...], SupportWeights]:
    label = hypotheses[0].class_ or ""
    first, second = (_class_counts(matrix, classes.index(label)) for matrix in matrices)
    tp, fp = (
        Hypergeometric(int(one[0] + other[0]), int((one + rest)[0]), int((other + other_rest)[0]))
        for one, rest, other, other_rest in (
            (first.tp, first.fn, second.tp, second.fn),
            (first.fp, first.tn, second.fp, second.tn),
        )
    )
    of_hits, of_alarms = tp.support(), fp.support()
    if of_hits and of_alarms and len(of_hits[0]) * len(of_alarms[0]) <= MAX_ENUMERATED:
        (hit, hit_weights), (alarm, alarm_weights) = of_hits, of_alarms
        weights = np.outer(hit_weights, alarm_weights).ravel()
        outcomes = SupportWeights(weights, max(0.0, 1.0 - float(weights.sum())), exact=True)
        got_hits, got_alarms = np.repeat(hit, len(alarm)), np.tile(alarm, len(hit))
    else:
        random, n_samples = plan.rng(), max(MONTE_CARLO_PERMUTATIONS, plan.n_min)
        outcomes = SupportWeights.monte_carlo(n_samples)
        got_hits, got_alarms = tp.sample(random, n_samples), fp.sample(random, n_samples)
    sides = _permuted_counts(tp, fp, np.append(first.tp, got_hits), np.append(first.fp, got_alarms))
    both = np.array([studentized_unpaired(one.measure, *sides) for one in hypotheses])
    return both[:, 0], (NullDistribution.from_values(both[:, 1:]),), outcomes


def _permuted_counts(
    tp_distribution: Hypergeometric,
    fp_distribution: Hypergeometric,
    first_tp: FloatArray,
    first_fp: FloatArray,
) -> tuple[PermutedCounts, PermutedCounts]:
    left_hits, left_alarms = (
        tp_distribution.successes - first_tp,
        fp_distribution.successes - first_fp,
    )
    return (
        PermutedCounts(
            first_tp,
            tp_distribution.first_cases - first_tp,
            first_fp,
            fp_distribution.first_cases - first_fp,
        ),
        PermutedCounts(
            left_hits,
            tp_distribution.second_cases - left_hits,
            left_alarms,
            fp_distribution.second_cases - left_alarms,
        ),
    )


def _permute_all_classes(
    matrices: tuple[SparseConfusionMatrix, SparseConfusionMatrix],
    classes: Sequence[str],
    hypotheses: Sequence[Hypothesis],
    plan: PermutationPlan,
) -> tuple[FloatArray, tuple[NullDistribution, ...], SupportWeights]:
    """Permute whole rows of the matrices: the predictions for the cases of each true class."""
    first, second = (_dense_matrix(matrix) for matrix in matrices)
    random, n_samples = (
        plan.rng(),
        plan.n_fitting_memory(
            first.size, MAX_UNPAIRED_CELLS, MIN_UNPAIRED_PERMUTATIONS, MAX_UNPAIRED_PERMUTATIONS
        ),
    )
    pooled = (first + second).astype(np.int64)
    dealt = _sample_permuted_rows(random, pooled, first.sum(axis=1).astype(np.int64), n_samples)
    # What was found goes first, to be worked out together with what was drawn.
    dealt = np.concatenate([first[None], dealt])
    by_class = {
        label: [one.measure for one in group]
        for label, group in groupby(hypotheses, key=lambda one: one.class_)
    }
    parts: list[tuple[FloatArray, NullDistribution]] = []
    if None in by_class:
        both = np.array(
            [
                _unpaired_overall_statistics(measure, matrices, dealt)
                for measure in by_class.pop(None)
            ]
        )
        parts.append((both[:, 0], NullDistribution.from_values(both[:, 1:])))
    places = [classes.index(label) for label in by_class if label is not None]
    parts += _class_statistics(list(by_class.values()), places, dealt, pooled)
    return (
        np.concatenate([observed for observed, _ in parts]),
        tuple(null for _, null in parts),
        SupportWeights.monte_carlo(n_samples),
    )


def _class_statistics(
    measures: Sequence[Sequence[Measure]],
    class_indices: Sequence[int],
    permuted: FloatArray,
    pooled: _IntArray,
) -> Iterator[tuple[FloatArray, NullDistribution]]:
    """Return the statistics of several classes, observed and permuted."""
    if not class_indices:
        return
    firsts, seconds, columns = [], [], []
    for place in class_indices:
        tp, fp, got_hits, got_alarms = _class_margins(permuted, pooled, place)
        # The same split comes up again and again, and is worked out once.
        stride = fp.population + 1
        keys = (got_hits * stride + got_alarms).astype(np.int64)
        different, column = np.unique(keys, return_inverse=True)
        first, second = _permuted_counts(tp, fp, *np.divmod(different.astype(np.float64), stride))
        firsts.append(first)
        seconds.append(second)
        columns.append(column)
    times = [len(counts.tp) for counts in firsts]
    sides = PermutedCounts.concat(firsts), PermutedCounts.concat(seconds)
    yield from split_statistics_by_table(
        measures, columns, times, lambda measure: studentized_unpaired(measure, *sides)
    )


def _class_margins(
    permuted: FloatArray, pooled: _IntArray, class_index: int
) -> tuple[Hypergeometric, Hypergeometric, FloatArray, FloatArray]:
    """Return the totals of a class and the first classifier's part of them."""
    mine = permuted[0].sum(axis=1)
    every = pooled.sum(axis=1)
    first, total = int(mine[class_index]), int(every[class_index])
    tp = Hypergeometric(int(pooled[class_index, class_index]), first, total - first)
    others, all_others = int(mine.sum()) - first, int(every.sum()) - total
    named = int(pooled[:, class_index].sum()) - tp.successes
    got_hits = permuted[:, class_index, class_index]
    got_alarms = permuted[:, :, class_index].sum(axis=1) - got_hits
    return tp, Hypergeometric(named, others, all_others - others), got_hits, got_alarms


def _sample_permuted_rows(
    rng: np.random.Generator, pooled: _IntArray, first_row_totals: _IntArray, n_samples: int
) -> FloatArray:
    """Sample the first classifier's row of each true class, one predicted class after the other."""
    if pooled.sum(axis=1).max() >= MAX_HYPERGEOMETRIC_CASES:
        shares = pooled / np.maximum(1, pooled.sum(axis=1, keepdims=True))
        samples = rng.multinomial(first_row_totals, shares, (n_samples, len(first_row_totals)))
        return np.minimum(samples, pooled).astype(np.float64)
    dealt = np.empty((n_samples, *pooled.shape))
    left, remaining = pooled.sum(axis=1), np.tile(first_row_totals, (n_samples, 1))
    for column in range(pooled.shape[1]):
        there = pooled[:, column]
        left = left - there
        got = rng.hypergeometric(there, left, np.minimum(remaining, there + left))
        dealt[:, :, column] = got
        remaining = remaining - got
    return dealt


def _dense_matrix(matrix: SparseConfusionMatrix) -> FloatArray:
    cells = np.zeros((matrix.size, matrix.size))
    cells[matrix.truth, matrix.prediction] = matrix.counts
    return cells


def _unpaired_overall_statistics(
    measure: Measure,
    matrices: tuple[SparseConfusionMatrix, SparseConfusionMatrix],
    permuted: FloatArray,
) -> FloatArray:
    """Return the statistic of an overall measure, observed and permuted (to first order)."""
    first, second = (_dense_matrix(matrix) for matrix in matrices)
    both = SparseConfusionMatrix.from_dense(first + second)
    cells = gradient_overall(measure, both).dense
    # The slopes are those of both together; a case weighs more in the matrix of one alone.
    moves = [cells * both.total / matrix.sum() for matrix in (first, second)]
    shares = (first + second) / np.maximum(1, (first + second).sum(axis=1, keepdims=True))
    variance = 0.0
    for matrix, moved in zip((first, second), moves, strict=True):
        spread = (shares * moved**2).sum(axis=1) - (shares * moved).sum(axis=1) ** 2
        variance += float((matrix.sum(axis=1) * spread).sum())
    if variance <= 0:
        return np.zeros(len(permuted))
    values = [gradient_overall(measure, matrix).value for matrix in matrices]
    # What the first does not get the second has.
    moved = permuted.reshape(len(permuted), -1) @ (moves[0] + moves[1]).ravel()
    centred = moved[1:] - moved[1:].mean()
    return np.asarray(np.append(values[0] - values[1], centred) / np.sqrt(variance))
