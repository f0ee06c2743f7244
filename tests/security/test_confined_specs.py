"""A spec of somebody else, built with --untrusted, reaches nothing outside its folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode
from reportgen.jobs.job import Job
from reportgen.jobs.runner import finalize_run, run_job
from tests.cli.command import reportgen
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path

COUNTS = counted_spec([[40, 10], [8, 60]])
DATA = """[task]
kind = "binary"
positive = "yes"
[data]
truth = "truth"
prediction = "prediction"
[[classifiers]]
name = "A"
predictions = "{path}"
"""
ROWS = "truth,prediction\nyes,yes\nno,no\nyes,no\nno,no\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a spec, with a secret next to it and a link to that."""
    folder = tmp_path / "stranger"
    folder.mkdir()
    (tmp_path / "secret.csv").write_text(ROWS, encoding="utf-8")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "own.csv").write_text(ROWS, encoding="utf-8")
    return folder


def build(folder: Path, text: str, *, untrusted: bool = True) -> tuple[ExitCode, list[str]]:
    """Build a spec; return the exit code and the codes of the errors."""
    spec = folder / "spec.toml"
    spec.write_text(text, encoding="utf-8")
    job = Job(spec, folder.parent / "out", ("json",), untrusted=untrusted)
    outcome = finalize_run(job, run_job(job))
    return outcome.exit_code, [fault.error_code.code for fault in outcome.diagnostics]


@pytest.mark.parametrize(
    "text",
    [
        DATA.format(path="../secret.csv"),
        DATA.format(path="link.csv"),
        DATA.format(path="*.csv"),
        DATA.format(path="/etc/passwd"),
        COUNTS + '[[sections]]\nkind = "text"\nfile = "../secret.csv"\n',
        COUNTS + '[[sections]]\nkind = "text"\nfile = "/proc/self/environ"\n',
        COUNTS + '[output]\ntemplates = ".."\n',
        COUNTS + '[output.theme]\nlogo = "../logo.svg"\n',
        COUNTS + '[history]\nname = "another team"\n',
        COUNTS + '[[notify]]\non = ["every_run"]\ncommand = ["touch", "../touched"]\n',
        COUNTS + '[[notify]]\non = ["every_run"]\nwebhook = "HOOK"\n',
        COUNTS + '[[notify]]\non = ["every_run"]\n[notify.email]\nto = ["a@example.org"]\n'
        'sender = "b@example.org"\nserver = "SMTP"\n',
        DATA.format(path="s3://bucket/a.csv").replace("[data]\n", "[data]\nremote = true\n"),
    ],
    ids=[
        *("upwards", "link", "glob over a link", "absolute", "text", "environment", "templates"),
        *("logo", "history", "command", "webhook", "email", "remote"),
    ],
)
def test_what_reaches_outside_is_an_error(folder: Path, text: str) -> None:
    """Nothing is read, run or sent."""
    code, errors = build(folder, text)

    assert (code, set(errors)) == (ExitCode.SPEC, {"E140"})
    assert not (folder.parent / "touched").exists()
    assert not (folder.parent / "out/spec").exists()


def test_a_spec_with_its_own_files_is_built(folder: Path) -> None:
    """Also with the command line, whose limits of time and memory apply."""
    assert build(folder, DATA.format(path="own.csv")) == (ExitCode.SUCCESS, [])
    run = reportgen(
        *("build", folder / "spec.toml", "-o", folder.parent / "cli", "--untrusted", "--json"),
        *("--format", "json"),
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)[0]["exit_code"] == 0


def test_commands_of_an_invalid_spec_are_not_run(folder: Path) -> None:
    """Without --untrusted either: who mistypes a key does not expect a command to run."""
    command = '[[notify]]\non = ["failure"]\ncommand = ["touch", "touched"]\n'
    code, _ = build(folder, COUNTS + command + "[unknown]\n", untrusted=False)

    assert code is ExitCode.SPEC
    assert not (folder / "touched").exists()


@pytest.mark.parametrize("path", ["/proc/self/environ", "/dev/zero"])
def test_devices_are_no_texts(folder: Path, path: str) -> None:
    """Without --untrusted either: the environment has secrets, and a device has no end."""
    section = f'[[sections]]\nkind = "text"\nfile = "{path}"\n'
    code, errors = build(folder, COUNTS + section, untrusted=False)

    assert code is ExitCode.SPEC
    assert len(errors) == 1
