"""Data sets are named once, stand in every path, and fit the task."""

from collections.abc import Iterator

from reportgen.errors import did_you_mean
from reportgen.errors.spec_faults import (
    DATASET_PLACEHOLDER,
    DATASETS_MISFIT,
    MALFORMED,
    MISSING_KEY,
    NEEDS_OTHER_KEY,
    OUT_OF_RANGE,
    REPEATED,
    TASK_MISFIT,
    UNKNOWN_CLASS,
)
from reportgen.spec.datasets import OF_DATA, PLACEHOLDER
from reportgen.spec.draft import Draft, Table
from reportgen.spec.findings import Aim, Finding, KeyPath, quoted
from reportgen.spec.texts import label_text

OF_ONE_DATA_SET = ("confusion", "fold_scores")
TABLES_OF_ONE = ("published", "prevalence", "thresholds", "gates")
_NEEDS = {"labels": "id", "threshold": "score"}


def dataset_findings(draft: Draft) -> Iterator[Finding]:
    """Yield what is wrong with [[datasets]], and what does not go with several data sets."""
    yield from _names(draft)
    for path, dataset in draft.tables("datasets"):
        yield from _task(draft, path, dataset)
        yield from _columns(draft, path, dataset)
    yield from _labels(draft)
    for path, classifier in draft.tables("classifiers"):
        yield from _paths(draft, path, classifier)
    if has_several(draft):
        yield from _of_one_data_set(draft)


def has_several(draft: Draft) -> bool:
    """Tell whether classifiers are compared over several data sets."""
    scored = any("dataset_scores" in table for _, table in draft.tables("classifiers"))
    return "datasets" in draft.document or scored


def named_per_dataset(draft: Draft) -> bool:
    """Tell whether [task] needs no positive class: data sets name theirs, or there are no cases."""
    datasets = [table for _, table in draft.tables("datasets")]
    own = [table for table in datasets if "positive" in table or _kind(draft, table) != "binary"]
    sources = [table for _, table in draft.tables("classifiers")]
    scored = [table for table in sources if "dataset_scores" in table]
    return (bool(own) and len(own) == len(datasets)) or (
        bool(scored) and len(scored) == len(sources)
    )


def _kind(draft: Draft, dataset: Table) -> object:
    return dataset.get("kind", draft.task_kind)


def _names(draft: Draft) -> Iterator[Finding]:
    seen: set[str] = set()
    tables = list(draft.tables("datasets"))
    for path, dataset in tables:
        name = dataset.get("name")
        if isinstance(name, str) and name in seen:
            message = f"the data set {quoted(name)} is listed twice"
            yield Finding(REPEATED, message, (*path, "name"), "keep one of the two")
        elif isinstance(name, str):
            seen.add(name)
    if len(tables) == 1:
        yield Finding(
            OUT_OF_RANGE,
            "one data set is no comparison over data sets: [[datasets]] needs two or more",
            tables[0][0],
            "for a single one leave [[datasets]] out and write its path into `predictions`",
        )


def _task(draft: Draft, path: KeyPath, dataset: Table) -> Iterator[Finding]:
    kind, shared = _kind(draft, dataset), draft.task_kind
    if shared is not None and (kind == "regression") != (shared == "regression"):
        message = f"a data set of kind {quoted(kind)} does not fit a {shared} task"
        yield Finding(TASK_MISFIT, message, (*path, "kind"), "no measure would fit both")
        return
    if kind == "binary" and "positive" not in dataset and draft.positive is None:
        name = dataset.get("name")
        yield Finding(
            MISSING_KEY,
            f"`positive` is missing for the binary data set {quoted(name)}",
            (*path, "positive"),
            'for example `positive = "malignant"`',
            Aim.TABLE,
            absent=((*path, "positive"), ("task", "positive")),
        )
    if kind in {"multiclass", "regression"} and "positive" in dataset:
        message = f"`positive` does not fit a {kind} data set"
        yield Finding(TASK_MISFIT, message, (*path, "positive"), "take `positive` out", Aim.KEY)
    if kind == "regression" and "classes" in dataset:
        message = "`classes` does not fit a regression task"
        yield Finding(TASK_MISFIT, message, (*path, "classes"), "take `classes` out", Aim.KEY)
    yield from _positive(path, dataset)


