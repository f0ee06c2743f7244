"""Classical tests reported next to the primary one, and omnibus tests."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from reportgen.evaluation.comparison import Comparison
from reportgen.statistics.cluster_tests import durkalski_chi_square, obuchowski_chi_square
from reportgen.statistics.distributions import chi2_sf
from reportgen.statistics.paired_tests import (
    PValueRange,
    RatioEstimate,
    cochran_q,
    compare_lr_negative,
    compare_lr_positive,
    mcnemar_odds_ratio,
    mcnemar_p_value_range,
    mcnemar_test,
    npv_score_test,
    paired_proportion_ratio,
    ppv_score_test,
    predictive_value_ratio,
)
from reportgen.statistics.proportions import bonett_price_interval, tango_interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.aggregates.confusion import ConfusionCounts
    from reportgen.aggregates.design import LabelDesign
    from reportgen.aggregates.model import Aggregates
    from reportgen.aggregates.paired import PairedPredictionCounts
    from reportgen.statistics.paired_tests import (
        AgreementTable,
        LikelihoodRatioTest,
        PairedContingencyTable,
        PredictiveValueTest,
    )


MCNEMAR_EXACT, MCNEMAR_MID_P, MCNEMAR_CHI_SQUARE = (
    "mcnemar exact",
    "mcnemar mid-p",
    "mcnemar chi-square",
)
OBUCHOWSKI, DURKALSKI = "obuchowski chi-square (clusters)", "durkalski chi-square (clusters)"
GENERALIZED_SCORE, LIKELIHOOD_REGRESSION = "generalised score", "likelihood-ratio regression"

NO_DISCORDANT_PAIRS = "not tested: no case is right by one of them alone"
CLASS_NEVER_PREDICTED = "not tested: one of them never gives this answer"
NO_DIFFERING_CASES = "not tested: the two do not differ in any case that counts here"
RATIO_NOT_FINITE = "not tested: a likelihood ratio is 0, infinite or undefined"


def run_classical_tests(
    paired_counts: PairedPredictionCounts,
    pairs: Sequence[tuple[str, str]],
    classes: Sequence[str | None],
    positive: str | None,
    level: float,
) -> tuple[Comparison, ...]:
    """Run the classical paired tests of all pairs; class None is the positive class.

    Dependent cases give no rows: the tests assume that each case is predicted once and independent
    of the others.
    """
    if not paired_counts.has_independent_cases:
        return ()
    rows: list[Comparison] = []
    for first, second in pairs:
        if not paired_counts.has_pair(first, second):
            continue
        rows += _accuracy_tests(
            _PairContext(first, second, None, level), paired_counts.correctness_table(first, second)
        )
        tables = paired_counts.contingency_tables(first, second)
        for class_ in classes:
            label = positive if class_ is None else class_
            if label is not None:
                rows += _class_tests(_PairContext(first, second, class_, level), tables[label])
    return tuple(rows)


def run_cluster_chi_square_tests(
    labels: LabelDesign, pairs: Sequence[tuple[str, str]]
) -> Iterator[Comparison]:
    """Yield the chi-square tests of accuracy for clustered, unweighted cases."""
    design = labels.design
    if design.clusters is None or design.weights is not None:
        return
    for first, second in pairs:
        if not {first, second} <= set(labels.predictions):
            continue
        correct = [labels.truth == labels.predictions[name] for name in (first, second)]
        by_cluster = design.unit_sums(
            np.column_stack(
                [correct[0] & ~correct[1], ~correct[0] & correct[1], np.ones_like(correct[0])]
            ).astype(np.float64)
        )
        first_only, second_only, sizes = by_cluster.T
        for test, chi_square in (
            (OBUCHOWSKI, obuchowski_chi_square(first_only, second_only)),
            (DURKALSKI, durkalski_chi_square(first_only, second_only, sizes)),
        ):
            yield Comparison(
                first=first,
                second=second,
                measure="accuracy",
                test=test,
                data="paired",
                difference=float((first_only - second_only).sum() / sizes.sum()),
                statistic=chi_square,
                df=1,
                p=None if chi_square is None else chi2_sf(chi_square),
                note=NO_DISCORDANT_PAIRS if chi_square is None else None,
            )


@dataclass(frozen=True, slots=True)
class _PairContext:
    """The pair, the class and the confidence level of a test."""

    first: str
    second: str
    class_: str | None
    level: float


def _accuracy_tests(context: _PairContext, correctness: AgreementTable) -> list[Comparison]:
    test = mcnemar_test(correctness.first_only, correctness.second_only)
    chi_square = Comparison(
        first=context.first,
        second=context.second,
        class_=context.class_,
        measure="accuracy",
        test=MCNEMAR_CHI_SQUARE,
        data="paired",
        difference=(correctness.first - correctness.second) / correctness.total,
        statistic=test.chi_square,
        df=1,
        p=test.chi_square_p,
        note=NO_DISCORDANT_PAIRS if test.chi_square is None else None,
    )
    return [*_mcnemar_tests(context, "accuracy", correctness), chi_square]


def _class_tests(context: _PairContext, table: PairedContingencyTable) -> list[Comparison]:
    positive, negative = (
        compare(table, context.level) for compare in (compare_lr_positive, compare_lr_negative)
    )
    return [
        *_mcnemar_tests(context, "sensitivity", table.positives),
        # Right on the other cases is who does not say the class.
        *_mcnemar_tests(context, "specificity", table.negatives.complement),
        _generalized_score_test(context, "precision", ppv_score_test(table)),
        _generalized_score_test(context, "npv", npv_score_test(table)),
        _likelihood_regression_test(
            context, "lr_positive", positive, _positive_likelihood_ratios(table)
        ),
        _likelihood_regression_test(
            context, "lr_negative", negative, _positive_likelihood_ratios(table.negated_predictions)
        ),
    ]


def _mcnemar_tests(
    context: _PairContext, measure: str, correctness: AgreementTable
) -> list[Comparison]:
    """Test a paired proportion by McNemar's tests; no rows without cases."""
    if not correctness.total:
        return []
    mcnemar = mcnemar_test(correctness.first_only, correctness.second_only)
    only, other, cases = correctness.first_only, correctness.second_only, correctness.total
    return [
        Comparison(
            first=context.first,
            second=context.second,
            class_=context.class_,
            measure=measure,
            test=test,
            data="paired",
            difference=(correctness.first - correctness.second) / correctness.total,
            low=limits.low,
            high=limits.high,
            p=p,
        )
        for test, p, limits in (
            (
                MCNEMAR_EXACT,
                mcnemar.exact_p,
                bonett_price_interval(only, other, cases, context.level),
            ),
            (MCNEMAR_MID_P, mcnemar.mid_p, tango_interval(only, other, cases, context.level)),
        )
    ]


