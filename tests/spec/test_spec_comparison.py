"""What [comparison] names must exist and be something that can be tested."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.evaluation.pairwise_tests import select_testable_measures
from reportgen.evaluation.score_tests import INFLUENCE_MEASURES, LOSS_BY_MEASURE, PR_AREAS
from reportgen.measures import MEASURE_REGISTRY, Orientation
from reportgen.measures.measure import NoInterval
from reportgen.spec import parse_spec
from reportgen.spec.inference import has_difference_test

if TYPE_CHECKING:
    from collections.abc import Callable

BINARY = """\
[task]
kind = "binary"
positive = "yes"
[[classifiers]]
name = "SVM"
predictions = "svm.csv"
[comparison]
"""
MISTAKES = {
    "unknown primary measure": ("E108", 'primary = «"accurcy"»', "`accuracy`"),
    "primary measure of another task": ("E109", 'primary = «"rmse"»', "reportgen explain rmse"),
    "primary measure without a better end": (
        "E109",
        'primary = «"prevalence"»',
        "of which higher or lower is better",
    ),
    "primary measure of scores without any": (
        "E122",
        'primary = «"auc"»',
        '`score = "…"` in [data]',
    ),
    "primary measure without a test": (
        "E109",
        'primary = «"chi_square_p"»',
        "of which higher or lower is better",
    ),
    "margin of a measure without a better end": (
        "E109",
        "margin = { «prevalence» = 0.01 }",
        "of which higher or lower is better",
    ),
    "unknown measure with a margin": (
        "E108",
        "margin = { «accurcy» = 0.01 }",
        "`accuracy`",
    ),
    "margin of another task": ("E109", "margin = { «rmse» = 0.01 }", "reportgen explain rmse"),
    "one margin by two names": (
        "E119",
        "margin = { recall = 0.01, «sensitivity» = 0.02 }",
        "keep one",
    ),
    "unknown baseline": ("E110", 'baseline = «"SVN"»', "SVM"),
}


@pytest.mark.parametrize(("code", "keys", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_a_name_in_comparison_that_cannot_be_meant_is_reported(
    check_mistake: Callable[[str, str, str | None], None], code: str, keys: str, hint: str
) -> None:
    """With its code, its place and a way out."""
    check_mistake(code, BINARY + keys, hint)


SCORED = BINARY.replace("[[classifiers]]", '[data]\nscore = "p"\n[[classifiers]]', 1)
REGRESSION = BINARY.replace('"binary"\npositive = "yes"', '"regression"')
MULTICLASS = BINARY.replace('"binary"\npositive = "yes"', '"multiclass"')
DECLARED = {
    SCORED: ("average_precision", "pr_auc", "roc_auc", "ece", "relative_information_score"),
    REGRESSION: ("r2", "pearson", "mae"),
    MULTICLASS: ("macro_f1", "weighted_precision", "micro_recall", "kappa"),
}


@pytest.mark.parametrize(
    ("spec", "name"), [(spec, name) for spec, names in DECLARED.items() for name in names]
)
def test_any_measure_or_average_may_be_primary(spec: str, name: str) -> None:
    """All that has a test."""
    content = f'{spec}primary = "{name}"'

    assert parse_spec(Path("s.toml"), content.encode()).spec.comparison.primary == name


def test_a_primary_measure_without_a_value_over_all_classes_is_refused(
    check_mistake: Callable[[str, str, str | None], None],
) -> None:
    """F1 of several classes is per class; the average is named."""
    check_mistake("E109", MULTICLASS + 'primary = «"f1"»', "`macro_f1`")


def test_a_primary_measure_of_classes_without_averages_is_refused(
    check_mistake: Callable[[str, str, str | None], None],
) -> None:
    """The detection rate of a class has neither a value over all classes nor averages."""
    check_mistake("E109", MULTICLASS + 'primary = «"detection_rate"»', "`accuracy`")


def test_an_average_of_a_binary_task_is_refused(
    check_mistake: Callable[[str, str, str | None], None],
) -> None:
    """There is one positive class."""
    check_mistake("E109", BINARY + 'primary = «"macro_f1"»', "`f1`")


def test_any_measure_decides_where_its_scores_are_given() -> None:
    """Scores by fold are compared with each other, whatever they measure."""
    content = (
        '[task]\nkind = "binary"\npositive = "yes"\n[[classifiers]]\nname = "A"\n'
        "fold_scores = { average_precision = [0.8, 0.7] }\n"
        '[comparison]\nprimary = "average_precision"\nmargin = { average_precision = 0.1 }\n'
    )

    spec = parse_spec(Path("s.toml"), content.encode()).spec

    assert spec.comparison.primary == "average_precision"


def test_what_a_spec_may_declare_is_what_comparisons_test() -> None:
    """The rule of specs and the code that tests have the same measures."""
    measures = tuple(MEASURE_REGISTRY.values())
    tested = {measure.name for measure in select_testable_measures(measures)}
    tested |= {"roc_auc", "ks", *INFLUENCE_MEASURES, *LOSS_BY_MEASURE, *PR_AREAS}
    tested |= {measure.name for measure in measures if measure.only_for == "multilabel"}

    assert {measure.name for measure in measures if has_difference_test(measure)} == tested


def test_every_measure_with_an_interval_and_a_better_direction_has_a_paired_test() -> None:
    """What is shown with an interval can be primary and can be gated."""
    for measure in MEASURE_REGISTRY.values():
        is_comparable = measure.orientation is not Orientation.NEITHER
        has_interval = not isinstance(measure.interval, NoInterval)

        assert has_difference_test(measure) == (is_comparable and has_interval), measure.name
