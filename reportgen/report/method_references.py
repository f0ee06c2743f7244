"""The publications behind intervals, tests and adjustments: the table of methods and references.

A method is recognised by a part of its name in results.json, as in `delta, logit, t`, or by the
beginning of the name of a test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.measures.references import LiteratureReference

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class CitedMethod:
    """A method: its name in results.json, what it is called in a sentence, and its references."""

    name: str
    phrase: str
    references: tuple[LiteratureReference, ...]


WILSON_1927 = LiteratureReference(
    "Wilson",
    1927,
    "Probable inference, the law of succession, and statistical inference",
    "Journal of the American Statistical Association 22:209-212",
)
CLOPPER_1934 = LiteratureReference(
    "Clopper and Pearson",
    1934,
    "The use of confidence or fiducial limits illustrated in the case of the binomial",
    "Biometrika 26:404-413",
)
ZOU_2008 = LiteratureReference(
    "Zou and Donner",
    2008,
    "Construction of confidence limits about effect measures: a general approach",
    "Statistics in Medicine 27:1693-1702",
)
BISHOP_1975 = LiteratureReference(
    "Bishop, Fienberg and Holland",
    1975,
    "Discrete Multivariate Analysis: Theory and Practice",
    "MIT Press",
)
SATTERTHWAITE_1946 = LiteratureReference(
    "Satterthwaite",
    1946,
    "An approximate distribution of estimates of variance components",
    "Biometrics Bulletin 2:110-114",
)
HALL_1992 = LiteratureReference(
    "Hall",
    1992,
    "On the removal of skewness by transformation",
    "Journal of the Royal Statistical Society B 54:221-228",
)
NEWCOMBE_2006 = LiteratureReference(
    "Newcombe",
    2006,
    "Confidence intervals for an effect size measure based on the Mann-Whitney statistic."
    " Part 2: asymptotic methods and evaluation",
    "Statistics in Medicine 25:559-573",
)
DELONG_1988 = LiteratureReference(
    "DeLong, DeLong and Clarke-Pearson",
    1988,
    "Comparing the areas under two or more correlated receiver operating characteristic curves:"
    " a nonparametric approach",
    "Biometrics 44:837-845",
)
EFRON_1982 = LiteratureReference(
    "Efron", 1982, "The Jackknife, the Bootstrap and Other Resampling Plans", "SIAM"
)
EFRON_1993 = LiteratureReference(
    "Efron and Tibshirani", 1993, "An Introduction to the Bootstrap", "Chapman and Hall"
)
KUMAR_2019 = LiteratureReference(
    "Kumar, Liang and Ma",
    2019,
    "Verified uncertainty calibration",
    "Advances in Neural Information Processing Systems 32",
)
BINDER_1983 = LiteratureReference(
    "Binder",
    1983,
    "On the variances of asymptotically normal estimators from complex surveys",
    "International Statistical Review 51:279-292",
)
KORN_1998 = LiteratureReference(
    "Korn and Graubard",
    1998,
    "Confidence intervals for proportions with small expected number of positive counts estimated"
    " from survey data",
    "Survey Methodology 24:193-201",
)
STUDENT_1908 = LiteratureReference(
    "Student", 1908, "The probable error of a mean", "Biometrika 6:1-25"
)
PESARIN_2010 = LiteratureReference(
    "Pesarin and Salmaso",
    2010,
    "Permutation Tests for Complex Data: Theory, Applications and Software",
    "Wiley",
)
CHUNG_2013 = LiteratureReference(
    "Chung and Romano",
    2013,
    "Exact and asymptotically robust permutation tests",
    "Annals of Statistics 41:484-507",
)
FISHER_1935 = LiteratureReference("Fisher", 1935, "The Design of Experiments", "Oliver and Boyd")
MCNEMAR_1947 = LiteratureReference(
    "McNemar",
    1947,
    "Note on the sampling error of the difference between correlated proportions or percentages",
    "Psychometrika 12:153-157",
)
NADEAU_2003 = LiteratureReference(
    "Nadeau and Bengio",
    2003,
    "Inference for the generalization error",
    "Machine Learning 52:239-281",
)
DIETTERICH_1998 = LiteratureReference(
    "Dietterich",
    1998,
    "Approximate statistical tests for comparing supervised classification learning algorithms",
    "Neural Computation 10:1895-1923",
)
WILCOXON_1945 = LiteratureReference(
    "Wilcoxon", 1945, "Individual comparisons by ranking methods", "Biometrics Bulletin 1:80-83"
)
DEMSAR_2006 = LiteratureReference(
    "Demšar",
    2006,
    "Statistical comparisons of classifiers over multiple data sets",
    "Journal of Machine Learning Research 7:1-30",
)
FRIEDMAN_1937 = LiteratureReference(
    "Friedman",
    1937,
    "The use of ranks to avoid the assumption of normality implicit in the analysis of variance",
    "Journal of the American Statistical Association 32:675-701",
)
IMAN_1980 = LiteratureReference(
    "Iman and Davenport",
    1980,
    "Approximations of the critical region of the Friedman statistic",
    "Communications in Statistics A 9:571-595",
)
NEMENYI_1963 = LiteratureReference(
    "Nemenyi", 1963, "Distribution-free multiple comparisons", "PhD thesis, Princeton University"
)
COCHRAN_1950 = LiteratureReference(
    "Cochran",
    1950,
    "The comparison of percentages in matched samples",
    "Biometrika 37:256-266",
)
WESTFALL_1993 = LiteratureReference(
    "Westfall and Young",
    1993,
    "Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment",
    "Wiley",
)
HOTHORN_2008 = LiteratureReference(
    "Hothorn, Bretz and Westfall",
    2008,
    "Simultaneous inference in general parametric models",
    "Biometrical Journal 50:346-363",
)
HOLM_1979 = LiteratureReference(
    "Holm",
    1979,
    "A simple sequentially rejective multiple test procedure",
    "Scandinavian Journal of Statistics 6:65-70",
)
SCHUIRMANN_1987 = LiteratureReference(
    "Schuirmann",
    1987,
    "A comparison of the two one-sided tests procedure and the power approach for assessing the"
    " equivalence of average bioavailability",
    "Journal of Pharmacokinetics and Biopharmaceutics 15:657-680",
)

INTERVAL_METHODS = (
    CitedMethod("wilson", "the Wilson score method", (WILSON_1927,)),
    CitedMethod("clopper-pearson", "the Clopper–Pearson method", (CLOPPER_1934,)),
    CitedMethod("mover", "the method of variance estimates recovery (MOVER)", (ZOU_2008,)),
    CitedMethod("delta", "the delta method", (BISHOP_1975,)),
    CitedMethod("influence", "influence functions (infinitesimal jackknife)", (EFRON_1982,)),
    CitedMethod("delong", "DeLong's variance", (DELONG_1988,)),
    CitedMethod(
        "newcombe", "Newcombe's score method for the area under the ROC curve", (NEWCOMBE_2006,)
    ),
    CitedMethod("hall", "Student's t with Hall's correction for skewness", (HALL_1992,)),
    CitedMethod("satterthwaite", "Satterthwaite's degrees of freedom", (SATTERTHWAITE_1946,)),
    CitedMethod("t", "Student's t", (STUDENT_1908, SATTERTHWAITE_1946)),
    CitedMethod("bootstrap", "the bootstrap", (EFRON_1993,)),
    CitedMethod("debiased", "debiasing of the calibration error", (KUMAR_2019,)),
    CitedMethod("cluster-robust", "cluster-robust variances", (BINDER_1983, KORN_1998)),
)
# The first entry that a name begins with counts.
TEST_METHODS = (
    CitedMethod(
        "paired permutation of clusters",
        "studentized permutation tests of clusters",
        (PESARIN_2010, CHUNG_2013),
    ),
    CitedMethod(
        "paired permutation",
        "studentized paired permutation tests, which for proportions are McNemar's exact test",
        (PESARIN_2010, CHUNG_2013, MCNEMAR_1947),
    ),
    CitedMethod(
        "unpaired permutation",
        "two-sample permutation tests given the margins",
        (FISHER_1935, CHUNG_2013),
    ),
    CitedMethod("delong", "DeLong's test", (DELONG_1988,)),
    CitedMethod("influence function", "tests by influence functions", (EFRON_1982,)),
    CitedMethod("fisher z", "tests of correlations on Fisher's z scale", (EFRON_1982,)),
    CitedMethod("paired t", "paired t-tests", (STUDENT_1908,)),
    CitedMethod("corrected resampled t", "corrected resampled t-tests", (NADEAU_2003,)),
    CitedMethod("5x2cv", "5×2cv tests", (DIETTERICH_1998,)),
    CitedMethod("mcnemar", "McNemar's test", (MCNEMAR_1947,)),
    CitedMethod("paired bootstrap of cases", "bootstrap tests over the cases", (EFRON_1993,)),
    CitedMethod("segment against other cases", "MOVER intervals of segments", (ZOU_2008,)),
    CitedMethod("cochran q", "Cochran's Q test", (COCHRAN_1950,)),
    CitedMethod("friedman", "the Friedman test", (FRIEDMAN_1937, DEMSAR_2006)),
    CitedMethod("iman-davenport", "the Iman–Davenport test", (IMAN_1980,)),
    CitedMethod("nemenyi", "Nemenyi's critical difference", (NEMENYI_1963,)),
    CitedMethod("wilcoxon", "Wilcoxon signed-rank tests", (WILCOXON_1945, DEMSAR_2006)),
)
CORRECTION_METHODS = {
    "step-down": CitedMethod(
        "step-down", "step-down max-T adjustment", (WESTFALL_1993, HOTHORN_2008)
    ),
    "holm": CitedMethod("holm", "the Bonferroni–Holm method", (HOLM_1979,)),
}


def cited_interval_methods(names: Iterable[str]) -> tuple[CitedMethod, ...]:
    """Return the interval methods that occur in names such as `delta, logit, t`."""
    parts = {part.partition(" ")[0] for name in names for part in name.split(", ")}
    return tuple(method for method in INTERVAL_METHODS if method.name in parts)


def cited_tests(names: Iterable[str]) -> tuple[CitedMethod, ...]:
    """Return the tests of these names."""
    matches = {
        next((method for method in TEST_METHODS if name.startswith(method.name)), None)
        for name in names
    }
    return tuple(method for method in TEST_METHODS if method in matches)
