"""What is suggested for a word or a file that does not exist."""

from __future__ import annotations

import pytest

from reportgen.errors import closest_match, did_you_mean_file


@pytest.mark.parametrize(
    ("word", "candidates", "expected"),
    [
        ("acc", ["macro", "accuracy"], "accuracy"),
        ("pos", ["positive", "pos_label_of_all"], "positive"),
        ("pfd", ["html", "pdf", "json"], "pdf"),
        ("ac", ["accuracy"], None),
        ("Accuracy", ["accuracy"], "accuracy"),
        ("zebra", ["accuracy"], None),
        ("tuth", ["truth", "fold"], "truth"),
        ("sensitivty", ["specificity", "sensitivity"], "sensitivity"),
        # Alike to the eye of a program only.
        ("path", ["repeat"], None),
        ("column", ["count"], None),
        ("class", ["cases"], None),
        ("spearman", ["pearson"], None),
        ("mse", ["rmse"], None),
    ],
)
def test_a_beginning_wins_and_else_the_closest(
    word: str, candidates: list[str], expected: str | None
) -> None:
    """Three letters are enough for a beginning; two could be anything."""
    assert closest_match(word, candidates) == expected


@pytest.mark.parametrize(
    ("path", "candidates", "expected"),
    [
        ("nosuch.toml", ["pos.toml"], None),
        ("chrun.toml", ["churn.toml"], "did you mean `churn.toml`?"),
        ("data/svm.csv", ["data/nb.csv", "data/svm.parquet"], "did you mean `data/svm.parquet`?"),
        ("swm.csv", ["svn.parquet", "svm.csv.gz"], None),
        ("predictons.csv", ["predictions.parquet", "predictions.csv"], "`predictions.csv`"),
    ],
)
def test_files_are_compared_by_their_stems(
    path: str, candidates: list[str], expected: str | None
) -> None:
    """A common ending says nothing."""
    suggestion = did_you_mean_file(path, candidates)

    assert (suggestion is None) if expected is None else (expected in (suggestion or ""))
