"""Scores of a multilabel task: curves, thresholds and calibration of every label, and segments."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from sklearn import metrics

import reportgen
from reportgen.aggregates.label_areas import macro_area_covariances
from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases
from reportgen.aggregates.threshold_choice import ThresholdRule
from reportgen.errors import SpecError
from reportgen.export.results import build_results
from reportgen.export.tables import threshold_tables
from reportgen.pipeline import load_and_evaluate
from reportgen.statistics.auc import auc_logit_interval

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from reportgen.evaluation.evaluation import Evaluation

    Numbers = npt.NDArray[np.float64]

LABELS = ("a", "b", "c")
CLASSIFIERS = ("Sharp", "Blunt")


def write_scores(folder: Path, cases: int = 300, seed: int = 5) -> dict[str, Numbers]:
    """Write scores.csv: 0/1 columns of the truth, and probabilities of two classifiers."""
    rng = np.random.default_rng(seed)
    truth = (rng.random((cases, len(LABELS))) < (0.5, 0.3, 0.2)).astype(np.float64)
    scores = {
        name: (1 / (1 + np.exp(-(noise * rng.standard_normal(truth.shape) + 3 * truth - 1.5))))
        .round(3)
        .clip(0.001, 0.999)
        for name, noise in (("Sharp", 1.0), ("Blunt", 2.5))
    }
    site = np.where(rng.random(cases) < 0.4, "north", "south")
    columns: dict[str, object] = {"id": range(cases), "site": site}
    for at, label in enumerate(LABELS):
        columns[f"true_{label}"] = truth[:, at].astype(int)
        columns |= {f"{name}_{label}": probability[:, at] for name, probability in scores.items()}
    pl.DataFrame(columns).write_csv(folder / "scores.csv")
    return {"truth": truth, "site": (site == "north").astype(np.float64), **scores}


def write_spec(folder: Path, rest: str = "", file: str = "scores.csv") -> Path:
    """Write the spec of the two classifiers."""
    spec = folder / "spec.toml"
    spec.write_text(
        '[task]\nkind = "multilabel"\nclasses = ["a", "b", "c"]\n'
        f'[data]\npredictions = "{file}"\nid = "id"\ntruth = "true_{{class}}"\n{rest}'
        + "".join(
            f'[[classifiers]]\nname = "{name}"\nprobabilities = "{name}_{{class}}"\n'
            for name in CLASSIFIERS
        ),
        encoding="utf-8",
    )
    return spec


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("multilabel")


@pytest.fixture(name="scores", scope="module")
def _scores(folder: Path) -> dict[str, Numbers]:
    return write_scores(folder)


@pytest.fixture(name="evaluation", scope="module")
def _evaluation(folder: Path, scores: dict[str, Numbers]) -> Evaluation:
    assert len(scores) == 4
    return load_and_evaluate(write_spec(folder, '[[segments]]\ncolumn = "site"\n'))


def evaluate_label(folder: Path, label: str) -> Evaluation:
    """Evaluate one label as a binary task."""
    spec = folder / "binary.toml"
    spec.write_text(
        '[task]\nkind = "binary"\npositive = 1\n'
        f'[data]\npredictions = "scores.csv"\nid = "id"\ntruth = "true_{label}"\nthreshold = 0.5\n'
        + "".join(
            f'[[classifiers]]\nname = "{name}"\nscore = "{name}_{label}"\n' for name in CLASSIFIERS
        ),
        encoding="utf-8",
    )
    return load_and_evaluate(spec)


def test_areas_and_losses_are_those_of_scikit_learn(
    evaluation: Evaluation, scores: dict[str, Numbers]
) -> None:
    """Of every label, and as macro averages."""
    truth = scores["truth"]
    for name in CLASSIFIERS:
        message = scores[name]
        for at, label in enumerate(LABELS):
            expected = {
                "roc_auc": metrics.roc_auc_score(truth[:, at], message[:, at]),
                "average_precision": metrics.average_precision_score(truth[:, at], message[:, at]),
                "brier": metrics.brier_score_loss(truth[:, at], message[:, at]),
                "log_loss": metrics.log_loss(truth[:, at], message[:, at]),
            }
            for measure, number in expected.items():
                value = evaluation.by_key[name, label, None, measure]
                assert value.value == pytest.approx(number, rel=1e-12)
                assert value.low is not None
        for measure, score in (
            ("roc_auc", metrics.roc_auc_score),
            ("average_precision", metrics.average_precision_score),
        ):
            average = evaluation.by_key[name, None, "macro", measure].value
            assert average == pytest.approx(score(truth, message, average="macro"), rel=1e-12)


def test_curves_of_a_label_are_those_of_scikit_learn(
    evaluation: Evaluation, scores: dict[str, Numbers]
) -> None:
    """One curve per classifier and label, with the vertices of roc_curve."""
    assert {(curve.class_, curve.classifier) for curve in evaluation.curves} == {
        (label, name) for label in LABELS for name in CLASSIFIERS
    }
    for curve in evaluation.curves:
        at = LABELS.index(curve.class_)
        fpr, tpr, _ = metrics.roc_curve(
            scores["truth"][:, at], scores[curve.classifier][:, at], drop_intermediate=False
        )
        points = np.array(curve.roc())
        assert points[:, 0] == pytest.approx(fpr)
        assert points[:, 1] == pytest.approx(tpr)


def test_a_label_has_the_thresholds_and_calibration_of_a_binary_task(
    folder: Path, evaluation: Evaluation
) -> None:
    """Everything but the p-values, which are adjusted over all labels."""
    for label in LABELS:
        binary = evaluate_label(folder, label)
        for ours, theirs in (
            (evaluation.thresholds, binary.thresholds),
            (evaluation.operating_points, binary.operating_points),
        ):
            own = [point for point in ours if point.class_ == label]
            assert len(own) == len(theirs) > 0
            for point, expected_point in zip(own, theirs, strict=True):
                for name in ("classifier", "rounded", "tp", "fn", "fp", "tn"):
                    assert getattr(point, name) == getattr(expected_point, name)
        calibrations = [item for item in evaluation.calibration if item.class_ == label]
        assert [item.classifier for item in calibrations] == list(CLASSIFIERS)
        for item, other in zip(calibrations, binary.calibration, strict=True):
            assert item.bins == other.bins
            assert item.overall.brier == other.overall.brier
            assert item.overall.slope == other.overall.slope
            assert item.overall.p == other.overall.p
            assert item.overall.p_adjusted >= other.overall.p_adjusted  # type: ignore[operator]
        (pair,) = (row for row in evaluation.miscalibration_comparisons if row.class_ == label)
        (expected,) = binary.miscalibration_comparisons
        assert (pair.difference, pair.p) == (expected.difference, expected.p)


def test_p_values_of_calibration_are_adjusted_over_the_labels(evaluation: Evaluation) -> None:
    """Holm's smallest p-value is multiplied by the number of all tests."""
    smallest = min(evaluation.miscalibration_comparisons, key=lambda row: row.p)
    assert smallest.p_adjusted == pytest.approx(min(1.0, 3 * smallest.p))


