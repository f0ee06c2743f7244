"""What is missing or odd in counted rows; on a cluster no row has a place that could be named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import (
    NO_ROWS,
    NOT_A_PROBABILITY,
    NOT_FINITE,
    TOO_MANY_LABELS,
    VALUE_MISSING,
)
from reportgen.predictions.columns import MISSING_SIGNS
from reportgen.predictions.wording import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from reportgen.errors import FaultKind
    from reportgen.predictions.table import Table
    from reportgen.spec import Data

# More combinations of folds, truths and predictions are those of another column.
MOST_ANSWERS = 2_000_000
_FILL = "fill the cells, or remove the rows"
_MEND = "mend whatever wrote them, or remove the rows"
_OF_SCORES = {
    "scores_missing": (VALUE_MISSING, "have no score, or one that is no number", _FILL),
    "scores_infinite": (NOT_FINITE, "have a score that is not finite", _MEND),
}
_OUTSIDE = {
    "scores_outside": (
        NOT_A_PROBABILITY,
        "have a score that is not between 0 and 1",
        'if these scores are no probabilities, write `score_kind = "ranking"`',
    )
}


def refuse_gaps(
    table: Table,
    data: Data,
    answers: pl.DataFrame,
    columns: Mapping[str, str],
    known: Collection[str],
) -> None:
    """Raise all that is missing or odd in the rows (role -> column) of a classifier."""
    if answers.is_empty():
        raise DataError(Fault(NO_ROWS, "there are no rows", Place(table.path)))
    faults = list(_text_gaps(table, answers, columns, known))
    scores = {**_OF_SCORES, **(_OUTSIDE if data.score_kind == "probability" else {})}
    if "score" in columns:
        faults += _number_gaps(table, columns["score"], answers, scores)
    if "id" in columns:
        missing = {"ids_missing": (VALUE_MISSING, "have no id", _FILL)}
        faults += _number_gaps(table, columns["id"], answers, missing)
    if faults:
        raise DataError(*faults)


def _text_gaps(
    table: Table, answers: pl.DataFrame, columns: Mapping[str, str], known: Collection[str]
) -> Iterator[Fault]:
    rows = int(answers["count"].sum())
    for role in ("fold", "truth", "prediction"):
        if role not in columns:
            continue
        # Only labels: a fold may well be called None.
        signs = sorted(MISSING_SIGNS.difference(known)) if role != "fold" else []
        empty = pl.col(role).is_null() | pl.col(role).is_in(["", *signs])
        found = answers.filter(empty)
        if found.is_empty():
            continue
        written = sorted({value for value in found[role].drop_nulls() if value})
        number = counted(int(found["count"].sum()), "row")
        said = f" ({', '.join(map(repr, written))} is how a missing value is written)"
        message = f"{table.said(columns[role])}: {number} of {rows} without a value"
        help_text = _FILL
        if written:
            help_text += (
                "; if it is the name of a class, list it:"
                f' `classes = ["{written[0]}", …]` under `[task]`'
            )
        yield Fault(
            VALUE_MISSING, message + (said if written else ""), Place(table.path), help_text
        )


def _number_gaps(
    table: Table,
    name: str,
    answers: pl.DataFrame,
    kinds: Mapping[str, tuple[FaultKind, str, str]],
) -> Iterator[Fault]:
    rows = int(answers["count"].sum())
    for column, (kind, said, way_out) in kinds.items():
        number = int(answers[column].sum())
        if number:
            verb = said if number > 1 else said.replace("have", "has", 1)
            message = f"{table.said(name)}: {counted(number, 'row')} of {rows} {verb}"
            yield Fault(kind, message, Place(table.path), way_out)


def refuse_too_many(table: Table, columns: Mapping[str, str], answers: pl.DataFrame) -> None:
    """Raise if folds, truths and predictions are so many that they can be no such thing."""
    if answers.height <= MOST_ANSWERS:
        return
    told = ", ".join(
        f"`{columns[role]}`" for role in ("fold", "truth", "prediction") if role in columns
    )
    message = f"the columns {told} have more than {MOST_ANSWERS} different combinations of values"
    help_text = "do they hold folds and classes, and not numbers or ids?"
    raise DataError(Fault(TOO_MANY_LABELS, message, Place(table.path), help_text))
