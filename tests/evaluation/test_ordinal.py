"""Ordinal tasks: several classes in an order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

import reportgen
from reportgen.errors import SpecError
from reportgen.evaluation.confidence.gradient import SparseConfusionMatrix, gradient_overall
from reportgen.evaluation.values import compute_count_values
from reportgen.measures import MEASURE_GROUPS, get_measure
from reportgen.measures.formula.evaluate import evaluate_formula
from reportgen.pipeline import load_and_evaluate
from reportgen.predictions.scaffold import scaffold_spec
from tests.tables import matrix_tallies

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.api.report import Report

GRADES = ("low", "medium", "high", "top")
ORDINAL = tuple(get_measure(name) for name in MEASURE_GROUPS["ordinal"])


def graded_cases(seed: int = 1, cases: int = 300) -> pl.DataFrame:
    """Return grades with two predictions that are mostly at most one grade off."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, cases)
    near, far = (
        np.clip(truth + np.rint(rng.normal(0, spread, cases)).astype(int), 0, 3)
        for spread in (0.5, 1.2)
    )
    patient = rng.integers(0, 60, cases)
    return pl.DataFrame(
        {
            "id": range(cases),
            "truth": np.array(GRADES)[truth],
            "near": np.array(GRADES)[near],
            "far": np.array(GRADES)[far],
            "patient": patient,
            "weight": rng.uniform(0.5, 2, cases),
        }
    )


def evaluate_grades(frame: pl.DataFrame, **settings: object) -> Report:
    """Return the report of both predictions."""
    return reportgen.evaluate(
        frame["truth"],
        {"Near": frame["near"], "Far": frame["far"]},
        task="ordinal",
        classes=GRADES,
        **settings,  # type: ignore[arg-type]
    )


def value_of(report: Report, classifier: str, measure: str) -> dict[str, object]:
    """Return an overall value."""
    row = report.values.filter(
        pl.col("classifier") == classifier,
        pl.col("measure") == measure,
        pl.col("class").is_null(),
        pl.col("average").is_null(),
    )
    return row.row(0, named=True)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa_has_the_variance_of_fleiss_cohen_and_everitt(weights: str) -> None:
    """The delta method gives the standard error that statsmodels has from the paper of 1969."""
    rng = np.random.default_rng(5)
    counts = rng.integers(1, 40, (5, 5)).astype(float) + 30 * np.eye(5)
    matrix = SparseConfusionMatrix.from_dense(counts)
    gradient = gradient_overall(get_measure(f"{weights}_kappa"), matrix)
    reference = cohens_kappa(counts, weights=np.arange(5), wt=weights)

    assert gradient.value == pytest.approx(reference.kappa, rel=1e-12)
    assert np.sqrt(gradient.variance(matrix)) == pytest.approx(reference.std_kappa, rel=1e-9)


@pytest.mark.parametrize("measure", ORDINAL, ids=lambda item: item.name)
def test_gradients_are_those_of_finite_differences(measure: reportgen.measures.Measure) -> None:
    """In every cell, also with pseudo-cases in all of them."""
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 20, (4, 4)).astype(float)
    counts[0, 0] += 1
    gradient = gradient_overall(measure, SparseConfusionMatrix.from_dense(counts))
    formula = measure.overall_formula
    assert formula is not None
    for cell in np.ndindex(4, 4):
        step = np.zeros((4, 4))
        step[cell] = 1e-4
        up, down = (
            float(
                evaluate_formula(
                    formula, SparseConfusionMatrix.from_dense(counts + sign * step).overall_counts
                )
            )
            for sign in (1, -1)
        )
        assert gradient.dense[cell] == pytest.approx((up - down) / 2e-4, rel=1e-5, abs=1e-8)


