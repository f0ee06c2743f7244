"""Classes that are never true, or never predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.tallies.confusion import ConfusionTally

_SHOWN = 5


def class_warnings(tally: ConfusionTally, classifiers: Sequence[str]) -> list[str]:
    """Return, per classifier, the classes it predicts in vain and those it never predicts."""
    margins = tally.margins.filter(pl.col("fold").is_null())
    never_true = margins.filter(pl.col("true") == 0, pl.col("predicted") > 0)
    never_predicted = margins.filter(pl.col("true") > 0, pl.col("predicted") == 0)
    absent = margins.group_by("class").agg(pl.col("true", "predicted").sum())
    nowhere = _ordered(tally, absent.filter(pl.col("true") + pl.col("predicted") == 0))
    warnings = [f"no case is or is predicted as {_listed(nowhere)}"] if nowhere else []
    for name in classifiers:
        vain = _ordered(tally, never_true.filter(pl.col("classifier") == name))
        unseen = _ordered(tally, never_predicted.filter(pl.col("classifier") == name))
        if vain:
            warnings.append(f"`{name}` predicts {_listed(vain)}, which is never true")
        if unseen:
            warnings.append(f"`{name}` never predicts {_listed(unseen)}")
    return warnings


def _ordered(tally: ConfusionTally, found: pl.DataFrame) -> list[str]:
    classes = set(found["class"])
    return [label for label in tally.classes if label in classes]


def _listed(labels: Sequence[str]) -> str:
    more = len(labels) - _SHOWN
    shown = ", ".join(f"`{label}`" for label in labels[:_SHOWN])
    return shown + (f" and {more} more" if more > 0 else "")
