"""Files that were shuffled, duplicated, pooled or relabelled give no wrong number in silence."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.aggregates.aggregation import aggregate
from reportgen.errors import DataError, SpecError
from reportgen.predictions.load import load_predictions
from reportgen.predictions.long_format import expand_models
from reportgen.predictions.scaffold import scaffold_spec
from reportgen.spec import load_spec
from tests.predictions.layouts.corpus import expected, long_frame
from tests.predictions.layouts.rewriting import read_tables, write_tables
from tests.predictions.layouts.test_layouts import scaffolded
from tests.predictions.layouts.tool_layouts import LAYOUTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from reportgen.aggregates.model import Aggregates


def shuffled(frame: pl.DataFrame, number: int, seed: int) -> pl.DataFrame:
    """Return the rows in another order, which differs between files."""
    return frame.sample(fraction=1, shuffle=True, seed=100 * seed + number)


def doubled(frame: pl.DataFrame, _number: int, seed: int) -> pl.DataFrame:
    """Return every row several times, one copy after the other or each after itself."""
    copies = 2 + seed % 3
    if seed % 2:
        return pl.concat([frame] * copies)
    rows = [row for row in range(frame.height) for _ in range(copies)]
    return frame[rows]


def pooled(frame: pl.DataFrame, _number: int, seed: int) -> pl.DataFrame:
    """Return the rows with those of a second run, whose predictions are in another order."""
    labels = label_columns(frame)
    if not labels:
        return frame
    other = frame.with_columns(pl.col(labels[-1]).shuffle(seed=seed))
    return pl.concat([frame.with_columns(run=pl.lit(1)), other.with_columns(run=pl.lit(2))])


def capitalised(frame: pl.DataFrame, _number: int, seed: int) -> pl.DataFrame:
    """Return labels of one column in capital letters, or with a blank, in some rows."""
    labels = label_columns(frame)
    if not labels:
        return frame
    name = labels[seed % len(labels)]
    has_letters = bool((frame[name].str.to_uppercase() != frame[name]).any())
    upper, blank = pl.col(name).str.to_uppercase(), pl.format("{} ", pl.col(name))
    changed = upper if seed % 2 and has_letters else blank
    in_rows = pl.int_range(pl.len()) % 3 == 0
    return frame.with_columns(pl.when(in_rows).then(changed).otherwise(pl.col(name)).alias(name))


def renamed(frame: pl.DataFrame, _number: int, seed: int) -> pl.DataFrame:
    """Return the labels of one column under names that the others do not have."""
    labels = label_columns(frame)
    if not labels:
        return frame
    name = labels[seed % len(labels)]
    return frame.with_columns(pl.format("class {}", pl.col(name)).alias(name))


def emptied(frame: pl.DataFrame, _number: int, seed: int) -> pl.DataFrame:
    """Return one column of labels without its values in some rows."""
    labels = label_columns(frame)
    if not labels:
        return frame
    name = labels[seed % len(labels)]
    return frame.with_columns(
        pl.when(pl.int_range(pl.len()) % 7 != seed % 7).then(pl.col(name)).alias(name)
    )


def shortened(frame: pl.DataFrame, number: int, _seed: int) -> pl.DataFrame:
    """Return the first file without its last rows: other files have more cases."""
    return frame.head(max(frame.height - 7, 1)) if number == 0 else frame


CHANGES: dict[str, Callable[[pl.DataFrame, int, int], pl.DataFrame]] = {
    "shuffle": shuffled,
    "duplicate": doubled,
    "pool": pooled,
    "capitals": capitalised,
    "rename": renamed,
    "empty": emptied,
    "shorten": shortened,
}
# A column of counts says how often a row is meant, and a file may have fewer rows; that the rows
# of one file are fewer is known to nobody.
MEANT = {("counts_table", "duplicate"), ("counts_table", "pool")}
STRUCTURE = frozenset(("split", "site", "repeat", "fold"))
MAX_LABELS = 4
LABEL_CHANGES = ("pool", "capitals", "rename", "empty")
# Regressions have no labels, and tables of pandas by position no names of labels to change.
UNCHANGED = {
    (name, change) for name in LAYOUTS if name.startswith("regression") for change in LABEL_CHANGES
}
MODELS = frozenset(("lr", "nb", "tree"))


def label_columns(frame: pl.DataFrame) -> list[str]:
    """Return the columns of a few texts, in which labels are."""
    return [
        name
        for name in frame.columns
        if frame[name].dtype == pl.String
        and 1 < frame[name].n_unique() <= MAX_LABELS
        and name not in STRUCTURE
        and not set(frame[name].unique()) <= MODELS
    ]


def read_spec(path: Path) -> Aggregates:
    """Return the aggregates of a spec."""
    spec_file = expand_models(load_spec(path))
    return aggregate(spec_file, load_predictions(spec_file))


def numbers(aggregates: Aggregates) -> list[tuple[object, ...]]:
    """Return what the values of a report are computed from; sums are equal but for rounding.

    Counts of labels or sums of errors, and of scores the pairs that are ranked right.
    """
    sets = aggregates.label_sets
    parts = [
        aggregates.confusion,
        aggregates.regression,
        None if sets is None else sets.sets,
        *(part.ranking for part in (aggregates, *aggregates.labels.values())),
    ]
    rows = [
        tuple(f"{value:.9g}" if isinstance(value, float) else value for value in row)
        for part in parts
        if part is not None
        for row in part.frame.filter(pl.col("fold").is_null()).rows()
    ]
    assert rows
    return [*sorted(rows, key=str), (aggregates.case_count,)]


def kinds(warnings: Iterable[str]) -> set[str]:
    """Return warnings without their numbers: another count is no further warning."""
    return {re.sub(r"\d+", "#", warning) for warning in warnings}


@cache
def written_layout(folder: Path, name: str) -> tuple[dict[str, bytes], Aggregates]:
    """Write a layout and its spec, and return the content of its files and their numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    layout = LAYOUTS[name](folder)
    text = scaffolded(folder, layout).text
    path = folder / "reportgen.toml"
    path.write_text(text, encoding="utf-8")
    files = {file: (folder / file).read_bytes() for file in layout.files}
    return files, read_spec(path)


