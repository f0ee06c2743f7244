"""Every measure against the value that other people's code gives for the same data."""

from __future__ import annotations

import json
import math
import warnings
from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import polars as pl
import pytest

from reportgen.evaluation.values import (
    MeasureValues,
    compute_count_values,
    compute_probability_values,
    compute_ranking_values,
    compute_regression_values,
)
from reportgen.export.results import build_results
from reportgen.measures import (
    MEASURE_REGISTRY,
    PARAMETERIZED_MEASURES,
    find_measure,
    get_measure,
)
from reportgen.pipeline import evaluate_spec_file
from reportgen.spec import load_spec
from tests.references.make_references import (
    breast_cancer_rows,
    diabetes_rows,
    digits_rows,
    multilabel_rows,
    ordinal_rows,
    table_rows,
)
from tests.tables import CLASS_MEASURES, POSITIVE, REGRESSION_MEASURES, tally

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.evaluation.evaluation import Evaluation

PARAMETERIZED = tuple(
    get_measure(parameterized_measure.example).name
    for parameterized_measure in PARAMETERIZED_MEASURES
)
ROOT = Path(__file__).parents[2]
DATA_SETS = ("breast_cancer", "digits", "diabetes")
# classifier, class, average, fold, measure
Key = tuple[str | None, str | None, str | None, str | None, str]

Reference = TypedDict(
    "Reference",
    {
        "source": str,
        "data": str,
        "classifier": str | None,
        "class": str | None,
        "average": str | None,
        "fold": str | None,
        "measure": str,
        "value": float,
    },
)


@cache
def references() -> tuple[Reference, ...]:
    """Return all reference values."""
    path = ROOT / "tests" / "references" / "references.json"
    return tuple(json.loads(path.read_text(encoding="utf-8")))


def references_of(data: str) -> dict[Key, float]:
    """Return the reference values of a data set by key."""
    return {
        (row["classifier"], row["class"], row["average"], row["fold"], row["measure"]): row["value"]
        for row in references()
        if row["data"] == data
    }


def all_measures() -> tuple[str, ...]:
    """Return the names that need a reference: the catalogue, and measures with a parameter."""
    return (*MEASURE_REGISTRY, "f2", *PARAMETERIZED)


# Computed at thresholds that only a spec with these measures asks for.
SHOWN_ONLY = (
    "ks",
    *(name for name in PARAMETERIZED if "@" in name and not name.startswith("expected_cost")),
)


@cache
def evaluation(data: str) -> Evaluation:
    """Evaluate a data set by its spec; a binary one with all measures that need a reference."""
    spec_file = load_spec(ROOT / "specs" / f"{data}.toml")
    spec = spec_file.spec
    if spec.task.kind == "binary":
        measures = spec.measures.model_copy(update={"show": all_measures()})
        spec = spec.model_copy(update={"measures": measures})
    return evaluate_spec_file(replace(spec_file, spec=spec))


def values(scores: MeasureValues) -> dict[Key, float | None]:
    """Return scores by key."""
    columns = ["classifier", "class", "average", "fold", "measure", "value"]
    return {
        (classifier, class_, average, fold, measure): value
        for classifier, class_, average, fold, measure, value in scores.frame.select(columns).rows()
    }


def assert_agree(values: Mapping[Key, float | None], expected: Mapping[Key, float]) -> None:
    """Compare to 1e-12; nothing that is wanted may be missing."""
    different = [
        (key, values.get(key), value)
        for key, value in expected.items()
        if (number := values.get(key)) is None
        or not math.isclose(number, value, rel_tol=1e-12, abs_tol=1e-12)
    ]
    assert expected
    assert different == []


def test_every_measure_has_a_reference_value() -> None:
    """A law cannot catch a wrong formula that is well behaved."""
    referenced = {row["measure"] for row in references()}

    assert referenced == set(all_measures())


def test_every_averaged_measure_that_a_library_averages_has_a_reference() -> None:
    """Macro, micro and weighted."""
    averaged = defaultdict(set)
    for row in references():
        if row["average"]:
            averaged[row["average"]].add(row["measure"])

    assert set(averaged) == {"macro", "micro", "weighted"}
    assert all(measures >= {"precision", "sensitivity", "f1"} for measures in averaged.values())


TABLES = sorted({row["data"] for row in references() if row["data"].startswith("table:")})


