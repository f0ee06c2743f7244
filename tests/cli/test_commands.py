"""The commands: what they print, where, and how they exit."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reportgen.cli.app import COMMANDS, app
from reportgen.cli.console import format_diagnostic
from reportgen.errors import ERROR_CODES, Diagnostic
from tests.cli.command import ROOT, reportgen
from tests.jobs.runs import INSTEAD, build, on_linux
from tests.small_specs import counted_spec

SEVEN_MISTAKES = """\
title = 7

[task]
kind = "binarry"
positive = "yes"
classes = ["yes", "no"]

[data]
treshold = 0.5

[[classifiers]]
name = "A"
confusion = [[1, 2], [3, -4]]

[[classifiers]]
name = "A"
confusion = [[1, 2], [3, 4]]

[measures]
show = ["acuracy"]

[intervals]
level = 1.5
"""


def test_a_command_imports_no_other() -> None:
    """`--help` lists the commands without importing one, and `schema` imports itself alone."""
    script = (
        "import sys\n"
        "from reportgen.cli.app import COMMANDS, app\n"
        "sys.argv = ['reportgen', *sys.argv[1:]]\n"
        "try:\n"
        "    app(standalone_mode=False)\n"
        "finally:\n"
        "    names = {f'reportgen.cli.{name}' for name in COMMANDS} & sys.modules.keys()\n"
        "    print(sorted(names), file=sys.stderr)\n"
    )
    for argument, imported in (("--help", []), ("schema", ["reportgen.cli.schema"])):
        run = subprocess.run(
            [sys.executable, "-c", script, argument], capture_output=True, check=True, text=True
        )
        assert run.stderr.splitlines()[-1] == str(imported)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_list_has_a_help(name: str) -> None:
    """Its summary fits on one line of a terminal."""
    result = CliRunner().invoke(app, [name, "--help"], prog_name="reportgen")

    assert result.exit_code == 0
    assert result.output.startswith(f"Usage: reportgen {name} ")
    assert len(COMMANDS[name][1]) <= 68


def test_build_prints_the_files_on_stdout_and_messages_on_stderr(tmp_path: Path) -> None:
    """Paths can be piped into another program."""
    run = reportgen("build", "specs/tenfold.toml", "-o", tmp_path, "--format", "html,json")

    assert run.returncode == 0
    names = {Path(line).name for line in run.stdout.splitlines()}
    assert names == {"report.html", "results.json", "manifest.json"}
    assert all(Path(line).is_file() for line in run.stdout.splitlines())


def test_seven_mistakes_are_seven_errors_with_their_places(tmp_path: Path) -> None:
    """All faults of a file at once, each with line and column."""
    spec = tmp_path / "bad.toml"
    spec.write_text(SEVEN_MISTAKES, encoding="utf-8")

    run = reportgen("build", spec, "-o", tmp_path / "out")

    assert run.returncode == 2
    places = re.findall(r"--> .*bad\.toml:(\d+):(\d+)", run.stderr)
    assert [(int(line), int(column)) for line, column in places] == [
        (1, 9),
        (4, 8),
        (9, 1),
        (13, 26),
        (16, 8),
        (20, 9),
        (23, 9),
    ]
    assert "did you mean `threshold`?" in run.stderr
    assert "did you mean `accuracy`?" in run.stderr
    assert "for a 95 % interval write 0.95" in run.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_wrong_value_in_a_csv_names_file_and_row_and_keeps_the_old_report(tmp_path: Path) -> None:
    """Bad input gets a clear error and loses nothing."""
    spec, data, output = tmp_path / "s.toml", tmp_path / "p.csv", tmp_path / "out"
    spec.write_text(
        '[task]\nkind = "regression"\n[[classifiers]]\nname = "A"\npredictions = "p.csv"\n',
        encoding="utf-8",
    )
    data.write_text("truth,prediction\n1,1.5\n2,2.5\n", encoding="utf-8")
    assert reportgen("build", spec, "-o", output, "--format", "json").returncode == 0
    before = (output / "s/results.json").read_bytes()
    data.write_text("truth,prediction\n1,1.5\n2,two\n", encoding="utf-8")

    run = reportgen("build", spec, "-o", output, "--format", "json")

    assert run.returncode == 3
    assert "p.csv:3" in run.stderr
    assert "two" in run.stderr
    assert (output / "s/results.json").read_bytes() == before


def test_errors_can_be_read_by_programs(tmp_path: Path) -> None:
    """`--json` gives code, place and help as data."""
    spec = tmp_path / "bad.toml"
    spec.write_text(SEVEN_MISTAKES, encoding="utf-8")

    run = reportgen("check", spec, "--json")

    (row,) = json.loads(run.stdout)
    assert run.returncode == 2
    assert len(row["errors"]) == 7
    assert {"code", "line", "column", "help"} <= row["errors"][0].keys()


@pytest.mark.parametrize("code", sorted(ERROR_CODES))
def test_every_code_is_explained(code: str) -> None:
    """What an error means, beyond its message."""
    explanation = CliRunner().invoke(app, ["explain", code.lower()]).output

    assert ERROR_CODES[code].title in explanation
    assert ERROR_CODES[code].explanation in explanation


def test_measures_are_explained_under_every_name() -> None:
    """And a misspelt one with the name that was probably meant."""
    assert "Sensitivity plus specificity minus 1" in reportgen("explain", "informedness").stdout
    unknown = reportgen("explain", "youdan")
    assert unknown.returncode == 2
    assert "did you mean `youden`?" in unknown.stderr


@pytest.mark.slow
def test_measures_lists_the_catalogue_and_one_measure_in_full() -> None:
    """Names, groups, formulas."""
    listing = reportgen("measures").stdout
    assert "discriminant_power" in listing
    assert "traditional" in listing
    (row,) = json.loads(reportgen("measures", "kappa", "--json").stdout)
    assert (
        row["formula"]
        == "κ = 2 · (TP · TN − FP · FN) / ((TP + FN) · (FN + TN) + (FP + TN) · (TP + FP))"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("roc_auc", "Interval: DeLong's variance, on the logit scale."),
        ("chi_square", "No interval: "),
    ],
)
def test_measures_and_explain_say_how_the_interval_is_found(name: str, text: str) -> None:
    """As text from both commands, and for programs."""
    runner = CliRunner()

    assert text in runner.invoke(app, ["measures", name]).output
    assert text in runner.invoke(app, ["explain", name]).output
    (row,) = json.loads(runner.invoke(app, ["measures", name, "--json"]).output)
    assert row["interval"].startswith(text)


@pytest.mark.slow
@pytest.mark.parametrize("document", ["spec", "results"])
def test_schema_prints_the_schema_that_is_in_the_repository(document: str) -> None:
    """Editors and programs get what is published."""
    published = json.loads((ROOT / f"schemas/{document}.schema.json").read_text(encoding="utf-8"))

    assert json.loads(reportgen("schema", document).stdout) == published


@pytest.mark.slow
def test_doctor_makes_a_page_and_says_that_all_is_well() -> None:
    """A machine that runs the tests can build reports."""
    run = reportgen("doctor")

    assert run.returncode == 0, run.stdout
    assert "FAIL" not in run.stdout
    assert "one-page PDF" in run.stdout


@pytest.mark.parametrize(
    ("option", "name", "text"),
    [
        ("--format", "pfd", "unknown format `pfd`; did you mean `pdf`?"),
        ("--detail", "ful", "unknown detail `ful`; did you mean `full`?"),
        ("--detail", "x", "unknown detail `x`; expected one of summary, standard, full"),
    ],
)
def test_an_unknown_format_or_detail_is_a_usage_error(option: str, name: str, text: str) -> None:
    """With the word that was probably meant, or those there are."""
    run = reportgen("build", "specs/tenfold.toml", option, name)

    assert run.returncode == 2
    assert text in re.sub(r"[\s│]+", " ", run.stderr)


def test_two_specs_of_one_name_are_rejected(tmp_path: Path) -> None:
    """They would overwrite each other's report."""
    run = reportgen("build", "specs/tenfold.toml", tmp_path / "tenfold.toml", "-o", tmp_path)

    assert run.returncode == 2


