"""How intervals are found, in words derived from what a measure declares."""

from __future__ import annotations

import pytest

from reportgen.measures import MEASURE_REGISTRY, describe_interval_method, find_measure


@pytest.mark.parametrize("name", MEASURE_REGISTRY)
@pytest.mark.parametrize("method", ["recommended", "clopper-pearson", "bootstrap"])
def test_every_measure_says_how_its_interval_is_found(name: str, method: str) -> None:
    """One sentence, and never a class name."""
    description = describe_interval_method(MEASURE_REGISTRY[name], method)

    assert description.startswith(("Interval: ", "No interval: "))
    assert description.endswith(".")
    assert "(" not in description.replace("(2013)", "")


@pytest.mark.parametrize(
    ("name", "method", "description"),
    [
        ("accuracy", "recommended", "Interval: Wilson for a proportion."),
        ("accuracy", "clopper-pearson", "Interval: Clopper–Pearson for a proportion."),
        ("accuracy", "bootstrap", "Interval: bootstrap, stratified by true class."),
        (
            "roc_auc",
            "bootstrap",
            (
                "Interval: bootstrap, stratified by true class, for binary tasks of moderate size;"
                " otherwise DeLong's variance, on the logit scale."
            ),
        ),
        ("roc_auc", "recommended", "Interval: DeLong's variance, on the logit scale."),
        ("mcc", "recommended", "Interval: delta method on Fisher's z scale."),
        ("mcc", "clopper-pearson", "Interval: delta method on Fisher's z scale."),
        (
            "rmse",
            "bootstrap",
            "Interval: Student's t over the cases with Hall's correction for skewness.",
        ),
        ("ece", "bootstrap", "Interval: bootstrap of the cases, debiased."),
        (
            "lr_positive",
            "recommended",
            "Interval: Wilson limits combined by MOVER on the log scale.",
        ),
    ],
)
def test_the_method_follows_measure_and_spec(name: str, method: str, description: str) -> None:
    """Clopper and Pearson's is for shares only, resampling as an option for counts and curves."""
    measure = find_measure(name)

    assert measure is not None
    assert describe_interval_method(measure, method) == description
