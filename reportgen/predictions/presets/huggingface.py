"""JSON Lines of Hugging Face models: labels, and what a pipeline says of each text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import CSV_STRUCTURE, OTHER_TOOL
from reportgen.predictions.derived import Derived, written
from reportgen.predictions.formats import Format
from reportgen.predictions.json_text import json_faults
from reportgen.predictions.presets.preset import Preset
from reportgen.predictions.table import Table, open_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reportgen.spec import Data

PREDICTED, CERTAINTY, SHARE = "predicted label", "predicted score", "score of {class}"
_LISTED = ("references", "predictions")
_PREDICTIONS = (
    *("prediction", "predictions", "predicted_label", "pred_label", "predicted", "pred"),
    *("output", "outputs"),
)
# Either labels with their scores, or numbers alone: then no labels are predicted by it.
_SCORES = "scores"
_SHARES = ("probabilities", "probs", _SCORES)
_ENTRIES = pl.List(pl.Struct({"label": pl.String, "score": pl.Float64}))
# The names that models have for their classes unless somebody gave them better ones.
_UNNAMED = r"^LABEL_(\d+)$"


def open_huggingface(path: Path, wanted: tuple[str, ...] = ()) -> Table:
    """Open a file; `references` and `predictions` may be two lists, as `evaluate` takes them."""
    table = open_table(path, wanted)
    types = _types(table)
    if not all(isinstance(types.get(name), pl.List) for name in _LISTED):
        return table
    inner = types["references"]
    if isinstance(inner, pl.List) and inner.inner.is_nested():
        return table
    schema = dict.fromkeys(_LISTED, pl.List(pl.String))
    lines = pl.scan_ndjson(path, schema=schema).with_row_index("row")
    if faults := _unequal(table, lines):
        raise DataError(*faults)
    # An empty list would become a case without a value.
    rows = lines.filter(pl.col(_LISTED[0]).list.len() > 0).explode(*_LISTED)
    return Table(path, table.format, _LISTED, scanned=rows)


def _unequal(table: Table, lines: pl.LazyFrame) -> list[Fault]:
    """Return a fault for each of the first lines whose lists are not of one length."""
    lengths = [pl.col(name).list.len().fill_null(0).cast(pl.String) for name in _LISTED]
    said = pl.format("`references` is of length {}, `predictions` of length {}", *lengths)
    try:
        odd = lines.filter(lengths[0] != lengths[1]).select("row", said=said).collect()
    except pl.exceptions.PolarsError as error:
        raise DataError(*json_faults(table.file)) from error
    return table.faults_at(
        CSV_STRUCTURE, odd, lambda text: text, lambda _: "write both lists of the same cases"
    )


def unfold(table: Table, truth: str) -> Table:
    """Give a table what is in the lists of labels and scores that pipelines return."""
    types = _types(table)
    for name in (*_PREDICTIONS, _SCORES):
        if name in table.names and (texts := _entries(name, types.get(name))) is not None:
            return _with_entries(table, name, texts, truth)
    table = _with_bare_labels(table, truth)
    shares = next((name for name in _SHARES if types.get(name) == pl.List(pl.Float64)), None)
    return table if shares is None else _with_numbered(table, shares)


def _types(table: Table) -> dict[str, pl.DataType]:
    """Return the types of the columns of JSON Lines, told from the first thousand."""
    if table.format is not Format.JSON_LINES or table.scanned is not None:
        return {}
    try:
        return dict(pl.scan_ndjson(table.file, infer_schema_length=1000).collect_schema())
    except pl.exceptions.PolarsError:
        return {}


def _entries(name: str, dtype: pl.DataType | None) -> pl.Expr | None:
    """Return a column as JSON text of one list of labels and scores, if it holds some."""
    text = written(name).cast(pl.String)
    match dtype:
        case pl.Struct():
            entry, text = dtype, pl.format("[{}]", text)
        case pl.List(inner=pl.Struct() as entry):
            pass
        case pl.List(inner=pl.List(inner=pl.Struct() as entry)):
            text = text.str.extract(r"^\[(.*)\]$")
        case _:
            return None
    return text if {"label", "score"} <= {field.name for field in entry.fields} else None


def _with_entries(table: Table, name: str, texts: pl.Expr, truth: str) -> Table:
    entries = texts.str.json_decode(_ENTRIES)
    labels = entries.list.eval(pl.element().struct.field("label"))
    scores = entries.list.eval(pl.element().struct.field("score"))
    best = labels.list.get(scores.list.arg_max())
    made = {"labels": Derived((name,), labels), "count": Derived((name,), labels.list.len())}
    found = table.with_derived(made).read({key: key for key in made})
    known = sorted(found["labels"].explode().drop_nulls().unique())
    bare = _is_bare(table, truth, known)
    columns = {
        PREDICTED: Derived((name,), best.str.replace(_UNNAMED, "${1}") if bare else best),
        CERTAINTY: Derived((name,), scores.list.max().cast(pl.String)),
    }
    if bool((found["count"] == len(known)).all()):
        for label in known:
            of_label = pl.element().filter(pl.element().struct.field("label") == label)
            share = entries.list.eval(of_label.struct.field("score")).list.first()
            shown = label.removeprefix("LABEL_") if bare else label
            columns[SHARE.replace("{class}", shown)] = Derived((name,), share.cast(pl.String))
    return table.with_derived(columns)


def _with_bare_labels(table: Table, truth: str) -> Table:
    """Give a table the numbers of predictions such as LABEL_1, where the truth has numbers."""
    name = next((name for name in _PREDICTIONS if name in table.names), None)
    if name is None or not table.is_text:
        return table
    known = table.read({"label": name})["label"].cast(pl.String).unique().drop_nulls()
    if not _is_bare(table, truth, list(known)):
        return table
    number = written(name).cast(pl.String).str.replace(_UNNAMED, "${1}")
    return table.with_derived({PREDICTED: Derived((name,), number)})


def _is_bare(table: Table, truth: str, labels: list[str]) -> bool:
    """Tell whether predictions are LABEL_0, LABEL_1, … and truths 0, 1, …."""
    if (
        truth not in table.names
        or not pl.Series(labels, dtype=pl.String).str.contains(_UNNAMED).all()
    ):
        return False
    truths = table.read({"truth": truth})["truth"].cast(pl.String)
    return bool(labels) and bool(truths.drop_nulls().str.contains(r"^\d+$").all())


def _with_numbered(table: Table, name: str) -> Table:
    """Give a table a column for each place in a list of probabilities."""
    shares = written(name).cast(pl.String).str.json_decode(pl.List(pl.Float64))
    count = table.with_derived({"count": Derived((name,), shares.list.len())})
    most = count.read({"count": "count"})["count"].max()
    return table.with_derived(
        {
            SHARE.replace("{class}", str(number)): Derived(
                (name,), shares.list.get(number, null_on_oob=True).cast(pl.String)
            )
            for number in range(most if isinstance(most, int) else 0)
        }
    )


def no_labels(tables: Sequence[Table], data: Data, _labels: Sequence[str]) -> list[Fault]:
    """Return a fault for each file whose predictions are no labels but lists of something."""
    if data.threshold is not None:
        return []
    help_text = (
        "write the predicted label as `prediction`, and a probability for each class as a list"
        " `probabilities`"
    )
    message = f"`{data.prediction}` holds lists or objects, not labels"
    return [
        Fault(OTHER_TOOL, message, Place(table.path), help_text)
        for table in tables
        if isinstance(_types(table).get(data.prediction), pl.List | pl.Struct)
    ]


def _is_huggingface(table: Table) -> bool:
    """Tell whether JSON Lines are a pipeline's, and a score therefore that of what is predicted."""
    if table.format is not Format.JSON_LINES:
        return False
    if PREDICTED in table.names or set(_LISTED) <= set(table.names):
        return True
    if SHARE.replace("{class}", "0") in table.names:
        return True
    prediction = HUGGINGFACE.column("prediction", table.names)
    if prediction is None or not {"text", "sentence"} & set(table.names):
        return False
    if "score" not in table.names:
        return True
    read = table.read({"score": "score", "label": prediction})
    lowest = read["score"].cast(pl.Float64, strict=False).min()
    # A score of the positive class would be below one half where the other one is predicted.
    half = 0.5
    return read["label"].n_unique() > 1 and isinstance(lowest, float) and lowest >= half


HUGGINGFACE = Preset(
    name="huggingface",
    title="JSON Lines of a Hugging Face model",
    meaning="truth `label`, prediction `prediction`; a score is that of the predicted label",
    columns={
        "truth": (
            *("label", "labels", "true_label", "gold_label", "gold", "reference", "references"),
            "target",
        ),
        "prediction": (PREDICTED, *_PREDICTIONS),
        "id": ("id", "idx", "guid"),
        "fold": ("fold",),
        "certainty": (CERTAINTY, "score", "confidence", "probability"),
    },
    probabilities=(SHARE,),
    is_recognised=_is_huggingface,
    opened=open_huggingface,
    unfolded=unfold,
    faults=no_labels,
)
