"""Capability tables: the paper's words for two classifiers, rank sets for more, marks by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.measures import CAPABILITIES
from reportgen.report.build import build_report
from reportgen.report.document import Details, Table
from reportgen.report.inline import CapabilityName, CellGroup, RankRange, Tone, VerdictBadge
from tests.report.report_text import (
    MULTICLASS,
    confusion,
    evaluated,
    heads,
    note_of,
    notes,
    rows,
    section,
    sentences,
    table,
)

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.report.inline import TableCell

GOOD = confusion((190, 5, 5), (5, 190, 5), (5, 5, 190))
POOR = confusion((100, 50, 50), (50, 100, 50), (50, 50, 100))
ONLY_RATINGS = '[[sections]]\nkind = "capabilities"\n[[sections]]\nkind = "verdicts"\n'


def items(cell: TableCell) -> tuple[object, ...]:
    """Return the elements of a cell."""
    assert isinstance(cell, CellGroup)
    return cell.items


def test_two_classifiers_are_rated_in_the_words_of_the_paper(tmp_path: Path) -> None:
    """One table with both groups of measures; the better one first whatever the spec's order."""
    matrices = {"Poor": confusion((60, 40), (40, 60)), "Good": confusion((970, 30), (30, 970))}

    result = table(build_report(evaluated(tmp_path, matrices)), "capabilities")

    assert [column.group_heads for column in result.columns] == [
        (),
        *[("Traditional measures (Table 4)",)] * 3,
        *[("Discriminant measures (Table 6)",)] * 3,
    ]
    assert "Sokolova, Japkowicz and Szpakowicz (2006)" in str(result.caption)
    assert rows(result) == {
        "Good": [
            "superior",
            "superior on both classes",
            "superior on both classes",
            "superior",
            "superior overall",
            "good",
        ],
        "Poor": [
            "inferior",
            "inferior on both classes",
            "inferior on both classes",
            "inferior",
            "inferior overall",
            "poor",
        ],
    }
    assert all(
        isinstance(cell, VerdictBadge) and cell.significant
        for row in result.groups[0].rows
        for cell in row[1:]
    )


def test_every_capability_has_its_plain_question(tmp_path: Path) -> None:
    """Under the head, also where a head spans two measures."""
    matrices = {"A": confusion((45, 5), (5, 45)), "B": confusion((30, 20), (20, 30))}
    report = build_report(evaluated(tmp_path, matrices, more='[output]\ndetail = "full"\n'))

    compact = [column.head for column in table(report, "capabilities").columns[1:]]
    spans = [column.group_heads[1] for column in table(report, "capability-ranks").columns[1:]]
    expected = [CapabilityName(capability) for capability in CAPABILITIES.values()]
    assert compact == expected
    assert list(dict.fromkeys(spans)) == expected
    assert CAPABILITIES["predictive_power"].question == "Can I trust its answer?"
    assert all(capability.question.endswith("?") for capability in CAPABILITIES.values())


def test_a_confirmed_side_is_not_hidden_by_the_other(tmp_path: Path) -> None:
    """A finds far more positives and hardly more negatives: two badges instead of one."""
    matrices = {"A": confusion((190, 10), (20, 180)), "B": confusion((100, 100), (22, 178))}
    evaluation = evaluated(tmp_path, matrices)

    row = table(build_report(evaluation), "capabilities").groups[0].rows[0]

    at = list(CAPABILITIES).index("class_effectiveness") + 1
    badges = items(row[at])
    assert [
        (badge.text, badge.significant) for badge in badges if isinstance(badge, VerdictBadge)
    ] == [
        ("superior on positives", True),
        ("superior on negatives", False),
    ]


def test_a_tie_has_its_rank(tmp_path: Path) -> None:
    """Of two equal classifiers both are tied at rank 1."""
    same = confusion((45, 5), (5, 45))

    result = rows(table(build_report(evaluated(tmp_path, {"A": same, "B": same})), "capabilities"))

    assert {text for row in result.values() for text in row[:5]} == {"tied at rank 1"}


def test_of_three_superior_and_inferior_need_a_single_rank(tmp_path: Path) -> None:
    """Two alike beat the third: ranks 1 to 2 are open, and only the third is inferior."""
    matrices = {
        "Poor": confusion((100, 100), (100, 100)),
        "Good": confusion((190, 10), (10, 190)),
        "Alike": confusion((189, 11), (11, 189)),
    }
    evaluation = evaluated(tmp_path, matrices)

    result = table(build_report(evaluation), "capabilities").groups[0].rows

    assert [row[0] for row in result] == ["Good", "Alike", "Poor"]
    cells = {row.classifier: row.cells["overall_effectiveness"] for row in evaluation.capabilities}
    for name, overall, *_ in result:
        (line,) = items(overall)
        cell = cells[str(name)]
        if name == "Poor":
            assert line == VerdictBadge("inferior", Tone.BAD, significant=True)
            assert (cell.rank_low, cell.rank_high) == (3, 3)
        else:
            assert isinstance(line, RankRange)
            assert (line.low, line.high, line.text) == (1, 2, "rank 1–2")
            assert (line.rank, line.low, line.high) == (cell.rank, cell.rank_low, cell.rank_high)
            assert line.alternative_text.startswith(f"observed rank {cell.rank} of 3")


