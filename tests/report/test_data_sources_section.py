"""How scores were read, in few words for many classifiers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from reportgen.pipeline import load_and_evaluate
from reportgen.predictions.scores import ScoreType
from reportgen.render.plain_text import cell_text
from reportgen.report.build import build_report
from reportgen.report.document import Table
from reportgen.report.sections.data_sources import score_type_paragraphs
from tests.report.report_text import evaluated, heads, read, rows, section, table

SPECS = Path(__file__).parents[2] / "specs"
SPEC = SPECS / "gates.toml"


def test_scores_of_many_classifiers_are_read_in_one_sentence() -> None:
    """Thirty columns read alike are not listed; one column is named."""
    evaluation = load_and_evaluate(SPEC)

    def section_text(columns: list[str]) -> str:
        types = tuple(
            ScoreType(f"C{at}", column, "ranking", declared=True)
            for at, column in enumerate(columns)
        )
        aggregates = replace(evaluation.aggregates, score_types=types)
        (paragraph,) = score_type_paragraphs(replace(evaluation, aggregates=aggregates))
        return read(paragraph.parts)

    assert section_text([f"p{at}" for at in range(30)]) == (
        "Scores of C0, C1, C2 and 27 others: ranking scores. "
    )
    assert section_text(["p", "p"]) == "Scores of C0 and C1 in p: ranking scores. "


def test_the_only_file_is_a_row_of_the_data_card() -> None:
    """A table of one row takes the room of four; several files have their table."""
    report = build_report(load_and_evaluate(SPECS / "patients.toml"))
    names = [block.name for block in section(report, "inputs").blocks if isinstance(block, Table)]
    card = rows(table(report, "data-card"))

    assert "inputs" not in names
    assert card["Input file"][0].startswith("data/patients.csv, 237 rows, SHA-256 ")
    assert card["Classes"] == ["tumour: 99, none: 138"]


def test_columns_without_a_value_are_left_out() -> None:
    """Clusters without weights."""
    report = build_report(load_and_evaluate(SPECS / "patients.toml"))
    design = table(report, "design")

    assert design.caption == "Clusters"
    assert "Effective cases of weights" not in heads(design)
    assert heads(design)[-1] == "Effective cases"


def test_many_files_of_a_classifier_take_one_row(tmp_path: Path) -> None:
    """Four files of five cases each, with the rows of all; two files are listed."""
    for name, n_files in (("A", 4), ("B", 2)):
        for number in range(n_files):
            ids = range(20 // n_files * number, 20 // n_files * (number + 1))
            lines = ["id,truth,prediction", *(f"{at},{'ab'[at % 2]},a" for at in ids), ""]
            (tmp_path / f"{name}{number}.csv").write_text("\n".join(lines), encoding="utf-8")
    first = 'predictions = ["A0.csv", "A1.csv", "A2.csv", "A3.csv"]'
    second = 'predictions = ["B0.csv", "B1.csv"]'
    task = 'kind = "multiclass"\nclasses = ["a", "b"]'
    evaluation = evaluated(tmp_path, {"A": first, "B": second}, task, '[data]\nid = "id"\n')
    files = table(build_report(evaluation), "inputs")
    cells = [[cell_text(cell) for cell in row] for group in files.groups for row in group.rows]

    assert [row[:3] for row in cells] == [
        ["A", "A0.csv to A3.csv", "20"],
        ["B", "B0.csv", "10"],
        ["B", "B1.csv", "10"],
    ]
    assert cells[0][3] == "4 files: manifest.json"
