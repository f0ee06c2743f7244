"""What the tests of faults share: a spec's faults, and a mistake whose place is marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.errors import Diagnostic, SpecError
from reportgen.spec import load_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def faults_of(tmp_path: Path) -> Callable[[str | bytes], tuple[Diagnostic, ...]]:
    """Return the function that gives the faults of a spec of some content."""

    def faults(content: str | bytes) -> tuple[Diagnostic, ...]:
        path = tmp_path / "spec.toml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        with pytest.raises(SpecError) as raised:
            load_spec(path)
        return raised.value.diagnostics

    return faults


@pytest.fixture
def check_mistake(
    faults_of: Callable[[str | bytes], tuple[Diagnostic, ...]],
) -> Callable[[str, str, str | None], None]:
    """Return the function that expects one fault, at what « » enclose, with a hint in its help."""

    def check(code: str, marked: str, hint: str | None) -> None:
        text, line, column, width = unmarked(marked)
        (fault,) = faults_of(text)
        place = fault.location
        assert place is not None
        assert (fault.error_code.code, place.line, place.column) == (code, line, column)
        assert place.width == width
        assert (fault.help is None) if hint is None else (hint in (fault.help or ""))

    return check


def unmarked(text: str) -> tuple[str, int, int, int]:
    """Return a text without its « » marks, and line, column and width of what they enclose."""
    before, rest = text.split("«")
    marked, after = rest.split("»")
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    return before + marked + after, line, column, len(marked.split("\n")[0])
