"""Preset of Inspect: logs of an evaluation, as `.eval` archives or as JSON."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

from reportgen.errors import DataError
from reportgen.predictions.formats import FileFormat, detect_format, read_zstd
from reportgen.predictions.presets.evaluation_logs import (
    LogEntry,
    build_log_preset,
    collect_entries,
    malformed_log_diagnostic,
    optional_text,
    parse_log,
    parse_outcome,
    read_log_document,
)

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.predictions.table import PredictionTable

_TITLE = "a log of Inspect"
_LOG_START = re.compile(r'^\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:[^{]*"eval"\s*:\s*\{')
_ZSTD_METHOD = 93
_LOCAL_HEADER_SIZE = 30


def open_inspect(path: Path, _expected_columns: tuple[str, ...] = ()) -> PredictionTable:
    """Open a log: the samples of a model, an epoch and a scorer."""
    if detect_format(path) is FileFormat.INSPECT_LOG:
        header = parse_log(path, _read_member(path, "header.json"), _TITLE)
        samples = parse_log(path, _read_member(path, "summaries.json"), _TITLE)
    else:
        header = read_log_document(path, _LOG_START, _TITLE)
        samples = header.get("samples") or []
    return collect_entries(path, _TITLE, lambda: _parse_samples(header, samples))


def _read_member(path: Path, name: str) -> bytes:
    """Return a member of an archive, which Inspect packs with zstd in newer versions.

    The zipfile module reads zstd from Python 3.14 on only.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            member = archive.getinfo(name)
            if member.compress_type != _ZSTD_METHOD:
                return archive.read(name)
        with path.open("rb") as stream:
            stream.seek(member.header_offset)
            lengths = struct.unpack("<HH", stream.read(_LOCAL_HEADER_SIZE)[-4:])
            stream.seek(sum(lengths), 1)
            return read_zstd(path, content=stream.read(member.compress_size))
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError, RuntimeError),
        *(KeyError, OSError, struct.error, NotImplementedError),
    ) as error:
        raise DataError(malformed_log_diagnostic(path, _TITLE)) from error


def _parse_samples(header: Any, samples: Any) -> list[LogEntry]:  # noqa: ANN401  # JSON
    evaluation = header["eval"]
    entries = []
    for sample in samples:
        # A sample that ended in an error has no scores.
        for scorer, score in (sample.get("scores") or {None: {}}).items():
            target = sample["target"]
            single = target[0] if isinstance(target, list) and len(target) == 1 else target
            entries.append(
                LogEntry(
                    model=str(evaluation["model"]),
                    task=str(evaluation["task"]),
                    case=f"{evaluation['task']}/{sample['id']}",
                    epoch=str(sample["epoch"]),
                    scorer=scorer or _first_scorer(evaluation),
                    target=optional_text(single),
                    answer=optional_text(score.get("answer")),
                    outcome=parse_outcome(score.get("value")),
                )
            )
    return entries


def _first_scorer(evaluation: Any) -> str | None:  # noqa: ANN401  # JSON
    scorers = evaluation.get("scorers") or []
    return str(scorers[0]["name"]) if scorers else None


PRESET = build_log_preset("inspect", _TITLE, open_inspect)
