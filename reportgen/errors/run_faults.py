"""Faults of the machine and of writing: E4xx and E5xx."""

from reportgen.errors.fault import FaultKind

PANGO_INSTALL = (
    "apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 (Debian, Ubuntu),"
    " brew install pango (macOS)"
)
PANGO_MISSING = FaultKind(
    "E400",
    "PDF needs the Pango library",
    "WeasyPrint lays out PDF pages with Pango. HTML and JSON were written; install Pango and build"
    f" again: {PANGO_INSTALL}. `reportgen doctor` checks it.",
)
RENDERING_FAILED = FaultKind(
    "E401",
    "a document could not be rendered",
    "The renderer reported a fault, which the message names. What could be written was written.",
)
OUTPUT_UNWRITABLE = FaultKind(
    "E500",
    "the output cannot be written",
    "The output folder cannot be made or written: no permission, no space, or a file is in its"
    " place. The earlier report is untouched.",
)
DATE_UNREADABLE = FaultKind(
    "E402",
    "SOURCE_DATE_EPOCH is no date",
    "The environment variable SOURCE_DATE_EPOCH gives reports a date, in seconds since 1970. It is"
    " set to something else. Without it a report bears no date, so that the same inputs give the"
    " same bytes.",
)
