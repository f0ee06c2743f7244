"""Permutation tests of two classifiers: paired (label swap per case) and unpaired.

Paired: under the null hypothesis either classifier is equally likely to be the one that predicts
the class on a discordant case, so the split of the discordant pairs is binomial with probability
½ (generalized McNemar) and the null distribution of every measure can be enumerated exactly.

Unpaired: with counts only, the predictions for the cases of a class could as well have been
assigned to the other classifier. Given the totals, the first one's count is hypergeometric, which
for sensitivity is Fisher's exact test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from reportgen.evaluation.confidence.gradient import (
    SparseConfusionMatrix,
    gradient_of_average,
    gradient_overall,
)
from reportgen.evaluation.contingency_tables import (
    DiscordantSplits,
    PairedTables,
    build_confusion_matrix,
    build_correctness_table,
    build_paired_tables,
    encode_classes,
)
from reportgen.evaluation.multiple_testing import PairTests
from reportgen.evaluation.studentized import (
    PermutedCounts,
    paired_score_statistic,
    paired_score_statistics,
    studentize_splits,
    studentized_paired,
    studentized_unpaired,
    unpaired_score_statistic,
)
from reportgen.measures.registry import question_of
from reportgen.predictions.duplicates import sum_groups
from reportgen.statistics.max_t import two_sided_p
from reportgen.statistics.paired_tests import mcnemar_exact_p, mcnemar_mid_p
from reportgen.statistics.permutation import SMALLEST_P, SupportWeights, permutation_p_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from reportgen.evaluation.confidence.gradient import MatrixGradient
    from reportgen.evaluation.multiple_testing import Hypothesis, PermutationPlan
    from reportgen.statistics import FloatArray, IndexArray
    from reportgen.statistics.paired_tests import AgreementTable, PairedContingencyTable
    from reportgen.statistics.permutation import PValueKind


PAIRED_EXACT, PAIRED_MONTE_CARLO = "paired permutation (exact)", "paired permutation (Monte Carlo)"
PAIRED_SCORE = "paired score test (asymptotic)"
# Up to this many outcomes are enumerated; beyond, they are sampled.
MAX_ENUMERATED = 60_000
MONTE_CARLO_PERMUTATIONS = 20_000
# Outcomes in tails with less than this probability are not enumerated; their probability is
# added to every p-value instead.
TAIL_CUTOFF = 1e-9
# Proportions with the same denominator for both classifiers: McNemar's test.
MCNEMAR_MEASURES = frozenset(
    {"accuracy", "error_rate", "sensitivity", "type_2_rate", "specificity", "type_1_rate"}
)


@dataclass(frozen=True, slots=True)
class HypothesisTest:
    """The name, the statistic and the p-value of the test of one hypothesis."""

    name: str
    statistic: float
    p: float


def paired_permutation_test(
    pair: tuple[str, str],
    table: PairedContingencyTable,
    hypotheses: Sequence[Hypothesis],
    plan: PermutationPlan,
) -> PairTests:
    """Test all measures of one class against the rest by swapping predictions within cases."""
    return PairTests.from_tests(
        pair,
        "paired",
        table.positives.total + table.negatives.total,
        _test_classes([(table, hypotheses)], plan),
    )


def paired_permutation_tests(
    tables: Mapping[tuple[str, str], PairedContingencyTable],
    hypotheses: Mapping[tuple[str, str], Sequence[Hypothesis]],
    plan: PermutationPlan,
) -> Iterator[PairTests]:
    """Test all measures of one class against the rest, for many pairs at once."""
    tests = _test_classes([(table, hypotheses[pair]) for pair, table in tables.items()], plan)
    for pair, table in tables.items():
        own = list(islice(tests, len(hypotheses[pair])))
        yield PairTests.from_tests(pair, "paired", sum(table.cells), own)


def is_asymptotic(table: PairedContingencyTable, plan: PermutationPlan) -> bool:
    """Return whether a table is tested by the normal approximation."""
    return plan.is_asymptotic(
        *(side.first_only + side.second_only for side in (table.positives, table.negatives))
    )


def _test_classes(
    classes: Sequence[tuple[PairedContingencyTable, Sequence[Hypothesis]]], plan: PermutationPlan
) -> Iterator[tuple[Hypothesis, HypothesisTest]]:
    """Test the measures of each class against the rest; all classes are evaluated together."""
    if not classes:
        return
    approximated = [is_asymptotic(table, plan) for table, _ in classes]
    tests = {
        is_normal: test(
            [one for one, at in zip(classes, approximated, strict=True) if at == is_normal], plan
        )
        for is_normal, test in ((True, _score_tests), (False, _enumerate_classes))
        if is_normal in approximated
    }
    for (_, class_hypotheses), is_normal in zip(classes, approximated, strict=True):
        yield from islice(tests[is_normal], len(class_hypotheses))


def _score_tests(
    classes: Sequence[tuple[PairedContingencyTable, Sequence[Hypothesis]]], plan: PermutationPlan
) -> Iterator[tuple[Hypothesis, HypothesisTest]]:
    """Test the measures of each class by the normal approximation; proportions exactly."""
    tables = PairedTables.stack([table for table, _ in classes])
    measures = {
        one.measure.name: one.measure for _, class_hypotheses in classes for one in class_hypotheses
    }
    statistics = {
        name: studentized_paired(measure, tables).tolist() for name, measure in measures.items()
    }
    p_values = {
        name: np.maximum(SMALLEST_P, two_sided_p(paired_score_statistics(measure, tables))).tolist()
        for name, measure in measures.items()
        if name not in MCNEMAR_MEASURES
    }
    for place, (table, class_hypotheses) in enumerate(classes):
        for one in class_hypotheses:
            name = one.measure.name
            statistic = statistics[name][place]
            if name in MCNEMAR_MEASURES:
                p = mcnemar_p_value(select_correctness_table(name, table), plan.p_value_kind)
                yield one, HypothesisTest(PAIRED_EXACT, statistic, p)
            else:
                yield one, HypothesisTest(PAIRED_SCORE, statistic, p_values[name][place])


def _enumerate_classes(
    classes: Sequence[tuple[PairedContingencyTable, Sequence[Hypothesis]]], plan: PermutationPlan
) -> Iterator[tuple[Hypothesis, HypothesisTest]]:
    """Test the measures of each class by all splits of the discordant pairs, or a sample."""
    tables = [table for table, _ in classes]
    # By name, because a measure is compared by all that is written about it.
    measures = {
        one.measure.name: one.measure for _, class_hypotheses in classes for one in class_hypotheses
    }
    row_of = {name: row for row, name in enumerate(measures)}
    permuted = [permute_discordant_pairs(table, plan) for table in tables]
    statistics = studentize_splits(
        list(measures.values()), tables, [splits for splits, _ in permuted]
    )
    for place, (table, class_hypotheses) in enumerate(classes):
        support = permuted[place][1]
        for one in class_hypotheses:
            name, row = one.measure.name, row_of[one.measure.name]
            values = statistics[place][row]
            if name in MCNEMAR_MEASURES:
                correctness = select_correctness_table(name, table)
                p, is_exact = mcnemar_p_value(correctness, plan.p_value_kind), True
            else:
                p = permutation_p_value(
                    float(values[0]),
                    values[1:],
                    support,
                    partial(paired_score_statistic, one.measure, table),
                    plan.p_value_kind,
                )
                is_exact = support.exact
            test = PAIRED_EXACT if is_exact else PAIRED_MONTE_CARLO
            yield one, HypothesisTest(test, float(values[0]), p)


def select_correctness_table(measure: str, table: PairedContingencyTable) -> AgreementTable:
    """Return the agreement table of the cases that a proportion refers to."""
    positives, negatives = table.positives, table.negatives.complement
    if measure in {"sensitivity", "type_2_rate"}:
        return positives
    if measure in {"specificity", "type_1_rate"}:
        return negatives
    return positives + negatives


def mcnemar_p_value(correctness: AgreementTable, p_value_kind: PValueKind) -> float:
    """Return the p-value of McNemar's test."""
    counts = correctness.first_only, correctness.second_only
    return mcnemar_exact_p(*counts) if p_value_kind == "exact" else mcnemar_mid_p(*counts)


