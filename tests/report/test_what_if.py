"""What a living page computes with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation import threshold_counts
from reportgen.pipeline import load_and_evaluate
from reportgen.report.what_if import build_what_if

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from reportgen.report.what_if import WhatIfData

HEAD = '[task]\nkind = "binary"\npositive = "yes"\nclasses = ["yes", "no"]\n'
COLUMNS = '[data]\nid = "case"\nscore = "score"\n'
MEASURES = '[measures]\nshow = ["accuracy", "sensitivity", "roc_auc", "prevalence", "f1"]\n'


def _explorer(folder: Path, files: dict[str, str], more: str = "") -> WhatIfData:
    tables = ""
    for name, rows in files.items():
        (folder / f"{name}.csv").write_text(f"case,truth,prediction,score\n{rows}", "utf-8")
        tables += f'[[classifiers]]\nname = "{name}"\npredictions = "{name}.csv"\n'
    spec = folder / "spec.toml"
    spec.write_text(HEAD + COLUMNS + more + tables + MEASURES, "utf-8")
    what_if = build_what_if(load_and_evaluate(spec))
    assert what_if is not None
    return what_if


ROWS = "1,yes,yes,0.9\n2,no,no,0.2\n3,no,yes,0.7\n4,yes,no,0.7\n5,yes,yes,0.8\n"


def test_every_distinct_score_is_a_step(tmp_path: Path) -> None:
    """From 0.9 on one yes is found, from 0.7 on all three and one no; 0.7 occurs twice."""
    what_if_data = _explorer(tmp_path, {"A": ROWS})
    (classifier,) = what_if_data.classifiers
    steps = classifier.cumulative_counts
    assert steps is not None

    assert classifier.counts == (2, 1, 1, 1)
    assert steps.threshold.tolist() == [0.9, 0.8, 0.7, 0.2]
    assert steps.tp.tolist() == [1, 2, 3, 3]
    assert steps.fp.tolist() == [0, 0, 1, 2]
    assert what_if_data.classes == ("yes", "no")


def test_the_best_classifier_is_first_with_its_own_axis(tmp_path: Path) -> None:
    """B is right in all five cases, A in three; scores beyond 1 have an axis each."""
    right = "1,yes,yes,3.5\n2,no,no,0.2\n3,no,no,0.3\n4,yes,yes,0.7\n5,yes,yes,0.8\n"
    what_if = _explorer(tmp_path, {"A": ROWS, "B": right})

    assert [classifier.name for classifier in what_if.classifiers] == ["B", "A"]
    assert [(axis.classifier, axis.high) for axis in what_if.axes] == [("B", 3.5), ("A", 0.9)]
    assert [classifier.axis for classifier in what_if.classifiers] == [0, 1]


def test_probabilities_share_an_axis_and_other_scores_have_their_own(tmp_path: Path) -> None:
    """A margin of 3.5 is no probability, and no threshold fits both."""
    shared = _explorer(tmp_path, {"A": ROWS, "B": ROWS}, "threshold = 0.4\n")
    own = _explorer(tmp_path, {"A": ROWS, "B": ROWS.replace("0.9", "3.5")})

    assert [
        (axis.classifier, axis.low, axis.high, axis.operating_threshold) for axis in shared.axes
    ] == [(None, 0.0, 1.0, 0.4)]
    assert [classifier.axis for classifier in shared.classifiers] == [0, 0]
    assert [
        (axis.classifier, axis.low, axis.high, axis.operating_threshold) for axis in own.axes
    ] == [
        ("A", 0.2, 0.9, None),
        ("B", 0.2, 3.5, None),
    ]
    assert [classifier.axis for classifier in own.classifiers] == [0, 1]


def test_only_what_can_move_is_moved(tmp_path: Path) -> None:
    """An area has no threshold and a prevalence none either; sensitivity has no prevalence."""
    what_if_data = _explorer(tmp_path, {"A": ROWS})

    assert [measure.name for measure in what_if_data.measures] == ["accuracy", "sensitivity", "f1"]
    assert [measure.name for measure in what_if_data.prevalence_measures] == [
        *("accuracy", "precision", "npv", "kappa", "kappa_best"),
        "f1",
    ]


def test_of_very_many_scores_few_are_kept_and_counted_exactly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two classifiers share the kept thresholds; each count is that of all scores from there on."""
    monkeypatch.setattr(threshold_counts, "MAX_THRESHOLDS", 50)
    monkeypatch.setattr(threshold_counts, "THINNED_THRESHOLDS", 20)
    draw = np.random.default_rng(0)
    truth = draw.random(200) < 0.4
    scores = {name: draw.random(200).round(4) for name in "AB"}
    rows = {
        name: "\n".join(
            f"{at},{'yes' if true else 'no'},no,{score}"
            for at, (true, score) in enumerate(zip(truth, result, strict=True))
        )
        for name, result in scores.items()
    }
    what_if_data = _explorer(tmp_path, rows)
    first, second = (classifier.cumulative_counts for classifier in what_if_data.classifiers)
    assert first is not None
    assert second is not None

    assert what_if_data.axes[0].thinned
    assert len(first.threshold) == 20
    assert first.threshold.tolist() == second.threshold.tolist()
    for name, steps in (("A", first), ("B", second)):
        reached = scores[name] >= steps.threshold[:, None]
        assert steps.tp.tolist() == (reached & truth).sum(axis=1).tolist()
        assert steps.fp.tolist() == (reached & ~truth).sum(axis=1).tolist()


def test_counts_alone_have_no_threshold_and_folds_alone_nothing_to_move(tmp_path: Path) -> None:
    """Whoever is compared is named all the same."""
    spec = tmp_path / "spec.toml"
    text = (
        '[[classifiers]]\nname = "A"\nconfusion = [[2, 1], [1, 1]]\n'
        '[[classifiers]]\nname = "B"\nfold_scores = { accuracy = [0.5, 0.6] }\n'
    )
    spec.write_text(HEAD + text, "utf-8")
    what_if = build_what_if(load_and_evaluate(spec))
    assert what_if is not None

    assert what_if.axes == ()
    assert [(classifier.name, classifier.counts) for classifier in what_if.classifiers] == [
        ("A", (2, 1, 1, 1)),
        ("B", None),
    ]
