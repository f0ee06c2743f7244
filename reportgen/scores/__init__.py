"""What came out: measures applied to tallies."""

from reportgen.scores.score import Score, State
from reportgen.scores.scores import SCORE_SCHEMA, Scores
from reportgen.scores.scoring import (
    score_counts,
    score_given_folds,
    score_probabilities,
    score_ranking,
    score_regression,
)

__all__ = [
    "SCORE_SCHEMA",
    "Score",
    "Scores",
    "State",
    "score_counts",
    "score_given_folds",
    "score_probabilities",
    "score_ranking",
    "score_regression",
]
