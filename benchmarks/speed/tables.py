"""The tables of docs/performance.md, as Markdown."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from benchmarks.speed.cases import ALL_PAIRS, CLASSES, ONE_BASELINE, PDF, POLARS, TITLES
from benchmarks.speed.growth import GROWING, growing_series, growths
from benchmarks.speed.measured import OWN
from benchmarks.speed.notes import NOTES, READING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from benchmarks.speed.measured import Measured, Outcome

MEGABYTE = 1_000_000
NONE = "–"
WITHOUT_ROWS = "fg"
# Where seconds are those of the resampling alone, but the processor time that of the process.
PART_OF_PROCESS = "e"
MARKED = re.compile(r"(<!-- speed -->\n).*?(<!-- /speed -->)", re.DOTALL)
# How many times as long as the number after it the number before it may take, as JSON.
GROWTH_TIMES = ((ALL_PAIRS, 100, 3, 10.0), (CLASSES, 1000, 2, 10.0))
GROWTH_EXPONENTS = ((ALL_PAIRS, 2.0), (ONE_BASELINE, 1.5), (CLASSES, 1.2))
EMPTY_PAGE = "# Performance\n\n<!-- speed -->\n<!-- /speed -->\n"


def write_page(measured: Measured, page: Path, plot: str, growth_plot: str = "") -> None:
    """Rewrite the marked part of the page, or make the page."""
    page.parent.mkdir(parents=True, exist_ok=True)
    text = page.read_text(encoding="utf-8") if page.exists() else EMPTY_PAGE
    part = document(measured, plot, growth_plot)
    page.write_text(MARKED.sub(lambda match: match[1] + part + match[2], text), encoding="utf-8")


def document(measured: Measured, plot: str, growth_plot: str = "") -> str:
    """Return everything that was measured: targets, growth, tables, machine."""
    parts = [
        "## File to results, compared with other tools",
        READING.format(rounds=measured.rounds),
        *_targets(measured.outcomes),
        f"![Time and memory by number of rows]({plot})",
        *_growth(measured.outcomes),
    ]
    for letter, group in groupby(measured.outcomes, key=lambda outcome: outcome.letter):
        outcomes = list(group)
        parts += [f"### ({letter}) {TITLES[letter]}", NOTES[letter]]
        if letter == GROWING:
            parts += [f"![Time by classifiers and classes]({growth_plot})"] if growth_plot else []
            parts += [*_growth_aims(outcomes), *_growing(outcomes)]
        else:
            parts += _tables(outcomes)
        parts += _reasons(outcomes)
    parts += ["### Machine and versions", _machine(measured)]
    return "\n\n".join(parts) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """Return a table whose first columns are words and the others numbers."""
    rule = ["---"] * words + ["---:"] * (len(head) - words)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def _tables(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield time and memory of the contests of one case, with a column for every tool."""
    tools = list(dict.fromkeys(tool for outcome in outcomes for tool in outcome.tools))
    for what, cell in (("seconds", _time), ("peak, MB", _memory)):
        yield table(
            [what, "rows", "file", *tools], [_row(outcome, tools, cell) for outcome in outcomes]
        )


def _row(
    outcome: Outcome, tools: Sequence[str], cell: Callable[[Outcome, str], str]
) -> Sequence[str]:
    cells = (cell(outcome, tool) if tool in outcome.tools else "" for tool in tools)
    return [outcome.name, _rows(outcome.rows), outcome.file, *cells]


def _time(outcome: Outcome, tool: str) -> str:
    seconds, ratio = outcome.seconds(tool), outcome.ratio(tool)
    if seconds is None:
        return NONE
    number = significant(seconds)
    return number if tool == OWN or ratio is None else f"{number} ({significant(ratio)}×)"


def _memory(outcome: Outcome, tool: str) -> str:
    peak = outcome.peak(tool)
    return NONE if peak is None else f"{peak / MEGABYTE:,.0f}"