def test_results_have_the_scores_of_every_label(evaluation: Evaluation) -> None:
    """Curves, thresholds, operating points, calibration; and the table of all thresholds."""
    results = build_results(evaluation).model_dump(mode="json", by_alias=True)
    for part in ("curves", "thresholds", "operating_points", "calibration", "calibration_bins"):
        assert {row["class"] for row in results[part]} == set(LABELS), part
    (table,) = threshold_tables(evaluation, thinned=False).values()
    assert table.group_by("classifier", "class").len().height == len(LABELS) * len(CLASSIFIERS)


def test_the_best_f1_of_a_label_is_that_of_the_precision_recall_curve(
    evaluation: Evaluation, scores: dict[str, Numbers]
) -> None:
    """The threshold is chosen among all scores of the label."""
    for optimum in evaluation.thresholds:
        if optimum.rule is not ThresholdRule.F1:
            continue
        at = LABELS.index(optimum.class_)
        precision, recall, _ = metrics.precision_recall_curve(
            scores["truth"][:, at], scores[optimum.classifier][:, at]
        )
        best = np.nanmax(2 * precision * recall / np.maximum(precision + recall, 1e-300))
        assert optimum.achieved == pytest.approx(best)


def test_segments_are_evaluated_and_tested(
    evaluation: Evaluation, scores: dict[str, Numbers]
) -> None:
    """Values equal those on the cases of the segment; classifiers are compared within it."""
    assert [segment.segment for segment in evaluation.segments] == ["north", "south"]
    inside = scores["site"].astype(bool)
    for segment, mask in zip(evaluation.segments, (inside, ~inside), strict=True):
        for name in CLASSIFIERS:
            truth, message = scores["truth"][mask], scores[name][mask] >= 0.5
            value = segment.by_key[name, None, None, "exact_match"]
            assert value.value == pytest.approx(metrics.accuracy_score(truth, message))
            macro = segment.by_key[name, None, "macro", "f1"]
            assert macro.value == pytest.approx(metrics.f1_score(truth, message, average="macro"))
        compared = [
            row
            for row in evaluation.segment_comparisons
            if row.segment == segment.segment and row.contrast == "classifiers"
        ]
        assert {row.measure for row in compared} == {"exact_match"}
        assert all(row.p is not None and row.p < 0.01 for row in compared)
    gaps = [row for row in evaluation.segment_comparisons if row.contrast == "other cases"]
    assert len(gaps) == len(CLASSIFIERS) * 2


