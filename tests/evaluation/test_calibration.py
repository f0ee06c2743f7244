"""Calibration of an evaluation: curves, decomposition, recalibration, paired tests."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from sklearn.isotonic import IsotonicRegression

from reportgen.aggregates.calibration import MAX_GAP, fit_calibration
from reportgen.aggregates.curves import count_curves
from reportgen.evaluation.calibration import MiscalibrationKind
from reportgen.pipeline import load_and_evaluate
from tests.report.report_text import BINARY, MULTICLASS, evaluated
from tests.scored_cases import binary_cases, several_classes

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation

SPECS = Path(__file__).parents[2] / "specs"


@pytest.fixture(scope="module")
def cancer() -> Evaluation:
    """Return the evaluation of classifiers with probabilities."""
    return load_and_evaluate(SPECS / "breast_cancer.toml")


def test_the_brier_score_is_the_sum_of_its_parts(cancer: Evaluation) -> None:
    """That of the decomposition is the reported one."""
    for calibration in cancer.calibration:
        parts = calibration.overall.brier
        reported = cancer.by_key[calibration.classifier, None, None, "brier"].value
        total = parts.miscalibration - parts.discrimination + parts.uncertainty
        assert parts.score == pytest.approx(reported, abs=1e-12)
        assert total == pytest.approx(reported, abs=1e-12)


def test_no_line_crosses_probabilities_that_no_case_has(cancer: Evaluation) -> None:
    """Within a line the next score is never farther than a bin is wide; pieces have all cases."""
    for calibration in cancer.calibration:
        pieces = calibration.overall.pieces
        assert sum(piece.cases for piece in pieces) == cancer.aggregates.case_count
        values = [piece.calibrated for piece in pieces]
        assert values == sorted(values)
        for piece, following in itertools.pairwise(pieces):
            gap = following.lower - piece.upper
            assert gap > 0
            assert (gap > MAX_GAP) == (piece.line != following.line)


def test_pieces_are_those_of_isotonic_regression() -> None:
    """Random scores in two clouds, with a gap between them; scikit-learn fits the same values."""
    random = np.random.default_rng(1)
    score = np.concatenate((random.uniform(0, 0.3, 60), random.uniform(0.6, 1, 60))).round(2)
    truth = (random.uniform(size=120) < 0.5 + (score - 0.5) / 3).astype(int)
    cases = binary_cases(truth.tolist(), {"A": score.tolist()})
    pieces = fit_calibration(cases, count_curves(cases)).overall["A"].pieces
    fitted = IsotonicRegression().fit_transform(score, truth)

    assert set(pieces.line.tolist()) == {0, 1}
    for line, lower, upper, value in zip(
        pieces.line, pieces.lower, pieces.upper, pieces.value, strict=True
    ):
        inside = (score >= lower) & (score <= upper)
        assert fitted[inside] == pytest.approx(np.full(inside.sum(), value))
        assert (upper < 0.5) == (line == 0)


def test_the_variance_of_a_difference_is_that_of_the_contributions() -> None:
    """Cases contribute (p − y)² − (m − y)²; NumPy's variance of the differences over n."""
    random = np.random.default_rng(2)
    truth = random.integers(0, 2, 300)
    scores = {name: random.uniform(0, 1, 300).round(2) for name in "AB"}
    cases = binary_cases(truth.tolist(), {name: item.tolist() for name, item in scores.items()})
    fits = fit_calibration(cases, count_curves(cases))
    parts = []
    for score in scores.values():
        fitted = IsotonicRegression().fit_transform(score, truth)
        parts.append((score - truth) ** 2 - (fitted - truth) ** 2)

    assert fits.variance_of_difference("A", "B") == pytest.approx((parts[0] - parts[1]).var() / 300)
    assert fits.overall["A"].brier.miscalibration == pytest.approx(parts[0].mean())
    assert fits.variance_of_difference("A", "C") is None


def test_a_single_classifier_needs_no_products_with_others() -> None:
    """They take as long as the rest of the fit if all scores differ."""
    cases = binary_cases([0, 1, 1, 0], {"A": [0.1, 0.4, 0.9, 0.6]})

    assert fit_calibration(cases, count_curves(cases)).products == ()


def test_several_classes_have_a_curve_each_and_one_of_the_top_label() -> None:
    """The Brier score of the top label is that of its probability and of being right."""
    random = np.random.default_rng(3)
    probabilities = random.dirichlet([1, 1, 1], 200)
    truth = random.integers(0, 3, 200)
    cases = several_classes(truth.tolist(), {"A": probabilities})
    fits = fit_calibration(cases, count_curves(cases))
    right = probabilities.argmax(axis=1) == truth

    assert [class_ for _, class_ in fits.by_class] == ["0", "1", "2"]
    assert fits.overall["A"].class_ is None
    assert fits.overall["A"].brier.score == pytest.approx(
        ((probabilities.max(axis=1) - right) ** 2).mean()
    )
    for (_, class_), fit in fits.by_class.items():
        own = probabilities[:, int(class_)]
        assert fit.brier.score == pytest.approx(((own - (truth == int(class_))) ** 2).mean())


def write_cases(folder: Path, columns: dict[str, np.ndarray], name: str = "A") -> dict[str, str]:
    """Write cases to a file, and return the keys of the classifier that has them."""
    pl.DataFrame(columns).write_csv(folder / f"{name}.csv")
    return {name: f'predictions = "{name}.csv"\nscore = "score"\n'}


