"""What stands below the figure of the first page claims no more than was tested."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.pipeline import load_and_evaluate
from reportgen.report.build import build_report
from reportgen.report.charts import DotPlot, ForestPlot
from reportgen.report.sections.summary import build_summary_figure
from tests.report.report_text import confusion, evaluated, read, sentences

SPECS = Path(__file__).parents[2] / "specs"
PRECISION = '[comparison]\nprimary = "precision"\n'
TASK = 'kind = "multiclass"'
GOOD, SILENT = confusion((90, 10), (10, 90)), confusion((0, 100), (0, 100))
WORSE = {f"w{at}": confusion((90, 10), (60 + at, 40 - at)) for at in range(4)}


def below(folder: Path, classifiers: dict[str, str], more: str = "", task: str = "") -> str:
    """Return what stands below the figure of the first page."""
    task_keys = {"task": task} if task else {}
    figure = build_summary_figure(evaluated(folder, classifiers, more=more, **task_keys))
    assert figure is not None
    return read(figure.description.parts).replace("\u202f", " ")


def accuracies(*values: float) -> str:
    """Return the key of an accuracy on each of several data sets."""
    listed = ", ".join(f"d{at} = {value}" for at, value in enumerate(values))
    return f"dataset_scores.accuracy = {{ {listed} }}"


def test_who_alone_has_a_value_is_not_called_better(tmp_path: Path) -> None:
    """B calls nothing positive and has no precision, so nothing was tested."""
    text = below(tmp_path, {"A": GOOD, "B": SILENT}, PRECISION)

    assert text == "A is the only one with a value; undefined: B."


def test_all_others_are_those_that_have_a_value(tmp_path: Path) -> None:
    """0.9 is shown to be better than 0.6 and less, four times; B has none."""
    classifiers = {"A": GOOD, **WORSE, "B": SILENT}
    evaluation = evaluated(tmp_path, classifiers, more=PRECISION)

    assert below(tmp_path, classifiers, PRECISION) == (
        "A has the best value, significantly better than all others with a value; undefined: B."
    )
    texts = sentences(build_report(evaluation))
    assert texts[0].endswith(", significantly above all others with a value.")
    assert texts[1].startswith("Precision undefined for B: ")


def test_all_others_are_all_where_all_have_a_value(tmp_path: Path) -> None:
    """The same without B."""
    text = below(tmp_path, {"A": GOOD, **WORSE}, PRECISION)

    assert text == "A has the best value, significantly better than all others."


def test_those_that_share_the_best_value_are_shown_together(tmp_path: Path) -> None:
    """A and C have the same counts and are better than the four others."""
    text = below(tmp_path, {"A": GOOD, "C": GOOD, **WORSE}, PRECISION)

    assert text == "A and C share the best value, significantly better than all others."


def test_equals_have_the_same_value_and_no_best(tmp_path: Path) -> None:
    """Five times the same counts."""
    text = below(tmp_path, dict.fromkeys("ABCDE", GOOD))

    assert text == "A, B, C and 2 others have the same value."


@pytest.mark.slow
@pytest.mark.parametrize(("count", "omitted"), [(11, 1), (12, 2)])
def test_rows_left_out_are_counted(tmp_path: Path, count: int, omitted: int) -> None:
    """Ten rows fit."""
    classifiers = {f"c{at}": confusion((90 - at, 10 + at), (10, 90)) for at in range(count)}

    assert below(tmp_path, classifiers).endswith(f"; {omitted} more not shown.")


def test_values_are_drawn_where_not_all_pairs_were_tested() -> None:
    """The matrices are of different cases: only Figures 4 and 5 have classes of the same size."""
    figure = build_summary_figure(load_and_evaluate(SPECS / "chance.toml"))

    assert figure is not None
    assert isinstance(figure.chart, DotPlot)
    assert read(figure.description.parts) == (
        "Figure 7 has the best value; not tested (hollow): Figure 4, Figure 6 and Figure 5."
    )


def test_pairs_with_the_baseline_are_all_there_are_to_test(tmp_path: Path) -> None:
    """B and C are not compared with each other, because nobody asked."""
    classifiers = {"A": GOOD, "B": WORSE["w0"], "C": WORSE["w1"]}
    figure = build_summary_figure(
        evaluated(tmp_path, classifiers, more='[comparison]\nbaseline = "A"\n')
    )

    assert figure is not None
    assert isinstance(figure.chart, ForestPlot)


def test_a_count_of_data_sets_is_no_claim(tmp_path: Path) -> None:
    """A has the higher value on 4 of 6, which no test shows to be more than chance."""
    classifiers = {
        "A": accuracies(0.9, 0.8, 0.7, 0.6, 0.5, 0.4),
        "B": accuracies(0.8, 0.7, 0.6, 0.55, 0.6, 0.5),
    }

    assert (
        below(tmp_path, classifiers, task=TASK) == "A has the higher accuracy on 4 of 6 data sets."
    )


def test_of_many_data_sets_those_at_both_ends_are_drawn(tmp_path: Path) -> None:
    """A is ahead by 0.01 to 0.12: also the five nearest are drawn, so not the farthest apart."""
    classifiers = {
        "A": accuracies(*(0.8 + at / 100 for at in range(1, 13))),
        "B": accuracies(*[0.8] * 12),
    }

    assert below(tmp_path, classifiers, task=TASK) == (
        "A has the higher accuracy on 12 of 12 data sets (5 best and 5 worst data sets shown)."
    )


def test_a_value_that_is_missing_is_not_taken_for_zero(tmp_path: Path) -> None:
    """A data set that is compared has a value for everybody; if not, something is broken."""
    evaluation = evaluated(
        tmp_path, {"A": accuracies(0.9, 0.8), "B": accuracies(0.8, 0.7)}, task=TASK
    )
    compared = evaluation.datasets[0]
    none = replace(compared.values[0], value=MeasureValue(None, ValueState.UNDEFINED, "none"))
    broken = replace(compared, values=(none, *compared.values[1:]))

    with pytest.raises(KeyError):
        build_summary_figure(replace(evaluation, datasets=(broken,)))


def test_equal_average_ranks_are_shared(tmp_path: Path) -> None:
    """A and B take turns in being first, C is always third."""
    classifiers = {
        "A": accuracies(*[0.9, 0.8] * 4),
        "B": accuracies(*[0.8, 0.9] * 4),
        "C": accuracies(*[0.5, 0.5] * 4),
    }

    assert below(tmp_path, classifiers, task=TASK).startswith(
        "A and B share the best mean rank, 1.50"
    )


def test_the_caption_speaks_of_per_cent_as_the_finding_does(tmp_path: Path) -> None:
    """180 of 200 cases."""
    assert "; accuracy 90.0% (" in below(tmp_path, {"A": GOOD})


def test_a_primary_measure_without_values_has_no_figure(tmp_path: Path) -> None:
    """Both predict one class only, so the MCC of neither is defined: no empty axis is drawn."""
    never = {name: confusion((0, 10), (0, 20)) for name in ("A", "B", "C", "D", "E", "F", "G")}
    more = '[comparison]\nprimary = "mcc"\n'

    assert build_summary_figure(evaluated(tmp_path, never, more=more)) is None
