"""Measures that a spec defines by a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.errors import SpecError
from reportgen.measures import find_measure, get_measure
from reportgen.measures.formula.evaluate import evaluate_exact
from reportgen.measures.formula.parser import FormulaError, parse_formula
from reportgen.measures.own import COUNT_FORMULAS, derive_range
from reportgen.pipeline import load_and_evaluate
from reportgen.spec import load_spec
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.measures.formula import Formula

COUNTS = {"tp": 40.0, "fn": 10.0, "fp": 20.0, "tn": 130.0}
MATRIX = ((40, 10), (20, 130))


def parse_count_formula(text: str) -> Formula:
    """Parse a formula of counts."""
    return parse_formula(text, COUNT_FORMULAS)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5*fn + fp", 70),
        ("tp - fn - fp", 10),
        ("tp / fn / 2", 2),
        ("tp - (fn - fp)", 50),
        ("-fn + tp", 30),
        ("2*-fn", -20),
        ("(tp + tn) / n", 0.85),
        ("fn^2", 100),
        ("fn**2 / tp", 2.5),
        ("sqrt(tp * fn)", 20),
        ("log(tp / tp)", 0),
        ("abs(fn - tp)", 30),
        (".5*tp + 1.", 21),
    ],
)
def test_a_formula_has_the_value_it_is_written_for(text: str, value: float) -> None:
    """Precedence as everywhere, from left to right."""
    assert float(evaluate_exact(parse_count_formula(text), COUNTS)) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("5*fnn", "unknown name `fnn`", 2),
        ("5*", "not the end", 2),
        ("(tp + fn", "expected `)`", 8),
        ("tp fn", "expected an operator", 3),
        ("tp $ fn", "unexpected character `$`", 3),
        ("tp ^ fn", "whole exponent", 5),
        ("tp ^ 99", "at most 10", 5),
        ("sqrt tp", "expected `(`", 5),
        ("__import__('os')", "unexpected character", 11),
        ("+".join(["tp"] * 200), "more than 200", 0),
        ("", "not the end", 0),
    ],
)
def test_what_is_no_formula_is_refused_with_its_place(
    text: str, message: str, position: int
) -> None:
    """No text is ever evaluated as a program."""
    with pytest.raises(FormulaError) as error_info:
        parse_count_formula(text)
    assert message in str(error_info.value)
    if position:
        assert error_info.value.position == position


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("5*fn + fp", 0, None),
        ("tp - fn", None, None),
        ("1 - tp", None, 1),
        ("tp / (tp + fn)", 0, None),
        ("sqrt(tp)", 0, None),
        ("(tp - fn)^2", 0, None),
        ("tp / (fn - fp)", None, None),
        ("log(tp)", None, None),
    ],
)
def test_a_range_that_holds_is_derived(text: str, low: float | None, high: float | None) -> None:
    """Interval arithmetic: safe, not tight."""
    range_ = derive_range(parse_count_formula(text))

    assert (range_.low, range_.high) == (low, high)


def own(**keys: str) -> str:
    """Return a table of an own measure."""
    return "[[measures.own]]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())


def write(tmp_path: Path, more: str) -> Path:
    """Write a spec of two classifiers with more at its end."""
    path = tmp_path / "spec.toml"
    text = counted_spec(MATRIX, ((45, 5), (30, 120))) + more
    path.write_text(text, encoding="utf-8")
    return path


def test_an_own_measure_is_computed_compared_and_defined(tmp_path: Path) -> None:
    """Value, delta interval, test and everything else derive from the formula."""
    tables = own(name='"burden"', formula='"5*fn + fp"', orientation='"lower"') + own(
        name='"my_g"', formula='"sqrt(burden * recall)"', range="[0, 1000]"
    )
    evaluation = load_and_evaluate(write(tmp_path, tables))
    value = evaluation.by_key["A", None, None, "burden"]
    # Var(5·fn + fp) for a multinomial: n · (Σ s²p − (Σ sp)²).
    mean, square = (5 * 10 + 20) / 200, (25 * 10 + 20) / 200
    reach = 1.959963984540054 * (200 * (square - mean**2)) ** 0.5

    assert value.value == 70
    assert [value.low, value.high] == pytest.approx([70 - reach, 70 + reach])
    assert evaluation.by_key["A", None, None, "my_g"].value == pytest.approx((70 * 0.8) ** 0.5)
    tested = {row.measure for row in evaluation.comparisons if row.is_tested}
    assert "burden" in tested
    # Without an orientation neither is better.
    assert "my_g" not in tested
    assert [reported_measure.name for reported_measure in evaluation.reported_measures][-2:] == [
        "burden",
        "my_g",
    ]


def test_own_measures_are_known_only_to_their_spec(tmp_path: Path) -> None:
    """Another spec may define the name differently."""
    load_and_evaluate(write(tmp_path, own(name='"burden"', formula='"5*fn + fp"')))
    again = load_and_evaluate(write(tmp_path, own(name='"burden"', formula='"fn + 2*fp"')))

    assert find_measure("burden") is None
    assert again.by_key["A", None, None, "burden"].value == 50


def test_the_expected_cost_takes_the_costs_of_the_spec(tmp_path: Path) -> None:
    """Without a parameter it is the cost in [thresholds], which need scores."""
    path = tmp_path / "spec.toml"
    (tmp_path / "cases.csv").write_text(
        "truth,score\nyes,0.9\nyes,0.2\nno,0.8\nno,0.1\n", encoding="utf-8"
    )
    path.write_text(
        '[task]\nkind = "binary"\npositive = "yes"\n[data]\ntruth = "truth"\nscore = "score"\n'
        'threshold = 0.5\n[[classifiers]]\nname = "A"\npredictions = "cases.csv"\n'
        '[measures]\nshow = ["expected_cost"]\n'
        "[thresholds]\ncost = { false_positive = 1, false_negative = 8 }\n",
        encoding="utf-8",
    )
    values = load_and_evaluate(path).by_key

    assert values["A", None, None, "expected_cost@fp=1,fn=8"].value == pytest.approx(9 / 4)


@pytest.mark.parametrize(
    ("table", "code", "message", "help_text"),
    [
        (own(name='"b"', formula='"5*fnn"'), "E137", "at character 3: unknown name", "`fn`"),
        (own(name='"b"', formula='"2*sensitivty"'), "E137", "unknown name", "`sensitivity`"),
        (own(name='"b"', formula='"roc_auc"'), "E137", "unknown name", ""),
        (own(name='"f1_score"', formula='"fn"'), "E119", "is a measure already: F1 score", ""),
        (own(name='"macro_f1"', formula='"fn"'), "E119", "average of a measure", ""),
        (own(name='"tp"', formula='"fn"'), "E119", "meaning in formulas", ""),
        (own(name='"traditional"', formula='"fn"'), "E119", "group of measures", ""),
        (own(name='"b"', formula='"fn"') * 2, "E119", "already defined", ""),
        (own(name='"b"', formula='"fn"', range="[1, 0]"), "E104", "not below the highest", ""),
    ],
)
def test_a_wrong_definition_is_an_error_at_its_place(
    tmp_path: Path, table: str, code: str, message: str, help_text: str
) -> None:
    """The message has the place and the way out."""
    with pytest.raises(SpecError) as error_info:
        load_spec(write(tmp_path, table))
    (diagnostic,) = error_info.value.diagnostics

    assert diagnostic.error_code.code == code
    assert message in diagnostic.message
    assert help_text in (diagnostic.help or "")


def test_a_regression_has_no_counts(tmp_path: Path) -> None:
    """Own measures are functions of counts."""
    path = tmp_path / "spec.toml"
    path.write_text(
        '[task]\nkind = "regression"\n[[classifiers]]\nname = "A"\n'
        "fold_scores = { rmse = [1.0, 2.0] }\n" + own(name='"b"', formula='"fn"'),
        encoding="utf-8",
    )
    with pytest.raises(SpecError, match="which a regression does not have"):
        load_spec(path)


def test_the_registry_is_left_alone() -> None:
    """A measure of the catalogue is found whatever a spec defines."""
    assert get_measure("accuracy").name == "accuracy"
