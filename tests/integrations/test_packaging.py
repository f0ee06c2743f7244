"""What people install reportgen with: uvx, pre-commit, conda; and the schema for editors."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml

from reportgen.spec import spec_schema
from reportgen.spec.schema import SCHEMASTORE_FILES, SCHEMASTORE_ID, schemastore_schema
from tests.external_programs import find_tool, needs_package, needs_tool

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SPECS = sorted((ROOT / "specs").glob("*.toml"))
GOOD = """
[task]
kind = "binary"
positive = "a"
classes = ["a", "b"]

[[classifiers]]
name = "NB"
confusion = [[9, 1], [2, 8]]
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


# The schema.


def test_the_schema_for_schemastore_is_one_of_draft_07() -> None:
    """The catalog takes no later draft: no $defs, no prefixItems, nothing next to a $ref."""
    schema = schemastore_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    text = json.dumps(schema)

    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert schema["$id"] == SCHEMASTORE_ID
    assert "$defs" not in text
    assert "prefixItems" not in text
    assert set(re.findall(r'"\$ref": "(#/\w+/)', text)) == {"#/definitions/"}
    page = (ROOT / "docs/how-to/pre-commit-and-editors.md").read_text("utf-8")
    assert all(f"`{pattern}`" in page for pattern in (*SCHEMASTORE_FILES, SCHEMASTORE_ID))


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_both_schemas_accept_the_example_specs(path: Path) -> None:
    """Dates of TOML are text in JSON."""
    document = json.loads(json.dumps(tomllib.loads(path.read_text("utf-8")), default=str))
    jsonschema.Draft7Validator(schemastore_schema()).validate(document)
    jsonschema.Draft202012Validator(spec_schema()).validate(document)