def test_the_full_table_has_each_value_with_its_ranks(tmp_path: Path) -> None:
    """Four classifiers: nine measures, of which two sides are judged separately."""
    matrices = {
        name: confusion((100 + 30 * at, 100 - 30 * at), (60 - 10 * at, 140 + 10 * at))
        for at, name in enumerate("ABCD")
    }
    evaluation = evaluated(tmp_path, matrices)
    report = build_report(evaluation)

    result = table(report, "capability-ranks")

    folded = section(report, "verdicts").blocks[0]
    assert isinstance(folded, Details)
    assert folded.blocks == (result,)
    assert heads(result)[1:] == [
        "Accuracy",
        "Precision (on +)",
        "NPV (on −)",
        "Sensitivity (on +)",
        "Specificity (on −)",
        "Youden's J",
        "LR+ (on +)",
        "LR− (on −)",
        "DP",
    ]
    assert [row[0] for row in result.groups[0].rows] == ["D", "C", "B", "A"]
    rated = {
        row.classifier: row.cells["predictive_power"].positive for row in evaluation.capabilities
    }
    for name, _, precision, *_ in result.groups[0].rows:
        side = rated[str(name)]
        assert isinstance(precision, RankRange)
        assert precision.estimate is not None
        assert side is not None
        assert precision.estimate.value.number == side.value
        assert (precision.rank, precision.low, precision.high) == (
            side.rank,
            side.rank_low,
            side.rank_high,
        )


def test_discriminant_power_has_the_grades_that_its_interval_covers(tmp_path: Path) -> None:
    """The best grade is the leftmost; the dot is at the observed one."""
    matrices = {name: confusion((80 + at, 20 - at), (15, 85)) for at, name in enumerate("ABCD")}
    evaluation = evaluated(tmp_path, matrices)
    cells = {
        row.classifier: row.cells["discrimination_of_classes"] for row in evaluation.capabilities
    }
    grades = ("good", "fair", "limited", "poor")

    result = table(build_report(evaluation), "capability-ranks")

    for row in result.groups[0].rows:
        cell, sample = cells[str(row[0])], row[-1]
        assert isinstance(sample, RankRange)
        assert cell.grade_low is not None
        assert cell.grade_high is not None
        assert (sample.rank, sample.low, sample.high) == tuple(
            grades.index(grade) + 1 for grade in (cell.verdict, cell.grade_high, cell.grade_low)
        )
        words = dict.fromkeys((cell.grade_low, cell.grade_high))
        assert sample.text == "–".join(words)


def test_an_undefined_side_leaves_the_other_its_rank(tmp_path: Path) -> None:
    """Who never says yes has no precision, but a negative predictive value like all others."""
    matrices = {
        "A": confusion((90, 10), (10, 90)),
        "B": confusion((80, 20), (10, 90)),
        "C": confusion((70, 30), (20, 80)),
        "Never": confusion((0, 100), (0, 100)),
    }
    result = table(build_report(evaluated(tmp_path, matrices)), "capability-ranks")
    never = next(row for row in result.groups[0].rows if row[0] == "Never")

    precision, npv = never[2:4]
    assert isinstance(precision, RankRange)
    assert (precision.rank, precision.text) == (None, "")
    assert precision.estimate is not None
    assert precision.estimate.value.reason
    assert isinstance(npv, RankRange)
    assert (npv.rank, npv.of, npv.text) == (4, 4, "inferior")
    assert rows(result)["Never"][1] == "undef."


@pytest.mark.slow
def test_of_thirteen_classifiers_the_first_page_has_eight_and_a_pointer(tmp_path: Path) -> None:
    """All thirteen are in the section that it points to; twelve fit the first page."""
    matrices = {
        f"M{at:02}": confusion((100 - 3 * at, 3 * at), (10 + at, 90 - at)) for at in range(13)
    }
    more = build_report(evaluated(tmp_path, matrices, more=ONLY_RATINGS))
    del matrices["M12"]
    twelve = build_report(evaluated(tmp_path, matrices, more=ONLY_RATINGS))

    assert list(rows(table(more, "capabilities"))) == [f"M{at:02}" for at in range(8)]
    assert "The best 8 of 13 classifiers" in note_of(table(more, "capabilities"))
    assert "“Capabilities of all classifiers”" in note_of(table(more, "capabilities"))
    assert len(rows(table(more, "capability-ranks"))) == 13
    assert len(rows(table(twelve, "capabilities"))) == 12
    texts = {text for row in rows(table(more, "capability-ranks")).values() for text in row}
    assert not any("rank 1–" in text for text in texts)


