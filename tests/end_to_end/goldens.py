"""Golden results: what is kept of a results.json, and how a difference from it is shown.

A golden is renewed with `make goldens`, or for one spec with
`python -m pytest tests/end_to_end/test_specs_build.py -k <spec> --update-goldens`.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

TEST = "tests/end_to_end/test_specs_build.py"
FOLDER = Path(__file__).parent / "goldens"
# Left out of goldens: rows that follow from others, and are many.
DERIVED = ("curves", "prevalence_curves")
# The columns that identify a row of any table, in the order in which a difference names them.
IDENTITY = (
    *("dataset", "classifier", "first", "second", "segment", "class", "average", "fold"),
    *("measure", "test", "kind", "rule", "target", "size", "share", "alpha", "path"),
    *("truth", "prediction", "group", "lower"),
)
# More differences than this are counted, not shown.
MAX_DIFFERENCES = 40
ABSENT = "(absent)"


def check_golden(name: str, results: dict[str, Any], *, update: bool) -> None:
    """Compare results with the golden of a spec, or write the golden anew.

    Args:
        name: The spec's name, which the golden has as well.
        results: The content of its results.json.
        update: Whether the golden is written instead of compared.
    """
    golden = FOLDER / f"{name}.json"
    content = golden_content(results)
    expected = json.loads(golden.read_text(encoding="utf-8")) if golden.exists() else {}
    if update:
        golden.write_text(format_golden(renewed(expected, content)), encoding="utf-8")
        return
    lines = list(differences(expected, content))
    if lines:
        pytest.fail(failure_message(name, lines), pytrace=False)


def golden_content(results: dict[str, Any]) -> dict[str, Any]:
    """Return results without curves, single folds and the tests beside the primary ones."""
    subset = {key: rows for key, rows in results.items() if key not in DERIVED}
    for key in ("values", "confusion"):
        subset[key] = [row for row in subset[key] if row["fold"] is None]
    subset["comparisons"] = [row for row in subset["comparisons"] if row["primary_test"]]
    return subset


def format_golden(content: dict[str, Any]) -> str:
    """Return a golden as JSON with one row per line, so that `git diff` shows changed rows."""
    parts = []
    for key, rows in content.items():
        if isinstance(rows, list) and rows:
            lines = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in rows)
            parts.append(f'  "{key}": [\n    {lines}\n  ]')
        else:
            parts.append(f'  "{key}": {json.dumps(rows, ensure_ascii=False)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def failure_message(name: str, lines: list[str]) -> str:
    """Return what a failed comparison prints: the differences, and how the golden is renewed."""
    texts = [f"  {line}" for line in lines[:MAX_DIFFERENCES]]
    if len(lines) > MAX_DIFFERENCES:
        texts.append(f"  … and {len(lines) - MAX_DIFFERENCES} more")
    differing = "\n".join(texts)
    return f"""\
results.json of {name} differs from tests/end_to_end/goldens/{name}.json ({len(lines)} differences):
{differing}
If the change is intended, renew the golden and read its diff:
  python -m pytest {TEST} -k 'golden and {name}' --update-goldens
  git diff tests/end_to_end/goldens    # `make goldens` renews those of all specs"""


def differences(expected: object, actual: object, key: str = "") -> Iterator[str]:
    """Yield one line per difference: the key, what was expected and what was found.

    Rows are matched by the columns that identify them, so a row that was added or removed is one
    line and does not shift the others. Floats may differ in the last digits: processors round
    the last digit of a long sum differently.
    """
    match expected, actual:
        case dict(), dict():
            for name in dict.fromkeys((*expected, *actual)):
                inner = f"{key}.{name}" if key else name
                yield from differences(expected.get(name, ABSENT), actual.get(name, ABSENT), inner)
        case list(), list() if _has_rows(expected) or _has_rows(actual):
            before, after = _by_identity(expected), _by_identity(actual)
            for row in dict.fromkeys((*before, *after)):
                yield from differences(
                    before.get(row, ABSENT), after.get(row, ABSENT), f"{key}[{row}]"
                )
            if before.keys() == after.keys() and list(before) != list(after):
                yield f"{key}: same rows in another order"
        case list(), list() if len(expected) == len(actual):
            for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
                yield from differences(one, other, f"{key}[{index}]")
        case _ if not _equal(expected, actual):
            yield f"{key}: expected {_format(expected)}, found {_format(actual)}"


def renewed(expected: object, actual: object) -> Any:  # noqa: ANN401
    """Return what was found, with the expected numbers where only the last digits differ.

    A golden renewed on another machine then changes only in what did change.
    """
    match expected, actual:
        case dict(), dict():
            return {name: renewed(expected.get(name), value) for name, value in actual.items()}
        case list(), list() if _has_rows(expected) and _has_rows(actual):
            before = _by_identity(expected)
            return [renewed(before.get(key), row) for key, row in _by_identity(actual).items()]
        case list(), list() if len(expected) == len(actual):
            return list(map(renewed, expected, actual))
        case _:
            return (
                expected if type(expected) is type(actual) and _equal(expected, actual) else actual
            )


def _has_rows(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(value, dict) for value in values)


def _by_identity(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return rows by what identifies them; rows that are alike in this are numbered."""
    counts, keyed = Counter[str](), {}
    for row in rows:
        name = ", ".join(str(row[column]) for column in IDENTITY if row.get(column) is not None)
        counts[name] += 1
        keyed[name if counts[name] == 1 else f"{name} #{counts[name]}"] = row
    return keyed


def _equal(expected: object, actual: object) -> bool:
    match expected, actual:
        case (bool(), _) | (_, bool()):
            return expected is actual
        case float() | int(), float() | int():
            # Processors round differently, and small eigenvalues enlarge that a hundred times.
            return bool(actual == pytest.approx(expected, rel=1e-10, abs=1e-13))
        case _:
            return expected == actual


def _format(value: object) -> str:
    return ABSENT if value is ABSENT else json.dumps(value, ensure_ascii=False)