def _reasons(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a list of the tools left out, each reason once."""
    reasons: dict[str, list[str]] = {}
    for outcome in outcomes:
        for tool, reason in outcome.left_out.items():
            reasons.setdefault(f"{tool} {reason}", []).append(
                f"{outcome.name}, {_rows(outcome.rows)}"
            )
    if reasons:
        yield "\n".join(f"- {NONE} {why} ({'; '.join(where)})" for why, where in reasons.items())


def _targets(outcomes: Sequence[Outcome]) -> Iterator[str]:
    rows = []
    for outcome in outcomes:
        for target in outcome.targets:
            reached = outcome.reached(target)
            if reached is None:
                continue
            met = "yes" if reached <= target.most else "**no**"
            unit = " s" if target.of is None else " ×"
            number = significant(1 / reached if target.is_faster else reached) + unit
            if target.of in outcome.given_up:
                # It would have taken longer, so that reportgen is faster by more than this.
                number, met = f"> {number}", met if met == "yes" else "not known"
            size = f", {_rows(outcome.rows)} rows" if outcome.letter not in WITHOUT_ROWS else ""
            is_whole = outcome.letter not in PART_OF_PROCESS
            used = outcome.reached_in_processor_time(target) if is_whole else None
            if used is not None and target.is_faster:
                used = 1 / used
            in_processor_time = NONE if used is None else significant(used) + unit
            name = f"({outcome.letter}) {outcome.name}{size}"
            rows.append([name, str(target), number, met, in_processor_time])
    if rows:
        yield table(["", "target", "reached", "met", "in processor time"], rows)


def _growth(outcomes: Sequence[Outcome]) -> Iterator[str]:
    series = list(growths(outcomes))
    if not series:
        return
    steps = list(dict.fromkeys(step for growth in series for step in growth.exponents))
    head = [f"{_rows(low)} to {_rows(high)}" for low, high in steps]
    yield "How time grows with the rows (the k of rows<sup>k</sup>), and the memory a row adds:"
    yield table(
        ["", "tool", *head, "bytes a row"],
        [
            [
                f"({growth.letter}) {growth.name}",
                growth.tool,
                *(_number(growth.exponents.get(step), ".2f") for step in steps),
                _number(growth.bytes_per_row, ",.0f"),
            ]
            for growth in series
        ],
        words=2,
    )


def _growth_aims(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a table of what growth is aimed at and reached, as far as it was measured."""
    by_name = {series.name: series for series in growing_series(outcomes)}
    aims: list[tuple[str, str, float | None, float]] = []
    for name, number, base, most in GROWTH_TIMES:
        times = by_name[name].times(OWN) if name in by_name else {}
        ratio = times[number] / times[base] if {number, base} <= times.keys() else None
        aims.append((f"{number:,} {name}", f"≤ {most:g} × {base}", ratio, most))
    for name, most in GROWTH_EXPONENTS:
        reached = by_name[name].last_exponent(OWN) if name in by_name else None
        aims.append((f"exponent of the last step, {name}", f"< {most:g}", reached, most))
    rows = [
        [what, aim, f"{reached:.2g}", "yes" if reached <= most else "**no**"]
        for what, aim, reached, most in aims
        if reached is not None
    ]
    if rows:
        yield table(["JSON", "aim", "reached", "met"], rows)


def _growing(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a table of each series, with ratios to its first number and to bare polars."""
    for series in growing_series(outcomes):
        first = min(series.outcomes)
        base, pdf_base = series.times(OWN).get(first), series.times(PDF).get(first)
        yield table(
            [series.name, "JSON, s", f"× {first}", "× bare polars", "MB", "PDF, s", f"× {first}"],
            [
                [
                    f"{number:,}",
                    _significant(outcome.seconds(OWN)),
                    _times(outcome.seconds(OWN), base),
                    _times(outcome.seconds(OWN), outcome.seconds(POLARS)),
                    _memory(outcome, OWN),
                    _significant(outcome.seconds(PDF)),
                    _times(outcome.seconds(PDF), pdf_base),
                ]
                for number, outcome in series.outcomes.items()
            ],
        )
        fitted = [
            f"{name} {_number(series.fitted_exponent(tool), '.2f')}"
            for name, tool in (("JSON", OWN), ("PDF", PDF))
        ]
        yield f"Fitted exponent of {series.name}: {', '.join(fitted)}."


def _significant(value: float | None) -> str:
    return NONE if value is None else significant(value)


def _times(value: float | None, base: float | None) -> str:
    return NONE if value is None or base is None else significant(value / base)


def _machine(measured: Measured) -> str:
    cells = [[name, value] for name, value in measured.machine.items()]
    again = (
        f"To repeat it: `{measured.command}`. Every single run is in benchmarks/results/speed.json."
    )
    return f"{again}\n\n{table(['', ''], cells, words=2)}"


def significant(value: float) -> str:
    """Write a positive number with two digits that matter, or whole."""
    two_digits = 10
    decimals = 0
    while value * 10**decimals < two_digits and decimals < 5:  # noqa: PLR2004
        decimals += 1
    return f"{value:,.{decimals}f}"


def _number(value: float | None, form: str) -> str:
    return NONE if value is None else format(value, form)


def _rows(rows: int) -> str:
    return f"{rows:,}"
