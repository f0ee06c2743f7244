"""What makes a page move: the script, and the data it computes with."""

from __future__ import annotations

import base64
import json
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.formulas.as_steps import as_steps
from reportgen.formulas.reasons import infinite_causes, undefined_causes
from reportgen.measures import Orientation, cause_in_words
from reportgen.rendering.number_style import marks
from reportgen.rendering.shipped import template_folder
from reportgen.rendering.texts import repeats_title, visible
from reportgen.report.document import Chapter
from reportgen.report.parts import (
    Count,
    DifferenceOf,
    Estimate,
    Interval,
    Plain,
    PValue,
    Share,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reportgen.formulas.reasons import Cause
    from reportgen.measures import Measure
    from reportgen.report.document import Report, Table
    from reportgen.report.explorer import Axis, Explored, Explorer
    from reportgen.report.parts import Cell

Json: TypeAlias = "str | float | bool | Sequence[Json] | Mapping[str, Json] | None"

# What others use comes first; the last one begins.
MODULES = (
    *("page", "state", "formulas", "tables", "pairs", "curves", "explorer"),
    *("scrolling", "contents"),
)
LONG_TABLE = 8
BETTER = {Orientation.HIGHER: 1, Orientation.LOWER: -1, Orientation.NEITHER: 0}


@cache
def page_script() -> str:
    """Return the script of a page as one function, without comments and indents."""
    folder = template_folder() / "scripts"
    lines = (
        line.strip()
        for name in MODULES
        for line in (folder / f"{name}.js").read_text("utf-8").splitlines()
    )
    kept = "\n".join(line for line in lines if line and not line.startswith("//"))
    return f'(() => {{\n"use strict";\n{kept}\n}})();'


def explorer_json(explorer: Explorer) -> str:
    """Return the data of a page, in which no label can end the script it stands in."""
    written = json.dumps(
        _data(explorer), ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return written.replace("<", "\\u003c")


def place_of_explorer(report: Report) -> int:
    """Return after how many sections the page can be moved: after the answer."""
    answers = [
        at for at, section in enumerate(report.sections, 1) if section.chapter is Chapter.ANSWER
    ]
    return max(answers, default=min(1, len(report.sections)))


def is_sortable(table: Table) -> bool:
    """Tell whether a table is long enough to be sorted, and no row belongs to the one above."""
    rows = [row for group in table.groups for row in group.rows]
    return len(rows) >= LONG_TABLE and all(row[0] not in {None, ""} for row in rows)


def sort_value(cell: Cell) -> str:
    """Return the number by which a cell is sorted, or nothing."""
    match cell:
        case Value(score=score):
            number = score.number
        case Plain(number=number) | PValue(number=number) | Estimate(number=number):
            pass
        case DifferenceOf(number=number):
            pass
        case Count(number=number) | Share(count=number):
            pass
        case Interval(low=low):
            number = low
        case _:
            number = None
    if number is None or np.isnan(number):
        return ""
    if np.isinf(number):
        # As JavaScript spells it.
        return "Infinity" if number > 0 else "-Infinity"
    return f"{number:.9g}"


def _data(explorer: Explorer) -> dict[str, Json]:
    measures = tuple(dict.fromkeys([*explorer.measures, *explorer.elsewhere]))
    place = {measure: at for at, measure in enumerate(measures)}
    return {
        "classifiers": [_classifier(each, explorer.axes) for each in explorer.classifiers],
        "classes": [visible(name) for name in explorer.classes or ()],
        "axes": [_axis(axis, explorer) for axis in explorer.axes],
        "measures": [_measure(measure) for measure in measures],
        "here": [place[measure] for measure in explorer.measures],
        "elsewhere": [place[measure] for measure in explorer.elsewhere],
        "targets": explorer.targets,
        "crossings": [float(f"{share:.4g}") for share in explorer.crossings],
        "marks": marks(),
        "baseline": None if explorer.baseline is None else visible(explorer.baseline),
    }


def _classifier(each: Explored, axes: Sequence[Axis]) -> dict[str, Json]:
    found: dict[str, Json] = {"name": visible(each.name)}
    if each.counts is not None:
        found["counts"] = each.counts
    if each.steps is not None and each.axis is not None:
        found["axis"] = each.axis
        found["tp"] = np.diff(each.steps.tp, prepend=0).tolist()
        found["fp"] = np.diff(each.steps.fp, prepend=0).tolist()
        if not axes[each.axis].thinned:
            found["thresholds"] = _packed(each.steps.threshold)
    return found


def _axis(axis: Axis, explorer: Explorer) -> dict[str, Json]:
    found: dict[str, Json] = {
        "of": None if axis.classifier is None else visible(axis.classifier),
        "low": axis.low,
        "high": axis.high,
        "start": axis.start,
    }
    if axis.thinned:
        at = explorer.axes.index(axis)
        kept = next(each.steps for each in explorer.classifiers if each.axis == at and each.steps)
        found["thresholds"] = _packed(kept.threshold)
    return found


def _packed(thresholds: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
    """Return doubles bit for bit: a threshold between two scores must fall between them."""
    return base64.b64encode(thresholds.astype("<f8").tobytes()).decode("ascii")


def _measure(measure: Measure) -> dict[str, Json]:
    symbol = measure.symbol
    return {
        "name": measure.name,
        "title": measure.title,
        "symbol": None if repeats_title(measure) else (symbol.base, symbol.below, symbol.above),
        "better": BETTER[measure.orientation],
        "low": measure.range.low,
        "high": measure.range.high,
        "steps": as_steps(measure.formula),
        "requires": [as_steps(part) for part in measure.requires],
        "undefined": _causes(undefined_causes(measure.formula, measure.requires)),
        "infinite": _causes(infinite_causes(measure.formula, measure.requires)),
    }


def _causes(causes: Iterable[Cause]) -> list[Json]:
    return [[as_steps(cause.node), cause_in_words(cause)] for cause in causes]
