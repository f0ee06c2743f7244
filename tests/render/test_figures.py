"""Figures as files: SVG, PDF and PNG of every figure, with stable names."""

from __future__ import annotations

import io
import sys
from functools import cache
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree as ET

import pytest
from PIL import Image
from pypdf import PdfReader

from reportgen.pipeline import load_and_evaluate
from reportgen.render.formats import render
from reportgen.render.plain_text import block_anchor
from reportgen.render.theme import DEFAULT_THEME
from reportgen.report.build import build_report
from reportgen.report.document import Figure, ReportDocument, iter_blocks

GATES = Path(__file__).parents[2] / "specs" / "gates.toml"
pytestmark = pytest.mark.slow


@cache
def _report() -> ReportDocument:
    return build_report(load_and_evaluate(GATES))


@cache
def _files() -> dict[str, bytes]:
    rendered = render(load_and_evaluate(GATES), _report(), ("figures",), DEFAULT_THEME)
    return {path: file for path, file in rendered.files.items() if path.startswith("figures/")}


def test_every_figure_is_there_three_times_and_named_after_its_anchor() -> None:
    """Also figures that the page has folded."""
    anchors = {
        block_anchor(block)
        for section in _report().sections
        for block in iter_blocks(section.blocks)
        if isinstance(block, Figure)
    }

    assert len(anchors) > 1
    assert set(_files()) == {
        f"figures/{anchor.removeprefix('figure-')}.{extension}"
        for anchor in anchors
        for extension in ("svg", "pdf", "png")
    }


def test_files_are_what_their_names_say() -> None:
    """16 or 17.4 cm wide: 453.5 or 493.2 pt, and at 300 dpi 1890 or 2055 pixels."""
    for path, content in _files().items():
        match PurePosixPath(path).suffix:
            case ".svg":
                image = ET.fromstring(content)  # noqa: S314  # ours
                assert image.tag == "{http://www.w3.org/2000/svg}svg"
                assert image.get("width") in {"16cm", "17.4cm"}
            case ".pdf":
                (page,) = PdfReader(io.BytesIO(content)).pages
                assert float(page.mediabox.width) == pytest.approx(453.5, abs=0.2) or float(
                    page.mediabox.width
                ) == pytest.approx(493.2, abs=0.2)
            case _:
                picture = Image.open(io.BytesIO(content))
                assert picture.format == "PNG"
                assert picture.width in {1890, 2055, 2056}


def test_the_same_report_gives_the_same_bytes() -> None:
    """As all files of a report."""
    again = render(load_and_evaluate(GATES), _report(), ("figures",), DEFAULT_THEME).files

    assert {path: again[path] for path in _files()} == _files()


def test_without_the_package_other_formats_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra to install."""
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    rendered = render(load_and_evaluate(GATES), _report(), ("figures", "json"), DEFAULT_THEME)

    assert [item.error_code.code for item in rendered.diagnostics] == ["E409"]
    assert "reportgen-eval[figures]" in (rendered.diagnostics[0].help or "")
    assert "results.json" in rendered.files
