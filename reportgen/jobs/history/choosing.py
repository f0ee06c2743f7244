"""Which runs of a history are meant: those of a name, the latest first, and those to forget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.jobs.history import rows

if TYPE_CHECKING:
    from datetime import datetime

    from reportgen.jobs.history.rows import Value

LATEST_FIRST = "ORDER BY started DESC, id DESC"
# Gates compare with the last run that was written, the last on other data than that, and the last
# that was published: these stay.
PRUNABLE = """
WHERE id IN (
    SELECT id FROM (
        SELECT id, state, published, started,
            ROW_NUMBER() OVER (PARTITION BY name {latest_first}) AS place,
            ROW_NUMBER() OVER (PARTITION BY name, state, is_other {latest_first}) AS place_in_state,
            ROW_NUMBER() OVER (PARTITION BY name, published {latest_first}) AS place_published
        FROM (
            SELECT *, CASE WHEN data = FIRST_VALUE(data)
                OVER (PARTITION BY name, state {latest_first}) THEN 0 ELSE 1 END AS is_other
            FROM runs {of_name}
        ) AS compared
    ) AS placed
    WHERE place > ? AND started < ?
        AND NOT (state = 'written' AND place_in_state = 1)
        AND NOT (published = 1 AND place_published = 1)
        AND NOT (state = 'begun' AND place_in_state = 1)
) {latest_first}
"""
END_OF_TIME = "9999"


def prune_condition(
    keep: int | None, before: datetime | None, name: str | None
) -> tuple[str, list[Value]]:
    """Return which runs are neither among the last of their name nor recent, and may go."""
    if keep is None and before is None:
        message = "what is to be kept must be said: so many runs, or those since a moment"
        raise ValueError(message)
    of_name, values = condition_of(name)
    since = END_OF_TIME if before is None else rows.moment(before)
    condition = PRUNABLE.format(latest_first=LATEST_FIRST, of_name=of_name)
    return condition, [*values, keep or 0, since]


def condition_of(name: str | None) -> tuple[str, list[Value]]:
    """Return the condition for runs of a name, or of any."""
    return ("", []) if name is None else ("WHERE name = ?", [name])
