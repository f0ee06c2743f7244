"""The sections of a report, in their usual order, each with the builder that answers it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.report.sections.capabilities import capabilities, likelihood_relations
from reportgen.report.sections.comparisons import comparisons
from reportgen.report.sections.confusion import confusion
from reportgen.report.sections.curves import curves
from reportgen.report.sections.datasets import datasets
from reportgen.report.sections.definitions import definitions
from reportgen.report.sections.folds import folds
from reportgen.report.sections.guessing import guessing
from reportgen.report.sections.inputs import inputs
from reportgen.report.sections.measures import (
    averages,
    discriminant,
    other_measures,
    regression,
    traditional,
)
from reportgen.report.sections.per_class import per_class
from reportgen.report.sections.prevalence import prevalence
from reportgen.report.sections.published import published
from reportgen.report.sections.summary import summary
from reportgen.report.sections.thresholds import thresholds

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.spec import SectionKind


@dataclass(frozen=True, slots=True)
class SectionBuilder:
    """A heading and how the section under it is built; no blocks means it has nothing to say."""

    title: str
    build: Callable[[Evaluation], tuple[Block, ...]]
    # For two classes the measures of the positive class say it all; the rest is there on request.
    on_request_for_binary: bool = False


SECTIONS: dict[SectionKind, SectionBuilder] = {
    "summary": SectionBuilder("Summary", summary),
    "datasets": SectionBuilder("Over several data sets", datasets),
    "capabilities": SectionBuilder("Who is able to do what", capabilities),
    "comparisons": SectionBuilder("What differs, and how surely", comparisons),
    "traditional": SectionBuilder("Traditional measures", traditional),
    "discriminant": SectionBuilder("Discriminant measures", discriminant),
    "measures": SectionBuilder("Further measures", other_measures),
    "curves": SectionBuilder("Curves over all thresholds", curves),
    "thresholds": SectionBuilder("Choosing a threshold", thresholds),
    "regression": SectionBuilder("Errors", regression),
    "likelihood_relations": SectionBuilder("Likelihood relations", likelihood_relations),
    "confusion": SectionBuilder("Confusion matrices", confusion),
    "per_class": SectionBuilder("Class by class", per_class, on_request_for_binary=True),
    "averages": SectionBuilder("Averages over the classes", averages, on_request_for_binary=True),
    "folds": SectionBuilder("Folds", folds),
    "prevalence": SectionBuilder("Where positives are rarer or more common", prevalence),
    "guessing": SectionBuilder("Better than guessing?", guessing),
    "published": SectionBuilder("Published against computed", published),
    "inputs": SectionBuilder("Inputs and audit", inputs),
    "definitions": SectionBuilder("Definitions", definitions),
}

__all__ = ["SECTIONS", "SectionBuilder"]