def change_rows(frame: pl.DataFrame, change: str, numbers_of_file: tuple[int, int]) -> pl.DataFrame:
    """Return a frame with a change of its rows; codes of classes and booleans become texts."""
    codes = [
        name
        for name, dtype in frame.schema.items()
        if (dtype.is_numeric() or dtype == pl.Boolean) and frame[name].n_unique() <= MAX_LABELS
    ]
    texts = frame.with_columns(pl.col(codes).cast(pl.String))
    return CHANGES[change](texts, *numbers_of_file)


def rewrite(path: Path, name: str, change: str, numbers_of_file: tuple[int, int]) -> bool:
    """Write a file anew, with a change of its rows, in its own format; return if it changed."""
    tables = read_tables(path, name)
    changed = {part: change_rows(frame, change, numbers_of_file) for part, frame in tables.items()}
    write_tables(path, name, changed)
    after = read_tables(path, name)
    return any(
        not frame.select(pl.all().cast(pl.String)).equals(
            after[part].select(pl.all().cast(pl.String))
        )
        if frame.columns == after[part].columns
        else True
        for part, frame in tables.items()
    )


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", LAYOUTS)
@given(seed=st.integers(0, 9))
@settings(
    max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_changed_file_gives_the_same_numbers_or_says_so(
    tmp_path_factory: pytest.TempPathFactory, name: str, change: str, seed: int
) -> None:
    """The same numbers, or an error, or a warning that the original files do not give."""
    folder = tmp_path_factory.getbasetemp() / f"{name} {change}"
    files, before = written_layout(folder, name)
    is_changed = False
    for number, (file, content) in enumerate(files.items()):
        (folder / file).write_bytes(content)
        is_changed |= rewrite(folder / file, name, change, (number, seed))
    assert is_changed or (name, change) in UNCHANGED
    try:
        after = read_spec(folder / "reportgen.toml")
    except (DataError, SpecError):
        return
    sources = {item.predictions for item in load_spec(folder / "reportgen.toml").spec.classifiers}
    # That a file has fewer rows is known only where another has more.
    is_shorter = change == "shorten" and len(sources) == 1
    assert (
        (name, change) in MEANT
        or is_shorter
        or kinds(after.warnings) > kinds(before.warnings)
        or numbers(after) == numbers(before)
    )


@pytest.mark.parametrize("columns", [["id"], []], ids=["with ids", "without ids"])
@pytest.mark.parametrize("with_model", [True, False])
def test_pooled_models_are_never_one_classifier(
    tmp_path: Path, columns: list[str], *, with_model: bool
) -> None:
    """By a spec written by hand that names neither: an error, or a warning."""
    subset = [*columns, "label", "pred", *(["model"] if with_model else [])]
    long_frame(expected("lr", "nb", "tree")).select(subset).write_csv(tmp_path / "p.csv")
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