def permute_discordant_pairs(
    table: PairedContingencyTable, plan: PermutationPlan
) -> tuple[DiscordantSplits, SupportWeights]:
    """Return all splits of the discordant pairs with probabilities, or a sample of them."""
    split_hits = table.positives.first_only + table.positives.second_only
    split_alarms = table.negatives.first_only + table.negatives.second_only
    # The width of the support is known before it is listed.
    if _support_width(split_hits) * _support_width(split_alarms) <= MAX_ENUMERATED:
        tp, hit_weights = _binomial_half_support(split_hits)
        fp, alarm_weights = _binomial_half_support(split_alarms)
        weights = np.outer(hit_weights, alarm_weights).ravel()
        splits = DiscordantSplits(np.repeat(tp, len(fp)), np.tile(fp, len(tp)))
        tail_mass = max(0.0, 1.0 - float(weights.sum()))
        # What full enumeration leaves out are rounding errors.
        if len(tp) == split_hits + 1 and len(fp) == split_alarms + 1:
            tail_mass = 0.0
        return splits, SupportWeights(weights, tail_mass, exact=True)
    random = plan.rng()
    sampled = DiscordantSplits(
        random.binomial(split_hits, 0.5, MONTE_CARLO_PERMUTATIONS).astype(np.float64),
        random.binomial(split_alarms, 0.5, MONTE_CARLO_PERMUTATIONS).astype(np.float64),
    )
    return sampled, SupportWeights.monte_carlo(MONTE_CARLO_PERMUTATIONS)


