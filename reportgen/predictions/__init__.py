"""What was predicted: files, checked and joined by case, become tallies."""

from reportgen.predictions.datasets import read_predictions
from reportgen.predictions.given import GivenFrame
from reportgen.predictions.model import CaseAudit, Input, Predictions

__all__ = [
    "CaseAudit",
    "GivenFrame",
    "Input",
    "Predictions",
    "read_predictions",
]
