"""What an engine over many machines cannot do is said before any work."""

from collections.abc import Iterator

from reportgen.errors.spec_faults import ENGINE_MISFIT, NEEDS_OTHER_KEY
from reportgen.spec.draft import Draft, Table
from reportgen.spec.findings import Aim, Finding, KeyPath, quoted

_OF_SPARK = ("url", "most_scores", "bins")
_UNSUPPORTED = {
    "probabilities": "name the score of the positive class with `score`, or take them out",
    "format": "save plain columns and name them: `truth`, `prediction`, `score`",
    "where": "keep the rows when the files are written",
}


def engine_findings(draft: Draft) -> Iterator[Finding]:
    """Yield what does not work on Spark, and settings of Spark where it is not used."""
    engine = draft.table("engine")
    if engine.get("kind", "polars") == "polars":
        for key in _OF_SPARK:
            if key in engine:
                message = f'`{key}` has no effect unless the engine is of kind "spark"'
                help_text = f'write `kind = "spark"` under `[engine]`, or take `{key}` out'
                yield Finding(NEEDS_OTHER_KEY, message, ("engine", key), help_text, Aim.KEY)
    if engine.get("kind") == "spark":
        yield from _on_spark(draft)


def _on_spark(draft: Draft) -> Iterator[Finding]:
    if draft.task_kind == "regression":
        message = "numeric predictions cannot be evaluated on Spark"
        help_text = 'take `kind = "spark"` out of `[engine]`'
        yield Finding(ENGINE_MISFIT, message, ("task", "kind"), help_text)
    classifiers = list(draft.tables("classifiers"))
    tables: list[tuple[KeyPath, Table]] = [(("data",), draft.table("data")), *classifiers]
    for path, table in tables:
        for key, way_out in _UNSUPPORTED.items():
            if key in table:
                message = f"`{key}` does not work on Spark"
                yield Finding(ENGINE_MISFIT, message, (*path, key), way_out, Aim.KEY)
    read = [(path, own) for path, own in classifiers if "predictions" in own]
    for path, own in read:
        yield from _without_id(draft.table("data"), path, own, several=len(read) > 1)


def _without_id(shared: Table, path: KeyPath, own: Table, *, several: bool) -> Iterator[Finding]:
    if "id" in own or "id" in shared:
        return
    name = quoted(own.get("name", ""))
    help_text = 'name a column that has them: `id = "…"` under `[data]`'
    if several:
        message = f"{name} has no ids, and on Spark the order of rows says nothing about the cases"
        yield Finding(ENGINE_MISFIT, message, (*path, "predictions"), help_text)
    elif "labels" in own or "labels" in shared:
        message = f"{name} has no ids by which the labels could be joined"
        yield Finding(ENGINE_MISFIT, message, (*path, "predictions"), help_text)
