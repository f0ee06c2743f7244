"""`reportgen doctor`: whether this machine has what reports need."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.console import print_data, print_json
from reportgen.errors import ExitCode
from reportgen.errors.run import PANGO_INSTALL

if TYPE_CHECKING:
    from collections.abc import Iterator

MIN_PYTHON = (3, 11)
PDF_TIMEOUT_SECONDS = 120
# In a child process, because a missing font library may take the whole process with it.
PDF_TEST_SCRIPT = """
import sys
from reportgen.render.pdf import render_pdf
from reportgen.report.document import Paragraph, ReportDocument, ReportSection
words = Paragraph(("One page",))
report = ReportDocument("One page", words, (ReportSection("summary", "Summary", (words,)),), words)
size = len(render_pdf(report, attachment=b"{}").content)
from weasyprint.text.ffi import pango
number = pango.pango_version()
version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
sys.stdout.write(f"{size} bytes, set by Pango {version}")
"""


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One thing that was looked at."""

    name: str
    passed: bool
    detail: str
    help: str = ""


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Check that this machine can build reports: Python, libraries, fonts and a one-page PDF."""
    findings = list(_run_checks())
    if as_json:
        print_json([asdict(found) for found in findings])
    else:
        for found in findings:
            print_data(f"{'ok  ' if found.passed else 'FAIL'}  {found.name}: {found.detail}")
            if found.help:
                print_data(f"      {found.help}")
    fine = all(found.passed for found in findings)
    raise typer.Exit(ExitCode.SUCCESS if fine else ExitCode.ENVIRONMENT)


def _run_checks() -> Iterator[DoctorCheck]:
    import platform
    from importlib.metadata import PackageNotFoundError, version

    recent = sys.version_info >= MIN_PYTHON
    yield DoctorCheck(
        "Python", recent, platform.python_version(), "" if recent else "install 3.11+"
    )
    for library in ("polars", "scipy", "jinja2", "pydantic", "weasyprint"):
        try:
            yield DoctorCheck(library, passed=True, detail=version(library))
        except PackageNotFoundError:
            yield DoctorCheck(
                library, passed=False, detail="missing", help=f"pip install {library}"
            )
    yield _check_templates()
    yield _check_pdf()


def _check_templates() -> DoctorCheck:
    from reportgen.render.resources import FONT_FACES, template_folder

    folder = template_folder()
    missing = [name for name, *_ in FONT_FACES if not (folder / "fonts" / name).is_file()]
    if missing:
        return DoctorCheck(
            "templates and fonts",
            passed=False,
            detail=f"{', '.join(missing)} missing in {folder}",
            help="install reportgen again",
        )
    return DoctorCheck("templates and fonts", passed=True, detail=str(folder))


def _check_pdf() -> DoctorCheck:
    import subprocess

    try:
        run = subprocess.run(  # noqa: S603  # this very interpreter
            [sys.executable, "-c", PDF_TEST_SCRIPT],
            capture_output=True,
            text=True,
            timeout=PDF_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return DoctorCheck(
            "a one-page PDF", passed=False, detail=f"not done after {PDF_TIMEOUT_SECONDS} s"
        )
    if run.returncode == 0:
        return DoctorCheck("a one-page PDF", passed=True, detail=run.stdout)
    last_line = (run.stderr.strip().splitlines() or [f"stopped by {run.returncode}"])[-1]
    return DoctorCheck(
        "a one-page PDF",
        passed=False,
        detail=last_line,
        help=f"if Pango is missing: {PANGO_INSTALL}",
    )
