"""The sections of a report, in their usual order, each with the builder that answers it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.report.document import Chapter
from reportgen.report.sections.answer.capabilities import capabilities, verdicts
from reportgen.report.sections.answer.gates import gates
from reportgen.report.sections.answer.summary import summary
from reportgen.report.sections.background.definitions import definitions
from reportgen.report.sections.background.inputs import inputs
from reportgen.report.sections.background.method import method
from reportgen.report.sections.background.reproduction import reproduction
from reportgen.report.sections.counts.confusion import confusion
from reportgen.report.sections.counts.measures import (
    averages,
    discriminant,
    other_measures,
    regression,
    traditional,
)
from reportgen.report.sections.counts.per_class import per_class
from reportgen.report.sections.elsewhere.datasets import datasets
from reportgen.report.sections.elsewhere.guessing import guessing
from reportgen.report.sections.elsewhere.prevalence import prevalence
from reportgen.report.sections.elsewhere.published import published
from reportgen.report.sections.numeric.residuals import residuals
from reportgen.report.sections.over_time.history import history
from reportgen.report.sections.pairs.comparisons import comparisons
from reportgen.report.sections.pairs.crowns import crowns
from reportgen.report.sections.pairs.likelihood import likelihood_relations
from reportgen.report.sections.scores.curves import curves
from reportgen.report.sections.scores.thresholds import thresholds
from reportgen.report.sections.validation.folds import folds

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.spec import Detail, SectionKind


@frozen
class SectionBuilder:
    """A heading and how the section under it is built; no blocks means it has nothing to say.

    Unless it is named in the spec it is there from a detail on, and for two classes only if the
    measures of the positive class do not say it all.
    """

    title: str
    build: Callable[[Evaluation], tuple[Block, ...]]
    chapter: Chapter = Chapter.DETAILS
    least: Detail = "standard"
    on_request_for_binary: bool = False


ANSWER, METHOD, REPRODUCTION = Chapter.ANSWER, Chapter.METHOD, Chapter.REPRODUCTION
SECTIONS: dict[SectionKind, SectionBuilder] = {
    "gates": SectionBuilder("What had to be met", gates, ANSWER, "summary"),
    "summary": SectionBuilder("What was found", summary, ANSWER, "summary"),
    "capabilities": SectionBuilder("Who is able to do what", capabilities, ANSWER, "summary"),
    "history": SectionBuilder("Over time", history),
    "datasets": SectionBuilder("Over several data sets", datasets),
    "verdicts": SectionBuilder("Every verdict", verdicts),
    "crowns": SectionBuilder("Which measure crowns whom", crowns),
    "comparisons": SectionBuilder("What differs, and how surely", comparisons),
    "traditional": SectionBuilder("Traditional measures", traditional),
    "discriminant": SectionBuilder("Discriminant measures", discriminant),
    "measures": SectionBuilder("Further measures", other_measures),
    "curves": SectionBuilder("Curves over all thresholds", curves),
    "thresholds": SectionBuilder("Choosing a threshold", thresholds),
    "regression": SectionBuilder("Errors", regression),
    "residuals": SectionBuilder("How far off, and where", residuals),
    "likelihood_relations": SectionBuilder("Likelihood relations", likelihood_relations),
    "confusion": SectionBuilder("Confusion matrices", confusion),
    "per_class": SectionBuilder("Class by class", per_class, on_request_for_binary=True),
    "averages": SectionBuilder("Averages over the classes", averages, on_request_for_binary=True),
    "folds": SectionBuilder("Folds", folds),
    "prevalence": SectionBuilder("Where positives are rarer or more common", prevalence),
    "guessing": SectionBuilder("Better than guessing?", guessing),
    "published": SectionBuilder("Published against computed", published),
    "method": SectionBuilder("How this was tested", method, METHOD),
    "definitions": SectionBuilder("Definitions", definitions, METHOD),
    "inputs": SectionBuilder("Inputs and audit", inputs, REPRODUCTION),
    "reproduction": SectionBuilder("How to repeat this", reproduction, REPRODUCTION, "summary"),
}

__all__ = ["SECTIONS", "SectionBuilder"]
