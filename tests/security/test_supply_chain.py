"""What is installed and run is what was tested: hashes, commits, licences, no root."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")


def test_packages_are_locked_by_hashes() -> None:
    """Every package of the lock file, and the Dockerfile requires them."""
    packages = re.split(r"^(?=[a-z])", LOCK, flags=re.MULTILINE)[1:]
    names = {package.partition("==")[0] for package in packages}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.split(r"[<>=\[]", text)[0] for text in project["dependencies"]}

    assert needed <= names
    assert [package for package in packages if "--hash=sha256:" not in package] == []
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    installs = re.findall(r"pip install [^&\n]*", dockerfile)
    assert [line for line in installs if not re.search("--require-hashes|--no-deps", line)] == []


def test_the_container_does_not_run_as_root() -> None:
    """The last user is a number, which Kubernetes can check, and nothing is installed after it."""
    final = (ROOT / "Dockerfile").read_text(encoding="utf-8").rpartition("\nFROM ")[2]
    users = re.findall(r"^USER (.*)$", final, re.MULTILINE)

    assert users == ["10001"]
    assert "RUN" not in final.partition("USER ")[2]


def test_the_licences_of_all_packages_are_known() -> None:
    """`make check` compares the page with the metadata of the packages."""
    page = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \|$", page, re.MULTILINE)[1:]
    listed = {name.lower().replace("_", "-"): licence for name, licence in rows}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.split(r"[<>=\[]", text)[0] for text in project["dependencies"]}

    assert needed <= set(listed)
    assert [name for name, licence in listed.items() if licence == "not stated"] == []


def test_the_licence_of_the_fonts_is_shipped() -> None:
    """It is a licence file of the distribution, and in the folder that the wheel contains."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    text = (ROOT / "templates/fonts/OFL.txt").read_text(encoding="utf-8")

    assert "SIL OPEN FONT LICENSE" in text
    assert "templates/fonts/OFL.txt" in settings["project"]["license-files"]
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included["templates"] == "reportgen/templates"


@pytest.mark.parametrize(
    "path",
    [
        *("docs/how-to/github-pages.yml", "docs/how-to/gate-in-ci.md"),
        *("templates/schedule/github.yml.j2", "reportgen/jobs/schedule/exporters/github.py"),
    ],
)
def test_actions_are_pinned_by_commit(path: str) -> None:
    """A tag can be moved to other code."""
    text = (ROOT / path).read_text(encoding="utf-8")
    actions = re.findall(r"uses: ([\w./-]+@\S+)", text)
    pinned = re.findall(r"\b[0-9a-f]{40}\b", text)

    assert [action for action in actions if not re.search(r"@[0-9a-f]{40}$", action)] == []
    assert actions or pinned or "pinned_action" in text


@pytest.mark.parametrize("path", ["docs/how-to/github-pages.yml", "docs/how-to/gate-in-ci.md"])
def test_specs_are_confined_in_ci(path: str) -> None:
    """Specs and templates of a pull request are those of anybody."""
    text = (ROOT / path).read_text(encoding="utf-8")
    builds = re.findall(r"(?:run: |- )(reportgen build .*)", text)

    assert builds
    assert [line for line in builds if "--untrusted" not in line] == []


def test_specs_are_confined_by_the_action() -> None:
    """Unless a workflow says that it trusts them."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    (build,) = [step for step in action["runs"]["steps"] if step.get("id") == "build"]

    assert action["inputs"]["trusted"]["default"] == "false"
    assert '[ "$TRUSTED" != true ]; then options+=(--untrusted)' in build["run"]


def test_no_document_or_message_installs_another_project_from_pypi() -> None:
    """On PyPI `reportgen` is another project; only warnings may write the command."""
    folders = ("docs", "reportgen", "templates", "scripts", "specs")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in [*files, *ROOT.glob("*.md"), ROOT / "Dockerfile"]
        if path.suffix in {".md", ".py", ".yml", ".j2", ".toml", ""}
    }
    pattern = re.compile(
        r"(?<!Never write `)(?<!\(`)pip install (?:--? )?[\"']?reportgen(?![-_\w])"
    )
    result = [str(path) for path, text in texts.items() if pattern.search(text)]

    assert result == []


def test_no_file_names_a_package_index() -> None:
    """Where packages come from is the machine's business."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")

    assert "://" not in lock
    assert "--index" not in lock
    assert lock.count("--hash=sha256:") > 100


def test_the_policy_says_what_files_of_others_can_do_and_how_to_report() -> None:
    """One row for each kind of file, an option that exists, and a way that is no public issue."""
    policy = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    first_cells = " ".join(re.findall(r"^\|([^|]+)\|", policy, re.MULTILINE))
    kinds = set(re.findall(r"\*\*([a-z ]+)\*\*", first_cells))

    assert {"spec", "template folder", "prediction files", "report", "published folder"} <= kinds
    assert {"output folder", "history"} <= kinds
    assert "`reportgen build --untrusted`" in policy
    assert "private vulnerability reporting" in policy
    assert re.search(r"pip-audit .*--requirement requirements\.lock", policy)
    assert (ROOT / "requirements.lock").is_file()
