"""What the catalogue promises about names, groups, sources and definitions."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.measures import (
    CAPABILITIES,
    DEFAULT_MEASURE_GROUPS,
    MEASURE_GROUPS,
    MEASURE_REGISTRY,
    Measure,
    MeasureFamily,
    describe_infinite,
    describe_undefined,
    find_measure,
    get_measure,
    measure_names,
    select_measures,
)
from reportgen.spec import TASK_KINDS
from tests.tables import CLASS_MEASURES, REGRESSION_MEASURES

every_measure = pytest.mark.parametrize(
    "measure", MEASURE_REGISTRY.values(), ids=lambda item: item.name
)

PROMISED = (
    "accuracy error_rate sensitivity recall completeness specificity precision ppv correctness npv"
    " f1 f0.5 f2 balanced_accuracy auc_b youden j informedness lr_positive lr_negative"
    " discriminant_power diagnostic_odds_ratio type_1_rate type_2_rate kappa kappa_best mcc jaccard"
    " g_mean markedness lift chi_square chi_square_p prevalence rmse mae r2 pearson roc_auc auc"
    " auroc average_precision ap pr_auc auprc brier brier_score log_loss logloss ece"
    " information_score relative_information_score"
)


@pytest.mark.parametrize("name", PROMISED.split())
def test_every_promised_name_finds_a_measure(name: str) -> None:
    """Names and aliases that a spec may use."""
    measure = find_measure(name)

    assert measure is not None
    assert name in {measure.name, *measure.aliases}


@every_measure
def test_a_measure_says_where_it_comes_from_and_what_it_answers(measure: Measure) -> None:
    """A source with a title, and a question or a short description."""
    assert measure.source.citation
    assert measure.source.reference.title
    assert measure.question[0].isupper()
    assert not measure.question.endswith(".")
    assert measure.title[0].isupper() or measure.title.startswith("p-")


def test_the_hash_of_a_measure_does_not_depend_on_the_size_of_its_formula() -> None:
    """Measures are keys: hashing their trees took a tenth of the time of a report."""
    measure = get_measure("f1")
    other_formula = replace(measure, formula=get_measure("mcc").formula)

    assert hash(other_formula) == hash(measure)
    assert other_formula != measure
    assert {measure: 1}[replace(measure)] == 1


def test_names_and_aliases_are_unique() -> None:
    """No name means two measures, and no measure is called like a group or a capability."""
    names = measure_names()

    assert len(names) == len(set(names))
    assert not {*names} & {*MEASURE_GROUPS, *CAPABILITIES}


def test_titles_and_symbols_are_unique_within_a_task() -> None:
    """Two rows of a table never have the same head."""
    for measures in (CLASS_MEASURES, REGRESSION_MEASURES):
        titles = [measure.title for measure in measures]
        symbols = [measure.symbol.text for measure in measures]
        assert len(titles) == len(set(titles))
        assert len(symbols) == len(set(symbols))


@every_measure
def test_every_measure_fits_classification_or_regression(measure: Measure) -> None:
    """Tasks of classes share their measures, but for those of one kind of task."""
    fits = [kind for kind in TASK_KINDS if measure.applies_to(kind)]
    of_classes = [kind for kind in TASK_KINDS if kind != "regression"]

    assert fits in (of_classes, [measure.only_for], ["regression"])
    assert (measure.only_for is not None) == (fits == [measure.only_for])


@every_measure
def test_every_measure_can_be_undefined_and_says_when(measure: Measure) -> None:
    """There are no measures of no cases."""
    assert describe_undefined(measure).startswith("Undefined when ")
    assert describe_undefined(measure).endswith(".")


def test_only_measures_that_divide_by_what_may_be_zero_can_be_infinite() -> None:
    """The others say nothing about infinity."""
    infinite = {name for name, measure in MEASURE_REGISTRY.items() if describe_infinite(measure)}

    assert infinite == {
        "lr_positive",
        "lr_negative",
        "discriminant_power",
        "diagnostic_odds_ratio",
        "r2",
    }


@pytest.mark.parametrize(("group", "members"), MEASURE_GROUPS.items(), ids=MEASURE_GROUPS)
def test_groups_have_members_that_exist(group: str, members: tuple[str, ...]) -> None:
    """A group is never empty and names each measure once."""
    assert members, group
    assert len(members) == len(set(members))
    assert all(member in MEASURE_REGISTRY for member in members)


def test_every_measure_is_in_all_and_in_the_group_of_its_family() -> None:
    """Nothing of the catalogue is out of a group's reach."""
    assert set(MEASURE_GROUPS["all"]) == set(MEASURE_REGISTRY)
    assert {name for family in MeasureFamily for name in MEASURE_GROUPS[family.value]} == set(
        MEASURE_REGISTRY
    )


def test_groups_expand_to_measures_that_fit_the_task_each_once() -> None:
    """`all` of a regression task has no accuracy, and repeating a name changes nothing."""
    chosen = select_measures(["all", "rmse"], "regression")
    assert chosen == REGRESSION_MEASURES

    twice = select_measures(["recall", "traditional", "sensitivity", "f1", "f1.0"], "binary")
    assert [measure.name for measure in twice] == ["sensitivity", *without("sensitivity")]


def without(name: str) -> list[str]:
    """Return the traditional measures but one."""
    return [member for member in MEASURE_GROUPS["traditional"] if member != name]


@pytest.mark.parametrize("kind", TASK_KINDS)
def test_a_spec_that_names_no_measures_gets_the_default_groups(kind: str) -> None:
    """They all fit the task."""
    chosen = select_measures(None, kind)

    assert [measure.name for measure in chosen] == [
        member
        for group in DEFAULT_MEASURE_GROUPS[kind]
        for member in MEASURE_GROUPS[group]
        if MEASURE_REGISTRY[member].applies_to(kind)
    ]


@pytest.mark.parametrize("name", ["f", "f0", "f0.0", "f-1", "fx", "f1e3", "F1", "f 1", "f.5", ""])
def test_what_is_no_f_measure_is_not_found(name: str) -> None:
    """β is a number above 0, written plainly."""
    assert find_measure(name) is None


def test_only_a_measure_is_known_by_its_name() -> None:
    """Where a name has to be that of a measure, any other one is a fault of the program."""
    assert get_measure("recall") is MEASURE_REGISTRY["sensitivity"]
    with pytest.raises(LookupError, match="nothing"):
        get_measure("nothing")


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 10**6).map(lambda thousandths: thousandths / 1000))
def test_an_f_measure_is_found_by_its_own_name(beta: float) -> None:
    """Any β, with up to six digits."""
    measure = find_measure(f"f{beta}")

    assert measure is not None
    again = find_measure(measure.name)
    assert again is not None
    assert again.name == measure.name


@pytest.mark.parametrize("name", ["f1234567", "f0.00001", "f0.1234567"])
def test_an_f_measure_with_many_digits_is_found_by_its_own_name(name: str) -> None:
    """A name that no longer names the measure would lose its scores and its definition."""
    measure = find_measure(name)

    assert measure is not None
    assert find_measure(measure.name) == measure


def test_two_betas_that_differ_have_names_that_differ() -> None:
    """Scores are kept by name, so one β must not pass for another."""
    first, second = find_measure("f2"), find_measure("f2.0000001")

    assert first is not None
    assert second is not None
    assert (first.formula == second.formula) == (first.name == second.name)


def test_capabilities_are_judged_by_measures_that_exist() -> None:
    """The tables 4 and 6 stand on measures of the catalogue."""
    names = [name for capability in CAPABILITIES.values() for name in capability.measures]

    assert [name for name in names if find_measure(name) is None] == []
