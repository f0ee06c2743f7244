"""The table [decision]: costs or a requirement, and where the classifier will be used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from reportgen.errors.spec import CONFLICTING_KEYS, NOT_APPLICABLE_TO_TASK
from reportgen.spec.fields import TO_FLOAT, FiniteFloat, PositiveFloat, ProportionFloat, SpecModel
from reportgen.spec.inference import MisclassificationCost, validate_constraints
from reportgen.spec.issues import Highlight, ValidationIssue

if TYPE_CHECKING:
    from reportgen.spec.spec import Spec

NegativeFloat = Annotated[float, Field(lt=0), TO_FLOAT]
_CRITERIA = ("cost", "benefit", "require")


class ActionBenefit(SpecModel):
    """The benefit of acting on a case that is predicted positive, compared with not acting."""

    true_positive: PositiveFloat = Field(examples=[20])
    """The benefit of acting on a positive case."""

    false_positive: NegativeFloat = Field(examples=[-1])
    """The benefit of acting on a negative case: a loss, so that it is negative."""


class DecisionSettings(SpecModel):
    """What the report recommends a classifier by: costs, benefits or a requirement."""

    cost: MisclassificationCost | None = Field(
        default=None, examples=[{"false_positive": 1, "false_negative": 8}]
    )
    """Misclassification costs: the classifier and threshold of minimum cost are recommended."""

    benefit: ActionBenefit | None = Field(
        default=None, examples=[{"true_positive": 20, "false_positive": -1}]
    )
    """Benefits instead of costs: a false negative costs the benefit of a true positive."""

    require: Annotated[dict[str, FiniteFloat], Field(min_length=1)] | None = Field(
        default=None, examples=[{"sensitivity": 0.95}]
    )
    """The least value by measure, or the greatest where lower is better."""

    prevalence: ProportionFloat | None = Field(default=None, examples=[0.02])
    """The prevalence of the positive class where the classifier will be used.

    By default that of the data.
    """


@dataclass(frozen=True, slots=True)
class DeclaredDecision:
    """The costs, requirements and target prevalence of a spec, from whichever table has them."""

    cost: MisclassificationCost | None = None
    requirements: Mapping[str, float] = field(default_factory=dict)
    """The limit by name of a measure: the least value, or the greatest where lower is better."""
    prevalence: float | None = None
    """The prevalence where the classifier will be used; None: not declared."""


def declared_decision(spec: Spec) -> DeclaredDecision:
    """Return what a spec declares to decide by: [decision], else [thresholds] and [prevalence].

    A single target of [prevalence] is the prevalence of use; of several none is preferred.
    """
    decision, thresholds = spec.decision, spec.thresholds
    cost = decision.cost if decision else None
    if decision is not None and decision.benefit is not None:
        benefit = decision.benefit
        cost = MisclassificationCost(
            false_positive=-benefit.false_positive, false_negative=benefit.true_positive
        )
    requirements = (decision.require if decision else None) or {}
    if cost is None and not requirements and thresholds is not None:
        cost, requirements = thresholds.cost, thresholds.at_least or {}
    targets = spec.prevalence.targets if spec.prevalence else ()
    prevalence = decision.prevalence if decision else None
    if prevalence is None and len(targets) == 1:
        prevalence = targets[0]
    return DeclaredDecision(cost, requirements, prevalence)


def target_prevalences(spec: Spec) -> tuple[float, ...]:
    """Return all target prevalences: that of [decision], then those of [prevalence]."""
    declared_prevalence = spec.decision.prevalence if spec.decision else None
    targets = spec.prevalence.targets if spec.prevalence else ()
    return (
        targets
        if declared_prevalence is None
        else tuple(dict.fromkeys([declared_prevalence, *targets]))
    )


def validate_decision(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield a task without two classes, more than one criterion, and invalid requirements."""
    if spec.decision is None:
        return
    if spec.task.kind != "binary":
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK,
            f"does not apply to a {spec.task.kind} task: costs and requirements need a positive"
            " class",
            ("decision",),
            "remove [decision]; [comparison] `primary` names the measure to recommend by",
            Highlight.KEY,
            subject="[decision]",
        )
        return
    declared = [key for key in _CRITERIA if getattr(spec.decision, key) is not None]
    for key in declared[1:]:
        yield ValidationIssue(
            CONFLICTING_KEYS,
            f"`{declared[0]}` and `{key}` are two criteria, but one decides",
            ("decision", key),
            "keep one of the two",
            Highlight.KEY,
        )
    yield from validate_constraints(spec, spec.decision.require or {}, ("decision", "require"))
