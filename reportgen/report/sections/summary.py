"""The report in a few plain sentences; they say what was found, not more than that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.ranking import places
from reportgen.measures import CAPABILITIES, Measure, Orientation, Scale, find_measure
from reportgen.report.document import Bullets, Count, Math, Note, Paragraph, Plain, Strong, Value
from reportgen.report.warnings import warning_notes
from reportgen.scores import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reportgen.report.document import Block, Part
    from reportgen.report.evaluation import Evaluation

NOT_TESTED = (
    "These are the values on the cases at hand. Whether a difference is more than chance has not"
    " been tested, so nothing here says that one classifier is better in general."
)
HOW = {"poor": "poorly", "limited": "to a limited degree", "fair": "fairly", "good": "well"}
CLASSIFIERS_SPOKEN_OF = 4
MAIN_MEASURE = {"binary": "accuracy", "multiclass": "accuracy", "regression": "rmse"}


def summary(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say who scores best at what, and what to be careful with."""
    sentences = [
        *_audit(evaluation),
        *_main_ranking(evaluation),
        *_who_leads_where(evaluation),
        *_confirmation(evaluation),
        *_discrimination(evaluation),
        *_hardest_class(evaluation),
        *_fold_means(evaluation),
        *_not_numbers(evaluation),
        *_published(evaluation),
    ]
    if not sentences:
        return ()
    several = len(evaluation.spec.classifiers) > 1
    caution = (Note((NOT_TESTED,)),) if several else ()
    return (Bullets(tuple(map(Paragraph, sentences))), *warning_notes(evaluation), *caution)


