"""What was predicted: files, checked and joined by case, become tallies."""

from reportgen.predictions.example_spec import example_spec
from reportgen.predictions.first_spec import spec_for_files
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
    "example_spec",
    "read_predictions",
    "spec_for_files",
]
