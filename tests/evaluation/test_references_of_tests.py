"""Every statistical test of a report has a reference from outside this package."""

from __future__ import annotations

import ast
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import bootstrap
from sklearn.metrics import roc_auc_score

from reportgen.aggregates.operating_points import (
    OperatingPointPlan,
    aggregate_operating_points,
)
from reportgen.evaluation import (
    pairwise_tests,
    permutation_tests,
    score_tests,
    segments,
)
from reportgen.export.results import results_json
from reportgen.measures import get_measure
from reportgen.pipeline import load_and_evaluate
from tests.scored_cases import binary_cases

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
# The reference, and the test that compares with it: a file and a function.
REFERENCES = {
    "paired permutation (exact)": (
        "statsmodels",
        "evaluation/test_paired_permutation.py",
        "test_the_p_value_of_a_known_table_is_that_of_statsmodels",
    ),
    "paired permutation (Monte Carlo)": (
        "sklearn",
        "evaluation/test_paired_permutation_multiclass.py",
        "test_an_average_over_the_classes_is_tested_to_first_order",
    ),
    "unpaired permutation (exact)": (
        "scipy",
        "evaluation/test_unpaired_permutation.py",
        "test_equal_class_sizes_make_sensitivity_fishers_exact_test",
    ),
    "paired permutation of clusters (exact)": (
        "scipy",
        "statistics/test_cluster_tests.py",
        "test_single_cases_give_the_exact_mcnemar_test",
    ),
    "paired permutation of clusters (Monte Carlo)": (
        "brute force",
        "statistics/test_cluster_tests.py",
        "test_swaps_are_enumerated_as_by_brute_force",
    ),
    "obuchowski chi-square (clusters)": (
        "clust.bin.pair",
        "statistics/test_cluster_tests.py",
        "test_published_statistics_of_all_patients",
    ),
    "durkalski chi-square (clusters)": (
        "clust.bin.pair",
        "statistics/test_cluster_tests.py",
        "test_published_statistics_of_all_patients",
    ),
    "delong": (
        "Stata",
        "aggregates/test_delong.py",
        "test_the_standard_error_is_the_one_stata_prints_for_hanley_s_data",
    ),
    "delong chi-square": (
        "scipy",
        "evaluation/test_auc_and_loss_tests.py",
        "test_several_areas_are_tested_together",
    ),
    "influence function t": (
        "sklearn",
        "statistics/test_pr_area_influence.py",
        "test_the_influence_on_average_precision_is_its_derivative_in_case_weights",
    ),
    "influence function z (debiased)": (
        "scipy",
        "evaluation/test_calibration_error_test.py",
        "test_difference_and_error_agree_with_scikit_learn_and_the_bootstrap_of_scipy",
    ),
    "paired bootstrap of cases": (
        "scipy",
        "evaluation/test_references_of_tests.py",
        "test_bootstrap_errors_of_partial_areas_are_those_of_scipy_and_scikit_learn",
    ),
    "fisher z (influence function)": (
        "scipy",
        "evaluation/test_auc_and_loss_tests.py",
        "test_correlations_are_tested_by_the_delta_method",
    ),
    "paired t": ("scipy", "statistics/test_t_tests.py", "test_plain_t_is_that_of_scipy"),
    "corrected resampled t": (
        "lecture",
        "statistics/test_t_tests.py",
        "test_corrected_t_of_the_lecture_notes_is_not_significant",
    ),
    "wilcoxon": (
        "scipy",
        "statistics/test_wilcoxon.py",
        "test_p_of_few_untied_differences_is_the_exact_one_of_scipy",
    ),
    "mcnemar exact (infinite losses)": (
        "scipy",
        "evaluation/test_auc_and_loss_tests.py",
        "test_an_infinite_log_loss_is_tested_by_the_number_of_infinite_losses",
    ),
    "mcnemar exact": (
        "statsmodels",
        "statistics/test_mcnemar.py",
        "test_every_form_agrees_with_statsmodels",
    ),
    "mcnemar mid-p": (
        "scipy",
        "statistics/test_mcnemar.py",
        "test_mid_p_gives_the_check_value",
    ),
    "mcnemar chi-square": (
        "statsmodels",
        "statistics/test_mcnemar.py",
        "test_every_form_agrees_with_statsmodels",
    ),
    "mcnemar bounds": (
        "scipy",
        "statistics/test_mcnemar.py",
        "test_the_range_is_that_of_all_tables_with_these_margins",
    ),
    "generalised score": (
        "DTComPair",
        "statistics/test_paired_predictive_values.py",
        "test_the_generalised_score_gives_what_dtcompair_prints",
    ),
    "likelihood-ratio regression": (
        "DTComPair",
        "statistics/test_paired_predictive_values.py",
        "test_the_likelihood_regression_gives_what_dtcompair_prints",
    ),
    "segment against other cases (MOVER)": (
        "statsmodels",
        "evaluation/test_segments.py",
        "test_the_gap_of_independent_proportions_is_newcombes",
    ),
    "cochran q": ("statsmodels", "statistics/test_cochran.py", "test_q_agrees_with_statsmodels"),
    "friedman": ("scipy", "statistics/test_ranks.py", "test_friedman_with_ties_is_that_of_scipy"),
    "iman-davenport": (
        "Demšar",
        "statistics/test_ranks.py",
        "test_iman_davenport_is_the_f_of_an_analysis_of_variance_of_the_ranks",
    ),
    "nemenyi": (
        "scipy",
        "statistics/test_ranks.py",
        "test_the_studentized_range_is_that_of_scipy",
    ),
}


