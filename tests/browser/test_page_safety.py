"""The page asks for nothing, runs nothing but its own script, and is whole without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.opened_pages import page_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.browser.opened_pages import OpenPage

HOSTILE = "</script><b>"


@pytest.mark.parametrize(
    "name", ["breast_cancer", "prevalence", "classifier_zoo", "digits", "diabetes", "demsar"]
)
def test_no_error_and_no_request_but_the_file_itself(
    open_checked_page: Callable[..., OpenPage], pages: Callable[[str], Path], name: str
) -> None:
    """Opened from disk with whatever network there is."""
    path = pages(name)
    living = open_checked_page(path)
    living.page.wait_for_timeout(100)

    assert living.errors == []
    assert living.requests == [path.as_uri()]


def test_without_script_every_table_and_figure_is_there(
    open_checked_page: Callable[..., OpenPage], pages: Callable[[str], Path]
) -> None:
    """Mail and archives run no script; nothing that needs one is offered then."""
    bare = open_checked_page(pages("breast_cancer"), script=False).page
    while (folded := bare.locator("details:not([open]) > summary")).count():
        folded.first.click()
    tables, figures = (
        bare.locator("main .table, main .matrix"),
        bare.locator("main .figure svg:not(.narrow)"),
    )

    assert tables.count() > 10
    assert figures.count() > 1
    hidden = bare.locator("#what-if")
    inside = hidden.locator(".table").count()
    assert tables.locator("visible=true").count() == tables.count() - inside
    assert figures.locator("visible=true").count() == figures.count()
    assert not hidden.is_visible()
    assert bare.locator(".sort, main input, main button").count() == 0


def test_the_policy_stops_any_other_script(
    open_checked_page: Callable[..., OpenPage], pages: Callable[[str], Path], tmp_path: Path
) -> None:
    """What somebody adds to the file does not run; the page's own script does."""
    path = tmp_path / "tampered.html"
    added = "<script>window.added = true</script></body>"
    path.write_text(pages("breast_cancer").read_text("utf-8").replace("</body>", added), "utf-8")
    living = open_checked_page(path)

    assert living.page.evaluate("() => window.added") is None
    assert living.page.locator("#what-if").is_visible()
    assert any("Content Security Policy" in error for error in living.errors)


def test_no_name_can_end_the_data_or_become_markup(
    open_checked_page: Callable[..., OpenPage], tmp_path: Path
) -> None:
    """Classes and classifiers may be called anything."""
    rows = [
        "case,truth,prediction,score",
        *(f"{at},{HOSTILE if at % 2 else 'no'},no,0.{at}" for at in range(1, 9)),
    ]
    (tmp_path / "cases.csv").write_text("\n".join(rows), "utf-8")
    classifier = '[[classifiers]]\nname = "{}"\npredictions = "cases.csv"\n'
    spec = tmp_path / "hostile.toml"
    spec.write_text(
        f'title = "Hostile"\n[task]\nkind = "binary"\npositive = "{HOSTILE}"\n'
        f'[data]\nid = "case"\nscore = "score"\n'
        + classifier.format("<img src=x onerror=alert(1)>")
        + classifier.format(HOSTILE),
        "utf-8",
    )
    path = tmp_path / "report.html"
    path.write_text(page_of(spec), "utf-8")
    living = open_checked_page(path, "#?threshold=0.4")

    assert living.errors == []
    assert living.requests == [path.as_uri()]
    assert living.page.locator("main b, main img").count() == 0
    # Odd cases are positive: 5 and 7 of 1, 3, 5, 7 reach 0.4, and so do 4, 6, 8 of the others.
    assert living.matrices()[HOSTILE] == [2, 2, 3, 1]