def _support_width(n_trials: int) -> float:
    """Return the number of outcomes of Binomial(n, ½) that are not negligible, at most."""
    return min(n_trials + 1.0, 2 * _farthest_outcome(n_trials) + 1)


def _farthest_outcome(n_trials: int) -> float:
    """Return how far from the middle an outcome may be, by Hoeffding's bound."""
    return float(np.sqrt(n_trials / 2 * np.log(2 / TAIL_CUTOFF)))


def _binomial_half_support(n_trials: int) -> tuple[FloatArray, FloatArray]:
    """Return the support of Binomial(n, ½) without negligible tails, and the probabilities."""
    from scipy.special import bdtr, gammaln

    fewest = max(0, int(n_trials / 2 - _farthest_outcome(n_trials)))
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
        binomial_counts = rng.binomial(n_several, 0.5, (n_samples, len(n_several)))
        return np.concatenate([signs.T, binomial_counts.T.astype(np.float64)])

    @property
    def sampling_order(self) -> IndexArray:
        """The groups with a single case, which need one random bit, before those with several."""
        return np.argsort(self.n_discordant != 1, kind="stable")


def count_discordant_pairs(frame: pl.DataFrame, classes: Sequence[str]) -> DiscordantPairs:
    """Return the cases for which two classifiers predict different classes, grouped."""
    cases = pl.DataFrame(
        {
            "truth": encode_classes(frame["truth"], classes),
            "first": encode_classes(frame["first_prediction"], classes),
            "second": encode_classes(frame["second_prediction"], classes),
            "count": frame["count"],
        }
    )
    first, second, count = pl.col("first"), pl.col("second"), pl.col("count")
    lower, higher = pl.min_horizontal(first, second), pl.max_horizontal(first, second)
    kinds = (
        sum_groups(
            cases.lazy().filter(first != second),
            ["truth", lower.alias("one"), higher.alias("other")],
            straight=count.filter(first < second),
            turned=count.filter(first > second),
        )
        .sort("truth", "one", "other")
        .collect()
    )
    truth, one, other, n_ab, n_ba = (kinds[name].to_numpy() for name in kinds.columns)
    return DiscordantPairs(truth, one, other, n_ab.astype(np.float64), n_ba.astype(np.float64))


