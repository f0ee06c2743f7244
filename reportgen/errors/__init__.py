"""What can go wrong, with codes."""

from reportgen.errors import data_faults, job_faults, run_faults, spec_faults
from reportgen.errors.address import Address
from reportgen.errors.fault import (
    DataError,
    ExitCode,
    Fault,
    FaultKind,
    HistoryError,
    LockedError,
    OutputError,
    Place,
    RenderingError,
    ReportgenError,
    SpecError,
)
from reportgen.errors.nearest import did_you_mean, did_you_mean_file, nearest

KINDS = {
    kind.code: kind
    for module in (spec_faults, data_faults, run_faults, job_faults)
    for kind in vars(module).values()
    if isinstance(kind, FaultKind)
}

__all__ = [
    "KINDS",
    "Address",
    "DataError",
    "ExitCode",
    "Fault",
    "FaultKind",
    "HistoryError",
    "LockedError",
    "OutputError",
    "Place",
    "RenderingError",
    "ReportgenError",
    "SpecError",
    "did_you_mean",
    "did_you_mean_file",
    "nearest",
]
