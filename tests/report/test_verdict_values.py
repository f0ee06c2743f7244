"""How many digits the values beside a verdict have."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures.counts import ACCURACY
from reportgen.render.plain_text import cell_text
from reportgen.report.formatting import value_among_classifiers

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation


@pytest.mark.parametrize(("classifiers", "written"), [(2, "90.000%"), (30, "90.0%")])
def test_of_many_classifiers_values_have_the_usual_digits(classifiers: int, written: str) -> None:
    """Two are told apart, 0.9 from 0.90002; of thirty each measure would have other digits."""
    scores = {
        str(at): MeasureValue(0.9 + 0.00002 * at, ValueState.DEFINED) for at in range(classifiers)
    }
    evaluation = SimpleNamespace(
        measured_classifiers=tuple(scores),
        value=lambda name, _measure, _class, _average: scores[name],
    )

    value = value_among_classifiers(cast("Evaluation", evaluation), "0", ACCURACY, None)

    assert cell_text(value) == written
