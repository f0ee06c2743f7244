"""Reports from Python: what `import reportgen` offers."""

from reportgen.python.evaluating import build, evaluate, evaluate_spec
from reportgen.python.report import Report

__all__ = ["Report", "build", "evaluate", "evaluate_spec"]
