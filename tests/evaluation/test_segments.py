"""Segments: values per subgroup, gaps to the other cases, comparisons within a segment."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from reportgen.evaluation.comparison import Decision
from reportgen.export.results import results_json
from reportgen.pipeline import load_and_evaluate

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation

SPEC = """\
[task]
kind = "binary"
positive = "yes"
[[classifiers]]
name = "A"
predictions = "table.csv"
prediction = "A"
score = "score"
[[classifiers]]
name = "B"
predictions = "table.csv"
prediction = "B"
score = "score"
"""


def evaluate(folder: Path, segments: str, hits: dict[str, tuple[float, int]]) -> Evaluation:
    """Evaluate two equal classifiers on sites; `hits` has accuracy and cases of each site."""
    draw = random.Random(3)  # noqa: S311  # not for secrets
    rows = ["truth,A,B,score,site,everywhere"]
    for site, (accuracy, cases) in hits.items():
        for _ in range(cases):
            truth = draw.choice(["yes", "no"])
            wrong = "no" if truth == "yes" else "yes"
            answers = (truth if draw.random() < accuracy else wrong for _ in "AB")
            rows.append(",".join([truth, *answers, f"{draw.random():.4f}", site, "all"]))
    (folder / "table.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    spec = folder / "spec.toml"
    spec.write_text(SPEC + segments, encoding="utf-8")
    return load_and_evaluate(spec)


SITES = {"north": (0.9, 150), "south": (0.55, 150), "west": (0.9, 150), "tiny": (0.5, 12)}
BY_SITE = '[[segments]]\ncolumn = "site"\n'


@pytest.fixture(scope="module")
def by_site(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    """Return the evaluation of four sites, one of them harder and one too small."""
    return evaluate(tmp_path_factory.mktemp("segments"), BY_SITE, SITES)


TASKS = {
    "binary": (
        'kind = "binary"\npositive = "yes"',
        ("yes", "no"),
        (
            *("accuracy", "sensitivity", "precision", "f1", "mcc", "lr_positive", "roc_auc"),
            *("average_precision", "brier", "ece", "net_benefit@0.3", "ks"),
        ),
    ),
    "multiclass": ('kind = "multiclass"', ("a", "b", "c"), ("accuracy", "kappa", "mcc")),
    "regression": ('kind = "regression"', (), ("rmse", "mae", "r2", "pearson")),
}
DESIGNS = {"": "", "clusters": '[data]\ncluster = "grp"\n', "weights": '[data]\nweight = "w"\n'}


def evaluate_one_segment(folder: Path, task: str, design: str, seed: int) -> dict[str, Any]:
    """Return results.json of two classifiers with one segment that has all cases."""
    draw = random.Random(seed)  # noqa: S311  # not for secrets
    kind, classes, measures = TASKS[task]
    rows = ["truth,A,B,score_A,score_B,grp,w,everywhere"]
    for case in range(90):
        truth = draw.gauss(0, 1)
        answers = [f"{truth:.4f}", *(f"{truth + draw.gauss(0, 1):.4f}" for _ in "AB")]
        scores = (f"{draw.random():.3f}" for _ in "AB")
        if classes:
            label = draw.choice(classes)
            answers = [label, *(draw.choice([label, label, *classes]) for _ in "AB")]
        keys = (f"c{case // 3}", draw.choice("124"), "all")
        rows.append(",".join([*answers, *scores, *keys]))
    (folder / "table.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    classifiers = "".join(
        f'[[classifiers]]\nname = "{name}"\npredictions = "table.csv"\nprediction = "{name}"\n'
        + (f'score = "score_{name}"\n' if task == "binary" else "")
        for name in "AB"
    )
    text = ", ".join(f'"{measure}"' for measure in measures)
    spec = folder / "spec.toml"
    spec.write_text(
        f"[task]\n{kind}\n{DESIGNS[design]}[measures]\nshow = [{text}]\n"
        f'[[segments]]\ncolumn = "everywhere"\n{classifiers}',
        encoding="utf-8",
    )
    results: dict[str, Any] = json.loads(results_json(load_and_evaluate(spec)))
    return results


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("seed", [1, 2])
def test_one_segment_of_all_cases_equals_the_overall_result(
    tmp_path: Path, task: str, design: str, seed: int
) -> None:
    """Values, intervals and comparisons of the segment are those of all cases, digit by digit."""
    results = evaluate_one_segment(tmp_path, task, design, seed)

    def keyed(rows: list[dict[str, Any]], segment: str | None) -> dict[tuple[object, ...], Any]:
        """Return rows without their place in a family, which segments have of their own."""
        names = ("classifier", "first", "second", "class", "average", "measure", "test", "data")
        own = {
            *("segment", "segment_column", "family", "p_adjusted", "low_adjusted"),
            *("high_adjusted", "verdict", "required_cases", "required_clusters"),
        }
        return {
            tuple(row.get(name) for name in names): {
                name: cell for name, cell in row.items() if name not in own
            }
            for row in rows
            if row["segment"] == segment and row["class"] is None
        }

    overall, inside = keyed(results["values"], None), keyed(results["values"], "all")
    assert len(inside) >= len(TASKS[task][2])
    assert inside == {key: overall[key] for key in inside}

    tests = keyed(results["comparisons"], None)
    within = keyed(results["comparisons"], "all")
    assert len({key[5] for key in within}) == len(TASKS[task][2])
    assert within == {key: tests[key] for key in within}


def test_values_of_a_segment_are_those_of_its_cases(by_site: Evaluation, tmp_path: Path) -> None:
    """A file with the cases of one site alone gives the same values and intervals."""
    alone = evaluate(tmp_path, "", {"north": SITES["north"]})
    (north,) = (part for part in by_site.segments if part.segment == "north")

    key = "A", None, None, "accuracy"

    assert north.by_key[key] == alone.by_key[key]
    assert north.cases == 150


def test_the_worst_segment_is_named_only_if_significantly_worse(by_site: Evaluation) -> None:
    """South is; the tiny site has a lower value, and too few cases to be tested."""
    assert {(row.first, row.segment) for row in by_site.worst_segments} == {
        ("A", "south"),
        ("B", "south"),
    }
    tiny = [row for row in by_site.segment_comparisons if row.segment == "tiny"]
    assert tiny
    assert all(row.p is None and row.verdict is Decision.NOT_TESTED for row in tiny)
    assert all("fewer cases" in (row.note or "") for row in tiny)


def test_segment_tests_are_in_the_family_of_details(by_site: Evaluation) -> None:
    """They share the error rate of the report, and none is among the overall comparisons."""
    tested = [row for row in by_site.segment_comparisons if row.p is not None]

    assert {row.contrast for row in tested} == {"classifiers", "other cases"}
    assert {row.family for row in tested} == {"details"}
    assert {row.measure for row in tested} == {"accuracy"}
    assert all(row.p_adjusted is not None and row.p_adjusted >= (row.p or 0) for row in tested)
    assert all(row.segment is None for row in by_site.comparisons)


def test_the_gap_of_independent_proportions_is_newcombes(by_site: Evaluation) -> None:
    """Method 10 of Newcombe (1998), as statsmodels has it."""
    from statsmodels.stats.proportion import confint_proportions_2indep

    (gap,) = (
        row
        for row in by_site.segment_comparisons
        if (row.first, row.segment, row.contrast) == ("A", "south", "other cases")
    )
    (south,) = (part for part in by_site.segments if part.segment == "south")
    key = "A", None, None, "accuracy"
    inside, outside = south.by_key[key], south.of_others[key]
    assert inside.value is not None
    assert outside.value is not None

    low, high = confint_proportions_2indep(
        round(inside.value * 150), 150, round(outside.value * 312), 312, method="newcomb"
    )

    assert (gap.low, gap.high) == pytest.approx((low, high))


def test_two_segments_have_one_test(tmp_path: Path) -> None:
    """Each is the other's other cases, so that both have the same p-values."""
    values = evaluate(tmp_path, BY_SITE, {"north": (0.9, 100), "south": (0.7, 100)})
    gaps = {
        (row.first, row.segment): row
        for row in values.segment_comparisons
        if row.contrast == "other cases"
    }

    north, south = gaps["A", "north"], gaps["A", "south"]

    assert north.p == south.p
    assert north.p_adjusted == south.p_adjusted
    assert north.difference == pytest.approx(-(south.difference or 0))
    assert north.verdict is south.verdict.reversed


def test_segments_are_ordered_by_difficulty(by_site: Evaluation) -> None:
    """The hardest comes first."""
    from reportgen.measures import get_measure

    ordered = by_site.segments_hardest_first("site", get_measure("accuracy"), None)

    assert [part.segment for part in ordered][:2] == ["tiny", "south"]
