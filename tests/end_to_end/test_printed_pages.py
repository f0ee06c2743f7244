"""The PDF as a reader holds it: nothing beyond the margins, nothing that only eyes can get."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING, cast

import pytest
from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject

from reportgen.pipeline import build_and_write
from reportgen.report.document import Chapter
from tests.end_to_end.test_specs_build import every_spec
from tests.end_to_end.wide_spec import CLASSES, CLASSIFIERS, write_wide_spec
from tests.external_programs import needs_poppler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pypdf.generic import Destination, PdfObject

# The margins are 18 mm; a hanging sign may stand a little into them.
MARGIN = 16 / 25.4 * 72
WORD = re.compile(
    r'<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*)<'
)
# The foot of a page with its number, and a heading of one line.
FOOT, HEADING = 17 / 25.4 * 72, 19
LEAST_TYPE = 7
# What may be smaller: signs above and below a line, such as the subscripts "case" and "rank" of
# symbols, and the mark of the best.
SIGNS = 4
SHEET = re.compile(r'<page width="([\d.]+)" height="([\d.]+)">(.*?)</page>', re.DOTALL)


@pytest.fixture(scope="session")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the PDF of twelve classifiers and twenty classes."""
    folder = tmp_path_factory.mktemp("wide")
    return build_and_write(write_wide_spec(folder), folder / "out", ("pdf", "html")).folder


def words_beyond_margins(pdf: Path) -> list[str]:
    """Return the words that stand nearer to an edge of the paper than the margins allow."""
    command = ["pdftotext", "-bbox", str(pdf), "-"]
    stdout = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    beyond = []
    for number, (width, height, sheet) in enumerate(SHEET.findall(stdout), start=1):
        for left, top, right, foot, word in WORD.findall(sheet):
            is_running_head = float(top) < MARGIN + 12 or float(foot) > float(height) - MARGIN
            outside = float(left) < MARGIN or float(right) > float(width) - MARGIN
            if outside and not is_running_head:
                beyond.append(f"page {number}: {word}")
    return beyond


def headings(reader: PdfReader) -> list[tuple[str, int, float]]:
    """Return the title, the page from 0 and the height on it of every bookmark."""

    def flat(entries: list[object]) -> Iterator[Destination]:
        for entry in entries:
            if isinstance(entry, list):
                yield from flat(entry)
            else:
                yield cast("Destination", entry)

    return [
        (str(entry.title), cast("int", reader.get_destination_page_number(entry)), float(entry.top))
        for entry in flat(cast("list[object]", reader.outline))
        if entry.top is not None
    ]


def tags(node: PdfObject | None) -> Iterator[DictionaryObject]:
    """Yield the elements of the structure that screen readers follow."""
    if isinstance(node, IndirectObject):
        yield from tags(node.get_object())
    elif isinstance(node, ArrayObject):
        for child in node:
            yield from tags(cast("PdfObject", child))
    elif isinstance(node, DictionaryObject) and "/S" in node:
        yield node
        yield from tags(node.get("/K"))
    elif isinstance(node, DictionaryObject) and node.get("/Type") == "/StructTreeRoot":
        yield from tags(node.get("/K"))


@needs_poppler
@every_spec
def test_no_word_stands_beyond_the_margins(build_spec: Callable[[str], Path], name: str) -> None:
    """A table too wide for the paper would be cut off by it."""
    assert words_beyond_margins(build_spec(name) / "report.pdf") == []


@needs_poppler
@every_spec
def test_no_heading_is_the_last_thing_on_a_page(
    build_spec: Callable[[str], Path], name: str
) -> None:
    """Under every heading, above the number of the page, there is something to read."""
    pdf = build_spec(name) / "report.pdf"
    command = ["pdftotext", "-bbox", str(pdf), "-"]
    stdout = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    sheets = SHEET.findall(stdout)

    for title, page, height_on_page in headings(PdfReader(pdf)):
        _width, height, sheet = sheets[page]
        top, foot = float(height) - height_on_page + HEADING, float(height) - FOOT
        under = [word for *_, end, word in WORD.findall(sheet) if top < float(end) < foot]
        assert under, f"{title} on page {page + 1}"


