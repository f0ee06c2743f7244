"""A report that looks like the people's who publish it."""

from __future__ import annotations

import json
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from pypdf import PdfReader

from reportgen.errors import SpecError
from reportgen.pipeline import build_and_write
from reportgen.render.resources import template_folder
from reportgen.render.theme import DEFAULT_THEME, load_theme
from reportgen.spec import parse_spec
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path

SPEC = counted_spec([[1108, 323], [272, 858]], [[1000, 431], [172, 958]])
LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'


def _built(folder: Path, output: str, formats: tuple[str, ...] = ("html",)) -> Path:
    (folder / "spec.toml").write_text(SPEC + output, encoding="utf-8")
    return build_and_write(folder / "spec.toml", folder / "out", formats).folder


def _fault(folder: Path, output: str) -> SpecError:
    with pytest.raises(SpecError) as error_info:
        _built(folder, output)
    return error_info.value


def test_without_wishes_it_looks_as_shipped(tmp_path: Path) -> None:
    """No wish, no rule."""
    assert load_theme(parse_spec(tmp_path / "spec.toml", SPEC.encode())) == DEFAULT_THEME


@pytest.mark.slow
def test_accent_logo_and_numbers_reach_the_page(tmp_path: Path) -> None:
    """The page carries all of it and still needs no other file."""
    (tmp_path / "logo.svg").write_text(LOGO, encoding="utf-8")
    folder = _built(
        tmp_path, '[output.theme]\naccent = "#7a1f5c"\nlogo = "logo.svg"\nnumbers = "de"\n'
    )

    page = (folder / "report.html").read_text("utf-8")
    assert "--accent:#7a1f5c" in page
    assert 'src="data:image/svg+xml;base64,' in page
    assert "1.108" in page
    assert "0,768" in page
    assert "http:" not in page.replace("http://www.w3.org/", "")


@pytest.mark.slow
def test_files_for_programs_keep_their_numbers(tmp_path: Path) -> None:
    """A style is for readers."""
    folder = _built(tmp_path, '[output.theme]\nnumbers = "de"\n', ("json", "csv"))

    assert json.loads((folder / "results.json").read_text("utf-8"))["values"]
    (table,) = folder.rglob("values.csv")
    assert ",0." in table.read_text("utf-8")


def test_the_manifest_names_what_the_look_was_made_from(tmp_path: Path) -> None:
    """Whoever repeats the report needs these files too."""
    (tmp_path / "logo.svg").write_text(LOGO, encoding="utf-8")
    folder = _built(tmp_path, '[output.theme]\nlogo = "logo.svg"\n')

    (theme_file,) = json.loads((folder / "manifest.json").read_text("utf-8"))["theme"]
    assert theme_file["path"] == "logo.svg"
    assert len(theme_file["sha256"]) == 64


@pytest.mark.slow
def test_the_manifest_has_the_hash_of_the_file_of_words(tmp_path: Path) -> None:
    """It is that of `sha256sum`: a mark of UTF-8 and line ends of Windows belong to the file."""
    content = b"\xef\xbb\xbfWords\r\nof our own.\r\n"
    (tmp_path / "words.md").write_bytes(content)
    folder = _built(tmp_path, '[[sections]]\nkind = "text"\nfile = "words.md"\n')

    (theme_file,) = json.loads((folder / "manifest.json").read_text("utf-8"))["theme"]
    assert theme_file == {"path": "words.md", "sha256": sha256(content).hexdigest()}


