"""Every number that a report prints or draws is in results.json, or follows from one in it."""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.export.results import results_json
from reportgen.measures import Measure
from reportgen.pipeline import load_and_evaluate
from reportgen.report.build import build_report
from reportgen.report.charts import ReferenceLine, ScatterBin, ScatterPlot
from reportgen.report.document import Details, Figure
from reportgen.report.inline import PlainNumber

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.spec import Spec

ROOT = Path(__file__).parents[2]
SPECS = sorted((ROOT / "specs").glob("*.toml"))
# Parts of a chart that are layout, not data.
LAYOUT = {"x_range", "y_range", "zoom_window", "x_tick_labels", "decimals", "extra_decimals"}
# Tables of points, in which nearly any number between 0 and 1 could be found.
CURVES = {"curves", "prevalence_curves"}
# Numbers in sentences that are rounded before they are formatted have so many digits.
SENTENCE_DIGITS = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A number of a report, the block it stands in, and whether it was rounded already."""

    number: float
    block: str
    rounded: bool = False


class Numbers:
    """Numbers that can be looked up within rounding errors of arithmetic."""

    def __init__(self, numbers: Iterator[float]) -> None:
        """Sort the absolute values: a difference may be told from either side."""
        self.ascending = sorted({abs(number) for number in numbers if math.isfinite(number)})
        self.rounded = {
            f"{number:.{digits}g}" for number in self.ascending for digits in SENTENCE_DIGITS
        }

    def __contains__(self, number: object) -> bool:
        """Return whether the number, or its opposite, is one of these."""
        assert isinstance(number, float)
        tolerance = 1e-9 * max(1.0, abs(number))
        place = bisect_left(self.ascending, abs(number) - tolerance)
        return place < len(self.ascending) and self.ascending[place] <= abs(number) + tolerance


@pytest.mark.parametrize(
    "name",
    [pytest.param(spec.stem, marks=pytest.mark.xdist_group(spec.stem)) for spec in SPECS],
)
def test_every_number_of_a_report_is_in_its_results(name: str) -> None:
    """Tables, sentences and what figures draw; counts (whole numbers) are left out."""
    missing = sorted(
        {
            f"{printed_number.block}: {printed_number.number!r}"
            for printed_number in missing_numbers(name)
        }
    )

    assert missing == []


@pytest.mark.parametrize(
    "name",
    [pytest.param(spec.stem, marks=pytest.mark.xdist_group(spec.stem)) for spec in SPECS],
)
def test_simultaneous_intervals_agree_with_adjusted_p_values(name: str) -> None:
    """0 is outside, or a limit, where p ≤ α; it is inside, or a limit, where p > α."""
    spec, results = load_results(name)
    intervals = 0
    for row in results["comparisons"]:
        low, high, p = row["low_adjusted"], row["high_adjusted"], row["p_adjusted"]
        if low is None or high is None:
            continue
        assert isinstance(low, float)
        assert isinstance(high, float)
        assert isinstance(p, float)
        intervals += 1
        if p <= spec.comparison.alpha and row["difference"]:
            assert low >= 0 or high <= 0, row
        else:
            assert low <= 0 <= high, row
        assert low < high, row
    has_tests = any(row["p_adjusted"] is not None for row in results["comparisons"])
    assert bool(intervals) == has_tests


@cache
def load_results(name: str) -> tuple[Spec, dict[str, list[dict[str, str | float | None]]]]:
    """Return a spec and its results.json."""
    evaluation = load_and_evaluate(ROOT / "specs" / f"{name}.toml")
    return evaluation.spec, json.loads(results_json(evaluation))


@cache
def missing_numbers(name: str) -> tuple[PrintedNumber, ...]:
    """Return the numbers of a report, also in full detail, that results.json does not explain."""
    evaluation = load_and_evaluate(ROOT / "specs" / f"{name}.toml")
    results = json.loads(results_json(evaluation))
    known = [json.loads(evaluation.spec.model_dump_json()), mean_sensitivities(results)]
    numbers = Numbers(numbers_in_json([results, known]))
    tables = {key: rows for key, rows in results.items() if key not in CURVES}
    text = Numbers(numbers_in_json([tables, known]))
    output_settings = evaluation.spec.output.model_copy(update={"detail": "full"})
    spec = evaluation.spec.model_copy(update={"output": output_settings})
    detailed = replace(evaluation, spec_file=replace(evaluation.spec_file, spec=spec))
    return tuple(
        printed_number
        for report in (build_report(evaluation), build_report(detailed))
        for section in report.sections
        for block in section.blocks
        for printed_number in block_numbers(section.kind, block)
        if not is_explained(
            printed_number, numbers if printed_number.block.startswith("figure") else text
        )
    )


def is_explained(printed_number: PrintedNumber, known: Numbers) -> bool:
    """Return whether a number is known, or follows from a known one in one of these ways."""
    number = printed_number.number
    derived = (
        number,
        number / 100,  # a percentage
        number / 1_000,  # a cost per 1 000 cases
        number / 10_000,  # a cost per 10 000 cases
        1 - number,  # a specificity from a false positive rate
        (number / 100) ** 2,  # the level of two limits that hold together, in per cent
    )
    # Infinite numbers are null in results.json; whole ones are counts.
    if (
        not math.isfinite(number)
        or number == round(number)
        or any(item in known for item in derived)
    ):
        return True
    texts = {f"{item:.{digits}g}" for item in derived[:2] for digits in SENTENCE_DIGITS}
    return printed_number.rounded and not texts.isdisjoint(known.rounded)


def mean_sensitivities(results: dict[str, list[dict[str, str | float | None]]]) -> list[float]:
    """Return the mean sensitivity of every class over the classifiers, as a sentence names it."""
    values: dict[object, list[float]] = {}
    for row in results["values"]:
        value = row["value"]
        if row["measure"] == "sensitivity" and row["fold"] is None and isinstance(value, float):
            values.setdefault(row["class"], []).append(value)
    return [sum(of_class) / len(of_class) for of_class in values.values()]


def block_numbers(section: str, block: object) -> Iterator[PrintedNumber]:
    """Yield the numbers of a block, of a figure those of its chart and of its sentences."""
    if isinstance(block, Figure):
        place = f"{section}, {block.name}"
        yield from node_numbers(block.chart, f"figure of {place}")
        # Where the axes are cut is layout.
        ends = {*getattr(block.chart, "x_range", ()), *getattr(block.chart, "y_range", ())}
        sentences = node_numbers((block.description, block.note), place)
        yield from (
            printed_number for printed_number in sentences if printed_number.number not in ends
        )
    elif isinstance(block, Details):
        yield from node_numbers(block.summary, f"{section}, summary of details")
        for inner in block.blocks:
            yield from block_numbers(section, inner)
    else:
        yield from node_numbers(block, f"{section}, {getattr(block, 'name', 'text')}")


def node_numbers(node: object, block: str) -> Iterator[PrintedNumber]:
    """Yield all numbers below a node that are not whole by type."""
    match node:
        case bool() | int() | str() | Enum() | Measure() | ScatterBin() | None:
            return
        case float():
            yield PrintedNumber(node, block)
        case PlainNumber():
            yield PrintedNumber(node.number, block, rounded=node.decimals is None)
        case ScatterPlot():
            yield from node_numbers(node.panels, block)
        case ReferenceLine():
            yield from node_numbers(node.label_value, block)
        case tuple() | list():
            for item in node:
                yield from node_numbers(item, block)
        case dict():
            yield from node_numbers(list(node.values()), block)
        case _ if is_dataclass(node):
            for field in fields(node):
                if field.name not in LAYOUT:
                    yield from node_numbers(getattr(node, field.name), block)


def numbers_in_json(content: object) -> Iterator[float]:
    """Yield all numbers of a JSON value."""
    match content:
        case bool():
            return
        case int() | float():
            yield float(content)
        case dict():
            yield from numbers_in_json(list(content.values()))
        case list():
            for item in content:
                yield from numbers_in_json(item)