def test_classes_are_rows_with_the_hardest_first_and_all_classes_before(tmp_path: Path) -> None:
    """Class c is recognised least; a mark per classifier, filled where one rank is left."""
    matrices = {
        "Good": confusion((195, 3, 2), (10, 185, 5), (20, 20, 160)),
        "Poor": confusion((120, 40, 40), (50, 100, 50), (60, 60, 80)),
    }
    report = build_report(evaluated(tmp_path, matrices, MULTICLASS))

    result = table(report, "capabilities-by-class")

    assert list(rows(result)) == ["All", "c", "b", "a"]
    assert [row[0] for row in result.groups[0].rows] == ["All"]
    (overall,) = (row[2] for row in result.groups[0].rows)
    assert items(overall) == (
        VerdictBadge(
            "▲", Tone.GOOD, significant=True, alternative_text="Good: superior, confirmed"
        ),
        VerdictBadge("▼", Tone.BAD, significant=True, alternative_text="Poor: inferior, confirmed"),
    )
    assert rows(result)["c"][0] == "80 40"
    assert "G Good, P Poor" in note_of(result)
    words = rows(table(report, "capabilities"))
    assert words["Good"][:2] == ["superior", "superior on both classes"]


def test_a_sensitivity_below_1_is_not_printed_as_100_percent(tmp_path: Path) -> None:
    """999 of 1000 are more than 99 %, 1 of 1000 less than 1 %; 1000 of 1000 are 100 %."""
    matrices = {
        "A": confusion((999, 1, 0), (0, 1000, 0), (5, 5, 990)),
        "B": confusion((1, 999, 0), (0, 900, 100), (0, 100, 900)),
    }
    report = build_report(evaluated(tmp_path, matrices, MULTICLASS, ONLY_RATINGS))

    result = rows(table(report, "capabilities-by-class"))

    assert {class_: result[class_][0] for class_ in "abc"} == {
        "a": ">99 <1",
        "b": "100 90",
        "c": "99 90",
    }


def test_of_many_classes_the_hardest_are_shown_and_names_stay_unique(tmp_path: Path) -> None:
    """Of 61 classes thirty: the others are in results.json, which the report says."""
    classes = [f"k{at:02}" for at in range(61)]
    task = f'kind = "multiclass"\nclasses = {classes}'
    diagonal = [
        [20 - at % 7 if at == to else (at % 7 if to == (at + 1) % 61 else 0) for to in range(61)]
        for at in range(61)
    ]
    worse = [
        [10 if at == to else (10 if to == (at + 1) % 61 else 0) for to in range(61)]
        for at in range(61)
    ]
    matrices = {
        "A": confusion(*map(tuple, diagonal)),
        "B": confusion(*map(tuple, worse)),
    }
    report = build_report(evaluated(tmp_path, matrices, task, ONLY_RATINGS))

    names = [
        block.name for part in report.sections for block in part.blocks if isinstance(block, Table)
    ]
    assert len(names) == len(set(names))
    result = rows(table(report, "capabilities-by-class"))
    assert len(result) == 1 + 30
    assert list(result)[1] == "k06"
    assert "The 30 hardest of 61 classes" in note_of(table(report, "capabilities-by-class"))


def test_marks_of_more_than_four_classifiers_are_those_of_the_best(tmp_path: Path) -> None:
    """A row has room for four; the note says where the others are."""
    matrices = {
        name: confusion((100 - at, at, 0), (0, 100 - at, at), (at, 0, 100 - at))
        for at, name in ((30, "A"), (20, "B"), (10, "C"), (40, "D"), (5, "E"))
    }
    report = build_report(evaluated(tmp_path, matrices, MULTICLASS, ONLY_RATINGS))

    result = table(report, "capabilities-by-class")

    assert heads(result)[1] == "E C B A"
    assert "(the best 4 of 5; all in results.json)" in note_of(result)


def test_the_error_rate_is_stated_of_differences_and_not_of_grades(tmp_path: Path) -> None:
    """A grade of discriminant power rests on an interval that is adjusted for nothing."""
    matrices = {"A": confusion((450, 50), (50, 450)), "B": confusion((300, 200), (200, 300))}
    report = build_report(evaluated(tmp_path, matrices))

    (multiplicity,) = notes(report, "findings")
    assert "comparisons significant; family-wise error rate" in multiplicity
    method = " ".join(sentences(report, "method"))
    assert "is confirmed if its CI (unadjusted) lies within the grade" in method


def test_initials_that_are_too_wide_for_a_mark_are_replaced_by_letters(tmp_path: Path) -> None:
    """Three initials would touch the next ones."""
    matrix = confusion((20, 2, 1), (3, 18, 2), (1, 2, 16))
    for names, labels in ((("Model A b", "Model B"), "AB"), (("Naive Bayes", "Tree"), ("NB", "T"))):
        report = build_report(evaluated(tmp_path, dict.fromkeys(names, matrix), MULTICLASS))

        note = note_of(table(report, "capabilities-by-class"))

        expected = ", ".join(f"{label} {name}" for label, name in zip(labels, names, strict=True))
        assert f"A mark per classifier: {expected}." in note
