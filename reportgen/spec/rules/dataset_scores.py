"""Scores per data set are in range, and every classifier has the same measures and data sets."""

from collections.abc import Iterator
from math import isnan

from reportgen.errors import nearest
from reportgen.errors.spec_faults import DATASETS_DIFFER, OUT_OF_RANGE
from reportgen.measures import find_measure
from reportgen.spec.draft import Draft, Table
from reportgen.spec.findings import Aim, Finding, KeyPath, quoted

NAMED = 5


def dataset_score_findings(draft: Draft) -> Iterator[Finding]:
    """Yield scores out of range and data sets that one classifier has and another lacks."""
    tables = [
        ((*path, "dataset_scores"), scores)
        for path, classifier in draft.tables("classifiers")
        if isinstance(scores := classifier.get("dataset_scores"), dict) and scores
    ]
    expected = _expected(draft, [scores for _, scores in tables])
    for path, scores in tables:
        yield from _measures(path, scores, tables[0][1])
        for measure, by_dataset in scores.items():
            if isinstance(by_dataset, dict) and by_dataset:
                yield from _data_sets((*path, measure), by_dataset, expected)
                yield from _range((*path, measure), measure, by_dataset)


def _expected(draft: Draft, scores: list[Table]) -> tuple[str, ...]:
    """Return the data sets by [[datasets]] or, without it, by the first scores."""
    listed = [table.get("name") for _, table in draft.tables("datasets")]
    names = tuple(name for name in listed if isinstance(name, str))
    written = (table for each in scores for table in each.values() if isinstance(table, dict))
    return names or tuple(next(written, ()))


def _measures(path: KeyPath, scores: Table, first: Table) -> Iterator[Finding]:
    known = {find_measure(name) for name in scores}
    missing = [name for name in first if find_measure(name) not in known]
    if missing:
        yield Finding(
            DATASETS_DIFFER,
            f"the scores by {', '.join(map(quoted, missing))} are missing: another classifier has"
            " them",
            path,
            "give every classifier the same measures",
        )


def _data_sets(path: KeyPath, by_dataset: Table, expected: tuple[str, ...]) -> Iterator[Finding]:
    missing = [name for name in expected if name not in by_dataset]
    for name in by_dataset:
        if name not in expected:
            meant = nearest(name, missing)
            missing = [other for other in missing if other != meant]
            yield Finding(
                DATASETS_DIFFER,
                f"the data set {quoted(name)} is not among those of the others",
                (*path, name),
                f"did you mean `{meant}`?"
                if meant
                else f"the data sets are {', '.join(map(quoted, expected[:NAMED]))}"
                + (", …" if len(expected) > NAMED else ""),
                Aim.KEY,
            )
    if missing:
        said = ", ".join(map(quoted, missing[:NAMED])) + (", …" if len(missing) > NAMED else "")
        noun = "the score of the data set" if len(missing) == 1 else "the scores of the data sets"
        yield Finding(
            DATASETS_DIFFER,
            f"{noun} {said} {'is' if len(missing) == 1 else 'are'} missing",
            path,
            "classifiers are compared on the same data sets: add it, or take it from the others",
        )
    if len(expected) == 1 and not missing:
        yield Finding(
            OUT_OF_RANGE,
            "one data set is no comparison over data sets: two or more are needed",
            path,
            "for example `{ wine = 0.97, iris = 0.95 }`",
        )


def _range(path: KeyPath, name: str, by_dataset: Table) -> Iterator[Finding]:
    measure = find_measure(name)
    outside = [
        dataset
        for dataset, score in by_dataset.items()
        # What is no number at all, or nan, is found by the model.
        if isinstance(score, int | float) and not isinstance(score, bool) and not isnan(score)
        if measure is not None and not measure.range.contains(score)
    ]
    # One fault per measure, because percentages for shares are one mistake.
    for dataset in outside[:1]:
        yield Finding(
            OUT_OF_RANGE,
            f"the score on {quoted(dataset)} is outside of the range of {quoted(name)}",
            (*path, dataset),
            "a score of 97 % is written 0.97",
        )
