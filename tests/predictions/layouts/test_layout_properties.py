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
from tests.predictions.layouts.tool_layouts import LAYOUTS, TOOL_LAYOUTS

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


def reordered(frame: pl.DataFrame, number: int, _seed: int) -> pl.DataFrame:
    """Return the columns in another order, which differs between files."""
    names = frame.columns[::-1]
    return frame.select(names if number % 2 == 0 else [*names[1:], names[0]])


def misspelt(frame: pl.DataFrame, _number: int, seed: int) -> pl.DataFrame:
    """Return the label of one row of one column with a letter too many."""
    labels = label_columns(frame)
    if not labels:
        return frame
    name = labels[seed % len(labels)]
    row = seed % frame.height
    wrong = pl.format("{}x", pl.col(name))
    return frame.with_columns(pl.when(pl.int_range(pl.len()) == row).then(wrong).otherwise(name))


def constant(frame: pl.DataFrame, _number: int, seed: int) -> pl.DataFrame:
    """Return one column of labels with one label in all rows."""
    labels = label_columns(frame)
    if not labels:
        return frame
    name = labels[seed % len(labels)]
    return frame.with_columns(pl.lit(frame[name][0]).alias(name))


def change_scores(frame: pl.DataFrame, change: Callable[[pl.Expr], pl.Expr]) -> pl.DataFrame:
    """Return all columns of many numbers between 0 and 1 changed, as text where they are text."""
    for name in frame.columns:
        values = frame[name]
        if values.dtype.is_nested() or values.n_unique() <= MAX_LABELS:
            continue
        texts = values.cast(pl.String)
        has_commas = bool(texts.str.contains(r"^\d+,\d+$").any())
        points = texts.str.replace(",", ".", literal=True) if has_commas else texts
        numbers = points.cast(pl.Float64, strict=False)
        if (
            numbers.null_count() > values.null_count()
            or not numbers.drop_nulls().is_between(0, 1).all()
        ):
            continue
        new = pl.DataFrame({name: numbers}).select(change(pl.col(name)).round(9).alias(name))[name]
        if values.dtype == pl.String:
            new = new.cast(pl.String)
            new = new.str.replace(".", ",", literal=True) if has_commas else new
        frame = frame.with_columns(new)
    return frame


def inverted(frame: pl.DataFrame, _number: int, _seed: int) -> pl.DataFrame:
    """Return scores of the other class, of probabilities of two classes those of the other."""
    return change_scores(frame, lambda score: 1 - score)


def in_percent(frame: pl.DataFrame, _number: int, _seed: int) -> pl.DataFrame:
    """Return probabilities between 0 and 100."""
    return change_scores(frame, lambda score: 100 * score)


def dropped(frame: pl.DataFrame, _number: int, _seed: int) -> pl.DataFrame:
    """Return the rows without some of one model, in long format."""
    names = [name for name in frame.columns if frame[name].dtype == pl.String]
    models = [name for name in names if set(frame[name].unique()) <= MODELS]
    if not models:
        return frame
    is_last = pl.col(models[0]) == frame[models[0]].max()
    return frame.filter(~is_last | (pl.int_range(pl.len()) % 7 != 0))


