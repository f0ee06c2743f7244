"""Which of the measures that were asked for the data allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import Family, find_measure

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from reportgen.measures import Measure
    from reportgen.predictions import Predictions


def measurable(
    measures: Sequence[Measure], predictions: Predictions, given: Collection[str]
) -> tuple[Measure, ...]:
    """Return the measures for which there is what they are made of, or a given value."""
    parts = (predictions, *predictions.datasets.values())
    absent = {
        family
        for family, has_any in (
            (Family.RANKING, any(part.ranking is not None for part in parts)),
            (Family.PROBABILITY, any(part.probability is not None for part in parts)),
        )
        if not has_any
    }
    return tuple(
        measure for measure in measures if measure.family not in absent or measure.name in given
    )


def left_out_warnings(asked: Iterable[str], shown: Collection[Measure]) -> list[str]:
    """Say which measures that were asked for by name cannot be shown."""
    left_out = [
        measure.name
        for name in asked
        if (measure := find_measure(name)) is not None
        and measure.family is Family.PROBABILITY
        and measure not in shown
    ]
    return [f"`{name}` is left out: no classifier's scores are probabilities" for name in left_out]
