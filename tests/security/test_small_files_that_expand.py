"""Small or malformed files use bounded memory and time, and end with a clear error."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import DataError, ExitCode, SpecError
from reportgen.jobs.job import Job
from reportgen.jobs.runner import run_job
from reportgen.predictions.files import natural_sort_key
from reportgen.predictions.formats import detect_format
from reportgen.spec import load_spec
from tests.small_specs import YES_OR_NO

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from reportgen.jobs.job import JobOutcome

MEGABYTE = b"a" * (1 << 20)


def write_gzip(path: Path, chunks: Iterable[bytes]) -> Path:
    """Write chunks that compress well."""
    with gzip.open(path, "wb", compresslevel=9) as stream:
        for chunk in chunks:
            stream.write(chunk)
    return path


@pytest.mark.parametrize("start", [b"", b"id,truth,prediction\n1,yes,"], ids=["header", "value"])
def test_a_line_that_unpacks_to_a_gigabyte_is_not_read(tmp_path: Path, start: bytes) -> None:
    """It is found while unpacking, before a row is read."""
    path = write_gzip(tmp_path / "bomb.csv.gz", [start, *[MEGABYTE] * 40])

    with pytest.raises(DataError, match="a line is longer than 16 MiB"):
        detect_format(path)


def test_a_table_that_compresses_well_is_read(tmp_path: Path) -> None:
    """Constant predictions shrink to a thousandth, and are many short lines."""
    path = write_gzip(
        tmp_path / "constant.csv.gz", [b"truth,prediction\n", *[b"yes,yes\n" * 100_000] * 25]
    )

    assert path.stat().st_size * 100 < 20_000_000
    assert detect_format(path) == "CSV"


def build_from(folder: Path, name: str, content: bytes, keys: str = "") -> JobOutcome:
    """Build a report from one file."""
    (folder / name).write_bytes(content)
    (folder / "spec.toml").write_text(
        f"""{YES_OR_NO}
[data]
truth = "truth"
prediction = "prediction"
{keys}
[[classifiers]]
name = "A"
predictions = "{name}"
""",
        encoding="utf-8",
    )
    return run_job(Job(folder / "spec.toml", folder / "out", ("json",)))


ROWS = [
    {"id": str(number), "truth": "yes" if number % 2 else "no", "prediction": "yes"}
    for number in range(20)
]
LINES = b"".join(json.dumps(row).encode() + b"\n" for row in ROWS)


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": "x", "truth": "yes", "prediction": "\xff"}\n',
        b'{"id": "x", "truth": ' + b"[" * 100_000 + b"]" * 100_000 + b', "prediction": "yes"}\n',
        b'{"id": ' + b"9" * 5_000 + b', "truth": "yes", "prediction": "yes"}\n',
        b'{"id": "x"',
    ],
    ids=["not UTF-8", "deeply nested", "5000 digits", "not closed"],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_malformed_line_of_json_is_an_error_of_the_data(
    tmp_path: Path, line: bytes, *, is_first: bool
) -> None:
    """Not an internal error, wherever it is."""
    outcome = build_from(tmp_path, "rows.jsonl", line + LINES if is_first else LINES + line)

    assert outcome.exit_code is ExitCode.DATA
    assert outcome.diagnostics


def test_a_fold_of_thousands_of_digits_is_sorted_as_text(tmp_path: Path) -> None:
    """Python does not parse it as a number."""
    folds = ["2", "10", "9" * 5000]
    rows = "".join(f"{truth},yes,{fold}\n" for fold in folds for truth in ("yes", "no"))
    content = f"truth,prediction,fold\n{rows}".encode()
    outcome = build_from(tmp_path, "rows.csv", content, 'fold = "fold"')

    assert outcome.exit_code is ExitCode.SUCCESS
    assert sorted([folds[2], *folds[:2]], key=natural_sort_key) == folds


@pytest.mark.parametrize("key", [".".join(["a"] * 50_000), '"a" . ' * 5_000 + "b"])
def test_a_key_of_thousands_of_parts_is_rejected_at_once(tmp_path: Path, key: str) -> None:
    """The parser would need minutes and gigabytes."""
    path = tmp_path / "spec.toml"
    path.write_text(f"{key} = 1\n", encoding="utf-8")

    with pytest.raises(SpecError, match="more than 64 parts"):
        load_spec(path)


def test_long_lists_of_numbers_are_no_long_keys(tmp_path: Path) -> None:
    """They have as many dots."""
    path = tmp_path / "spec.toml"
    values = ", ".join(["0.81"] * 500)
    path.write_text(
        f'[task]\nkind = "binary"\npositive = "yes"\n[[classifiers]]\nname = "A"\n'
        f"fold_scores = {{ accuracy = [{values}] }}\n",
        encoding="utf-8",
    )

    assert len(load_spec(path).spec.classifiers) == 1
