"""Faults of the machine, of writing and of reportgen itself: E4xx, E5xx and E7xx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.errors.diagnostics import Diagnostic, ErrorCode, Location

if TYPE_CHECKING:
    from pathlib import Path


PANGO_PACKAGES = "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
PANGO_INSTALL = f"apt-get install {PANGO_PACKAGES} (Debian, Ubuntu), brew install pango (macOS)"
PANGO_MISSING = ErrorCode(
    "E400",
    "PDF needs the Pango library",
    "WeasyPrint lays out PDF pages with Pango. HTML and JSON were written; install Pango and build"
    f" again: {PANGO_INSTALL}. `reportgen doctor` checks it.",
)
RENDERING_FAILED = ErrorCode(
    "E401",
    "a document could not be rendered",
    "The renderer reported a fault, which the message names. What could be written was written.",
)
OUTPUT_UNWRITABLE = ErrorCode(
    "E500",
    "the output cannot be written",
    "The output folder cannot be made or written: no permission, no space, or a file is in its"
    " place. The earlier report is untouched.",
)
INVALID_SOURCE_DATE = ErrorCode(
    "E402",
    "SOURCE_DATE_EPOCH is no date",
    "The environment variable SOURCE_DATE_EPOCH gives reports a date, in seconds since 1970. It is"
    " set to something else. Without it a report bears no date, so that the same inputs give the"
    " same bytes.",
)
WORKER_DIED = ErrorCode(
    "E403",
    "the process that built a report ended too early",
    "Of several specs each is built in a process of its own. This one was killed, or ended by"
    " itself, before the report was done; the earlier report is untouched. A typical cause is that"
    " the memory was used up: `--jobs 1` builds one report after another.",
)
INSUFFICIENT_MEMORY = ErrorCode(
    "E404",
    "the inputs need more memory than there is",
    "Before files are read, their rows are counted or estimated. Together they would take more"
    " memory than the machine, the container or the limit of the process leaves, and the work would"
    " break off in the middle. Counts of one classifier without ids and scores need no memory per"
    " row; ids and scores need the most. An engine such as Spark counts beyond one machine.",
)
ENGINE_UNAVAILABLE = ErrorCode(
    "E405",
    "the engine cannot be started",
    'With `kind = "spark"` under `[engine]` the packages pyspark and narwhals are needed, and Java'
    " 17 or later or a server of Spark Connect. `pip install 'reportgen-eval[spark]'` installs the"
    " packages, `apt-get install default-jre-headless` (Debian, Ubuntu) Java.",
)
ENGINE_FAILED = ErrorCode(
    "E406",
    "the engine broke off",
    "Spark was started but did not finish counting; the message has the first line of what it said,"
    " and its own logs have the rest. The earlier report is untouched.",
)
INTERNAL_ERROR = ErrorCode(
    "E700",
    "an internal error",
    "Something went wrong that reportgen did not foresee; the fault is its own. The message names a"
    " file that says what happened where. Please report it with that file.",
)


# What is kept of an error that nobody foresaw.


def internal_error_diagnostic(spec_path: Path, error: Exception) -> Diagnostic:
    """Return the fault of a spec that met an error nobody foresaw, with where it is written."""
    message = f"internal error: {type(error).__name__}: {error}"
    return Diagnostic(
        INTERNAL_ERROR,
        message,
        Location(spec_path),
        f"please report it with {write_crash_report()}",
    )


def write_crash_report() -> str:
    """Write the traceback to a file of its own: a job's log may be gone tomorrow."""
    import tempfile
    import traceback

    from reportgen import __version__

    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="reportgen-crash-", suffix=".txt", delete=False
    ) as file:
        file.write(f"reportgen {__version__}\n{traceback.format_exc()}")
    return file.name
