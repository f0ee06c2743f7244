"""How often each classifier is shown better than another in a class: the capabilities of many."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Finding
from reportgen.measures import CAPABILITIES, Capability, TwoSides
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.parts import Count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell

SIDES = (
    "Where a capability rests on two measures, better means shown better in one of them and shown"
    " worse in neither."
)


def better_counts(evaluation: Evaluation) -> Table:
    """Count in how many comparisons, class by class, each classifier is shown better."""
    better: Counter[tuple[str, str]] = Counter()
    tested: Counter[tuple[str, str]] = Counter()
    for capability in CAPABILITIES.values():
        for one, other, found in _comparisons(evaluation, capability):
            for name, findings in ((one, found), (other, [each.turned for each in found])):
                tested[name, capability.name] += 1
                better[name, capability.name] += is_shown_better_in_one(findings)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            name,
            *(
                Count(better[name, capability]) if tested[name, capability] else None
                for capability in CAPABILITIES
            ),
        )
        for name in evaluation.measured
    )
    columns = (
        Column("Classifier"),
        *(Column(capability.title, numeric=True) for capability in CAPABILITIES.values()),
    )
    groups = (RowGroup(rows),)
    return Table("capability-counts", _caption(evaluation), columns, groups, Paragraph((SIDES,)))


def is_shown_better_in_one(findings: Sequence[Finding]) -> bool:
    """Tell whether one finding is better and none is worse."""
    return Finding.SUPERIOR in findings and Finding.INFERIOR not in findings


def _comparisons(
    evaluation: Evaluation, capability: Capability
) -> Iterator[tuple[str, str, list[Finding]]]:
    """Yield two classifiers and what is shown of the first, for every class they are tested in."""
    found: dict[tuple[str, str, str], list[Finding]] = {}
    judgement = capability.judgement
    swaps = isinstance(judgement, TwoSides) and judgement.swapped_below_one
    # Their tests are of the ratios as they were before the swap.
    untold = {
        (frozenset({relation.first, relation.second}), relation.class_)
        for relation in evaluation.relations
        if swaps and relation.swapped
    }
    for (pair, class_, measure), row in evaluation.evidence.by_key.items():
        told = row.p is not None and (pair, class_) not in untold
        if told and class_ is not None and measure in capability.measures:
            one, other = sorted(pair)
            finding = row.verdict if row.first == one else row.verdict.turned
            found.setdefault((one, other, class_), []).append(finding)
    for (one, other, _), findings in found.items():
        yield one, other, findings


def _caption(evaluation: Evaluation) -> str:
    """Say of how many comparisons, which are fewer if all are with one classifier."""
    classes = len(evaluation.predictions.classes)
    others = len(evaluation.measured) - 1
    baseline = evaluation.spec.comparison.baseline
    many = f"{others} other{'' if others == 1 else 's'}"
    if baseline is not None and others > 1:
        return (
            f"In how many of {classes} classes each classifier is shown better than {baseline}"
            f" ({baseline}: in how many of {classes * others} comparisons with the {many})"
        )
    return (
        f"In how many of {classes * others} comparisons each classifier is shown better"
        f" ({classes} classes × {many})"
    )
