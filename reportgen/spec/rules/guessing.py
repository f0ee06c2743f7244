"""Tables of guessing fit their own sizes, shares and levels."""

import math
from collections.abc import Iterator

from reportgen.errors import did_you_mean
from reportgen.errors.spec_faults import (
    NEEDS_OTHER_KEY,
    OUT_OF_RANGE,
    REPEATED,
    TASK_MISFIT,
    UNKNOWN_CLASSIFIER,
)
from reportgen.spec.draft import Draft, Table
from reportgen.spec.findings import Aim, Finding, KeyPath, quoted
from reportgen.spec.rules.prevalence import has_no_matrix

# A share is written in decimals, which binary numbers only come close to.
WHOLE_ENOUGH = 1e-6
LARGEST = 1_000_000
MOST_CELLS = 5_000


def guessing_findings(draft: Draft) -> Iterator[Finding]:
    """Yield what is wrong with the tables of guessing."""
    if "guessing" not in draft.document:
        return
    if draft.task_kind not in {"binary", None}:
        message = f"[guessing] does not fit a {draft.task_kind} task: it guesses one of two classes"
        yield Finding(TASK_MISFIT, message, ("guessing",), "take [guessing] out", Aim.KEY)
    guessing = draft.table("guessing")
    for key in ("sizes", "shares", "alphas"):
        yield from _repeated(key, _numbers(guessing, key))
    cells = math.prod(len(_numbers(guessing, key)) for key in ("sizes", "shares", "alphas"))
    if cells > MOST_CELLS:
        message = f"[guessing] asks for {cells} chances, more than {MOST_CELLS} make no table"
        yield Finding(OUT_OF_RANGE, message, ("guessing",), "name fewer sizes", Aim.KEY)
    else:
        yield from _in_parts(_numbers(guessing, "sizes"), _numbers(guessing, "shares"))
    for index, table in enumerate(_tables(guessing, "tables")):
        yield from _printed(guessing, table, ("guessing", "tables", index))
    for index, chance in enumerate(_tables(guessing, "published")):
        yield from _chance(draft, chance, ("guessing", "published", index))


def _numbers(table: Table, key: str) -> list[float]:
    written = table.get(key)
    entries = written if isinstance(written, list) else []
    known = [
        entry
        for entry in entries
        if isinstance(entry, int | float) and not isinstance(entry, bool) and 0 < entry <= LARGEST
    ]
    return known if len(known) == len(entries) else []


def _tables(table: Table, key: str) -> list[Table]:
    written = table.get(key)
    return [item for item in written if isinstance(item, dict)] if isinstance(written, list) else []


def _repeated(key: str, numbers: list[float]) -> Iterator[Finding]:
    seen: set[float] = set()
    for index, number in enumerate(numbers):
        if number in seen:
            message = f"{number:g} is listed twice in `{key}`"
            yield Finding(REPEATED, message, ("guessing", key, index), "keep one of the two")
        seen.add(number)


def _in_parts(sizes: list[float], shares: list[float]) -> Iterator[Finding]:
    """Yield shares that would cut a case in two, or leave no case on one side."""
    for index, share in enumerate(shares):
        # Shares and sizes that cannot be are refused by their own limits.
        for size in [size for size in sizes if size > 1] if share < 1 else []:
            part = size * share
            if abs(part - round(part)) > WHOLE_ENOUGH or not 0 < round(part) < size:
                yield Finding(
                    OUT_OF_RANGE,
                    f"{float(share):g} of {size:g} cases are not a whole number of them",
                    ("guessing", "shares", index),
                    "choose sizes and shares whose products are whole, as 10 and 0.3",
                )
                break


def _printed(guessing: Table, table: Table, path: KeyPath) -> Iterator[Finding]:
    alphas, alpha = _numbers(guessing, "alphas"), table.get("alpha")
    if alphas and isinstance(alpha, float) and alpha not in alphas:
        message = f"the table is for {float(alpha):g}, which is not among `alphas`"
        yield Finding(NEEDS_OTHER_KEY, message, (*path, "alpha"), "add it to `alphas`")
    rows, columns = len(_numbers(guessing, "sizes")), len(_numbers(guessing, "shares"))
    values = table.get("values")
    if not rows or not columns or not isinstance(values, list):
        return
    if len(values) != rows or any(
        not isinstance(row, list) or len(row) != columns for row in values
    ):
        yield Finding(
            OUT_OF_RANGE,
            f"`values` must have {rows} rows of {columns} numbers, as `sizes` and `shares` have",
            (*path, "values"),
        )


def _chance(draft: Draft, chance: Table, path: KeyPath) -> Iterator[Finding]:
    name, names = chance.get("classifier"), draft.classifier_names
    if not isinstance(name, str) or not name.strip() or names is None:
        return
    if name not in names:
        yield Finding(
            UNKNOWN_CLASSIFIER,
            f"no classifier is named {quoted(name)}",
            (*path, "classifier"),
            did_you_mean(name, names) or f"there are {', '.join(map(quoted, names[:10]))}",
        )
    elif has_no_matrix(draft, name):
        message = "of this classifier only scores are known, not how it answered"
        yield Finding(NEEDS_OTHER_KEY, message, (*path, "classifier"))
