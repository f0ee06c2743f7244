"""Error codes, diagnostics and exceptions."""

from reportgen.errors import data, jobs, run, spec
from reportgen.errors.diagnostics import (
    DataError,
    Diagnostic,
    ErrorCode,
    ExitCode,
    HistoryError,
    Location,
    LockedError,
    OutputError,
    RemoteUri,
    RenderingError,
    ReportgenError,
    SpecError,
    closest_match,
    did_you_mean,
    did_you_mean_file,
)

ERROR_CODES = {
    error_code.code: error_code
    for module in (spec, data, run, jobs)
    for error_code in vars(module).values()
    if isinstance(error_code, ErrorCode)
}

__all__ = [
    "ERROR_CODES",
    "DataError",
    "Diagnostic",
    "ErrorCode",
    "ExitCode",
    "HistoryError",
    "Location",
    "LockedError",
    "OutputError",
    "RemoteUri",
    "RenderingError",
    "ReportgenError",
    "SpecError",
    "closest_match",
    "did_you_mean",
    "did_you_mean_file",
]