def _generalized_score_test(
    context: _PairContext, measure: str, score_test: PredictiveValueTest
) -> Comparison:
    both_defined = score_test.first is not None and score_test.second is not None
    return Comparison(
        first=context.first,
        second=context.second,
        class_=context.class_,
        measure=measure,
        test=GENERALIZED_SCORE,
        data="paired",
        difference=_difference_or_none(score_test.first, score_test.second),
        statistic=score_test.statistic,
        df=1,
        p=score_test.p,
        note=None
        if score_test.p is not None
        else NO_DIFFERING_CASES
        if both_defined
        else CLASS_NEVER_PREDICTED,
    )


def _likelihood_regression_test(
    context: _PairContext,
    measure: str,
    ratio_test: LikelihoodRatioTest | None,
    values: tuple[float | None, float | None],
) -> Comparison:
    return Comparison(
        first=context.first,
        second=context.second,
        class_=context.class_,
        measure=measure,
        test=LIKELIHOOD_REGRESSION,
        data="paired",
        difference=_difference_or_none(*values),
        statistic=ratio_test.statistic if ratio_test else None,
        p=ratio_test.p if ratio_test else None,
        note=_format_ratio(ratio_test),
    )


def _format_ratio(ratio_test: LikelihoodRatioTest | None) -> str | None:
    """Return the interval in words, which this test gives for the ratio, not the difference."""
    if ratio_test is None:
        return RATIO_NOT_FINITE
    if ratio_test.p is None:
        return NO_DIFFERING_CASES
    limits = ratio_test.interval
    return (
        f"the first is {ratio_test.ratio:.3g} times the second ({limits.low:.3g}–{limits.high:.3g})"
    )


