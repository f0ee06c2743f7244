"""How the classifiers compare with the rule that always names the largest class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.measures import known_measure
from reportgen.report.findings.main import main_measure
from reportgen.report.findings.standing import standing_values
from reportgen.report.parts import Interval, Strong
from reportgen.report.words.spoken import spoken_number, spoken_with_interval
from reportgen.report.words.wording import some_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.measures import Measure
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part
    from reportgen.scores import Score

# With a smaller share the rule is right too seldom for anybody to take it for a good one.
LEAST_SHARE = 0.6
BY_ITSELF = " Each interval stands for itself: it is not adjusted for the number of classifiers."


@frozen
class Majority:
    """The largest class, its share of the cases, and whose interval of accuracy lies where."""

    class_: str
    share: float
    accuracy: Measure
    above: dict[str, Score]
    below: dict[str, Score]
    around: dict[str, Score]


def majority_findings(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Say who is not shown to be better than naming the largest class, if accuracy decides."""
    found = majority_of(evaluation)
    main = main_measure(evaluation)
    if found is None or main != found.accuracy or not (found.below or found.around):
        return
    yield tuple(_told(found, with_the_better=False))


def majority_in_full(evaluation: Evaluation) -> tuple[Part, ...]:
    """Say of everybody how they compare with naming the largest class; nothing if it is small."""
    found = majority_of(evaluation)
    return () if found is None else (*_told(found, with_the_better=True), BY_ITSELF)


def majority_of(evaluation: Evaluation) -> Majority | None:
    """Compare the intervals of accuracy with the share of the largest class, if that is large.

    The share is no estimate: it is what the rule reaches on these very cases.
    """
    accuracy = known_measure("accuracy")
    sizes = set(evaluation.class_sizes.values())
    if len(sizes) != 1:
        return None
    (counts,) = sizes
    share = max(counts) / sum(counts) if sum(counts) else 0.0
    # Where all cases are of one class there is nothing to tell apart.
    if not LEAST_SHARE <= share < 1:
        return None
    values = standing_values(evaluation, accuracy)
    known = {
        name: (score, score.low, score.high)
        for name, score in values.items()
        if score.low is not None and score.high is not None
    }
    if not known:
        return None
    above = {name: score for name, (score, low, _) in known.items() if low > share}
    below = {name: score for name, (score, _, high) in known.items() if high < share}
    around = {
        name: score
        for name, (score, _, _) in known.items()
        if name not in above and name not in below
    }
    class_ = evaluation.predictions.classes[counts.index(max(counts))]
    return Majority(class_, share, accuracy, above, below, around)


def _told(found: Majority, *, with_the_better: bool) -> Iterator[Part]:
    yield "Always saying "
    yield Strong(found.class_)
    yield " would be right in "
    yield spoken_number(found.accuracy, found.share)
    yield " of these cases"
    clauses = [
        *_lying(found, "better", "above", found.above if with_the_better else {}),
        *_lying(found, "worse", "below", found.below),
        *_open(found),
    ]
    for number, clause in enumerate(clauses):
        yield "; " if not number else ", and " if number == len(clauses) - 1 else ", "
        yield from clause
    yield "."


def _lying(
    found: Majority, word: str, where: str, scores: dict[str, Score]
) -> Iterator[tuple[Part, ...]]:
    """Say who is better or worse, and that this is what the interval shows."""
    if len(scores) == 1:
        ((name, score),) = scores.items()
        spoken = spoken_with_interval(found.accuracy, score)
        (interval,) = (part for part in spoken if isinstance(part, Interval))
        yield (Strong(name), f" is {word} (its interval, ", interval, f", lies {where} that)")
    elif scores:
        yield (*some_names(list(scores)), f" are {word} (their intervals lie {where} that)")


def _open(found: Majority) -> Iterator[tuple[Part, ...]]:
    if found.around:
        yield (*some_names(list(found.around)), " cannot be told apart from that rule")
