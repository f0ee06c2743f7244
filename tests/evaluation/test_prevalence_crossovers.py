"""Where two classifiers change places: exact, and the same as found by looking everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.evaluation.prevalence import (
    PREVALENCE_MEASURES,
    PositiveClassCounts,
    PrevalenceCrossover,
    find_prevalence_crossovers,
    values_at_prevalences,
)
from reportgen.measures import MEASURE_REGISTRY
from reportgen.pipeline import load_and_evaluate
from reportgen.spec import parse_spec

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.spec import Spec

SPEC = """
[task]
kind = "binary"
positive = "yes"
classes = ["yes", "no"]
[[classifiers]]
name = "A"
confusion = [[1, 1], [1, 1]]
[[classifiers]]
name = "B"
confusion = [[1, 1], [1, 1]]
[[classifiers]]
name = "C"
confusion = [[1, 1], [1, 1]]
"""
GRID = tuple(np.linspace(0.005, 0.995, 200).tolist())


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Spec:
    """Return the spec of three classifiers."""
    return parse_spec(tmp_path_factory.mktemp("spec") / "spec.toml", SPEC.encode()).spec


def crossovers_by_measure(
    spec: Spec, *rates: PositiveClassCounts
) -> dict[str, PrevalenceCrossover]:
    """Return the crossings of two classifiers by measure."""
    return {
        crossing.measure: crossing for crossing in find_prevalence_crossovers(rates, spec, None)
    }


def test_accuracy_crosses_where_the_lines_meet(spec: Spec) -> None:
    """Rates of 0.9 and 0.6 against 0.5 and 0.8: 0.9q + 0.6(1−q) = 0.5q + 0.8(1−q) at q = 1/3."""
    one, other = PositiveClassCounts("A", 90, 10, 40, 60), PositiveClassCounts("B", 50, 50, 20, 80)

    crossing = crossovers_by_measure(spec, one, other)["accuracy"]

    assert crossing.prevalence == pytest.approx(1 / 3, rel=1e-12)
    assert (crossing.below, crossing.above) == ("B", "A")
    assert crossovers_by_measure(spec, one, other)["kappa_best"].prevalence == crossing.prevalence


def test_table_12_crosses_at_its_own_prevalence(spec: Spec) -> None:
    """Examples 4 and 5 of El Emam: both 0.64 at 0.2."""
    crossing = crossovers_by_measure(
        spec,
        PositiveClassCounts("A", 0, 200, 160, 640),
        PositiveClassCounts("B", 160, 40, 320, 480),
    )["accuracy"]

    assert crossing.prevalence == pytest.approx(0.2, rel=1e-12)
    assert (crossing.below, crossing.above) == ("A", "B")


@settings(deadline=None, max_examples=40)
@given(
    one=st.tuples(*[st.integers(0, 12)] * 4),
    other=st.tuples(*[st.integers(0, 12)] * 4),
)
def test_looking_at_two_hundred_prevalences_finds_the_same(
    spec: Spec, one: tuple[int, ...], other: tuple[int, ...]
) -> None:
    """On each side of the crossing, and everywhere without one, the leader has the higher value."""
    pair = PositiveClassCounts("A", *map(float, one)), PositiveClassCounts("B", *map(float, other))
    if any(rates.undefined_reason for rates in pair):
        return
    scores = values_at_prevalences(
        pair, [MEASURE_REGISTRY[name] for name in PREVALENCE_MEASURES], GRID
    )

    for name, crossing in crossovers_by_measure(spec, *pair).items():
        for prevalence in GRID:
            first, second = (scores[item, prevalence, name].value for item in "AB")
            assert first is not None
            assert second is not None
            where = crossing.prevalence
            leader = crossing.below if where is None or prevalence < where else crossing.above
            if leader is None or abs(first - second) < 1e-9:
                assert first == pytest.approx(second, abs=1e-9)
            else:
                assert leader == ("A" if first > second else "B")


def test_kappa_may_cross_where_accuracy_does_not_say_so(spec: Spec) -> None:
    """J₁(1−f₂) − J₂(1−f₁) and J₁f₂ − J₂f₁ have opposite signs: here at another prevalence."""
    both = crossovers_by_measure(
        spec, PositiveClassCounts("A", 90, 10, 40, 60), PositiveClassCounts("B", 50, 50, 5, 95)
    )

    # J 0.5 and 0.45: at 0, 0.5·0.05 − 0.45·0.4 = −0.155; at 1, 0.5·0.95 − 0.45·0.6 = 0.205.
    assert both["kappa"].prevalence == pytest.approx(0.155 / (0.155 + 0.205), rel=1e-12)
    # 0.35 more specific, 0.4 less sensitive.
    assert both["accuracy"].prevalence == pytest.approx(0.35 / 0.75, rel=1e-12)


def test_equal_classifiers_have_no_leader(spec: Spec) -> None:
    """The same rates on different numbers of cases."""
    equal = crossovers_by_measure(
        spec, PositiveClassCounts("A", 9, 1, 4, 6), PositiveClassCounts("B", 90, 10, 40, 60)
    )

    assert {(c.prevalence, c.below, c.above) for c in equal.values()} == {(None, None, None)}


def test_an_undefined_measure_is_not_compared(spec: Spec) -> None:
    """A classifier that never says positive has no precision."""
    assert "precision" not in crossovers_by_measure(
        spec, PositiveClassCounts("A", 0, 10, 0, 10), PositiveClassCounts("B", 5, 5, 5, 5)
    )


def test_the_interval_is_fiellers(spec: Spec) -> None:
    """At its ends the two accuracies are just as far apart as z standard errors."""
    one, other = (
        PositiveClassCounts("A", 900, 100, 400, 600),
        PositiveClassCounts("B", 500, 500, 200, 800),
    )
    crossing = crossovers_by_measure(spec, one, other)["accuracy"]
    assert crossing.low is not None
    assert crossing.high is not None
    assert crossing.low < 1 / 3 < crossing.high

    variance_s = (0.9 * 0.1 + 0.5 * 0.5) / 1000
    variance_f = (0.6 * 0.4 + 0.8 * 0.2) / 1000
    for q in (crossing.low, crossing.high):
        gap = q * (0.9 - 0.5) + (1 - q) * (0.6 - 0.8)
        error = (q**2 * variance_s + (1 - q) ** 2 * variance_f) ** 0.5
        assert abs(gap) / error == pytest.approx(1.959964, rel=1e-6)


def test_the_interval_reaches_the_end_where_rates_may_be_equal(spec: Spec) -> None:
    """Specificities of 6 and 7 in 10 may well be equal: then accuracy may be so at 0 already."""
    crossing = crossovers_by_measure(
        spec, PositiveClassCounts("A", 900, 100, 4, 6), PositiveClassCounts("B", 500, 500, 3, 7)
    )["accuracy"]

    assert crossing.low == 0
    assert crossing.high is not None
    assert crossing.high < 1


def test_with_a_baseline_only_pairs_with_it_are_compared(tmp_path: Path) -> None:
    """Two of three pairs."""
    text = f'{SPEC}[comparison]\nbaseline = "B"\n'
    with_baseline = parse_spec(tmp_path / "spec.toml", text.encode()).spec
    rates = [PositiveClassCounts(name, 5, 5, 5, 5) for name in "ABC"]

    pairs = {(c.first, c.second) for c in find_prevalence_crossovers(rates, with_baseline, None)}

    assert pairs == {("A", "B"), ("B", "C")}


def test_on_the_same_cases_the_interval_is_narrower(tmp_path: Path) -> None:
    """Two classifiers that nearly always agree: the pairs tell more than the two matrices."""
    rows = ["yes,yes,yes"] * 45 + ["yes,yes,no"] * 5 + ["yes,no,no"] * 10
    rows += ["no,no,no"] * 120 + ["no,yes,no"] * 6 + ["no,yes,yes"] * 14
    for name, column in (("a", 1), ("b", 2)):
        cells = (f"{row.split(',')[0]},{row.split(',')[column]}" for row in rows)
        (tmp_path / f"{name}.csv").write_text("truth,prediction\n" + "\n".join(cells) + "\n")
    task = '[task]\nkind = "binary"\npositive = "yes"\nclasses = ["yes", "no"]\n'
    tail = "[prevalence]\ntargets = [0.1]\n"
    data = '[data]\ntruth = "truth"\nprediction = "prediction"\n'
    files = "".join(f'[[classifiers]]\nname = "{n}"\npredictions = "{n}.csv"\n' for n in ("a", "b"))
    counts = (
        '[[classifiers]]\nname = "a"\nconfusion = [[50, 10], [20, 120]]\n'
        '[[classifiers]]\nname = "b"\nconfusion = [[45, 15], [14, 126]]\n'
    )
    widths = []
    for name, text in (("paired", task + data + files + tail), ("counts", task + counts + tail)):
        path = tmp_path / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        (crossing,) = (
            c for c in load_and_evaluate(path).prevalence_crossovers if c.measure == "accuracy"
        )
        # 5 more found of 60, 6 more false alarms of 140: equal at (6/140)/(6/140 + 5/60).
        assert crossing.prevalence == pytest.approx((6 / 140) / (6 / 140 + 5 / 60))
        widths.append((crossing.high or 0) - (crossing.low or 0))

    assert widths[0] < widths[1]
