"""The page about Python says what happens."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/python.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_examples_run_and_print_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every block of code is run in order; a block of text is what the code before it prints."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = ""
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    for kind, text in blocks:
        if kind == "text":
            assert printed == text
            continue
        exec(compile(text, str(PAGE), "exec"), names)  # noqa: S102  # the page is ours
        printed = capsys.readouterr().out

    assert len(blocks) == 11
    assert (tmp_path / "report.html").is_file()
    assert (tmp_path / "out/report/manifest.json").is_file()
    assert (tmp_path / "reports/counts/report.html").is_file()


def test_every_argument_is_documented() -> None:
    """`help(rg.evaluate)` leaves none out, and names none that is not there."""
    import inspect

    import reportgen as rg

    matches = re.findall(r"^    (\w+): ", inspect.getdoc(rg.evaluate) or "", re.MULTILINE)

    assert matches[:-2] == list(inspect.signature(rg.evaluate).parameters)
    assert matches[-2:] == ["SpecError", "DataError"]
