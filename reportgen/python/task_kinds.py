"""Which kind of task it is, where the call does not say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import Fault, SpecError
from reportgen.errors.argument_faults import TASK_UNCLEAR

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TWO = 2
_WAYS = 'pass `task="regression"`; if they are classes, give both the same type'


def found_kind(
    truth: pl.Series, predictions: Iterable[pl.Series], classes: Sequence[str] | None
) -> str:
    """Return multiclass or regression, as the truth tells; of two classes neither is guessed."""
    if classes is None and _has_fractions(truth):
        return "regression"
    columns = (truth, *predictions)
    if classes is None and any(map(_has_fractions, columns)) and truth.dtype.is_integer():
        message = "the truth has whole numbers and the predictions have fractions"
        raise SpecError(Fault(TASK_UNCLEAR, message, help=_WAYS))
    labels = set(classes or ()).union(*map(_labels, columns))
    if len(labels) > _TWO:
        return "multiclass"
    listed = " and ".join(repr(label) for label in sorted(labels))
    message = f"there are only the classes {listed}, and which is the positive one is never guessed"
    example = max(labels) if labels else "yes"
    help_text = f'pass `positive="{example}"`, or `task="multiclass"` if neither is'
    raise SpecError(Fault(TASK_UNCLEAR, message, help=help_text))


def _has_fractions(column: pl.Series) -> bool:
    return column.dtype.is_float() or column.dtype.is_decimal()


def _labels(column: pl.Series) -> set[str]:
    # A thousand and one show as well as all that there are more than two.
    return set(column.cast(pl.String).drop_nulls().unique().head(1001))
