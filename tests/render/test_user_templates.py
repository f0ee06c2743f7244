"""Templates of a user's own stand in for shipped ones, in a sandbox."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import SpecError
from reportgen.pipeline import build_and_write
from reportgen.render.templates import sandboxed_environment
from reportgen.render.theme import load_theme
from reportgen.spec import parse_spec
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path

SPEC = (
    counted_spec([[1108, 323], [272, 858]], title="Two <b>")
    + """\
[output]
templates = "mine"
formats = ["html"]
"""
)


def test_templates_use_text_numbers_loops_and_macros(tmp_path: Path) -> None:
    """What templates need works as in Jinja2, but the attributes of a mapping are its keys."""
    (tmp_path / "_twice.html.j2").write_text(
        "{% macro twice(text) %}{{ text }}{{ text }}{% endmacro %}", encoding="utf-8"
    )
    environment = sandboxed_environment(tmp_path)
    template = (
        "{% import '_twice.html.j2' as parts %}{% from '_twice.html.j2' import twice %}"
        "{% set seen = namespace(n=0) %}{% set row = cycler('even', 'odd') %}"
        "{% for key, value in data|items %}{% set seen.n = seen.n + value %}"
        "{{ loop.index }}{{ key.upper() }}{{ loop.cycle('a', 'b') }}{{ row.next() }}{% endfor %}"
        "{{ seen.n }}{{ twice('x') }}{{ parts.twice('y') }}{{ range(3)|join }}"
        "{{ data.items }}{{ data['l'] }}{% block end %}.{% endblock %}{{ self.end() }}"
    )

    text = environment.from_string(template).render(data={"items": 1, "l": 2})

    assert text == "1ITEMSaeven2Lbodd3xxyy01212.."


def _page(folder: Path, **files: str) -> str:
    (folder / "spec.toml").write_text(SPEC, encoding="utf-8")
    for name, content in files.items():
        path = folder / "mine" / name.replace("__", "/").replace("_j2", ".html.j2")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    report = build_and_write(folder / "spec.toml", folder / "out")
    return (report.folder / "report.html").read_text("utf-8")


def test_a_single_block_is_replaced(tmp_path: Path) -> None:
    """The rest of the report stays as shipped, and data stay escaped."""
    page = _page(tmp_path, cover_j2="<header class=mine>{{ report.title }}</header>")

    assert "<header class=mine>Two &lt;b&gt;</header>" in page
    assert '<section id="summary"' in page


def test_the_shipped_template_can_be_wrapped(tmp_path: Path) -> None:
    """Whoever adds a line need not copy the whole."""
    page = _page(tmp_path, blocks__table_j2='<i>{% include "shipped/blocks/table.html.j2" %}</i>')

    assert '<i><div class="table' in page


@pytest.mark.slow
def test_rules_of_ones_own_come_last_and_within_the_policy(tmp_path: Path) -> None:
    """A stylesheet is allowed by its hash, so the policy must know these rules too."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/theme.css").write_text("h1 { color: red } </style><script>", "utf-8")
    page = _page(tmp_path)

    style = page.split("<style>")[1].split("</style>")[0]
    assert style.rstrip().endswith("h1 { color: red } <\\/style><script>")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src &#39;sha256-{digest}&#39;;" in page


@pytest.mark.slow
def test_rules_are_written_and_hashed_as_browsers_read_them(tmp_path: Path) -> None:
    """Before it compares hashes, a browser makes one line end of all and replaces NUL."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/theme.css").write_bytes(b"\xef\xbb\xbfh1 {\r\n}\rh2 {\0}\n")
    _page(tmp_path)
    page = (tmp_path / "out/spec/report.html").read_bytes().decode()

    style = page.split("<style>")[1].split("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert style.rstrip().endswith("h1 {\n}\nh2 {\ufffd}")
    assert not {"\r", "\0", "\ufeff"} & set(page)
    assert f"style-src &#39;sha256-{digest}&#39;;" in page


def test_a_slip_is_stated_with_file_and_line(tmp_path: Path) -> None:
    """Both those found at once and those found on the way."""
    for slip in ("{% if %}", "{{ report.no_such_thing }}"):
        with pytest.raises(SpecError) as error_info:
            _page(tmp_path, cover_j2=f"<p>\n{slip}</p>")
        (fault,) = error_info.value.diagnostics
        assert fault.location is not None
        assert fault.location.path.name == "cover.html.j2"
        assert fault.location.line == 2
        assert fault.location.source_line == f"{slip}</p>"


def test_a_name_that_stands_for_nothing_is_a_fault(tmp_path: Path) -> None:
    """A misspelt template would silently change nothing."""
    with pytest.raises(SpecError) as error_info:
        _page(tmp_path, blocks__tablee_j2="<p></p>")

    (fault,) = error_info.value.diagnostics
    assert fault.message == "there is no shipped template `blocks/tablee.html.j2`"
    assert fault.help == "did you mean `blocks/table.html.j2`?"


def test_what_a_system_hides_in_a_folder_is_left_alone(tmp_path: Path) -> None:
    """A Mac writes .DS_Store into every folder that was looked at; a checkout has its own notes."""
    for name in (".DS_Store", "blocks/.DS_Store", ".notes/cover.html.j2"):
        path = tmp_path / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\0")

    assert "<h1" in _page(tmp_path, blocks__note_j2="<p>note</p>")
    manifest = json.loads((tmp_path / "out/spec/manifest.json").read_text("utf-8"))
    assert [item["path"] for item in manifest["theme"]] == ["mine/blocks/note.html.j2"]


def test_all_templates_are_looked_at_before_anything_is_computed(tmp_path: Path) -> None:
    """Two slips and a file that is no text are told at once, each with its place."""
    mine = tmp_path / "mine/blocks"
    mine.mkdir(parents=True)
    (mine / "note.html.j2").write_bytes(b"<p>\n{% if %}</p>")
    (mine / "table.html.j2").write_bytes(b"{{ 1 | no_such_filter }}")
    (tmp_path / "mine/theme.css").write_bytes(b"h1::after { content: '\xe9' }")
    with pytest.raises(SpecError) as error_info:
        load_theme(parse_spec(tmp_path / "spec.toml", SPEC.encode()))

    result = [(fault.error_code.code, fault.location) for fault in error_info.value.diagnostics]
    assert [(code, place.path.name, place.line) for code, place in result if place] == [
        ("E130", "note.html.j2", 2),
        ("E130", "table.html.j2", 1),
        ("E130", "theme.css", None),
    ]
    assert error_info.value.diagnostics[-1].message == "`theme.css` is not UTF-8 text"


@pytest.mark.slow
def test_parts_that_templates_share_begin_with_an_underscore(tmp_path: Path) -> None:
    """They stand in for nothing, and are found."""
    page = _page(tmp_path, cover_j2='{% include "_name.html.j2" %}', _name_j2="<p>our name</p>")

    assert "<p>our name</p>" in page


def test_a_folder_that_is_not_there_is_a_fault_of_the_spec(tmp_path: Path) -> None:
    """With its line."""
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    with pytest.raises(SpecError) as error_info:
        build_and_write(tmp_path / "spec.toml", tmp_path / "out")

    (fault,) = error_info.value.diagnostics
    assert fault.message == "there is no folder `mine`"
    assert fault.location is not None
    assert fault.location.source_line == 'templates = "mine"'
