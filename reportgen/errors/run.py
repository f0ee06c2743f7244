"""Error codes of the environment (E40x), of output (E500) and of reportgen itself (E700)."""

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
    f" again: {PANGO_INSTALL}. `reportgen doctor` checks the installation.",
)
RENDERING_FAILED = ErrorCode(
    "E401",
    "rendering failed",
    "The renderer reported an error, which the message contains. All other formats were written.",
)
OUTPUT_UNWRITABLE = ErrorCode(
    "E500",
    "cannot write the output",
    "The output folder cannot be created or written: no permission, no free space, or a file of"
    " that name. The previous report is unchanged.",
)
INVALID_SOURCE_DATE = ErrorCode(
    "E402",
    "SOURCE_DATE_EPOCH is not a date",
    "The environment variable SOURCE_DATE_EPOCH sets the date of reports, in seconds since 1970."
    " Its value is not such a number. Without the variable a report has no date, so that the same"
    " inputs give the same bytes.",
)
WORKER_DIED = ErrorCode(
    "E403",
    "a worker process died",
    "Several specs are built by worker processes. This one was killed or exited before the report"
    " was complete; the previous report is unchanged. A typical cause is running out of memory:"
    " `--jobs 1` builds one report after another.",
)
INSUFFICIENT_MEMORY = ErrorCode(
    "E404",
    "not enough memory for the inputs",
    "Before files are read, their memory is estimated from the number of rows. It exceeds the free"
    " memory of the machine, the container or the limit of the process. Ids and scores need the"
    " most memory; one classifier without them needs none per row. The Spark engine counts"
    " data that exceed one machine.",
)
ENGINE_UNAVAILABLE = ErrorCode(
    "E405",
    "cannot start the engine",
    'With `kind = "spark"` in [engine] the packages pyspark and narwhals are required, and Java'
    " 17 or later or a server of Spark Connect. `pip install 'reportgen-eval[spark]'` installs the"
    " packages, `apt-get install default-jre-headless` (Debian, Ubuntu) Java.",
)
ENGINE_FAILED = ErrorCode(
    "E406",
    "the engine failed",
    "Spark was started but failed while counting; the message has the first line of its error, its"
    " logs have the rest. The previous report is unchanged.",
)
FIGURE_DRIVER_MISSING = ErrorCode(
    "E409",
    "figures need the package pypdfium2",
    "The format `figures` writes PNG files with pypdfium2: `pip install 'reportgen-eval[figures]'`"
    " installs it. Other formats are written all the same.",
)
INTERNAL_ERROR = ErrorCode(
    "E700",
    "internal error",
    "An unexpected error, a bug in reportgen. The message names a file with the traceback. Please"
    " report it with that file.",
)


def internal_error_diagnostic(spec_path: Path, error: Exception) -> Diagnostic:
    """Return the diagnostic of an unexpected exception, with the path of its crash report."""
    message = f"internal error: {type(error).__name__}: {error}"
    return Diagnostic(
        INTERNAL_ERROR,
        message,
        Location(spec_path),
        f"please report it with {write_crash_report()}",
    )


MAX_TRACEBACK_LINES = 5


def write_crash_report() -> str:
    """Write the current traceback to a temporary file and return its path.

    Where no file can be written, as on a full disk, the end of the traceback is returned.
    """
    import tempfile
    import traceback

    from reportgen import __version__

    try:
        with tempfile.NamedTemporaryFile(
            *("w", -1, "utf-8"),
            errors="backslashreplace",
            prefix="reportgen-crash-",
            suffix=".txt",
            delete=False,
        ) as file:
            file.write(f"reportgen {__version__}\n{traceback.format_exc()}")
    except OSError:
        lines = traceback.format_exc().splitlines()
        return " ".join(line.strip() for line in lines[-MAX_TRACEBACK_LINES:])
    return file.name