@cache
def names_in_results() -> frozenset[str]:
    """Return the names of all tests in the results of the specs."""
    names = set()
    for spec in (ROOT / "specs").glob("*.toml"):
        results = json.loads(results_json(load_and_evaluate(spec)))
        tables = (rows for rows in results.values() if isinstance(rows, list))
        names |= {row["test"] for rows in tables for row in rows if "test" in row}
    return frozenset(names)


def test_every_test_in_the_results_of_the_specs_has_a_reference() -> None:
    """A new test needs a line in the table above."""
    assert names_in_results() - set(REFERENCES) == set()


@pytest.mark.parametrize(
    "name",
    [
        *(permutation_tests.PAIRED_EXACT, permutation_tests.PAIRED_MONTE_CARLO),
        *(permutation_tests.UNPAIRED_EXACT, pairwise_tests.CLUSTER_SWAP_EXACT),
        *(pairwise_tests.CLUSTER_SWAP, score_tests.ECE_TEST, score_tests.INFLUENCE_TEST),
        *(score_tests.BOOTSTRAP_Z_TEST, score_tests.FISHER_Z_TEST, score_tests.INFINITE_LOSS_TEST),
        segments.SEGMENT_GAP_TEST,
    ],
)
def test_names_in_the_code_are_those_of_the_table(name: str) -> None:
    """Also where no spec of this repository has such a test."""
    assert name in REFERENCES


@pytest.mark.parametrize("name", REFERENCES)
def test_the_reference_of_a_test_exists(name: str) -> None:
    """The function is there, and its file names what it compares with."""
    reference, path, function = REFERENCES[name]
    source = (TESTS / path).read_text(encoding="utf-8")
    functions = {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}

    assert function in functions
    assert reference.lower() in source.lower()


def test_bootstrap_errors_of_partial_areas_are_those_of_scipy_and_scikit_learn() -> None:
    """Standard errors of a difference of partial areas, of 2000 resamples each."""
    rng = np.random.default_rng(11)
    truth = (rng.random(400) < 0.4).astype(int)
    scores = [truth * apart + rng.normal(size=400) for apart in (1.6, 1.1)]
    cases = binary_cases(truth.tolist(), dict(zip("AB", scores, strict=True)), ranking_only=True)
    measure = get_measure("roc_auc@fpr<=0.3")
    statistics = aggregate_operating_points(cases, OperatingPointPlan((measure,), 2000, 1))
    assert statistics is not None
    covariances = statistics.covariances.covariances("AB", measure.name)
    assert covariances is not None

    def difference(labels: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
        one, other = (roc_auc_score(labels, score, max_fpr=0.3) for score in (first, second))
        return float(one - other)

    resampled = bootstrap(
        (truth, *scores),
        difference,
        paired=True,
        vectorized=False,
        n_resamples=2000,
        method="basic",
        rng=rng,
    )
    error = np.sqrt(covariances[0, 0] + covariances[1, 1] - 2 * covariances[0, 1])

    assert error == pytest.approx(float(resampled.standard_error), rel=0.08)
    values = statistics.values(measure)
    assert values["A"] - values["B"] == pytest.approx(difference(truth, *scores), rel=1e-9)
