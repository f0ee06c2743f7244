"""A spec of somebody else, built with --untrusted, reaches nothing outside its folder."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from reportgen.cli.build import UNTRUSTED_TIMEOUT
from reportgen.errors import ExitCode
from reportgen.jobs.job import Job
from reportgen.jobs.runner import finalize_run, run_job
from tests.cli.command import reportgen
from tests.jobs.runs import INSTEAD, on_linux
from tests.jobs.runs import build as run_build
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


@on_linux
@pytest.mark.slow
def test_untrusted_limits_the_memory_if_no_limit_is_given(folder: Path) -> None:
    """To 4 GB: a text of 5 GB is not made."""
    (folder / "mine").mkdir()
    (folder / "mine/cover.html.j2").write_text("{{ ('a' * 5 * 10**9) | length }}", encoding="utf-8")
    (folder / "spec.toml").write_text(COUNTS + '[output]\ntemplates = "mine"\n', encoding="utf-8")
    run = run_build(folder, "spec.toml", "--untrusted", "--format", "html")

    assert run.returncode == 2, run.stderr
    assert "MemoryError" in run.stderr


@pytest.mark.slow
def test_untrusted_limits_the_time_if_no_limit_is_given(folder: Path) -> None:
    """To ten minutes; here the same limit is two seconds."""
    assert UNTRUSTED_TIMEOUT == "10m"
    (folder / "spec.toml").write_text(COUNTS, encoding="utf-8")
    shorter = "import reportgen.cli.build\nreportgen.cli.build.UNTRUSTED_TIMEOUT = '2s'"
    endless = INSTEAD.format("time.sleep(600)")
    run = run_build(folder, "spec.toml", "--untrusted", before=shorter, in_worker=endless)

    assert run.returncode == 4
    assert "error[E407]: the report was not finished after 2 s" in run.stderr


@on_linux
@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "[" + ".".join(["a"] * 50_000) + "]\n",
        ("[[" + ".".join(["a"] * 60) + "]]\n") * 8_000 + "x = [",
        "x = " + "[" * 400_000,
        "x = " + "9" * 900_000,
        'x = """' + "\n" * 900_000,
        "# " + "a" * 3_000_000,
    ],
    ids=["key", "tables", "nested", "digits", "text", "megabytes"],
)
def test_the_process_that_starts_the_build_has_bounded_work_too(folder: Path, text: str) -> None:
    """It reads title, history and recipients of a spec that failed, without the worker's limits."""
    command = '\n[[notify]]\non = ["failure"]\ncommand = ["touch", "touched"]\n'
    (folder / "spec.toml").write_text(f'title = "T"\n{text}{command}', encoding="utf-8")
    measured = """
import atexit, resource
def report():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    # The peak that `resource` knows includes that of the process that started this one.
    peak = open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]
    print("parent:", usage.ru_utime + usage.ru_stime, int(peak) // 1024, file=sys.stderr)
atexit.register(report)
"""
    limits = ("--untrusted", "--timeout", "30s", "--max-memory", "1GB")
    run = run_build(folder, "spec.toml", *limits, before=measured)

    seconds, megabytes = map(float, run.stderr.rpartition("parent:")[2].split())
    assert run.returncode in {2, 4}
    assert seconds < 20
    assert megabytes < 500
    assert not (folder / "touched").exists()


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


@pytest.mark.parametrize("untrusted", [True, False])
@pytest.mark.parametrize("path", ["/proc/self/environ", "/dev/zero", "/dev/stdin", "pipe", "link"])
def test_devices_and_files_of_the_system_are_no_data(
    folder: Path, path: str, *, untrusted: bool
) -> None:
    """The message about a missing column would print the environment."""
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("/proc/self/environ")
    code, errors = build(folder, DATA.format(path=path), untrusted=untrusted)

    is_outside = untrusted and path != "pipe"
    assert (code, errors) == (
        (ExitCode.SPEC, ["E140"]) if is_outside else (ExitCode.DATA, ["E200"])
    )


@pytest.mark.parametrize("codec", ["zip", "rot13", "undefined", "no such"])
def test_codecs_that_are_none_of_text_are_no_encodings(folder: Path, codec: str) -> None:
    """Python has them too; with some of them a few bytes unpack to gigabytes."""
    text = DATA.replace("[data]\n", f'[data]\nencoding = "{codec}"\n').format(path="own.csv")

    assert build(folder, text) == (ExitCode.SPEC, ["E123"])
