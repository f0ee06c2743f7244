"""What counts the cases: this machine, or an engine over many."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from reportgen.errors.spec_faults import ADDRESS_UNSAFE
from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Line, refusal

MOST_SCORES = 1_000_000
BINS = 65_536


def _without_secret(url: str) -> str:
    if "@" in url or ";" in url:
        raise refusal(
            ADDRESS_UNSAFE,
            "must be a host and a port, without a user, a token or other settings",
            "Spark's own configuration and environment variables have room for them:"
            " docs/engines.md",
        )
    return url


class Engine(SpecModel):
    """What counts the cases: polars on this machine, or Spark where they outgrow it."""

    kind: Literal["polars", "spark"] = Field(default="polars", examples=["spark"])
    """polars, on this machine; or spark, on a cluster or on this machine (docs/engines.md)."""

    url: Annotated[Line, AfterValidator(_without_secret)] | None = Field(
        default=None, examples=["sc://spark.example.org:15002"]
    )
    """Where Spark is: sc://host:port of Spark Connect, or a master as spark://… or local[4].

    By default the session that is active, or one as Spark's own configuration says.
    """

    most_scores: Annotated[int, Field(ge=1)] = Field(default=MOST_SCORES, examples=[MOST_SCORES])
    """Up to so many different scores of a classifier each is counted by itself on Spark."""

    bins: Annotated[int, Field(ge=16, le=10_000_000)] = Field(default=BINS, examples=[BINS])
    """In so many bins scores are counted on Spark if there are more; the report says how exact."""
