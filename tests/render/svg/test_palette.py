"""The colours of series stay apart for readers with colour blindness, in light and in dark mode."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from reportgen.render.resources import read_resources
from reportgen.render.svg.elements import (
    DARK_MUTED_COLOUR,
    DARK_SERIES_COLOURS,
    MUTED_COLOUR,
    SERIES_COLOURS,
)
from reportgen.render.theme import contrast_ratio

# Machado, Oliveira and Fernandes (2009), table of severity 1.0, for linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
# Distances in CIELAB; 2.3 is just noticeable side by side (Mahy et al. 1994). Tritanopia is a
# thousand times rarer than the other two.
MIN_DISTANCE = {"normal": 25.0, "protanopia": 15.0, "deuteranopia": 15.0, "tritanopia": 10.0}
LIGHT_PAPER, DARK_PAPER = "#ffffff", "#10171c"


def linear_rgb(colour: str) -> np.ndarray:
    """Return the linear components of an sRGB colour."""
    parts = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def cielab(rgb: np.ndarray) -> np.ndarray:
    """Return the CIELAB coordinates of a linear colour, for the white point D65."""
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    xyz = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.95047, 1.0, 1.08883])
    root = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def smallest_distance(colours: tuple[str, ...], vision: str) -> float:
    """Return the distance of the two colours that are closest for a kind of vision."""
    points = [cielab(VISION[vision] @ linear_rgb(colour)) for colour in colours]
    return min(float(np.linalg.norm(a - b)) for a, b in combinations(points, 2))


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("colours", [SERIES_COLOURS, DARK_SERIES_COLOURS])
def test_colours_stay_apart(colours: tuple[str, ...], vision: str) -> None:
    """All pairs, because any two classifiers may be compared."""
    assert smallest_distance(colours, vision) >= MIN_DISTANCE[vision]


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(
    "colours",
    [(*SERIES_COLOURS[:3], MUTED_COLOUR), (*DARK_SERIES_COLOURS[:3], DARK_MUTED_COLOUR)],
)
def test_the_three_colours_of_many_classifiers_differ_from_grey(
    colours: tuple[str, ...], vision: str
) -> None:
    """Grey lines are also thinner, so half the distance suffices."""
    assert smallest_distance(colours, vision) >= MIN_DISTANCE[vision] / 2


def test_a_confusable_pair_would_fail() -> None:
    """Vermilion and the ochre used before are nearly the same under deuteranopia."""
    assert smallest_distance(("#d55e00", "#b37400"), "deuteranopia") < 4


@pytest.mark.parametrize(
    ("colours", "paper"),
    [
        ((*SERIES_COLOURS, MUTED_COLOUR), LIGHT_PAPER),
        ((*DARK_SERIES_COLOURS, DARK_MUTED_COLOUR), DARK_PAPER),
    ],
)
def test_lines_contrast_with_the_paper(colours: tuple[str, ...], paper: str) -> None:
    """WCAG 2.2 requires 3 for graphical objects."""
    assert min(contrast_ratio(colour, paper) for colour in colours) >= 3


def test_the_stylesheet_has_the_dark_colours() -> None:
    """The colours that are tested here are those of the page."""
    rules = dict(
        re.findall(r"\.(s\w+|s-muted) \{ --s: (#[0-9a-f]{6}); \}", read_resources("screen.css"))
    )

    assert rules == {
        **{f"s{index}": colour for index, colour in enumerate(DARK_SERIES_COLOURS)},
        "s-muted": DARK_MUTED_COLOUR,
    }