def _audit(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Say first that the cases are the same; where they are not, warnings say so."""
    audits = evaluation.predictions.audits
    found = [(audit.missing, audit.extra, audit.duplicated) for audit in audits]
    if len(audits) > 1 and not any(map(any, found)):
        yield ("Every file has the same cases: none is missing, extra, doubled or contradicting.",)


def _main_ranking(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    measure = _main_measure(evaluation)
    values = _values(evaluation, measure) if measure else {}
    if measure is None or not values:
        return
    name = _inside_a_sentence(measure)
    ranks = places(_numbers(values), measure.orientation)
    first, *others = sorted(values, key=ranks.__getitem__)
    if not others:
        yield (f"The {name} of ", Strong(first), " is ", values[first], ".")
        return
    superlative = "highest" if measure.orientation is Orientation.HIGHER else "lowest"
    best = [classifier for classifier, rank in ranks.items() if rank == 1]
    if len(best) > 1:
        yield (*_names(best), f" share the {superlative} {name}, ", values[first], ".")
        return
    rest: list[Part] = []
    for other in others[: CLASSIFIERS_SPOKEN_OF - 1]:
        rest += ["; " if rest else "", Strong(other), " ", values[other]]
    if len(others) >= CLASSIFIERS_SPOKEN_OF:
        rest.append("; …")
    yield (Strong(first), f" has the {superlative} {name}, ", values[first], " (", *rest, ").")


def _best_first(evaluation: Evaluation) -> list[str]:
    measure = _main_measure(evaluation)
    numbers = _numbers(_values(evaluation, measure)) if measure else {}
    ranks = places(numbers, measure.orientation) if measure else {}
    return sorted(evaluation.measured, key=lambda name: ranks.get(name, len(evaluation.measured)))


def _main_measure(evaluation: Evaluation) -> Measure | None:
    """Return accuracy or RMSE or, if that was not asked for, the first measure that was."""
    main = find_measure(MAIN_MEASURE[evaluation.kind])
    shown = [
        measure
        for measure in evaluation.main_measures
        if measure.orientation is not Orientation.NEITHER
    ]
    return main if main in shown or not shown else shown[0]


def _who_leads_where(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Say which measures crown whom: they often disagree."""
    leaders: dict[str, list[Measure]] = {}
    compared = 0
    for measure in evaluation.main_measures:
        numbers = _numbers(_values(evaluation, measure))
        ranks = places(numbers, measure.orientation)
        best = [name for name, rank in ranks.items() if rank == 1]
        if measure.orientation is Orientation.NEITHER or len(numbers) <= 1:
            continue
        compared += 1
        if len(best) == 1:
            leaders.setdefault(best[0], []).append(measure)
    if compared <= 1 or not leaders:
        return
    if len(leaders) == 1:
        ((name, measures),) = leaders.items()
        yield (
            Strong(name),
            " has the best value in ",
            *(("all ",) if len(measures) == compared else (Count(len(measures)), " of the ")),
            Count(compared),
            " measures compared",
            "." if len(measures) == compared else "; no other classifier leads in any.",
        )
        return
    parts: list[Part] = ["The measures do not agree on one classifier: "]
    for number, (name, measures) in enumerate(leaders.items()):
        said = ", ".join(_inside_a_sentence(measure) for measure in measures)
        parts += ["; " if number else "", Strong(name), f" leads in {said}"]
    yield (*parts, ".")


def _confirmation(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    # Below 1 the ratios are swapped before classifiers are compared: too much for a sentence.
    swapped = any(relation.swapped for relation in evaluation.relations)
    if evaluation.kind != "binary" or len(evaluation.measured) <= 1 or swapped:
        return
    for name, what in (("lr_positive", "positives"), ("lr_negative", "negatives")):
        measure = find_measure(name)
        values = _values(evaluation, measure) if measure else {}
        if measure is None or len(values) <= 1:
            continue
        ranks = places(_numbers(values), measure.orientation)
        ranked = sorted(values, key=ranks.__getitem__)
        if ranks[ranked[1]] == 1:
            continue
        yield (
            Strong(ranked[0]),
            f" confirms {what} best: ",
            Math(measure.symbol),
            " ",
            values[ranked[0]],
            " against ",
            values[ranked[1]],
            " for ",
            Strong(ranked[1]),
            ".",
        )


def _discrimination(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    if evaluation.kind != "binary" or not evaluation.capabilities:
        return
    capability = CAPABILITIES["discrimination_of_classes"]
    grades: dict[str, list[str]] = {}
    for row in evaluation.capabilities:
        grades.setdefault(row.cells[capability.name].verdict, []).append(row.classifier)
    judgement = capability.judgement
    if not isinstance(judgement, Scale):
        return
    parts: list[Part] = ["By discriminant power, "]
    for number, (grade, names) in enumerate(grades.items()):
        verb = "discriminates" if len(names) == 1 else "discriminate"
        how = "cannot be graded" if grade not in HOW else f"{verb} the classes {HOW[grade]}"
        parts += ["; " if number else "", *_names(names), f" {how}"]
    yield (*parts, ".")


def _hardest_class(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    measure = find_measure("sensitivity")
    if evaluation.kind != "multiclass" or measure is None:
        return
    for classifier in _best_first(evaluation)[:CLASSIFIERS_SPOKEN_OF]:
        found = {
            class_: score
            for class_ in evaluation.predictions.classes
            if (score := evaluation.score(classifier, measure, class_)) is not None
            and score.value is not None
        }
        places_from_worst = places(
            {class_: score.value or 0.0 for class_, score in found.items()}, Orientation.LOWER
        )
        hardest = [class_ for class_, place in places_from_worst.items() if place == 1]
        if 0 < len(hardest) < len(found):
            yield (
                Strong(classifier),
                " finds class " if len(hardest) == 1 else " finds classes ",
                *_names(hardest),
                " least often: sensitivity ",
                Value(found[hardest[0]], measure),
                ".",
            )


def _fold_means(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Rank classifiers of which only scores per fold are known."""
    given = {
        classifier.name for classifier in evaluation.spec.classifiers if classifier.fold_scores
    }
    names = dict.fromkeys(fold.measure for fold in evaluation.folds if fold.classifier in given)
    for name in names:
        measure = find_measure(name)
        means = {
            fold.classifier: fold.mean
            for fold in evaluation.folds
            if fold.measure == name and fold.classifier in given and fold.mean is not None
        }
        if measure is None or len(means) <= 1:
            continue
        ranks = places(means, measure.orientation)
        ranked = sorted(means, key=ranks.__getitem__)
        if ranks[ranked[1]] == 1:
            continue
        yield (
            Strong(ranked[0]),
            f" has the best mean {_inside_a_sentence(measure)} over its folds, ",
            Plain(means[ranked[0]]),
            ", against ",
            Plain(means[ranked[1]]),
            " for ",
            Strong(ranked[1]),
            ".",
        )


def _not_numbers(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    scores = [
        score
        for classifier in evaluation.measured
        for measure in evaluation.main_measures
        if (score := evaluation.score(classifier, measure)) is not None
    ]
    undefined = sum(score.state is State.UNDEFINED for score in scores)
    infinite = sum(score.state is State.INFINITE for score in scores)
    said = [
        f"{number} {'is' if number == 1 else 'are'} {state}"
        for number, state in ((undefined, "undefined"), (infinite, "infinite"))
        if number
    ]
    if said:
        yield (
            f"Among the values shown, {' and '.join(said)}; the reasons stand under the tables.",
        )


def _published(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    checks = evaluation.published
    different = sum(not check.agrees for check in checks)
    if different:
        yield (
            Count(different),
            " of ",
            Count(len(checks)),
            " published values ",
            "does" if different == 1 else "do",
            " not follow from the data; see the reasons under “Published against computed”.",
        )
    elif checks:
        yield ("Every published value comes out as printed.",)


def _values(evaluation: Evaluation, measure: Measure) -> dict[str, Value]:
    """Return the values that can be compared, by classifier."""
    return {
        classifier: Value(score, measure)
        for classifier in evaluation.measured
        if (score := evaluation.score(classifier, measure)) is not None and score.number is not None
    }


def _numbers(values: dict[str, Value]) -> dict[str, float]:
    numbers = {name: value.score.number for name, value in values.items()}
    return {name: number for name, number in numbers.items() if number is not None}


def _names(names: Sequence[str]) -> Iterable[Part]:
    for number, name in enumerate(names):
        if number:
            yield " and " if number == len(names) - 1 else ", "
        yield Strong(name)


def _inside_a_sentence(measure: Measure) -> str:
    """Name a measure inside a sentence: titles that are no proper names are not capitalised."""
    title = measure.title
    proper = title.split()[0].endswith("'s") or title[:2].isupper() or title[1:2].isdigit()
    keep = proper or title.split()[0] in {"Matthews", "Jaccard", "Type", "Pearson"}
    return title if keep else title[0].lower() + title[1:]
