"""What differs: capabilities, likelihood relations, folds, published against computed."""

from reportgen.comparisons.comparability import comparability_warnings
from reportgen.comparisons.comparing import compare
from reportgen.comparisons.datasets.pairs import DatasetPair
from reportgen.comparisons.datasets.ranking import (
    DatasetComparison,
    DatasetScore,
    compare_datasets,
    dataset_warnings,
)
from reportgen.comparisons.difference import Difference, Finding
from reportgen.comparisons.elsewhere.crossings import Crossing, crossings
from reportgen.comparisons.elsewhere.guessing import GuessingAudit, audit_guessing
from reportgen.comparisons.elsewhere.prevalence import (
    PrevalenceCurve,
    PrevalenceRow,
    prevalence_curves,
    prevalence_rows,
    published_elsewhere,
    rates_of,
)
from reportgen.comparisons.folds.summaries import FoldSummary, summarise_folds
from reportgen.comparisons.pairwise.omnibus import Omnibus, omnibus
from reportgen.comparisons.published import PublishedCheck, check_published
from reportgen.comparisons.verdicts.backing import Evidence, back_capabilities, back_relations
from reportgen.comparisons.verdicts.capabilities import CapabilityRow, Cell, capability_rows
from reportgen.comparisons.verdicts.relations import LikelihoodRelation, likelihood_relations

__all__ = [
    "CapabilityRow",
    "Cell",
    "Crossing",
    "DatasetComparison",
    "DatasetPair",
    "DatasetScore",
    "Difference",
    "Evidence",
    "Finding",
    "FoldSummary",
    "GuessingAudit",
    "LikelihoodRelation",
    "Omnibus",
    "PrevalenceCurve",
    "PrevalenceRow",
    "PublishedCheck",
    "audit_guessing",
    "back_capabilities",
    "back_relations",
    "capability_rows",
    "check_published",
    "comparability_warnings",
    "compare",
    "compare_datasets",
    "crossings",
    "dataset_warnings",
    "likelihood_relations",
    "omnibus",
    "prevalence_curves",
    "prevalence_rows",
    "published_elsewhere",
    "rates_of",
    "summarise_folds",
]
