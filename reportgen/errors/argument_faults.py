"""Faults of a call from Python: E6xx."""

from reportgen.errors.fault import FaultKind

ARGUMENT_UNUSABLE = FaultKind(
    "E600",
    "an argument cannot be used",
    "`reportgen.evaluate` was called with something it cannot take: no predictions at all, the name"
    " of a classifier that has none, a table where one column is needed, or the same setting twice."
    ' Right: `evaluate(truth, {"SVM": predictions}, positive="yes")`.',
)
TASK_UNCLEAR = FaultKind(
    "E601",
    "the kind of task cannot be told",
    "With two classes `reportgen.evaluate` has to know which is the positive one; it is never"
    ' guessed from their order. Right: `positive="yes"`, or `task="multiclass"` if neither is.',
)
ARGUMENTS_DIFFER = FaultKind(
    "E602",
    "arguments do not belong to the same cases",
    "Every argument of `reportgen.evaluate` has one value for each case, in the same order, and"
    " every id names one case of a fold. A typical cause are predictions for another part of the"
    " data, or rows that were sorted in one place only.",
)
