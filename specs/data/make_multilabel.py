"""Predict the topics of documents with two models: writes topics.csv.

Documents are simulated as scikit-learn's `make_multilabel_classification` does it: a document has
some topics, and its words are drawn from the words of its topics. Half of them train the models.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

TOPICS = ("politics", "economy", "science", "sports", "culture")
DOCUMENTS, SEED = 800, 11


def join_topics(has_topic: np.ndarray) -> list[str]:
    """Return the topics of every document as text."""
    return ["|".join(np.array(TOPICS)[row.astype(bool)]) for row in has_topic]


def main() -> None:
    """Write the true and predicted topics of 400 documents, with probabilities of one model."""
    words, topics = make_multilabel_classification(
        DOCUMENTS, n_features=30, n_classes=len(TOPICS), n_labels=2, length=60, random_state=SEED
    )
    train, test = slice(0, DOCUMENTS // 2), slice(DOCUMENTS // 2, None)
    logistic = MultiOutputClassifier(LogisticRegression(C=0.05, max_iter=2000))
    logistic.fit(words[train], topics[train])
    forest = RandomForestClassifier(150, min_samples_leaf=3, random_state=SEED)
    forest.fit(words[train], topics[train])
    probability = np.column_stack([p[:, 1] for p in logistic.predict_proba(words[test])])
    columns: dict[str, object] = {
        "document": [f"d{number}" for number in range(1, DOCUMENTS // 2 + 1)],
        "topics": join_topics(topics[test]),
        "logistic": join_topics(logistic.predict(words[test])),
        "forest": join_topics(forest.predict(words[test])),
    }
    columns |= {f"p {topic}": probability[:, at].round(4) for at, topic in enumerate(TOPICS)}
    pl.DataFrame(columns).write_csv(Path(__file__).with_name("topics.csv"))


if __name__ == "__main__":
    main()
