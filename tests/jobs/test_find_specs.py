"""Which specs a call means."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import SpecError
from reportgen.jobs.job import find_specs


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with specs, and one of another kind of file."""
    monkeypatch.chdir(tmp_path)
    for name in ("specs/b.toml", "specs/a.toml", "specs/deep/c.toml", "specs/pyproject.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "specs/notes.md").touch()
    (tmp_path / "empty").mkdir()
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (["specs"], ["specs/a.toml", "specs/b.toml"]),
        (["specs/**/*.toml"], ["specs/a.toml", "specs/b.toml", "specs/deep/c.toml"]),
        (["specs/b.toml", "specs", "./specs/a.toml"], ["specs/b.toml", "specs/a.toml"]),
        (["gone.toml"], ["gone.toml"]),
    ],
    ids=["a folder", "a pattern", "twice is once", "what is not there is told later"],
)
def test_files_folders_and_patterns_name_specs(named: list[str], expected: list[str]) -> None:
    """In order, each once, and never what says how a Python project is built."""
    assert find_specs(list(map(Path, named))) == tuple(map(Path, expected))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("named", ["empty", "specs/*.tml"])
def test_what_means_no_spec_is_a_fault(named: str) -> None:
    """A job that builds nothing would seem to go well."""
    with pytest.raises(SpecError) as error:
        find_specs([Path(named)])

    assert error.value.diagnostics[0].error_code.code == "E100"
