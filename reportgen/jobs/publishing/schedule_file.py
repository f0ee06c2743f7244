"""schedule.json: what the scheduler says of itself."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

from reportgen.jobs.publishing.public_words import public_text
from reportgen.places import SCHEDULE_FILE

if TYPE_CHECKING:
    from pathlib import Path


class ScheduleModel(BaseModel):
    """A part of the file; whatever else is there is not needed."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="ignore")


class ScheduledSpec(ScheduleModel):
    """A spec that is built again and again."""

    name: str
    spec: str = ""
    next: datetime | None = None
    last: datetime | None = None
    state: str | None = None
    why: str | None = None

    @property
    def public_why(self) -> str:
        """What is wrong with it, as far as everybody may read that."""
        return public_text(self.why or "", self.spec)


class ScheduleFile(ScheduleModel):
    """When the scheduler was last alive, and what it is going to do."""

    heartbeat: datetime | None = None
    specs: tuple[ScheduledSpec, ...] = ()

    def of(self, name: str) -> ScheduledSpec | None:
        """Return what is planned for a report."""
        return next((spec for spec in self.specs if spec.name == name), None)


def read_schedule(runs: Path) -> tuple[ScheduleFile | None, tuple[str, ...]]:
    """Return what the scheduler says, if there is one, and what is to be warned of."""
    path = runs / SCHEDULE_FILE
    if not path.is_file():
        return None, ()
    try:
        return ScheduleFile.model_validate_json(path.read_bytes()), ()
    except (OSError, ValidationError):
        return None, (f"{path} cannot be read, so the status page has no schedule",)