def test_data_sets_are_compared_by_exact_match(tmp_path: Path) -> None:
    """The values of each data set are those of its file."""
    every = {name: write_scores(tmp_path, seed=seed) for seed, name in enumerate("klmnopqr")}
    for seed, name in enumerate(every):
        write_scores(tmp_path, seed=seed)
        (tmp_path / "scores.csv").rename(tmp_path / f"{name}.csv")
    datasets = "".join(f'[[datasets]]\nname = "{name}"\n' for name in every)
    evaluation = load_and_evaluate(write_spec(tmp_path, datasets, file="{dataset}.csv"))
    primary = evaluation.datasets[0]
    assert (primary.measure.name, primary.primary_measure) == ("exact_match", True)
    for row in primary.values:
        values = every[row.dataset]
        expected = metrics.accuracy_score(values["truth"], values[row.classifier] >= 0.5)
        assert row.value.value == pytest.approx(expected)
    (pair,) = primary.pairs
    assert (pair.wins, pair.p) == (8, 2 * 0.5**8)
    auc = next(row for row in evaluation.datasets if row.measure.name == "roc_auc")
    for row in auc.values:
        values = every[row.dataset]
        assert row.average == "macro"
        expected = metrics.roc_auc_score(values["truth"], values[row.classifier])
        assert row.value.value == pytest.approx(expected)


def test_a_data_set_of_another_task_is_refused(tmp_path: Path) -> None:
    """Sets of labels and single labels have no measure in common."""
    datasets = '[[datasets]]\nname = "k"\n[[datasets]]\nname = "l"\nkind = "multiclass"\n'
    with pytest.raises(SpecError, match="cannot be part of a multilabel task"):
        load_and_evaluate(write_spec(tmp_path, datasets, file="{dataset}.csv"))


@pytest.mark.parametrize(
    "source",
    ["confusion = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]", "fold_scores = { accuracy = [0.8, 0.9] }"],
)
def test_counts_and_scores_without_cases_are_refused(tmp_path: Path, source: str) -> None:
    """Which labels a case has together cannot be known from them."""
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[task]\nkind = "multilabel"\nclasses = ["a", "b", "c"]\n'
        f'[[classifiers]]\nname = "A"\n{source}\n',
        encoding="utf-8",
    )
    with pytest.raises(SpecError, match="is not supported with a multilabel task"):
        load_and_evaluate(spec)


