"""Assertions about classifiers, for tests: `assert_at_least` and `assert_not_worse`.

They are gates (docs/how-to/gates.md) in the form of functions, so that a test suite can hold a
classifier to a minimum or to another classifier. With pytest, fixtures of the same names also
record what was observed (`reportgen.integrations.pytest_plugin`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.render.plain_text import searchable_text
from reportgen.report.phrases import gate_criterion, gate_observed, gate_subject

if TYPE_CHECKING:
    from reportgen.api import Report
    from reportgen.evaluation.gate_outcome import GateOutcome

__all__ = ["assert_at_least", "assert_not_worse"]


def assert_at_least(  # noqa: PLR0913  # the keys of a gate
    report: Report,
    measure: str,
    minimum: float,
    *,
    classifier: str | None = None,
    class_: str | None = None,
    average: str | None = None,
    bound: str = "value",
) -> GateOutcome:
    """Assert that a value, or with `bound="low"` its lower confidence limit, reaches a minimum.

    Args:
        report: The report, from `reportgen.evaluate` or `reportgen.evaluate_spec`.
        measure: The name of the measure.
        minimum: The least value that passes.
        classifier: The name of the classifier; may be omitted if there is only one.
        class_: The class of the value; by default the overall value.
        average: The average over classes: "macro", "micro" or "weighted".
        bound: "value", or "low" to require enough cases as well as quality.

    Returns:
        The outcome of the gate.

    Raises:
        AssertionError: If the value is lower or undefined.
        SpecError: If the criterion is invalid or does not apply.
    """
    __tracebackhide__ = True
    outcome = report.check(
        measure, classifier, at_least=minimum, class_=class_, average=average, bound=bound
    )
    return _assert_passed(outcome)


def assert_not_worse(  # noqa: PLR0913  # the keys of a gate
    report: Report,
    measure: str,
    classifier: str,
    than: str,
    *,
    margin: float | None = None,
    class_: str | None = None,
    average: str | None = None,
) -> GateOutcome:
    """Assert that a classifier is non-inferior to another one.

    It must be shown that the classifier is worse by less than the margin: the confidence limit of
    the difference on the worse side lies within it. Too few cases fail as well.

    Args:
        report: The report, from `reportgen.evaluate` or `reportgen.evaluate_spec`.
        measure: The name of the measure.
        classifier: The name of the classifier.
        than: The name of the classifier it is compared with.
        margin: The non-inferiority margin; by default that of the report's `margin`.
        class_: The class of the value; by default the overall value.
        average: The average over classes: "macro" or "weighted".

    Returns:
        The outcome of the gate.

    Raises:
        AssertionError: If non-inferiority is not shown.
        SpecError: If the criterion is invalid or does not apply.
    """
    __tracebackhide__ = True
    outcome = report.check(
        measure, classifier, not_worse_than=than, margin=margin, class_=class_, average=average
    )
    return _assert_passed(outcome)


def _assert_passed(outcome: GateOutcome) -> GateOutcome:
    __tracebackhide__ = True
    if outcome.passed:
        return outcome
    subject, criterion, observed = (
        searchable_text(parts(outcome)) for parts in (gate_subject, gate_criterion, gate_observed)
    )
    raise AssertionError(f"{subject}: {criterion}, observed {observed}: {outcome.reason}")
