"""What the how-to pages tell people to write and to call is so."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import typer

from reportgen.cli.app import app
from reportgen.errors import ExitCode
from reportgen.jobs.job import Job
from reportgen.jobs.runner import run_job
from reportgen.jobs.schedule.timetable import Timetable
from reportgen.paths import SCHEDULE_FILE
from reportgen.spec import load_spec
from tests.external_programs import needs_systemd

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs/how-to").glob("*.md"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
REPORTGEN = Path(sys.executable).with_name("reportgen")
# Code, in fences or within a sentence; in it calls, though not paths in calls of other programs.
CODE = re.compile(r"^```(?:sh|yaml|ini)\n(.*?)^```|(?<!`)`([^`\n]+)`", re.DOTALL | re.MULTILINE)
CALLS = re.compile(r"(?<![\w.:-])(?<!/opt/)reportgen (?=[a-z])((?:[^\n|;&#>)(]|\\\n)+)")


def page(name: str) -> str:
    """Return the text of a page."""
    return (ROOT / "docs/how-to" / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """Return what stands in fences of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


# What a part of a spec is a part of, on a page without a whole one.
BASE = """
[task]
kind = "binary"
positive = "yes"
classes = ["yes", "no"]

[[classifiers]]
name = "SVM"
predictions = "svm.csv"
"""


def whole_specs(text: str) -> list[str]:
    """Return the specs of a page; a part without a task belongs to the last whole one."""
    specs: list[str] = []
    spec_text = BASE
    for block in blocks(text, "toml"):
        spec_text = block if "[task]" in block else spec_text
        specs.append(block if block is spec_text else f"{spec_text}\n{block}")
    return specs


def calls(text: str) -> list[str]:
    """Return the calls of reportgen in the code of a page, without its name."""
    code = ("".join(result) for result in CODE.findall(text))
    return [call.strip() for part in code for call in CALLS.findall(part)]


README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE_PAGES = sorted((ROOT / "docs").glob("*.md"))
SPECS = [
    *(
        (path.name, spec)
        for path in (*PAGES, *REFERENCE_PAGES)
        for spec in whole_specs(path.read_text("utf-8"))
    ),
    *(("README.md", spec) for spec in whole_specs(README)),
]
CALLED = [
    (path.name, call)
    for path in (*PAGES, *REFERENCE_PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md")
    for call in calls(path.read_text("utf-8"))
]


@pytest.mark.parametrize(("name", "spec"), SPECS, ids=[name for name, _ in SPECS])
def test_every_spec_of_the_pages_is_valid(tmp_path: Path, name: str, spec: str) -> None:
    """Read as a file is; the data it names need not be there."""
    del name
    file = tmp_path / "spec.toml"
    file.write_text(spec, encoding="utf-8")

    assert load_spec(file).spec.classifiers


@pytest.mark.slow
@pytest.mark.parametrize(("name", "call"), CALLED, ids=[f"{n}: {c}" for n, c in CALLED])
def test_every_command_and_option_of_the_pages_exists(name: str, call: str) -> None:
    """Looked up where `--help` takes them from."""
    del name
    command = typer.main.get_command(app)
    words = shlex.split(call.replace("[", "").replace("]", ""), posix=True)
    while words and hasattr(command, "commands"):
        assert words[0] in command.commands, words[0]
        command = command.commands[words.pop(0)]
    known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
    known |= {option for parameter in command.params for option in parameter.secondary_opts}
    options = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}

    assert options <= known


def test_the_pages_are_in_the_readme_and_on_the_home_page() -> None:
    """Whoever looks for a page finds it from the first one."""
    home = (ROOT / "docs/index.md").read_text(encoding="utf-8")

    assert [path.name for path in PAGES if f"(docs/how-to/{path.name})" not in README] == []
    assert [path.name for path in PAGES if f"(how-to/{path.name})" not in home] == []


def call_reportgen(call: str, folder: Path) -> str:
    """Call reportgen in a folder, which must go well; return what it says."""
    process = run_reportgen(shlex.split(call, comments=True)[1:], folder)
    assert process.returncode == ExitCode.SUCCESS, (call, process.stderr)
    return process.stderr


