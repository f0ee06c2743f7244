"""Files that a spec names beside its data, such as a logo or a text."""

from __future__ import annotations

from reportgen.errors import Fault, FaultKind, SpecError, did_you_mean_file
from reportgen.spec.read import SpecFile


def named_content(spec_file: SpecFile, named: str, kind: FaultKind, *keys: str | int) -> bytes:
    """Return the content of the file that the keys of a spec name, or raise the fault there."""
    path = spec_file.folder / named
    help_line = None
    try:
        return path.read_bytes()
    except FileNotFoundError:
        found = f"the file `{named}` does not exist"
        help_line = did_you_mean_file(path.name, (other.name for other in path.parent.glob("*")))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        found = f"`{named}` cannot be read: {reason}"
    raise SpecError(Fault(kind, found, spec_file.place(*keys), help_line))