def test_pseudo_cases_are_spread_over_all_cells() -> None:
    """The sums of ordered classes are those of a matrix with so much in every cell."""
    counts = np.diag([5.0, 6.0, 7.0])
    spread = SparseConfusionMatrix.from_dense(counts).with_pseudo_cases()
    dense = SparseConfusionMatrix.from_dense(counts + spread.pseudo_count)
    for name, number in dense.overall_counts.items():
        assert float(spread.overall_counts[name]) == pytest.approx(float(number))
    gradient = gradient_overall(get_measure("quadratic_kappa"), spread)
    assert gradient.variance(spread) == pytest.approx(gradient.variance(dense))


def test_values_of_counts_agree_with_the_sparse_matrix() -> None:
    """The plan of polars and the arrays of the intervals are the same numbers."""
    matrix = ((20, 5, 1), (4, 30, 6), (0, 7, 25))
    confusion = matrix_tallies({"A": matrix}, ("a", "b", "c"))
    values = compute_count_values(confusion, ORDINAL, None).by_key()
    at = SparseConfusionMatrix.from_dense(np.array(matrix, float)).overall_counts
    for measure in ORDINAL:
        assert measure.overall_formula is not None
        expected = float(evaluate_formula(measure.overall_formula, at))
        assert values["A", None, None, measure.name].value == pytest.approx(expected, rel=1e-12)
        assert ("A", "a", None, measure.name) not in values


def test_of_two_classes_weighted_kappas_are_kappa_and_the_rank_error_is_the_error_rate() -> None:
    """One place is all that two classes can be off."""
    confusion = matrix_tallies({"A": ((30, 8), (5, 40))}, ("no", "yes"))
    names = ("kappa", "quadratic_kappa", "linear_kappa", "rank_mae", "error_rate", "within_one")
    values = compute_count_values(confusion, [get_measure(name) for name in names], None).by_key()
    of = {name: values["A", None, None, name].value for name in names}

    assert of["quadratic_kappa"] == pytest.approx(of["kappa"])
    assert of["linear_kappa"] == pytest.approx(of["kappa"])
    assert of["rank_mae"] == pytest.approx(of["error_rate"])
    assert of["within_one"] == 1


def test_the_order_reversed_changes_nothing_and_another_order_does() -> None:
    """Distances depend on the order only up to its direction."""
    matrix = np.array([[20, 5, 1], [4, 30, 6], [0, 7, 25]])

    def kappa(order: list[int]) -> float | None:
        ordered = matrix[np.ix_(order, order)].tolist()
        tallied = matrix_tallies({"A": ordered}, ("a", "b", "c"))
        values = compute_count_values(tallied, ORDINAL, None).by_key()
        return values["A", None, None, "quadratic_kappa"].value

    assert kappa([0, 1, 2]) == pytest.approx(kappa([2, 1, 0]))
    assert kappa([0, 1, 2]) != pytest.approx(kappa([1, 0, 2]))


def test_everything_of_several_classes_is_the_same() -> None:
    """An ordinal task adds measures and takes none away."""
    frame = graded_cases()
    both = [
        reportgen.evaluate(
            frame["truth"],
            {"Near": frame["near"], "Far": frame["far"]},
            task=kind,
            classes=GRADES,
            measures=["accuracy", "f1", "kappa"],
        ).values
        for kind in ("multiclass", "ordinal")
    ]
    assert both[0].equals(both[1])


def test_shuffled_rows_change_nothing() -> None:
    """Cases have no order."""
    frame = graded_cases()
    shuffled = frame.sample(fraction=1, shuffle=True, seed=2)
    one, other = (evaluate_grades(item) for item in (frame, shuffled))

    assert one.values.equals(other.values)
    assert one.comparisons.equals(other.comparisons)


def test_the_primary_measure_is_quadratic_kappa_and_is_tested() -> None:
    """A grade more is worse, which accuracy does not see."""
    report = evaluate_grades(graded_cases())
    headline = report.comparisons.filter(pl.col("family") == "headline")

    assert "quadratic_kappa" in headline["measure"]
    assert headline.filter(pl.col("measure") == "quadratic_kappa")["significant"].all()
    assert any("off by one grade" in finding for finding in report.findings)


