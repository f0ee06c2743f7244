"""A file that a spec names is read, or told with the key that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.errors import Diagnostic, SpecError
from reportgen.errors.spec import INVALID_THEME_FILE
from reportgen.spec import parse_spec
from reportgen.spec.load import read_referenced_file
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.spec import SpecFile

LINE = 'logo = "logo.svg"'


def _spec(folder: Path) -> SpecFile:
    content = counted_spec([[3, 1], [2, 4]]) + f"[output.theme]\n{LINE}\n"
    return parse_spec(folder / "spec.toml", content.encode())


def _fault(folder: Path) -> Diagnostic:
    with pytest.raises(SpecError) as error_info:
        read_referenced_file(
            _spec(folder), "logo.svg", INVALID_THEME_FILE, "output", "theme", "logo"
        )
    (fault,) = error_info.value.diagnostics
    assert fault.location is not None
    assert fault.location.source_line == LINE
    return fault


def test_a_named_file_is_beside_the_spec(tmp_path: Path) -> None:
    """Wherever the command is run, the same file is read, byte for byte."""
    (tmp_path / "logo.svg").write_bytes(b"\xff\r\n")

    assert read_referenced_file(_spec(tmp_path), "logo.svg", INVALID_THEME_FILE) == b"\xff\r\n"


def test_for_a_file_that_is_missing_one_with_a_similar_name_is_offered(tmp_path: Path) -> None:
    """A slip in a name is the most frequent fault."""
    (tmp_path / "logos.svg").touch()
    fault = _fault(tmp_path)

    assert fault.message == "the file `logo.svg` does not exist"
    assert fault.help == "did you mean `logos.svg`?"


def test_what_is_there_but_cannot_be_read_is_reported_with_the_reason(tmp_path: Path) -> None:
    """The words are those of the system, here for a folder."""
    (tmp_path / "logo.svg").mkdir()
    fault = _fault(tmp_path)

    assert fault.message == "`logo.svg` cannot be read: Is a directory"
    assert fault.help is None
