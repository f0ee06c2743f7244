"""The wording of one report of each kind, compared with a golden text.

A golden is renewed with `python -m pytest tests/report/test_wording.py --update-goldens`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.pipeline import load_and_evaluate
from reportgen.report.build import build_report
from tests.report.wording import check_wording, wording

SPECS = Path(__file__).parents[2] / "specs"
# Binary, multiclass, regression, several data sets, gates, fold scores, target prevalences, then
# declared costs, ordered classes and sets of labels.
KINDS = (
    *("breast_cancer", "digits", "diabetes", "many_datasets", "gates", "tenfold", "prevalence"),
    *("fraud", "ordinal", "multilabel"),
)


@pytest.mark.parametrize("spec", KINDS)
def test_the_wording_of_a_report(spec: str, request: pytest.FixtureRequest) -> None:
    """Titles, sentences, captions and heads in full detail."""
    evaluation = load_and_evaluate(SPECS / f"{spec}.toml")
    update = bool(request.config.getoption("--update-goldens"))

    check_wording(spec, wording(build_report(evaluation)), update=update)
