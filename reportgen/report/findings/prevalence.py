"""What becomes of the classifiers where positives are rarer or commoner, said in short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import known_measure
from reportgen.report.findings.standing import sharing_the_first_place
from reportgen.report.parts import Interval, Plain, Strong
from reportgen.report.words.spoken import spoken_values, spoken_with_interval
from reportgen.report.words.wording import inside_a_sentence, names_in_a_row, some_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.comparisons.elsewhere.crossings import Crossing
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

BETTER = {"accuracy": "is more accurate", "kappa": "has the higher kappa"}
MOST_FINDINGS = 3
# Further apart than this the data of two classifiers differ in more than rounding.
SAME = 1e-9
# An interval as wide as this says nothing of where two classifiers change places.
ANYWHERE = 0.95


def prevalence_findings(evaluation: Evaluation) -> tuple[tuple[Part, ...], ...]:
    """Say for the summary what precision becomes at the targets, and whose order turns."""
    here = prevalence_in_data(evaluation) if evaluation.prevalence else ()
    if len(here) != 1:
        return ()
    targets = targets_of(evaluation)
    # Rarer positives are where precision is lost, so they are told first.
    rarest = min(targets)
    told = rarest if rarest < here[0] else max(targets)
    turning = [
        crossing
        for crossing in evaluation.crossings
        if crossing.measure == "accuracy"
        and crossing.prevalence is not None
        and is_located(crossing)
        and any((crossing.prevalence - here[0]) * (crossing.prevalence - q) < 0 for q in targets)
    ]
    return (
        *_precision_there(evaluation, told),
        *(
            (*turn_in_words(crossing), " In the data it is ", Plain(here[0], 3), ".")
            for crossing in turning[:MOST_FINDINGS]
        ),
    )


def targets_of(evaluation: Evaluation) -> tuple[float, ...]:
    """Return the prevalences where the classifiers will be used."""
    return tuple(dict.fromkeys(row.target for row in evaluation.prevalence))


def prevalence_in_data(evaluation: Evaluation) -> tuple[float, ...]:
    """Return the prevalence in the data, or several where the cases differ."""
    at = evaluation.predictions.classes.index(evaluation.spec.task.positive or "")
    found = sorted(sizes[at] / sum(sizes) for sizes in evaluation.class_sizes.values())
    return tuple(
        share for index, share in enumerate(found) if not index or share - found[index - 1] > SAME
    )


def is_located(crossing: Crossing) -> bool:
    """Tell whether the interval of a crossing leaves out any prevalence worth speaking of."""
    return crossing.low is None or crossing.high is None or crossing.high - crossing.low < ANYWHERE


def turn_in_words(crossing: Crossing) -> Iterator[Part]:
    """Say who is better below and above the prevalence where two change places."""
    if not is_located(crossing):
        yield f"Where {inside_a_sentence(known_measure(crossing.measure))} ranks "
        yield from names_in_a_row((crossing.first, crossing.second))
        yield " the other way round cannot be located: by the values found it is a prevalence of "
        yield Plain(crossing.prevalence or 0.0, 3)
        yield ", but it may as well be any other."
        return
    yield "By the values found, below a prevalence of "
    yield Plain(crossing.prevalence or 0.0, 3)
    if crossing.low is not None:
        yield " ("
        yield Interval(crossing.low, crossing.high)
        yield ")"
    yield " "
    yield Strong(crossing.below or "")
    yield f" {BETTER[crossing.measure]}, above it "
    yield Strong(crossing.above or "")
    yield "."


def _precision_there(evaluation: Evaluation, target: float) -> Iterator[tuple[Part, ...]]:
    """Say how precise the best would be, all of the best if several are equal."""
    measure = known_measure("precision")
    found = {
        row.classifier: row.scores["precision"]
        for row in evaluation.prevalence
        if row.target == target and row.scores["precision"].number is not None
    }
    if not found:
        return
    best = sharing_the_first_place(found, measure)
    there, here = found[best[0]], evaluation.score(best[0], measure)
    alike = all((found[name].low, found[name].high) == (there.low, there.high) for name in best)
    figures = (spoken_with_interval if alike else spoken_values)(measure, there)
    whose: tuple[Part, ...] = (" the precision of ", *some_names(best), " would be ", *figures)
    if len(best) < len(found):
        whose = (" the highest precision would be ", *figures, ", that of ", *some_names(best))
    today = () if here is None or here.number is None else spoken_values(measure, here)
    yield (
        "At a prevalence of ",
        Plain(target),
        *whose,
        *((", instead of ", *today, " in the data.") if today else (".",)),
    )