def _positive_likelihood_ratios(table: PairedContingencyTable) -> tuple[float | None, float | None]:
    """Return LR+ of both classifiers; None where it is not finite."""
    positives, negatives = table.positives.total, table.negatives.total

    def ratio(tp: int, fp: int) -> float | None:
        return tp * negatives / (fp * positives) if positives and fp else None

    return (
        ratio(table.positives.first, table.negatives.first),
        ratio(table.positives.second, table.negatives.second),
    )


def _difference_or_none(first: float | None, second: float | None) -> float | None:
    return first - second if first is not None and second is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRatio:
    """The ratio of a measure of two classifiers on the same cases, or McNemar's odds ratio."""

    first: str
    second: str
    measure: str
    kind: Literal["ratio", "odds ratio"]
    estimate: RatioEstimate
    method: str


RATIO_METHOD, ODDS_RATIO_METHOD = "log", "clopper-pearson"


def compute_paired_ratios(
    counted: PairedPredictionCounts | None,
    pairs: Sequence[tuple[str, str]],
    positive: str | None,
    level: float,
) -> tuple[PairedRatio, ...]:
    """Return ratios of accuracies and, of the positive class, of rates and predictive values.

    Dependent cases give no rows, as for the classical tests.
    """
    if counted is None or not counted.has_independent_cases:
        return ()
    rows: list[PairedRatio] = []
    for first, second in pairs:
        if not counted.has_pair(first, second):
            continue
        overall = counted.correctness_table(first, second)
        rows += _paired_ratios(first, second, {"accuracy": overall}, None, level)
        if positive is not None:
            table = counted.contingency_tables(first, second)[positive]
            sides = {"sensitivity": table.positives, "specificity": table.negatives.complement}
            rows += _paired_ratios(first, second, sides, table, level)
    return tuple(rows)


def _paired_ratios(
    first: str,
    second: str,
    correctness: Mapping[str, AgreementTable],
    table: PairedContingencyTable | None,
    level: float,
) -> Iterator[PairedRatio]:
    def row(
        measure: str, kind: Literal["ratio", "odds ratio"], estimate: RatioEstimate | None
    ) -> Iterator[PairedRatio]:
        if estimate is not None:
            yield PairedRatio(
                first=first,
                second=second,
                measure=measure,
                kind=kind,
                estimate=estimate,
                method=RATIO_METHOD if kind == "ratio" else ODDS_RATIO_METHOD,
            )

    for measure, agreement in correctness.items():
        yield from row(measure, "ratio", paired_proportion_ratio(agreement, level))
        discordant = agreement.first_only, agreement.second_only
        yield from row(measure, "odds ratio", mcnemar_odds_ratio(*discordant, level))
    if table is not None:
        yield from row("precision", "ratio", predictive_value_ratio(table, level))
        yield from row("npv", "ratio", predictive_value_ratio(table.swapped_classes, level))


MCNEMAR_RANGE = "mcnemar bounds"
MIN_REPORTED_P = 0.001


