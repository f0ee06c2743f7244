"""Thresholds are asked for where they can be chosen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.spec import parse_spec

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.errors import Diagnostic

BINARY = '[task]\nkind = "binary"\npositive = "yes"\nclasses = ["yes", "no"]\n'
SCORED = '[data]\ntruth = "t"\nprediction = "p"\nscore = "s"\n'
FILE = '[[classifiers]]\nname = "A"\npredictions = "a.csv"\n'
COUNTED = '[[classifiers]]\nname = "A"\nconfusion = [[5, 1], [2, 6]]\n'
COST = "[thresholds]\ncost = { false_positive = 1, false_negative = 5 }\n"


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (BINARY + COUNTED + COST, "E122", "thresholds need scores"),
        (
            '[task]\nkind = "multiclass"\n' + SCORED + FILE + COST,
            "E116",
            "thresholds need a binary task, but the task is multiclass",
        ),
        (
            BINARY + SCORED + FILE + "[thresholds]\nat_least = { sensitivty = 0.9 }\n",
            "E108",
            "unknown measure `sensitivty`",
        ),
        (
            BINARY + SCORED + FILE + "[thresholds]\nat_least = { roc_auc = 0.9 }\n",
            "E109",
            "`roc_auc` has no value at a single threshold",
        ),
        (
            BINARY + SCORED + FILE + "[thresholds]\nat_least = { foo = 1 }\n",
            "E108",
            "unknown measure `foo`",
        ),
        (
            BINARY + SCORED + FILE + "[thresholds]\nat_least = { sensitivity = 95 }\n",
            "E104",
            "`sensitivity` is outside 0 to 1, the range of `sensitivity`",
        ),
        (
            BINARY + SCORED + FILE + "[thresholds]\nat_least = { lr_positive = -2 }\n",
            "E104",
            "outside 0 to infinity, the range of `lr_positive`",
        ),
    ],
)
def test_thresholds_that_cannot_be_chosen_are_one_fault(
    faults_of: Callable[[str], tuple[Diagnostic, ...]], content: str, code: str, message: str
) -> None:
    """Nothing that was asked for is left out without a word."""
    (fault,) = faults_of(content)

    assert fault.error_code.code == code
    assert message in fault.message


def test_thresholds_of_scored_files_are_accepted() -> None:
    """Aliases are measures as well: recall is sensitivity."""
    content = BINARY + SCORED + FILE + COST + "at_least = { recall = 0.9, specificity = 0.5 }\n"

    spec = parse_spec(Path("s.toml"), content.encode()).spec

    assert spec.thresholds is not None
    assert spec.thresholds.at_least == {"recall": 0.9, "specificity": 0.5}


@pytest.mark.parametrize("condition", ["lr_positive = 2", "sensitivity = 1", "mcc = -0.5"])
def test_a_threshold_may_be_asked_for_anything_a_measure_can_be(condition: str) -> None:
    """A likelihood ratio has no upper end, and a correlation may be negative."""
    content = BINARY + SCORED + FILE + f"[thresholds]\nat_least = {{ {condition} }}\n"

    spec = parse_spec(Path("s.toml"), content.encode()).spec

    assert spec.thresholds is not None
    assert len(spec.thresholds.at_least or {}) == 1


def test_a_percentage_for_a_share_gets_help_on_how_to_write_it(
    faults_of: Callable[[str], tuple[Diagnostic, ...]],
) -> None:
    """95 / 100 is 0.95."""
    (fault,) = faults_of(BINARY + SCORED + FILE + "[thresholds]\nat_least = { sensitivity = 95 }\n")

    assert fault.help == "a score of 95 % is written 0.95"