WRONG: Mapping[str, dict[str, Any]] = {
    "unknown key": {"task": {"kind": "binary", "positiv": "yes"}},
    "unknown kind": {"task": {"kind": "binray"}},
    "number for text": {"title": 3},
    "two conditions": {
        "gates": [{"classifier": "A", "measure": "f1", "at_least": 0.5, "at_most": 0.9}]
    },
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_both_schemas_reject_the_same(wrong: dict[str, Any]) -> None:
    """What is converted is not weaker."""
    document = tomllib.loads(GOOD) | wrong
    drafts = (
        jsonschema.Draft7Validator(schemastore_schema()),
        jsonschema.Draft202012Validator(spec_schema()),
    )

    assert [validator.is_valid(document) for validator in drafts] == [False, False]
    assert [validator.is_valid(tomllib.loads(GOOD)) for validator in drafts] == [True, True]


@needs_tool("tombi")
def test_a_language_server_finds_mistakes_with_the_schema(tmp_path: Path) -> None:
    """Tombi reads the first line of the spec, as editors do; it needs no network for that."""
    tombi = find_tool("tombi")
    assert tombi is not None
    (tmp_path / "reportgen.schema.json").write_text(json.dumps(schemastore_schema()), "utf-8")
    head = "#:schema ./reportgen.schema.json\n"
    (tmp_path / "good.toml").write_text(head + GOOD, encoding="utf-8")
    (tmp_path / "bad.toml").write_text(head + GOOD.replace("positive", "positiv"), encoding="utf-8")
    runs = {
        name: subprocess.run(
            [tombi, "lint", "--offline", name],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        for name in ("good.toml", "bad.toml")
    }

    assert runs["good.toml"].returncode == 0, runs["good.toml"].stdout + runs["good.toml"].stderr
    assert runs["bad.toml"].returncode != 0
    assert "positiv" in runs["bad.toml"].stdout + runs["bad.toml"].stderr


def test_every_extra_for_users_is_on_the_page() -> None:
    """The others are for development."""
    page = (ROOT / "docs/how-to/install.md").read_text("utf-8")
    extras = set(PROJECT["optional-dependencies"]) - {"bench", "dev", "docs", "integrations"}

    assert {extra for extra in extras if f"`{extra}`" not in page} == set()


# The recipe.


def test_the_recipe_has_the_dependencies_of_the_project() -> None:
    """Names and limits, and the same version, command and licences."""
    recipe = yaml.safe_load((ROOT / "recipe/recipe.yaml").read_text("utf-8"))
    required = {re.sub(r"([\w-]+)(.*)", r"\1 \2", line) for line in PROJECT["dependencies"]}
    from reportgen import __version__

    assert set(recipe["requirements"]["run"][1:]) == required
    assert recipe["context"]["version"] == __version__
    scripts = [f"{name} = {target}" for name, target in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == scripts
    assert recipe["about"]["license_file"] == PROJECT["license-files"]
    assert recipe["about"]["summary"] == PROJECT["description"]


@needs_package("rattler_build")
def test_rattler_build_renders_the_recipe() -> None:
    """It knows every key, and fills in the lowest version of Python; nothing is built."""
    from rattler_build import RecipeParseError, Stage0Recipe, VariantConfig

    text = (ROOT / "recipe/recipe.yaml").read_text("utf-8")
    lowest = PROJECT["requires-python"].removeprefix(">=")
    (variant,) = Stage0Recipe.from_yaml(text).render(VariantConfig({"python_min": [lowest]}))
    requirements = variant.recipe.to_dict()["requirements"]

    assert f"python {lowest}.*" in requirements["host"]
    assert f"python >={lowest}" in requirements["run"]
    with pytest.raises(RecipeParseError, match="unknown top-level field"):
        Stage0Recipe.from_yaml(text.replace("requirements:", "requirement:"))


@pytest.mark.slow
def test_the_commands_that_the_recipe_tests_run(tmp_path: Path) -> None:
    """In an empty folder, as rattler-build calls them."""
    recipe = yaml.safe_load((ROOT / "recipe/recipe.yaml").read_text("utf-8"))
    (script,) = (test["script"] for test in recipe["tests"] if "script" in test)
    for line in script:
        process = subprocess.run(
            [sys.executable, "-m", *line.split()],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert process.returncode == 0, (line, process.stderr)


# The tools.


@pytest.mark.slow
@pytest.mark.integrations
def test_uvx_runs_the_wheel(wheel: Path, tmp_path: Path) -> None:
    """In an environment of its own, in which nothing but the wheel's dependencies is."""
    (tmp_path / "reportgen.toml").write_text(GOOD, encoding="utf-8")
    uvx = [sys.executable, "-m", "uv", "tool", "run", "--isolated", "--from", str(wheel)]
    environment = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    for words in (["--version"], ["build", "--format", "html,json", "--no-history"]):
        process = subprocess.run(
            [*uvx, "reportgen", *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.returncode == 0, process.stderr

    assert (tmp_path / "reports/reportgen/report.html").is_file()


@pytest.mark.slow
@needs_package("pre_commit")
def test_the_hook_checks_specs_that_change(tmp_path: Path) -> None:
    """With pre-commit itself, which installs this checkout into an environment for the hook."""
    source, repository = tmp_path / "reportgen", tmp_path / "repository"
    repository.mkdir()
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    packaged = ("reportgen/", "templates/", "docs/glossary", "README", "LICENSE", "CHANGELOG")
    needed = (*packaged, "pyproject", ".pre-commit-hooks")
    for name in tracked.stdout.decode().split("\0"):
        if name.startswith(needed) and (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    (repository / "reportgen.toml").write_text(GOOD, encoding="utf-8")
    (repository / "other.toml").write_text("x = 1\n", encoding="utf-8")
    environment = os.environ | {
        "PRE_COMMIT_HOME": str(tmp_path / "cache"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{
            f"GIT_{who}_{what}": "x@example.org"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }

    def run(folder: Path, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, cwd=folder, env=environment, capture_output=True, text=True, check=check
        )

    for folder in (source, repository):
        run(folder, "git", "init", "-q")
        run(folder, "git", "add", "-A")
        run(folder, "git", "commit", "-qm", "x")
    call = [sys.executable, "-m", "pre_commit", "try-repo", str(source), "--all-files", "--verbose"]
    good = run(repository, *call, check=False)
    (repository / "reportgen.toml").write_text(GOOD.replace("binary", "binray"), encoding="utf-8")
    run(repository, "git", "add", "-A")
    bad = run(repository, *call, check=False)

    assert good.returncode == 0, good.stdout + good.stderr
    assert "reportgen.toml: valid (1 classifier" in good.stdout
    assert "other.toml" not in good.stdout
    assert bad.returncode == 1
    assert "did you mean `binary`?" in bad.stdout


@needs_package("pre_commit")
def test_pre_commit_accepts_the_configurations_of_the_page(tmp_path: Path) -> None:
    """By its own validation, which knows every key."""
    page = (ROOT / "docs/how-to/pre-commit-and-editors.md").read_text("utf-8")
    blocks = re.findall(r"^```yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    texts = [*blocks, blocks[0].replace("rev:", "revision:")]
    codes = []
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.yaml"
        path.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "pre_commit", "validate-config", str(path)]
        codes.append(subprocess.run(command, capture_output=True, check=False).returncode)

    assert codes == [0, 0, 1]


READ_ONLY = """
set -e
mount --make-rprivate /
mount --bind "$WORK" /mnt
mount -t tmpfs tmpfs /media
chmod 1777 /media
mount --bind / /
mount -o remount,ro,bind /
if touch /written 2>/dev/null; then exit 99; fi
cd /mnt
exec setpriv --reuid 10001 --regid 10001 --clear-groups --inh-caps -all,+dac_read_search \\
  --ambient-caps -all,+dac_read_search --bounding-set -all,+dac_read_search \\
  env -i PATH=/usr/bin:/bin HOME=/work TMPDIR=/media XDG_CACHE_HOME=/media \\
  "$COMMAND" build --no-history
"""


def _can_mount() -> bool:
    """Return whether this process may make mounts of its own: root on Linux, mostly."""
    tools = shutil.which("unshare") and shutil.which("setpriv")
    call = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return bool(tools) and subprocess.run(call, capture_output=True, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(
    not _can_mount(), reason="only root may mount: the read-only system was not tried"
)
def test_it_runs_without_root_on_a_read_only_file_system(tmp_path: Path) -> None:
    """As in the image: only the work folder and one for temporary files are writable.

    The one capability is to read the test's own files, which are in the home of root.
    """
    (tmp_path / "reportgen.toml").write_text(GOOD, encoding="utf-8")
    os.chown(tmp_path, 10001, 10001)
    command = str(Path(sys.executable).with_name("reportgen"))
    process = subprocess.run(
        ["unshare", "--mount", "bash", "-c", READ_ONLY],
        env=os.environ | {"WORK": str(tmp_path), "COMMAND": command},
        capture_output=True,
        text=True,
        check=False,
    )

    assert process.returncode == 0, process.stderr
    path = tmp_path / "reports/reportgen/report.pdf"
    assert path.stat().st_uid == 10001
