"""Columns and settings of [data], also where a classifier overrides them."""

from collections.abc import Iterator

from reportgen.errors.spec_faults import MALFORMED, NEEDS_OTHER_KEY, TASK_MISFIT
from reportgen.spec.draft import Draft, Table
from reportgen.spec.findings import Aim, Finding, KeyPath

_NEEDS = {
    "labels": ("id", "labels are joined"),
    "threshold": ("score", "it is applied"),
    "score_kind": ("score", "it belongs"),
}
_MISFITS = {
    "binary": (),
    "multiclass": ("threshold", "score_kind"),
    "regression": ("score", "score_kind", "probabilities", "threshold"),
}


def column_findings(draft: Draft) -> Iterator[Finding]:
    """Yield settings of columns that do not fit the task, their form or each other."""
    tables: list[tuple[KeyPath, Table]] = [
        (("data",), draft.table("data")),
        *draft.tables("classifiers"),
    ]
    for path, table in tables:
        yield from _form(path, table)
        yield from _misfits(draft, path, table)
    yield from _needs(draft)


def _form(path: KeyPath, table: Table) -> Iterator[Finding]:
    columns = table.get("probabilities")
    if isinstance(columns, str) and columns.strip() and "{class}" not in columns:
        yield Finding(
            MALFORMED,
            "`probabilities` must contain {class}, which stands for the class",
            (*path, "probabilities"),
            'for example "p_{class}"',
        )


def _misfits(draft: Draft, path: KeyPath, table: Table) -> Iterator[Finding]:
    for key in _MISFITS.get(draft.task_kind or "", ()):
        if key in table:
            message = f"`{key}` does not fit a {draft.task_kind} task"
            yield Finding(TASK_MISFIT, message, (*path, key), f"take `{key}` out", Aim.KEY)


def _needs(draft: Draft) -> Iterator[Finding]:
    shared = draft.table("data")
    readers = [item for item in draft.tables("classifiers") if "predictions" in item[1]]
    for path, own in readers or [(("data",), shared)]:
        for key, (needed, reason) in _NEEDS.items():
            merged = {*shared, *own}
            # A tool's format brings its own columns of ids and scores.
            needed_here = needed not in merged and "format" not in merged
            misfit = key in _MISFITS.get(draft.task_kind or "", ())
            if key in merged and needed_here and not misfit:
                place = (*path, key) if key in own else ("data", key)
                yield Finding(
                    NEEDS_OTHER_KEY,
                    f"`{key}` needs `{needed}`, the column {reason} {_preposition(key)}",
                    place,
                    f"add `{needed}` to [data]",
                    absent=(("data", needed), (*path, needed)),
                )


def _preposition(key: str) -> str:
    return "by" if key == "labels" else "to"
