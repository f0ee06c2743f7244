"""The tests people know by name, beside the decisive one: two classifiers on the same cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Difference
from reportgen.comparisons.pairwise.tables import paired_tables, right_answers
from reportgen.frozen import frozen
from reportgen.statistics.likelihood_ratios import compare_lr_negative, compare_lr_positive
from reportgen.statistics.mcnemar import mcnemar
from reportgen.statistics.predictive_values import score_test_of_npv, score_test_of_ppv
from reportgen.statistics.proportions import bonett_price, tango

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.statistics.likelihood_ratios import LikelihoodRatioTest
    from reportgen.statistics.paired_table import Answers, PairedTable
    from reportgen.statistics.predictive_values import PredictiveValueTest
    from reportgen.tallies.pairs import PairTally

EXACT, MID_P, CHI_SQUARE = "mcnemar exact", "mcnemar mid-p", "mcnemar chi-square"
SCORE, REGRESSION = "generalised score", "likelihood regression"

NO_DISCORDANT = "not tested: no case is right by one of them alone"
NEVER_ANSWERED = "not tested: one of them never gives this answer"
SAME_VALUES = "not tested: the two do not differ in any case that counts here"
ZERO_SHARE = "not tested: a likelihood ratio is 0, infinite or undefined"


def named_tests(
    pairs: PairTally,
    pair_names: Sequence[tuple[str, str]],
    classes: Sequence[str | None],
    positive: str | None,
    level: float,
) -> tuple[Difference, ...]:
    """Test pairs of classifiers by the named tests; class None is the positive class.

    Where cases were predicted several times there are no rows: the tests need independent cases.
    """
    if pairs.weight < 1:
        return ()
    rows: list[Difference] = []
    for first, second in pair_names:
        frame = pairs.of(first, second)
        if frame.is_empty():
            continue
        rows += _accuracy_rows(_Asked(first, second, None, level), right_answers(frame))
        tables = paired_tables(frame, pairs.classes)
        for class_ in classes:
            label = positive if class_ is None else class_
            if label is not None:
                rows += _class_rows(_Asked(first, second, class_, level), tables[label])
    return tuple(rows)


@frozen
class _Asked:
    """Which pair is tested, on which class, and how wide its intervals are."""

    first: str
    second: str
    class_: str | None
    level: float


def _accuracy_rows(asked: _Asked, right: Answers) -> list[Difference]:
    found = mcnemar(right.first_only, right.second_only)
    chi_square = Difference(
        first=asked.first,
        second=asked.second,
        class_=asked.class_,
        measure="accuracy",
        test=CHI_SQUARE,
        data="paired",
        difference=(right.first - right.second) / right.total,
        statistic=found.chi_square,
        df=1,
        p=found.chi_square_p,
        note=NO_DISCORDANT if found.chi_square is None else None,
    )
    return [*_mcnemar_rows(asked, "accuracy", right), chi_square]


def _class_rows(asked: _Asked, table: PairedTable) -> list[Difference]:
    positive, negative = (
        compare(table, asked.level) for compare in (compare_lr_positive, compare_lr_negative)
    )
    return [
        *_mcnemar_rows(asked, "sensitivity", table.positives),
        # Right on the other cases is who does not say the class.
        *_mcnemar_rows(asked, "specificity", table.negatives.turned),
        _score_row(asked, "precision", score_test_of_ppv(table)),
        _score_row(asked, "npv", score_test_of_npv(table)),
        _regression_row(asked, "lr_positive", positive, _lr_positives(table)),
        _regression_row(asked, "lr_negative", negative, _lr_positives(table.answering_no)),
    ]


def _mcnemar_rows(asked: _Asked, measure: str, right: Answers) -> list[Difference]:
    """Test a share of the same cases; no rows where there are none."""
    if not right.total:
        return []
    found = mcnemar(right.first_only, right.second_only)
    only, other, cases = right.first_only, right.second_only, right.total
    return [
        Difference(
            first=asked.first,
            second=asked.second,
            class_=asked.class_,
            measure=measure,
            test=test,
            data="paired",
            difference=(right.first - right.second) / right.total,
            low=limits.low,
            high=limits.high,
            p=p,
        )
        for test, p, limits in (
            (EXACT, found.exact_p, bonett_price(only, other, cases, asked.level)),
            (MID_P, found.mid_p, tango(only, other, cases, asked.level)),
        )
    ]


def _score_row(asked: _Asked, measure: str, found: PredictiveValueTest) -> Difference:
    known = found.first is not None and found.second is not None
    return Difference(
        first=asked.first,
        second=asked.second,
        class_=asked.class_,
        measure=measure,
        test=SCORE,
        data="paired",
        difference=_difference(found.first, found.second),
        statistic=found.statistic,
        df=1,
        p=found.p,
        note=None if found.p is not None else SAME_VALUES if known else NEVER_ANSWERED,
    )


def _regression_row(
    asked: _Asked,
    measure: str,
    found: LikelihoodRatioTest | None,
    values: tuple[float | None, float | None],
) -> Difference:
    return Difference(
        first=asked.first,
        second=asked.second,
        class_=asked.class_,
        measure=measure,
        test=REGRESSION,
        data="paired",
        difference=_difference(*values),
        statistic=found.statistic if found else None,
        p=found.p if found else None,
        note=_ratio_in_words(found),
    )


def _ratio_in_words(found: LikelihoodRatioTest | None) -> str | None:
    """Say the interval, which this test gives for the quotient and not for the difference."""
    if found is None:
        return ZERO_SHARE
    if found.p is None:
        return SAME_VALUES
    limits = found.limits
    return f"the first is {found.ratio:.3g} times the second ({limits.low:.3g}–{limits.high:.3g})"


def _lr_positives(table: PairedTable) -> tuple[float | None, float | None]:
    """Return the positive likelihood ratios of both; None where they are not finite."""
    positives, negatives = table.positives.total, table.negatives.total

    def ratio(tp: int, fp: int) -> float | None:
        return tp * negatives / (fp * positives) if positives and fp else None

    return (
        ratio(table.positives.first, table.negatives.first),
        ratio(table.positives.second, table.negatives.second),
    )


def _difference(first: float | None, second: float | None) -> float | None:
    return first - second if first is not None and second is not None else None
