"""As much of manifest.json and results.json as a site needs, from any version of reportgen."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from reportgen.jobs.publishing.index import MainValue


class FileModel(BaseModel):
    """A part of a file; whatever else is there is not needed."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="ignore")


class OutputRow(FileModel):
    """A file of a report."""

    path: str
    sha256: str


class InputRow(FileModel):
    """A file that was read."""

    classifier: str | None


class SpecText(FileModel):
    """The spec as it was."""

    text: str


class ManifestFile(FileModel):
    """From what, and into what, a report was made."""

    title: str
    spec: SpecText
    inputs: tuple[InputRow, ...]
    outputs: tuple[OutputRow, ...]


class ScoreRow(MainValue):
    """One value of one measure."""

    class_: str | None = Field(alias="class")
    average: str | None
    fold: str | None
    measure: str


class GateRow(FileModel):
    """A condition and whether it was met."""

    classifier: str
    measure: str
    class_: str | None = Field(default=None, alias="class")
    average: str | None = None
    level: str = "error"
    passed: bool
    tested: bool = True
    why: str


class TaskRow(FileModel):
    """What was to be predicted."""

    kind: str


class ResultsFile(FileModel):
    """What was found."""

    task: TaskRow
    scores: tuple[ScoreRow, ...]
    gates: tuple[GateRow, ...] = ()
