"""Sampling weights: weighted values against scikit-learn, and tests of weighted cases."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from reportgen.errors import SpecError
from reportgen.pipeline import load_and_evaluate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.statistics import FloatArray

SIZE = 150
KINDS = {
    "binary": 'kind = "binary"\npositive = "yes"',
    "multiclass": 'kind = "multiclass"',
    "regression": 'kind = "regression"',
}


class Table:
    """A table of random cases of two classifiers with weights and clusters."""

    def __init__(self, task: str) -> None:
        """Draw the cases."""
        rng = np.random.default_rng(8)
        self.task = task
        self.weights = rng.choice([0.5, 1.0, 2.5, 4.0], SIZE)
        self.clusters = np.arange(SIZE) // 3
        if task == "regression":
            self.truth = rng.normal(size=SIZE).round(4)
            self.answers = {name: (self.truth + rng.normal(size=SIZE)).round(4) for name in "AB"}
        else:
            labels = np.array(["yes", "no"] if task == "binary" else ["a", "b", "c"])
            self.truth = rng.choice(labels, SIZE)
            self.answers = {
                name: np.where(rng.random(SIZE) < 0.7, self.truth, rng.choice(labels, SIZE))
                for name in "AB"
            }
        self.scores = {
            name: (0.2 + 0.5 * rng.random(SIZE) + 0.25 * (self.truth == "yes")).round(2)
            for name in "AB"
        }

    def evaluate(self, folder: Path, data: str) -> Evaluation:
        """Evaluate the table."""
        columns = [
            *(self.truth, self.answers["A"], self.answers["B"]),
            *(self.scores["A"], self.scores["B"], self.weights, self.clusters),
        ]
        rows = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
        text = "truth,A,B,score_A,score_B,w,grp\n" + "\n".join(rows) + "\n"
        (folder / "table.csv").write_text(text, encoding="utf-8")
        classifiers = "".join(
            f'[[classifiers]]\nname = "{name}"\npredictions = "table.csv"\nprediction = "{name}"\n'
            + (f'score = "score_{name}"\n' if self.task == "binary" else "")
            for name in "AB"
        )
        spec = folder / "spec.toml"
        text = f"[task]\n{KINDS[self.task]}\n[data]\n{data}\n{classifiers}"
        spec.write_text(text, encoding="utf-8")
        return load_and_evaluate(spec)


def test_weighted_values_of_two_classes_are_those_of_scikit_learn(tmp_path: Path) -> None:
    """Measures of predictions, of the ranking and of probabilities."""
    from sklearn import metrics

    table = Table("binary")
    values = table.evaluate(tmp_path, 'weight = "w"').by_key
    truth, weights = table.truth == "yes", table.weights
    answers, scores = table.answers["A"] == "yes", table.scores["A"]

    expected = {
        "accuracy": metrics.accuracy_score(truth, answers, sample_weight=weights),
        "precision": metrics.precision_score(truth, answers, sample_weight=weights),
        "f1": metrics.f1_score(truth, answers, sample_weight=weights),
        "mcc": metrics.matthews_corrcoef(truth, answers, sample_weight=weights),
        "kappa": metrics.cohen_kappa_score(truth, answers, sample_weight=weights),
        "roc_auc": metrics.roc_auc_score(truth, scores, sample_weight=weights),
        "average_precision": metrics.average_precision_score(truth, scores, sample_weight=weights),
        "brier": metrics.brier_score_loss(truth, scores, sample_weight=weights),
        "log_loss": metrics.log_loss(truth, scores, sample_weight=weights),
    }

    result = {name: values["A", None, None, name].value for name in expected}
    assert result == pytest.approx(expected)


def test_weighted_values_of_numbers_are_those_of_scikit_learn(tmp_path: Path) -> None:
    """Errors and the coefficient of determination."""
    from sklearn import metrics

    table = Table("regression")
    values = table.evaluate(tmp_path, 'weight = "w"').by_key
    pair, weights = (table.truth, table.answers["A"]), table.weights

    expected = {
        "rmse": metrics.root_mean_squared_error(*pair, sample_weight=weights),
        "mae": metrics.mean_absolute_error(*pair, sample_weight=weights),
        "r2": metrics.r2_score(*pair, sample_weight=weights),
    }

    result = {name: values["A", None, None, name].value for name in expected}
    assert result == pytest.approx(expected)


def test_weighted_macro_averages_are_those_of_scikit_learn(tmp_path: Path) -> None:
    """Three classes."""
    from sklearn import metrics

    table = Table("multiclass")
    values = table.evaluate(tmp_path, 'weight = "w"').by_key

    expected = metrics.f1_score(
        table.truth, table.answers["A"], average="macro", sample_weight=table.weights
    )

    assert values["A", None, "macro", "f1"].value == pytest.approx(expected)


def jackknife_variance(statistic: FloatArray) -> float:
    """Return the delete-one jackknife variance of values without each case in turn."""
    return float((SIZE - 1) / SIZE * ((statistic - statistic.mean()) ** 2).sum())


@pytest.mark.parametrize("measure", ["roc_auc", "f1", "brier"])
def test_linearized_variances_agree_with_the_jackknife(tmp_path: Path, measure: str) -> None:
    """The effective number of cases is the variance of independent cases over this one."""
    from sklearn import metrics

    table = Table("binary")
    evaluation = table.evaluate(tmp_path, 'weight = "w"')
    truth, weights = table.truth == "yes", table.weights
    answers, scores = table.answers["A"] == "yes", table.scores["A"]
    compute: Callable[[FloatArray], float] = {
        "roc_auc": lambda own: metrics.roc_auc_score(truth, scores, sample_weight=own),
        "f1": lambda own: metrics.f1_score(truth, answers, sample_weight=own),
        "brier": lambda own: metrics.brier_score_loss(truth, scores, sample_weight=own),
    }[measure]
    without = []
    for case in range(SIZE):
        own = weights.copy()
        own[case] = 0
        without.append(compute(own))
    weighted = jackknife_variance(np.array(without))
    value = evaluation.by_key["A", None, None, measure]
    assert value.low is not None
    assert value.high is not None

    # On the scale of the value the interval is nearly symmetric.
    width = 2 * 1.96 * weighted**0.5

    assert value.high - value.low == pytest.approx(width, rel=0.05)


def test_weights_and_clusters_together(tmp_path: Path) -> None:
    """The variance is that of weighted least squares with clustered errors (statsmodels)."""
    from statsmodels.regression.linear_model import WLS

    table = Table("multiclass")
    evaluation = table.evaluate(tmp_path, 'weight = "w"\ncluster = "grp"')
    correct = (table.truth == table.answers["A"]).astype(np.float64)
    fitted = WLS(correct, np.ones(SIZE), table.weights).fit(
        cov_type="cluster", cov_kwds={"groups": table.clusters}
    )
    labels = evaluation.aggregates.label_design
    assert labels is not None
    from reportgen.evaluation.design_effects import DesignEffects, Estimand
    from reportgen.measures import get_measure

    effects = DesignEffects(labels, 0.95)
    result = effects.covariances([("A", Estimand(get_measure("accuracy")))])

    assert result[0, 0] == pytest.approx(fitted.cov_params()[0, 0])
    assert evaluation.by_key["A", None, None, "accuracy"].method == (
        "wilson, weighted, cluster-robust"
    )


def test_kish_effective_number_of_cases(tmp_path: Path) -> None:
    """(Σw)² / Σw²."""
    table = Table("multiclass")
    (first, _) = table.evaluate(tmp_path, 'weight = "w"').design

    expected = table.weights.sum() ** 2 / (table.weights**2).sum()

    assert first.weight_effective_n == pytest.approx(expected)
    assert first.weighted
    assert first.clusters is None


def test_weights_do_not_depend_on_their_unit(tmp_path: Path) -> None:
    """A thousand times the weights give the same results."""
    table = Table("binary")
    once = table.evaluate(tmp_path, 'weight = "w"').by_key
    table.weights = table.weights * 1000

    more = table.evaluate(tmp_path, 'weight = "w"').by_key

    for key, value in once.items():
        assert (more[key].value, more[key].low, more[key].high) == pytest.approx(
            (value.value, value.low, value.high), nan_ok=True
        )


def test_counts_at_chosen_thresholds_are_sums_of_weights(tmp_path: Path) -> None:
    """No count is cut off to an integer, neither at the threshold nor in the search for it."""
    table = Table("binary")
    evaluation = table.evaluate(tmp_path, 'weight = "w"')
    weights = table.weights * SIZE / table.weights.sum()

    assert {row.rule for row in evaluation.thresholds} >= {"youden", "f1"}
    for row in evaluation.thresholds:
        assert row.threshold is not None
        is_positive = table.truth == "yes"
        is_above = table.scores[row.classifier] >= row.threshold
        cells = is_positive & is_above, is_positive & ~is_above, ~is_positive & is_above
        expected = [float(weights[cell].sum()) for cell in cells]
        assert [row.tp, row.fn, row.fp] == pytest.approx(expected)
        by_name = dict(row.values)
        at_chosen = by_name["f1" if row.rule == "f1" else "youden"]
        assert row.achieved == pytest.approx(at_chosen.value)


def test_weighted_cases_of_all_classifiers_are_the_same_cases(tmp_path: Path) -> None:
    """Sums of weights in another order differ in the last digit, which must not be seen."""
    table = Table("binary")
    table.weights = np.random.default_rng(3).random(SIZE) + 0.1

    evaluation = table.evaluate(tmp_path, 'weight = "w"')

    assert not [warning for warning in evaluation.warnings if "same cases" in warning]
    assert len(set(evaluation.class_sizes.values())) == 1
    assert evaluation.majority_baseline is not None
    assert set(evaluation.threshold_counts.counts) == {"A", "B"}
    curves = evaluation.aggregates.curves
    assert curves is not None
    for name in "AB":
        steps = curves.cumulative_counts(name, "yes")
        assert steps is not None
        assert evaluation.class_sizes[name] in {
            (steps.positives, steps.negatives),
            (steps.negatives, steps.positives),
        }


def test_weights_of_several_probabilities_are_not_supported(tmp_path: Path) -> None:
    """The spec is refused before any file is read."""
    table = Table("multiclass")

    with pytest.raises(SpecError, match="not supported with probabilities"):
        table.evaluate(tmp_path, 'weight = "w"\nprobabilities = "p_{class}"')


REPEATED_EVALUATION = """
import sys
from hashlib import sha256
from pathlib import Path

