"""Whatever a spec contains, reading it gives a spec or faults with places, never a crash."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reportgen.errors import ERROR_CODES, Diagnostic, SpecError
from reportgen.spec import load_spec

SEED = """\
title = "T"
[task]
kind = "binary"
positive = "yes"
classes = ["yes", "no"]
[data]
labels = "l.csv"
id = "i"
score = "p"
threshold = 0.5
[[classifiers]]
name = "A"
predictions = ["a.csv"]
[[classifiers]]
name = "B"
confusion = [[9, 1], [2, 8]]
[[classifiers]]
name = "C"
fold_scores = { accuracy = [0.81, 0.82], f1 = [0.7, 0.8] }
[measures]
show = ["traditional", "f0.5"]
[comparison]
baseline = "A"
margin = { accuracy = 0.01 }
[[published]]
classifier = "B"
measure = "accuracy"
value = 77.40
unit = "%"
[[sections]]
kind = "summary"
[output]
formats = ["html"]
[schedule]
cron = "0 6 * * MON"
timezone = "UTC"
"""
LINES = SEED.splitlines()
VALUES = st.recursive(
    st.one_of(
        st.integers().map(str),
        st.sampled_from(["nan", "-inf", "1e999", "0x10", "true", "1979-05-27", "07:32:00"]),
        st.floats(allow_nan=False, allow_infinity=False).map(repr),
        st.text(max_size=8).map(json.dumps),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        inner.map(lambda item: f"{{ accuracy = {item}, f1.x = {item} }}"),
    ),
    max_leaves=4,
)
KEYS = st.sampled_from(
    [line.split(" = ")[0] for line in LINES if " = " in line] + ["gates", "a.b", '"ä b"']
)
TABLES = st.sampled_from([line for line in LINES if line.startswith("[")] + ["[[gates]]", "[x.y]"])
CHANGES = st.lists(
    st.tuples(
        st.integers(0, len(LINES) - 1),
        st.one_of(
            st.just(""),
            st.builds("{} = {}".format, KEYS, VALUES),
            TABLES,
            st.text(max_size=12),
        ),
    ),
    min_size=1,
    max_size=5,
)


def check(content: bytes) -> None:
    """Read the content as a spec and check every fault that comes out."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "spec.toml"
        path.write_bytes(content)
        faults = faults_of(path)
    lines = content.decode(errors="replace").replace("\r\n", "\n").split("\n")
    for fault in faults:
        assert ERROR_CODES[fault.error_code.code] is fault.error_code
        assert fault.message.isprintable()
        assert fault.location is not None
        assert 1 <= (fault.location.line or 1) <= len(lines)
        assert 1 <= (fault.location.column or 1) <= len(lines[(fault.location.line or 1) - 1]) + 1


def faults_of(path: Path) -> tuple[Diagnostic, ...]:
    """Return the faults of a spec, none if it is right."""
    try:
        load_spec(path)
    except SpecError as error:
        return error.diagnostics
    return ()


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(CHANGES)
@example([(9, "threshold = " + "9" * 400)])
@example([(4, f"classes = [{'9' * 30}, 'no']")])
@example([(26, "value = " + "9" * 400)])
def test_changed_lines_never_crash(changes: list[tuple[int, str]]) -> None:
    """Lines replaced by other keys, values and tables give a spec or faults."""
    lines = list(LINES)
    for index, line in changes:
        lines[index] = line
    check("\n".join(lines).encode(errors="replace"))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(SEED)), st.integers(0, 20), st.binary(max_size=6))
def test_changed_bytes_never_crash(start: int, length: int, replacement: bytes) -> None:
    """Bytes cut out and put in anywhere give a spec or faults."""
    content = SEED.encode()
    check(content[:start] + replacement + content[start + length :])


def test_every_kind_of_fault_is_explained() -> None:
    """Each code of a spec's faults has a title and an explanation of some sentences."""
    kinds = [kind for code, kind in ERROR_CODES.items() if code.startswith("E1")]

    codes = [kind.code for kind in kinds]

    # A code that is no longer reported leaves a gap, because codes are never reused.
    assert codes == sorted(set(codes))
    assert all(kind.title and kind.explanation.count(". ") >= 1 for kind in kinds)
