"""Templates get at nothing but the report, and cannot take the machine."""

from __future__ import annotations

import functools
import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from jinja2 import TemplateNotFound, UndefinedError
from jinja2.exceptions import SecurityError

from reportgen.errors import ExitCode, Location, SpecError
from reportgen.jobs.job import Job
from reportgen.jobs.runner import run_job
from reportgen.pipeline import build_and_write
from reportgen.render.templates import sandboxed_environment
from tests.cli.command import reportgen
from tests.jobs.runs import on_linux
from tests.small_specs import counted_spec

SPEC = counted_spec([[40, 10], [8, 60]]) + '[output]\ntemplates = "mine"\nformats = ["html"]\n'

# Ways out of a sandbox that have worked elsewhere.
ATTACKS = (
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ drawing.__globals__ }}",
    "{{ inline.sentence.__func__.__globals__['Markup'] }}",
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
    # Functions have attributes, and a function that is data is not to be called.
    "{{ cell_text.func_name }}",
    "{{ inline.sentence.im_func }}",
    "{{ report.sections.count.__self__ }}",
    "{% include 'secret.html.j2' %}",
)


class Payload:
    """An object that does not belong to a report."""

    text = "text"

    def run(self) -> str:
        """Do something."""
        return "ran"


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
    ],
    ids=["macro", "include", "range", "nested", "deep", "width", "zero", "infinity"],
)
def test_errors_of_templates_are_errors_of_the_spec(tmp_path: Path, template: str) -> None:
    """Or the page is built; it is never an internal error."""
    spec = write_spec(tmp_path, template)
    outcome = run_job(Job(spec, tmp_path / "out", untrusted=True))

    assert outcome.exit_code in {ExitCode.SPEC, ExitCode.SUCCESS}, outcome.diagnostics


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


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{ value.tofile('stolen') }}", np.arange(3)),
        ("{{ value.dump('stolen') }}", np.arange(3)),
        ("{{ value.dtype }}", np.arange(3)),
        ("{{ value[0].tofile('stolen') }}", np.arange(3)),
        ("{{ value.write_text('stolen') }}", Path("stolen")),
        ("{{ value.parent }}", Path("stolen")),
        ("{{ value.write_csv('stolen') }}", pl.DataFrame({"a": [1]})),
        ("{{ value|attr('write_csv') }}", pl.DataFrame({"a": [1]})),
        ("{{ ([value]|map(attribute='parent')|first).name }}", Path("stolen")),
        ("{{ value['parent'] }}", Path("stolen")),
        ("{{ value() }}", Path.cwd),
        ("{{ value.run() }}", Payload()),
        ("{{ value.text }}", Payload()),
        ("{{ value.getvalue() }}", io.BytesIO(b"text")),
        ("{{ value.keywords }}", functools.partial(print, end="")),
        ("{{ ([1]|map('attr', '__class__')|first).mro }}", None),
        ("{{ value.as_posix() }}", Location(Path("spec.toml"))),
        ("{{ value.path.read_text() }}", Location(Path("spec.toml"))),
    ],
)
def test_templates_read_plain_data_only(
    tmp_path: Path, template: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a report may lead to: arrays, paths, frames, functions."""
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
