"""Measures with a parameter: names, definitions, and what is refused."""

from __future__ import annotations

import pytest

from reportgen.measures import (
    PARAMETERIZED_MEASURES,
    Measure,
    describe_interval_method,
    describe_undefined,
    explain_parameter_error,
    find_measure,
    get_measure,
    parse_measure,
)
from reportgen.measures.formula.notation import formula_as_html, formula_as_latex, formula_as_mathml

EXAMPLES = [get_measure(measure.example) for measure in PARAMETERIZED_MEASURES]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("net_benefit@0.10", "net_benefit@0.1"),
        ("net_benefit@threshold=.1", "net_benefit@0.1"),
        ("expected_cost@fn=8, fp=1", "expected_cost@fp=1,fn=8"),
        ("recall@specificity=0.95", "sensitivity@specificity=0.95"),
        ("tpr@tnr=0.95", "sensitivity@specificity=0.95"),
        ("ppv@recall=0.8", "precision@sensitivity=0.8"),
        ("auc@fpr<=0.1", "roc_auc@fpr<=0.1"),
        ("roc_auc@false_positive_rate<=0.1", "roc_auc@fpr<=0.1"),
        ("recall@k=50", "sensitivity@k=50"),
        ("f@2", "f2"),
        ("f@beta=0.5", "f0.5"),
        ("bac@threshold=0.25", "balanced_accuracy@threshold=0.25"),
    ],
)
def test_a_parameter_is_written_in_several_ways_and_named_in_one(text: str, name: str) -> None:
    """Aliases of measures and of parameters, and numbers with or without zeros."""
    assert get_measure(text).name == name
    assert get_measure(name) == get_measure(text)


@pytest.mark.parametrize("measure", EXAMPLES, ids=lambda measure: measure.name)
def test_everything_about_it_is_derived_from_the_definition(measure: Measure) -> None:
    """Condition, interval and formulas, as of every other measure."""
    assert describe_undefined(measure).startswith("Undefined when ")
    assert describe_interval_method(measure).startswith("Interval: ")
    assert measure.question[0].isupper()
    for notation in (formula_as_html, formula_as_latex, formula_as_mathml):
        assert notation(measure.formula)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("net_benefit@1.5", "between 0 and 1, not 1.5"),
        ("net_benefit@0", "between 0 and 1, not 0"),
        ("net_benefit@x", "is not a number"),
        ("net_benefit@k=3", "write `net_benefit@0.1`"),
        ("expected_cost@fp=1", "write `expected_cost@fp=1,fn=8`"),
        ("expected_cost@fp=0,fn=0", "greater than 0"),
        ("expected_cost@fp=1,fp=2", "given twice"),
        ("sensitivity@0.9", "write `sensitivity@specificity=0.95`"),
        ("sensitivity@recall=0.9", "write `sensitivity@specificity=0.95`"),
        ("precision@k=0.5", "whole number"),
        ("roc_auc@0.1", "write `roc_auc@fpr<=0.1`"),
        ("roc_auc@fpr=0.1", "write `roc_auc@fpr<=0.1`"),
        ("lift@2", "between 0 and 1"),
        ("mcc@0.3", "mcc@threshold=0.3"),
        ("accuracy@threshold=1", "between 0 and 1"),
        ("f@0", "greater than 0"),
    ],
)
def test_a_wrong_parameter_is_explained(text: str, reason: str) -> None:
    """The message says what to write."""
    assert find_measure(text) is None
    assert reason in (explain_parameter_error(text) or "")


@pytest.mark.parametrize("text", ["nothing@0.1", "rmse@0.1", "@0.1", "net_benefit"])
def test_what_has_no_parameter_is_not_found(text: str) -> None:
    """An unknown name stays unknown."""
    assert find_measure(text) is None
    assert explain_parameter_error(text) is None


@pytest.mark.parametrize(
    ("text", "name", "average"),
    [
        ("macro_f1", "f1", "macro"),
        ("f1_macro", "f1", "macro"),
        ("recall_macro", "sensitivity", "macro"),
        ("weighted_precision", "precision", "weighted"),
        ("micro_f0.5", "f0.5", "micro"),
        ("macro_auc", "roc_auc", "macro"),
        ("accuracy", "accuracy", None),
    ],
)
def test_an_average_is_a_name(text: str, name: str, average: str | None) -> None:
    """As scikit-learn writes it, or the other way around."""
    measure = parse_measure(text)

    assert measure is not None
    assert (measure.measure.name, measure.average) == (name, average)


@pytest.mark.parametrize(
    "text",
    ["micro_auc", "macro_prevalence", "macro_", "macro_nothing", "mean_f1", "macro_rmsee"],
)
def test_what_has_no_average_is_no_name(text: str) -> None:
    """Areas are not pooled, and the prevalence has no mean over the classes."""
    assert parse_measure(text) is None


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("f1_score", "f1"),
        ("tpr", "sensitivity"),
        ("tnr", "specificity"),
        ("fpr", "type_1_rate"),
        ("fnr", "type_2_rate"),
        ("bac", "balanced_accuracy"),
        ("auc", "roc_auc"),
        ("fdr", "false_discovery_rate"),
        ("matthews_corrcoef", "mcc"),
        ("dor", "diagnostic_odds_ratio"),
    ],
)
def test_usual_names_are_aliases(alias: str, name: str) -> None:
    """Those of scikit-learn and of textbooks."""
    assert get_measure(alias).name == name