def run_reportgen(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run reportgen in a folder that is also the home of its user."""
    return subprocess.run(
        [REPORTGEN, *words],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_a_newcomer_who_follows_the_page_gets_a_site(tmp_path: Path) -> None:
    """The spec and the commands of the page, from the data of the clone to a published report.

    No PDF is asked for, which other tests look at, and the service builds once in a new folder.
    """
    text = page("nightly-report.md")
    for folder in ("specs", "data"):
        (tmp_path / folder).mkdir()
    spec = blocks(text, "toml")[0] + '\n[output]\nformats = ["html", "json"]\n'
    (tmp_path / "specs/tumours.toml").write_text(spec, encoding="utf-8")
    for path in re.findall(r"cp /opt/reportgen/(\S+) data/", text):
        shutil.copy(ROOT / path, tmp_path / "data")
    third = text.partition("## 3.")[2].partition("## 4.")[0]
    check, build, publish, plan = re.findall(r"^reportgen .*", third, re.MULTILINE)
    service = re.search(r"^ExecStart=\S+/(reportgen .*)$", text, re.MULTILINE)
    assert service is not None

    call_reportgen(check, tmp_path)
    first = call_reportgen(build, tmp_path)
    call_reportgen(publish, tmp_path)
    second = call_reportgen(build, tmp_path)
    for call in (plan, *re.findall(r"^reportgen history .*", text, re.MULTILINE)):
        call_reportgen(call, tmp_path)
    shutil.move(tmp_path / "reports", tmp_path / "earlier")
    call_reportgen(f"{service[1]} --once", tmp_path)

    message = re.search(r"^`build` says `(.*?)`", third, re.MULTILINE)
    assert message is not None
    assert f": {message[1]} (" in first
    assert f": {message[1]} (" in second
    assert "passed untested: there is no earlier run yet" in first
    # It is not compared with itself, though it was published.
    assert "passed untested: all earlier runs used the same data" in second
    assert "Malignant or benign" in (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert "Scheduler heartbeat" in (tmp_path / "site/status.html").read_text(encoding="utf-8")
    assert (tmp_path / "reports" / SCHEDULE_FILE).is_file()


# Pages with commands that are not run as they stand, and why.
NOT_RUN = {
    "appearance.md": "serves until it is stopped: tests/test_preview.py",
    "engines.md": "needs Spark: tests/aggregates/backends",
    "formats.md": "needs a warehouse: tests/predictions/test_sql.py",
    "nightly-report.md": "run above, with the folders of the page",
    "pdf-by-email.md": "needs a mail server: tests/jobs/notifications",
    "publishing.md": "a synopsis",
    "tutorial.md": "run by test_site.py",
}
QUICK_OUTPUT = '\n[output]\nformats = ["html", "json"]\n'
TIMETABLE = '\n[schedule]\ncron = "0 6 * * *"\ntimezone = "Europe/Berlin"\n'
FENCED = [
    (path, commands)
    for path in (*PAGES, *REFERENCE_PAGES, ROOT / "README.md")
    if path.name not in NOT_RUN
    for commands in [
        [
            line
            for block in blocks(path.read_text("utf-8"), "sh")
            # With such a line the block is about a server.
            if not re.search(r"^export ", block, re.MULTILINE)
            for line in block.splitlines()
            if line.startswith("reportgen ")
        ]
    ]
    if commands
]


@pytest.mark.slow
@pytest.mark.parametrize(("path", "commands"), FENCED, ids=[path.name for path, _ in FENCED])
def test_the_commands_of_the_pages_run(tmp_path: Path, path: Path, commands: list[str]) -> None:
    """One after the other, in a folder with specs and data; a service builds once and ends."""
    del path
    # Other tests look at PDFs.
    gates = (ROOT / "specs/gates.toml").read_text("utf-8") + QUICK_OUTPUT
    (tmp_path / "specs").mkdir()
    for name, text in {
        "specs/gates.toml": gates,
        "specs/tumours.toml": gates + TIMETABLE,
        "spec.toml": (ROOT / "specs/enegotiation.toml").read_text("utf-8"),
        "predictions.csv": "truth,prediction\n" + "yes,yes\nno,no\nyes,no\nno,yes\n" * 20,
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    if any("breast_cancer" in command for command in commands):
        shutil.copy(ROOT / "specs/breast_cancer.toml", tmp_path / "specs")
        shutil.copytree(ROOT / "specs/data/breast_cancer", tmp_path / "specs/data/breast_cancer")
    for command in commands:
        call = command.partition(" >")[0].replace("specs/*.toml", "specs/gates.toml")
        if "schedule run" in call:
            call = f"{call.partition('#')[0].replace('--once', '')} --once"
        if "RUN" in call:
            runs = run_reportgen(["history", "list", "--json"], tmp_path).stdout
            call = call.replace("RUN", json.loads(runs)[0]["run"][:20])
        call_reportgen(call, tmp_path)


def test_pages_whose_commands_are_not_run_exist() -> None:
    """A page that is renamed must not stay on the list."""
    names = {path.name for path in (*PAGES, *REFERENCE_PAGES)}

    assert set(NOT_RUN) <= names


@needs_systemd
def test_the_service_of_the_page_is_one_by_systemd(tmp_path: Path) -> None:
    """The paths of the page become paths of this machine; nothing else is changed."""
    (service,) = blocks(page("nightly-report.md"), "ini")
    command = re.search(r"^ExecStart=(\S+)", service, re.MULTILINE)
    assert command is not None
    unit = tmp_path / "reportgen.service"
    unit.write_text(service.replace(command[1], str(REPORTGEN)), encoding="utf-8")
    process = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=one", str(unit)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
    )

    assert (process.returncode, process.stderr) == (0, "")
    assert f"SuccessExitStatus={128 + 15}" in service


@pytest.mark.slow
@pytest.mark.parametrize(("place", "schema"), [(0, "github-workflows"), (1, "gitlab-ci")])
def test_the_pipelines_are_such_by_their_schemas(tmp_path: Path, place: int, schema: str) -> None:
    """By the schemas that come with check-jsonschema; no network is asked."""
    file = tmp_path / "pipeline.yml"
    file.write_text(blocks(page("gate-in-ci.md"), "yaml")[place], encoding="utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    process = subprocess.run([*command, str(file)], capture_output=True, text=True, check=False)

    assert process.returncode == 0, process.stdout + process.stderr


GATES = [spec for spec in whole_specs(page("gates.md")) if "[[gates]]" in spec]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "observed"),
    list(zip(GATES, ("0.241", "0.499", "−0.026", "−0.0234", "0.759"), strict=True)),
    ids=["at_most", "low end", "another", "last", "class"],
)
def test_the_arithmetic_of_the_gates_page_is_so(tmp_path: Path, spec: str, observed: str) -> None:
    """What was found stands in the page, and passes; before it, ten more successes are found."""
    file = tmp_path / "spec.toml"
    job = Job(file, tmp_path / "out", ("json",), history=str(tmp_path / "history.sqlite"))
    if "not_worse_than_last" in spec:
        file.write_text(spec, encoding="utf-8")
        run_job(job)
        spec = spec.replace("[1108, 323]", "[1098, 333]")
    file.write_text(spec, encoding="utf-8")
    (gate,) = run_job(job).gates
    decimals = len(observed.partition(".")[2])

    assert gate.passed
    assert gate.observed is not None
    assert f"{gate.observed:.{decimals}f}".replace("-", "−") == observed
    assert observed in page("gates.md")


@pytest.mark.parametrize(
    ("day", "local", "offset"),
    [("2027-03-28", "03:00", 2), ("2027-10-31", "02:30", 2)],
    ids=["left out", "twice"],
)
def test_clocks_that_are_changed_lead_to_the_runs_of_the_page(
    day: str, local: str, offset: int
) -> None:
    """Berlin is two hours ahead in summer: right after the gap, and the first time of two."""
    midnight = datetime.fromisoformat(f"{day}T00:00:00").replace(tzinfo=UTC) - timedelta(hours=2)
    runs = islice(Timetable("30 2 * * *", "Europe/Berlin").due_times(midnight), 2)
    local_times = [run.astimezone(ZoneInfo("Europe/Berlin")) for run in runs]

    assert f"{local_times[0]:%Y-%m-%d %H:%M}" == f"{day} {local}"
    assert local_times[0].utcoffset() == timedelta(hours=offset)
    assert local_times[1].date() == local_times[0].date() + timedelta(days=1)


def test_every_exit_code_is_on_the_page_for_build_servers() -> None:
    """The table has a row for each."""
    matches = re.findall(r"^\| (\d[\d, ]*) \|", page("gate-in-ci.md"), re.MULTILINE)
    codes = {int(code) for row in matches for code in row.split(",")}

    assert codes == {*map(int, ExitCode), 130, 143}


def test_the_image_and_the_cron_job_fit() -> None:
    """User and folder of the exported job are those of the image, which is healthy by its file."""
    cron_job = (ROOT / "templates/schedule/kubernetes.yaml.j2").read_text(encoding="utf-8")
    user = re.search(r"runAsUser: (\d+)", cron_job)
    folder = re.search(r"workingDir: (\S+)", cron_job)
    assert user is not None
    assert folder is not None

    assert f"USER {user[1]}\n" in DOCKERFILE
    assert f"WORKDIR {folder[1]}\n" in DOCKERFILE
    assert f"find reports/{SCHEDULE_FILE} " in DOCKERFILE


def test_what_is_copied_into_the_image_is_there() -> None:
    """No linter looks whether it is; and the base has a version, the same in both stages."""
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)

    names = [name for line in copied for name in line.split()]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    included = {*wheel["packages"], *wheel["force-include"], *project["project"]["license-files"]}
    assert [name for name in included if not name.startswith(tuple(names))] == []
    assert [name for name in names if not (ROOT / name).exists()] == []
    assert len(bases) == 2
    assert len(set(bases)) == 1
    assert re.fullmatch(r"python:3\.\d+-slim-\w+", bases[0])


def test_the_image_has_the_libraries_that_set_up_installs() -> None:
    """Defined in scripts/setup; the image cannot ask it, since it installs into a new system."""
    setup = (ROOT / "scripts/setup").read_text(encoding="utf-8")
    result = re.search(r'^readonly PANGO_APT="(.*)"$', setup, re.MULTILINE)
    assert result is not None

    assert set(result[1].split()) <= set(DOCKERFILE.split())
