"""How scores were read, in few words for many classifiers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from reportgen.pipeline import load_and_evaluate
from reportgen.predictions.scores import ScoreType
from reportgen.report.sections.data_sources import score_type_paragraphs
from tests.report.report_text import read

SPEC = Path(__file__).parents[2] / "specs" / "gates.toml"


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