def test_python_takes_a_table_of_probabilities(scores: dict[str, Numbers]) -> None:
    """With a column per label, in the order of `classes`; segments are columns."""
    message = {name: scores[name] >= 0.5 for name in CLASSIFIERS[:1]}
    report = reportgen.evaluate(
        scores["truth"],
        message,
        task="multilabel",
        classes=LABELS,
        probabilities={name: scores[name] for name in message},
        segments={"site": scores["site"].astype(int)},
        measures=["exact_match", "roc_auc"],
    )

    values = {(row["class"], row["average"]): row["value"] for row in auc_rows(report)}
    mean = metrics.roc_auc_score(scores["truth"], scores["Sharp"], average="macro")
    assert values[None, "macro"] == pytest.approx(mean)
    assert set(values) == {(None, "macro"), *((label, None) for label in LABELS)}


def auc_rows(report: reportgen.Report) -> list[dict[str, object]]:
    """Return the areas on all cases."""
    frame = report.values.filter(measure="roc_auc")
    return [row for row in frame.iter_rows(named=True) if row["segment"] is None]


def macro_areas(truth: Numbers, scores: Numbers) -> Numbers:
    """Return the macro averages of the ROC area and of average precision, by scikit-learn."""
    columns = [(truth[:, at], scores[:, at]) for at in range(truth.shape[1])]
    return np.array(
        [
            np.mean([metrics.roc_auc_score(*column) for column in columns]),
            np.mean([metrics.average_precision_score(*column) for column in columns]),
        ]
    )


def macro_errors(evaluation: Evaluation, pair: tuple[str, str]) -> Numbers:
    """Return the standard errors of the differences of both macro areas."""
    covariances = evaluation.aggregates.auc_covariances
    precision = evaluation.aggregates.pr_covariances
    assert covariances is not None
    assert precision is not None
    matrix = covariances.covariances(pair, None, "macro")
    assert matrix is not None
    own, other, common = (
        precision.covariance("average_precision", names, None, "macro")
        for names in ((pair[0], pair[0]), (pair[1], pair[1]), pair)
    )
    assert own is not None
    assert other is not None
    assert common is not None
    contrast = np.array([1.0, -1.0])
    variances = [contrast @ matrix @ contrast, own[0] + other[0] - 2 * common[0]]
    return np.array([np.sqrt(variance) for variance in variances])


def test_macro_areas_vary_as_by_the_delete_one_jackknife(
    evaluation: Evaluation, scores: dict[str, Numbers]
) -> None:
    """Of a value and of a difference: every case is left out once, with all its labels."""
    truth, first, second = (scores[name] for name in ("truth", *CLASSIFIERS))
    size = len(truth)
    subsets = [np.delete(np.arange(size), at) for at in range(size)]
    of_first = np.array([macro_areas(truth[rows], first[rows]) for rows in subsets])
    of_second = np.array([macro_areas(truth[rows], second[rows]) for rows in subsets])
    factor = (size - 1) ** 2 / size
    spread = np.sqrt(factor * (of_first - of_second).var(axis=0, ddof=1))
    assert macro_errors(evaluation, CLASSIFIERS) == pytest.approx(spread, rel=0.05)
    alone = np.sqrt(factor * of_first.var(axis=0, ddof=1))
    covariances = evaluation.aggregates.auc_covariances
    assert covariances is not None
    matrix = covariances.covariances(["Sharp"], None, "macro")
    assert matrix is not None
    assert np.sqrt(matrix[0, 0]) == pytest.approx(alone[0], rel=0.03)