import polars as pl

from reportgen.aggregates.aggregation import aggregate
from reportgen.evaluation.evaluate import evaluate_aggregates
from reportgen.export.results import results_json
from reportgen.predictions.load import load_predictions
from reportgen.spec import load_spec

spec = load_spec(Path(sys.argv[1]))
cases = load_predictions(spec)
for _ in range(30):
    aggregates = aggregate(spec, cases)
    confusion, pairs = aggregates.confusion, aggregates.pairs
    sums = confusion.matrix_sums().collect(), confusion.counts_per_class().collect()
    frames = confusion.frame, pairs.frame, confusion.margins, *sums
    columns = [column for frame in frames for column in frame.select(pl.selectors.numeric())]
    digest = sha256(b"".join(column.to_numpy().tobytes() for column in columns))
    print("counts", digest.hexdigest())
for _ in range(int(sys.argv[2])):
    results = results_json(evaluate_aggregates(spec, aggregate(spec, cases)))
    print("results.json", sha256(results.encode()).hexdigest())
"""


@pytest.mark.parametrize(("size", "evaluations"), [(150, 2), (6000, 2)])
def test_weighted_results_do_not_depend_on_the_threads(
    tmp_path: Path, size: int, evaluations: int
) -> None:
    """Sums of weights that binary fractions cannot represent are the same to the last digit."""
    rng = np.random.default_rng(3)
    labels = np.array(["a", "b", "c"])
    truth = rng.integers(0, 3, size)
    columns = [
        labels[truth],
        *(
            labels[np.where(rng.random(size) < 0.7, truth, rng.integers(0, 3, size))]
            for _ in range(2)
        ),
        (0.1 + 3 * rng.random(size)).round(2),
        rng.integers(0, 40, size),
        rng.choice(["north", "south"], size),
    ]
    rows = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    text = "truth,A,B,w,grp,region\n" + "\n".join(rows) + "\n"
    (tmp_path / "table.csv").write_text(text, encoding="utf-8")
    classifiers = "".join(
        f'[[classifiers]]\nname = "{name}"\npredictions = "table.csv"\nprediction = "{name}"\n'
        for name in "AB"
    )
    spec = tmp_path / "spec.toml"
    text = (
        f'[task]\n{KINDS["multiclass"]}\n[data]\nweight = "w"\ncluster = "grp"\n'
        '[measures]\nshow = ["accuracy", "f1", "cohen_kappa"]\n'
        f'[[segments]]\ncolumn = "region"\n{classifiers}'
    )
    spec.write_text(text, encoding="utf-8")
    lines = []
    for threads in ("1", "8"):
        run = subprocess.run(
            [sys.executable, "-c", REPEATED_EVALUATION, spec, str(evaluations)],
            check=True,
            env={**os.environ, "POLARS_MAX_THREADS": threads, "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
        )
        lines += run.stdout.splitlines()
    assert len(lines) == 2 * (30 + evaluations)
    assert len(set(lines)) == (2 if evaluations else 1)
