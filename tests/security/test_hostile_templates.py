"""Templates get at nothing but the report, and cannot take the machine."""

from __future__ import annotations

import functools
import os
from dataclasses import replace
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, get_args

import numpy as np
import polars as pl
import pytest
from jinja2 import Environment, StrictUndefined, TemplateNotFound, UndefinedError
from jinja2.exceptions import SecurityError
from markupsafe import Markup

from reportgen.errors import ExitCode, Location, SpecError
from reportgen.jobs.job import Job
from reportgen.jobs.runner import run_job
from reportgen.pipeline import build_and_write, load_and_evaluate
from reportgen.render.html import page_variables
from reportgen.render.inline_html import InlineRenderer
from reportgen.render.templates import sandboxed_environment
from reportgen.render.theme import load_theme
from reportgen.report.build import build_report
from reportgen.report.document import Block, Heading, ReportSection
from reportgen.spec import load_spec
from tests.cli.command import reportgen
from tests.jobs.runs import on_linux
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = Path(__file__).parents[2]
SPEC = counted_spec([[40, 10], [8, 60]]) + '[output]\ntemplates = "mine"\nformats = ["html"]\n'

# Ways out of a sandbox that have worked elsewhere.
ATTACKS = (
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ drawing.__globals__ }}",
    "{{ report.__class__.__init__.__globals__ }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ self._TemplateReference__context }}",
    "{{ lipsum.__globals__['os'] }}",
    "{% set found = report.sections %}{{ found.append(1) }}",
    "{{ '%s'.format.__self__.__class__ }}",
    "{{ ('{0.__class__}').format(report) }}",
    "{% include '../spec.toml' %}",
    "{% include '/etc/passwd' %}",
    "{{ nothing_of_this_name }}",
    # Methods of text are called, not read.
    "{{ report.title.upper.__self__.__class__ }}",
    "{{ report.title.format_map(report) }}",
    "{{ report.sections.count(1) }}",
    "{{ report.items() }}",
    "{{ report.get('title') }}",
    # Classes as values of an expression.
    "{{ report.sections|groupby('__class__') }}",
    "{{ report.sections|map(attribute='__class__')|first }}",
    "{{ report.sections|map('attr', '__class__')|join }}",
    "{{ report.sections|sort(attribute='__class__') }}",
    "{{ report.sections|selectattr('__class__')|list }}",
    "{{ report|attr('__class__') }}",
    "{{ range.__self__ }}",
    "{{ namespace.mro() }}",
    "{{ cycler.__init__ }}",
    "{{ dict }}",
    "{% include 'secret.html.j2' %}",
    # Attributes by formats, by filters on methods, and of what Jinja2 itself provides.
    "{{ '{0.title.__class__}'.format(report) }}",
    "{{ ('{0[__class__]}'|safe).format(report) }}",
    "{% set format = ['{0.__class__}']|map(attribute='format')|first %}{{ format(1) }}",
    "{{ ['{0.__class__}']|map('attr', 'format')|map(attribute='__globals__')|first|length }}",
    "{% filter attr('__class__') %}x{% endfilter %}",
    "{% set rows = [1]|map('string') %}{{ rows.gi_frame.f_globals }}",
    "{% for a in [1] %}{{ loop._iterable }}{% endfor %}",
    "{% macro m() %}{% endmacro %}{{ m._environment }}",
    "{% macro m() %}{% endmacro %}{{ m._func.__globals__ }}",
    "{% block b %}{{ self.b._context }}{% endblock %}",
    "{% set n = namespace(a=1) %}{{ n._Namespace__attrs }}",
    "{{ joiner.__init__.__globals__ }}",
    "{{ nothing|attr('_undefined_exception') }}",
    "{{ 'a'.encode().hex() }}",
    "{{ (1).to_bytes(2, 'big') }}",
    "{% include 'deep/../../spec.toml' %}",
    "{% import '../spec.toml' as spec %}",
)


class Payload:
    """An object that does not belong to a report."""

    text = "text"


