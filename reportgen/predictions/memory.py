"""How much memory reading will take, told before it is missing."""

from __future__ import annotations

import gzip
import os
import resource
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, RenderingError
from reportgen.errors.run import INSUFFICIENT_MEMORY
from reportgen.predictions.cases import is_single_classifier
from reportgen.predictions.files import expand_path
from reportgen.predictions.formats import FileFormat, detect_format

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.spec import Classifier, DataSettings, SpecFile

# Bytes per row at the height of the work, as measured (docs/performance.md), on the safe side.
_LABEL_BYTES, _SCORE_BYTES, _ID_BYTES, _NUMBER_BYTES = 16, 44, 48, 120
_SMALL_FILE_BYTES, _HEAD_BYTES = 1_000_000, 1_000_000
_GIGABYTE = 1e9
_CGROUP = Path("/sys/fs/cgroup")


def check_memory(spec_file: SpecFile) -> None:
    """Raise if the files that a spec names are likely to need more memory than there is."""
    rows, needed = 0, 0
    for classifier in spec_file.spec.classifiers:
        data = spec_file.spec.data_settings_for(classifier)
        own = sum(_estimate_rows(path) for path in _input_paths(spec_file, classifier))
        rows += own
        needed += own * _bytes_per_row(spec_file, data)
    if not needed or needed <= (free := available_memory()):
        return
    message = (
        f"{rows:_} rows need about {_format_bytes(needed)} of memory,"
        f" but {_format_bytes(free)} are free{_format_limit()}"
    ).replace("_", " ")
    help_text = (
        "name fewer columns (`id` and `score` take most), build on a larger machine, or let Spark"
        ' count: `kind = "spark"` under `[engine]` (docs/engines.md)'
    )
    raise RenderingError(Diagnostic(INSUFFICIENT_MEMORY, message, help=help_text))


def _format_limit() -> str:
    limits = [most for most, _place in _process_limits()]
    return f" of the {_format_bytes(min(limits))} that it may take" if limits else ""


def _format_bytes(number: float) -> str:
    """Write a number of bytes in the unit that suits it."""
    gigabytes = number / _GIGABYTE
    return f"{gigabytes:.1f} GB" if gigabytes >= 1 else f"{1000 * gigabytes:.0f} MB"


def _input_paths(spec_file: SpecFile, classifier: Classifier) -> Iterator[Path]:
    for written in classifier.predictions or ():
        for file in expand_path(spec_file.folder, written):
            if file.path.is_file():
                yield file.path


def _bytes_per_row(spec_file: SpecFile, data: DataSettings) -> int:
    """Return what a row takes; equal rows of a classifier alone are counted, not held."""
    spec = spec_file.spec
    if data.where is not None:
        # How many rows are kept is not known before they are read.
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
    """Return how many rows a file has, or about so many; of a small file it does not matter."""
    size = path.stat().st_size
    if size < _SMALL_FILE_BYTES:
        return 0
    try:
        kind = detect_format(path)
        if kind in {FileFormat.PARQUET, FileFormat.ARROW_FILE}:
            scan = pl.scan_parquet if kind is FileFormat.PARQUET else pl.scan_ipc
            return int(scan(path, glob=False).select(pl.len()).collect().item())
        return _estimate_lines(path, size)
    except (pl.exceptions.PolarsError, DataError, OSError, EOFError):
        # What is wrong with a file is told by reading it.
        return 0


def _estimate_lines(path: Path, size: int) -> int:
    """Estimate the lines of a text, packed or not, by its first million characters."""
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
        stream.seek(0)
        head = (gzip.GzipFile(fileobj=stream) if packed else stream).read(_HEAD_BYTES)
        return size * head.count(b"\n") // max(stream.tell(), 1)


def available_memory() -> int:
    """Return how many bytes this process may still take: of the machine, its group, its limit."""
    return max(0, min([_system_memory(), *_cgroup_memory(), *_rlimit_memory()]))


def _system_memory() -> int:
    try:
        told = Path("/proc/meminfo").read_text(encoding="ascii").split("MemAvailable:")[1]
        return int(told.split()[0]) * 1024
    except (OSError, IndexError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _cgroup_memory() -> Iterator[int]:
    """Yield what a container's limit leaves, in which cached files do not count."""
    try:
        most = int((_CGROUP / "memory.max").read_text(encoding="ascii"))
        used = int((_CGROUP / "memory.current").read_text(encoding="ascii"))
        cached = (_CGROUP / "memory.stat").read_text(encoding="ascii").split("inactive_file ")[1]
        yield most - used + int(cached.split()[0])
    except (OSError, IndexError, ValueError):
        return


def _rlimit_memory() -> Iterator[int]:
    """Yield what the limits of this process leave: of addresses, and of memory to write to."""
    for most, place in _process_limits():
        try:
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[place])
        except (OSError, ValueError, IndexError):
            pages = 0
        yield most - pages * resource.getpagesize()


def _process_limits() -> Iterator[tuple[int, int]]:
    """Yield each limit that this process has, with the place in statm of what it has taken."""
    for limit, place in ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)):
        most, _ = resource.getrlimit(limit)
        if most != resource.RLIM_INFINITY:
            yield most, place