@dataclass(frozen=True, slots=True)
class _CorrectCounts:
    """The numbers of correct predictions of two classifiers per true class, and the class sizes."""

    first: list[int]
    second: list[int]
    cases: list[int]

    def p_value_range(self) -> PValueRange:
        """Return the range of p-values compatible with the counts."""
        return mcnemar_p_value_range(self.first, self.second, self.cases)


def bound_mcnemar_p_values(
    confusion: ConfusionCounts,
    pairs: Sequence[tuple[str, str]],
    classes: Sequence[str | None],
    positive: str | None,
) -> tuple[Comparison, ...]:
    """Bound McNemar's p-value from marginal counts; class None is the positive class.

    Pairs with different class sizes have no rows: their cases cannot be the same.
    """
    rows: list[Comparison] = []
    for first, second in pairs:
        matrices = confusion.matrix(first), confusion.matrix(second)
        sizes = [sum(row) for row in matrices[0]]
        if sizes != [sum(row) for row in matrices[1]] or not sum(sizes):
            continue
        overall = _CorrectCounts(_diagonal(matrices[0]), _diagonal(matrices[1]), sizes)
        rows.append(_mcnemar_range_comparison(first, second, None, "accuracy", overall))
        for class_ in classes:
            label = positive if class_ is None else class_
            if label is None:
                continue
            place = confusion.classes.index(label)
            for measure, answers in _class_correct_counts(matrices, sizes, place).items():
                if sum(answers.cases):
                    rows.append(_mcnemar_range_comparison(first, second, class_, measure, answers))
    return tuple(rows)


def _diagonal(matrix: tuple[tuple[int, ...], ...]) -> list[int]:
    return [row[place] for place, row in enumerate(matrix)]


def _class_correct_counts(
    matrices: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]],
    class_sizes: list[int],
    class_index: int,
) -> dict[str, _CorrectCounts]:
    """Count correct predictions on the cases of the class and on those of each other class."""
    others = [other for other in range(len(class_sizes)) if other != class_index]
    not_by_first, not_by_second = (
        [class_sizes[other] - matrix[other][class_index] for other in others] for matrix in matrices
    )
    return {
        "sensitivity": _CorrectCounts(
            [matrices[0][class_index][class_index]],
            [matrices[1][class_index][class_index]],
            [class_sizes[class_index]],
        ),
        "specificity": _CorrectCounts(
            not_by_first, not_by_second, [class_sizes[other] for other in others]
        ),
    }


def _mcnemar_range_comparison(
    first: str, second: str, class_: str | None, measure: str, correct_counts: _CorrectCounts
) -> Comparison:
    return Comparison(
        first=first,
        second=second,
        class_=class_,
        measure=measure,
        test=MCNEMAR_RANGE,
        data="unpaired",
        difference=(sum(correct_counts.first) - sum(correct_counts.second))
        / sum(correct_counts.cases),
        note=format_p_value_range(correct_counts.p_value_range()),
    )


def format_p_value_range(p_value_range: PValueRange) -> str:
    """Return the range of possible p-values in words."""
    low, high = _format_p_value(p_value_range.low), _format_p_value(p_value_range.high)
    if low == high:
        return (
            f"paired, McNemar's exact p-value would be {low}, however many cases both misclassify"
        )
    return (
        f"paired, McNemar's exact p-value could be anything from {low} to {high}, depending on the"
        " number of cases that both misclassify"
    )


def _format_p_value(p: float) -> str:
    return f"{round(p, 3):.2g}" if p >= MIN_REPORTED_P else f"<{MIN_REPORTED_P}"


def auc_by_classifier(aggregates: Aggregates, class_: str | None) -> dict[str, float]:
    """Return the AUC per classifier of a class, of the positive class, or of the average."""
    ranking = aggregates.ranking
    if ranking is None:
        return {}
    if class_ is None and not ranking.multiclass.is_empty():
        rows = ranking.multiclass.select("classifier", "fold", "pairs", area="hand_till")
    else:
        tests = ranking.frame if class_ is None else ranking.frame.filter(pl.col("class") == class_)
        area = (pl.col("concordant") + pl.col("tied") / 2) / pl.col("pairs")
        rows = tests.select("classifier", "fold", "pairs", area=area)
    rows = rows.filter(pl.col("fold").is_null(), pl.col("pairs") > 0)
    return dict(rows.select("classifier", "area").rows())


