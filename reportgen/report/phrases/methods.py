"""Descriptions of the statistical methods: tests, multiplicity adjustment and equivalence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import Orientation
from reportgen.report.findings.comparisons import is_one_sided_test
from reportgen.report.formatting import (
    TO_PERCENT,
    averaged_title,
    equivalence_margin,
    inline_percentage,
)
from reportgen.report.inline import Count, PlainNumber
from reportgen.report.phrases.words import join_names, measure_phrase
from reportgen.report.ranks import values_best_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.inline import Inline

# Tests whose error rate holds for any sample size; that of the others holds asymptotically.
_EXACT_TESTS = ("paired permutation", "unpaired permutation")
_PAIRED_NOTE = "Classifiers were compared by paired permutation tests of the discordant cases."
_CLUSTERS_NOTE = (
    "Classifiers were compared by permutation tests that swap the predictions of whole clusters."
)
_WEIGHTS_NOTE = "Classifiers were compared by permutation tests of the weighted discordant cases."
_ONLY_COUNTS_NOTE = "Only confusion matrices are available, so the tests are unpaired."
_UNMATCHED_NOTE = "Where cases of two classifiers could not be matched, the tests are unpaired."
_PAIRED_POWER_NOTE = " Case-level predictions would allow more powerful paired tests."
_REPEATED_CASES_NOTE = "Repeated predictions of a case are not counted as additional cases."
_FOLD_TEST_NOTE = (
    "Only fold scores are available; decisions use the Nadeau–Bengio corrected t-test, which allows"
    " for overlapping training sets."
)
_ONE_SIDED_NOTE = (
    "Fold-level tests are one-sided (spec): they test only whether the first classifier is better."
)
_PAIRED_T_NOTE = "Models were compared by paired t-tests of the absolute errors"
_SQUARED_ERRORS_NOTE = ", for RMSE of the squared errors"
_DELONG_NOTE = "Areas under the ROC curve were compared by DeLong's test."
_OBUCHOWSKI_NOTE = (
    "Areas under the ROC curve were compared by Obuchowski's test of clustered cases."
)
_LOSS_T_NOTE = "Probability measures were compared by paired t-tests of the case-wise losses."
_PRIMARY_REASONS = {
    "declared": " (declared in the spec)",
    "default": "",
    "first measure": "",
    "majority class": ", because one class has nine tenths of the cases or more",
    "not above majority class": (
        ", because no accuracy is significantly above the proportion of the largest class"
    ),
}
_FAMILY_NAMES = {
    "headline": "the primary measure",
    "overall": "the other overall measures",
    "details": "single classes",
}


def multiplicity_sentence(evaluation: Evaluation) -> Iterator[Inline]:
    """Yield the number of significant comparisons and the error rate; nothing if untested."""
    rows = evaluation.tested_comparisons
    if not rows:
        return
    settings = evaluation.spec.comparison
    if len(rows) == 1 or settings.correction == "none":
        yield from _adjustment_sentence(evaluation, rows)
    else:
        significant = sum(row.verdict.is_decided for row in rows)
        yield Count(significant) if significant else "None"
        yield from (" of ", Count(len(rows)))
        yield " comparisons significant"
        yield from _significant_parts(evaluation, rows)
        yield "; family-wise error rate "
        yield from (_error_rate_qualifier(evaluation, rows), inline_percentage(settings.alpha), ".")
    if any(is_one_sided_test(evaluation, row) for row in rows):
        yield f" {_ONE_SIDED_NOTE}"


def _significant_parts(evaluation: Evaluation, rows: Sequence[Comparison]) -> Iterator[Inline]:
    """Yield how many significant comparisons are of single classes and of averages, if any are."""
    significant = [row for row in rows if row.verdict.is_decided]
    parts = (
        (sum(row.class_ is not None for row in significant), evaluation.class_noun_plural),
        (sum(row.average is not None for row in significant), "averages"),
    )
    counted = [(number, noun) for number, noun in parts if number]
    for index, (number, noun) in enumerate(counted):
        yield from (" and " if index else " (", Count(number), " ")
        yield f"of {'single ' if noun != 'averages' else ''}{noun}"
    if counted:
        yield ")"


def scope_sentences(evaluation: Evaluation) -> Iterator[str]:
    """Yield what the claims of the report are about, and what they assume."""
    if evaluation.spec.dataset_names:
        yield _DATASETS_SCOPE
    elif evaluation.folds_are_repetitions:
        yield _REPETITIONS_SCOPE
    elif evaluation.fold_summaries:
        yield _CROSS_VALIDATION_SCOPE
        if any(row.is_tested and row.data != "folds" for row in evaluation.comparisons):
            yield _PARTLY_COVERED_SCOPE
    else:
        yield _TRAINED_MODELS_SCOPE
    if evaluation.measured_classifiers:
        clustered = any(row.clusters is not None for row in evaluation.design)
        yield _INDEPENDENT_CLUSTERS if clustered else _INDEPENDENT_CASES


def meaning_sentences(evaluation: Evaluation) -> Iterator[str]:
    """Yield what a confidence level, an error rate and a missing significance mean."""
    tested = any(row.is_tested for row in evaluation.comparisons)
    yield _COVERAGE_MEANING
    if tested and evaluation.spec.comparison.correction != "none":
        yield _ERROR_RATE_MEANING
    if tested:
        yield _NOT_EQUAL


_TRAINED_MODELS_SCOPE = (
    "Verdicts are about these trained classifiers, not about the algorithms that trained them:"
    " training was not repeated."
)
_REPETITIONS_SCOPE = (
    "Verdicts are about these classifiers; repeated predictions of a case count as one case."
)
_CROSS_VALIDATION_SCOPE = (
    "Cross-validation evaluates a training procedure, not one deployed classifier."
)
_PARTLY_COVERED_SCOPE = (
    "Tests and intervals over cases resample cases, not training: the variability of training is"
    " only partly covered."
)
_DATASETS_SCOPE = (
    "Tests over data sets are about the algorithms on data sets like these; training was not"
    " repeated within a data set."
)
_INDEPENDENT_CLUSTERS = (
    "Clusters are assumed to be independent of each other; cases of one cluster are not."
)
_INDEPENDENT_CASES = "Cases are assumed to be independent of each other."
_COVERAGE_MEANING = (
    "The confidence level refers to the method: over repeated samples, this share of the intervals"
    " contains the true value."
)
_ERROR_RATE_MEANING = (
    "The family-wise error rate is the probability that a report like this one contains any false"
    " claim of a difference, not the probability that a particular claim is false."
)
_NOT_EQUAL = "“No significant difference” does not mean equal; equivalence needs a margin."


def describe_tests(evaluation: Evaluation) -> Iterator[Inline]:
    """Yield the tests used, their multiplicity adjustment and equivalence; nothing if untested."""
    rows = [row for row in evaluation.comparisons if row.is_tested]
    if not rows:
        return
    descriptions: list[tuple[Inline, ...]] = [
        *_case_test_sentences(evaluation, rows),
        *_score_test_sentences(evaluation, rows),
        *_fold_test_sentences(evaluation, rows),
        tuple(_adjustment_sentence(evaluation, evaluation.tested_comparisons)),
        *_equivalence_sentence(evaluation, rows),
    ]
    for number, description in enumerate(descriptions):
        yield from (" ", *description) if number else description


def uncompared_measures_sentence(evaluation: Evaluation) -> Iterator[str]:
    """Yield the measures reported for several classifiers without tests."""
    compared = {row.measure for row in evaluation.comparisons if row.primary_test}
    names = [
        measure_phrase(measure)
        for measure in evaluation.overall_measures
        if measure.name not in compared
        and measure.orientation is not Orientation.NEITHER
        and len(values_best_first(evaluation, measure)) > 1
    ]
    if names:
        yield f" Reported without tests: {', '.join(names)}."


def _case_test_sentences(
    evaluation: Evaluation, rows: Sequence[Comparison]
) -> Iterator[tuple[Inline, ...]]:
    tests = {row.test for row in rows}
    if any("of clusters" in test for test in tests):
        yield (_CLUSTERS_NOTE,)
    elif any("weighted" in test for test in tests):
        yield (_WEIGHTS_NOTE,)
    elif any(test.startswith("paired permutation") for test in tests):
        yield (_PAIRED_NOTE,)
    unpaired = [row for row in rows if row.data == "unpaired"]
    from_counts = [item.name for item in evaluation.spec.classifiers if item.confusion is not None]
    sizes = evaluation.class_sizes
    if unpaired and len(from_counts) == len(evaluation.measured_classifiers):
        equal_sizes = all(sizes[row.first] == sizes[row.second] for row in unpaired)
        yield (_ONLY_COUNTS_NOTE + (_PAIRED_POWER_NOTE if equal_sizes else ""),)
    elif unpaired and any({row.first, row.second}.isdisjoint(from_counts) for row in unpaired):
        yield (_UNMATCHED_NOTE,)
    elif unpaired:
        yield (
            "Comparisons with ",
            *join_names(from_counts),
            " (confusion matrix only) are unpaired.",
        )
    if any("repeated" in test for test in tests):
        yield (_REPEATED_CASES_NOTE,)


def _score_test_sentences(
    evaluation: Evaluation, rows: Sequence[Comparison]
) -> Iterator[tuple[Inline, ...]]:
    by_t = {row.measure for row in rows if row.test.startswith("paired t")}
    if by_t and evaluation.task_kind == "regression":
        yield (f"{_PAIRED_T_NOTE}{_SQUARED_ERRORS_NOTE if 'rmse' in by_t else ''}.",)
    areas = {row.test for row in rows if row.test.startswith("delong")}
    if any("cluster" in test for test in areas):
        yield (_OBUCHOWSKI_NOTE,)
    elif areas:
        yield (_DELONG_NOTE,)
    if by_t and evaluation.task_kind != "regression":
        yield (_LOSS_T_NOTE,)


def _fold_test_sentences(
    evaluation: Evaluation, rows: Sequence[Comparison]
) -> Iterator[tuple[Inline, ...]]:
    if all(row.data == "folds" for row in rows):
        yield (_FOLD_TEST_NOTE,)
    if any(is_one_sided_test(evaluation, row) for row in rows):
        yield (_ONE_SIDED_NOTE,)


def _adjustment_sentence(evaluation: Evaluation, rows: Sequence[Comparison]) -> Iterator[Inline]:
    settings = evaluation.spec.comparison
    percent = inline_percentage(settings.alpha)
    at_most = _error_rate_qualifier(evaluation, rows)
    if len(rows) == 1:
        yield f"One comparison was tested; significance level {at_most}"
    elif settings.correction == "none":
        yield "p-values of the "
        yield Count(len(rows))
        yield " comparisons are not adjusted for multiplicity; significance level of each "
        yield from (at_most, percent, ".")
        return
    else:
        yield "p-values are adjusted for "
        yield Count(len(rows))
        yield f" comparisons; family-wise error rate {at_most}"
    yield percent
    yield "."
    if len(rows) > 1:
        yield from _families_sentence(evaluation, rows)


def primary_measure_sentence(evaluation: Evaluation) -> Iterator[Inline]:
    """Yield the primary measure and why it is the primary one."""
    primary = evaluation.primary_measure
    if primary is not None:
        title = averaged_title(primary.measure, primary.average)
        yield f"Primary measure: {title}{_PRIMARY_REASONS[primary.reason]}."


def _families_sentence(evaluation: Evaluation, rows: Sequence[Comparison]) -> Iterator[Inline]:
    """Yield the primary measure and the shares of the error rate, if there are several families."""
    yield " "
    yield from primary_measure_sentence(evaluation)
    families = [name for family, name in _FAMILY_NAMES.items() if family in _families(rows)]
    if len(families) > 1:
        yield (
            f" Families with a share of the error rate each: {', '.join(families)}; a family whose"
            " differences are all significant passes its share on."
        )


def _families(rows: Sequence[Comparison]) -> set[str | None]:
    return {row.family for row in rows}


def _error_rate_qualifier(evaluation: Evaluation, rows: Sequence[Comparison]) -> str:
    """Return a qualifier unless the error rate holds exactly, for any sample size."""
    # Mid-p values keep the level on average only.
    exact = evaluation.spec.comparison.p_values == "exact" and all(
        row.test.startswith(_EXACT_TESTS) for row in rows
    )
    return "" if exact else "approximately "


def _equivalence_sentence(
    evaluation: Evaluation, rows: Sequence[Comparison]
) -> Iterator[tuple[Inline, ...]]:
    """Yield the confidence level of the equivalence tests (TOST)."""
    settings = evaluation.spec.comparison
    n_tested = sum(row.non_inferior is not None for row in evaluation.comparisons)
    if not n_tested or all(equivalence_margin(evaluation, row.measure) is None for row in rows):
        return
    shared = n_tested > 1 and settings.correction != "none"
    level = 1 - 2 * min(0.5, settings.alpha / (n_tested if shared else 1))
    yield (
        "Equivalence is tested by two one-sided tests (TOST): the ",
        PlainNumber(round(TO_PERCENT * level, 1), unit="%"),
        " CI must lie within the margin",
        *(
            (
                " (Bonferroni: ",
                inline_percentage(settings.alpha),
                " divided by ",
                Count(n_tested),
                " comparisons with a margin)",
            )
            if shared
            else ()
        ),
        ".",
    )
