"""Names that look alike are refused, and a colour that is none is told in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import Diagnostic, SpecError
from reportgen.spec import parse_spec

TASK = '[task]\nkind = "binary"\npositive = "yes"\nclasses = ["yes", "no"]\n'


def _fault(text: str) -> Diagnostic:
    with pytest.raises(SpecError) as error_info:
        parse_spec(Path("spec.toml"), text.encode())
    (fault,) = error_info.value.diagnostics
    return fault


def _classifiers(*names: str) -> str:
    counts = "confusion = [[9, 1], [2, 8]]"
    return TASK + "".join(f'[[classifiers]]\nname = "{name}"\n{counts}\n' for name in names)


@pytest.mark.parametrize(
    ("first", "second"), [("A", "A "), ("A", " A"), ("A B", "A  B"), ("A B", "A\u00a0B")]
)
def test_names_that_differ_only_in_spaces_are_rejected(first: str, second: str) -> None:
    """The report would have two rows that look the same."""
    fault = _fault(_classifiers(first, second))

    assert fault.message == f"`{second}` differs from `{first}` only in spaces"
    assert fault.help == "give every classifier a unique name"


def test_the_same_name_twice_is_still_called_that() -> None:
    """Nothing about spaces where there is no difference at all."""
    assert _fault(_classifiers("A", "A")).message == "duplicate classifier name `A`"


def test_a_space_within_a_name_is_a_difference() -> None:
    """`AB` and `A B` can be told apart."""
    assert parse_spec(Path("spec.toml"), _classifiers("AB", "A B").encode()).spec.classifiers


@pytest.mark.parametrize("colour", ["red", "#fff", "#12345g"])
def test_a_colour_that_is_none_gets_help_on_how_to_write_one(colour: str) -> None:
    """Not that it must be something else than text, which it is."""
    fault = _fault(_classifiers("A") + f'[output.theme]\naccent = "{colour}"\n')

    assert fault.error_code.code == "E105"
    assert fault.message == f"`accent` must be a colour, written as #rrggbb, not `{colour}`"
    assert "#7a1f5c" in (fault.help or "")
