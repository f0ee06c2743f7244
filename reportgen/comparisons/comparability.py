"""Whether classifiers can have been measured on the same cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.tallies.confusion import ConfusionTally

NAMED = 3


def comparability_warnings(
    tally: ConfusionTally | None, classifiers: Sequence[str]
) -> tuple[str, ...]:
    """Warn when class sizes differ: then a difference in a measure may be one of the cases."""
    if tally is None or len(classifiers) == 1:
        return ()
    sizes: dict[tuple[int, ...], list[str]] = {}
    for name in classifiers:
        sizes.setdefault(tuple(map(sum, tally.matrix(name))), []).append(name)
    if len(sizes) <= 1:
        return ()
    examples = "; ".join(
        f"`{names[0]}` has {' + '.join(map(str, size))}"
        for size, names in list(sizes.items())[:NAMED]
    )
    return (
        (
            "the classifiers were not measured on the same cases: their numbers of true cases per"
            f" class differ ({examples}), so differences between them may come from the cases;"
            " where the classes are not equally common, only measures that do not depend on that"
            " were compared"
        ),
    )
