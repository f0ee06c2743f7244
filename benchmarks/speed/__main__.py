"""Compare reportgen with other tools: python -m benchmarks.speed, or `make bench`.

A whole run rewrites benchmarks/results/speed.json, docs/images/speed.svg, growth.svg and the marked
part of docs/performance.md; a part of it goes to build/bench/part, in the same folders.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.speed.cases import TITLES, Sizes, contests
from benchmarks.speed.comparing import changes
from benchmarks.speed.data import ROOT
from benchmarks.speed.machine import machine
from benchmarks.speed.measured import Measured, read_measured
from benchmarks.speed.plot import plot, plot_growth
from benchmarks.speed.running import take_turns
from benchmarks.speed.tables import write_page

if TYPE_CHECKING:
    from collections.abc import Sequence

BENCH = ROOT / "build" / "bench"
QUICK = Sizes(
    rows=(1_000, 10_000),
    csv_to=0,
    resamples=200,
    specs=5,
    classifiers=(1, 3),
    classes=(2, 4),
)
LIMIT = 180.0
ROUNDS = 5


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is asked for, write it, and tell what changed."""
    arguments_or_argv = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(arguments_or_argv)
    before = read_measured(options.compare) if options.compare else None
    if options.written:
        measured = read_measured(options.written)
    else:
        measured = _measure(
            options, shlex.join(["python", "-m", "benchmarks.speed", *arguments_or_argv])
        )
    is_complete = not (options.quick or options.cases or options.rows)
    output: Path = options.output or (ROOT if is_complete else BENCH / "part")
    write(measured, output)
    print(f"wrote {output / 'docs' / 'performance.md'}")
    if before is not None:
        print(changes(before, measured))
    faults = [fault for outcome in measured.outcomes for fault in outcome.faults]
    if faults:
        sys.exit("\n".join(faults))


def write(measured: Measured, output: Path) -> None:
    """Write all measurements, the plot and the page."""
    measured.write(output / "benchmarks" / "results" / "speed.json")
    picture = output / "docs" / "images" / "speed.svg"
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_text(plot(measured.outcomes), encoding="utf-8")
    growth = picture.with_name("growth.svg")
    growth.write_text(plot_growth(measured.outcomes), encoding="utf-8")
    page = output / "docs" / "performance.md"
    write_page(measured, page, "images/speed.svg", "images/growth.svg")


def _measure(options: argparse.Namespace, command: str) -> Measured:
    sizes: Sizes = QUICK if options.quick else Sizes(csv_to=options.csv_to)
    if options.rows:
        sizes = replace(sizes, rows=options.rows)
    rounds = options.rounds or (1 if options.quick else ROUNDS)
    # Before anything is measured, because of the load average.
    described, outcomes = machine(), []
    for contest in contests(sizes):
        if not options.cases or contest.letter in options.cases:
            data = contest.data
            description = f"({contest.letter}) {contest.name}, {data.rows:,} rows, {data.file}"
            print(description, file=sys.stderr, flush=True)
            outcomes.append(take_turns(contest, options.cache, rounds, options.limit))
    return Measured(described, command, rounds, outcomes)


def _parser() -> argparse.ArgumentParser:
    first, _, rest = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed", description=first, epilog=rest
    )
    add = parser.add_argument
    add("--cases", type=_contests, help="a part of a,b,c,d,e,f,g,h")
    add("--rows", type=_numbers, help="such as 1e5,1e6; by default 1e5,1e6,1e7; 1e8 too if you ask")
    add("--csv-to", type=_number, default=Sizes().csv_to, help="the most rows as CSV too")
    add("--rounds", type=int, help=f"how often every tool has its turn; by default {ROUNDS}")
    add("--limit", type=float, default=LIMIT, help="seconds after which a run is given up")
    add("--quick", action="store_true", help="everything, tiny and once: does it work?")
    add("--compare", type=Path, metavar="JSON", help="tell what changed since this result")
    add(
        "--written",
        type=Path,
        metavar="JSON",
        help="measure nothing: write the page of this result",
    )
    add("--output", type=Path, metavar="DIR", help="where to write instead")
    add("--cache", type=Path, metavar="DIR", default=BENCH / "data", help="where data is kept")
    return parser


def _number(text: str) -> int:
    return int(float(text))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(sorted(map(_number, text.split(","))))


def _contests(text: str) -> frozenset[str]:
    contests = frozenset(text.split(","))
    if not contests <= TITLES.keys():
        raise argparse.ArgumentTypeError(f"cases are {', '.join(TITLES)}")
    return contests


if __name__ == "__main__":
    main()
