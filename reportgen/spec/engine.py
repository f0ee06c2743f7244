"""What counts the cases: this machine, or an engine over many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from reportgen.errors.spec import CREDENTIALS_IN_URI, NOT_SUPPORTED_BY_ENGINE, REQUIRES_OTHER_KEY
from reportgen.spec.fields import SingleLine, SpecModel, custom_error
from reportgen.spec.issues import (
    Highlight,
    KeyPath,
    RawSpec,
    RawTable,
    ValidationIssue,
    quote_value,
)

MAX_DISTINCT_SCORES = 1_000_000
DEFAULT_SCORE_BINS = 65_536


def _check_no_credentials(url: str) -> str:
    if "@" in url or ";" in url:
        raise custom_error(
            CREDENTIALS_IN_URI,
            "must be a host and a port, without a user, a token or other settings",
            "Spark's own configuration and environment variables have room for them:"
            " docs/engines.md",
        )
    return url


class EngineSettings(SpecModel):
    """What counts the cases: polars on this machine, or Spark where they outgrow it."""

    kind: Literal["polars", "spark"] = Field(default="polars", examples=["spark"])
    """polars, on this machine; or spark, on a cluster or on this machine (docs/engines.md)."""

    url: Annotated[SingleLine, AfterValidator(_check_no_credentials)] | None = Field(
        default=None, examples=["sc://spark.example.org:15002"]
    )
    """Where Spark is: sc://host:port of Spark Connect, or a master as spark://… or local[4].

    By default the session that is active, or one as Spark's own configuration says.
    """

    most_scores: Annotated[int, Field(ge=1)] = Field(
        default=MAX_DISTINCT_SCORES, examples=[MAX_DISTINCT_SCORES]
    )
    """Up to so many different scores of a classifier each is counted by itself on Spark."""

    bins: Annotated[int, Field(ge=16, le=10_000_000)] = Field(
        default=DEFAULT_SCORE_BINS, examples=[DEFAULT_SCORE_BINS]
    )
    """In so many bins scores are counted on Spark if there are more; the report says how exact."""


# What an engine over many machines cannot do is said before any work.

_SPARK_KEYS = ("url", "most_scores", "bins")
_UNSUPPORTED_ON_SPARK = {
    "probabilities": "name the score of the positive class with `score`, or take them out",
    "format": "save plain columns and name them: `truth`, `prediction`, `score`",
    "where": "keep the rows when the files are written",
}


def validate_engine(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield what does not work on Spark, and settings of Spark where it is not used."""
    engine = raw.table("engine")
    if engine.get("kind", "polars") == "polars":
        for key in _SPARK_KEYS:
            if key in engine:
                message = f'`{key}` has no effect unless the engine is of kind "spark"'
                help_text = f'write `kind = "spark"` under `[engine]`, or take `{key}` out'
                yield ValidationIssue(
                    REQUIRES_OTHER_KEY, message, ("engine", key), help_text, Highlight.KEY
                )
    if engine.get("kind") == "spark":
        yield from _validate_spark(raw)


def _validate_spark(raw: RawSpec) -> Iterator[ValidationIssue]:
    if raw.task_kind == "regression":
        message = "numeric predictions cannot be evaluated on Spark"
        help_text = 'take `kind = "spark"` out of `[engine]`'
        yield ValidationIssue(NOT_SUPPORTED_BY_ENGINE, message, ("task", "kind"), help_text)
    classifiers = list(raw.tables("classifiers"))
    tables: list[tuple[KeyPath, RawTable]] = [(("data",), raw.table("data")), *classifiers]
    for path, table in tables:
        for key, way_out in _UNSUPPORTED_ON_SPARK.items():
            if key in table:
                message = f"`{key}` does not work on Spark"
                yield ValidationIssue(
                    NOT_SUPPORTED_BY_ENGINE, message, (*path, key), way_out, Highlight.KEY
                )
    read = [(path, own) for path, own in classifiers if "predictions" in own]
    for path, own in read:
        yield from _validate_ids_for_spark(
            raw.table("data"), path, own, multiple_classifiers=len(read) > 1
        )


def _validate_ids_for_spark(
    data: RawTable, path: KeyPath, classifier: RawTable, *, multiple_classifiers: bool
) -> Iterator[ValidationIssue]:
    if "id" in classifier or "id" in data:
        return
    name = quote_value(classifier.get("name", ""))
    help_text = 'name a column that has them: `id = "…"` under `[data]`'
    if multiple_classifiers:
        message = f"{name} has no ids, and on Spark the order of rows says nothing about the cases"
        yield ValidationIssue(NOT_SUPPORTED_BY_ENGINE, message, (*path, "predictions"), help_text)
    elif "labels" in classifier or "labels" in data:
        message = f"{name} has no ids by which the labels could be joined"
        yield ValidationIssue(NOT_SUPPORTED_BY_ENGINE, message, (*path, "predictions"), help_text)
