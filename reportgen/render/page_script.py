"""The script of the HTML page, and the JSON data it computes with."""

from __future__ import annotations

import base64
import json
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.measures import Orientation, describe_singularity
from reportgen.measures.formula.compile import as_postfix
from reportgen.measures.formula.singularities import find_infinite, find_undefined
from reportgen.render.number_format import number_separators
from reportgen.render.plain_text import escape_invisible, title_contains_symbol
from reportgen.render.resources import template_folder
from reportgen.render.svg.elements import series_class, series_colour
from reportgen.report.document import Chapter
from reportgen.report.inline import (
    CellGroup,
    Count,
    Estimate,
    Interval,
    MatrixCell,
    MeasureDifference,
    MeasureEstimate,
    PlainNumber,
    PValue,
    RankRange,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reportgen.evaluation.threshold_counts import ThresholdAxis
    from reportgen.measures import Measure
    from reportgen.measures.formula.singularities import Singularity
    from reportgen.report.document import ReportDocument, Table
    from reportgen.report.inline import TableCell
    from reportgen.report.what_if import WhatIfClassifier, WhatIfData

JsonValue: TypeAlias = "str | float | bool | Sequence[JsonValue] | Mapping[str, JsonValue] | None"

# In the order of their dependencies.
SCRIPT_MODULES = (
    *("page", "state", "formulas", "tables", "pairs", "curves", "decisions", "what_if"),
    *("tools", "figures", "scrolling", "contents"),
)
MIN_SORTABLE_ROWS = 8
ORIENTATION_SIGNS = {Orientation.HIGHER: 1, Orientation.LOWER: -1, Orientation.NEITHER: 0}


@cache
def load_page_script() -> str:
    """Return the script of a page as one function, without comments and indents."""
    folder = template_folder() / "scripts"
    lines = (
        line.strip()
        for name in SCRIPT_MODULES
        for line in (folder / f"{name}.js").read_text("utf-8").splitlines()
    )
    code = "\n".join(line for line in lines if line and not line.startswith("//"))
    return f'(() => {{\n"use strict";\n{code}\n}})();'


def what_if_json(what_if: WhatIfData) -> str:
    """Return the what-if data as JSON without "<", so that it cannot end the script."""
    text = json.dumps(
        _what_if_data(what_if), ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return text.replace("<", "\\u003c")


def what_if_position(report: ReportDocument) -> int:
    """Return the number of sections before the what-if section, which follows the summary."""
    answers = [
        number
        for number, section in enumerate(report.sections, 1)
        if section.chapter is Chapter.SUMMARY
    ]
    return max(answers, default=min(1, len(report.sections)))


def is_sortable_table(table: Table) -> bool:
    """Return whether a table is long enough to sort and each row has a head of its own.

    Cells of several elements have no order.
    """
    rows = [row for group in table.groups for row in group.rows]
    if any(isinstance(cell, CellGroup) for row in rows for cell in row):
        return False
    return len(rows) >= MIN_SORTABLE_ROWS and all(row[0] not in {None, ""} for row in rows)


def cell_sort_key(cell: TableCell) -> str:
    """Return the number by which a cell is sorted, or an empty text."""
    match cell:
        case MeasureEstimate(value=score) | RankRange(estimate=MeasureEstimate(value=score)):
            number = score.number
        case PlainNumber(number=number) | PValue(number=number) | Estimate(number=number):
            pass
        case MeasureDifference(number=number):
            pass
        case Count(number=number) | MatrixCell(count=number):
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


def _what_if_data(what_if: WhatIfData) -> dict[str, JsonValue]:
    measures = tuple(dict.fromkeys([*what_if.measures, *what_if.prevalence_measures]))
    indices = {measure: index for index, measure in enumerate(measures)}
    return {
        "classifiers": [
            _classifier_data(classifier, what_if.axes) for classifier in what_if.classifiers
        ],
        "classes": [escape_invisible(name) for name in what_if.classes or ()],
        "axes": [_axis_data(axis, what_if) for axis in what_if.axes],
        "measures": [_measure_data(measure) for measure in measures],
        "threshold_measures": [indices[measure] for measure in what_if.measures],
        "prevalence_measures": [indices[measure] for measure in what_if.prevalence_measures],
        "targets": what_if.target_prevalences,
        "crossings": [float(f"{share:.4g}") for share in what_if.crossovers],
        "separators": number_separators(),
        "cost": what_if.cost_ratio,
        "unit": what_if.false_positive_cost,
        "baseline": None if what_if.baseline is None else escape_invisible(what_if.baseline),
    }


def _classifier_data(
    classifier: WhatIfClassifier, axes: Sequence[ThresholdAxis]
) -> dict[str, JsonValue]:
    data: dict[str, JsonValue] = {"name": escape_invisible(classifier.name)}
    if classifier.counts is not None:
        data["counts"] = classifier.counts
        data["color"] = series_colour(classifier.color_index)
        data["shade"] = series_class(classifier.color_index)
    if classifier.cumulative_counts is not None and classifier.axis is not None:
        data["axis"] = classifier.axis
        data["tp"] = np.diff(classifier.cumulative_counts.tp, prepend=0).tolist()
        data["fp"] = np.diff(classifier.cumulative_counts.fp, prepend=0).tolist()
        if not axes[classifier.axis].thinned:
            data["thresholds"] = _encode_float64(classifier.cumulative_counts.threshold)
    return data


def _axis_data(axis: ThresholdAxis, what_if: WhatIfData) -> dict[str, JsonValue]:
    data: dict[str, JsonValue] = {
        "classifier": None if axis.classifier is None else escape_invisible(axis.classifier),
        "low": axis.low,
        "high": axis.high,
        "start": axis.operating_threshold,
    }
    if axis.thinned:
        index = what_if.axes.index(axis)
        counts = next(
            classifier.cumulative_counts
            for classifier in what_if.classifiers
            if classifier.axis == index and classifier.cumulative_counts
        )
        data["thresholds"] = _encode_float64(counts.threshold)
    return data


def _encode_float64(thresholds: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
    """Return doubles in Base64, bit by bit, because thresholds are compared exactly."""
    return base64.b64encode(thresholds.astype("<f8").tobytes()).decode("ascii")


def _measure_data(measure: Measure) -> dict[str, JsonValue]:
    symbol = measure.symbol
    return {
        "name": measure.name,
        "title": measure.title,
        "symbol": None
        if title_contains_symbol(measure)
        else (symbol.base, symbol.subscript, symbol.superscript),
        "orientation": ORIENTATION_SIGNS[measure.orientation],
        "low": measure.range.low,
        "high": measure.range.high,
        "percent": measure.is_proportion,
        "postfix": as_postfix(measure.formula),
        "requires": [as_postfix(part) for part in measure.requires],
        "undefined": _singularity_data(find_undefined(measure.formula, measure.requires)),
        "infinite": _singularity_data(find_infinite(measure.formula, measure.requires)),
    }


def _singularity_data(singularities: Iterable[Singularity]) -> list[JsonValue]:
    return [[as_postfix(cause.node), describe_singularity(cause)] for cause in singularities]
