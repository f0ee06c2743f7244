"""Every block of code of the documentation is run by a test, or listed here with the reason."""

from __future__ import annotations

import re
import shutil
import subprocess
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

import reportgen
from reportgen.pipeline import build_and_write
from tests.end_to_end.test_how_to_pages import FENCED, NOT_RUN

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
SHELLS = {"sh", "bash", "console"}
# The test that runs the code: in this module, or in one that names the page.
HERE = "tests/end_to_end/test_code_on_pages.py"
TESTS = {
    ("CONTRIBUTING.md", "python"): "tests/end_to_end/test_repository.py",
    ("README.md", "python"): HERE,
    ("docs/formats.md", "python"): "tests/predictions/presets/tool_output/make_sklearn.py",
    ("docs/formats.md", "toml"): "tests/predictions/test_formats_page.py",
    ("docs/how-to/gate-in-ci.md", "yaml"): "tests/integrations/test_github_action.py",
    ("docs/how-to/github-action.md", "yaml"): "tests/integrations/test_github_action.py",
    ("docs/how-to/mlflow.md", "python"): "tests/integrations/test_mlflow.py",
    ("docs/how-to/model-cards.md", "python"): "tests/render/test_model_card.py",
    ("docs/how-to/nightly-report.md", "ini"): "tests/end_to_end/test_how_to_pages.py",
    ("docs/how-to/notebooks.md", "python"): "tests/integrations/test_notebooks.py",
    ("docs/how-to/ordinal-and-multilabel.md", "python"): HERE,
    ("docs/how-to/pre-commit-and-editors.md", "yaml"): "tests/integrations/test_packaging.py",
    ("docs/how-to/pytest.md", "python"): "tests/integrations/test_pytest_plugin.py",
    ("docs/python.md", "python"): "tests/api/test_api_docs.py",
    ("docs/python.md", "text"): "tests/api/test_api_docs.py",
    ("docs/results.md", "latex"): "tests/render/test_latex_paper.py",
    ("docs/results.md", "python"): HERE,
    ("docs/tutorial.md", "python"): "tests/end_to_end/test_site.py",
}
# Blocks that are not code: lists, formulas, and what a command prints.
TEXTS = {"docs/architecture.md", "docs/commands.md", "docs/engines.md"}
NOT_RUN_LANGUAGES = {
    ("docs/publishing.md", "markdown"): "addresses of badges, to be copied",
    ("docs/formats.md", "r"): "R is not installed; caret wrote the samples by such a script",
}
# Programs other than reportgen, by page: what runs the command, or why nothing does.
PROGRAMS = {
    ("docs/engines.md", "nice"): "takes an hour; tests/benchmarks calls its functions",
    ("docs/engines.md", "pip"): "the extra is installed by `make spark`",
    ("docs/formats.md", "java"): "Weka is not installed; it wrote the samples by this command",
    ("docs/how-to/container.md", "docker"): "no container engine, as the page states",
    ("docs/how-to/container.md", "kubectl"): "no cluster, as the page states",
    ("docs/how-to/history.md", "export"): "tests/jobs/history with a PostgreSQL server",
    ("docs/how-to/history.md", "pip"): "the extra is installed by `make setup`",
    ("docs/how-to/install.md", "."): "part of `pip install .`",
    ("docs/how-to/install.md", "pip"): "tests/integrations/test_packaging.py installs the wheel",
    ("docs/how-to/install.md", "python3"): "part of `pip install .`",
    ("docs/how-to/install.md", "uvx"): "tests/integrations/test_packaging.py",
    ("docs/how-to/mlflow.md", "mlflow"): "test_mlflow.py calls the function behind it",
    ("docs/how-to/nightly-report.md", "cat"): "prints a file that the test of the page finds",
    ("docs/how-to/nightly-report.md", "cd"): "the test of the page has a folder of its own",
    ("docs/how-to/nightly-report.md", "cp"): "copied by the test of the page",
    ("docs/how-to/nightly-report.md", "echo"): "changes the machine",
    ("docs/how-to/nightly-report.md", "journalctl"): "needs the service",
    ("docs/how-to/nightly-report.md", "mkdir"): "the test of the page has a folder of its own",
    ("docs/how-to/nightly-report.md", "sudo"): "changes the machine",
    ("docs/how-to/notebooks.md", "marimo"): "tests/integrations/test_notebooks.py exports the app",
    ("docs/how-to/notebooks.md", "quarto"): "not installed, as the page states",
    ("docs/how-to/pdf-by-email.md", "export"): "tests/jobs/notifications with a mail server",
    ("docs/results.md", "jq"): HERE,
    ("SECURITY.md", "uvx"): "asks a database over the network, as the page states",
}


class Block(NamedTuple):
    """A block of code of a page."""

    page: str
    language: str
    text: str


def blocks_of(path: Path) -> list[Block]:
    """Return the fenced blocks of a page, indented ones too."""
    text = path.read_text(encoding="utf-8")
    blocks = re.findall(r"^( *)```(\w*)\n(.*?)^\1```$", text, re.DOTALL | re.MULTILINE)
    page = path.relative_to(ROOT).as_posix()
    return [Block(page, language, block) for _, language, block in blocks]


BLOCKS = [block for path in PAGES for block in blocks_of(path)]