def test_an_internal_error_is_never_taken_for_a_failed_gate(tmp_path: Path) -> None:
    """Exit 70, with a file that has the traceback."""
    run = build(tmp_path, "x.toml", in_worker=INSTEAD.format("raise RuntimeError('a bug')"))

    assert run.returncode == 70
    crash = Path(run.stderr.strip().split()[-1])
    assert "a bug" in crash.read_text(encoding="utf-8")
    crash.unlink()


def test_a_closed_pipe_is_quiet() -> None:
    """`reportgen measures | head` ends without a traceback."""
    command = f"set -o pipefail; {sys.executable} -m reportgen schema | head -n 1"
    run = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert run.stderr == ""
    assert run.stdout.strip() == "{"
    assert run.returncode == 0


@on_linux
@pytest.mark.parametrize("arguments", [["measures"], ["--version"], ["--help"], ["schema"]])
def test_a_full_disk_behind_stdout_is_an_error_of_the_output(arguments: list[str]) -> None:
    """Neither an internal error nor exit 1, which means a failed gate."""
    command = [sys.executable, "-m", "reportgen", *arguments]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        run = subprocess.run(
            command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )

    assert run.returncode == 5
    assert "standard output cannot be written: No space left on device" in run.stderr
    assert "Exception" not in run.stderr


