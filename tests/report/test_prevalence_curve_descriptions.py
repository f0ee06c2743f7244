"""The sentence under the curves over the prevalence says what the curves do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.report.charts import LinePanels
from reportgen.report.document import Figure
from reportgen.report.sections.prevalence import (
    build_prevalence_section,
    describe_prevalence_curves,
)
from tests.report.report_text import confusion, evaluated, read

if TYPE_CHECKING:
    from pathlib import Path

USUAL = confusion((90, 10), (40, 60))
EVEN, RARE = 0.1, 0.001
LINEAR = "accuracy changes linearly from specificity (at 0) to sensitivity (at 1)"


def draw_curves(folder: Path, classifiers: dict[str, str], target: float = EVEN) -> Figure:
    """Return the curves over the prevalence."""
    more = f"[prevalence]\ntargets = [{target}]\n"
    blocks = build_prevalence_section(evaluated(folder, classifiers, more=more))
    (figure,) = (block for block in blocks if isinstance(block, Figure))
    return figure


def caption_text(folder: Path, classifiers: dict[str, str], target: float = EVEN) -> str:
    """Return what is said under the curves."""
    return read(draw_curves(folder, classifiers, target).description.parts)


def test_usual_curves_are_stated_to_do_the_usual(tmp_path: Path) -> None:
    """Sensitivity 0.9 and specificity 0.6."""
    assert caption_text(tmp_path, {"A": USUAL}) == (
        f"Precision increases with prevalence; NPV decreases with prevalence; {LINEAR};"
        " kappa approaches 0 at both ends."
    )


def test_no_line_is_called_straight_on_a_logarithmic_axis(tmp_path: Path) -> None:
    """At a target of 0.001 the axis goes by powers of ten, on which 0.9q + 0.6(1 − q) bends."""
    text = caption_text(tmp_path, {"A": USUAL}, RARE)

    assert "curved here by the logarithmic axis" in text


def test_agreement_below_chance_is_not_stated_to_fall(tmp_path: Path) -> None:
    """Sensitivity 0.2 and specificity 0.3: kappa is below 0 and rises to it at both ends."""
    text = caption_text(tmp_path, {"A": confusion((20, 80), (70, 30))})

    assert text.endswith("kappa approaches 0 at both ends.")


@pytest.mark.parametrize(
    ("counts", "agreement"),
    [
        # Without false alarms kappa goes to 2s/(1 + s) where the class is rare, its highest value.
        (((90, 10), (0, 100)), "approaches 0 at high prevalence."),
        # Without misses the other way round.
        (((100, 0), (40, 60)), "approaches 0 at low prevalence."),
        # Without any error it is 1, and with chance 0, at every prevalence.
        (((100, 0), (0, 100)), "does not depend on prevalence."),
        (((50, 50), (50, 50)), "does not depend on prevalence."),
    ],
)
def test_agreement_nears_nothing_only_where_it_does(
    tmp_path: Path, counts: tuple[tuple[int, int], tuple[int, int]], agreement: str
) -> None:
    """Kappa is 2q(1 − q)(s − f) / (q(1 − p) + p(1 − q)) with p = sq + f(1 − q)."""
    assert caption_text(tmp_path, {"A": confusion(*counts)}).endswith(f"kappa {agreement}")


def test_trust_that_never_changes_is_stated_to(tmp_path: Path) -> None:
    """Without a false alarm every positive answer is right; with B, who has some, it may grow."""
    sure = {"A": confusion((90, 10), (0, 100))}
    alone, both = caption_text(tmp_path, sure), caption_text(tmp_path, {**sure, "B": USUAL})

    assert alone.startswith(
        "Precision does not depend on prevalence; NPV decreases with prevalence;"
    )
    assert both.startswith("Precision increases with prevalence or is constant;")


def test_a_negative_answer_alone_is_named_in_full() -> None:
    """There is no positive answer before it that "one" could stand for."""
    falling = {"npv": {"A": ((0.0, 1.0), (1.0, 0.0))}}

    assert read(describe_prevalence_curves(falling, log_axis=False).parts) == (
        "NPV decreases with prevalence."
    )


@pytest.mark.slow
def test_of_many_classifiers_the_best_are_drawn(tmp_path: Path) -> None:
    """M0 to M12 find 60 to 72 of 100 with 20 false alarms each: M0 is the last of thirteen."""
    many = {f"M{at}": confusion((60 + at, 40 - at), (20, 80)) for at in range(13)}
    figure = draw_curves(tmp_path, many)

    assert isinstance(figure.chart, LinePanels)
    for panel in figure.chart.panels:
        assert [series.name for series in panel.series] == list(reversed(many))[:12]
    assert figure.note is not None
    assert read(figure.note.parts) == (
        "Shown: the 12 best by accuracy; 1 more classifier not shown."
    )