def write_spec(folder: Path, template: str) -> Path:
    """Write a spec with one template of its own, and return its path."""
    (folder / "mine/blocks").mkdir(parents=True)
    (folder / "mine/blocks/paragraph.html.j2").write_text(template, encoding="utf-8")
    (folder / "spec.toml").write_text(SPEC, encoding="utf-8")
    return folder / "spec.toml"


@pytest.mark.parametrize(
    "template",
    [
        "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
        "{% include 'blocks/paragraph.html.j2' %}",
        "{{ range(10**9) | list | length }}",
        "{{ 'a'[" + "(" * 300 + "0" + ")" * 300 + "] }}",
        "{{ " + "[" * 5000 + "]" * 5000 + " }}",
        "{{ '{:>99999999999999999999}'.format(1) }}",
        "{{ 1 / 0 }}",
        "{{ 1e400 | int }}",
        "{{ 10**5000 }}",
        "{% set a = 10 %}{{ a**5000 }}",
        "{{ '\\ud800' }}",
    ],
    ids=[
        *("macro", "include", "range", "nested", "deep", "width", "zero", "infinity"),
        *("digits", "digits of a variable", "half of a pair"),
    ],
)
def test_errors_of_templates_are_errors_of_the_spec(tmp_path: Path, template: str) -> None:
    """Or the page is built; it is never an internal error."""
    spec = write_spec(tmp_path, template)
    outcome = run_job(Job(spec, tmp_path / "out", untrusted=True))

    assert outcome.exit_code in {ExitCode.SPEC, ExitCode.SUCCESS}, outcome.diagnostics


SHIPPED_PAGE = (REPOSITORY / "templates/report.html.j2").read_text(encoding="utf-8")
POLICY = '<meta http-equiv="Content-Security-Policy" content="{{ content_security_policy }}">'
CHARSET = '<meta charset="utf-8">'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("report.html.j2", SHIPPED_PAGE.replace(POLICY, "")),
        ("report.html.j2", SHIPPED_PAGE.replace(CHARSET, f"{CHARSET}<script>alert(1)</script>")),
        ("report.html.j2", SHIPPED_PAGE.replace("{{ content_security_policy }}", "default-src *")),
        ("report.html.j2", f"<script>alert(1)</script>{SHIPPED_PAGE}"),
        ("cover.html.j2", '<META HTTP-EQUIV=refresh content="0;url=http://example.org/">'),
        ("cover.html.j2", '<LINK rel=preconnect href="http://{{ report.title }}.example.org/">'),
        ("cover.html.j2", '<iframe srcdoc="{{ "<link rel=preconnect href=//example.org>" }}">'),
    ],
    ids=[
        *("no policy", "script before it", "another policy", "script first", "redirection"),
        *("connection", "connection of a frame"),
    ],
)
def test_a_page_has_its_policy_whatever_the_templates(tmp_path: Path, name: str, text: str) -> None:
    """Without it scripts of the templates would run, on the site where the report is published."""
    assert POLICY in SHIPPED_PAGE
    spec = write_spec(tmp_path, "")
    (tmp_path / "mine/report.html.j2").write_text(SHIPPED_PAGE, encoding="utf-8")
    assert run_job(Job(spec, tmp_path / "out")).exit_code is ExitCode.SUCCESS
    (tmp_path / "mine" / name).write_text(text, encoding="utf-8")
    outcome = run_job(Job(spec, tmp_path / "other"))

    assert outcome.exit_code is ExitCode.SPEC
    assert [fault.error_code.code for fault in outcome.diagnostics] == ["E130"]
    assert not (tmp_path / "other/spec").exists()