def programs(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Yield the program and the arguments of each command of a block."""
    lines = re.sub(r"\\\n", " ", block.text)
    # A text in quotes may have several lines.
    lines = re.sub(r"'[^']*'", "'…'", lines)
    for line in lines.splitlines():
        words = line.partition(" #")[0].split()
        if words:
            yield words[0], words[1:]


def test_every_block_is_run_or_listed() -> None:
    """A new block needs a test, or a reason."""
    unknown = {
        (block.page, block.language)
        for block in BLOCKS
        if block.language not in SHELLS | {"toml"}
        and (block.page, block.language) not in TESTS | NOT_RUN_LANGUAGES
        and not (block.language == "text" and block.page in TEXTS)
    }
    assert len(BLOCKS) > 100
    assert unknown == set()


def test_the_lists_name_what_there_is() -> None:
    """A block that was removed or renamed must not stay on a list, nor a test that is gone."""
    languages = {(block.page, block.language) for block in BLOCKS}
    commands = {
        (block.page, program)
        for block in BLOCKS
        if block.language in SHELLS
        for program, _ in programs(block)
    }
    assert set(TESTS | NOT_RUN_LANGUAGES) - languages == set()
    assert set(PROGRAMS) - commands == set()
    strangers = [
        (page, test)
        for (page, _), test in TESTS.items()
        if test != HERE and Path(page).name not in (ROOT / test).read_text(encoding="utf-8")
    ]
    assert strangers == []


def test_every_command_is_run_or_listed() -> None:
    """Targets of make, modules and scripts of the repository exist; reportgen is called."""
    run = {path.relative_to(ROOT).as_posix() for path, _ in FENCED}
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    unknown = []
    for block in BLOCKS:
        for program, words in programs(block) if block.language in SHELLS else ():
            if program == "reportgen":
                is_known = block.page in run or Path(block.page).name in NOT_RUN
            elif program == "make":
                is_known = words[0] in targets
            elif program == "python" and words[0] == "-m":
                is_known = find_spec(words[1]) is not None
            elif program == "python":
                is_known = (ROOT / words[0]).is_file()
            else:
                is_known = (block.page, program) in PROGRAMS
            if not is_known:
                unknown.append((block.page, program, *words))

    assert unknown == []


# Blocks that no other test runs.


def code_of(page: str, language: str) -> list[str]:
    """Return the blocks of a page in a language."""
    return [block.text for block in BLOCKS if (block.page, block.language) == (page, language)]


@contextmanager
def in_folder(folder: Path) -> Iterator[None]:
    """Change the working directory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield


@pytest.mark.slow
def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    """With predictions under the names that it uses."""
    names: dict[str, object] = {
        "truth": ["yes"] * 60 + ["no"] * 90,
        "svm": ["yes"] * 54 + ["no"] * 6 + ["no"] * 81 + ["yes"] * 9,
        "bayes": ["yes"] * 45 + ["no"] * 15 + ["no"] * 72 + ["yes"] * 18,
    }
    (block,) = code_of("README.md", "python")
    with in_folder(tmp_path):
        exec(compile(block, "README.md", "exec"), names)  # noqa: S102  # our own page

    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


TRUTHS: dict[str, tuple[list[object], list[object]]] = {
    "ordinal": (["low", "moderate", "high"] * 20, ["low", "high", "high"] * 20),
    "multilabel": (
        [["politics"], ["economy", "sports"], []] * 20,
        [["politics"], ["sports"], ["economy"]] * 20,
    ),
}


@pytest.mark.parametrize("task", TRUTHS)
def test_ordinal_and_multilabel_calls_run(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With predictions under the names that the page uses; the measure that leads is computed."""
    (block,) = [
        text
        for text in code_of("docs/how-to/ordinal-and-multilabel.md", "python")
        if f'task="{task}"' in text
    ]
    reports = []
    evaluate = reportgen.evaluate
    monkeypatch.setattr(
        reportgen,
        "evaluate",
        lambda *words, **options: reports.append(evaluate(*words, **options)),
    )
    truth, predictions = TRUTHS[task]
    exec(compile(block, task, "exec"), {"truth": truth, "predictions": predictions})  # noqa: S102  # as above

    (report,) = reports
    measure = {"ordinal": "quadratic_kappa", "multilabel": "exact_match"}[task]
    assert report.values.filter(measure=measure)["value"].is_not_null().any()


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the results that docs/results.md reads."""
    folder = tmp_path_factory.mktemp("results")
    build_and_write(ROOT / "specs/breast_cancer.toml", folder / "reports", ("json",))
    return folder


@pytest.mark.slow
def test_polars_reads_the_results_as_shown(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The frame of primary tests is printed."""
    (block,) = code_of("docs/results.md", "python")
    with in_folder(results):
        exec(compile(block, "results.md", "exec"), {})  # noqa: S102  # as above

    assert "p_adjusted" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_jq_reads_the_results_as_shown(results: Path) -> None:
    """A row for each classifier and measure, over all cases."""
    (block,) = [text for text in code_of("docs/results.md", "sh") if text.startswith("jq")]
    process = subprocess.run(
        ["bash", "-c", block], cwd=results, capture_output=True, text=True, check=True
    )
    rows = [line.split("\t") for line in process.stdout.splitlines()]
    keys = [tuple(row[:2]) for row in rows]

    assert ("SVM", "accuracy") in keys
    assert len(keys) == len(set(keys))
    assert {len(row) for row in rows} == {5}
