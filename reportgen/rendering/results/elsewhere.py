"""Rows of results.json on other prevalences and on guessing."""

from typing import Literal

from reportgen.rendering.results.rows import ResultModel


class PrevalenceResult(ResultModel):
    """Measures at a prevalence where the classifier will be used."""

    classifier: str
    """Whose it is."""
    target: float
    """The prevalence."""
    accuracy: float | None
    """Accuracy there; null when undefined."""
    accuracy_low: float | None
    """The lower end of its interval."""
    accuracy_high: float | None
    """The upper end of its interval."""
    precision: float | None
    """Precision there; null when undefined."""
    precision_low: float | None
    """The lower end of its interval."""
    precision_high: float | None
    """The upper end of its interval."""
    npv: float | None
    """Negative predictive value there; null when undefined."""
    npv_low: float | None
    """The lower end of its interval."""
    npv_high: float | None
    """The upper end of its interval."""
    kappa: float | None
    """Cohen's kappa there; null when undefined."""
    kappa_low: float | None
    """The lower end of its interval."""
    kappa_high: float | None
    """The upper end of its interval."""
    kappa_best: float | None
    """Best-a-priori kappa there; null when undefined."""
    kappa_best_low: float | None
    """The lower end of its interval."""
    kappa_best_high: float | None
    """The upper end of its interval."""


class CrossingResult(ResultModel):
    """Who is better on a measure below and above the prevalence where two are equal."""

    first: str
    """The one."""
    second: str
    """The other."""
    measure: str
    """The name in the catalogue."""
    prevalence: float | None
    """Where they are equal; null: the order is the same everywhere."""
    low: float | None
    """The lower end of its interval; null: not worked out."""
    high: float | None
    """The upper end of its interval; null: not worked out."""
    below: str | None
    """Who is better below; null: they are equal everywhere."""
    above: str | None
    """Who is better above; null: they are equal everywhere."""


class GuessingRowResult(ResultModel):
    """What the rule "significant by chi-square and right in over half" says of a classifier."""

    classifier: str
    """Whose it is."""
    positives: int
    """Truly positive cases; repeated cases count once."""
    negatives: int
    """Truly negative cases; repeated cases count once."""
    alpha: float
    """The level of significance."""
    accuracy: float
    """The share of cases that are right."""
    youden: float | None
    """Youden's index; null: one class has no cases."""
    chi_square: float | None
    """Chi-square with Yates' correction; null: undefined."""
    p: float | None
    """Its p-value."""
    significant: bool
    """Whether that is below alpha."""
    passes: bool
    """Whether the rule calls the classifier valid."""
    misleading: bool
    """Whether chi-square is significant although Youden's index is not above 0."""
    chance_of_passing: float
    """How often guessing each class with ½ passes the rule, by enumeration."""
    chance_even: float
    """How often guessing each class with ½ is right at least as often."""
    chance_same: float
    """How often guessing positive as often as the classifier says it is right as often."""


class GuessingCellResult(ResultModel):
    """How often guessing each class with ½ passes the rule."""

    size: int
    """The number of cases."""
    share: float
    """The share of them that is of one class."""
    alpha: float
    """The level of significance."""
    plain: float
    """The chance without Yates' correction, by enumeration."""
    corrected: float
    """The chance with it."""
    published: float | None
    """What was printed."""
    plain_agrees: bool | None
    """Whether what was printed agrees with the chance without the correction."""
    corrected_agrees: bool | None
    """Whether what was printed agrees with the chance with the correction."""
    source: str | None
    """Where it was printed."""


class GuessingCheckResult(ResultModel):
    """A printed chance that guessing is as accurate as a classifier."""

    classifier: str
    """Whose it is."""
    guess: Literal["even", "same"]
    """Each class with ½, or positive as often as the classifier says it."""
    published: float
    """What was printed."""
    computed: float
    """The exact chance."""
    agrees: bool
    """Whether the exact chance, rounded as printed, is the printed one."""
    source: str | None
    """Where it was printed."""
    note: str | None
    """What the spec says about it."""


class GuessingResult(ResultModel):
    """Whether classifiers are better than guessing."""

    classifiers: tuple[GuessingRowResult, ...] = ()
    """The rule applied to every classifier."""
    tables: tuple[GuessingCellResult, ...] = ()
    """How often guessing passes, for the sizes and shares that were asked for."""
    published: tuple[GuessingCheckResult, ...] = ()
    """Printed chances against exact ones."""
