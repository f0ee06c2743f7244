"""The newest page of a spec, or what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.errors import ReportgenError
from reportgen.pipeline import evaluate_spec
from reportgen.predictions import read_predictions
from reportgen.preview.watching import data_files, look_files, stamp
from reportgen.rendering.formats import PAGE, render
from reportgen.rendering.page.look import read_look
from reportgen.spec import read_spec

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.errors import Fault
    from reportgen.preview.watching import Stamp
    from reportgen.report import Evaluation
    from reportgen.spec import Format

FORMATS: tuple[Format, ...] = ("html",)


@dataclass(slots=True)
class NewestPage:
    """Makes the page of a spec; the numbers only when the spec or the data changed."""

    spec: Path
    content: bytes = b""
    faults: tuple[Fault, ...] = ()
    version: int = 0
    _watched: tuple[Path, ...] = ()
    _seen: Stamp = ()
    _evaluation: Evaluation | None = None
    _evaluated: Stamp = ()

    def refresh(self) -> bool:
        """Make the page again if anything changed, and tell whether it did."""
        seen = stamp(self._watched or (self.spec,))
        if self.version and seen == self._seen:
            return False
        # Before the work, so that a change during it is not missed.
        self._seen = seen
        try:
            self.content = self._made()
            self.faults = ()
        except ReportgenError as error:
            self.faults = error.faults
        self.version += 1
        return True

    def _made(self) -> bytes:
        spec_file = read_spec(self.spec)
        data = data_files(spec_file)
        watched = tuple({*data, *look_files(spec_file)})
        if watched != self._watched:
            self._watched, self._seen = watched, stamp(watched)
        counted = stamp(data)
        # What is wrong with the look is said before the work, not after it.
        read_look(spec_file)
        if self._evaluation is None or counted != self._evaluated:
            self._evaluation = evaluate_spec(spec_file, read_predictions(spec_file))
            self._evaluated = counted
        return render(self._evaluation, FORMATS).files[PAGE]
