"""The sample report, rendered once for all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.rendering.page.html import render_html
from reportgen.rendering.page.pdf import render_pdf
from tests.rendering.sample_report import sample_report

if TYPE_CHECKING:
    from reportgen.report.document import Report


@pytest.fixture(scope="session")
def report() -> Report:
    """Return a report with every block and cell."""
    return sample_report()


@pytest.fixture(scope="session")
def page(report: Report) -> str:
    """Return the report as HTML."""
    return render_html(report)


@pytest.fixture(scope="session")
def pdf(report: Report) -> bytes:
    """Return the report as PDF."""
    return render_pdf(report, attachment=b'{"schema": "reportgen/results/1"}').content
