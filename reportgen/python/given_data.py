"""The data of a call: one frame for each classifier, checked for belonging together."""

from __future__ import annotations

import json
from dataclasses import field
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault
from reportgen.errors.argument_faults import ARGUMENTS_DIFFER
from reportgen.frozen import frozen
from reportgen.predictions import GivenFrame
from reportgen.python.values import column_of, index_of
from reportgen.spec import GIVEN

if TYPE_CHECKING:
    from collections.abc import Mapping

_OF_CLASS = "probabilities of "
PROBABILITIES = _OF_CLASS + "{class}"
"""How the columns of probabilities are named in the frame of a classifier."""


@frozen
class OfClassifier:
    """What was given of one classifier; `columns` are named as in its frame."""

    name: str
    columns: dict[str, pl.Series]
    said: dict[str, str]
    threshold: float | None = None
    score_kind: str | None = None

    def settings(self) -> dict[str, object]:
        """Return the classifier as a spec would name it."""
        scored = "scores" in self.columns
        in_classes = any(column.startswith(_OF_CLASS) for column in self.columns)
        return {
            "name": self.name,
            "predictions": GIVEN,
            "score": "scores" if scored else None,
            "score_kind": self.score_kind,
            "probabilities": PROBABILITIES if in_classes else None,
            "threshold": self.threshold,
        }


@frozen
class Shared:
    """What all classifiers have in common: the truth, and folds and ids if there are any."""

    columns: dict[str, pl.Series]
    index: list[object] | None = field(default=None)

    def settings(self) -> dict[str, object]:
        """Return how a spec would name the columns."""
        return {
            "prediction": "predictions",
            "fold": "folds" if "folds" in self.columns else None,
            "id": "ids" if "ids" in self.columns else None,
        }


def shared_columns(truth: object, folds: object, ids: object) -> Shared:
    """Read what all classifiers have in common."""
    given = {"truth": truth, "folds": folds, "ids": ids}
    columns = {
        name: column_of(values, f"`{name}`")
        for name, values in given.items()
        if values is not None or name == "truth"
    }
    if columns["truth"].is_empty():
        raise DataError(Fault(ARGUMENTS_DIFFER, "`truth` has no cases"))
    faults = [
        Fault(
            ARGUMENTS_DIFFER,
            f"`{name}` has {len(column)} values, the truth {len(columns['truth'])} cases",
        )
        for name, column in columns.items()
        if len(column) != len(columns["truth"])
    ]
    if faults:
        raise DataError(*faults)
    _refuse_repeated_ids(columns)
    return Shared(columns, index_of(truth))


def given_frames(shared: Shared, classifiers: Mapping[str, OfClassifier]) -> dict[str, GivenFrame]:
    """Return the frame of each classifier, if all have a value for each case."""
    cases = len(shared.columns["truth"])
    faults = [
        Fault(ARGUMENTS_DIFFER, f"{each.name} has {len(values)} {column}, the truth {cases} cases")
        for each in classifiers.values()
        for column, values in each.columns.items()
        if len(values) != cases
    ]
    if faults:
        raise DataError(*faults)
    said = {name: f"`{name}`" for name in shared.columns}
    return {
        name: GivenFrame(
            pl.DataFrame({**shared.columns, **each.columns}),
            f"{GIVEN}: {name}",
            said | each.said,
        )
        for name, each in classifiers.items()
    }


def refuse_other_order(shared: Shared, values: object, argument: str) -> None:
    """Raise if pandas' index shows that values are those of the truth in another order."""
    index = index_of(values)
    if index is None or shared.index is None or index == shared.index:
        return
    if len(index) == len(shared.index) and set(index) == set(shared.index):
        message = f"{argument} has the index of the truth in another order"
        help_text = (
            "sort both alike, as by `.reindex(truth.index)`; if the order is right as it is,"
            " pass `.to_numpy()`"
        )
        raise DataError(Fault(ARGUMENTS_DIFFER, message, help=help_text))


def item(argument: str, name: str) -> str:
    """Return how a message names what an argument has for a classifier."""
    return f"`{argument}[{json.dumps(name, ensure_ascii=False)}]`"


def _refuse_repeated_ids(columns: Mapping[str, pl.Series]) -> None:
    if "ids" not in columns:
        return
    keys = pl.DataFrame([columns[name].alias(name) for name in ("ids", "folds") if name in columns])
    repeated = keys.with_row_index("index").filter(keys.is_duplicated())
    if repeated.is_empty():
        return
    first, rows = repeated.row(0)[1], repeated.filter(pl.col("ids") == repeated["ids"][0])["index"]
    where = " and ".join(map(str, rows.head(2)))
    within = " in one fold" if "folds" in columns else ""
    message = f"`ids` names the case {str(first)!r} twice{within} (index {where})"
    raise DataError(Fault(ARGUMENTS_DIFFER, message, help="give every case an id of its own"))
