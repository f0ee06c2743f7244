"""A process that writes a report in copies of itself, each of which ends at another step.

It is a process of its own because the one of the tests has threads and cannot be copied.
"""

from __future__ import annotations

import os
import shutil
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from reportgen.output.write import rollback_interrupted_write, write_report
from tests.output.two_reports import NEW, OLD, contents
from tests.output.write_steps import STEPS, Nth, at_step

if TYPE_CHECKING:
    from collections.abc import Callable

DEAD = 9


def main(folder: Path) -> None:
    """Die at every step of writing, then at every step of bringing the old report back."""
    for step in STEPS:
        sys.stdout.write(f"{step} {_die_while_writing(folder / step, step)}\n")
        sys.stdout.flush()
        sys.stdout.write(f"{step} {_die_while_bringing_back(folder / f'back-{step}', step)}\n")
        sys.stdout.flush()


def _die_while_writing(folder: Path, step: str) -> int:
    for nth in count(1):
        place = folder / str(nth)
        write_report(place, OLD)
        died = _dies_at(step, nth, lambda place=place: write_report(place, NEW))  # type: ignore[misc]
        rollback_interrupted_write(place)
        found = contents(place)
        if found not in (OLD, NEW) or (not died and found != NEW):
            raise AssertionError(step, nth, found)
        if not died:
            return nth - 1
    raise AssertionError


def _die_while_bringing_back(folder: Path, step: str) -> int:
    half = folder / "half"
    write_report(half, OLD)
    # The last but one of the files is in place: six times something was put in its place then.
    if not _dies_at("replace", 1 + len(NEW), lambda: write_report(half, NEW)):
        raise AssertionError
    for nth in count(1):
        place = folder / str(nth)
        shutil.copytree(half, place)
        died = _dies_at(step, nth, lambda place=place: rollback_interrupted_write(place))  # type: ignore[misc]
        rollback_interrupted_write(place)
        if contents(place) != OLD:
            raise AssertionError(step, nth, contents(place))
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
