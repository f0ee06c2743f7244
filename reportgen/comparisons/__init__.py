"""What differs: capabilities, likelihood relations, folds, published against computed."""

from reportgen.comparisons.capabilities import CapabilityRow, Cell, capability_rows
from reportgen.comparisons.comparability import comparability_warnings
from reportgen.comparisons.difference import Difference, Finding
from reportgen.comparisons.folds import FoldSummary, summarise_folds
from reportgen.comparisons.published import PublishedCheck, check_published
from reportgen.comparisons.relations import LikelihoodRelation, likelihood_relations

__all__ = [
    "CapabilityRow",
    "Cell",
    "Difference",
    "Finding",
    "FoldSummary",
    "LikelihoodRelation",
    "PublishedCheck",
    "capability_rows",
    "check_published",
    "comparability_warnings",
    "likelihood_relations",
    "summarise_folds",
]
