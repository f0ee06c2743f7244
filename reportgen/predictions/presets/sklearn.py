"""Preset of scikit-learn: predictions under the names of its documentation."""

from __future__ import annotations

from reportgen.predictions.presets.preset import Preset

PRESET = Preset(
    name="sklearn",
    title="predictions of scikit-learn",
    description="truth `y_true`, prediction `y_pred`; scores, folds and ids by their usual names",
    columns={
        "truth": ("y_true", "y_test", "target", "y"),
        "prediction": ("y_pred", "y_hat", "yhat", "predicted", "prediction"),
        "id": ("id", "index", "sample_id", "sample", "case"),
        "fold": ("fold", "test_fold", "cv_fold", "split", "cv"),
        "score": (
            *("y_score", "y_scores", "y_proba", "y_prob", "proba", "prob", "score"),
            *("decision_function", "probability"),
        ),
    },
    probability_patterns=(
        *("proba_{class}", "y_proba_{class}", "prob_{class}", "y_prob_{class}", "y_score_{class}"),
        *("p_{class}", "predict_proba_{class}"),
    ),
    indexed_probability_patterns=(
        *("proba_{number}", "y_proba_{number}", "prob_{number}", "y_prob_{number}"),
        *("y_score_{number}", "p_{number}", "predict_proba_{number}"),
    ),
    is_recognised=lambda table: {"y_true", "y_pred"} <= set(table.names),
)