# WeasyPrint leaves its colour profile open.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_paper_font_and_standard_reach_the_pdf(tmp_path: Path) -> None:
    """Letter is 8.5 by 11 inches; PDF/A and PDF/UA are in its metadata; the font is inside."""
    font = (template_folder() / "fonts/Inter-Italic.woff2").read_bytes()
    (tmp_path / "own.woff2").write_bytes(font)
    folder = _built(
        tmp_path,
        '[output]\npdf = "a-3a"\n[output.theme]\npaper = "letter"\nfont = "own.woff2"\n',
        ("pdf",),
    )

    content = (folder / "report.pdf").read_bytes()
    page = PdfReader(BytesIO(content)).pages[0]
    assert (page.mediabox.width, page.mediabox.height) == (612, 792)
    metadata = PdfReader(BytesIO(content)).xmp_metadata
    assert metadata is not None
    assert b'pdfaid:part="3" pdfaid:conformance="A"' in metadata.stream.get_data()
    assert metadata.stream.get_data().count(b"<pdfuaid:part>1</pdfuaid:part>") == 1


def test_a_logo_that_is_not_there_is_named_with_its_line(tmp_path: Path) -> None:
    """A slip is mended in the spec."""
    (tmp_path / "logo.svg").write_text(LOGO, encoding="utf-8")
    (fault,) = _fault(tmp_path, '[output.theme]\nlogo = "logo.svgz"\n').diagnostics

    assert fault.message == "the file `logo.svgz` does not exist"
    assert fault.location is not None
    assert fault.location.source_line == 'logo = "logo.svgz"'
    assert fault.help == "did you mean `logo.svg`?"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("logo", "`x.bin` is no SVG, PNG or JPEG picture"),
        ("font", "`x.bin` is no TTF, OTF, WOFF or WOFF2 font"),
    ],
)
def test_a_file_of_another_kind_is_rejected(tmp_path: Path, key: str, message: str) -> None:
    """It would only fail later, and unclearly."""
    (tmp_path / "x.bin").write_bytes(b"MZ nothing of the kind")
    (fault,) = _fault(tmp_path, f'[output.theme]\n{key} = "x.bin"\n').diagnostics

    assert fault.message == message


def test_a_huge_file_is_rejected(tmp_path: Path) -> None:
    """Every page and every PDF would carry it."""
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\r\n" + bytes(1_000_001))
    (fault,) = _fault(tmp_path, '[output.theme]\nlogo = "logo.png"\n').diagnostics

    assert "1,000,007 bytes" in fault.message


@pytest.mark.parametrize("accent", ["red", "#fff", "#12345g", "#000000;}body{display:none"])
def test_an_accent_is_a_colour_and_nothing_else(tmp_path: Path, accent: str) -> None:
    """It is written into the stylesheet."""
    assert _fault(tmp_path, f'[output.theme]\naccent = "{accent}"\n').diagnostics


def test_all_faults_of_the_theme_are_reported_at_once_in_the_order_of_the_spec(
    tmp_path: Path,
) -> None:
    """Whoever mends one need not run again to learn of the next."""
    (tmp_path / "logo.svg").write_text("no picture", encoding="utf-8")
    faults = _fault(
        tmp_path,
        '[[sections]]\nkind = "text"\nfile = "none.md"\n'
        '[[sections]]\nkind = "text"\ntext = "a ![picture](p.png) **![another](q.png)**"\n'
        '[output]\ntemplates = "mine"\n'
        '[output.theme]\nlogo = "logo.svg"\nfont_bold = "bold.ttf"\nfont = "font.ttf"\n',
    ).diagnostics

    assert [(fault.error_code.code, fault.message) for fault in faults] == [
        ("E131", "the file `none.md` does not exist"),
        ("E131", "a picture in Markdown is not read"),
        ("E129", "there is no folder `mine`"),
        ("E129", "`logo.svg` is no SVG, PNG or JPEG picture"),
        ("E129", "the file `bold.ttf` does not exist"),
        ("E129", "the file `font.ttf` does not exist"),
    ]
    lines = [fault.location.line for fault in faults if fault.location and fault.location.line]
    assert lines == sorted(lines)
    assert len(lines) == len(faults)


def test_nothing_is_computed_before_the_look_is_known_to_work(tmp_path: Path) -> None:
    """Nobody waits for numbers to learn of a misspelt logo; nothing is written either."""
    _fault(tmp_path, '[output.theme]\nlogo = "none.svg"\n')

    assert not (tmp_path / "out").exists()
