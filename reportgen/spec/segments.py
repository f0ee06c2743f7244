"""The tables [[segments]]: columns whose values divide the cases into subgroups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from reportgen.errors.spec import REQUIRES_OTHER_KEY
from reportgen.spec.fields import SingleLine, SpecModel
from reportgen.spec.issues import ValidationIssue, duplicate_issues

if TYPE_CHECKING:
    from reportgen.spec.spec import Spec

DEFAULT_MINIMUM = 30


class SegmentColumn(SpecModel):
    """A column of segments: every overall measure is evaluated for each of its values."""

    column: SingleLine = Field(examples=["site"])
    """The column whose values are the segments."""

    minimum: Annotated[int, Field(ge=2)] = Field(default=DEFAULT_MINIMUM, examples=[50])
    """The number of cases below which a segment is listed but not tested."""


def validate_segments(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield columns of segments that are named twice, and segments without cases."""
    columns = [segment.column for segment in spec.segments]
    yield from duplicate_issues("column", columns, ("segments",), "column")
    if spec.segments and (
        spec.dataset_names or all(classifier.predictions is None for classifier in spec.classifiers)
    ):
        yield ValidationIssue(
            REQUIRES_OTHER_KEY,
            "segments need the predictions of one data set",
            ("segments", 0),
            "remove [[segments]]"
            if spec.dataset_names
            else "give the classifiers `predictions`, or remove [[segments]]",
        )
