"""What is said: sections and plain sentences built from the evidence."""

from reportgen.report.building import build_report
from reportgen.report.document import Report
from reportgen.report.evaluation import Evaluation

__all__ = ["Evaluation", "Report", "build_report"]
