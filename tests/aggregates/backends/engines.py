"""The same spec evaluated on two engines, and the rows of results.json in which they differ."""

from __future__ import annotations

import json
import tomllib
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from reportgen.aggregates.aggregation import aggregate_distributed
from reportgen.aggregates.backends.distributed import find_models
from reportgen.evaluation.evaluate import evaluate_aggregates
from reportgen.evaluation.previous_runs import UNREADABLE_HISTORY
from reportgen.export.results import results_json
from reportgen.pipeline import evaluate_spec_file
from reportgen.predictions.long_format import expand_models
from reportgen.spec.load import parse_spec
from reportgen.spec.measures import with_spec_measures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.aggregates.backends.backend import AggregationBackend
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.spec import SpecFile

Results: TypeAlias = dict[str, Any]
# All specs of the repository: none needs anything that E133 rejects.
SPECS = {path.stem: path for path in sorted((Path(__file__).parents[3] / "specs").glob("*.toml"))}
# Sums of floats depend in their last digits on the order of the rows.
TOLERANCE = 1e-9
# Rows on Spark have no hash and no order: inputs have none, and warnings name no examples.
_OMITTED = ("spec", "inputs", "warnings", "manifest", "audits")


def parse_text(path: Path, text: str, engine: str = "") -> SpecFile:
    """Return a spec at a path with the settings of an engine before its other tables."""
    if engine:
        text = f"{text}\n[engine]\n{engine}\n"
    return parse_spec(path, text.encode())


def reads_files(path: Path) -> bool:
    """Return whether a spec names files of predictions, and not only counts or values."""
    spec = tomllib.loads(path.read_text(encoding="utf-8"))
    parts = (*spec["classifiers"], spec.get("data", {}))
    return any("predictions" in part for part in parts)


def results_here(path: Path, text: str) -> Results:
    """Evaluate a spec without an engine."""
    return _parse(evaluate_spec_file(parse_text(path, text)))


def results_there(
    path: Path, text: str, backend: AggregationBackend | None = None, settings: str = ""
) -> Results:
    """Evaluate a spec on Spark, or on another back end."""
    return _parse(evaluate_there(path, text, backend, settings))


def evaluate_there(
    path: Path, text: str, backend: AggregationBackend | None, settings: str
) -> Evaluation:
    """Return the evaluation of a spec on Spark, or on another back end."""
    spec_file = parse_text(path, text, f'kind = "spark"\n{settings}')
    if backend is None:
        return evaluate_spec_file(spec_file)
    spec_file = expand_models(spec_file, lambda part, column: find_models(part, column, backend))
    aggregates = with_spec_measures(aggregate_distributed)(spec_file, backend)
    return evaluate_aggregates(spec_file, aggregates, UNREADABLE_HISTORY)


def _parse(evaluation: Evaluation) -> Results:
    parsed: Results = json.loads(results_json(evaluation))
    return parsed


def differences(here: Results, there: Results, tolerance: float = TOLERANCE) -> list[str]:
    """Return where two results differ, but for what an engine cannot know."""
    keys = [key for key in {**here, **there} if key not in _OMITTED]
    return [
        line for key in keys for line in _compare(key, here.get(key), there.get(key), tolerance)
    ]


def _compare(place: str, one: object, other: object, tolerance: float) -> Iterator[str]:
    match one, other:
        case dict(), dict():
            for key in {**one, **other}:
                yield from _compare(f"{place}.{key}", one.get(key), other.get(key), tolerance)
        case list(), list():
            if len(one) != len(other):
                yield f"{place}: {len(one)} and {len(other)} rows"
            for at, pair in enumerate(zip(one, other, strict=False)):
                yield from _compare(f"{place}[{at}]", *pair, tolerance)
        case (int() | float(), int() | float()) if not isinstance(one, bool):
            if not isclose(float(one), float(other), rel_tol=tolerance, abs_tol=tolerance):
                yield f"{place}: {one} and {other}"
        case _:
            if one != other:
                yield f"{place}: {one!r} and {other!r}"