def paired_permutation_test_multiclass(
    pair: tuple[str, str],
    frame: pl.DataFrame,
    classes: Sequence[str],
    hypotheses: Sequence[Hypothesis],
    plan: PermutationPlan,
) -> PairTests:
    """Test measures of every class, averages and overall by swapping predictions within cases."""
    by_class: dict[str, list[Hypothesis]] = {}
    for one in hypotheses:
        if one.class_ is not None:
            by_class.setdefault(one.class_, []).append(one)
    tables = build_paired_tables(frame, classes) if by_class else {}
    overall = [one for one in hypotheses if one.class_ is None]
    return PairTests.from_tests(
        pair,
        "paired",
        int(frame["count"].sum()),
        (
            *_test_overall(frame, classes, overall, plan),
            *_test_classes(
                [(tables[label], class_hypotheses) for label, class_hypotheses in by_class.items()],
                plan,
            ),
        ),
    )


def is_function_of_accuracy(hypothesis: Hypothesis) -> bool:
    """Return whether a measure of all classes depends on the number of correct cases only."""
    return question_of(hypothesis.measure.name, hypothesis.average) == ("accuracy", None)


def _test_overall(
    frame: pl.DataFrame,
    classes: Sequence[str],
    hypotheses: Sequence[Hypothesis],
    plan: PermutationPlan,
) -> Iterator[tuple[Hypothesis, HypothesisTest]]:
    """Test measures of all classes; those that are no function of accuracy to first order."""
    if not hypotheses:
        return
    kinds = count_discordant_pairs(frame, classes)
    matrices = (
        build_confusion_matrix(frame, classes, "first_prediction"),
        build_confusion_matrix(frame, classes, "second_prediction"),
    )
    statistics = [_paired_overall_statistic(one, matrices, kinds) for one in hypotheses]
    sampled = [row for row, one in enumerate(hypotheses) if not is_function_of_accuracy(one)]
    if sampled and plan.is_asymptotic(kinds.n_discordant.sum()):
        yield from _score_overall(hypotheses, statistics, build_correctness_table(frame), plan)
        return
    null = _sample_changes(kinds, [statistics[row][1] for row in sampled], plan)
    support = SupportWeights.monte_carlo(null.shape[1])
    null_of = dict(zip(sampled, null, strict=True))
    correctness = build_correctness_table(frame)
    for row, (one, (observed, _)) in enumerate(zip(hypotheses, statistics, strict=True)):
        if row in null_of:
            p = permutation_p_value(
                observed, null_of[row], support, partial(float, observed), plan.p_value_kind
            )
            yield one, HypothesisTest(PAIRED_MONTE_CARLO, observed, p)
        else:
            p = mcnemar_p_value(correctness, plan.p_value_kind)
            yield one, HypothesisTest(PAIRED_EXACT, observed, p)


def _score_overall(
    hypotheses: Sequence[Hypothesis],
    statistics: Sequence[tuple[float, FloatArray]],
    correctness: AgreementTable,
    plan: PermutationPlan,
) -> Iterator[tuple[Hypothesis, HypothesisTest]]:
    """Test measures of all classes by the normal approximation; accuracy exactly."""
    for one, (observed, _) in zip(hypotheses, statistics, strict=True):
        if is_function_of_accuracy(one):
            p = mcnemar_p_value(correctness, plan.p_value_kind)
            yield one, HypothesisTest(PAIRED_EXACT, observed, p)
        else:
            p = max(SMALLEST_P, float(two_sided_p(np.array(observed))))
            yield one, HypothesisTest(PAIRED_SCORE, observed, p)


