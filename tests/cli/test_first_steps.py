"""What a new user types first works, or is answered with the right form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from reportgen.cli.app import app
from reportgen.cli.build import format_failed_gate, print_outcome
from reportgen.errors import ExitCode
from reportgen.jobs.history.record import GateRecord
from reportgen.jobs.job import JobOutcome
from reportgen.spec import spec_schema
from reportgen.spec.reference import spec_tables
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_command(*arguments: str) -> tuple[int, str]:
    """Run a command in this process and return its exit code and everything it prints."""
    run = CliRunner().invoke(app, list(arguments))
    return run.exit_code, " ".join(run.output.split())


def test_the_spec_of_the_folder_needs_no_name(folder: Path) -> None:
    """`check` takes reportgen.toml; where there is none, `init` writes one."""
    (code, text) = run_command("check")
    assert code == 2
    assert "there is no reportgen.toml in this folder" in text
    assert "reportgen init" in text

    (folder / "reportgen.toml").write_text(counted_spec([[8, 2], [1, 9]]), encoding="utf-8")

    assert run_command("check")[0] == 0


@pytest.mark.parametrize("command", ["build", "check"])
def test_a_file_of_predictions_is_no_spec(folder: Path, command: str) -> None:
    """The answer is the command that writes a spec for it."""
    (folder / "p.csv").write_text("truth,prediction\n1,1\n", encoding="utf-8")

    code, text = run_command(command, "p.csv")

    assert code == 2
    assert "`reportgen init p.csv`" in text


def test_formats_are_separated_by_commas(folder: Path) -> None:
    """`--format html pdf` is refused with the right form."""
    (folder / "reportgen.toml").write_text(counted_spec([[8, 2], [1, 9]]), encoding="utf-8")

    code, text = run_command("build", "reportgen.toml", "--format", "html", "pdf")

    assert code == 2
    assert "--format html,pdf" in text


def gate(**values: object) -> GateRecord:
    """Return a failed gate."""
    failed: dict[str, object] = {
        "classifier": "rf",
        "measure": "accuracy",
        "class_": None,
        "average": None,
        "level": "error",
        "passed": False,
        "observed": 0.8123456,
        "criterion": 0.9,
        "reason": "the value falls short",
        "kind": "at_least",
    }
    return GateRecord(**{**failed, **values})  # type: ignore[arg-type]


def test_a_failed_gate_is_printed_with_criterion_and_observed_value() -> None:
    """For each kind of gate, with the confidence limit that counts."""
    assert format_failed_gate(gate()) == (
        "gate failed: accuracy of `rf`: at least 0.9, observed 0.8123; the value falls short"
    )
    assert "observed 0.8123 (lower confidence limit)" in format_failed_gate(gate(bound="low"))
    assert "not worse than `svm` 0.9" in format_failed_gate(
        gate(kind="not_worse_than", against="svm")
    )
    assert "observed no value" in format_failed_gate(gate(observed=None))
    assert format_failed_gate(gate(level="warning")).startswith("gate warning")


def test_the_report_is_printed_first(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Then the PDF and what programs read; failed gates are messages."""
    files = ("x/results.json", "x/report.pdf", "x/manifest.json", "x/report.html")
    outcome = JobOutcome(
        tmp_path / "x.toml", ExitCode.GATE_FAILED, "A", files, gates=(gate(), gate(passed=True))
    )

    print_outcome(outcome, quiet=False, single=True)

    printed = capsys.readouterr()
    assert printed.out.split() == [
        "x/report.html",
        "x/report.pdf",
        "x/results.json",
        "x/manifest.json",
    ]
    assert printed.err.count("observed 0.8123") == 1


def test_a_path_on_a_terminal_is_a_link(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the escape sequence OSC 8, with the absolute path."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    outcome = JobOutcome(tmp_path / "x.toml", ExitCode.SUCCESS, "A", (str(tmp_path / "a b.html"),))

    print_outcome(outcome, quiet=False, single=True)

    assert "file://" in capsys.readouterr().out.replace("a%20b", "a b")


def test_a_table_that_is_repeated_needs_two_brackets(folder: Path) -> None:
    """[classifiers] twice is not valid TOML; the help text has the right form."""
    text = "[task]\nkind = 'multiclass'\n[classifiers]\nname = 'a'\n[classifiers]\nname = 'b'\n"
    (folder / "s.toml").write_text(text, encoding="utf-8")

    code, printed = run_command("check", "s.toml")

    assert code == 2
    assert "[[classifiers]]" in printed


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        ("data.truth", 'Default: "truth"'),
        ("[data]", "Keys: format"),
        ("[[gates]]", "Keys: classifier"),
        ("score_kind", 'Values: "probability", "ranking"'),
        ("intervals.level", "> 0, < 1"),
        ("bootstrap", "Efron and Tibshirani"),
        ("macro_f1", "the mean over the classes of f1"),
        ("recall_macro", "Sensitivity"),
        ("data.table", "SQLite, DuckDB, PostgreSQL"),
        ("MCB", "score = MCB − DSC + UNC"),
        ("true", ""),
    ],
)
def test_keys_and_terms_are_explained(topic: str, expected: str) -> None:
    """Keys of the spec with values, default and example; terms of the glossary."""
    code, text = run_command("explain", topic)

    assert (expected in text and code == 0) if expected else code == 2


WORDS_OF_REPORTS = """
AUC; Brier score; Youden's J; discriminant power; LR+; likelihood ratio; false alarm; miss;
mistake; grade; superior; not tested; statistically confirmed; no significant difference; p-value;
family-wise error rate; headline; primary test; secondary test; TOST; non-inferiority;
simultaneous interval; rank set; critical difference; Wilcoxon; Cochran's Q; DeLong; McNemar;
macro average; cross-validation; confidence band; ROC curve; precision-recall curve; calibration;
consistency band; expected calibration error; reliability diagram; operating point; optimism;
recommendation; net benefit; decision curve; natural frequencies; lift; gap; segment; effective
number of cases; design effect; abstention; majority-class baseline; class mix; alarm; e-value;
residual; required cases; prevalence; crossover; data card; model card; heartbeat
"""


@pytest.mark.parametrize("word", [" ".join(word.split()) for word in WORDS_OF_REPORTS.split(";")])
def test_words_of_reports_are_explained(word: str) -> None:
    """By their names in reports and in textbooks, whatever the case and the hyphens."""
    code, text = run_command("explain", word)

    assert code == 0, text


def test_every_key_of_the_spec_is_explained() -> None:
    """By its path, and listed in docs/spec.md."""
    keys = [key for table in spec_tables() for key in table.keys]

    assert len(keys) > 100
    assert all(key.description for key in keys)
    assert not [key.path for key in keys if run_command("explain", key.path)[0]]


def test_the_schema_completes_measures_defaults_and_choices() -> None:
    """What editors offer."""
    definitions = spec_schema()["$defs"]
    gates = definitions["Gate"]["properties"]
    data = definitions["DataSettings"]["properties"]

    assert "youden" in gates["measure"]["anyOf"][0]["enum"]
    assert gates["measure"]["anyOf"][1] == {"type": "string"}
    assert data["truth"]["default"] == "truth"
    assert data["score_kind"]["enum"] == ["probability", "ranking"]


def test_shells_complete_commands() -> None:
    """As Typer's scripts for shells ask for it."""
    environment = {
        "_REPORTGEN_COMPLETE": "complete_bash",
        "COMP_CWORD": "1",
        "COMP_WORDS": "reportgen ch",
    }

    run = CliRunner().invoke(app, [], env=environment, prog_name="reportgen")

    assert run.output.split() == ["check"]
