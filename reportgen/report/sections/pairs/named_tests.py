"""The tests people know by name, beside the decisive ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.pairwise.mcnemar_ranges import RANGE
from reportgen.measures import known_measure
from reportgen.report.document import Bullets, Column, Paragraph, RowGroup, Table
from reportgen.report.parts import Count, Plain, PValue, Strong

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.difference import Difference
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell, Part

NOT_ADJUSTED = (
    "Tests that people know by name, beside the decisive ones. Their p-values are not adjusted and"
    " back no verdict."
)
NOT_TESTED = "not tested: "
MOST_UNTESTED_NAMED = 4
ALL_TOGETHER = {
    "accuracy": ("are not all right equally often", "Cochran's Q"),
    "roc_auc": ("do not all have the same area under the ROC curve", "DeLong's chi-square"),
}
WERE_IT_PAIRED = (
    "With the cases joined, the tests would be paired. The counts alone allow this much to be said:"
)


def omnibus_test(evaluation: Evaluation) -> Iterator[Paragraph]:
    """Say whether all classifiers together are right equally often, and have equal areas."""
    for found in evaluation.omnibus:
        if found.statistic is None or found.p is None:
            continue
        differ = found.p <= evaluation.spec.comparison.alpha
        unequal, statistic = ALL_TOGETHER[found.measure]
        parts: tuple[Part, ...] = (
            "All ",
            Count(found.classifiers),
            " classifiers together: ",
            "they " if differ else "nothing shows that they ",
            unequal,
            f" ({statistic} ",
            Plain(found.statistic, 2),
            f" with {found.df} degree{'' if found.df == 1 else 's'} of freedom, ",
            PValue(found.p, named=True),
            ").",
        )
        yield Paragraph(parts)


def untested(rows: Sequence[Difference]) -> Iterator[str]:
    """Say why rows were not tested, each reason once."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.p is None:
            reason = (row.note or "there is nothing to test").removeprefix(NOT_TESTED)
            what = f"{known_measure(row.measure).title} ({row.first} − {row.second})"
            reasons.setdefault(reason, []).append(what)
    for reason, named in reasons.items():
        more = len(named) - MOST_UNTESTED_NAMED
        others = f" and {more} more" if more > 0 else ""
        yield f"Not tested, as {reason}: {', '.join(named[:MOST_UNTESTED_NAMED])}{others}."


def has_named_tests(evaluation: Evaluation) -> bool:
    """Tell whether there are tests known by name."""
    return bool(_named_rows(evaluation))


def _named_rows(evaluation: Evaluation) -> list[Difference]:
    return [
        row
        for row in evaluation.differences
        if not row.decisive and row.data == "paired" and row.class_ is None
    ]


def named_tests(evaluation: Evaluation) -> Iterator[Table]:
    """Show the p-values of the tests known by name, a column for each pair."""
    rows = _named_rows(evaluation)
    if not rows:
        return
    pairs = dict.fromkeys((row.first, row.second) for row in rows)
    by_test = {
        (row.measure, row.test, row.first, row.second): "not tested"
        if row.p is None
        else PValue(row.p)
        for row in rows
    }
    columns = (
        Column("Test"),
        *(Column(f"{first} − {second}: p", numeric=True) for first, second in pairs),
    )
    # Under their measures, so that the names of the tests have the room not to be broken.
    groups: dict[str, dict[str, tuple[Cell, ...]]] = {}
    for row in rows:
        groups.setdefault(known_measure(row.measure).title, {})[row.test] = (
            row.test.capitalize().replace("Mcnemar", "McNemar"),
            *(by_test.get((row.measure, row.test, *pair)) for pair in pairs),
        )
    yield Table(
        "named-tests",
        "The tests known by name",
        columns,
        tuple(RowGroup(tuple(tests.values()), title) for title, tests in groups.items()),
        Paragraph((" ".join((NOT_ADJUSTED, *untested(rows))),)),
    )


def ranges_of_counts(evaluation: Evaluation) -> Iterator[Block]:
    """Say what a paired test could show where only counts are known."""
    rows = [row for row in evaluation.differences if row.test == RANGE and row.class_ is None]
    if rows:
        yield Paragraph((WERE_IT_PAIRED,))
        yield Bullets(
            tuple(
                Paragraph(
                    (
                        f"{known_measure(row.measure).title} of ",
                        Strong(row.first),
                        " and ",
                        Strong(row.second),
                        f": {row.note}.",
                    )
                )
                for row in rows
            )
        )
