"""`reportgen doctor`: check the installation."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import typer

from reportgen.cli.console import format_table, print_data, print_formatted, print_json
from reportgen.cli.options import JsonOption
from reportgen.errors import ExitCode
from reportgen.errors.run import PANGO_INSTALL

if TYPE_CHECKING:
    from collections.abc import Iterator

MIN_PYTHON = (3, 11)
PDF_TIMEOUT_SECONDS = 120
# In a child process, because a missing font library may crash it.
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
sys.stdout.write(f"{size} bytes, Pango {version}")
"""


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """The result of one check."""

    name: str
    passed: bool
    detail: str
    help: str = ""


def doctor(
    as_json: JsonOption = False,
) -> None:
    """Check the installation: Python, libraries, fonts and a one-page PDF."""
    checks = list(_run_checks())
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        rows = [("ok" if check.passed else "FAIL", check.name, check.detail) for check in checks]
        print_formatted(format_table(rows))
        for check in checks:
            if check.help:
                print_data(f"{check.name}: {check.help}")
    all_passed = all(check.passed for check in checks)
    raise typer.Exit(ExitCode.SUCCESS if all_passed else ExitCode.ENVIRONMENT)


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
            help="reinstall reportgen",
        )
    return DoctorCheck("templates and fonts", passed=True, detail=str(folder))


def _check_pdf() -> DoctorCheck:
    import subprocess

    try:
        run = subprocess.run(  # noqa: S603  # this interpreter
            [sys.executable, "-c", PDF_TEST_SCRIPT],
            capture_output=True,
            text=True,
            timeout=PDF_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return DoctorCheck(
            "one-page PDF", passed=False, detail=f"not finished after {PDF_TIMEOUT_SECONDS} s"
        )
    if run.returncode == 0:
        return DoctorCheck("one-page PDF", passed=True, detail=run.stdout)
    last_line = (run.stderr.strip().splitlines() or [f"exit code {run.returncode}"])[-1]
    return DoctorCheck(
        "one-page PDF",
        passed=False,
        detail=last_line,
        help=f"if Pango is missing: {PANGO_INSTALL}",
    )
