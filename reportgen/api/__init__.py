"""The Python API: `import reportgen`."""

from reportgen.api.functions import build, evaluate, evaluate_spec
from reportgen.api.report import Report

__all__ = ["Report", "build", "evaluate", "evaluate_spec"]
