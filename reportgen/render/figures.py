"""The figures of a report as files for papers and slides: SVG, PDF and PNG."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, RenderingError
from reportgen.errors.run import FIGURE_DRIVER_MISSING
from reportgen.formats import FORMATS
from reportgen.render.pdf import html_to_page_pdfs
from reportgen.render.plain_text import block_anchor
from reportgen.render.resources import font_face_rules
from reportgen.render.svg import render_figure
from reportgen.report.document import Figure, iter_blocks

if TYPE_CHECKING:
    from types import ModuleType

    from reportgen.render.formats import RenderInput

PNG_DPI = 300
_POINTS_PER_INCH = 72
_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)" width="([\d.]+)cm"')
_FONTS = 'font-family="Text, Inter"'
_STANDALONE_FONTS = 'font-family="Inter, Helvetica, Arial, sans-serif"'


def figure_files(source: RenderInput) -> dict[str, bytes]:
    """Return every figure of the report as SVG, PDF and PNG, named after its anchor."""
    pdfium = _load_pdfium()
    images = {
        block_anchor(block).removeprefix("figure-"): str(render_figure(block, for_pdf=True))
        for section in source.document.sections
        for block in iter_blocks(section.blocks)
        if isinstance(block, Figure)
    }
    if not images:
        return {}
    style = f"{font_face_rules()}\n{source.theme.font_faces}"
    files: dict[str, bytes] = {}
    pages = html_to_page_pdfs(_figure_pages(images, style))
    for (name, image), pdf in zip(images.items(), pages, strict=True):
        svg = image.replace(_FONTS, _STANDALONE_FONTS, 1)
        contents = {"svg": f"{svg}\n".encode(), "pdf": pdf, "png": _rasterize(pdfium, pdf)}
        for extension, content in contents.items():
            files[FORMATS["figures"].files.replace("*", f"{name}.{extension}")] = content
    return files


def _figure_pages(images: dict[str, str], style: str) -> str:
    """Return an HTML document with one figure per page, whose size is that of the figure."""
    rules, pages = [], []
    for number, image in enumerate(images.values()):
        match = _SIZE.search(image)
        if match is None:
            raise ValueError("a figure has a view box and a width")
        width, height, centimetres = map(float, match.groups())
        page_height = centimetres * height / width
        size = f"{centimetres:.4f}cm {page_height:.4f}cm"
        rules.append(f"@page figure{number}{{size:{size};margin:0}}")
        pages.append(f'<div style="page:figure{number}">{image}</div>')
    layout = "body{margin:0}svg{display:block}div+div{break-before:page}"
    return (
        f'<!DOCTYPE html><html lang="en"><head><title>Figures</title><style>{style}'
        f"{''.join(rules)}{layout}</style></head><body>{''.join(pages)}</body></html>"
    )


def _load_pdfium() -> ModuleType:
    try:
        import pypdfium2  # type: ignore[import-untyped]  # it has none
    except ImportError:
        diagnostic = Diagnostic(
            FIGURE_DRIVER_MISSING,
            "figures as PNG need the package pypdfium2",
            help="pip install 'reportgen-eval[figures]'",
        )
        raise RenderingError(diagnostic) from None
    module: ModuleType = pypdfium2
    return module


def _rasterize(pdfium: ModuleType, pdf: bytes) -> bytes:
    """Return the first page of a PDF as PNG on white, with its resolution."""
    document = pdfium.PdfDocument(pdf)
    try:
        image = document[0].render(scale=PNG_DPI / _POINTS_PER_INCH).to_pil()
    finally:
        document.close()
    content = io.BytesIO()
    image.save(content, "PNG", optimize=True, dpi=(PNG_DPI, PNG_DPI))
    return content.getvalue()