CHANGES: dict[str, Callable[[pl.DataFrame, int, int], pl.DataFrame]] = {
    "shuffle": shuffled,
    "duplicate": doubled,
    "pool": pooled,
    "capitals": capitalised,
    "rename": renamed,
    "empty": emptied,
    "shorten": shortened,
}
# Tried with one seed, and with a sample of the layouts of one structure.
FURTHER_CHANGES: dict[str, Callable[[pl.DataFrame, int, int], pl.DataFrame]] = {
    "order": reordered,
    "misspell": misspelt,
    "constant": constant,
    "invert": inverted,
    "percent": in_percent,
    "drop": dropped,
}
# A column of counts says how often a row is meant, and a file may have fewer rows; that the rows
# of one file are fewer is known to nobody.
# More empty answers of a judge are counted in its warning.
MEANT = {
    ("counts_table", "duplicate"),
    ("counts_table", "pool"),
    ("judge_with_empty_verdicts", "empty"),
}
STRUCTURE = frozenset(("split", "site", "repeat", "fold"))
MAX_LABELS = 4
LABEL_CHANGES = ("pool", "capitals", "rename", "empty")
# Regressions have no labels, and tables of pandas by position no names of labels to change.
LABEL_SETS = frozenset(
    ("label_sets_with_semicolons", "label_sets_of_parquet", "label_indicators_in_lists")
)
UNCHANGED = {
    (name, change)
    for name in LAYOUTS
    if name.startswith("regression") or name in LABEL_SETS
    for change in LABEL_CHANGES
}
# An object of JSON has each id once.
UNCHANGED.add(("json_by_id", "duplicate"))
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
        and not frame[name].str.contains(r"^Repeat\d+$").all()
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
    return {**CHANGES, **FURTHER_CHANGES}[change](texts, *numbers_of_file)


def rewrite(path: Path, name: str, change: str, numbers_of_file: tuple[int, int]) -> bool:
    """Write a file anew, with a change of its rows, in its own format; return if it changed."""
    tables = read_tables(path, name)
    changed = {part: change_rows(frame, change, numbers_of_file) for part, frame in tables.items()}
    write_tables(path, name, changed)
    after = read_tables(path, name)
    return any(
        list(map(str, frame.rows(named=True))) != list(map(str, after[part].rows(named=True)))
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
    is_changed = check_change(folder, name, change, seed)
    assert is_changed or (name, change) in UNCHANGED


def check_change(folder: Path, name: str, change: str, seed: int) -> bool:
    """Change the files of a layout, compare their numbers, and return whether they changed."""
    files, before = written_layout(folder, name)
    is_changed = False
    for number, (file, content) in enumerate(files.items()):
        (folder / file).write_bytes(content)
        is_changed |= rewrite(folder / file, name, change, (number, seed))
    try:
        after = read_spec(folder / "reportgen.toml")
    except (DataError, SpecError):
        return is_changed
    sources = {item.predictions for item in load_spec(folder / "reportgen.toml").spec.classifiers}
    # That a file has fewer rows is known only where another has more.
    is_shorter = change == "shorten" and len(sources) == 1
    assert (
        (name, change) in MEANT
        or is_shorter
        or kinds(after.warnings) > kinds(before.warnings)
        or numbers(after) == numbers(before)
    )
    return is_changed


SAMPLE = (
    *("names_of_scikit_learn", "label_pred_prob", "churn_probability_only", "wide_pairs"),
    *("long_format", "file_per_model", "wide_probabilities", "wide_named_probabilities"),
    *("decimal_commas", "score_called_prediction", "probability_per_class", "kaggle_probabilities"),
    *("truth_and_prediction", "wide_labels", "regression"),
    *TOOL_LAYOUTS,
)
# Margins and percentages do not lie between 0 and 1.
WITHOUT_SCORES = (
    LABEL_SETS
    | frozenset(("truth_and_prediction", "wide_labels", "regression", "decision_of_scikit_learn"))
    | frozenset(
        ("catboost_raw_values", "kaggle_with_usage", "percentages", "judges_of_correctness")
    )
)
WITHOUT_LABELS = LABEL_SETS | {"regression"}
NOT_APPLICABLE = {
    "invert": WITHOUT_SCORES,
    "percent": WITHOUT_SCORES,
    "misspell": WITHOUT_LABELS,
    "constant": WITHOUT_LABELS,
    "drop": frozenset(SAMPLE) - {"long_format", "judges_of_correctness"},
}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (name, change)
        for change in FURTHER_CHANGES
        for name in SAMPLE
        if name not in NOT_APPLICABLE.get(change, ())
    ],
)
def test_further_changes_give_the_same_numbers_or_are_said(
    tmp_path: Path, name: str, change: str
) -> None:
    """Columns in another order, a typing error, scores of the other class, percentages."""
    assert check_change(tmp_path, name, change, seed=0)


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
