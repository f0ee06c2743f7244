"""`--max-memory`: whatever the limit, a run ends, and says that it was the limit."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import polars as pl
import pytest

from reportgen.jobs.resources import is_out_of_memory
from tests.jobs.runs import INSTEAD, assert_old_report_stands, build, on_linux

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

CASES = 500


@on_linux
def test_memory_that_would_not_do_is_reported_beforehand_with_rows_and_limit(
    tmp_path: Path,
) -> None:
    """3 million rows with scores and ids need 3e6 × (16 + 44 + 48) bytes = 0.32 GB."""
    rows = 3_000_000
    pl.select(
        truth=pl.int_range(rows) % 2,
        prediction=pl.int_range(rows) % 3 % 2,
        score=pl.int_range(rows) / rows,
        id=pl.int_range(rows),
    ).write_parquet(tmp_path / "a.parquet")
    (tmp_path / "large.toml").write_text(
        '[task]\nkind = "binary"\npositive = 1\n[data]\nscore = "score"\nid = "id"\n'
        '[[classifiers]]\nname = "A"\npredictions = "a.parquet"\n',
        encoding="utf-8",
    )

    run = build(tmp_path, "large.toml", "--max-memory", "300MB")

    assert run.returncode == 4
    assert "error[E404]: 3 000 000 rows need about 324 MB of memory" in run.stderr
    assert "MB are free of the 300 MB that it may take" in run.stderr
    assert not (tmp_path / "reports").exists()


@on_linux
def test_memory_that_is_used_up_is_reported_with_the_limit(changed_report: Path) -> None:
    """What nobody could foresee ends in a message as well."""
    greedy = INSTEAD.format("return bytearray(10**12)")

    run = build(changed_report, "small.toml", "--max-memory", "1GB", in_worker=greedy)

    assert run.returncode == 4
    assert "error[E408]: out of memory: the limit is 1000 MB" in run.stderr
    assert_old_report_stands(changed_report)


@on_linux
@pytest.mark.parametrize("limit", [100, 135, 180, 220, 260, 300, 340])
def test_a_limit_too_low_for_the_libraries_ends_the_run_as_well(tmp_path: Path, limit: int) -> None:
    """Libraries that get no memory must not wait for it: the build has two minutes at most."""
    draws = random.Random(7)  # noqa: S311  # scores, not secrets
    for name in "ABC":
        truths = ["yes" if number % 3 else "no" for number in range(CASES)]
        scores = [draws.random() for _ in range(CASES)]
        pl.DataFrame({"id": range(CASES), "truth": truths, "score": scores}).with_columns(
            prediction=pl.when(pl.col("score") > 0.5).then(pl.lit("yes")).otherwise(pl.lit("no"))
        ).write_csv(tmp_path / f"{name}.csv")
    classifiers = "".join(
        f'[[classifiers]]\nname = "{name}"\npredictions = "{name}.csv"\n' for name in "ABC"
    )
    (tmp_path / "scored.toml").write_text(
        '[task]\nkind = "binary"\npositive = "yes"\n[data]\nid = "id"\nscore = "score"\n'
        f"{classifiers}",
        encoding="utf-8",
    )

    run = build(tmp_path, "scored.toml", "--format", "html,pdf", "--max-memory", f"{limit}MB")

    assert run.returncode == 4, run.stderr
    assert "error[E408]" in run.stderr
    assert f"{limit} MB" in run.stderr
    assert not (tmp_path / "reports/scored").exists()


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("can't start new thread"),
        ImportError("libscipy_openblas.so: failed to map segment from shared object"),
        OSError(12, "Cannot allocate memory"),
    ],
    ids=["thread", "library", "call"],
)
def test_what_libraries_say_without_memory_means_it_under_a_limit(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Without a limit it may mean something else, and is an internal error."""
    monkeypatch.setattr("reportgen.jobs.resources.process_memory_limit", lambda: 10**12)
    assert is_out_of_memory(error)
    assert not is_out_of_memory(ValueError("a bug"))
    assert is_out_of_memory(MemoryError())

    monkeypatch.setattr("reportgen.jobs.resources.process_memory_limit", lambda: None)
    assert not is_out_of_memory(error)
    assert is_out_of_memory(MemoryError())


@on_linux
def test_any_error_close_to_the_limit_is_one_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python raises odd errors then: a ValueError of its compiler while it imports a module."""
    monkeypatch.setattr("reportgen.jobs.resources.process_memory_limit", lambda: 10**6)

    assert is_out_of_memory(ValueError("field 'target' is required for AnnAssign"))
