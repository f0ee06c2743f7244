"""How the claims were tested: what else than tables and verdicts rests on intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.report.build import build_report
from tests.report.report_text import confusion, evaluated, rows, sentences, table

if TYPE_CHECKING:
    from pathlib import Path

BANDS = "ROC bands"
SCORED = '[data]\ntruth = "truth"\nprediction = "predicted"\nscore = "score"\n'


def _evaluate_scored(folder: Path) -> dict[str, str]:
    rows = ("yes,yes,0.9", "no,no,0.2", "yes,no,0.4", "no,yes,0.7", "yes,yes,0.8", "no,no,0.1")
    (folder / "a.csv").write_text("\n".join(("truth,predicted,score", *rows)), encoding="utf-8")
    return {"A": 'predictions = "a.csv"'}


def test_the_bands_of_roc_curves_are_explained_where_they_are_drawn(tmp_path: Path) -> None:
    """Both shares hold with 0.95 if each does with its root, 97.5 %."""
    assert round(100 * math.sqrt(0.95), 1) == 97.5

    texts = sentences(
        build_report(evaluated(tmp_path, _evaluate_scored(tmp_path), more=SCORED)), "method"
    )

    (bands,) = (sentence for sentence in texts if BANDS in sentence)
    assert "97.5" in bands
    assert "95" in bands


def test_nothing_is_stated_of_bands_without_scores(tmp_path: Path) -> None:
    """Counts have no curves."""
    evaluation = evaluated(tmp_path, {"A": confusion((9, 1), (2, 8))})

    assert not any(BANDS in sentence for sentence in sentences(build_report(evaluation), "method"))


def test_areas_of_several_classes_are_not_stated_to_be_resampled(tmp_path: Path) -> None:
    """Of two classes they are; of three DeLong's variance gives their limits."""
    cases = (
        f"{truth},{truth},{0.6 if truth == 'a' else 0.2},{0.2 + 0.4 * (truth == 'b')},"
        f"{0.2 + 0.4 * (truth == 'c')}"
        for truth in "abc" * 12
    )
    (tmp_path / "p.csv").write_text(
        "truth,prediction,pa,pb,pc\n" + "\n".join(cases), encoding="utf-8"
    )
    three = evaluated(
        tmp_path,
        {"A": 'predictions = "p.csv"'},
        more='[data]\nprobabilities = "p{class}"\n[intervals]\nmethod = "bootstrap"\n',
        task='kind = "multiclass"',
    )
    two = evaluated(
        tmp_path, _evaluate_scored(tmp_path), more=SCORED + '[intervals]\nmethod = "bootstrap"\n'
    )
    of_three, of_two = (
        " ".join(rows(table(build_report(result), "interval-methods"))) for result in (three, two)
    )

    assert "for binary tasks" not in of_three
    assert "DeLong's variance" in of_three
    assert "for binary tasks of moderate size; otherwise DeLong's variance" in of_two
