"""Plain values written as TOML are read back as they were."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.spec import load_spec, parse_spec
from reportgen.spec.toml import format_toml, format_toml_pair

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.toml"))
# What has a meaning in TOML, what must not stand in it as it is, and other scripts.
TEXTS = st.text("aZ0_-.'\"\\#=[]{},\n\r\t\0\x1f\x7f\x85\u2028é漢🙂", max_size=5)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_what_is_written_is_read_back(document: dict[str, object]) -> None:
    """Also names with quotes, numbers at their limits, tables in lists, control characters."""
    assert tomllib.loads(format_toml(document)) == document


@given(TEXTS, VALUES)
def test_a_setting_is_read_back(key: str, value: object) -> None:
    """Also alone, and between the braces of an inline table."""
    assert tomllib.loads(format_toml_pair(key, value)) == {key: value}
    assert tomllib.loads(f"a = {{{format_toml_pair(key, value)}}}") == {"a": {key: value}}


def test_none_is_omitted() -> None:
    """TOML has no null."""
    document = {"a": None, "b": 0.5, "c": {"d": (1, 2), "e": None}}

    assert tomllib.loads(format_toml(document)) == {"b": 0.5, "c": {"d": [1, 2]}}


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_the_listing_of_a_spec_is_that_spec(path: Path) -> None:
    """A spec of a Python call is shown as TOML, which describes the same spec."""
    spec = load_spec(path).spec
    listing = format_toml(spec.model_dump(by_alias=True, exclude_unset=True))

    assert parse_spec(path, listing.encode()).spec.model_dump() == spec.model_dump()
