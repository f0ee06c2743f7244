"""Reproduction of published values: published and computed side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.errors import DataError, Diagnostic, did_you_mean
from reportgen.errors.data import UNKNOWN_LABEL
from reportgen.measures import CAPABILITIES, get_measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.evaluation.capabilities import CapabilityRow
    from reportgen.evaluation.cross_validation import FoldSummary
    from reportgen.evaluation.values import MeasureValue, ValueKey
    from reportgen.spec import PublishedEntry

_PERCENT = 100
# Tolerance: half a unit of the last printed digit is exact in decimals, not in binary.
_ROUNDING_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class PublishedCheck:
    """A published number or rating, the computed one, and whether they agree as printed."""

    classifier: str
    measure: str
    class_: str | None
    prevalence: float | None
    published: float | str
    computed: float | str | None
    agrees: bool
    unit: str | None
    decimals: int
    source: str | None
    note: str | None


def check_published(
    published: Sequence[PublishedEntry],
    values: Mapping[ValueKey, MeasureValue],
    rows: Sequence[CapabilityRow],
    fold_summaries: Sequence[FoldSummary],
    values_at_prevalence: Mapping[tuple[str, float, str], MeasureValue] | None = None,
) -> tuple[PublishedCheck, ...]:
    """Compare every published value with the computed one."""
    _validate_classes(published, {class_ for _, class_, _, _ in values})
    cells = {(row.classifier, row.class_): row.cells for row in rows}
    means = {
        (fold.classifier, fold.measure): fold.mean for fold in fold_summaries if fold.is_overall
    }
    checks = []
    for entry in published:
        if entry.measure in CAPABILITIES:
            # The capabilities of a binary task are those of its positive class.
            rating = cells.get((entry.classifier, entry.class_)) or cells[entry.classifier, None]
            word = rating[entry.measure].verdict
            checks.append(
                _build_check(entry, word, agrees=word == str(entry.value).strip().lower())
            )
        else:
            number = _convert_unit(
                entry, _computed_value(entry, values, means, values_at_prevalence or {})
            )
            checks.append(
                _build_check(entry, _json_number(number), agrees=_rounds_to(number, entry))
            )
    return tuple(checks)


def _validate_classes(published: Sequence[PublishedEntry], known_classes: set[str | None]) -> None:
    classes = sorted(class_ for class_ in known_classes if class_ is not None)
    faults = [
        Diagnostic(
            UNKNOWN_LABEL,
            f"a published value is of class `{entry.class_}`, which does not occur in the data",
            help=did_you_mean(entry.class_, classes) or f"the classes are {', '.join(classes)}",
        )
        for entry in published
        if entry.class_ is not None and entry.class_ not in known_classes
    ]
    if faults:
        raise DataError(*faults)


def _computed_value(
    entry: PublishedEntry,
    values: Mapping[ValueKey, MeasureValue],
    fold_means: Mapping[tuple[str, str], float | None],
    values_at_prevalence: Mapping[tuple[str, float, str], MeasureValue],
) -> float | None:
    """Return the value over all cases or, where only folds are known, their mean."""
    measure = get_measure(entry.measure)
    if entry.prevalence is not None:
        return values_at_prevalence[entry.classifier, entry.prevalence, measure.name].number
    score = values.get((entry.classifier, entry.class_, None, measure.name))
    return score.number if score else fold_means[entry.classifier, measure.name]


def _convert_unit(entry: PublishedEntry, number: float | None) -> float | None:
    return number * _PERCENT if entry.unit == "%" and number is not None else number


def _json_number(number: float | None) -> float | str | None:
    """Return infinity as text, for which JSON has no number."""
    if number is None or math.isfinite(number):
        return number
    return "∞" if number > 0 else "−∞"


def _rounds_to(computed: float | None, entry: PublishedEntry) -> bool:
    """Return whether the computed number rounds to the published one."""
    if computed is None:
        return False
    half_a_digit = 0.5 * 10.0**-entry.decimals
    return abs(computed - float(entry.value)) <= half_a_digit + _ROUNDING_SLACK


def _build_check(
    entry: PublishedEntry, computed: float | str | None, *, agrees: bool
) -> PublishedCheck:
    return PublishedCheck(
        classifier=entry.classifier,
        measure=entry.measure,
        class_=entry.class_,
        prevalence=entry.prevalence,
        published=entry.value,
        computed=computed,
        agrees=agrees,
        unit=entry.unit,
        decimals=entry.decimals,
        source=entry.source,
        note=entry.note,
    )
