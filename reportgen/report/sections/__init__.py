"""The sections of a report, in their usual order, each with the builder that answers it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.report.document import Chapter
from reportgen.report.sections.capabilities import (
    build_all_capabilities_section,
    build_capabilities_section,
)
from reportgen.report.sections.chance import build_chance_section
from reportgen.report.sections.confusion_matrices import build_confusion_matrices_section
from reportgen.report.sections.cross_validation import build_cross_validation_section
from reportgen.report.sections.curves import build_curves_section
from reportgen.report.sections.data_sources import build_data_sources_section
from reportgen.report.sections.datasets import build_datasets_section
from reportgen.report.sections.definitions import build_definitions_section
from reportgen.report.sections.drift import build_drift_section
from reportgen.report.sections.gates import build_gates_section
from reportgen.report.sections.likelihood_ratios import build_likelihood_ratios_section
from reportgen.report.sections.measures import (
    build_additional_measures_section,
    build_averages_section,
    build_discriminant_section,
    build_regression_section,
    build_traditional_section,
)
from reportgen.report.sections.methods import build_methods_section
from reportgen.report.sections.pairwise_comparisons import build_pairwise_comparisons_section
from reportgen.report.sections.per_class import build_per_class_section
from reportgen.report.sections.prevalence import build_prevalence_section
from reportgen.report.sections.published import build_published_section
from reportgen.report.sections.rank_by_measure import build_rank_by_measure_section
from reportgen.report.sections.reproducibility import build_reproducibility_section
from reportgen.report.sections.residuals import build_residuals_section
from reportgen.report.sections.summary import build_summary_section
from reportgen.report.sections.thresholds import build_thresholds_section

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.spec import DetailLevel, SectionKind


@dataclass(frozen=True, slots=True)
class SectionBuilder:
    """A heading and how the section under it is built; no blocks means it has nothing to say.

    Unless it is named in the spec it is there from a detail on, and for two classes only if the
    measures of the positive class do not say it all.
    """

    title: str
    build: Callable[[Evaluation], tuple[Block, ...]]
    chapter: Chapter = Chapter.RESULTS
    minimum_detail: DetailLevel = "standard"
    on_request_for_binary: bool = False


_SUMMARY, _METHODS, _REPRODUCIBILITY = Chapter.SUMMARY, Chapter.METHODS, Chapter.REPRODUCIBILITY
SECTIONS: dict[SectionKind, SectionBuilder] = {
    "gates": SectionBuilder("What had to be met", build_gates_section, _SUMMARY, "summary"),
    "summary": SectionBuilder("What was found", build_summary_section, _SUMMARY, "summary"),
    "capabilities": SectionBuilder(
        "Who is able to do what", build_capabilities_section, _SUMMARY, "summary"
    ),
    "history": SectionBuilder("Over time", build_drift_section),
    "datasets": SectionBuilder("Over several data sets", build_datasets_section),
    "verdicts": SectionBuilder("Every verdict", build_all_capabilities_section),
    "ranks": SectionBuilder("Which measure crowns whom", build_rank_by_measure_section),
    "comparisons": SectionBuilder(
        "What differs, and how surely", build_pairwise_comparisons_section
    ),
    "traditional": SectionBuilder("Traditional measures", build_traditional_section),
    "discriminant": SectionBuilder("Discriminant measures", build_discriminant_section),
    "measures": SectionBuilder("Further measures", build_additional_measures_section),
    "curves": SectionBuilder("Curves over all thresholds", build_curves_section),
    "thresholds": SectionBuilder("Choosing a threshold", build_thresholds_section),
    "regression": SectionBuilder("Errors", build_regression_section),
    "residuals": SectionBuilder("How far off, and where", build_residuals_section),
    "likelihood_relations": SectionBuilder("Likelihood relations", build_likelihood_ratios_section),
    "confusion": SectionBuilder("Confusion matrices", build_confusion_matrices_section),
    "per_class": SectionBuilder(
        "Class by class", build_per_class_section, on_request_for_binary=True
    ),
    "averages": SectionBuilder(
        "Averages over the classes", build_averages_section, on_request_for_binary=True
    ),
    "folds": SectionBuilder("Folds", build_cross_validation_section),
    "prevalence": SectionBuilder(
        "Where positives are rarer or more common", build_prevalence_section
    ),
    "chance": SectionBuilder("Better than guessing?", build_chance_section),
    "published": SectionBuilder("Published against computed", build_published_section),
    "method": SectionBuilder("How this was tested", build_methods_section, _METHODS),
    "definitions": SectionBuilder("Definitions", build_definitions_section, _METHODS),
    "inputs": SectionBuilder("Inputs and audit", build_data_sources_section, _REPRODUCIBILITY),
    "reproduction": SectionBuilder(
        "How to repeat this", build_reproducibility_section, _REPRODUCIBILITY, "summary"
    ),
}

__all__ = ["SECTIONS", "SectionBuilder"]