def test_a_classifier_that_is_too_sure_is_less_calibrated(tmp_path: Path) -> None:
    """Logits doubled: slope 1/2 within its interval, and the paired test finds the difference."""
    random = np.random.default_rng(4)
    logit = random.normal(0, 1.5, 2000)
    truth = np.where(random.uniform(size=2000) < 1 / (1 + np.exp(-logit)), "yes", "no")
    classifiers: dict[str, str] = {}
    for name, factor in (("sound", 1.0), ("sure", 2.0)):
        score = 1 / (1 + np.exp(-factor * logit))
        classifiers |= write_cases(
            tmp_path,
            {
                "id": np.arange(2000),
                "truth": truth,
                "prediction": np.where(score >= 0.5, "yes", "no"),
                "score": score,
            },
            name,
        )
    evaluation = evaluated(tmp_path, classifiers, BINARY, '[data]\nid = "id"\n')
    sound, sure = (calibration.overall for calibration in evaluation.calibration)
    (pair,) = evaluation.miscalibration_comparisons

    assert sound.slope is not None
    assert sure.slope is not None
    assert sound.slope.low < 1 < sound.slope.high
    assert sure.slope.low < 0.5 < sure.slope.high
    assert sound.p is not None
    assert sound.p > 0.05
    assert sure.p is not None
    assert sure.p < 1 / 500
    # Holm: the smaller of two p-values is doubled, the other one is not.
    assert (sure.p_adjusted, sound.p_adjusted) == pytest.approx((2 * sure.p, sound.p))
    assert (sound.kinds, sure.kinds) == ((), (MiscalibrationKind.OVERCONFIDENT,))
    assert (pair.first, pair.second) == ("sound", "sure")
    assert pair.high < 0
    assert pair.p == pair.p_adjusted < 0.001


def test_classes_have_no_band(tmp_path: Path) -> None:
    """The top label has one, and a p-value; of classes there are curve and decomposition."""
    random = np.random.default_rng(6)
    probabilities = random.dirichlet([1, 1, 1], 100)
    labels = np.array(["a", "b", "c"])
    columns = {f"p {label}": probabilities[:, at] for at, label in enumerate(labels)}
    pl.DataFrame(
        {
            "truth": labels[random.integers(0, 3, 100)],
            "prediction": labels[probabilities.argmax(axis=1)],
            **columns,
        }
    ).write_csv(tmp_path / "A.csv")
    keys = {"A": 'predictions = "A.csv"\nprobabilities = "p {class}"\n'}
    (calibration,) = evaluated(tmp_path, keys, MULTICLASS).calibration

    assert calibration.overall.band
    assert calibration.overall.p is not None
    assert [curve.class_ for curve in calibration.by_class] == ["a", "b", "c"]
    assert not any(curve.band or curve.p for curve in calibration.by_class)
    assert all(curve.pieces for curve in calibration.by_class)


def test_the_direction_of_a_miscalibration(tmp_path: Path) -> None:
    """Logits shifted up and down, and halved: too high, too low, not extreme enough."""
    random = np.random.default_rng(6)
    logit = random.normal(0, 1.5, 2000)
    truth = np.where(random.uniform(size=2000) < 1 / (1 + np.exp(-logit)), "yes", "no")
    classifiers: dict[str, str] = {}
    for name, shifted in (("up", logit + 1), ("down", logit - 1), ("timid", logit / 2)):
        score = 1 / (1 + np.exp(-shifted))
        columns = {
            "id": np.arange(2000),
            "truth": truth,
            "prediction": np.where(score >= 0.5, "yes", "no"),
            "score": score,
        }
        classifiers |= write_cases(tmp_path, columns, name)
    evaluation = evaluated(tmp_path, classifiers, BINARY, '[data]\nid = "id"\n')
    up, down, timid = (calibration.overall for calibration in evaluation.calibration)

    assert MiscalibrationKind.OVERPREDICTION in up.kinds
    assert MiscalibrationKind.UNDERPREDICTION in down.kinds
    assert timid.kinds[0] is MiscalibrationKind.UNDERCONFIDENT
    assert (up.bias.low > 0.1, down.bias.high < -0.1) == (True, True)
    # The standard error of the mean of p − y.
    score = 1 / (1 + np.exp(-(logit + 1)))
    residuals = score - (truth == "yes")
    half_width = 1.959964 * residuals.std() / np.sqrt(2000)
    assert up.bias.value == pytest.approx(residuals.mean())
    assert up.bias.high - up.bias.value == pytest.approx(half_width, rel=1e-6)


def test_naive_bayes_leaves_the_band_furthest(cancer: Evaluation) -> None:
    """The over-confident classifier, and no other, is shown to be miscalibrated."""
    kinds = {item.classifier: item.overall.kinds for item in cancer.calibration}
    outside = {
        item.classifier: sum(point.outside for point in item.overall.band)
        for item in cancer.calibration
    }

    assert [name for name, result in kinds.items() if result] == ["Naive Bayes"]
    assert MiscalibrationKind.OVERCONFIDENT in kinds["Naive Bayes"]
    assert max(outside, key=outside.__getitem__) == "Naive Bayes"
    (bayes,) = (item for item in cancer.calibration if item.classifier == "Naive Bayes")
    largest = max(bayes.bins, key=lambda bin_: abs(bin_.mean_probability * bin_.cases - bin_.hits))
    assert bayes.largest_gap == largest
