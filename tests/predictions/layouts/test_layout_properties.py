"""Files that were shuffled, duplicated, pooled or relabelled give no wrong number in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from reportgen.aggregates.aggregation import aggregate
from reportgen.errors import DataError
from reportgen.predictions.load import load_predictions
from reportgen.predictions.long_format import expand_models
from reportgen.predictions.scaffold import scaffold_spec
from reportgen.spec import load_spec
from tests.predictions.layouts.corpus import LAYOUTS, expected, long_frame
from tests.predictions.layouts.test_layouts import scaffolded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.aggregates.model import Aggregates


def shuffled(frame: pl.DataFrame, number: int) -> pl.DataFrame:
    """Return the rows in another order, which differs between files."""
    return frame.sample(fraction=1, shuffle=True, seed=10 + number)


def doubled(frame: pl.DataFrame, _number: int) -> pl.DataFrame:
    """Return every row twice, one copy after the other."""
    return pl.concat([frame, frame])


def capitalised(frame: pl.DataFrame, _number: int) -> pl.DataFrame:
    """Return one of the labels of the last column of labels in capital letters in some rows."""
    labels = [
        name
        for name in frame.columns
        if frame[name].dtype == pl.String and 1 < frame[name].n_unique() <= 3 and name != "split"
    ]
    if not labels:
        return frame
    changed = pl.when(pl.int_range(pl.len()) % 3 == 0).then(pl.col(labels[-1]).str.to_uppercase())
    return frame.with_columns(changed.otherwise(pl.col(labels[-1])).alias(labels[-1]))


CHANGES: dict[str, Callable[[pl.DataFrame, int], pl.DataFrame]] = {
    "shuffle": shuffled,
    "duplicate": doubled,
    "relabel": capitalised,
}
# A column of counts says how often a row is meant.
MEANT = {("counts_table", "duplicate")}


def read_spec(path: Path) -> Aggregates:
    """Return the aggregates of a spec."""
    spec_file = expand_models(load_spec(path))
    return aggregate(spec_file, load_predictions(spec_file))


def numbers(aggregates: Aggregates) -> list[tuple[object, ...]]:
    """Return what the values of a report are computed from; sums are equal but for rounding."""
    parts = (aggregates.confusion, aggregates.regression)
    rows = [
        tuple(f"{value:.9g}" if isinstance(value, float) else value for value in row)
        for part in parts
        if part is not None
        for row in part.frame.filter(pl.col("fold").is_null()).rows()
    ]
    return [*sorted(rows), (aggregates.case_count,)]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_changed_file_gives_the_same_numbers_or_says_so(
    tmp_path: Path, name: str, change: str
) -> None:
    """The same numbers, or an error, or a warning that the original files do not give."""
    layout = LAYOUTS[name](tmp_path)
    path = tmp_path / "reportgen.toml"
    path.write_text(scaffolded(tmp_path, layout).text, encoding="utf-8")
    before = read_spec(path)
    separator = ";" if name in {"semicolons", "decimal_commas"} else ","
    for number, file in enumerate(layout.files):
        if file.endswith(".csv"):
            read = pl.read_csv(tmp_path / file, separator=separator)
            written = CHANGES[change](read, number)
            written.write_csv(tmp_path / file, separator=separator)
    try:
        after = read_spec(path)
    except DataError:
        return
    assert (
        (name, change) in MEANT
        or set(after.warnings) > set(before.warnings)
        or numbers(after) == numbers(before)
    )


@pytest.mark.parametrize("columns", [["id"], []], ids=["with ids", "without ids"])
@pytest.mark.parametrize("with_model", [True, False])
def test_pooled_models_are_never_one_classifier(
    tmp_path: Path, columns: list[str], *, with_model: bool
) -> None:
    """By a spec written by hand that names neither: an error, or a warning."""
    kept = [*columns, "label", "pred", *(["model"] if with_model else [])]
    long_frame(expected("lr", "nb", "tree")).select(kept).write_csv(tmp_path / "p.csv")
    path = tmp_path / "hand.toml"
    for id_ in ("", 'id = "id"\n') if columns else ("",):
        path.write_text(
            '[task]\nkind = "binary"\npositive = "1"\n[data]\ntruth = "label"\n'
            f'prediction = "pred"\n{id_}'
            '[[classifiers]]\nname = "A"\npredictions = "p.csv"\n',
            encoding="utf-8",
        )
        if columns or with_model:
            with pytest.raises(DataError, match=r"conflicting rows|different values|3 models"):
                read_spec(path)
        else:
            assert any("the truths repeat" in warning for warning in read_spec(path).warnings)


def test_pooled_models_without_ids_are_said_by_init(tmp_path: Path) -> None:
    """The spec of `init` is built, and its warning names what is missing."""
    frame = long_frame(expected("lr", "nb")).select("label", "pred")
    frame.write_csv(tmp_path / "p.csv")
    path = tmp_path / "reportgen.toml"
    path.write_text(scaffold_spec([tmp_path / "p.csv"], tmp_path).text, encoding="utf-8")

    assert any("the truths repeat every 60 rows" in text for text in read_spec(path).warnings)
