"""What is measured: one definition per measure."""

from reportgen.measures.capability import (
    CAPABILITIES,
    CONFIRMATION_OF_CLASSES,
    Capability,
    OneMeasure,
    Scale,
    TwoSides,
)
from reportgen.measures.catalogue import (
    CATALOGUE,
    DEFAULT_GROUPS,
    GROUPS,
    chosen_measures,
    find_measure,
    known_measure,
    measure_names,
)
from reportgen.measures.explanation import (
    auxiliary_names,
    cause_in_words,
    infinite_when,
    interval_in_words,
    undefined_when,
)
from reportgen.measures.measure import SCORE_FAMILIES, Family, Measure, Orientation, Range
from reportgen.measures.references import Reference, Source
from reportgen.measures.same_order import SAME_ORDER, question_of

__all__ = [
    "CAPABILITIES",
    "CATALOGUE",
    "CONFIRMATION_OF_CLASSES",
    "DEFAULT_GROUPS",
    "GROUPS",
    "SAME_ORDER",
    "SCORE_FAMILIES",
    "Capability",
    "Family",
    "Measure",
    "OneMeasure",
    "Orientation",
    "Range",
    "Reference",
    "Scale",
    "Source",
    "TwoSides",
    "auxiliary_names",
    "cause_in_words",
    "chosen_measures",
    "find_measure",
    "infinite_when",
    "interval_in_words",
    "known_measure",
    "measure_names",
    "question_of",
    "undefined_when",
]
