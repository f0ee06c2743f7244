"""An accent of any colour can be read."""

from __future__ import annotations

import re

import pytest

from reportgen.render.resources import read_resources
from reportgen.render.theme import DARK_PANEL, LIGHT_PANEL, contrast_ratio, ensure_contrast


def test_contrast_is_that_of_wcag() -> None:
    """Black on white is 21, equal colours 1; #767676 is the well-known grey of 4.54 on white."""
    assert contrast_ratio("#000000", "#ffffff") == pytest.approx(21)
    assert contrast_ratio("#7a1f5c", "#7a1f5c") == pytest.approx(1)
    assert contrast_ratio("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("accent", ["#ffff00", "#000000", "#ffffff", "#7a1f5c", "#0b5a78"])
def test_every_accent_becomes_readable_on_both_panels(accent: str) -> None:
    """WCAG 2.2 asks for 4.5 between text and what is behind it."""
    assert contrast_ratio(ensure_contrast(accent, LIGHT_PANEL), LIGHT_PANEL) >= 4.5
    assert contrast_ratio(ensure_contrast(accent, DARK_PANEL, dark=True), DARK_PANEL) >= 4.5


def test_an_accent_that_can_be_read_stays_as_it_is() -> None:
    """Whoever chose the colours of a house sees them."""
    assert ensure_contrast("#7a1f5c", LIGHT_PANEL) == "#7a1f5c"


@pytest.mark.parametrize(
    ("name", "panel"), [("style.css", LIGHT_PANEL), ("screen.css", DARK_PANEL)]
)
def test_panels_are_those_of_the_stylesheets(name: str, panel: str) -> None:
    """An accent is made readable on what is really behind it."""
    assert re.findall(r"--panel: (#\w+);", read_resources(name)) == [panel]
