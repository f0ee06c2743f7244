"""Whether classes are spread evenly over folds, on folds made by scikit-learn and by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn.model_selection import KFold, StratifiedKFold

from reportgen.aggregates.aggregation import aggregate
from reportgen.evaluation.cross_validation import FoldAudit, Stratification, audit_folds
from reportgen.predictions.load import load_predictions
from reportgen.spec import load_spec

if TYPE_CHECKING:
    from pathlib import Path


def audit(
    folder: Path, truth: np.ndarray, folds: np.ndarray, ids: np.ndarray | None = None
) -> FoldAudit:
    """Audit a classifier that is always right."""
    frame = pl.DataFrame(
        {
            "case": np.arange(len(truth)) if ids is None else ids,
            "truth": truth.astype(str),
            "prediction": truth.astype(str),
            "fold": folds.astype(str),
        }
    )
    frame.write_csv(folder / "a.csv")
    (folder / "spec.toml").write_text(
        '[task]\nkind = "multiclass"\n[data]\nid = "case"\nfold = "fold"\n'
        '[[classifiers]]\nname = "A"\npredictions = "a.csv"\n',
        encoding="utf-8",
    )
    spec_file = load_spec(folder / "spec.toml")
    (result,) = audit_folds(aggregate(spec_file, load_predictions(spec_file)))
    return result


def folds_of(splitter: KFold | StratifiedKFold, truth: np.ndarray) -> np.ndarray:
    """Return the fold of every case."""
    folds = np.empty(len(truth), dtype=int)
    for number, (_, test) in enumerate(splitter.split(truth, truth)):
        folds[test] = number
    return folds


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("classes", [2, 3, 7])
def test_folds_stratified_by_scikit_learn_are_stratified(
    tmp_path: Path, seed: int, classes: int
) -> None:
    """Whatever the sizes of the classes."""
    random = np.random.default_rng(seed)
    truth = np.sort(random.choice(classes, size=203, p=random.dirichlet(np.full(classes, 5.0))))
    truth = truth[np.bincount(truth, minlength=classes)[truth] >= 10]
    folds = folds_of(StratifiedKFold(10, shuffle=True, random_state=seed), truth)

    assert audit(tmp_path, truth, folds).verdict is Stratification.STRATIFIED


def test_folds_of_sorted_cases_are_not_stratified_and_lack_classes(tmp_path: Path) -> None:
    """30 cases of class 0, then 20 of class 1, in five folds of 10: three have no class 1."""
    truth = np.repeat([0, 1], [30, 20])

    result = audit(tmp_path, truth, folds_of(KFold(5), truth))

    assert result.verdict is Stratification.NOT_STRATIFIED
    zero, one = result.classes
    assert (one.proportion, one.min_proportion, one.max_proportion) == (0.4, 0.0, 1.0)
    assert (zero.folds_without_class, one.folds_without_class) == (("3", "4"), ("0", "1", "2"))


def test_chi_square_is_that_of_scipy(tmp_path: Path) -> None:
    """Of the table of folds by classes, without a continuity correction."""
    random = np.random.default_rng(4)
    truth, folds = random.integers(0, 3, 200), random.integers(0, 4, 200)
    table = np.zeros((4, 3))
    np.add.at(table, (folds, truth), 1)
    expected = stats.chi2_contingency(table, correction=False)

    result = audit(tmp_path, truth, folds)

    assert result.chi_square == pytest.approx(expected.statistic, abs=1e-9)
    assert result.df == expected.dof
    assert result.p == pytest.approx(expected.pvalue, abs=1e-9)


def test_unequal_folds_may_be_stratified_too(tmp_path: Path) -> None:
    """Folds of 10 and 30 cases, a fifth of each in class 1."""
    truth = np.array(([1] * 2 + [0] * 8) + ([1] * 6 + [0] * 24))

    result = audit(tmp_path, truth, np.repeat([0, 1], [10, 30]))

    assert result.sizes == (10, 30)
    assert not result.has_equal_sizes
    assert result.verdict is Stratification.STRATIFIED


def test_leaving_one_out_is_too_small_to_stratify(tmp_path: Path) -> None:
    """A fold of one case cannot have two classes."""
    result = audit(tmp_path, np.arange(12) % 2, np.arange(12))

    assert result.verdict is Stratification.TOO_SMALL


def test_repeated_folds_have_no_p_value(tmp_path: Path) -> None:
    """A case in several folds would be counted as several."""
    ids = np.tile(np.arange(20), 2)
    folds = np.concatenate([np.arange(20) % 4, 4 + np.arange(20) // 5])

    result = audit(tmp_path, ids % 2, folds, ids)

    assert result.chi_square is not None
    assert result.p is None
