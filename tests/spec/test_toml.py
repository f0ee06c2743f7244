"""Files that cannot be read as TOML are told with a place too."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reportgen.errors import SpecError
from reportgen.spec import load_spec
from reportgen.spec.load import RESERVED_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.errors import Diagnostic


@pytest.mark.parametrize(
    ("content", "code", "position", "hint"),
    [
        (b"[task]\nkind = binary\n", "E101", (2, 8), 'text needs quotes: "binary"'),
        (b"[task]\r\nkind = True\r\n", "E101", (2, 8), "write `true` in lower case"),
        (b'[task]\nkind = "binary\n', "E101", (2, 15), "a quote is not closed"),
        (b"[task\n", "E101", (1, 6), None),
        (b"a = [1,\n", "E101", (1, 8), None),
        (b"a = 1\na.b = 2\n", "E101", (2, 8), None),
        (b'[task]\nkind = "a"\nkind = "b"\n', "E106", (3, 1), "first defined in line 2"),
        (b"[data]\n[task]\n[data]\n", "E106", (3, 2), "first defined in line 1"),
        (b"x = { a = 1, a = 2 }\n", "E106", (1, 14), "first defined in line 1"),
        (b"title = 'a'\nx = '\xe4'\n", "E100", (2, None), "save it as UTF-8"),
        (b"", "E103", (1, 1), "start with [task]"),
        (b"\n\n", "E103", (1, 1), "start with [task]"),
        (b"x = " + b"[" * 5000, "E101", (None, None), None),
    ],
)
def test_a_broken_file_has_a_place(
    faults_of: Callable[[bytes], tuple[Diagnostic, ...]],
    content: bytes,
    code: str,
    position: tuple[int | None, int | None],
    hint: str | None,
) -> None:
    """Code, line, column and help of the first fault are as expected."""
    fault = faults_of(content)[0]

    assert fault.location is not None
    assert (fault.error_code.code, fault.location.line, fault.location.column) == (code, *position)
    assert (fault.help is None) if hint is None else (hint in (fault.help or ""))


def test_all_repeated_keys_are_reported(
    faults_of: Callable[[bytes], tuple[Diagnostic, ...]],
) -> None:
    """A second repetition is not hidden by the first, and a repeated table counts once."""
    faults = faults_of(b"a = 1\na = 2\n[b]\nx = 1\n[b]\nx = 1\n[[c]]\ny = 1\n[[c]]\ny = 1\n")

    assert [fault.location.line for fault in faults if fault.location] == [2, 5]


def test_a_missing_file_suggests_its_neighbour(tmp_path: Path) -> None:
    """A misspelt file name is answered with the spec beside it."""
    (tmp_path / "churn.toml").touch()

    with pytest.raises(SpecError) as raised:
        load_spec(tmp_path / "chrun.toml")

    (fault,) = raised.value.diagnostics
    assert (fault.error_code.code, fault.help) == ("E100", "did you mean `churn.toml`?")


def test_a_missing_file_does_not_suggest_just_any_other(tmp_path: Path) -> None:
    """That both names end in `.toml` does not make them alike."""
    (tmp_path / "pos.toml").touch()

    with pytest.raises(SpecError) as raised:
        load_spec(tmp_path / "nosuch.toml")

    assert raised.value.diagnostics[0].help is None


@pytest.mark.parametrize("name", ["..toml", "...toml"])
def test_a_spec_of_dots_is_rejected(tmp_path: Path, name: str) -> None:
    """Its report would be written into the output folder itself, or above it."""
    (tmp_path / name).write_text('[task]\nkind = "regression"\n', encoding="utf-8")

    with pytest.raises(SpecError) as raised:
        load_spec(tmp_path / name)

    assert [fault.error_code.code for fault in raised.value.diagnostics] == ["E124"]


@given(
    name=st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1, max_size=40)
)
@example(name="..")
@example(name="...toml")
@example(name=".reportgen")
@example(name="history")
def test_a_report_of_any_name_lies_directly_below_the_output_folder(name: str) -> None:
    """Or the name of the spec is rejected."""
    with TemporaryDirectory() as folder:
        path = Path(folder, f"{name}.toml")
        path.write_text('[task]\nkind = "regression"\n', encoding="utf-8")
        with pytest.raises(SpecError) as raised:
            load_spec(path)

    output = Path("/reports")
    report = Path(os.path.normpath(output / path.stem))
    is_rejected = "E124" in {fault.error_code.code for fault in raised.value.diagnostics}
    assert is_rejected or (report.parent == output and report.name not in RESERVED_NAMES)


def test_a_folder_is_no_spec(tmp_path: Path) -> None:
    """A folder is refused with a message of its own."""
    with pytest.raises(SpecError, match="folder"):
        load_spec(tmp_path)


def test_deep_nesting_does_not_crash(faults_of: Callable[[bytes], tuple[Diagnostic, ...]]) -> None:
    """A value nested hundreds of times is an unknown key like any other."""
    faults = faults_of(b"x = " + b"[" * 300 + b"1" + b"]" * 300)

    assert [fault.error_code.code for fault in faults] == ["E103", "E102", "E103"]
