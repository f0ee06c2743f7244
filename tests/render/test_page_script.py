"""The script of a page: small, its own, and fed with data that stay data."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from reportgen.aggregates.curves import CumulativeCounts
from reportgen.evaluation.threshold_counts import ThresholdAxis
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import find_measure
from reportgen.measures.formula import Symbol
from reportgen.render.html import render_html
from reportgen.render.page_script import cell_sort_key, load_page_script, what_if_json
from reportgen.render.resources import read_resources
from reportgen.report.inline import (
    Count,
    Interval,
    MathSymbol,
    MeasureDifference,
    MeasureEstimate,
    PlainNumber,
    PValue,
)
from reportgen.report.what_if import WhatIfClassifier, WhatIfData

if TYPE_CHECKING:
    from reportgen.report.document import ReportDocument
    from reportgen.report.inline import TableCell

ACCURACY = find_measure("accuracy")
assert ACCURACY is not None
STEPS = CumulativeCounts(np.array([0.1 + 0.2, 0.3]), np.array([1, 3]), np.array([0, 2]))
EXPLORER = WhatIfData(
    classifiers=(WhatIfClassifier("</script><b>", (2, 1, 1, 1), STEPS, 0),),
    classes=("</script>", "<!--"),
    axes=(ThresholdAxis(None, 0.0, 1.0, None),),
    measures=(ACCURACY,),
    prevalence_measures=(ACCURACY,),
)


def test_scripts_and_their_style_stay_small() -> None:
    """They are written by hand and travel in every report."""
    assert len(load_page_script().encode()) < 75_000
    assert len(read_resources("what_if.css")) < 3_500


def test_the_script_makes_no_markup_and_runs_no_text() -> None:
    """Names are set as text, whatever they are; nothing is loaded."""
    page_script = load_page_script()

    for forbidden in ("innerHTML", "outerHTML", "insertAdjacent", "eval(", "Function(", "</", "<!"):
        assert forbidden not in page_script
    for forbidden in ("fetch(", "XMLHttp", "import", "http:", "https:"):
        assert forbidden not in page_script.replace("http://www.w3.org/2000/svg", "")


def test_the_policy_allows_the_page_s_own_script_alone(report: ReportDocument) -> None:
    """The hash in the policy is that of the script as a browser sees it."""
    page = render_html(report)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

    assert f"script-src &#39;sha256-{digest}&#39;;" in page
    assert "unsafe" not in page


def test_no_name_ends_the_data() -> None:
    """What reads like the end of a script is written in another way, and reads back the same."""
    text = what_if_json(EXPLORER)

    assert "<" not in text
    assert json.loads(text)["classifiers"][0]["name"] == "</script><b>"
    assert json.loads(text)["classes"] == ["</script>", "<!--"]


def test_thresholds_arrive_bit_for_bit() -> None:
    """0.1 + 0.2 is not 0.3, and a threshold of 0.3 has to tell them apart."""
    (result,) = json.loads(what_if_json(EXPLORER))["classifiers"]
    thresholds = np.frombuffer(base64.b64decode(result["thresholds"]), "<f8")

    assert thresholds.tolist() == [0.30000000000000004, 0.3]
    assert (result["tp"], result["fp"]) == ([1, 2], [0, 2])


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (MeasureEstimate(MeasureValue(0.25, ValueState.DEFINED), ACCURACY), "0.25"),
        (MeasureEstimate(MeasureValue(None, ValueState.UNDEFINED, "why"), ACCURACY), ""),
        (MeasureEstimate(MeasureValue(None, ValueState.INFINITE, "∞: why"), ACCURACY), "Infinity"),
        (
            MeasureEstimate(MeasureValue(None, ValueState.INFINITE, "−∞: why"), ACCURACY),
            "-Infinity",
        ),
        (PlainNumber(1234.5), "1234.5"),
        (PValue(None), ""),
        (MeasureDifference(ACCURACY, -0.5), "-0.5"),
        (Count(1_000_000), "1000000"),
        (Interval(-0.25, 0.5), "-0.25"),
        (PlainNumber(math.nan), ""),
        ("text", ""),
        (MathSymbol(Symbol("x")), ""),
    ],
)
def test_cells_are_sorted_by_their_number(cell: TableCell, value: str) -> None:
    """However it is written; what has none has nothing."""
    assert cell_sort_key(cell) == value