@every_spec
def test_the_contents_name_the_page_of_each_section(
    build_spec: Callable[[str], Path], name: str
) -> None:
    """A bookmark leads to the heading itself, so the number beside its title must be that page."""
    reader = PdfReader(build_spec(name) / "report.pdf")
    text = "\n".join(page.extract_text() for page in reader.pages[:3])
    parts = re.split(r"^Contents$\n", text, maxsplit=1, flags=re.MULTILINE)
    rest = " ".join(parts[-1].split())
    chapters = "|".join(chapter.value for chapter in Chapter)
    if len(parts) == 1:
        # Short reports have them in lines without a title, separated by points.
        titles = (re.escape(title) for title, _, _ in headings(reader))
        starts = (re.search(rf"{title} \d+ · ", rest) for title in titles)
        rest = rest[min(start.start() for start in starts if start is not None) :]

    listed = []
    for title, page, _ in headings(reader):
        entry = re.match(rf"(?:(?:{chapters}) )?{re.escape(title)} (\d+) ?(?:· )?", rest)
        if entry is not None:
            rest = rest[entry.end() :]
            listed.append((title, int(entry[1]), page + 1))
    assert len(listed) > 2
    assert [number for _, number, _ in listed] == [page for _, _, page in listed]


@every_spec
def test_the_results_inside_are_those_beside_the_report(
    build_spec: Callable[[str], Path], name: str
) -> None:
    """Whoever has only the PDF has all numbers, byte for byte."""
    attached = PdfReader(build_spec(name) / "report.pdf").attachments

    assert attached["results.json"] == [(build_spec(name) / "results.json").read_bytes()]


@every_spec
def test_no_word_is_smaller_than_7_points(build_spec: Callable[[str], Path], name: str) -> None:
    """Words of the text and of tables; figures are measured where they are drawn."""
    small: list[str] = []

    def look(words: str, _at: object, matrix: list[float], _font: object, size: float) -> None:
        if len(words.strip()) > SIGNS and 0 < abs(size * matrix[3]) < LEAST_TYPE - 0.05:
            small.append(words.strip())

    for page in PdfReader(build_spec(name) / "report.pdf").pages:
        page.extract_text(visitor_text=look)

    assert small == []


@every_spec
def test_every_figure_has_words_for_those_who_do_not_see_it(
    build_spec: Callable[[str], Path], name: str
) -> None:
    """The tags of the PDF carry the title and the reading of each drawing that is not folded."""
    root = PdfReader(build_spec(name) / "report.pdf").root_object
    figures = [tag for tag in tags(root["/StructTreeRoot"]) if str(tag["/S"]) == "/Figure"]

    assert all(len(str(tag.get("/Alt", ""))) > 20 for tag in figures)
    page = (build_spec(name) / "report.html").read_text("utf-8")
    depth, unfolded = 0, 0
    for tag in re.findall(r"<(/?details|figure)\b", page):
        depth += {"details": 1, "/details": -1}.get(tag, 0)
        unfolded += tag == "figure" and not depth
    assert len(figures) >= unfolded


@every_spec
def test_every_font_is_inside(build_spec: Callable[[str], Path], name: str) -> None:
    """The report looks the same on a machine without these fonts."""
    fonts: dict[str, bool] = {}
    for page in PdfReader(build_spec(name) / "report.pdf").pages:
        resources = cast("DictionaryObject", page["/Resources"])
        for font in cast("DictionaryObject", resources.get("/Font", DictionaryObject())).values():
            described = cast("DictionaryObject", font.get_object())
            for part in cast("ArrayObject", described.get("/DescendantFonts", ArrayObject())):
                inner = cast("DictionaryObject", part.get_object())
                outline = cast("DictionaryObject", inner["/FontDescriptor"])
                fonts[str(inner["/BaseFont"])] = any("FontFile" in key for key in outline)

    assert fonts
    assert all(fonts.values())


@pytest.mark.xdist_group("breast_cancer")
def test_the_first_page_has_the_answer(build_spec: Callable[[str], Path]) -> None:
    """The recommendation with counts and both capability tables; details come after."""
    first, second, *_ = PdfReader(build_spec("breast_cancer") / "report.pdf").pages
    answer, after = first.extract_text(), second.extract_text()

    counts = "misses 4 of 212 malignant"
    for expected in ("Recommended: SVM", counts, "Overall effectiveness", "Avoidance of"):
        assert expected in " ".join(answer.split())
    # The contents are a line with page numbers under the answer.
    assert "Reproducibility" in answer
    assert "Pairwise comparisons" in after


@pytest.mark.xdist_group("breast_cancer")
def test_the_flagship_is_short_enough_to_be_read(build_spec: Callable[[str], Path]) -> None:
    """All there is to say takes more than 20 pages; the standard report has what helps to judge."""
    assert len(PdfReader(build_spec("breast_cancer") / "report.pdf").pages) <= 9


@needs_poppler
@pytest.mark.xdist_group("wide")
def test_many_classifiers_and_classes_fit_the_paper(wide: Path) -> None:
    """Wide tables are turned or parted; every name is there in full."""
    assert words_beyond_margins(wide / "report.pdf") == []
    text = " ".join(
        " ".join(page.extract_text().split()) for page in PdfReader(wide / "report.pdf").pages
    )
    assert all(name in text for name in (*CLASSIFIERS, *CLASSES))
