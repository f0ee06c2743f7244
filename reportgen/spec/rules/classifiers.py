"""Every classifier has one source, and that source fits the task."""

from collections.abc import Iterator

from reportgen.errors.spec_faults import (
    BAD_CONFUSION,
    CLASSIFIER_SOURCE,
    DUPLICATE_CLASSIFIER,
    FOLD_SCORES_LENGTHS,
    NEEDS_OTHER_KEY,
    TASK_MISFIT,
)
from reportgen.spec.classifiers import LARGEST_COUNT, SOURCES
from reportgen.spec.draft import Draft, Table
from reportgen.spec.findings import Aim, Finding, KeyPath, quoted, words


def classifier_findings(draft: Draft) -> Iterator[Finding]:
    """Yield what is wrong with names and sources of classifiers."""
    yield from _repeated_names(draft)
    yield from _classes_missing(draft)
    for path, classifier in draft.tables("classifiers"):
        yield from _source(path, classifier)
        yield from _confusion(draft, path, classifier)
        yield from _fold_scores(path, classifier)


def _repeated_names(draft: Draft) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for path, classifier in draft.tables("classifiers"):
        name = classifier.get("name")
        if not isinstance(name, str):
            continue
        # Readers see no difference between one space and two, or one at the end.
        seen_as = " ".join(name.split())
        if seen_as not in seen:
            seen[seen_as] = name
            continue
        first = seen[seen_as]
        message = f"a classifier named {quoted(name)} exists already"
        if first != name:
            message = f"{quoted(name)} differs from {quoted(first)} only in spaces"
        help_line = "give every classifier a name of its own"
        yield Finding(DUPLICATE_CLASSIFIER, message, (*path, "name"), help_line)


def _classes_missing(draft: Draft) -> Iterator[Finding]:
    task = draft.table("task")
    if not task or "classes" in task or draft.task_kind == "regression":
        return
    for path, classifier in draft.tables("classifiers"):
        if "confusion" in classifier:
            yield Finding(
                NEEDS_OTHER_KEY,
                "`confusion` needs `classes` in [task] for the order of rows and columns",
                (*path, "confusion"),
                'for example `classes = ["success", "failure"]`',
                absent=(("task", "classes"),),
            )
            return


def _source(path: KeyPath, classifier: Table) -> Iterator[Finding]:
    given = [source for source in SOURCES if source in classifier]
    if not given:
        yield Finding(
            CLASSIFIER_SOURCE,
            f"a classifier needs {words(SOURCES)}",
            (*path, SOURCES[0]),
            'for example `predictions = "data/svm.parquet"`',
            Aim.TABLE,
            absent=tuple((*path, source) for source in SOURCES),
        )
    for source in given[1:]:
        yield Finding(
            CLASSIFIER_SOURCE,
            f"`{source}` cannot stand beside `{given[0]}`",
            (*path, source),
            "keep one of them: they could contradict each other",
            Aim.KEY,
        )


def _confusion(draft: Draft, path: KeyPath, classifier: Table) -> Iterator[Finding]:
    rows = classifier.get("confusion")
    place = (*path, "confusion")
    if rows is not None and draft.task_kind == "regression":
        message = "`confusion` does not fit a regression task"
        yield Finding(TASK_MISFIT, message, place, "give `predictions` instead", Aim.KEY)
    elif isinstance(rows, list) and rows and all(isinstance(row, list) and row for row in rows):
        fault = _shape(rows, draft.classes)
        if fault is not None:
            help_line = "one row per true class, one column per predicted class"
            yield Finding(BAD_CONFUSION, fault, place, help_line)


def _shape(rows: list[list[object]], classes: tuple[str, ...] | None) -> str | None:
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows):
            return (
                "`confusion` must be square, but"
                f" row {number} has {_count(len(row), 'cell')} and there are"
                f" {_count(len(rows), 'row')}"
            )
    if classes is not None and len(rows) != len(classes):
        return f"`confusion` has {_count(len(rows), 'row')}, but there are {len(classes)} classes"
    if all(cell == 0 and not isinstance(cell, bool) for row in rows for cell in row):
        return "`confusion` has no cases: all counts are 0"
    counts = [cell for row in rows for cell in row if isinstance(cell, int)]
    if sum(counts) > LARGEST_COUNT:
        return "`confusion` has more than 2^53 cases, which cannot be counted exactly"
    return None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _fold_scores(path: KeyPath, classifier: Table) -> Iterator[Finding]:
    scores = classifier.get("fold_scores")
    written = scores.items() if isinstance(scores, dict) else ()
    lists = [(key, items) for key, items in written if isinstance(items, list) and items]
    for key, items in lists[1:]:
        first, expected = lists[0][0], len(lists[0][1])
        if len(items) != expected:
            yield Finding(
                FOLD_SCORES_LENGTHS,
                f"{quoted(key)} has {_count(len(items), 'score')},"
                f" but {quoted(first)} has {expected}",
                (*path, "fold_scores", key),
                "every list has one score per fold",
            )
