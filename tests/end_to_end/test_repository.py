"""The repository keeps its promises: layers, documents, imports, the wheel."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
import venv
from dataclasses import replace
from pathlib import Path

import pytest

from reportgen import __version__
from reportgen.measures import likelihood
from reportgen.report.sections import SECTIONS

ROOT = Path(__file__).parents[2]
HEAVY = ("polars", "scipy", "matplotlib", "weasyprint", "jinja2", "numpy")


@pytest.mark.slow
def test_each_folder_imports_only_those_below_it() -> None:
    """The import contract holds."""
    lint = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run([lint, "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stdout


@pytest.mark.slow
def test_derived_documents_are_in_step() -> None:
    """README, docs and schemas say what the code says."""
    run = subprocess.run(
        [sys.executable, "scripts/write_docs.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--help"], ["build", "--help"], ["--version"]])
def test_help_needs_no_heavy_library(arguments: list[str]) -> None:
    """Asking for help is quick, because nothing is loaded that help does not need."""
    code = (
        "import sys\n"
        f"sys.argv = ['reportgen', *{arguments!r}]\n"
        "from reportgen.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n"
        f"    print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stderr.strip() == "[]"


def test_the_changelog_knows_this_version() -> None:
    """What is released is written down."""
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_links_of_the_documents_lead_somewhere() -> None:
    """A link to a file in the repository has a file at its end."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    broken = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]

    assert broken == []


def test_the_glossary_names_what_is_in_the_code() -> None:
    """Its last column has modules, and after a colon what they define."""
    lines = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").splitlines()
    rows = [line.split("|")[-2] for line in lines if line.startswith("|")]
    named = [
        name for row in rows for name in re.findall(r"`(\w[\w/.]*?(?:/|\.py)(?:: \w+)?)`", row)
    ]
    missing = [
        name
        for name in named
        for path, _, symbol in [name.partition(": ")]
        if not (ROOT / "reportgen" / path).exists()
        or (symbol and not re.search(rf"\b{symbol}\b", (ROOT / "reportgen" / path).read_text()))
    ]

    assert len(named) > 50
    assert missing == []


def test_files_named_in_contributing_and_the_decision_records_exist() -> None:
    """Recipes and records lead to files by their path, or the end of it."""
    pages = [
        ROOT / "CONTRIBUTING.md",
        ROOT / "docs/architecture.md",
        *(ROOT / "docs/adr").glob("*"),
    ]
    known = [
        f"/{path.relative_to(ROOT).as_posix()}"
        for folder in (
            "reportgen",
            "tests",
            "templates",
            "benchmarks",
            "scripts",
            "docs",
            "schemas",
        )
        for path in [ROOT / folder, *(ROOT / folder).rglob("*")]
    ]
    missing = [
        f"{page.name}: {name}"
        for page in pages
        for name in re.findall(r"`([\w/.-]+(?:\.py|\.js|/))`", page.read_text(encoding="utf-8"))
        if not any(path.endswith(f"/{name.rstrip('/')}") for path in known)
    ]

    assert missing == []


def test_the_measure_in_contributing_is_the_one_of_the_code() -> None:
    """Whoever copies it gets a measure, with the fields of today."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n( +YOUDEN = .*?)```", text, re.DOTALL)
    assert example is not None
    namespace = dict(vars(likelihood))
    exec(textwrap.dedent(example[1]), namespace)  # noqa: S102  # our own page

    assert namespace["YOUDEN"] == replace(likelihood.YOUDEN, aliases=())


def test_every_decision_record_has_status_date_and_an_entry_in_the_index() -> None:
    """The title of the index is that of the record."""
    index = (ROOT / "docs/adr/README.md").read_text(encoding="utf-8")
    records = sorted((ROOT / "docs/adr").glob("0*.md"))
    for path in records:
        text = path.read_text(encoding="utf-8")
        head = re.match(r"# (\d{4}) (.+)\n\n- Status: (.+)\n- Date: (\S+)\n", text)
        assert head is not None, path.name
        number, title, status, date = head.groups()
        assert f"| [{number}]({path.name}) | {title} | {status} | {date} |" in index

    assert len(records) > 20


def test_how_to_read_a_report_names_every_section_by_its_heading() -> None:
    """Its table leads from questions to sections."""
    page = (ROOT / "docs/reading-a-report.md").read_text(encoding="utf-8")
    table = page.partition("| question | section |\n")[2].partition("\n\n")[0]
    named = {
        name.strip() for row in table.splitlines()[1:] for name in row.split("|")[2].split(";")
    }

    assert named == {section.title for section in SECTIONS.values()}


@pytest.mark.slow
def test_the_wheel_builds_a_report_elsewhere(tmp_path: Path) -> None:
    """What people install has templates and fonts in it, and needs nothing of the checkout."""
    options = ["--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run([sys.executable, "-m", "build", *options], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    place = tmp_path / "elsewhere"
    # The dependencies are those of this environment; the project itself is the wheel's.
    venv.create(place / "venv", with_pip=False, system_site_packages=False)
    site = next((place / "venv").glob("lib/python*/site-packages"))
    subprocess.run([sys.executable, "-m", "zipfile", "-e", wheel, site], check=True)
    dependencies = next(Path(path) for path in sys.path if path.endswith("site-packages"))
    (site / "dependencies.pth").write_text(str(dependencies), encoding="utf-8")
    python = place / "venv/bin/python"
    for command in (["init"], ["build", "reportgen.toml", "-o", "out"]):
        subprocess.run([python, "-m", "reportgen", *command], check=True, cwd=place)

    names = {path.name for path in (place / "out/reportgen").iterdir()}
    assert names == {"report.html", "report.pdf", "results.json", "manifest.json"}
    stdout = subprocess.run(
        [python, "-c", "import reportgen; print(reportgen.__file__)"],
        check=True,
        cwd=place,
        capture_output=True,
        text=True,
    ).stdout
    assert str(site) in stdout
