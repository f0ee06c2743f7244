"""What is measured: contests of tools that give the same numbers from the same files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.speed.commands import (
    PYCM,
    SCIKIT_LEARN,
    Contestant,
    build,
    build_flagship,
    call,
    empty_app,
    import_only,
    peer,
)
from benchmarks.speed.data import CLASSIFIERS, FOLDS, Data
from benchmarks.speed.measured import Target, faster

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TITLES = {
    "a": "Counts of two classes",
    "b": "Scores of two classes",
    "c": "Many classes",
    "d": "Classifiers joined by case, in folds",
    "e": "Resampling",
    "f": "Start-up",
    "g": "Many specs",
    "h": "Growth with classifiers and classes",
}
# What the cases of one size have, where larger ones tell nothing new.
MIDDLE, LARGE, AREAS, SMALL = 1_000_000, 10_000_000, 100_000, 1_000
# Of the spec that the repository shows first; its files are not drawn.
FLAGSHIP_ROWS = 569
MOST_CLASSES = 1000
GROWN_ROWS = 10_000
ALL_PAIRS, ONE_BASELINE = "classifiers, all pairs", "classifiers, with a baseline"
CLASSES = "classes, 3 classifiers"
PDF = "reportgen, PDF"
POLARS, STRINGS, CODES = "bare polars", "scikit-learn", "scikit-learn, codes"


@dataclass(frozen=True, slots=True)
class Contest:
    """Tools that do the same with the same data, reportgen first."""

    letter: str
    name: str
    data: Data
    contestants: Sequence[Contestant]
    targets: tuple[Target, ...] = ()


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    rows: Sequence[int] = (100_000, 1_000_000, 10_000_000)
    csv_to: int = 1_000_000
    resamples: int = 1000
    specs: int = 100
    classifiers: Sequence[int] = (1, 3, 10, 30, 100)
    classes: Sequence[int] = (2, 10, 50, 150, 1000)

    def at_most(self, rows: int) -> int:
        """Return as many rows as a case wants, or the most that are asked for."""
        return min(rows, max(self.rows))


def contests(sizes: Sizes) -> Iterator[Contest]:
    """Yield all contests of these sizes, in the order of their letters."""
    yield from _counts(sizes)
    yield from _scores(sizes)
    yield from _classes(sizes)
    rows = sizes.at_most(MIDDLE)
    name = f"{len(CLASSIFIERS)} classifiers, {FOLDS} folds"
    joined = Data("folds", rows)
    yield Contest("d", name, joined, (build(), *_counting("folds")), (faster(15, STRINGS),))
    yield from _resampling(sizes)
    yield from _start_up()
    many = Data("counts", SMALL, "csv", sizes.specs)
    separate = peer("one call each", "calls", "specs", sizes.specs)
    yield Contest("g", f"{sizes.specs} small specs", many, (build(sizes.specs), separate))
    yield from _growing(sizes)


def _counting(task: str) -> tuple[Contestant, ...]:
    return (
        peer(POLARS, "bare_polars", task),
        peer(STRINGS, "scikit_learn", task, needs=SCIKIT_LEARN, up_to=LARGE),
        peer(CODES, "scikit_learn_codes", task, needs=SCIKIT_LEARN, up_to=LARGE),
    )


def _counts(sizes: Sizes) -> Iterator[Contest]:
    pycm = peer("PyCM", "py_cm", "counts", needs=PYCM, up_to=LARGE)
    tools = (build(), *_counting("counts"), pycm)
    for rows, file in _files(sizes):
        # Below it, imports are most of the time.
        targets = (faster(50, STRINGS), faster(5, "PyCM"), Target(2, POLARS))
        large = targets if rows == LARGE else ()
        yield Contest("a", "confusion matrix", Data("counts", rows, file), tools, large)


def _scores(sizes: Sizes) -> Iterator[Contest]:
    tools = (
        build(),
        peer(POLARS, "bare_polars", "scores", up_to=LARGE),
        peer(STRINGS, "scikit_learn", "scores", needs=SCIKIT_LEARN, up_to=LARGE),
    )
    for recipe, name, times in (
        ("distinct", "all scores distinct", 15),
        ("rounded", "scores of 3 decimals", 20),
    ):
        for rows, file in _files(sizes):
            large = (faster(times, STRINGS),) if rows == LARGE else ()
            yield Contest("b", name, Data(recipe, rows, file), tools, large)


def _files(sizes: Sizes) -> Iterator[tuple[int, str]]:
    yield from ((rows, "parquet") for rows in sizes.rows)
    yield from ((rows, "csv") for rows in sizes.rows if rows <= sizes.csv_to)


def _classes(sizes: Sizes) -> Iterator[Contest]:
    pycm = peer("PyCM", "py_cm", "classes", needs=PYCM, up_to=LARGE)
    tools = (build(), *_counting("classes"), pycm)
    middle, large = sizes.at_most(MIDDLE), sizes.at_most(LARGE)
    for number in (10, 100, MOST_CLASSES):
        targets = (faster(40, STRINGS),) if number == MOST_CLASSES else ()
        data = Data(f"classes-{number}", middle)
        yield Contest("c", f"{number} classes", data, tools, targets)
    if large > middle:
        yield Contest("c", "10 classes", Data("classes-10", large), tools)


def _resampling(sizes: Sizes) -> Iterator[Contest]:
    for task, recipe, rows, name, times in (
        ("counts", "counts", MIDDLE, "accuracy and F1", 1000),
        ("areas", "distinct", AREAS, "ROC AUC", 20),
    ):
        own = peer("reportgen", "resampled_counts", task, sizes.resamples)
        cases = peer("cases by index", "resampled_cases", task, sizes.resamples, needs=SCIKIT_LEARN)
        drawn = f"{sizes.resamples:,} resamples of {name}"
        data, targets = Data(recipe, sizes.at_most(rows)), (faster(times, "cases by index"),)
        yield Contest("e", drawn, data, (own, cases), targets)


def _start_up() -> Iterator[Contest]:
    small = Data("counts", SMALL, "csv")
    yield Contest(
        "f", "--help", small, (call("--help"), empty_app()), (Target(1.3, "empty Typer app"),)
    )
    floor = peer(POLARS, "bare_polars", "counts")
    yield Contest("f", "check", small, (call("check"), floor))
    tools = (build(), floor, peer(STRINGS, "scikit_learn", "counts", needs=SCIKIT_LEARN))
    yield Contest("f", "JSON report", small, tools)
    page = (build(formats="html,pdf"), import_only("weasyprint"))
    yield Contest("f", "HTML and PDF report", small, page, (Target(3),))
    libraries = import_only("weasyprint", "polars")
    flagship = (build_flagship(), libraries)
    rows = Data("counts", FLAGSHIP_ROWS, "csv")
    yield Contest("f", "flagship, HTML and PDF", rows, flagship, (Target(2, libraries.tool),))


def _growing(sizes: Sizes) -> Iterator[Contest]:
    rows = sizes.at_most(GROWN_ROWS)
    tools = (
        build(),
        peer(POLARS, "bare_polars", "grown"),
        build(formats="pdf", tool=PDF),
    )
    series = [
        *((number, ALL_PAIRS, f"grown-{number}-2-all") for number in sizes.classifiers),
        *((number, ONE_BASELINE, f"grown-{number}-2-baseline") for number in sizes.classifiers),
        *((number, CLASSES, f"grown-3-{number}-all") for number in sizes.classes),
    ]
    for number, name, recipe in series:
        yield Contest("h", f"{number} {name}", Data(recipe, rows), tools)