def test_every_ordinal_measure_has_an_interval_and_a_test() -> None:
    """In the families of the report."""
    report = evaluate_grades(graded_cases())
    for measure in ORDINAL:
        value = value_of(report, "Far", measure.name)
        assert value["low"] < value["value"] < value["high"]  # type: ignore[operator]
        tested = report.comparisons.filter(
            pl.col("measure") == measure.name, pl.col("class").is_null(), pl.col("primary_test")
        )
        assert tested["p_adjusted"].is_not_null().all()
        assert not tested.is_empty()


def test_bootstrap_intervals_are_near_those_of_the_delta_method() -> None:
    """The sums of ordered classes are resampled with the counts."""
    frame = graded_cases(cases=800)
    closed, resampled = (
        evaluate_grades(frame, spec={"intervals": {"method": method}})
        for method in ("recommended", "bootstrap")
    )
    for name in ("quadratic_kappa", "linear_kappa", "within_one", "rank_mae"):
        one, other = (value_of(report, "Far", name) for report in (closed, resampled))
        assert other["method"] == "bootstrap"
        for end in ("low", "high"):
            assert other[end] == pytest.approx(one[end], abs=0.03)


def test_the_order_of_the_classes_is_never_guessed() -> None:
    """An ordinal task without `classes` is an error that says what to write."""
    frame = graded_cases()
    with pytest.raises(SpecError, match="an ordinal task needs its classes in order"):
        reportgen.evaluate(frame["truth"], {"Near": frame["near"]}, task="ordinal")


def test_ordinal_measures_need_an_ordinal_task() -> None:
    """Classes without an order have no distances."""
    frame = graded_cases()
    with pytest.raises(SpecError, match="does not apply to a multiclass task"):
        reportgen.evaluate(
            frame["truth"], {"Near": frame["near"]}, task="multiclass", measures=["quadratic_kappa"]
        )


def test_counted_rows_are_so_many_cases(tmp_path: Path) -> None:
    """A table of counts gives what its cases give one by one."""
    frame = graded_cases().select("truth", "near", "far")
    frame.with_row_index("id").write_csv(tmp_path / "cases.csv")
    frame.group_by(pl.all()).agg(n=pl.len()).sort(pl.all()).write_csv(tmp_path / "counts.csv")
    values = []
    for name, key in (("cases", 'id = "id"'), ("counts", 'count = "n"')):
        (tmp_path / f"{name}.toml").write_text(
            f'[task]\nkind = "ordinal"\nclasses = {list(GRADES)}\n[data]\n{key}\n'
            + "".join(
                f'[[classifiers]]\nname = "{column}"\npredictions = "{name}.csv"\n'
                f'prediction = "{column}"\n'
                for column in ("near", "far")
            ),
            encoding="utf-8",
        )
        values.append(load_and_evaluate(tmp_path / f"{name}.toml").by_key)
    assert values[0] == values[1]


def test_init_proposes_an_order_and_does_not_assume_it(tmp_path: Path) -> None:
    """Whole numbers and words of grades may have an order, other labels have none."""
    graded_cases().select("truth", pl.col("near").alias("prediction")).write_csv(
        tmp_path / "words.csv"
    )
    pl.DataFrame({"truth": [3, 1, 2, 1] * 5, "prediction": [3, 1, 1, 2] * 5}).write_csv(
        tmp_path / "numbers.csv"
    )
    pl.DataFrame(
        {"truth": ["cat", "dog", "cow"] * 5, "prediction": ["cat", "cow", "cow"] * 5}
    ).write_csv(tmp_path / "names.csv")
    texts = {
        name: scaffold_spec([tmp_path / f"{name}.csv"], tmp_path).text
        for name in ("words", "numbers", "names")
    }
    assert all('kind = "multiclass"' in text for text in texts.values())
    assert "# classes = [1, 2, 3]" in texts["numbers"]
    assert "ordinal" not in texts["names"]
    assert "ordinal" not in texts["words"]  # "top" is none of the known words
