"""Which measures the data allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.pipeline import load_and_evaluate
from reportgen.report.sections.data_sources import score_type_paragraphs
from tests.predictions.spec_folder import ROWS, write

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation

RANKING = {"roc_auc", "average_precision", "pr_auc"}
PROBABILITY = {"brier", "log_loss", "ece", "information_score", "relative_information_score"}


def evaluated(folder: Path, rows: str, data: str, rest: str = "") -> Evaluation:
    """Evaluate a binary classifier."""
    (keys,) = write(folder, A=rows).values()
    spec = folder / "spec.toml"
    spec.write_text(
        f'[task]\nkind = "binary"\npositive = "yes"\n[data]\nid = "case"\n{data}\n'
        f'[[classifiers]]\nname = "A"\n{keys}\n{rest}',
        encoding="utf-8",
    )
    return load_and_evaluate(spec)


@pytest.mark.parametrize(
    ("rows", "data", "added"),
    [
        (ROWS, 'score = "score"', RANKING | PROBABILITY),
        (ROWS, 'score = "score"\nscore_kind = "ranking"', RANKING),
        (ROWS.replace("0.9", "2.5"), 'score = "score"', RANKING),
        (ROWS, "", set()),
    ],
)
def test_measures_of_scores_are_shown_where_the_data_have_them(
    tmp_path: Path, rows: str, data: str, added: set[str]
) -> None:
    """A spec that names no measures gets all that are possible."""
    evaluation = evaluated(tmp_path, rows, data)
    names = {measure.name for measure in evaluation.reported_measures}

    assert names & (RANKING | PROBABILITY) == added
    assert {name for _, _, _, name in evaluation.by_key} & (RANKING | PROBABILITY) == added


def test_a_measure_asked_for_by_name_is_not_left_out_silently(tmp_path: Path) -> None:
    """The scores turn out not to be probabilities."""
    evaluation = evaluated(
        tmp_path,
        ROWS.replace("0.9", "2.5"),
        'score = "score"',
        '[measures]\nshow = ["accuracy", "brier_score"]',
    )

    assert [measure.name for measure in evaluation.reported_measures] == ["accuracy"]
    assert "`brier` is left out: no classifier's scores are probabilities" in evaluation.warnings


@pytest.mark.parametrize(
    ("rows", "data", "description"),
    [
        (ROWS, 'score = "score"', "are read as probabilities of yes"),
        (ROWS.replace("0.9", "2.5"), 'score = "score"', "they are used for ranking only"),
        (ROWS, 'score = "score"\nscore_kind = "ranking"', ": ranking scores. "),
        (ROWS, 'score = "score"\nscore_kind = "probability"', ": probabilities. "),
    ],
)
def test_the_report_says_how_scores_were_read(
    tmp_path: Path, rows: str, data: str, description: str
) -> None:
    """Whether the spec says so or the values do."""
    (paragraph,) = score_type_paragraphs(evaluated(tmp_path, rows, data))

    assert description in "".join(part for part in paragraph.parts if isinstance(part, str))


def test_without_scores_nothing_is_stated_of_them(tmp_path: Path) -> None:
    """No empty paragraph."""
    assert score_type_paragraphs(evaluated(tmp_path, ROWS, "")) == ()
