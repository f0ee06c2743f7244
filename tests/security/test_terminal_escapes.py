"""Names, labels and titles cannot control the terminal, whatever command prints them."""

from __future__ import annotations

import json
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from reportgen.cli.app import run_app
from reportgen.cli.console import escape_text, progress
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Run = Callable[..., tuple[int, str]]

# The window title (OSC), a colour in the one-byte form (C1), text from right to left, a new line of
# a log, an invisible character, and the markup of rich.
HOSTILE = "a\x1b]0;owned\x07b\x9b31mc\u202ed\ne\u200bf[/]"
RAW = ("\x1b]0;owned", "\x9b", "\u202e", "d\ne", "\u200b", "\x07")
SPEC = counted_spec([[40, 10], [8, 60]]) + '[schedule]\ncron = "0 6 * * *"\n'


@pytest.fixture(params=[True, False], ids=["terminal", "pipe"])
def run(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> Iterator[Run]:
    """Return the function that runs a command and returns its exit code and all it printed."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["reportgen", *map(str, arguments)])
        monkeypatch.setattr(sys.stdout, "isatty", lambda: request.param, raising=False)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: request.param, raising=False)
        with pytest.raises(SystemExit) as exit_:
            run_app()
        printed = capsys.readouterr()
        return int(exit_.value.code or 0), printed.out + printed.err

    before = signal.getsignal(signal.SIGTERM)
    yield run_command
    signal.signal(signal.SIGTERM, before)


def check(printed: str, *, is_named: bool = True) -> None:
    """Check that the terminal gets nothing of the name as it is, and shows the name if expected."""
    for raw in RAW:
        assert raw not in printed
    if is_named:
        assert "\\x1b]0;owned\\x07b\\x9b31mc\\u202ed\\ne" in printed.replace("\n", "")


def test_characters_are_shown_as_python_writes_them() -> None:
    """Also bytes of a file name that are not UTF-8; letters and spaces stay."""
    assert escape_text("Größe 字 1") == "Größe 字 1"
    assert escape_text("\x1b[0m\x85\u2066\u2028\udcff\t") == r"\x1b[0m\x85\u2066\u2028\udcff\t"
    assert escape_text("a\nb", keep="\n") == "a\nb"


def test_markup_in_the_name_of_a_task_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich would raise an error for a closing tag, and print links for others."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress("a[/b].toml") as on_progress:
        on_progress("[link=file:///etc/passwd]reading")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a spec of a hostile name and cases with hostile labels."""
    (tmp_path / f"{HOSTILE.replace('/', '')}.toml").write_text(SPEC, encoding="utf-8")
    rows = [
        {"truth": truth, "prediction": prediction, HOSTILE: 0.5, "model": HOSTILE}
        for truth in ("yes", HOSTILE)
        for prediction in ("yes", HOSTILE)
    ] * 5
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "rows.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_commands_on_a_spec_with_a_hostile_name(run: Run, folder: Path) -> None:
    """Its path is printed by builds, the history, schedules and the site."""
    (spec,) = folder.glob("*.toml")
    code, printed = run("build", spec, "-o", "out", "--format", "json")
    assert code == 0
    check(printed)
    for command in (
        ("build", spec, "-o", "out", "--format", "json", "--json"),
        ("check", spec),
        ("check", spec, "--json"),
        ("history", "list", "--history", "out/history.sqlite"),
        ("history", "trend", spec.stem, "accuracy", "--history", "out/history.sqlite"),
        ("schedule", "list", spec),
        ("publish", "out", "site", "--dry-run"),
        ("publish", "out", "site"),
    ):
        code, printed = run(*command)
        assert code in {0, 2, 5}, (command, printed)
        check(printed, is_named=False)
    for exporter in ("cron", "systemd", "github", "kubernetes", "airflow"):
        code, printed = run("schedule", "export", exporter, spec)
        assert code in {0, 2}, printed
        assert "\x1b]0;owned" not in printed


@pytest.mark.parametrize(
    "arguments",
    [
        ("build", f"{HOSTILE}.toml"),
        ("build", f"{HOSTILE}.csv"),
        ("check", f"{HOSTILE}.toml"),
        ("init", f"{HOSTILE}.csv"),
        ("explain", HOSTILE),
        ("measures", HOSTILE),
        ("history", "list", "--history", HOSTILE),
        ("publish", HOSTILE, "site"),
        ("schedule", "list", f"{HOSTILE}.toml"),
        ("sql", f"{HOSTILE}.toml"),
        (f"--{HOSTILE}",),
        (HOSTILE,),
    ],
    ids=lambda arguments: arguments[0] if arguments[0] != HOSTILE else "no command",
)
def test_errors_about_hostile_arguments(run: Run, arguments: tuple[str, ...]) -> None:
    """A name from a glob pattern is part of the error; typer would print it as it is."""
    code, printed = run(*arguments)

    assert code not in {0, 70}
    check(printed, is_named=False)


def test_labels_and_columns_of_data(run: Run, folder: Path) -> None:
    """They are in questions, summaries, errors and warnings."""
    code, printed = run("init", folder / "rows.jsonl", "-o", folder / "new.toml")
    assert code in {0, 3}
    check(printed, is_named=False)
    spec = counted_spec([[1, 0], [0, 1]]).split("[[classifiers]]")[0]
    data = '[data]\ntruth = "truth"\nprediction = "prediction"\n'
    classifier = '[[classifiers]]\nname = "A"\npredictions = "rows.jsonl"\n'
    (folder / "labels.toml").write_text(spec + data + classifier, encoding="utf-8")
    code, printed = run("check", folder / "labels.toml")
    assert code == 3
    check(printed)
    (folder / "columns.toml").write_text(
        spec + data.replace('"truth"', '"actual"') + classifier, encoding="utf-8"
    )
    code, printed = run("check", folder / "columns.toml")
    assert code == 3
    check(printed)


def test_json_for_programs_has_the_exact_names(run: Run, folder: Path) -> None:
    """Escaped as JSON does it, so that programs lose nothing."""
    (spec,) = folder.glob("*.toml")
    code, printed = run("check", spec, "--json")

    assert code == 0
    assert json.loads(printed)[0]["spec"] == str(spec)
