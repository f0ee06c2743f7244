"""What a report says where a class has too few cases for DeLong's test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.report.build import build_report
from tests.report.report_text import BINARY, MULTICLASS, confusion, evaluated, sentences

if TYPE_CHECKING:
    from pathlib import Path

DATA = 'probabilities = "p {class}"\n'


def test_a_small_class_is_stated_not_to_be_tested(tmp_path: Path) -> None:
    """Of a, b and c with 40, 40 and 4 cases; every other measure of the classes is tested."""
    random = np.random.default_rng(6)
    truth = np.repeat(["a", "b", "c"], [40, 40, 4])
    for name in "AB":
        probabilities = random.dirichlet([1, 1, 1], len(truth))
        columns = {f"p {class_}": probabilities[:, place] for place, class_ in enumerate("abc")}
        predicted = np.array(["a", "b", "c"])[probabilities.argmax(axis=1)]
        cases = {"truth": truth, "prediction": predicted, **columns}
        pl.DataFrame(cases).write_csv(tmp_path / f"{name}.csv")
    classifiers = {name: f'predictions = "{name}.csv"\n{DATA}' for name in "AB"}
    evaluation = evaluated(tmp_path, classifiers, MULTICLASS)

    areas = [row for row in evaluation.comparisons if row.measure == "roc_auc"]
    assert {row.class_: row.p is not None for row in areas} == {
        None: False,
        "a": True,
        "b": True,
        "c": False,
    }
    others = [row for row in evaluation.comparisons if row.class_ is not None and row.primary_test]
    tested = sum(row.p is not None for row in others)
    report = build_report(evaluation)
    # The warning names class c with its 4 cases; no other sentence repeats it.
    limits = sentences(report, "limits")
    assert sum("4" in limit for limit in limits) == 1
    assert not any("known only roughly" in limit for limit in limits)
    text = " ".join(sentences(report, "comparisons"))
    assert f"of {tested} comparisons significant" in text
    assert f"{len(others) - tested} more not tested" in text
    assert "has fewer than 10 cases" in " ".join(sentences(report, "method"))


def test_a_class_without_cases_has_undefined_rates(tmp_path: Path) -> None:
    """Nothing is said of its prevalence, or of how roughly its rates are known."""
    evaluation = evaluated(tmp_path, {"A": confusion((0, 0), (5, 45))}, BINARY)

    text = sentences(build_report(evaluation), "limits")

    assert any("There are no yes cases: rates of this class are undefined" in line for line in text)
    assert not any("are known only roughly" in line or "0.00%" in line for line in text)
