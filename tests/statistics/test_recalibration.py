"""Isotonic and logistic recalibration against scikit-learn, model-diagnostics and statsmodels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn.isotonic import IsotonicRegression

from reportgen.statistics.calibration import (
    CONSTANT_PROBABILITY,
    INFINITE_LOGIT,
    ONE_OUTCOME,
    ONE_OUTCOME_INSIDE,
    SEPARATED,
    LogisticRecalibration,
    consistency_band,
    decompose_brier,
    decompose_log_loss,
    excess_miscalibration_difference,
    fit_recalibration,
    group_scores,
    isotonic_blocks,
)
from reportgen.statistics.parallel import BLOCK_LENGTH

PROBABILITY = np.array(
    [0.05, 0.1, 0.15, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
)
HITS = np.array([1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1.0])
CASES = np.array([2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1.0])


def test_isotonic_regression_is_that_of_scikit_learn() -> None:
    """Random hit rates of tied scores, many sequences at once and each alone."""
    random = np.random.default_rng(1)
    sequences = []
    for size in (1, 2, 7, 50, 400):
        cases = random.integers(1, 5, size).astype(np.float64)
        sequences.append((random.binomial(cases.astype(int), 0.4).astype(np.float64), cases))
    hits, cases = (np.concatenate(part) for part in zip(*sequences, strict=True))
    starts = np.cumsum([0, *(len(part[0]) for part in sequences[:-1])])
    together = isotonic_blocks(hits, cases, starts).fitted(len(hits))

    for start, (own_hits, own_cases) in zip(starts, sequences, strict=True):
        expected = IsotonicRegression().fit_transform(
            np.arange(len(own_hits)), own_hits / own_cases, sample_weight=own_cases
        )
        assert isotonic_blocks(own_hits, own_cases).fitted(len(own_hits)) == pytest.approx(expected)
        assert together[start : start + len(own_hits)] == pytest.approx(expected)


@pytest.mark.parametrize("size", [8, 49, 400])
def test_long_sequences_are_fitted_in_parts(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In parts of seven scores the same blocks, whether parts have violators or only rise."""
    random = np.random.default_rng(size)
    cases = random.integers(1, 5, size).astype(np.float64)
    mixed = random.binomial(cases.astype(int), np.linspace(0.1, 0.9, size)).astype(np.float64)
    rising = cases * np.linspace(0.1, 0.9, size)
    together = [isotonic_blocks(hits, cases) for hits in (mixed, rising)]
    for module in ("parallel", "calibration"):
        monkeypatch.setattr(f"reportgen.statistics.{module}.BLOCK_LENGTH", 7)

    for hits, expected in zip((mixed, rising), together, strict=True):
        blocks = isotonic_blocks(hits, cases)
        assert blocks.start.tolist() == expected.start.tolist()
        assert blocks.hits == pytest.approx(expected.hits)
        assert blocks.cases == pytest.approx(expected.cases)


def test_blocks_that_many_passes_leave_are_pooled_one_by_one() -> None:
    """A rising sequence and a last score far below all: every pass pools one block only."""
    cases = np.full(3000, 100.0)
    hits = np.append(np.linspace(10, 90, 2999), 0.0)
    expected = IsotonicRegression().fit_transform(
        np.arange(3000), hits / cases, sample_weight=cases
    )

    assert isotonic_blocks(hits, cases).fitted(3000) == pytest.approx(expected)