def _positive(path: KeyPath, dataset: Table) -> Iterator[Finding]:
    written, positive = dataset.get("classes"), label_text(dataset.get("positive"))
    classes = [label_text(item) for item in written] if isinstance(written, list) else []
    known = tuple(label for label in classes if label is not None)
    if positive is not None and known and positive not in known:
        yield Finding(
            UNKNOWN_CLASS,
            f"{quoted(positive)} is not among the classes of its data set",
            (*path, "positive"),
            did_you_mean(positive, known) or f"there are {', '.join(map(quoted, known[:10]))}",
        )


def _columns(draft: Draft, path: KeyPath, dataset: Table) -> Iterator[Finding]:
    columns = dataset.get("probabilities")
    if isinstance(columns, str) and columns.strip() and "{class}" not in columns:
        message = "`probabilities` must contain {class}, which stands for the class"
        yield Finding(MALFORMED, message, (*path, "probabilities"), 'for example "p_{class}"')
    if "threshold" in dataset and _kind(draft, dataset) in {"multiclass", "regression"}:
        message = f"`threshold` does not fit a {_kind(draft, dataset)} data set"
        yield Finding(TASK_MISFIT, message, (*path, "threshold"), "take it out", Aim.KEY)
        return
    merged = {*draft.table("data"), *(key for key in OF_DATA if key in dataset)}
    for key, needed in _NEEDS.items():
        if key in dataset and not merged & {needed, "format"}:
            yield Finding(
                NEEDS_OTHER_KEY,
                f"`{key}` needs `{needed}`",
                (*path, key),
                f"add `{needed}` to [data]",
                absent=(("data", needed), (*path, needed)),
            )


def _labels(draft: Draft) -> Iterator[Finding]:
    tables: list[tuple[KeyPath, Table]] = [(("data",), draft.table("data"))]
    for path, table in (*tables, *draft.tables("classifiers")):
        labels = table.get("labels")
        if isinstance(labels, str) and PLACEHOLDER in labels and "datasets" not in draft.document:
            yield _nothing_to_stand_for((*path, "labels"))


def _paths(draft: Draft, path: KeyPath, classifier: Table) -> Iterator[Finding]:
    written, place = classifier.get("predictions"), (*path, "predictions")
    paths: list[tuple[KeyPath, object]] = (
        [((*place, index), item) for index, item in enumerate(written)]
        if isinstance(written, list)
        else [(place, written)]
    )
    for spot, item in paths:
        if not isinstance(item, str) or not item.strip():
            continue
        if PLACEHOLDER in item and "datasets" not in draft.document:
            yield _nothing_to_stand_for(spot)
        elif PLACEHOLDER not in item and "datasets" in draft.document:
            yield Finding(
                DATASET_PLACEHOLDER,
                f"the path must contain {PLACEHOLDER}, or every data set reads the same file",
                spot,
                f'for example "data/{PLACEHOLDER}/svm.csv"',
            )


def _nothing_to_stand_for(path: KeyPath) -> Finding:
    return Finding(
        DATASET_PLACEHOLDER,
        f"{PLACEHOLDER} stands for the names of [[datasets]], and there are none",
        path,
        'add [[datasets]], each with a `name`, as `name = "wine"`',
        absent=(("datasets",),),
    )


def _of_one_data_set(draft: Draft) -> Iterator[Finding]:
    for path, classifier in draft.tables("classifiers"):
        if "dataset_scores" in classifier:
            # A second source beside it is a fault of its own.
            continue
        for source in OF_ONE_DATA_SET:
            if source in classifier:
                message = f"`{source}` is of one data set, but the spec compares over several"
                help_line = "give `predictions` or `dataset_scores`, or write a spec of its own"
                yield Finding(DATASETS_MISFIT, message, (*path, source), help_line, Aim.KEY)
        if "predictions" in classifier and "datasets" not in draft.document:
            message = "`predictions` of one data set cannot stand beside scores of several"
            help_line = f"add [[datasets]] and write {PLACEHOLDER} into the path"
            yield Finding(DATASETS_MISFIT, message, (*path, "predictions"), help_line, Aim.KEY)
    for key in TABLES_OF_ONE:
        if key in draft.document:
            message = f"`{key}` is for one data set, but the spec compares over several"
            help_line = "take it out, or write a spec for the single data set"
            yield Finding(DATASETS_MISFIT, message, (key,), help_line, Aim.KEY)
