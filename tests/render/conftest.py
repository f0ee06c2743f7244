"""The sample report, rendered once for all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.render.html import render_html
from reportgen.render.pdf import render_pdf
from tests.render.sample_report import sample_report

if TYPE_CHECKING:
    from reportgen.report.document import ReportDocument


@pytest.fixture(scope="session")
def report() -> ReportDocument:
    """Return a report with every block and cell."""
    return sample_report()


@pytest.fixture(scope="session")
def page(report: ReportDocument) -> str:
    """Return the report as HTML."""
    return render_html(report)


@pytest.fixture(scope="session")
def pdf(report: ReportDocument) -> bytes:
    """Return the report as PDF."""
    return render_pdf(report, attachment=b'{"schema": "reportgen/results/1"}').content
