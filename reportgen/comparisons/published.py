"""What a paper printed against what its data give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.measures import CAPABILITIES, find_measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.comparisons.capabilities import CapabilityRow
    from reportgen.scores import Score
    from reportgen.spec import Published

PERCENT = 100
# Half a unit of the last printed digit is exact in decimals but not in binary.
ROUNDING_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class PublishedCheck:
    """A published number or word, what was computed, and whether they agree as printed."""

    classifier: str
    measure: str
    class_: str | None
    published: float | str
    computed: float | str | None
    agrees: bool
    unit: str | None
    decimals: int
    source: str | None
    note: str | None


def check_published(
    published: Sequence[Published],
    scores: Mapping[tuple[str, str | None, str | None, str], Score],
    rows: Sequence[CapabilityRow],
) -> tuple[PublishedCheck, ...]:
    """Check every published value."""
    by_key = {(row.classifier, row.class_): row for row in rows}
    checks = []
    for entry in published:
        if entry.measure in CAPABILITIES:
            computed: float | str | None = (
                by_key[entry.classifier, entry.class_].cells[entry.measure].verdict
            )
            agrees = computed == str(entry.value).strip().lower()
        else:
            computed = _number(entry, scores)
            agrees = computed is not None and _rounds_to(computed, entry)
        checks.append(_check(entry, computed, agrees=agrees))
    return tuple(checks)


def _number(
    entry: Published, scores: Mapping[tuple[str, str | None, str | None, str], Score]
) -> float | None:
    measure = find_measure(entry.measure)
    if measure is None:
        raise LookupError(entry.measure)
    number = scores[entry.classifier, entry.class_, None, measure.name].number
    if number is None:
        return None
    return number * PERCENT if entry.unit == "%" else number


def _rounds_to(computed: float, entry: Published) -> bool:
    """Tell whether the computed number, rounded as printed, is the printed one."""
    half_a_digit = 0.5 * 10.0**-entry.decimals
    return abs(computed - float(entry.value)) <= half_a_digit + ROUNDING_SLACK


def _check(entry: Published, computed: float | str | None, *, agrees: bool) -> PublishedCheck:
    return PublishedCheck(
        classifier=entry.classifier,
        measure=entry.measure,
        class_=entry.class_,
        published=entry.value,
        computed=computed,
        agrees=agrees,
        unit=entry.unit,
        decimals=entry.decimals,
        source=entry.source,
        note=entry.note,
    )
