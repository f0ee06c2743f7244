"""Every spec in docs/formats.md builds with the samples, and what the page says of names is so."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copytree
from typing import Literal

import pytest

from reportgen.pipeline import build_and_write
from reportgen.predictions.presets.registry import PRESETS
from tests.predictions.presets.tool_samples import TOOLS

PAGE = (Path(__file__).parents[2] / "docs/formats.md").read_text(encoding="utf-8")
JSON: tuple[Literal["json"]] = ("json",)
SPECS = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("spec", SPECS)
def test_a_spec_of_the_page_builds(tmp_path: Path, spec: str) -> None:
    """The files it names are those of the samples."""
    folder = copytree(TOOLS, tmp_path / "here")
    (folder / "spec.toml").write_text(spec, encoding="utf-8")

    outcome = build_and_write(folder / "spec.toml", tmp_path / "out", JSON)

    assert outcome.diagnostics == ()
    assert (outcome.folder / "results.json").is_file()


def test_the_page_has_every_format_and_the_first_names_of_its_columns() -> None:
    """A row of the table begins with the name; later names are in the text of the tool."""
    for name, preset in PRESETS.items():
        row = next(line for line in PAGE.splitlines() if line.startswith(f'| `"{name}"`'))
        assert f'format = "{name}"' in PAGE
        assert f"`{preset.columns['truth'][0]}`" in row
        assert any(f"`{item}`" in row for item in preset.columns["prediction"])


def test_the_page_names_all_columns_that_scikit_learn_may_have() -> None:
    """Where only custom rules, all names that are accepted are listed."""
    for names in PRESETS["sklearn"].columns.values():
        assert all(f"`{name}`" in PAGE for name in names)
