"""WeasyPrint loaded without its detours does all it did with them."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen.render.lazy_weasyprint import FFI_DECLARATIONS, weasyprint_ffi_file
from reportgen.render.resources import read_resources

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
LOADED = "from reportgen.render.lazy_weasyprint import load_weasyprint; load_weasyprint()"
SLOW = ("pycparser", "fontTools.subset", "fontTools.varLib.instancer")
TOLD = f"import sys; print(*(name for name in {SLOW!r} if name in sys.modules))"
DRAWN = """
import sys
from reportgen.render.pdf import render_pdf
from reportgen.report.document import Paragraph, ReportDocument, ReportSection
from tests.render.sample_figures import figures
words = Paragraph(("Words.",))
report = ReportDocument("A title", words, (ReportSection("x", "X", tuple(figures()[:2])),), words)
sys.stdout.buffer.write(render_pdf(report, attachment=b"{}").content)
"""

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="declarations are parsed elsewhere")


def printed(*lines: str) -> bytes:
    """Return what is printed in a process of its own."""
    command = [sys.executable, "-c", "\n".join(lines)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout


@on_linux
def test_no_declaration_is_parsed_and_no_seldom_called_module_loaded() -> None:
    """WeasyPrint's own way loads them all, or the list would prove nothing."""
    assert printed(LOADED, TOLD).split() == []
    assert printed("import weasyprint", TOLD).decode().split() == [*SLOW]


def test_a_pdf_has_the_bytes_it_has_in_weasyprint_s_own_way() -> None:
    """Once loaded by us, once imported before us."""
    own_way = printed("import weasyprint", DRAWN)

    assert own_way.startswith(b"%PDF")
    assert printed(LOADED, DRAWN) == own_way


def test_what_was_postponed_works_when_it_is_called() -> None:
    """A font that HarfBuzz cannot take is left to fontTools, as ever."""
    options = "from weasyprint.pdf import fonts; print(fonts.subset.Options(hinting=True).hinting)"

    assert printed(LOADED, options, TOLD).split()[:2] == [b"True", b"fontTools.subset"]


def test_nothing_of_the_process_stays_changed() -> None:
    """Others find cffi and fontTools as they are."""
    used = "import cffi, fontTools.subset; print(cffi.FFI.__module__, fontTools.subset.__file__)"

    assert printed(LOADED, used) == printed(used)


@on_linux
def test_another_version_parses_its_own_declarations() -> None:
    """Only those that are known to the byte are taken as compiled."""
    other = (
        "import reportgen.render.lazy_weasyprint as loading",
        'loading.read_resources = lambda _name: \'{"sha256": "of another file"}\'',
    )

    assert b"pycparser" in printed(*other, LOADED, TOLD)


def test_the_declarations_are_those_of_the_weasyprint_installed() -> None:
    """After an upgrade `make docs` compiles them anew."""
    compiled = json.loads(read_resources(FFI_DECLARATIONS))

    assert compiled["sha256"] == hashlib.sha256(weasyprint_ffi_file().read_bytes()).hexdigest()
