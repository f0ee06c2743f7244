"""How differences were tested, in a few plain sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import Orientation
from reportgen.report.findings.standing import standing_values
from reportgen.report.parts import Count, Plain
from reportgen.report.words.differences import margin_of
from reportgen.report.words.level import PERCENT, percentage
from reportgen.report.words.wording import inside_a_sentence, names_in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.difference import Difference
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

# Tests whose error rate holds for any number of cases; that of the others holds for many.
EXACT_TESTS = ("exchange", "regrouping")
PAIRED = (
    "Classifiers were compared case by case: if two of them do not differ, either is equally likely"
    " to be the one that is right where they disagree."
)
ONLY_COUNTS = (
    "Only counts are known, so the tests take the classifiers as measured on different cases."
)
NOT_MATCHED = (
    "Where the cases of two classifiers could not be matched, the tests take them as measured on"
    " different cases."
)
COULD_SHOW_MORE = " With predictions case by case they could show more."
REPEATED = "Cases were predicted several times; a repetition is not counted as a new case."
OVER_FOLDS = (
    "Only scores per fold are known, so the decision is the corrected t-test's, which allows for"
    " the folds sharing training cases."
)
ONE_SIDED = (
    "The test over folds was asked to be one-sided: it asks only whether the first of two is better"
    " and cannot show that the second is."
)
ERRORS = "Models were compared by the paired t-test of the errors they make in each case"
SQUARES = ", root mean squared errors by that of the squared errors"
AREAS = "Areas under ROC curves were compared by DeLong's test."
LOSSES = (
    "Measures of probabilities were compared by the paired t-test of their values in each case."
)
PRIMARY = " The measure declared as primary is tested first; the others count only if it differs."


def tested_in_short(evaluation: Evaluation) -> Iterator[Part]:
    """Say in a sentence how often any difference claimed may be false; nothing if untested."""
    rows = [row for row in evaluation.differences if row.is_tested]
    if not rows:
        return
    asked = evaluation.spec.comparison
    alone = len(rows) == 1 or asked.correction == "none"
    if alone:
        yield from _adjusted(evaluation, rows)
    else:
        shown = sum(row.verdict.is_decided for row in rows)
        yield Count(len(rows))
        yield " differences were tested together; "
        yield Count(shown) if shown else "none"
        yield f" of them {'is' if shown == 1 else 'are'} more than chance. The chance that any"
        yield " difference claimed here is false is "
        yield from (_at_most(evaluation, rows), percentage(asked.alpha), ".")
    if any(is_one_sided(evaluation, row) for row in rows):
        yield f" {ONE_SIDED}"


def how_tested(evaluation: Evaluation) -> Iterator[Part]:
    """Say on what the claims rest and how often any of them may be false; nothing if untested."""
    rows = [row for row in evaluation.differences if row.is_tested]
    if not rows:
        return
    said: list[tuple[Part, ...]] = [
        *_of_cases(evaluation, rows),
        *_of_scores(evaluation, rows),
        *_of_folds(evaluation, rows),
        tuple(_adjusted(evaluation, rows)),
        *_margins(evaluation, rows),
    ]
    for number, parts in enumerate(said):
        yield from (" ", *parts) if number else parts


def not_compared(evaluation: Evaluation) -> Iterator[str]:
    """Name the measures that are shown for several classifiers but compared for none."""
    compared = {row.measure for row in evaluation.differences if row.decisive}
    names = [
        inside_a_sentence(measure)
        for measure in evaluation.main_measures
        if measure.name not in compared
        and measure.orientation is not Orientation.NEITHER
        and len(standing_values(evaluation, measure)) > 1
    ]
    if names:
        yield f" Shown but not compared: {', '.join(names)}."


def is_one_sided(evaluation: Evaluation, row: Difference) -> bool:
    """Tell whether a test asks only whether the first is better."""
    return row.data == "folds" and evaluation.spec.folds.tails == "one"


def _of_cases(evaluation: Evaluation, rows: Sequence[Difference]) -> Iterator[tuple[Part, ...]]:
    tests = {row.test for row in rows}
    if any(test.startswith("exchange") for test in tests):
        yield (PAIRED,)
    apart = [row for row in rows if row.data == "unpaired"]
    counted = [item.name for item in evaluation.spec.classifiers if item.confusion is not None]
    sizes = evaluation.class_sizes
    if apart and len(counted) == len(evaluation.measured):
        alike = all(sizes[row.first] == sizes[row.second] for row in apart)
        yield (ONLY_COUNTS + (COULD_SHOW_MORE if alike else ""),)
    elif apart and any({row.first, row.second}.isdisjoint(counted) for row in apart):
        yield (NOT_MATCHED,)
    elif apart:
        whose = "its" if len(counted) == 1 else "their"
        yield (
            "Of ",
            *names_in_a_row(counted),
            f" only counts are known, so {whose} pairs are tested as if on different cases.",
        )
    if any("repeated" in test for test in tests):
        yield (REPEATED,)


def _of_scores(evaluation: Evaluation, rows: Sequence[Difference]) -> Iterator[tuple[Part, ...]]:
    by_t = {row.measure for row in rows if row.test == "paired t"}
    if by_t and evaluation.kind == "regression":
        yield (f"{ERRORS}{SQUARES if 'rmse' in by_t else ''}.",)
    if any(row.test == "delong" for row in rows):
        yield (AREAS,)
    if by_t and evaluation.kind != "regression":
        yield (LOSSES,)


def _of_folds(evaluation: Evaluation, rows: Sequence[Difference]) -> Iterator[tuple[Part, ...]]:
    if all(row.data == "folds" for row in rows):
        yield (OVER_FOLDS,)
    if any(is_one_sided(evaluation, row) for row in rows):
        yield (ONE_SIDED,)


def _adjusted(evaluation: Evaluation, rows: Sequence[Difference]) -> Iterator[Part]:
    asked = evaluation.spec.comparison
    percent = percentage(asked.alpha)
    at_most = _at_most(evaluation, rows)
    if len(rows) == 1:
        yield f"The chance that the one test made is wrong to see a difference is {at_most}"
    elif asked.correction == "none":
        yield "The p-values of the "
        yield Count(len(rows))
        yield " tests are not adjusted for their number: each is wrong to see a difference in "
        yield at_most
        yield percent
        yield " of such cases."
        return
    else:
        yield "The p-values are adjusted for all "
        yield Count(len(rows))
        yield f" differences tested, so the chance that any of those claimed is false is {at_most}"
    yield percent
    yield "."
    if asked.primary is not None:
        yield PRIMARY


def _at_most(evaluation: Evaluation, rows: Sequence[Difference]) -> str:
    """Say whether the error rate holds for any number of cases, or for many."""
    # Mid-p halves the outcome found, which keeps the level on average only.
    exact = evaluation.spec.comparison.p_values == "exact" and all(
        row.test.startswith(EXACT_TESTS) for row in rows
    )
    return "at most " if exact else "at most about "


def _margins(evaluation: Evaluation, rows: Sequence[Difference]) -> Iterator[tuple[Part, ...]]:
    """Say by which interval equivalence is shown: it is not the one that is printed."""
    asked = evaluation.spec.comparison
    judged = sum(row.non_inferior is not None for row in evaluation.differences)
    if not judged or all(margin_of(evaluation, row.measure) is None for row in rows):
        return
    shared = judged > 1 and asked.correction != "none"
    level = 1 - 2 * min(0.5, asked.alpha / (judged if shared else 1))
    yield (
        "Equivalence is shown by two one-sided tests: not the interval printed but that of ",
        Plain(round(PERCENT * level, 1), unit="%"),
        " has to lie within the margin",
        *(
            (
                ", ",
                percentage(asked.alpha),
                " being shared among the ",
                Count(judged),
                " comparisons with a margin",
            )
            if shared
            else ()
        ),
        ".",
    )
