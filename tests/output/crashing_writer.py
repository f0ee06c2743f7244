"""A process that writes a report in copies of itself, each of which ends at another step.

It is a process of its own because the one of the tests has threads and cannot be forked.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from reportgen.output.staging import STATE_FOLDER
from reportgen.output.write import recover_interrupted_write, write_report
from tests.output.two_reports import AFTER, NEW, OLD, contents
from tests.output.write_steps import STEPS, Nth, at_step, without_exchange

if TYPE_CHECKING:
    from collections.abc import Callable

DEAD = 9


def main(folder: Path) -> None:
    """Die at every step of writing, with and without the exchange of folders."""
    for step in STEPS:
        print(step, "exchange", die_while_writing(folder / step, step), flush=True)  # noqa: T201
    for step in ("rename", *STEPS):
        if step != "exchange":
            deaths = die_while_writing(folder / f"renames-{step}", step, exchange=False)
            print(step, "rename", deaths, flush=True)  # noqa: T201


def die_while_writing(folder: Path, step: str, *, exchange: bool = True) -> int:
    """Die at each step of a kind; return how many there are.

    At any time readers see the old report or the new one; without the exchange of folders, none
    for a moment.
    """
    for nth in count(1):
        place = folder / str(nth)
        write_report(place, OLD)
        with nullcontext() if exchange else without_exchange():
            died = _dies_at(step, nth, lambda place=place: write_report(place, NEW))  # type: ignore[misc]
        seen_items = contents(place)
        if seen_items not in (OLD, AFTER) and (exchange or seen_items):
            raise AssertionError(step, nth, seen_items)
        recover_interrupted_write(place)
        result = contents(place)
        if result not in (OLD, AFTER) or (not died and result != AFTER):
            raise AssertionError(step, nth, result)
        if (place.parent / STATE_FOLDER).exists():
            raise AssertionError(step, nth, "a stage is left")
        if not died:
            return nth - 1
    raise AssertionError


def _dies_at(step: str, nth: int, act: Callable[[], object]) -> bool:
    """Do something in a copy of this process that ends without a word at the nth step."""
    pid = os.fork()
    if not pid:
        with at_step(step, Nth(nth, _die)):
            act()
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code not in {0, DEAD}:
        raise AssertionError(step, nth, code)
    return code == DEAD


def _die() -> NoReturn:
    os._exit(DEAD)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