def test_decompositions_are_those_of_model_diagnostics() -> None:
    """20 cases; `decompose` of model-diagnostics 1.5.0 with SquaredError and LogLoss."""
    blocks = isotonic_blocks(HITS, CASES)
    brier = decompose_brier(PROBABILITY, HITS, CASES, blocks)
    log_loss = decompose_log_loss(PROBABILITY, HITS, CASES, blocks)

    assert brier.miscalibration == pytest.approx(0.029625, abs=1e-12)
    assert brier.discrimination == pytest.approx(0.09, abs=1e-12)
    assert brier.uncertainty == pytest.approx(0.25, abs=1e-12)
    assert brier.score == pytest.approx(0.189625, abs=1e-12)
    assert log_loss.miscalibration == pytest.approx(0.11722024173754853, abs=1e-12)
    assert log_loss.discrimination == pytest.approx(0.2249340578475233, abs=1e-12)
    assert log_loss.uncertainty == pytest.approx(0.6931471805599453, abs=1e-12)
    assert log_loss.score == pytest.approx(0.5854333644499705, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_a_score_is_the_sum_of_its_parts(seed: int) -> None:
    """MCB − DSC + UNC, none of which is negative."""
    random = np.random.default_rng(seed)
    probability = np.unique(random.uniform(0, 1, 60).round(2))
    cases = random.integers(1, 4, len(probability)).astype(np.float64)
    hits = random.binomial(cases.astype(int), probability).astype(np.float64)
    blocks = isotonic_blocks(hits, cases)
    parts = decompose_brier(probability, hits, cases, blocks)

    total = parts.miscalibration - parts.discrimination + parts.uncertainty
    assert total == pytest.approx(parts.score, abs=1e-15)
    assert min(parts.miscalibration, parts.discrimination, parts.uncertainty) >= 0


def test_a_certain_error_has_an_infinite_log_loss() -> None:
    """A probability of 0 for what happens; discrimination and uncertainty stay finite."""
    probability, hits, cases = np.array([0.0, 1.0]), np.array([1.0, 3.0]), np.array([4.0, 4.0])
    parts = decompose_log_loss(probability, hits, cases, isotonic_blocks(hits, cases))

    assert parts.score == parts.miscalibration == np.inf
    assert 0 < parts.discrimination < parts.uncertainty == pytest.approx(np.log(2))


@pytest.mark.parametrize("size", [200, 30_000])
def test_logistic_recalibration_is_that_of_statsmodels(size: int) -> None:
    """Logit of the outcome on the logit, and with the logit as offset; also from groups on."""
    random = np.random.default_rng(2)
    logit = np.sort(random.normal(0, 1.5, size))
    outcome = (random.uniform(size=size) < 1 / (1 + np.exp(-(0.3 + 0.7 * logit)))).astype(float)
    fit = fit_recalibration(1 / (1 + np.exp(-logit)), outcome, np.ones(size))
    expected = sm.Logit(outcome, sm.add_constant(logit)).fit(disp=0, tol=1e-12)
    shifted = sm.GLM(outcome, np.ones(size), family=sm.families.Binomial(), offset=logit).fit(
        tol=1e-12
    )

    assert isinstance(fit, LogisticRecalibration)
    assert (fit.intercept, fit.slope) == pytest.approx(tuple(expected.params), abs=1e-8)
    assert (fit.intercept_se, fit.slope_se) == pytest.approx(tuple(expected.bse), rel=1e-6)
    assert (fit.shift, fit.shift_se) == pytest.approx((shifted.params[0], shifted.bse[0]), rel=1e-6)


def test_tied_scores_count_as_cases() -> None:
    """The 20 cases of 17 scores; fixed numbers of statsmodels 0.15.0."""
    fit = fit_recalibration(PROBABILITY, HITS, CASES)

    assert isinstance(fit, LogisticRecalibration)
    assert (fit.intercept, fit.slope) == pytest.approx((0.12207679, 0.72580678), abs=1e-8)
    assert (fit.intercept_se, fit.slope_se) == pytest.approx((0.5106279, 0.38371158), abs=1e-7)
    assert (fit.shift, fit.shift_se) == pytest.approx((0.16368966, 0.54556749), abs=1e-7)


@pytest.mark.parametrize(
    ("probability", "hits", "reason"),
    [
        ([0.0, 0.5, 1.0], [0, 1, 1], INFINITE_LOGIT),
        ([0.0, 1.0], [1, 1], INFINITE_LOGIT),
        ([0.0, 0.2, 0.5], [1, 0, 0], ONE_OUTCOME_INSIDE),
        ([0.2, 0.5, 0.9], [0, 0, 0], ONE_OUTCOME),
        ([0.2, 0.5, 0.9], [0, 0, 2], SEPARATED),
        ([0.4], [1], CONSTANT_PROBABILITY),
    ],
)
def test_a_recalibration_that_is_undefined_has_a_reason(
    probability: list[float], hits: list[float], reason: str
) -> None:
    """Infinite logits, one outcome, separated outcomes, or one probability; two cases each."""
    cases = np.full(len(hits), 2.0)

    assert fit_recalibration(np.array(probability), np.array(hits, float), cases) == reason


def test_cases_without_a_logit_are_left_out() -> None:
    """Two and three cases at 0 and 1 change nothing but the number of those left out."""
    extended = fit_recalibration(
        np.concatenate(([0.0], PROBABILITY, [1.0])),
        np.concatenate(([1.0], HITS, [3.0])),
        np.concatenate(([2.0], CASES, [3.0])),
    )
    fit = fit_recalibration(PROBABILITY, HITS, CASES)

    assert isinstance(extended, LogisticRecalibration)
    assert isinstance(fit, LogisticRecalibration)
    assert extended.excluded == 5
    assert replace(extended, excluded=0.0) == fit


def test_the_p_value_of_calibration_has_no_smallest_value() -> None:
    """499 resamples, and a miscalibration that none of them reaches: beyond 1/500, and ordered."""
    probability = np.linspace(0.05, 0.95, 19)
    cases = np.full(19, 100.0)

    def p_of(shift: float) -> float:
        groups = group_scores(
            probability, np.rint(100 * np.clip(probability + shift, 0, 1)), cases, 512
        )
        return consistency_band(groups, 0.95, n_resamples=499, seed=1).p

    assert p_of(0.15) < p_of(0.1) < 1 / 500
    assert p_of(0.0) > 0.5


def test_groups_of_scores_keep_all_cases_and_the_mean() -> None:
    """1,000 scores in at most 50 groups."""
    random = np.random.default_rng(3)
    probability = np.sort(random.uniform(0, 1, 1000))
    cases = random.integers(1, 4, 1000).astype(np.float64)
    groups = group_scores(probability, np.floor(cases / 2), cases, 50)

    assert len(groups.probability) <= 50
    assert groups.cases.sum() == cases.sum()
    assert groups.hits.sum() == np.floor(cases / 2).sum()
    assert (groups.probability * groups.cases).sum() == pytest.approx((probability * cases).sum())
    assert (np.diff(groups.probability) > 0).all()


@pytest.mark.parametrize("n_groups", [7, 512])
def test_groups_of_many_scores_do_not_depend_on_the_blocks(n_groups: int) -> None:
    """More scores than are summed at once; groups shorter and longer than a block."""
    random = np.random.default_rng(5)
    probability = np.sort(random.uniform(0, 1, 5 * BLOCK_LENGTH + 3))
    cases = random.integers(1, 4, len(probability)).astype(np.float64)
    hits = np.floor(cases / 2)
    middle = (np.cumsum(cases) - cases / 2) / cases.sum() * n_groups
    places = np.minimum(middle.astype(np.int64), n_groups - 1)

    groups = group_scores(probability, hits, cases, n_groups)

    assert groups.cases.tolist() == np.bincount(places, cases).tolist()
    assert groups.hits.tolist() == np.bincount(places, hits).tolist()
    assert groups.probability * groups.cases == pytest.approx(
        np.bincount(places, probability * cases), rel=1e-12
    )


def test_calibrated_probabilities_stay_within_the_band_at_its_level() -> None:
    """Of 300 samples of calibrated probabilities about 95 % lie within the band at a score."""
    random = np.random.default_rng(4)
    inside, p_values = [], []
    for seed in range(300):
        probability = np.sort(random.beta(1, 2, 150))
        hits = (random.uniform(size=150) < probability).astype(np.float64)
        groups = group_scores(probability, hits, np.ones(150), 512)
        band = consistency_band(groups, 0.95, n_resamples=199, seed=seed)
        fitted = isotonic_blocks(hits, np.ones(150)).fitted(150)
        inside.append((band.low[75] <= fitted[75]) & (fitted[75] <= band.high[75]))
        p_values.append(band.p)

    # Three standard errors of a proportion of 300.
    assert np.mean(inside) == pytest.approx(0.95, abs=0.04)
    assert np.mean(np.array(p_values) <= 0.05) == pytest.approx(0.05, abs=0.04)


def test_fewer_effective_cases_have_a_wider_band() -> None:
    """Cases that were predicted ten times are no more evidence than once."""
    probability = np.linspace(0.01, 0.99, 200)
    groups = group_scores(probability, np.zeros(200), np.full(200, 10.0), 512)
    once, ten = (
        consistency_band(groups, 0.95, n_resamples=99, seed=1, weight=weight)
        for weight in (0.1, 1.0)
    )

    assert (once.high - once.low).mean() > 1.5 * (ten.high - ten.low).mean()
    assert once.expected_miscalibration > 3 * ten.expected_miscalibration


def test_the_excess_of_calibrated_classifiers_is_about_zero() -> None:
    """One with 2,000 distinct scores and one with two: the raw difference is noise of the fit."""
    random = np.random.default_rng(5)
    logit = np.sort(random.normal(0, 1.5, 2000))
    sharp = 1 / (1 + np.exp(-logit))
    outcome = (random.uniform(size=2000) < sharp).astype(np.float64)
    coarse = np.where(logit > 0, sharp[logit > 0].mean(), sharp[logit <= 0].mean())
    distinct, place = np.unique(coarse, return_inverse=True)
    fine = group_scores(sharp, outcome, np.ones(2000), 512)
    two = group_scores(
        distinct,
        np.bincount(place, outcome).astype(np.float64),
        np.bincount(place).astype(np.float64),
        512,
    )
    first, second = (
        consistency_band(groups, 0.95, n_resamples=199, seed=1) for groups in (fine, two)
    )
    raw = [
        decompose_brier(
            groups.probability,
            groups.hits,
            groups.cases,
            isotonic_blocks(groups.hits, groups.cases),
        ).miscalibration
        for groups in (fine, two)
    ]
    excess, error = excess_miscalibration_difference(raw[0] - raw[1], 0.0, first, second)

    assert raw[0] - raw[1] > 3 * error
    assert abs(excess) < 2 * error
