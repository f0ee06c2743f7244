"""Which runs a later one may be held against: those that a gate did not fail."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.comparisons.over_time.past import ScoreKey
    from reportgen.jobs.history.record import RunRecord


def baselines(
    runs: Sequence[RunRecord], failed: Mapping[str, frozenset[ScoreKey]]
) -> frozenset[int]:
    """Return the places of the runs that gates may compare with; the latest run is the first.

    For every value that failed, and for one that never did: the last run that did not fail, the
    last such run on other data, as it may have seen the data of now, and both among the published.
    """
    values: set[ScoreKey | None] = {None, *(key for keys in failed.values() for key in keys)}
    pools = [range(len(runs)), [place for place, run in enumerate(runs) if run.published]]
    return frozenset(
        place
        for key in values
        for pool in pools
        for place in _last_on_two_data(
            runs, [place for place in pool if key not in failed.get(runs[place].id, ())]
        )
    )


def _last_on_two_data(runs: Sequence[RunRecord], places: Sequence[int]) -> Iterator[int]:
    if not places:
        return
    last = places[0]
    yield last
    data = runs[last].data
    others = (place for place in places[1:] if not data or runs[place].data != data)
    yield from islice(others, 1)
