"""Classifiers over several data sets: who is told apart from whom, and by what."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scipy import stats

from reportgen.evaluation.comparison import Decision
from reportgen.pipeline import load_and_evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.evaluation.datasets import DatasetComparison, DatasetPairComparison

ROOT = Path(__file__).parents[2]
TASK = '[task]\nkind = "multiclass"\n'
EIGHT = [0.70, 0.72, 0.75, 0.77, 0.80, 0.84, 0.88, 0.91]
# Better everywhere, by 0.01, 0.02 … 0.08: no ties, no zeros.
BETTER = [value + 0.01 * number for number, value in enumerate(EIGHT, start=1)]


def compare_over_datasets(
    folder: Path,
    scores: Mapping[str, Sequence[float]],
    more: str = "",
    measure: str = "accuracy",
) -> DatasetComparison:
    """Compare classifiers by their scores on data sets called d1, d2 …."""
    tables = "".join(
        f'[[classifiers]]\nname = "{name}"\n[classifiers.dataset_scores.{measure}]\n'
        + "".join(f"d{number} = {value!r}\n" for number, value in enumerate(values, start=1))
        for name, values in scores.items()
    )
    path = folder / "spec.toml"
    path.write_text(TASK + tables + more)
    return load_and_evaluate(path).datasets[0]


def pair(comparison: DatasetComparison) -> DatasetPairComparison:
    """Return the only pair."""
    (only,) = comparison.pairs
    return only


def test_demsars_example_comes_out() -> None:
    """Average ranks as printed; by ranks no two differ at 0.05, as the paper says."""
    (result,) = load_and_evaluate(ROOT / "specs" / "demsar.toml").datasets

    assert {name: round(rank, 3) for name, rank in result.mean_ranks.items()} == {
        "C4.5+m+cf": 1.964,
        "C4.5+m": 2.000,
        "C4.5+cf": 2.893,
        "C4.5": 3.143,
    }
    assert result.critical_difference == pytest.approx(1.25, abs=0.005)
    assert all(item.rank_p > result.alpha for item in result.pairs)
    tuned = next(item for item in result.pairs if (item.first, item.second) == ("C4.5+m", "C4.5"))
    assert (tuned.wins, tuned.ties, tuned.losses) == (10, 2, 2)


def test_a_pair_is_tested_by_wilcoxons_signed_ranks(tmp_path: Path) -> None:
    """All eight differences point one way: p = 2/2⁸, as SciPy says too."""
    result = pair(compare_over_datasets(tmp_path, {"A": BETTER, "B": EIGHT}))

    assert result.p == pytest.approx(2 / 2**8)
    assert result.p == pytest.approx(stats.wilcoxon(BETTER, EIGHT).pvalue)
    assert (result.wins, result.ties, result.losses) == (8, 0, 0)
    assert result.difference == pytest.approx(0.045)
    assert result.verdict is Decision.SUPERIOR


def test_a_lower_loss_is_better(tmp_path: Path) -> None:
    """The one with the higher error rate ranks second and is the worse."""
    result = compare_over_datasets(tmp_path, {"A": BETTER, "B": EIGHT}, measure="error_rate")

    assert result.classifiers == ("B", "A")
    assert pair(result).difference == pytest.approx(-0.045)
    assert pair(result).verdict is Decision.SUPERIOR


def test_p_values_are_adjusted_for_all_pairs(tmp_path: Path) -> None:
    """Three pairs: the smallest p of 2/2⁸ becomes three times as large (Holm)."""
    worse = [value - 0.02 * number for number, value in enumerate(EIGHT, start=1)]
    result = compare_over_datasets(tmp_path, {"A": BETTER, "B": EIGHT, "C": worse})

    assert min(item.p for item in result.pairs) == pytest.approx(2 / 2**8)
    assert min(item.p_adjusted for item in result.pairs) == pytest.approx(3 * 2 / 2**8)


def test_without_a_correction_p_values_stay(tmp_path: Path) -> None:
    """Whoever asks for no correction gets none."""
    result = compare_over_datasets(
        tmp_path,
        {"A": BETTER, "B": EIGHT, "C": EIGHT[::-1]},
        '[comparison]\ncorrection = "none"',
    )

    assert all(item.p == item.p_adjusted for item in result.pairs)


def test_against_a_baseline_only_its_pairs_are_tested(tmp_path: Path) -> None:
    """Two others give two pairs, each minus the baseline."""
    result = compare_over_datasets(
        tmp_path,
        {"A": BETTER, "B": EIGHT, "C": EIGHT[::-1]},
        '[comparison]\nbaseline = "B"',
    )

    assert {(item.first, item.second) for item in result.pairs} == {("A", "B"), ("C", "B")}


def test_differences_within_the_margin_are_equivalent(tmp_path: Path) -> None:
    """All differences lie between 0.01 and 0.08, and so does their interval."""
    scores = {"A": BETTER, "B": EIGHT}

    wide = pair(
        compare_over_datasets(tmp_path, scores, "[comparison]\nmargin = { accuracy = 0.09 }")
    )
    narrow = pair(
        compare_over_datasets(tmp_path, scores, "[comparison]\nmargin = { accuracy = 0.02 }")
    )

    assert wide.verdict is Decision.EQUIVALENT
    assert narrow.verdict is Decision.SUPERIOR


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99, 0.999])
def test_equivalence_does_not_depend_on_the_level_shown(tmp_path: Path, level: float) -> None:
    """Two one-sided tests at 5 % each: 5 of 36 means of two may lie outside, P(T ≤ 5) = 10/2⁸.

    The means of two of 0.01 … 0.08 are in order 0.08, 0.075, 0.07, 0.07, 0.065, 0.065: with the
    sixth as the limit 0.066 holds them, though the 95 % interval, with 0.07 as its end, would not.
    """
    scores = {"A": BETTER, "B": EIGHT}
    margin = "[comparison]\nmargin = { accuracy = 0.066 }\n"

    result = compare_over_datasets(tmp_path, scores, f"{margin}[intervals]\nlevel = {level}")
    narrower = compare_over_datasets(
        tmp_path, scores, f"{margin.replace('66', '64')}[intervals]\nlevel = {level}"
    )

    assert pair(result).verdict is Decision.EQUIVALENT
    assert pair(narrower).verdict is Decision.SUPERIOR


def test_equivalence_is_shared_over_the_pairs(tmp_path: Path) -> None:
    """Three pairs leave α/3 to each side: 10/2⁸ is above 0.05/3, so 0.066 no longer holds them."""
    third = [value - 0.3 for value in EIGHT]
    scores = {"A": BETTER, "B": EIGHT, "C": third}
    margin = "[comparison]\nmargin = { accuracy = 0.066 }\n"

    verdicts = [
        next(
            item.verdict
            for item in compare_over_datasets(tmp_path, scores, margin + more).pairs
            if {item.first, item.second} == {"A", "B"}
        )
        for more in ("", 'correction = "none"')
    ]

    assert verdicts == [Decision.SUPERIOR, Decision.EQUIVALENT]


def test_no_other_measure_decides_in_place_of_the_declared_one(tmp_path: Path) -> None:
    """F1 is declared, but of the values on data sets only accuracies are given."""
    path = tmp_path / "spec.toml"
    usual = compare_over_datasets(tmp_path, {"A": BETTER, "B": EIGHT})
    declared = compare_over_datasets(
        tmp_path, {"A": BETTER, "B": EIGHT}, '[comparison]\nprimary = "f1"'
    )

    assert usual.primary_measure
    assert pair(usual).verdict is Decision.SUPERIOR
    assert not declared.primary_measure
    assert pair(declared).verdict is Decision.UNDECIDED
    assert any(
        "`f1`, declared to decide" in warning for warning in load_and_evaluate(path).warnings
    )


def test_a_declared_measure_that_was_compared_decides(tmp_path: Path) -> None:
    """Without a warning."""
    result = compare_over_datasets(
        tmp_path, {"A": BETTER, "B": EIGHT}, '[comparison]\nprimary = "accuracy"'
    )

    assert result.primary_measure
    assert pair(result).verdict is Decision.SUPERIOR
    assert load_and_evaluate(tmp_path / "spec.toml").warnings == ()


def test_equal_scores_are_a_tie(tmp_path: Path) -> None:
    """No test is needed to see that nothing differs."""
    result = compare_over_datasets(tmp_path, {"A": EIGHT, "B": EIGHT})

    assert result.friedman is None
    assert pair(result).verdict is Decision.TIED


def test_few_data_sets_cannot_prove_anything(tmp_path: Path) -> None:
    """Four wins of four have p = 2/2⁴ = 0.125; least_p says so beforehand."""
    result = compare_over_datasets(tmp_path, {"A": BETTER[:4], "B": EIGHT[:4]})

    assert result.min_attainable_p == pytest.approx(pair(result).p) == pytest.approx(0.125)
    assert pair(result).verdict is Decision.UNDECIDED


def test_a_measure_of_one_class_is_averaged_where_there_is_no_positive_one() -> None:
    """F1 on iris is the macro average; on breast cancer it is that of malignant."""
    by_name = {
        dataset.measure.name: dataset
        for dataset in load_and_evaluate(ROOT / "specs" / "many_datasets.toml").datasets
    }

    assert by_name["accuracy"].macro_averaged_datasets == ()
    assert by_name["f1"].macro_averaged_datasets == ("iris", "wine", "digits", "generated_three")
    assert by_name["accuracy"].primary_measure
    assert not by_name["f1"].primary_measure


def test_a_data_set_without_a_finite_value_is_left_out(tmp_path: Path) -> None:
    """B never says spam on d3, so its precision there is 0/0; ranks need all classifiers."""
    rows = {
        "d1": "truth,a,b\nspam,spam,spam\nham,ham,spam\n",
        "d2": "truth,a,b\nspam,spam,spam\nham,spam,ham\n",
        "d3": "truth,a,b\nspam,spam,ham\nham,ham,ham\n",
    }
    for name, content in rows.items():
        (tmp_path / f"{name}.csv").write_text(content)
    path = tmp_path / "spec.toml"
    path.write_text(
        '[task]\nkind = "binary"\npositive = "spam"\n[measures]\nshow = ["precision"]\n'
        + "".join(f'[[datasets]]\nname = "{name}"\n' for name in rows)
        + "".join(
            f'[[classifiers]]\nname = "{name}"\npredictions = "{{dataset}}.csv"\n'
            f'prediction = "{name}"\n'
            for name in ("a", "b")
        )
    )
    (result,) = load_and_evaluate(path).datasets

    assert (result.datasets, result.excluded_datasets) == (("d1", "d2"), ("d3",))
    assert result.mean_ranks == {"a": 1.5, "b": 1.5}
    assert [value.rank for value in result.values if value.dataset == "d3"] == [None, None]
