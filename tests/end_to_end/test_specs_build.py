"""Every spec in specs/ builds: they are examples and tests at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
from pypdf import PdfReader

from reportgen.export.schema import Results, results_schema
from tests.end_to_end.goldens import check_golden

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
SPECS = sorted((ROOT / "specs").glob("*.toml"))


# One worker has all tests of a spec, so that each spec is built once.
every_spec = pytest.mark.parametrize(
    "name",
    [pytest.param(spec.stem, marks=pytest.mark.xdist_group(spec.stem)) for spec in SPECS],
)


@every_spec
def test_results_match_the_golden(
    build_spec: Callable[[str], Path], name: str, *, update_goldens: bool
) -> None:
    """Results change only on purpose: `make goldens` renews what is expected."""
    results = json.loads((build_spec(name) / "results.json").read_text(encoding="utf-8"))

    check_golden(name, results, update=update_goldens)


@every_spec
def test_results_fit_the_published_schema(build_spec: Callable[[str], Path], name: str) -> None:
    """Other programs rely on the schema."""
    results = json.loads((build_spec(name) / "results.json").read_text(encoding="utf-8"))

    jsonschema.validate(results, results_schema())
    assert results == json.loads(Results.model_validate(results).model_dump_json(by_alias=True))


@every_spec
def test_the_manifest_names_every_file_by_its_hash(
    build_spec: Callable[[str], Path], name: str
) -> None:
    """Whoever has the manifest can tell whether a file is the one that was written."""
    folder = build_spec(name)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    listed = {output["path"]: output["sha256"] for output in manifest["outputs"]}
    files = {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }

    assert listed == files
    for entry in manifest["inputs"]:
        content = (ROOT / "specs" / entry["path"]).read_bytes()
        assert entry["sha256"] == sha256(content).hexdigest()


@pytest.mark.xdist_group("enegotiation")
def test_the_pdf_holds_the_tables_and_the_results(build_spec: Callable[[str], Path]) -> None:
    """The printed report says what the page says, and carries its numbers along."""
    reader = PdfReader(build_spec("enegotiation") / "report.pdf")
    text = "".join(page.extract_text() for page in reader.pages)

    for expected in ("superior for negatives", "superior on positive examples", "limited", "3.22"):
        assert expected in " ".join(text.split())
    attached = reader.attachments["results.json"][0]
    assert attached == (build_spec("enegotiation") / "results.json").read_bytes()
    assert reader.outline


@pytest.mark.xdist_group("breast_cancer")
def test_the_flagship_page_can_be_sent_by_mail(build_spec: Callable[[str], Path]) -> None:
    """With all figures, the data of its sliders and the script: at most 450 kB."""
    assert (build_spec("breast_cancer") / "report.html").stat().st_size <= 450_000


@pytest.mark.slow
def test_the_same_inputs_give_the_same_bytes(tmp_path: Path) -> None:
    """Whatever the zone, the hash seed and the number of threads, the files are identical."""
    hashes = []
    for seed, zone, threads in (("1", "Europe/Berlin", "1"), ("2", "Asia/Tokyo", "8")):
        output = tmp_path / seed
        specs = ["specs/breast_cancer.toml", "specs/diabetes.toml"]
        subprocess.run(
            [sys.executable, "-m", "reportgen", "build", *specs, "-o", output],
            check=True,
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONHASHSEED": seed,
                "TZ": zone,
                "POLARS_MAX_THREADS": threads,
            },
            capture_output=True,
        )
        # Beside the reports there is the history, which tells times.
        files = (path for path in output.glob("*/**/*") if path.is_file())
        hashes.append(
            {path.relative_to(output): sha256(path.read_bytes()).hexdigest() for path in files}
        )

    assert hashes[0] == hashes[1]
    assert {path.name for path in hashes[0]} == {
        "report.html",
        "report.pdf",
        "results.json",
        "manifest.json",
    }