@on_linux
@pytest.mark.slow
@pytest.mark.parametrize(
    ("template", "exit_code", "code"),
    [
        (
            "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
            4,
            "E407",
        ),
        ("{{ 10**(10**9) }}", 4, "E407"),
        ("{{ 'a' * 10**10 }}", 2, "MemoryError"),
        ("{{ ('a' * 10**6) | replace('a', 'a' * 10**6) | length }}", 2, "MemoryError"),
    ],
    ids=["loops", "power", "text", "replace"],
)
def test_limits_stop_templates_without_end(
    tmp_path: Path, template: str, exit_code: int, code: str
) -> None:
    """Also while one instruction of Python runs, and while the template is compiled."""
    run = reportgen(
        *("build", write_spec(tmp_path, template), "-o", tmp_path / "out", "--untrusted"),
        *("--timeout", "20s", "--max-memory", "1GB"),
    )

    assert run.returncode == exit_code, run.stderr
    assert code in run.stderr
    assert not (tmp_path / "out/spec").exists()


# The exact types of all values in a template.
PLAIN_TYPES = {str, Markup, int, float, bool, NoneType, list, dict}
# Two classes, more classes, several data sets, regression.
SPECS = ("gates", "software_risk", "demsar", "diabetes")


def reachable_values(value: object) -> Iterator[object]:
    """Yield a value and everything in it, however deep."""
    yield value
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from reachable_values(item)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from reachable_values(item)


@pytest.fixture(scope="module", params=SPECS)
def variables(request: pytest.FixtureRequest) -> list[dict[str, object]]:
    """Return the variables of the templates of a page and of a PDF."""
    report = build_report(load_and_evaluate(REPOSITORY / f"specs/{request.param}.toml"))
    heading = ReportSection("text", "Text", (Heading("Heading"),))
    report = replace(report, sections=(*report.sections, heading))
    return [
        dict(page_variables(report, InlineRenderer(for_pdf=for_pdf), "p { color: red }"))
        for for_pdf in (False, True)
    ]


def test_templates_see_plain_data_only(variables: list[dict[str, object]]) -> None:
    """Every value that can be reached is exactly text, a number, a list or a mapping."""
    values = list(reachable_values(variables))

    assert len(values) > 1000
    assert {type(value) for value in values} <= PLAIN_TYPES


def test_blocks_of_all_kinds_are_plain_data(variables: list[dict[str, object]]) -> None:
    """So that the tests here see every kind of data; data sets alone have no matrices."""
    kinds = {
        block["kind"]
        for value in reachable_values(variables)
        if isinstance(value, dict)
        for block in value.get("blocks", ())
    }
    all_kinds = {block.__name__.lower() for block in get_args(Block)}

    assert kinds <= all_kinds
    assert all_kinds - kinds <= {"matrices", "tiles"}


def test_no_key_has_the_name_of_a_method(variables: list[dict[str, object]]) -> None:
    """The shipped templates run without the sandbox, where methods of mappings come first."""
    mappings = [value for value in reachable_values(variables) if isinstance(value, dict)]
    keys = {key for mapping in mappings for key in mapping}

    assert "blocks" in keys
    assert not keys & set(dir(dict))


def test_no_attribute_of_data_leads_anywhere(
    tmp_path: Path, variables: list[dict[str, object]]
) -> None:
    """By no way of reading attributes: only text has any, and these are its own methods."""
    environment = sandboxed_environment(tmp_path)
    ways = [
        environment.compile_expression(expression, undefined_to_none=False)
        for expression in (
            "value|attr(name)",
            "value[name]",
            "[value]|map(attribute=name)|first",
            "([value]|groupby(name)|first).grouper",
        )
    ]
    values = {type(value): value for value in reachable_values(variables)}
    values |= {type(value): value for value in (range(3), (1, 2), 1.5, {1}.__iter__())}
    for value in values.values():
        for name in dir(value):
            for way in ways:
                try:
                    read = way(value=value, name=name)
                except (SecurityError, UndefinedError):
                    continue
                if isinstance(read, StrictUndefined):
                    continue
                assert isinstance(value, str), (value, name)
                assert not name.startswith("_")
                # Not the methods of the class, nor `format` and `format_map`, which Jinja2 wraps.
                is_method = getattr(read, "__self__", None) is value
                assert environment.is_safe_callable(read) is is_method