@on_linux
def test_a_full_disk_behind_stderr_keeps_the_exit_code(tmp_path: Path) -> None:
    """The error cannot be printed, and its code says what it is."""
    command = [sys.executable, "-m", "reportgen", "check", str(tmp_path / "missing.toml")]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        run = subprocess.run(command, cwd=ROOT, stdout=full, stderr=full, check=False)

    assert run.returncode == 2


@pytest.mark.slow
@pytest.mark.parametrize(("value", "code"), [("abc", 4), ("9" * 20, 4), ("", 0), ("1700000000", 0)])
def test_a_source_date_that_is_none_is_named(tmp_path: Path, value: str, code: int) -> None:
    """NumPy reads the variable too, while it is imported, and fails."""
    spec = tmp_path / "small.toml"
    spec.write_text(counted_spec([[40, 10], [8, 60]]), encoding="utf-8")
    run = reportgen(
        *("build", spec, "-o", tmp_path / "out", "--format", "html"),
        env={"SOURCE_DATE_EPOCH": value},
    )

    assert run.returncode == code, run.stderr
    assert ("error[E402]" in run.stderr) is bool(code)


@pytest.mark.slow
def test_a_crash_report_that_cannot_be_written_is_no_failed_gate(tmp_path: Path) -> None:
    """On a full disk the end of the traceback is printed instead."""
    spec = tmp_path / "small.toml"
    spec.write_text(counted_spec([[40, 10], [8, 60]]), encoding="utf-8")
    no_files = """
import tempfile
def full(*args, **named):
    raise OSError(28, "No space left on device")
tempfile.NamedTemporaryFile = full
"""
    run = build(tmp_path, "small.toml", in_worker=no_files + INSTEAD.format("raise KeyError('x')"))

    assert run.returncode == 70
    assert "KeyError: 'x'" in run.stderr


@on_linux
@pytest.mark.slow
def test_a_spec_whose_name_is_not_utf8_is_built_and_published(tmp_path: Path) -> None:
    """In all formats; the bytes are escaped where they are shown."""
    spec = os.fsencode(tmp_path) + b"/b\xff.toml"
    Path(os.fsdecode(spec)).write_text(counted_spec([[40, 10], [8, 60]]), encoding="utf-8")
    formats = "html,pdf,json,csv,markdown,latex"
    run = reportgen(*("build", os.fsdecode(spec), "-o", tmp_path / "out"), "--format", formats)
    assert run.returncode == 0, run.stderr
    manifest = json.loads(next((tmp_path / "out").glob("b*/manifest.json")).read_bytes())
    assert manifest["spec"]["path"] == "b\\udcff.toml"

    run = reportgen("publish", tmp_path / "out", tmp_path / "site")
    assert run.returncode == 0, run.stderr
    index = json.loads((tmp_path / "site/index.json").read_bytes())
    assert [report["name"] for report in index["reports"]] == ["b\\udcff"]


