"""Plain values written as TOML are read back as they were."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import SpecError
from reportgen.spec.toml import format_toml, format_toml_pair

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


def test_nothing_and_numpy_values() -> None:
    """What is None is left out; NumPy's numbers are numbers."""
    document = {"a": None, "b": np.float64(0.5), "c": {"d": np.array([1, 2]), "e": None}}

    assert tomllib.loads(format_toml(document)) == {"b": 0.5, "c": {"d": [1, 2]}}


def test_what_no_setting_has_is_rejected() -> None:
    """A set has no order, so no list is made of it."""
    with pytest.raises(SpecError, match="`a` is of the type set"):
        format_toml({"a": {1, 2}})
