"""What a user gives a page, and what is infinite on it, is taken as it is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.pipeline import build_and_write
from reportgen.render.page_script import load_page_script
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.browser.opened_pages import OpenPage

# No negative case is taken for a positive one by A: its odds ratio is 50 * 40 / (10 * 0).
SPEC = (
    counted_spec([[50, 10], [0, 40]], [[50, 10], [10, 30]])
    + """\
[measures]
show = ["all"]
[output]
detail = "full"
formats = ["html"]
"""
)


@pytest.mark.parametrize(
    "rules",
    [
        b"h1 {\r\n  color: rgb(1, 2, 3)\r\n}\r\n",
        b"h1 {\r  color: rgb(1, 2, 3)\r}\r",
        b"\xef\xbb\xbfh1 { color: rgb(1, 2, 3) }\n",
        b"h1 { color: rgb(1, 2, 3) } /* \0 </style><b> */",
    ],
    ids=["line ends of Windows", "line ends of old Macs", "a mark of UTF-8", "NUL and an end"],
)
def test_a_stylesheet_of_ones_own_is_applied_with_the_shipped_one(
    open_checked_page: Callable[..., OpenPage], tmp_path: Path, rules: bytes
) -> None:
    """A browser reads line ends in its own way, and drops a style that is not the policy's."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/theme.css").write_bytes(rules)
    (tmp_path / "own.toml").write_text(f'{SPEC}templates = "mine"\n', encoding="utf-8")
    living = open_checked_page(
        build_and_write(tmp_path / "own.toml", tmp_path / "out").folder / "report.html"
    )

    colour = living.page.evaluate("() => getComputedStyle(document.querySelector('h1')).color")
    font = living.page.evaluate("() => getComputedStyle(document.body).fontFamily")
    assert living.errors == []
    assert colour == "rgb(1, 2, 3)"
    assert "sans-serif" in font


def test_what_is_infinite_is_sorted_as_the_highest(
    open_checked_page: Callable[..., OpenPage], tmp_path: Path
) -> None:
    """Only what has no value stays at the end, whichever way."""
    (tmp_path / "own.toml").write_text(SPEC, encoding="utf-8")
    page = open_checked_page(
        build_and_write(tmp_path / "own.toml", tmp_path / "out").folder / "report.html"
    ).page
    head = page.locator("#table-measures").get_by_role("button", name="A", exact=True)

    def values() -> list[str]:
        texts: list[str] = page.evaluate(
            """() => [...document.querySelectorAll("#table-measures tbody tr")].map(
              (row) => row.cells[1].dataset.v)"""
        )
        return [value for value in texts if value]

    head.click()
    rising = values()
    head.click()

    assert rising.count("Infinity") == 1
    assert rising[-1] == "Infinity"
    assert values()[0] == "Infinity"


def test_nothing_finite_is_tied_with_what_is_infinite(
    open_checked_page: Callable[..., OpenPage], pages: Callable[[str], Path]
) -> None:
    """However wide a tolerance is that grows with the values, ∞ stays apart."""
    (tie,) = [line for line in load_page_script().splitlines() if line.startswith("const areTied ")]
    pairs = "[5, 1/0], [1/0, 5], [-1/0, 1/0], [1/0, 1/0], [0.1 + 0.2, 0.3], [0.3, 0.31]"
    page = open_checked_page(pages("prevalence")).page

    values = page.evaluate(f"() => {{ {tie} return [{pairs}].map(([a, b]) => areTied(a, b)); }}")

    assert values == [False, False, False, True, True, False]
