"""What a better value of a measure means a classifier can do, in words for everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.report.words.wording import inside_a_sentence

if TYPE_CHECKING:
    from reportgen.measures import Measure


@frozen
class Ability:
    """How to say that one is better, or that it is open who is.

    "finds a larger share of the positives [than B]": what stands before and after the other's name.
    """

    better: str
    doing: str
    after: str = ""


ABILITIES = {
    "youden": Ability("avoids failure better", "avoiding failure"),
    "lr_positive": Ability("confirms positives better", "confirming positives"),
    "lr_negative": Ability("confirms negatives better", "confirming negatives"),
    "sensitivity": Ability("finds a larger share of the positives", "finding positives"),
    "specificity": Ability("rejects a larger share of the negatives", "rejecting negatives"),
    "discriminant_power": Ability("discriminates the classes better", "discriminating the classes"),
    "precision": Ability(
        "is right more often",
        "being right about what is called positive",
        " when it says positive",
    ),
    "npv": Ability(
        "is right more often",
        "being right about what is called negative",
        " when it says negative",
    ),
    "roc_auc": Ability("ranks cases better", "ranking cases"),
    "brier": Ability("gives better probabilities", "giving probabilities"),
}


def ability_of(measure: Measure) -> Ability:
    """Return the words for a measure, which may be no more than its name."""
    name = inside_a_sentence(measure)
    plain = Ability("is better", name, f" in {name}")
    return ABILITIES.get(measure.name, plain)