@pytest.mark.slow
def test_sigterm_ends_with_143_and_leaves_nothing(tmp_path: Path) -> None:
    """A stopped job has not written half a report."""
    process = subprocess.Popen(
        [sys.executable, "-m", "reportgen", "build", "specs/digits.toml", "-o", tmp_path], cwd=ROOT
    )
    time.sleep(2)
    process.send_signal(signal.SIGTERM)

    assert process.wait(timeout=60) == 143
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_failed_build_leaves_no_folder_behind(tmp_path: Path) -> None:
    """What was not built does not look as if it had been."""
    spec = tmp_path / "s.toml"
    spec.write_text(
        '[task]\nkind = "regression"\n[[classifiers]]\nname = "A"\npredictions = "gone.csv"\n',
        encoding="utf-8",
    )

    assert reportgen("build", spec, "-o", tmp_path / "out").returncode == 3
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_build_of_fewer_formats_removes_nothing(tmp_path: Path) -> None:
    """The manifest lists what this run wrote."""
    build = ("build", "specs/tenfold.toml", "-o", tmp_path, "--format")
    reportgen(*build, "json,csv")
    table = tmp_path / "tenfold/tables/comparisons.csv"
    before = table.read_bytes()

    run = reportgen(*build, "json")

    assert run.returncode == 0, run.stderr
    assert "removed" not in run.stderr
    assert table.read_bytes() == before
    manifest = json.loads((tmp_path / "tenfold/manifest.json").read_text(encoding="utf-8"))
    assert [output["path"] for output in manifest["outputs"]] == ["results.json"]


@pytest.mark.slow
def test_tables_that_are_empty_now_are_removed_and_named(tmp_path: Path) -> None:
    """A table of an earlier run would be taken for one of this run; files of others stay."""
    spec = tmp_path / "s.toml"
    gate = '[[gates]]\nclassifier = "A"\nmeasure = "accuracy"\nat_least = 0.5\n'
    spec.write_text(counted_spec([[40, 10], [8, 60]]) + gate, encoding="utf-8")
    reportgen("build", spec, "-o", tmp_path / "out", "--format", "csv")
    tables = tmp_path / "out/s/tables"
    (tables / "mine.csv").write_text("mine", encoding="utf-8")
    assert (tables / "gates.csv").is_file()

    spec.write_text(counted_spec([[40, 10], [8, 60]]), encoding="utf-8")
    run = reportgen("build", spec, "-o", tmp_path / "out", "--format", "csv")

    assert "removed files that are empty now: tables/gates.csv" in run.stderr
    assert not (tables / "gates.csv").exists()
    assert (tables / "mine.csv").read_text(encoding="utf-8") == "mine"


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for plain text gets it, on a terminal too."""
    fault = Diagnostic(ERROR_CODES["E104"], "`level` must be less than 1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in format_diagnostic(fault)

    monkeypatch.setenv("NO_COLOR", "1")

    assert format_diagnostic(fault) == "error[E104]: `level` must be less than 1"


def test_check_warns_of_a_gate_that_nothing_can_be_judged_by(tmp_path: Path) -> None:
    """The class is none of these data, so the gate would fail whatever was predicted."""
    rows = ["truth,prediction", *["a,a"] * 20, *["b,b"] * 20, *["b,a"] * 3, *["c,c"] * 9]
    (tmp_path / "p.csv").write_text("\n".join(rows), encoding="utf-8")
    spec = tmp_path / "letters.toml"
    spec.write_text(
        '[task]\nkind = "multiclass"\n[[classifiers]]\nname = "A"\npredictions = "p.csv"\n'
        '[[gates]]\nclassifier = "A"\nmeasure = "sensitivity"\nclass = "letter"\nat_least = 0.5\n',
        encoding="utf-8",
    )
    run = reportgen("check", str(spec), "--json")
    (row,) = json.loads(run.stdout)

    assert (run.returncode, row["errors"]) == (0, [])
    assert any("`sensitivity` of `A` would fail" in warning for warning in row["warnings"])
