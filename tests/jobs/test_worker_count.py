"""How many reports are built at the same time, if nobody says it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reportgen.jobs import resources
from reportgen.jobs.job import Job
from reportgen.jobs.resources import default_worker_count
from reportgen.spec.output import OutputSettings

OUT = Path("out")
WITH_PDF = '[output]\nformats = ["html", "pdf"]\n'
WITHOUT_PDF = '[output]\nformats = ["json"]\n'


@pytest.fixture(autouse=True)
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the machine have four cores."""
    monkeypatch.setattr(resources, "available_cores", lambda: 4)


def jobs(folder: Path, *texts: str) -> list[Job]:
    """Return a job for each text of a spec."""
    specs = [folder / f"{place}.toml" for place in range(len(texts))]
    for spec, text in zip(specs, texts, strict=True):
        spec.write_text(text, encoding="utf-8")
    return [Job(spec, OUT) for spec in specs]


@pytest.mark.parametrize(
    ("texts", "at_once"),
    [
        ([WITH_PDF], 1),
        ([WITH_PDF, WITH_PDF], 2),
        ([WITH_PDF, *[WITHOUT_PDF] * 5], 1),
        ([WITH_PDF, *[WITHOUT_PDF] * 6], 2),
        ([WITH_PDF] * 5, 4),
        ([WITHOUT_PDF] * 11, 1),
        ([WITHOUT_PDF] * 12, 2),
        ([WITHOUT_PDF] * 18, 3),
        ([WITHOUT_PDF] * 100, 4),
    ],
)
def test_workers_are_for_many_specs_or_some_with_a_pdf(
    tmp_path: Path, texts: list[str], at_once: int
) -> None:
    """Each worker has a PDF to make, or six reports without one, or it is not started."""
    assert default_worker_count(jobs(tmp_path, *texts)) == at_once


def test_a_spec_that_names_no_formats_makes_a_pdf(tmp_path: Path) -> None:
    """As the model of the spec has it."""
    assert "pdf" in OutputSettings().formats
    assert default_worker_count(jobs(tmp_path, "", "")) == 2


def test_formats_of_the_call_count_instead_of_the_specs() -> None:
    """The specs are not even read."""
    spec = Path("there is none.toml")

    assert default_worker_count([Job(spec, OUT, ("json",))] * 2) == 1
    assert default_worker_count([Job(spec, OUT, ("pdf",))] * 2) == 2


@pytest.mark.parametrize(
    "text", ["a = ", "output = 7", "[output]\nformats = 7\n", "a = " + "[" * 100_000]
)
def test_a_broken_spec_is_no_matter_here(tmp_path: Path, text: str) -> None:
    """Its faults are told where it is built."""
    assert default_worker_count(jobs(tmp_path, text, text)) in {1, 2}


def test_specs_from_pipes_are_built_here(tmp_path: Path) -> None:
    """`reportgen build <(one) <(two)`: another process could not open them."""
    specs = [tmp_path / "a.toml", tmp_path / "b.toml"]
    for spec in specs:
        os.mkfifo(spec)

    assert default_worker_count([Job(spec, OUT) for spec in specs]) == 1