def _sample_changes(
    discordant: DiscordantPairs, gradients: Sequence[FloatArray], plan: PermutationPlan
) -> FloatArray:
    """Sample the first-order change of overall measures under swaps: a row for each."""
    n_kinds = len(discordant.truth)
    n_samples = int(
        np.clip(
            MAX_PAIRED_CELLS // max(1, n_kinds), MIN_PAIRED_PERMUTATIONS, MAX_PAIRED_PERMUTATIONS
        )
    )
    moves = np.array(gradients).reshape(len(gradients), n_kinds)
    if not len(gradients):
        return np.empty((0, n_samples))
    # A pair (a, b) instead of (b, a) moves a measure there and not back.
    effects, start = 2 * moves[:, discordant.sampling_order], -(moves @ discordant.n_discordant)
    random = plan.rng()
    part = max(1, MAX_PAIRED_CELLS // max(1, n_kinds))
    blocks = [
        effects @ discordant.sample(random, min(part, n_samples - start))
        for start in range(0, n_samples, part)
    ]
    return np.concatenate(blocks, axis=1) + start[:, None]


def hypothesis_gradient(hypothesis: Hypothesis, matrix: SparseConfusionMatrix) -> MatrixGradient:
    """Return the gradient of an overall measure or of an average over the classes."""
    if hypothesis.average is None:
        return gradient_overall(hypothesis.measure, matrix)
    return gradient_of_average(hypothesis.measure, matrix, hypothesis.average)


# Gradients of values at the end of their range may be infinite.
@np.errstate(invalid="ignore")
def _paired_overall_statistic(
    hypothesis: Hypothesis,
    matrices: tuple[SparseConfusionMatrix, SparseConfusionMatrix],
    discordant: DiscordantPairs,
) -> tuple[float, FloatArray]:
    """Return the statistic of an overall measure, and its gradient in the swaps."""
    first, second = (hypothesis_gradient(hypothesis, matrix) for matrix in matrices)
    effects = np.zeros(len(discordant.truth))
    # The value of a class may be infinite.
    with np.errstate(invalid="ignore"):
        for slopes in (first, second):
            effects += (
                slopes.at_cells(discordant.truth, discordant.class_a)
                - slopes.at_cells(discordant.truth, discordant.class_b)
            ) / 2
    error = float(np.sqrt((effects**2 * discordant.n_discordant).sum()))
    if not np.isfinite(error):
        return math.nan, np.zeros(len(effects))
    if error == 0:
        return 0.0, effects
    return (first.value - second.value) / error, effects / error


_IntArray: TypeAlias = "npt.NDArray[np.int64]"
UNPAIRED_EXACT, UNPAIRED_MONTE_CARLO = (
    "unpaired permutation (exact)",
    "unpaired permutation (Monte Carlo)",
)
MIN_UNPAIRED_PERMUTATIONS, MAX_UNPAIRED_PERMUTATIONS = 1_000, 4_000
MAX_UNPAIRED_CELLS = 10_000_000
# Outcomes farther from the mean, in standard deviations, are negligible.
SUPPORT_DEVIATIONS = 10
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

    @property
    def support_width(self) -> float:
        """The number of outcomes that are not negligible, at most."""
        first, last = self._support_ends()
        return last - first + 1.0

    def _support_ends(self) -> tuple[int, int]:
        least = max(0, self.successes - self.second_cases)
        most = min(self.successes, self.first_cases)
        spread = SUPPORT_DEVIATIONS * self._standard_deviation() + 1
        return max(least, int(self.mean - spread)), min(most, int(self.mean + spread) + 1)

    def support(self) -> tuple[FloatArray, FloatArray]:
        """Return the support without negligible tails, and the probabilities."""
        first, last = self._support_ends()
        counts = np.arange(first, last + 1, dtype=np.float64)
        # By ratios of neighbours: logarithms of large factorials lose all their digits.
        before = counts[:-1]
        ratios = np.log((self.successes - before) * (self.first_cases - before)) - np.log(
            (before + 1) * (self.second_cases - self.successes + before + 1)
        )
        logs = np.concatenate([[0.0], np.cumsum(ratios)])
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        is_likely = weights > TAIL_CUTOFF / max(1, len(counts))
        return counts[is_likely], weights[is_likely]

    def sample(self, rng: np.random.Generator, n_samples: int) -> FloatArray:
        """Sample from the distribution."""
        if self.population < MAX_HYPERGEOMETRIC_CASES:
            dealt = rng.hypergeometric(
                self.successes, self.population - self.successes, self.first_cases, n_samples
            )
            return dealt.astype(np.float64)
        samples = np.rint(rng.normal(self.mean, self._standard_deviation(), n_samples))
        return np.clip(samples, max(0, self.successes - self.second_cases), self.first_cases)

    @property
    def mean(self) -> float:
        """The expected count."""
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
) -> PairTests:
    """Test two classifiers of which only the confusion matrices are known."""
    by_class: dict[str, list[Hypothesis]] = {}
    for one in hypotheses:
        if one.class_ is not None:
            by_class.setdefault(one.class_, []).append(one)
    overall = [one for one in hypotheses if one.class_ is None]
    tests = list(_test_overall_unpaired(matrices, overall, plan))
    for label, class_hypotheses in by_class.items():
        tests += _test_class_unpaired(matrices, classes.index(label), class_hypotheses, plan)
    cases = int(min(matrix.total for matrix in matrices))
    return PairTests.from_tests(pair, "unpaired", cases, tests)