def test_macro_areas_vary_as_in_a_bootstrap_of_cases(
    evaluation: Evaluation, scores: dict[str, Numbers]
) -> None:
    """The difference has the standard error of 400 resamples, and its test the interval."""
    truth, first, second = (scores[name] for name in ("truth", *CLASSIFIERS))
    rng = np.random.default_rng(3)
    drawn = [rng.integers(0, len(truth), len(truth)) for _ in range(400)]
    differences = np.array(
        [
            macro_areas(truth[rows], first[rows]) - macro_areas(truth[rows], second[rows])
            for rows in drawn
        ]
    )
    errors = macro_errors(evaluation, CLASSIFIERS)
    assert errors == pytest.approx(differences.std(axis=0, ddof=1), rel=0.12)
    observed = macro_areas(truth, first) - macro_areas(truth, second)
    tests = {
        row.measure: row
        for row in evaluation.comparisons
        if row.average == "macro" and row.class_ is None and row.segment is None
    }
    for measure, difference, error in zip(
        ("roc_auc", "average_precision"), observed, errors, strict=True
    ):
        row = tests[measure]
        assert row.primary_test
        assert row.difference == pytest.approx(difference)
        assert row.statistic == pytest.approx(difference / error)
        assert row.p_adjusted is not None


def test_the_macro_area_of_one_label_is_that_of_the_label(
    folder: Path, scores: dict[str, Numbers]
) -> None:
    """Values, intervals, their methods and the tests; a label that no case has has no area."""
    assert len(scores) == 4
    pl.read_csv(folder / "scores.csv").with_columns(
        pl.lit(0).alias("true_z"), *(pl.lit(0.1).alias(f"{name}_z") for name in CLASSIFIERS)
    ).write_csv(folder / "single.csv")
    text = write_spec(folder, file="single.csv").read_text(encoding="utf-8")
    single = folder / "single.toml"
    single.write_text(text.replace('["a", "b", "c"]', '["a", "z"]'), encoding="utf-8")
    evaluation, binary = load_and_evaluate(single), evaluate_label(folder, "a")
    for measure in ("roc_auc", "average_precision"):
        for name in CLASSIFIERS:
            ours = evaluation.by_key[name, None, "macro", measure]
            theirs = binary.by_key[name, None, None, measure]
            assert ours.method == theirs.method
            assert [ours.value, ours.low, ours.high] == pytest.approx(
                [theirs.value, theirs.low, theirs.high], rel=1e-10
            )
        own, other = (
            next(
                row
                for row in part.comparisons
                if row.measure == measure and row.average == average and row.class_ is None
            )
            for part, average in ((evaluation, "macro"), (binary, None))
        )
        assert [own.statistic, own.p, own.low, own.high] == pytest.approx(
            [other.statistic, other.p, other.low, other.high], rel=1e-9
        )


def test_intervals_of_macro_areas_cover_the_true_value() -> None:
    """In 300 samples of correlated labels: 95 % give or take three standard errors."""
    rng = np.random.default_rng(11)
    labels, size, samples = 4, 250, 300
    mean = NormalDist().cdf(1.2 / np.sqrt(2))
    covered = 0
    for _ in range(samples):
        shared = rng.standard_normal((size, 1))
        truth = (shared + rng.standard_normal((size, labels)) > 0.6).astype(np.int64)
        noise = 0.7 * rng.standard_normal((size, 1))
        noise = noise + np.sqrt(0.51) * rng.standard_normal((size, labels))
        scores = 1.2 * truth + noise
        areas = macro_area_covariances(
            ScoredCases(
                classes=("no", "yes"),
                ranked_classes=("yes",),
                truth=truth[:, at],
                classifiers=(
                    ClassifierScores("A", pl.Series([None] * size), (), scores[:, [at]], None),
                ),
            )
            for at in range(labels)
        )
        assert areas is not None
        assert areas.auc_covariances is not None
        matrix = areas.auc_covariances.covariances(["A"], None, "macro")
        assert matrix is not None
        area = macro_areas(truth.astype(np.float64), scores)[0]
        low, high = auc_logit_interval(float(area), float(np.sqrt(matrix[0, 0])), 0.95)
        covered += low <= mean <= high
    assert covered / samples == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / samples))
