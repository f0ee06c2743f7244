"""In which further measures a pair of classifiers is shown to differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons import Finding
from reportgen.measures import Measure, find_measure
from reportgen.report.differences import values_told_apart
from reportgen.report.document import Count, Math, Strong
from reportgen.report.wording import inside_a_sentence, names_in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons import Difference
    from reportgen.report.document import Part
    from reportgen.report.evaluation import Evaluation

LIKELIHOODS = ("lr_positive", "lr_negative")
# Measures that always rank two classifiers as another does, on the same cases.
SAME_QUESTION = {
    "error_rate": "accuracy",
    "kappa_best": "accuracy",
    "type_1_rate": "specificity",
    "type_2_rate": "sensitivity",
    "balanced_accuracy": "youden",
    "diagnostic_odds_ratio": "discriminant_power",
    "jaccard": "f1",
    "lift": "precision",
    "relative_information_score": "information_score",
}
DECIDED = {Finding.SUPERIOR, Finding.INFERIOR}
TWO = 2
MOST_PAIRS_SPOKEN_OF = 3
MOST_MEASURES = 5


def other_findings(evaluation: Evaluation, main: Measure) -> Iterator[tuple[Part, ...]]:
    """Yield what is shown beyond the main measure; likelihood ratios speak for themselves."""
    confirmed = list(_confirmation(evaluation))
    yield from _other_measures(evaluation, main, leave_out=LIKELIHOODS if confirmed else ())
    yield from confirmed


def _other_measures(
    evaluation: Evaluation, main: Measure, leave_out: Sequence[str]
) -> Iterator[tuple[Part, ...]]:
    """Say who is shown to be better in which of the other measures that are shown."""
    pairs = dict.fromkeys((row.first, row.second) for row in evaluation.differences if row.decisive)
    if len(pairs) > MOST_PAIRS_SPOKEN_OF:
        yield from _how_many(evaluation)
        return
    for first, second in pairs:
        better: dict[str, list[str]] = {first: [], second: []}
        rows = list(_different_questions(evaluation, (first, second), main, leave_out))
        for measure, row in rows:
            if row.verdict in DECIDED:
                ahead = first if row.verdict is Finding.SUPERIOR else second
                better[ahead].append(inside_a_sentence(measure))
        if rows:
            yield tuple(_pair_sentence(first, second, better, len(rows)))


def _different_questions(
    evaluation: Evaluation, pair: tuple[str, str], main: Measure, leave_out: Sequence[str]
) -> Iterator[tuple[Measure, Difference]]:
    """Yield the tests of a pair, one for each question: error rate only repeats accuracy."""
    asked = {SAME_QUESTION.get(main.name, main.name)}
    for measure in evaluation.main_measures:
        row = evaluation.evidence.about(*pair, None, measure.name)
        question = SAME_QUESTION.get(measure.name, measure.name)
        if row is None or row.p is None or measure.name in leave_out or question in asked:
            continue
        asked.add(question)
        yield measure, row


def _pair_sentence(
    first: str, second: str, better: dict[str, list[str]], tested: int
) -> Iterator[Part]:
    shown = {name: measures for name, measures in better.items() if measures}
    if not shown:
        yield {1: "In the one", TWO: "In neither of the two"}.get(tested, "In none of the ")
        yield from (Count(tested),) if tested > TWO else ()
        yield f" other {'measure' if tested == 1 else 'measures'} compared"
        yield " " if tested == 1 else " are "
        yield from names_in_a_row((first, second))
        yield " are not shown to differ." if tested == 1 else " shown to differ."
        return
    for number, (name, measures) in enumerate(shown.items()):
        yield "; " if number else "Of the other measures, "
        yield Strong(name)
        yield " is shown to be better than "
        yield Strong(second if name == first else first)
        yield f" in {_listed(measures)}"
    left = tested - sum(map(len, shown.values()))
    if left:
        yield "; for "
        yield Count(left)
        yield " of them that is open" if left > 1 else " that is open"
    yield "."


def _how_many(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    rows = [row for row in evaluation.differences if row.decisive and row.p is not None]
    shown = sum(row.verdict in DECIDED for row in rows)
    if rows:
        yield (
            "Of the ",
            Count(len(rows)),
            " differences that were tested, ",
            Count(shown),
            " is more than chance" if shown == 1 else " are more than chance",
            ", each test for itself."
            if evaluation.spec.comparison.correction == "none"
            else ", adjusted for all of them together.",
        )


def _confirmation(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Say who confirms which class better, as far as it is shown, for two classifiers."""
    if evaluation.kind != "binary" or len(evaluation.measured) != TWO:
        return
    first, second = evaluation.measured
    # Below 1 the ratios are swapped before classifiers are compared: too much for a sentence.
    if any(relation.swapped for relation in evaluation.relations):
        return
    for name, what in zip(LIKELIHOODS, ("positives", "negatives"), strict=True):
        measure, row = find_measure(name), evaluation.evidence.about(first, second, None, name)
        if measure is None or row is None or row.verdict not in DECIDED:
            continue
        ahead, behind = (first, second) if row.verdict is Finding.SUPERIOR else (second, first)
        scores = [evaluation.score(each, measure) for each in (ahead, behind)]
        if scores[0] is not None and scores[1] is not None:
            values = values_told_apart(measure, scores[0], scores[1])
            yield (
                Strong(ahead),
                f" confirms {what} better than ",
                Strong(behind),
                ": ",
                Math(measure.symbol),
                " ",
                values[0],
                " against ",
                values[1],
                ".",
            )


def _listed(names: Sequence[str]) -> str:
    if len(names) > MOST_MEASURES:
        return f"{', '.join(names[:MOST_MEASURES])} and {len(names) - MOST_MEASURES} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