def _class_counts(matrix: SparseConfusionMatrix, class_index: int) -> PermutedCounts:
    counts = matrix.class_counts
    return PermutedCounts(
        *(counts[name][class_index : class_index + 1] for name in ("tp", "fn", "fp", "tn"))
    )


def _test_class_unpaired(
    matrices: tuple[SparseConfusionMatrix, SparseConfusionMatrix],
    class_index: int,
    hypotheses: Sequence[Hypothesis],
    plan: PermutationPlan,
) -> Iterator[tuple[Hypothesis, HypothesisTest]]:
    """Test the measures of one class against the rest."""
    first, second = (_class_counts(matrix, class_index) for matrix in matrices)
    tp, fp = (
        Hypergeometric(int(one[0] + other[0]), int((one + rest)[0]), int((other + other_rest)[0]))
        for one, rest, other, other_rest in (
            (first.tp, first.fn, second.tp, second.fn),
            (first.fp, first.tn, second.fp, second.tn),
        )
    )
    if tp.support_width * fp.support_width <= MAX_ENUMERATED:
        (hit, hit_weights), (alarm, alarm_weights) = tp.support(), fp.support()
        weights = np.outer(hit_weights, alarm_weights).ravel()
        support = SupportWeights(weights, max(0.0, 1.0 - float(weights.sum())), exact=True)
        got_hits, got_alarms = np.repeat(hit, len(alarm)), np.tile(alarm, len(hit))
    else:
        random, n_samples = plan.rng(), MONTE_CARLO_PERMUTATIONS
        support = SupportWeights.monte_carlo(n_samples)
        got_hits, got_alarms = tp.sample(random, n_samples), fp.sample(random, n_samples)
    sides = _permuted_counts(tp, fp, np.append(first.tp, got_hits), np.append(first.fp, got_alarms))
    expected = _permuted_counts(tp, fp, np.array([tp.mean]), np.array([fp.mean]))
    test = UNPAIRED_EXACT if support.exact else UNPAIRED_MONTE_CARLO
    for one in hypotheses:
        values = studentized_unpaired(one.measure, *sides)
        score = partial(unpaired_score_statistic, one.measure, (first, second), expected)
        p = permutation_p_value(float(values[0]), values[1:], support, score, plan.p_value_kind)
        yield one, HypothesisTest(test, float(values[0]), p)


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


