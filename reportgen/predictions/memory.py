"""Memory check: estimate the memory that reading needs, and compare it with what is available."""

from __future__ import annotations

import functools
import os
import resource
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, RenderingError
from reportgen.errors.run import INSUFFICIENT_MEMORY
from reportgen.predictions.cases import is_single_classifier
from reportgen.predictions.files import expand_path
from reportgen.predictions.formats import FileFormat, detect_format, is_zstd, read_zstd
from reportgen.predictions.packed_files import zstd_size_bound
from reportgen.predictions.parquet_structure import read_row_count
from reportgen.predictions.stored_tables import STORED_FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.spec import Classifier, DataSettings, SpecFile

# Upper bounds of the peak memory per row, measured (docs/performance.md).
_LABEL_BYTES, _SCORE_BYTES, _ID_BYTES, _NUMBER_BYTES = 16, 44, 48, 120
_SMALL_FILE_BYTES, _HEAD_BYTES, _HEAD_LINES = 1_000_000, 1_000_000, 1_000
# A truth and a prediction of one character each.
_LEAST_ROW_BYTES = 4
_GIGABYTE = 1e9
_CGROUP = Path("/sys/fs/cgroup")


def check_memory(spec_file: SpecFile) -> None:
    """Raise if the files of a spec probably need more memory than is available."""
    rows, required = 0, 0
    available = available_memory()
    # Several classifiers may name one file: its rows are estimated once.
    estimate_rows = functools.cache(_estimate_rows)
    for classifier in spec_file.spec.classifiers:
        data = spec_file.spec.data_settings_for(classifier)
        file_rows = sum(map(estimate_rows, _input_paths(spec_file, classifier)))
        classifier_rows = file_rows // _models_in_file(spec_file, classifier)
        rows += classifier_rows
        required += classifier_rows * _bytes_per_row(spec_file, data)
    if required <= available:
        return
    message = (
        f"{rows:_} rows need about {_format_bytes(required)} of memory,"
        f" but {_format_bytes(available)} are free{_format_limit()}"
    ).replace("_", " ")
    help_text = (
        "name fewer columns (`id` and `score` take most), build on a larger machine, or let Spark"
        ' count: `kind = "spark"` under `[engine]` (docs/engines.md)'
    )
    raise RenderingError(Diagnostic(INSUFFICIENT_MEMORY, message, help=help_text))


def _models_in_file(spec_file: SpecFile, classifier: Classifier) -> int:
    """Return how many classifiers share the rows of a file in long format."""
    spec = spec_file.spec
    if not (classifier.where and spec.has_shared_files(classifier)):
        return 1
    return sum(map(spec.has_shared_files, spec.classifiers))


def _format_limit() -> str:
    limits = [limit for limit, _index in _process_limits()]
    return f" of the {_format_bytes(min(limits))} that it may take" if limits else ""


def _format_bytes(number: float) -> str:
    """Format a number of bytes in MB or GB."""
    gigabytes = number / _GIGABYTE
    return f"{gigabytes:.1f} GB" if gigabytes >= 1 else f"{1000 * gigabytes:.0f} MB"


def _input_paths(spec_file: SpecFile, classifier: Classifier) -> Iterator[Path]:
    for pattern in classifier.predictions or ():
        for file in expand_path(spec_file.folder, pattern):
            if file.path.is_file():
                yield file.path


def _bytes_per_row(spec_file: SpecFile, data: DataSettings) -> int:
    """Return the bytes per row; 0 where duplicate rows are aggregated while reading."""
    spec = spec_file.spec
    if data.where is not None:
        # The number of rows kept is unknown before reading.
        return 0
    if spec.task.kind == "regression":
        return _NUMBER_BYTES
    has_scores = data.score is not None or data.probabilities is not None
    if is_single_classifier(spec) and data.id is None and not has_scores:
        return 0
    return (
        _LABEL_BYTES
        + (_SCORE_BYTES if has_scores else 0)
        + (_ID_BYTES if data.id is not None else 0)
    )


def _estimate_rows(path: Path) -> int:
    """Return the number of rows of a file, estimated for text; 0 for small files.

    Where the estimate itself fails, as it may for want of memory, it is the most that the file can
    hold, so that a check is never missed.
    """
    size = path.stat().st_size
    try:
        kind = detect_format(path)
        if kind is FileFormat.PARQUET:
            # Damaged files are reported when they are read.
            return read_row_count(path) or 0
        if kind is FileFormat.ARROW_FILE:
            return int(pl.scan_ipc(path, glob=False).select(pl.len()).collect().item())
        return 0 if kind in STORED_FORMATS else _estimate_lines(path, size)
    except (DataError, zlib.error):
        # Invalid files are reported when they are read.
        return 0
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, MemoryError):
        return size // _LEAST_ROW_BYTES


def _estimate_lines(path: Path, size: int) -> int:
    """Estimate the number of lines of a text, compressed or not, from its first megabyte."""
    with path.open("rb") as stream:
        if is_zstd(path):
            # Unpacked as a whole by all readers.
            head = read_zstd(path, _HEAD_LINES)
            return zstd_size_bound(stream) * head.count(b"\n") // max(len(head), 1)
        if stream.read(2) != b"\x1f\x8b":
            stream.seek(0)
            head = stream.read(_HEAD_BYTES) if size >= _SMALL_FILE_BYTES else b""
            return size * head.count(b"\n") // max(len(head), 1)
        stream.seek(0)
        packed = stream.read(_HEAD_BYTES)
        # Not by the size at the end of the file, which anybody can write there.
        inflater = zlib.decompressobj(16 + zlib.MAX_WBITS)
        head = inflater.decompress(packed, _HEAD_BYTES)
        consumed = len(packed) - len(inflater.unconsumed_tail) - len(inflater.unused_data)
        return size * head.count(b"\n") // max(consumed, 1)


def available_memory() -> int:
    """Return the bytes available to this process: of the system, its cgroup and its rlimits."""
    return max(0, min([_system_memory(), *_cgroup_memory(), *_rlimit_memory()]))


def _system_memory() -> int:
    try:
        meminfo = Path("/proc/meminfo").read_text(encoding="ascii").split("MemAvailable:")[1]
        return int(meminfo.split()[0]) * 1024
    except (OSError, IndexError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _cgroup_memory() -> Iterator[int]:
    """Yield the memory left by the cgroup limit, not counting cached files."""
    try:
        maximum = int((_CGROUP / "memory.max").read_text(encoding="ascii"))
        used = int((_CGROUP / "memory.current").read_text(encoding="ascii"))
        cached = (_CGROUP / "memory.stat").read_text(encoding="ascii").split("inactive_file ")[1]
        yield maximum - used + int(cached.split()[0])
    except (OSError, IndexError, ValueError):
        return


def _rlimit_memory() -> Iterator[int]:
    """Yield the memory left by the limits of address space and data of this process."""
    for limit, index in _process_limits():
        try:
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[index])
        except (OSError, ValueError, IndexError):
            pages = 0
        yield limit - pages * resource.getpagesize()


def _process_limits() -> Iterator[tuple[int, int]]:
    """Yield each limit of this process, with the index of the memory in use in statm."""
    for limit, index in ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)):
        soft_limit, _ = resource.getrlimit(limit)
        if soft_limit != resource.RLIM_INFINITY:
            yield soft_limit, index
