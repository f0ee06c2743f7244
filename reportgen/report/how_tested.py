"""How differences were tested, in a few plain sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.document import Count, Plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.report.document import Part
    from reportgen.report.evaluation import Evaluation

PERCENT = 100
PAIRED = (
    "Classifiers were compared case by case: if two of them do not differ, either is equally likely"
    " to be the one that is right where they disagree."
)
UNPAIRED = (
    "Only counts are known, so the tests take the classifiers as measured on different cases; with"
    " predictions case by case they could show more."
)
REPEATED = "Cases were predicted several times; a repetition is not counted as a new case."
OVER_FOLDS = (
    "Only scores per fold are known, so the decision is the corrected t-test's, which allows for"
    " the folds sharing training cases."
)
PRIMARY = " The measure declared as primary is tested first; the others count only if it differs."


def how_tested(evaluation: Evaluation) -> Iterator[Part]:
    """Say on what the claims rest and how often any of them may be false; nothing if untested."""
    rows = [row for row in evaluation.differences if row.decisive and row.p is not None]
    if not rows:
        return
    tests = {row.test for row in rows}
    said = [
        text
        for text, holds in (
            (PAIRED, any(test.startswith("exchange") for test in tests)),
            (UNPAIRED, any(row.data == "unpaired" for row in rows)),
            (REPEATED, any("repeated" in test for test in tests)),
            (OVER_FOLDS, all(row.data == "folds" for row in rows)),
        )
        if holds
    ]
    yield " ".join(said)
    yield from _adjusted(evaluation, len(rows), started=bool(said))


def _adjusted(evaluation: Evaluation, tests: int, *, started: bool) -> Iterator[Part]:
    asked = evaluation.spec.comparison
    percent = Plain(PERCENT * asked.alpha, unit="%")
    before = " " if started else ""
    if tests == 1:
        yield f"{before}The chance that the one test made is wrong to see a difference is at most "
    elif asked.correction == "none":
        yield f"{before}The p-values of the "
        yield Count(tests)
        yield " tests are not adjusted for their number: each is wrong to see a difference in "
        yield percent
        yield " of such cases."
        return
    else:
        yield f"{before}The p-values are adjusted for all "
        yield Count(tests)
        yield " differences tested, so the chance that any of those claimed is false is at most "
    yield percent
    yield "."
    if asked.primary is not None:
        yield PRIMARY
