"""A golden that no longer fits shows the differing rows and the command that renews it."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

from tests.end_to_end import goldens
from tests.end_to_end.goldens import (
    check_golden,
    differences,
    failure_message,
    format_golden,
    renewed,
)

if TYPE_CHECKING:
    from pathlib import Path

EXPECTED: dict[str, Any] = {
    "title": "Two classifiers",
    "task": {"kind": "binary", "classes": ["yes", "no"]},
    "omnibus": [
        {"classifier": "A", "class": None, "measure": "accuracy", "value": 0.9, "passed": True},
        {"classifier": "B", "class": None, "measure": "accuracy", "value": 0.8, "passed": True},
        {"classifier": "B", "class": "yes", "measure": "recall", "value": 0.7, "passed": True},
    ],
    "warnings": ["one"],
}


def with_changes(**parts: object) -> dict[str, Any]:
    """Return the expected results with some parts replaced."""
    return {**deepcopy(EXPECTED), **parts}


def test_equal_results_differ_in_nothing() -> None:
    """Neither does the last digit of a float, which processors round differently."""
    result = deepcopy(EXPECTED)
    result["omnibus"][0]["value"] += 1e-15

    assert list(differences(EXPECTED, result)) == []


def test_a_changed_value_is_a_line_with_its_key_and_both_values() -> None:
    """The key names the table, the row and the column."""
    result = deepcopy(EXPECTED)
    result["omnibus"][1]["value"] = 0.81
    result["omnibus"][2]["passed"] = False

    assert list(differences(EXPECTED, result)) == [
        "omnibus[B, accuracy].value: expected 0.8, found 0.81",
        "omnibus[B, yes, recall].passed: expected true, found false",
    ]


def test_a_removed_row_does_not_shift_the_others() -> None:
    """Rows are matched by what identifies them, not by their position."""
    (line,) = differences(EXPECTED, with_changes(omnibus=EXPECTED["omnibus"][1:]))

    assert line.startswith('omnibus[A, accuracy]: expected {"classifier": "A"')
    assert line.endswith(", found (absent)")


def test_rows_in_another_order_differ() -> None:
    """Readers of results.json may rely on the order."""
    result = with_changes(omnibus=EXPECTED["omnibus"][::-1])

    assert list(differences(EXPECTED, result)) == ["omnibus: same rows in another order"]


def test_a_row_that_is_there_twice_differs() -> None:
    """The second one is numbered."""
    result = with_changes(omnibus=[*EXPECTED["omnibus"], EXPECTED["omnibus"][0]])

    (line,) = differences(EXPECTED, result)

    assert line.startswith("omnibus[A, accuracy #2]: expected (absent), found {")


@pytest.mark.parametrize(
    ("parts", "line"),
    [
        ({"title": "Two"}, 'title: expected "Two classifiers", found "Two"'),
        (
            {"task": {"kind": "binary", "classes": ["yes", "nein"]}},
            'task.classes[1]: expected "no", found "nein"',
        ),
        ({"warnings": []}, 'warnings: expected ["one"], found []'),
        ({"new": 1}, "new: expected (absent), found 1"),
    ],
)
def test_what_is_not_a_row_differs_too(parts: dict[str, object], line: str) -> None:
    """Keys outside the tables, lists of texts, and keys of one side only."""
    assert list(differences(EXPECTED, with_changes(**parts))) == [line]


def test_a_failure_says_how_to_renew_the_golden(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The command is complete, and running it makes the comparison pass."""
    monkeypatch.setattr(goldens, "FOLDER", tmp_path)
    monkeypatch.setattr(goldens, "golden_content", lambda results: results)
    (tmp_path / "two.json").write_text(format_golden(EXPECTED), encoding="utf-8")
    result = with_changes(title="Two")

    with pytest.raises(pytest.fail.Exception) as raised:
        check_golden("two", result, update=False)

    assert 'title: expected "Two classifiers", found "Two"' in str(raised.value)
    assert "-k 'golden and two' --update-goldens" in str(raised.value)
    check_golden("two", result, update=True)
    check_golden("two", result, update=False)


def test_a_renewed_golden_keeps_numbers_that_differ_in_the_last_digits() -> None:
    """Another processor changes no line of it; what did change is taken over."""
    result = with_changes(omnibus=deepcopy(EXPECTED["omnibus"])[::-1], new=[{"measure": "recall"}])
    result["omnibus"][1]["value"] = 0.8 + 1e-15
    result["omnibus"][2]["value"] = 0.91

    content = renewed(EXPECTED, result)

    assert [row["value"] for row in content["omnibus"]] == [0.7, 0.8, 0.91]
    assert list(differences(content, result)) == []
    assert list(content) == list(result)


def test_many_differences_are_counted() -> None:
    """Somebody reads the first ones; the diff of the renewed golden shows all."""
    message = failure_message("two", [f"row {number}" for number in range(100)])

    assert "(100 differences)" in message
    assert "  row 39\n  … and 60 more\n" in message
