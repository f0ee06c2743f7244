"""Registry of the sections of a report, in their default order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.report.document import Chapter
from reportgen.report.sections.calibration import build_calibration_section
from reportgen.report.sections.capabilities import (
    build_all_capabilities_section,
    build_capabilities_section,
)
from reportgen.report.sections.chance import build_chance_section
from reportgen.report.sections.checklist import build_checklist_section
from reportgen.report.sections.confusion_matrices import build_confusion_matrices_section
from reportgen.report.sections.cross_validation import build_cross_validation_section
from reportgen.report.sections.curves import build_curves_section
from reportgen.report.sections.data_sources import build_data_sources_section
from reportgen.report.sections.datasets import build_datasets_section
from reportgen.report.sections.decision import build_decision_section
from reportgen.report.sections.definitions import build_definitions_section
from reportgen.report.sections.drift import build_drift_section
from reportgen.report.sections.gates import build_gates_section
from reportgen.report.sections.likelihood_ratios import build_likelihood_ratios_section
from reportgen.report.sections.measures import (
    build_averages_section,
    build_discriminant_section,
    build_measures_section,
    build_regression_section,
    build_traditional_section,
)
from reportgen.report.sections.methods import build_methods_section
from reportgen.report.sections.mistakes import build_mistakes_section
from reportgen.report.sections.monitoring import build_monitoring_section
from reportgen.report.sections.pairwise_comparisons import build_pairwise_comparisons_section
from reportgen.report.sections.per_class import build_per_class_section
from reportgen.report.sections.prevalence import build_prevalence_section
from reportgen.report.sections.published import build_published_section
from reportgen.report.sections.rank_by_measure import build_rank_by_measure_section
from reportgen.report.sections.reproducibility import build_reproducibility_section
from reportgen.report.sections.residuals import build_residuals_section
from reportgen.report.sections.segments import build_segments_section
from reportgen.report.sections.summary import (
    build_findings_section,
    build_limits_section,
    build_summary_section,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.formats import DetailLevel
    from reportgen.report.document import Block
    from reportgen.spec import SectionKind


@dataclass(frozen=True, slots=True)
class SectionBuilder:
    """A section: its title and the function that builds its blocks; omitted without blocks.

    Unless the spec requests it, the section is included from `minimum_detail` on; with
    `on_request_for_binary` a binary task has it on request only, because the measures of the
    positive class say the same.
    """

    title: str
    build: Callable[[Evaluation], tuple[Block, ...]]
    chapter: Chapter = Chapter.RESULTS
    minimum_detail: DetailLevel = "standard"
    on_request_for_binary: bool = False


_SUMMARY, _METHODS, _REPRODUCIBILITY = Chapter.SUMMARY, Chapter.METHODS, Chapter.REPRODUCIBILITY
SECTIONS: dict[SectionKind, SectionBuilder] = {
    "gates": SectionBuilder(
        "Acceptance criteria (gates)", build_gates_section, _SUMMARY, "summary"
    ),
    "summary": SectionBuilder("Recommendation", build_summary_section, _SUMMARY, "summary"),
    "capabilities": SectionBuilder(
        "Capabilities: strengths and weaknesses", build_capabilities_section, _SUMMARY, "summary"
    ),
    "limits": SectionBuilder("Limits of the evidence", build_limits_section, _SUMMARY, "summary"),
    "findings": SectionBuilder("Key findings", build_findings_section),
    "history": SectionBuilder("Trend and change since the last run", build_drift_section),
    "monitoring": SectionBuilder("Monitoring over all runs", build_monitoring_section),
    "datasets": SectionBuilder("Comparison across data sets", build_datasets_section),
    "verdicts": SectionBuilder("Capabilities of all classifiers", build_all_capabilities_section),
    "ranks": SectionBuilder("Ranking by measure", build_rank_by_measure_section),
    "comparisons": SectionBuilder("Pairwise comparisons", build_pairwise_comparisons_section),
    "traditional": SectionBuilder(
        "Standard measures", build_traditional_section, minimum_detail="full"
    ),
    "discriminant": SectionBuilder(
        "Diagnostic measures (likelihood ratios, DP)",
        build_discriminant_section,
        minimum_detail="full",
    ),
    "measures": SectionBuilder("Measures", build_measures_section),
    "curves": SectionBuilder("ROC and precision–recall curves", build_curves_section),
    "calibration": SectionBuilder("Calibration of probabilities", build_calibration_section),
    "decision": SectionBuilder("Decision: costs, thresholds, ranking", build_decision_section),
    "regression": SectionBuilder("Error measures", build_regression_section),
    "residuals": SectionBuilder("Error analysis: residuals and bias", build_residuals_section),
    "likelihood_relations": SectionBuilder(
        "Likelihood-ratio comparison", build_likelihood_ratios_section
    ),
    "confusion": SectionBuilder("Confusion matrices", build_confusion_matrices_section),
    "errors": SectionBuilder(
        "Error analysis: shared and confident mistakes", build_mistakes_section
    ),
    "per_class": SectionBuilder(
        "Per-class performance", build_per_class_section, on_request_for_binary=True
    ),
    "averages": SectionBuilder(
        "Macro, micro and weighted averages", build_averages_section, on_request_for_binary=True
    ),
    "segments": SectionBuilder("Segments", build_segments_section),
    "folds": SectionBuilder("Cross-validation variability", build_cross_validation_section),
    "prevalence": SectionBuilder("Performance at other prevalences", build_prevalence_section),
    "chance": SectionBuilder(
        "Comparison with chance and majority-class baselines", build_chance_section
    ),
    "published": SectionBuilder("Reproduction of published results", build_published_section),
    "method": SectionBuilder("Statistical methods", build_methods_section, _METHODS),
    "definitions": SectionBuilder("Definitions", build_definitions_section, _METHODS),
    "inputs": SectionBuilder(
        "Data sources and integrity checks", build_data_sources_section, _REPRODUCIBILITY
    ),
    "reproduction": SectionBuilder(
        "Reproducibility", build_reproducibility_section, _REPRODUCIBILITY, "summary"
    ),
    "checklist": SectionBuilder(
        "Reporting checklist", build_checklist_section, _REPRODUCIBILITY, "summary"
    ),
}

__all__ = ["SECTIONS", "SectionBuilder"]
