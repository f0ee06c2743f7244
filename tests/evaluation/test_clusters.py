"""Clusters through the whole line: intervals, tests and what stays as it is without them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import norm, t

from reportgen.export.results import results_json
from reportgen.pipeline import load_and_evaluate

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation

TASKS = {
    "binary": ('kind = "binary"\npositive = "yes"', ("yes", "no")),
    "multiclass": ('kind = "multiclass"', ("a", "b", "c")),
    "ordinal": ('kind = "ordinal"\nclasses = ["a", "b", "c"]', ("a", "b", "c")),
    "regression": ('kind = "regression"', ()),
}


def evaluate(
    folder: Path, task: str, data: str, *, per_cluster: int = 1, seed: int = 2
) -> Evaluation:
    """Evaluate two classifiers whose answers depend within clusters."""
    rng = np.random.default_rng(seed)
    kind, classes = TASKS[task]
    rows = ["id,truth,A,B,score_A,score_B,grp,weight"]
    for case in range(60):
        cluster = case // per_cluster
        own = np.random.default_rng(cluster + 1000 * seed)
        hits = own.random(2) < 0.75
        if task == "regression":
            a, b = own.normal(size=2) + rng.normal(size=2) / 9
            answers = [f"{own.normal():.6f}", f"{a:.6f}", f"{b:.6f}"]
        else:
            truth = int(rng.integers(len(classes)))
            answers = [
                classes[truth],
                *(classes[truth if hit else (truth + 1) % len(classes)] for hit in hits),
            ]
        scores = (f"{score:.4f}" for score in rng.random(2))
        rows.append(",".join([str(case), *answers, *scores, f"p{cluster}", "2.5"]))
    (folder / "table.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    score = 'score = "score_{0}"\n' if task == "binary" else ""
    classifiers = "".join(
        f'[[classifiers]]\nname = "{name}"\npredictions = "table.csv"\nprediction = "{name}"\n'
        + score.format(name)
        for name in "AB"
    )
    spec = folder / "spec.toml"
    spec.write_text(f"[task]\n{kind}\n[data]\n{data}\n{classifiers}", encoding="utf-8")
    return load_and_evaluate(spec)


def numbers(evaluation: Evaluation) -> dict[str, Any]:
    """Return results.json without the warnings, which name columns."""
    result: dict[str, Any] = json.loads(results_json(evaluation))
    del result["warnings"]
    return result


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("data", ['cluster = "grp"', 'weight = "weight"'])
def test_one_case_per_cluster_and_equal_weights_change_nothing(
    tmp_path: Path, task: str, data: str
) -> None:
    """Every number of results.json is the same, to the last digit."""
    plain = evaluate(tmp_path, task, 'id = "id"')

    assert numbers(evaluate(tmp_path, task, f'id = "id"\n{data}')) == numbers(plain)


@pytest.mark.parametrize("task", TASKS)
def test_intervals_widen_where_cases_of_a_cluster_are_alike(tmp_path: Path, task: str) -> None:
    """Every interval says that it is cluster-robust, and none is narrower."""
    plain = evaluate(tmp_path, task, "", per_cluster=5).by_key
    clustered = evaluate(tmp_path, task, 'cluster = "grp"', per_cluster=5).by_key

    compared = 0
    for key, value in clustered.items():
        if value.low is None or value.high is None:
            continue
        other = plain[key]
        assert value.value == other.value
        assert value.method is not None
        assert value.method.endswith("cluster-robust")
        assert other.low is not None
        assert other.high is not None
        assert value.high - value.low >= (other.high - other.low) * 0.98, key
        compared += 1
    assert compared >= 4


def test_wilson_interval_has_the_effective_number_of_cases(tmp_path: Path) -> None:
    """12 clusters of 5 equal cases are worth 12 cases, and t for z (Korn and Graubard 1998)."""
    from statsmodels.stats.proportion import proportion_confint

    value = evaluate(tmp_path, "multiclass", 'cluster = "grp"', per_cluster=5).by_key[
        "A", None, None, "accuracy"
    ]
    assert value.value is not None
    # Cases of a cluster are all right or all wrong, so that the design effect is 5 · 59/60 · 12/11.
    effective = 60 / (5 * 12 / 11 * 59 / 60) * (norm.ppf(0.975) / t.ppf(0.975, 11)) ** 2

    low, high = proportion_confint(value.value * effective, effective, method="wilson")

    # Influences differ a little between the classes, and so the effective number of clusters.
    assert (value.low, value.high) == pytest.approx((low, high), rel=1e-3)


def test_a_perfect_sensitivity_depends_on_clusters_of_positives_only(tmp_path: Path) -> None:
    """One positive per cluster: they are independent, whatever the other cases of a cluster do."""
    rows = ["truth,A,grp"]
    for cluster in range(30):
        rows += [f"yes,yes,c{cluster}", *[f"no,{'yes' if cluster < 5 else 'no'},c{cluster}"] * 4]
    (tmp_path / "table.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[task]\nkind = "binary"\npositive = "yes"\n[data]\ncluster = "grp"\n'
        '[[classifiers]]\nname = "A"\npredictions = "table.csv"\nprediction = "A"\n',
        encoding="utf-8",
    )

    value = load_and_evaluate(spec).by_key["A", None, None, "sensitivity"]

    # Wilson's lower limit of n of n is n / (n + z²), here with t of 29 degrees of freedom.
    assert value.low == pytest.approx(30 / (30 + t.ppf(0.975, 29) ** 2))


@pytest.mark.parametrize(("wrong", "warned"), [(2, "AB"), (5, "AB"), (8, ""), (30, "")])
def test_errors_in_few_clusters_raise_a_warning(tmp_path: Path, wrong: int, warned: str) -> None:
    """Two of 40 clusters that are wrong as a whole tell little of the others; nor do two right."""
    rows = ["truth,A,B,C,grp"]
    for case in range(400):
        cluster = case // 10
        # B is wrong where A is right; C has one error in every other cluster.
        a, b, c = cluster >= wrong, cluster < wrong, case % 20 != 0
        rows.append(
            ",".join(["yes", *("yes" if hit else "no" for hit in (a, b, c)), f"p{cluster}"])
        )
    rows += [f"no,no,no,no,q{number}" for number in range(2)]
    (tmp_path / "table.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[task]\nkind = "binary"\npositive = "yes"\n[data]\ncluster = "grp"\n'
        + "".join(
            f'[[classifiers]]\nname = "{name}"\npredictions = "table.csv"\nprediction = "{name}"\n'
            for name in "ABC"
        ),
        encoding="utf-8",
    )

    warnings = [text for text in load_and_evaluate(spec).warnings if "clusters (effective" in text]

    beginnings = ("most errors of `A` are in few of the 42", "most correct cases of `B` are in few")
    assert len(warnings) == len(warned)
    for text, beginning in zip(warnings, beginnings, strict=False):
        assert text.startswith(beginning)
