"""What curves over the prevalence show, said only where every drawn curve does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.document import Paragraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from reportgen.report.charts.lines import Point

    Curves = Mapping[str, Sequence[Point]]

# Values nearer to each other than this are the same but for rounding.
SAME = 1e-9
TRUST = "how far a {which} can be trusted {does}"
STRAIGHT = "accuracy runs straight from the specificity (at 0) to the sensitivity (at 1)"
BENT = (
    "accuracy goes from the specificity (at 0) to the sensitivity (at 1), in a straight line that"
    " the logarithmic axis bends"
)
AGREEMENT = "agreement beyond chance comes nearer to 0 "
WHERE = {
    (True, True): "towards both ends",
    (True, False): "where the class is rare",
    (False, True): "where nearly all cases are of the class",
}


def reading_of_curves(curves: Mapping[str, Curves], *, bent: bool) -> Paragraph:
    """Say what becomes of the drawn measures; `bent`: the axis of the prevalence is logarithmic."""
    said = "; ".join(_readings(curves, bent=bent))
    return Paragraph((f"{said[0].upper()}{said[1:]}.",) if said else ())


def _readings(curves: Mapping[str, Curves], *, bent: bool) -> Iterator[str]:
    precision, npv = curves.get("precision"), curves.get("npv")
    if precision:
        does = _trend(precision, "grows with the prevalence", "the prevalence", _rises)
        yield TRUST.format(which="positive answer", does=does)
    if npv:
        it = "it" if precision else "the prevalence"
        does = _trend(npv, f"falls as {it} grows", it, _falls)
        yield TRUST.format(which="negative one" if precision else "negative answer", does=does)
    if curves.get("accuracy"):
        yield BENT if bent else STRAIGHT
    yield from _agreement(list(curves.get("kappa", {}).values()))


def _trend(curves: Curves, does: str, it: str, holds: Callable[[Sequence[Point]], bool]) -> str:
    """Say what all curves do, or some, the others being level."""
    number = sum(map(holds, curves.values()))
    if number == len(curves):
        return does
    return f"{does} or stays the same" if number else f"does not depend on {it}"


def _rises(points: Sequence[Point]) -> bool:
    return points[-1][1] - points[0][1] > SAME


def _falls(points: Sequence[Point]) -> bool:
    return points[0][1] - points[-1][1] > SAME


def _agreement(curves: Sequence[Sequence[Point]]) -> Iterator[str]:
    """Say at which ends every curve is nearer to 0 than between them, above it or below."""
    sizes = [[abs(y) for _, y in points] for points in curves]
    if not sizes:
        return
    if all(max(size) - min(size) <= SAME for size in sizes):
        yield "agreement beyond chance does not depend on the prevalence"
        return
    rare, common = (
        all(size[end] < max(size) - SAME or max(size) <= SAME for size in sizes) for end in (0, -1)
    )
    if rare or common:
        yield AGREEMENT + WHERE[rare, common]