COCHRAN_Q, DELONG_CHI_SQUARE = "cochran q", "delong chi-square"
MIN_OMNIBUS_CLASSIFIERS = 3


@dataclass(frozen=True, slots=True)
class OmnibusTest:
    """A test of all classifiers together; the statistic is None if all agree on every case."""

    test: str
    measure: str
    statistic: float | None
    df: int
    p: float | None
    classifiers: int
    cases: int


def run_omnibus_tests(aggregates: Aggregates, names: Sequence[str]) -> tuple[OmnibusTest, ...]:
    """Run Cochran's Q on accuracy and DeLong's global test on AUC for three or more classifiers."""
    cochran = None if aggregates.pairs is None else _cochran_q_test(aggregates.pairs, names)
    return tuple(
        test for test in (cochran, _delong_omnibus_test(aggregates, names)) if test is not None
    )


def _cochran_q_test(
    paired_counts: PairedPredictionCounts, names: Sequence[str]
) -> OmnibusTest | None:
    """Return Cochran's Q; None if not all classifiers were measured once on the same cases."""
    if len(names) < MIN_OMNIBUS_CLASSIFIERS or not paired_counts.has_independent_cases:
        return None
    every_pair = list(combinations(names, 2))
    tables = {
        pair: paired_counts.correctness_table(*pair)
        for pair in every_pair
        if paired_counts.has_pair(*pair)
    }
    if len(tables) < len(every_pair):
        return None
    with_first = [tables[names[0], name] for name in names[1:]]
    correct = [with_first[0].first, *(answers.second for answers in with_first)]
    # The square of how many are right on a case counts each ordered pair that is right on it.
    squares = sum(correct) + 2 * sum(answers.both for answers in tables.values())
    q = cochran_q(correct, squares)
    return OmnibusTest(
        test=COCHRAN_Q,
        measure="accuracy",
        statistic=q.statistic,
        df=q.df,
        p=q.p,
        classifiers=len(names),
        cases=with_first[0].total,
    )


def _delong_omnibus_test(aggregates: Aggregates, names: Sequence[str]) -> OmnibusTest | None:
    """Return DeLong's global test of the areas under the ROC curves.

    None if the areas do not vary, if a class has too few cases, or if cases are clustered or
    weighted.
    """
    from scipy.special import chdtrc

    areas = auc_by_classifier(aggregates, None)
    scored = [name for name in names if name in areas]
    if (
        aggregates.auc_covariances is None
        or aggregates.case_count is None
        or aggregates.design is not None
        or len(scored) < MIN_OMNIBUS_CLASSIFIERS
    ):
        return None
    if aggregates.too_few_for_delong(scored[0]):
        return None
    covariances = aggregates.auc_covariances.covariances(scored, None)
    if covariances is None:
        return None
    contrasts = np.eye(len(scored))[1:] - np.eye(len(scored))[0]
    # Those with scores were all read case by case, and on the same cases.
    varying = contrasts @ (covariances / aggregates.case_weight(scored[0])) @ contrasts.T
    df = int(np.linalg.matrix_rank(varying))
    if df == 0:
        return None
    differences = contrasts @ np.array([areas[name] for name in scored])
    statistic = float(differences @ np.linalg.pinv(varying) @ differences)
    return OmnibusTest(
        test=DELONG_CHI_SQUARE,
        measure="roc_auc",
        statistic=statistic,
        df=df,
        p=float(chdtrc(df, statistic)),
        classifiers=len(scored),
        cases=aggregates.score_case_count or aggregates.case_count,
    )
