"""The measures that a comparison names itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import find_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.comparisons.datasets.ranking import DatasetComparison
    from reportgen.comparisons.difference import Difference
    from reportgen.measures import Measure
    from reportgen.spec import Comparison, Spec


def declared_measures(asked: Comparison) -> tuple[Measure, ...]:
    """Return the measures that a comparison names itself: they are tested, shown or not."""
    found = (find_measure(name) for name in (asked.primary or "", *(asked.margin or {})))
    return tuple(measure for measure in found if measure is not None)


def primary_warnings(asked: Comparison, differences: Sequence[Difference]) -> tuple[str, ...]:
    """Warn when the declared measure could not be tested."""
    primary = find_measure(asked.primary) if asked.primary else None
    tested = [row for row in differences if row.is_tested]
    if primary is None or asked.correction == "none" or not tested:
        return ()
    if any(row.measure == primary.name for row in tested):
        return ()
    message = (
        f"`{primary.name}`, declared to be tested first, could be tested for no pair of"
        " classifiers; the others are tested without it"
    )
    return (message,)


def dataset_warnings(spec: Spec, compared: Sequence[DatasetComparison]) -> tuple[str, ...]:
    """Warn when the declared measure could not be compared: no other one decides in its place."""
    primary = spec.comparison.primary
    declared = find_measure(primary) if primary else None
    if declared is None or not compared or any(each.decisive for each in compared):
        return ()
    message = (
        f"`{declared.name}`, declared to decide, is not known of two classifiers on two data sets,"
        " so no difference over the data sets is claimed in any other measure either"
    )
    return (message,)
