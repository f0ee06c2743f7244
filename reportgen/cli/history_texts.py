"""Runs as people read them in a terminal."""

from __future__ import annotations

import math
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

from reportgen.cli.messages import readable
from reportgen.comparisons.gates.outcome import GateVerdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from reportgen.jobs.history.record import GateRecord, RunRecord, ScoreRecord, TrendPoint
    from reportgen.scores import Score

STRIP_WIDTH = 40
HEADS = ("run", "started (UTC)", "name", "state", "gates", "seconds")


def list_text(runs: Sequence[RunRecord]) -> str:
    """Return runs as a table."""
    return _table(
        [
            HEADS,
            *(
                (run.id, _when(run.started), run.name, _state(run), _gates(run), _seconds(run))
                for run in runs
            ),
        ],
        right={5},
    )


def run_text(run: RunRecord) -> str:
    """Return all about a run."""
    head = (
        ("run", run.id),
        ("name", run.name),
        ("title", run.title),
        ("started", f"{_when(run.started)} UTC, {_seconds(run)} s"),
        ("state", f"{_state(run)}, exit code {run.exit_code}"),
        ("spec", run.spec),
        ("output", run.output),
        ("version", f"reportgen {run.version}"),
    )
    parts = [_table([row for row in head if row[1]])]
    parts += [
        _list_of(title, lines)
        for title, lines in (
            ("Findings", run.findings),
            ("Gates", [_gate_line(gate) for gate in run.gates]),
            ("Warnings", run.warnings),
            ("Faults", run.faults),
            ("Inputs", [_input_line(run, place) for place in range(len(run.inputs))]),
        )
        if lines
    ]
    overall = [score for score in run.scores if score.fold is None]
    if overall:
        parts.append("Scores over all folds\n" + _indented(_scores_table(overall)))
    return "\n\n".join(parts)


def trend_text(points: Sequence[TrendPoint]) -> str:
    """Return values over runs, each with its interval on one scale for all."""
    known = [
        end
        for point in points
        for end in (point.score.score.number, point.score.score.low, point.score.score.high)
        if end is not None and math.isfinite(end)
    ]
    low, high = min(known, default=0.0), max(known, default=0.0)
    ordered = sorted(points, key=lambda point: point.score.classifier)
    parts = []
    for classifier, group in groupby(ordered, key=lambda point: point.score.classifier):
        rows = [
            (
                _when(point.run.ended),
                _value(point.score),
                _interval(point.score),
                _strip(point.score.score, low, high),
                point.run.id + (" published" if point.run.published else ""),
            )
            for point in group
        ]
        parts.append(f"{readable(classifier)}\n{_indented(_table(rows))}")
    return "\n\n".join([_trend_title(points[0], low, high), *parts])


def _table(rows: Sequence[Sequence[str]], right: frozenset[int] | set[int] = frozenset()) -> str:
    """Return rows with their columns one below the other, whatever the width of their signs."""
    from rich.cells import cell_len

    cells = [[readable(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padded = [
            " " * (width - cell_len(cell)) + cell
            if place in right
            else cell + " " * (width - cell_len(cell))
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _list_of(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *(f"  {readable(line)}" for line in lines)])


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def _when(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _seconds(run: RunRecord) -> str:
    return f"{(run.ended - run.started).total_seconds():.1f}"


def _state(run: RunRecord) -> str:
    return f"{run.state.value}, published" if run.published else run.state.value


def _gates(run: RunRecord) -> str:
    """Say how many gates were passed, failed, warn or were not tested."""
    words = Counter(gate.verdict for gate in run.gates)
    return ", ".join(f"{words[word]} {word}" for word in GateVerdict if words[word]) or "–"


def _gate_line(gate: GateRecord) -> str:
    return f"{gate.verdict}: {gate.told}"


def _input_line(run: RunRecord, place: int) -> str:
    each = run.inputs[place]
    rows = f", {each.rows} rows" if each.rows is not None else ""
    of = f"{each.classifier}: " if each.classifier else ""
    return f"{of}{each.path}{rows}, sha256 {each.sha256[:12]}…"


def _scores_table(scores: Sequence[ScoreRecord]) -> str:
    rows = [("classifier", "class or average", "measure", "value", "interval")]
    rows += [
        (
            score.classifier,
            score.class_ or score.average or "",
            score.measure,
            _value(score),
            _interval(score),
        )
        for score in scores
    ]
    return _table(rows)


def _value(score: ScoreRecord) -> str:
    from reportgen.measures import find_measure
    from reportgen.rendering.numbers import UNDEFINED, plain_text, score_text

    measure = find_measure(score.measure)
    if measure is not None:
        return score_text(score.score, measure)
    number = score.score.number
    return UNDEFINED if number is None else plain_text(number)


def _interval(score: ScoreRecord) -> str:
    from reportgen.measures import find_measure
    from reportgen.rendering.numbers import interval_texts

    measure = find_measure(score.measure)
    if score.score.interval is None or measure is None:
        return score.score.reason or ""
    low, high = interval_texts(score.score, measure)
    return f"{low} to {high}"


def _strip(score: Score, low: float, high: float) -> str:
    """Draw a value as a dot and its interval as a line; an arrow goes beyond the scale."""
    if score.number is None:
        return ""
    signs = [" "] * STRIP_WIDTH
    if score.interval is not None:
        start, end = _place(score.low, low, high, 0), _place(score.high, low, high, STRIP_WIDTH - 1)
        signs[start : end + 1] = "─" * (end + 1 - start)
        signs[start] = "◂" if score.low is None else "├"
        signs[end] = "▸" if score.high is None else "┤"
    if math.isfinite(score.number):
        signs[_place(score.number, low, high, 0)] = "●"
    return "".join(signs)


def _place(number: float | None, low: float, high: float, otherwise: int) -> int:
    if number is None or not math.isfinite(number):
        return otherwise
    share = (number - low) / (high - low) if high > low else 0.5
    return round(share * (STRIP_WIDTH - 1))


def _trend_title(point: TrendPoint, low: float, high: float) -> str:
    from reportgen.measures import find_measure
    from reportgen.rendering.numbers import plain_text

    measure = find_measure(point.score.measure)
    title = measure.title if measure else point.score.measure
    average = f", {readable(point.score.average)} average," if point.score.average else ""
    of = f" of {readable(point.score.class_)}" if point.score.class_ else ""
    better = f", better: {measure.orientation.value}" if measure else ""
    scale = f"; drawn from {plain_text(low, 3)} to {plain_text(high, 3)}" if low < high else ""
    return f"{title}{of}{average} in {readable(point.run.name)}{better}{scale}"
