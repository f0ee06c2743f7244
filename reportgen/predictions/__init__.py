"""What was predicted: files, checked and joined by case, become tallies."""

from reportgen.predictions.inspection import ColumnDescription, FileDescription, describe_file
from reportgen.predictions.model import CaseAudit, Input, Predictions
from reportgen.predictions.reading import read_predictions

__all__ = [
    "CaseAudit",
    "ColumnDescription",
    "FileDescription",
    "Input",
    "Predictions",
    "describe_file",
    "read_predictions",
]