def test_templates_have_few_functions(tmp_path: Path) -> None:
    """None of them has data of the report or of the machine."""
    environment = sandboxed_environment(tmp_path)

    assert set(environment.globals) == {"range", "namespace", "cycler", "joiner"}
    assert set(environment.filters) == set(Environment(autoescape=True).filters)
    assert set(environment.tests) == set(Environment(autoescape=True).tests)


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{ value.tofile('stolen') }}", np.arange(3)),
        ("{{ value.dtype }}", np.arange(3)),
        ("{{ value[0].tofile('stolen') }}", np.arange(3)),
        ("{{ value.write_text('stolen') }}", Path("stolen")),
        ("{{ value|attr('write_csv') }}", pl.DataFrame({"a": [1]})),
        ("{{ ([value]|map(attribute='parent')|first).name }}", Path("stolen")),
        ("{{ value['parent'] }}", Path("stolen")),
        ("{{ value() }}", Path.cwd),
        ("{{ value.text }}", Payload()),
        ("{{ value.keywords }}", functools.partial(print, end="")),
        ("{{ value.line }}", Location(Path("spec.toml"))),
    ],
)
def test_objects_in_a_template_would_have_no_attributes(
    tmp_path: Path, template: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the data had arrays, paths, frames or functions."""
    monkeypatch.chdir(tmp_path)
    environment = sandboxed_environment(tmp_path)

    with pytest.raises((SecurityError, UndefinedError)):
        environment.from_string(template).render(value=value)

    assert list(tmp_path.iterdir()) == []


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    """Neither as a template nor as a part of one."""
    (tmp_path / "secret.html.j2").write_text("secret", encoding="utf-8")
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "_part.html.j2").symlink_to(tmp_path / "secret.html.j2")
    (folder / "_own.html.j2").write_text("own", encoding="utf-8")
    (folder / "_link.html.j2").symlink_to(folder / "_own.html.j2")
    environment = sandboxed_environment(folder)

    assert environment.from_string("{% include '_link.html.j2' %}").render() == "own"
    with pytest.raises(TemplateNotFound):
        environment.from_string("{% include '_part.html.j2' %}").render()


@pytest.mark.parametrize("name", ["theme.css", "cover.html.j2", "_part.html.j2", "blocks"])
@pytest.mark.parametrize("target", ["secret", "/dev/zero", "/proc/self/environ"])
def test_a_link_in_place_of_a_template_is_an_error(tmp_path: Path, name: str, target: str) -> None:
    """A stylesheet would be part of the page as it is."""
    (tmp_path / "secret").write_text("p { color: red }", encoding="utf-8")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).symlink_to(tmp_path / target)
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC, encoding="utf-8")

    with pytest.raises(SpecError, match="is a link out of the template folder"):
        load_theme(load_spec(spec))


def test_a_template_is_a_regular_file_of_limited_size(tmp_path: Path) -> None:
    """A pipe would be waited for, and megabytes are compiled for minutes."""
    (tmp_path / "mine").mkdir()
    template = tmp_path / "mine/cover.html.j2"
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC, encoding="utf-8")
    os.mkfifo(template)
    with pytest.raises(SpecError, match="is not a regular file"):
        load_theme(load_spec(spec))
    template.unlink()
    template.write_bytes(b"x" * ((1 << 20) + 1))
    with pytest.raises(SpecError, match="is larger than 1 MiB"):
        load_theme(load_spec(spec))


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_template_gets_at_nothing_but_the_report(tmp_path: Path, attack: str) -> None:
    """The run ends as a fault of the spec, with nothing written."""
    spec = write_spec(tmp_path, "")
    (tmp_path / "mine/cover.html.j2").write_text(f"<p>\n{attack}</p>", encoding="utf-8")
    with pytest.raises(SpecError) as error_info:
        build_and_write(spec, tmp_path / "out")

    assert error_info.value.exit_code is ExitCode.SPEC
    (fault,) = error_info.value.diagnostics
    assert fault.error_code.code == "E130"
    assert not (tmp_path / "out/spec/report.html").exists()
