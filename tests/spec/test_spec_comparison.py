"""What [comparison] names must exist and be something that can be tested."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.evaluation.named_tests import MEASURE_BY_LOSS
from reportgen.evaluation.pairwise_tests import select_testable_measures
from reportgen.measures import MEASURE_REGISTRY
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
UNTESTED = {
    SCORED: ("average_precision", "pr_auc", "ece", "relative_information_score"),
    REGRESSION: ("r2", "pearson"),
}


@pytest.mark.parametrize(
    ("spec", "name"), [(spec, name) for spec, names in UNTESTED.items() for name in names]
)
@pytest.mark.parametrize("key", ['primary = «"{}"»', "margin = {{ «{}» = 0.01 }}"])
def test_a_measure_that_is_never_tested_cannot_decide(
    check_mistake: Callable[[str, str, str | None], None], spec: str, name: str, key: str
) -> None:
    """Nothing would ever be claimed; what is tested is named."""
    hint = "`rmse` and `mae`" if spec == REGRESSION else "measures of counts, `roc_auc`"
    check_mistake("E109", spec + key.format(name), hint)


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
    tested |= {"roc_auc", *MEASURE_BY_LOSS.values()}

    assert {measure.name for measure in measures if has_difference_test(measure)} == tested