@pytest.mark.parametrize("table", TABLES)
def test_measures_of_a_table_agree_with_other_libraries(table: str) -> None:
    """Four counts, all measures."""
    tp, fn, fp, tn = map(int, table.removeprefix("table:").split(","))
    measures = [measure for name in all_measures() if (measure := find_measure(name))]
    counted = [
        measure
        for measure in measures
        if measure.applies_to("binary") and measure.threshold is None
    ]
    scores = compute_count_values(tally(tp=tp, fn=fn, fp=fp, tn=tn), counted, POSITIVE)
    result: dict[Key, float | None] = {
        (None, *key[1:]): value for key, value in values(scores).items()
    }

    assert_agree(result, references_of(table))


@pytest.mark.parametrize("data", [*DATA_SETS, "ordinal"])
def test_every_reference_of_a_data_set_agrees(data: str) -> None:
    """Per class, per average and per fold, also for measures that its spec does not show."""
    predictions = evaluation(data).aggregates
    measures = [measure for name in all_measures() if (measure := find_measure(name))]
    if predictions.regression is not None:
        scores = compute_regression_values(predictions.regression, REGRESSION_MEASURES)
    else:
        assert predictions.confusion is not None
        assert predictions.ranking is not None
        assert predictions.probability_losses is not None
        positive = evaluation(data).spec.task.positive
        fitting = [
            measure
            for measure in measures
            if measure.threshold is None
            and any(map(measure.applies_to, ("binary", evaluation(data).task_kind)))
        ]
        scores = MeasureValues.concat(
            [
                compute_count_values(predictions.confusion, fitting, positive),
                compute_ranking_values(predictions.ranking, fitting, positive),
                compute_probability_values(predictions.probability_losses, fitting),
            ]
        )
        as_shown = evaluation(data).values.frame.filter(pl.col("measure").is_in(SHOWN_ONLY))
        scores = MeasureValues.concat([scores, MeasureValues(as_shown)])

    assert_agree(values(scores), references_of(data))


@pytest.mark.parametrize("data", DATA_SETS)
def test_what_a_spec_shows_agrees_in_the_evaluation_and_in_the_results(data: str) -> None:
    """The numbers of results.json are those of scikit-learn, SciPy and statsmodels."""
    names = {measure.name for measure in evaluation(data).reported_measures}
    expected = {key: value for key, value in references_of(data).items() if key[-1] in names}
    results = build_results(evaluation(data)).model_dump(mode="json", by_alias=True)
    rows: dict[Key, float | None] = {
        (row["classifier"], row["class"], row["average"], row["fold"], row["measure"]): row["value"]
        for row in results["values"]
    }

    assert {key[-1] for key in expected} == names
    assert_agree(values(evaluation(data).values), expected)
    assert_agree(rows, expected)


def test_every_reference_of_the_label_sets_agrees() -> None:
    """Of sets, and of averages over the labels."""
    assert_agree(values(evaluation("multilabel").values), references_of("multilabel"))


def test_the_flagship_shows_every_measure_of_classes() -> None:
    """So that each of them was compared in the results too."""
    names = {measure.name for measure in evaluation("breast_cancer").reported_measures}

    assert names == {*(measure.name for measure in CLASS_MEASURES), "f2", *PARAMETERIZED}


@pytest.mark.parametrize("data", ["breast_cancer", "digits"])
def test_the_folds_sum_to_the_whole(data: str) -> None:
    """The confusion matrices of the folds add up to the one over all folds."""
    confusion = evaluation(data).aggregates.confusion
    assert confusion is not None
    for classifier in evaluation(data).measured_classifiers:
        folds = [confusion.matrix(classifier, fold) for fold in confusion.folds(classifier)]
        summed = tuple(
            tuple(map(sum, zip(*rows, strict=True))) for rows in zip(*folds, strict=True)
        )
        assert len(folds) == 10
        assert summed == confusion.matrix(classifier)


@pytest.mark.slow
def test_the_reference_file_is_what_its_script_gives() -> None:
    """Run again, the libraries answer the same."""
    with warnings.catch_warnings():
        # The libraries warn of 0/0 and x/0; those values are left out of the file.
        warnings.simplefilter("ignore")
        of_classes = (
            table_rows(),
            breast_cancer_rows(),
            digits_rows(),
            ordinal_rows(),
            multilabel_rows(),
        )
        now = [*(row for rows in of_classes for row in rows), *diabetes_rows()]

    output = [dict(row) for row in references()]
    assert [{**row, "value": None} for row in now] == [{**row, "value": None} for row in output]
    for row, old in zip(now, output, strict=True):
        assert row["value"] == pytest.approx(old["value"], rel=1e-12, abs=1e-12), row
