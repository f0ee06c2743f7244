"""Measures: one definition each, from which formulas, intervals, tests and documents derive."""

from reportgen.measures.capability import (
    CAPABILITIES,
    CONFIRMATION_OF_CLASSES,
    Capability,
    SingleMeasureRating,
    ThresholdRating,
    TwoSidedRating,
)
from reportgen.measures.descriptions import (
    describe_infinite,
    describe_interval_method,
    describe_singularity,
    describe_undefined,
    find_auxiliary_formulas,
)
from reportgen.measures.measure import (
    SCORE_FAMILIES,
    Measure,
    MeasureFamily,
    Orientation,
    ValueRange,
)
from reportgen.measures.references import LiteratureReference, Source
from reportgen.measures.registry import (
    DEFAULT_MEASURE_GROUPS,
    MEASURE_GROUPS,
    MEASURE_REGISTRY,
    RANK_EQUIVALENT,
    find_measure,
    get_measure,
    measure_names,
    representative_of,
    select_measures,
)

__all__ = [
    "CAPABILITIES",
    "CONFIRMATION_OF_CLASSES",
    "DEFAULT_MEASURE_GROUPS",
    "MEASURE_GROUPS",
    "MEASURE_REGISTRY",
    "RANK_EQUIVALENT",
    "SCORE_FAMILIES",
    "Capability",
    "LiteratureReference",
    "Measure",
    "MeasureFamily",
    "Orientation",
    "SingleMeasureRating",
    "Source",
    "ThresholdRating",
    "TwoSidedRating",
    "ValueRange",
    "describe_infinite",
    "describe_interval_method",
    "describe_singularity",
    "describe_undefined",
    "find_auxiliary_formulas",
    "find_measure",
    "get_measure",
    "measure_names",
    "representative_of",
    "select_measures",
]