def _test_overall_unpaired(
    matrices: tuple[SparseConfusionMatrix, SparseConfusionMatrix],
    hypotheses: Sequence[Hypothesis],
    plan: PermutationPlan,
) -> Iterator[tuple[Hypothesis, HypothesisTest]]:
    """Permute whole rows of the matrices: the predictions for the cases of each true class."""
    if not hypotheses:
        return
    first, second = (_dense_matrix(matrix) for matrix in matrices)
    n_samples = int(
        np.clip(
            MAX_UNPAIRED_CELLS // first.size, MIN_UNPAIRED_PERMUTATIONS, MAX_UNPAIRED_PERMUTATIONS
        )
    )
    pooled = (first + second).astype(np.int64)
    permuted = _sample_permuted_rows(
        plan.rng(), pooled, first.sum(axis=1).astype(np.int64), n_samples
    )
    support = SupportWeights.monte_carlo(n_samples)
    for one in hypotheses:
        observed, null = _unpaired_overall_statistics(one, matrices, permuted)
        p = permutation_p_value(
            observed, null, support, partial(float, observed), plan.p_value_kind
        )
        yield one, HypothesisTest(UNPAIRED_MONTE_CARLO, observed, p)


def _sample_permuted_rows(
    rng: np.random.Generator, pooled: _IntArray, first_row_totals: _IntArray, n_samples: int
) -> FloatArray:
    """Sample the first classifier's row of each true class, one predicted class after the other."""
    if pooled.sum(axis=1).max() >= MAX_HYPERGEOMETRIC_CASES:
        shares = pooled / np.maximum(1, pooled.sum(axis=1, keepdims=True))
        samples = rng.multinomial(first_row_totals, shares, (n_samples, len(first_row_totals)))
        return np.minimum(samples, pooled).astype(np.float64)
    first_rows = np.empty((n_samples, *pooled.shape))
    later_cases, remaining = pooled.sum(axis=1), np.tile(first_row_totals, (n_samples, 1))
    for column in range(pooled.shape[1]):
        column_cases = pooled[:, column]
        later_cases = later_cases - column_cases
        sampled_cases = rng.hypergeometric(
            column_cases, later_cases, np.minimum(remaining, column_cases + later_cases)
        )
        first_rows[:, :, column] = sampled_cases
        remaining = remaining - sampled_cases
    return first_rows


def _dense_matrix(matrix: SparseConfusionMatrix) -> FloatArray:
    cells = np.zeros((matrix.size, matrix.size))
    cells[matrix.truth, matrix.prediction] = matrix.counts
    return cells


def _unpaired_overall_statistics(
    hypothesis: Hypothesis,
    matrices: tuple[SparseConfusionMatrix, SparseConfusionMatrix],
    permuted: FloatArray,
) -> tuple[float, FloatArray]:
    """Return the statistic of an overall measure, observed and permuted (to first order)."""
    first, second = (_dense_matrix(matrix) for matrix in matrices)
    pooled_matrix = SparseConfusionMatrix.from_dense(first + second)
    cells = hypothesis_gradient(hypothesis, pooled_matrix).dense
    # The slopes are those of both together; a case weighs more in the matrix of one alone.
    gradients = [cells * pooled_matrix.total / matrix.sum() for matrix in (first, second)]
    shares = (first + second) / np.maximum(1, (first + second).sum(axis=1, keepdims=True))
    variance = 0.0
    for matrix, gradient in zip((first, second), gradients, strict=True):
        spread = (shares * gradient**2).sum(axis=1) - (shares * gradient).sum(axis=1) ** 2
        variance += float((matrix.sum(axis=1) * spread).sum())
    if not np.isfinite(variance):
        return math.nan, np.zeros(len(permuted))
    if variance <= 0:
        return 0.0, np.zeros(len(permuted))
    one, other = (hypothesis_gradient(hypothesis, matrix).value for matrix in matrices)
    # What the first does not get the second has.
    changes = permuted.reshape(len(permuted), -1) @ (gradients[0] + gradients[1]).ravel()
    error = float(np.sqrt(variance))
    return (one - other) / error, (changes - changes.mean()) / error
