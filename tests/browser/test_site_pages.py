"""The pages around the reports in a real browser: for everybody, and asking for nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]  # it has none

from reportgen.jobs.publishing.publisher import PublishOptions, publish_site
from tests.browser.test_accessibility import AXE, TAGS
from tests.jobs.publishing.output_folder import SampleReport, remember_failure, write_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Literal

    from playwright.sync_api import Browser

    from tests.browser.opened_pages import OpenPage

    Open: TypeAlias = Callable[..., OpenPage]
    Scheme: TypeAlias = Literal["light", "dark"]

LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen und <b>andere</b> Fälle"
ABOUT = {"authors": "Risk & co.", "tags": "monthly; regulated", "version": "rc3"}
ALARMS = [
    {
        "classifier": "SVM",
        "measure": "accuracy",
        "kind": "at_least",
        "target": 0.9,
        "run": None,
        "alarm": True,
    }
]
PAGES = ("index.html", "status.html", "404.html", "churn/archive.html", "files/index.html")
WIDTHS = (320, 480, 831, 832, 1119, 1120, 1600)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site of five reports: in all states, and one without a page of its own."""
    folder = tmp_path_factory.mktemp("site")
    runs = folder / "runs"
    for day, value in enumerate([0.82, 0.85, 0.91]):
        reached = {"SVM": value, "Gradient boosting with 500 trees": 0.8}
        sample_report = SampleReport(title="Churn", accuracies=reached, about=ABOUT, alarms=ALARMS)
        write_run(runs, "churn", sample_report, day=day)
        below = "The accuracy of SVM is 0.871, below 0.9."
        gates = [(True, "fine"), (day < 2, below), (day < 2, "It fell.")]
        write_run(runs, "long", SampleReport(title=LONG, gates=gates), day=day)
        publish_site(runs, str(folder / "site"))
    reached = {"Gradient boosting": 0.7}
    without_page = SampleReport(title=f"Only files: {LONG}", accuracies=reached, page=None)
    write_run(runs, "files", without_page, day=2)
    remember_failure(runs, "broken", day=3, fault="data/" + "very_long_name_" * 12 + ".csv")
    specs = [
        {"name": "churn", "spec": "churn.toml", "next": "2026-01-01T06:00:00Z"},
        {"name": "later", "spec": "later.toml", "next": "2199-01-01T06:00:00Z"},
    ]
    schedule = {"schema": "reportgen/schedule/1", "heartbeat": "2026-11-04T06:00:00Z", "pid": 1}
    (runs / "schedule.json").write_text(json.dumps({**schedule, "specs": specs}))
    publish_site(runs, str(folder / "site"), PublishOptions(title="Reports of the team"))
    return folder / "site"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(browser: Browser, site: Path, path: str, scheme: Scheme) -> None:
    """All rules of WCAG 2.2 A and AA that a program can check, wide and on the narrowest phone."""
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto((site / path).as_uri())
    page.add_script_tag(content=AXE_SCRIPT)
    result = []
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 900})
        result += [f"{width} px: {value}" for value in page.evaluate(AXE, [TAGS, True])]
    context.close()

    assert not result, "\n".join(result)


@pytest.mark.parametrize("path", PAGES)
def test_no_request_leaves_the_page_and_nothing_scrolls_sideways(
    open_checked_page: Open, site: Path, path: str
) -> None:
    """From a disk, with long names, at every width where the layout changes."""
    living = open_checked_page(site / path)
    wide = {}
    for width in WIDTHS:
        living.page.set_viewport_size({"width": width, "height": 900})
        wide[width] = living.page.evaluate("document.documentElement.scrollWidth")

    assert {width: result for width, result in wide.items() if result > width} == {}
    assert living.errors == []
    assert living.requests == [(site / path).as_uri()]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("", ["broken", LONG, "Churn", "later", f"Only files: {LONG}"]),
        ("CHURN", ["Churn"]),
        ("fail", [LONG]),
        ("gradient trees", ["Churn"]),
        ("accuracy gates", [f"Only files: {LONG}"]),
        ("svm never", []),
        ("never built", ["later"]),
    ],
)
def test_the_search_finds_titles_classifiers_measures_and_states(
    open_checked_page: Open, site: Path, typed: str, names: list[str]
) -> None:
    """Every word has to be there; how many are shown is said."""
    page = open_checked_page(site / "index.html").page
    page.keyboard.press("Tab")
    page.get_by_label("Find a report").fill(typed)

    assert page.locator(".report:visible h2").all_text_contents() == names
    message = f"{len(names)} of 5 shown" if typed else ""
    assert page.get_by_role("status").text_content() == message


def test_without_script_the_list_is_whole_and_offers_no_search(
    open_checked_page: Open, site: Path
) -> None:
    """A box that does nothing would be a lie."""
    page = open_checked_page(site / "index.html", script=False).page

    assert page.locator(".report:visible").count() == 5
    assert not page.get_by_label("Find a report").is_visible()


def test_a_reader_sees_how_long_ago_it_was(open_checked_page: Open, site: Path) -> None:
    """By the clock of the browser: the page has none. A run that is long due is overdue."""
    page = open_checked_page(site / "status.html").page
    times = page.locator("tbody tr", has_text="Churn").locator("time")

    assert "UTC (" in (times.first.text_content() or "")
    assert page.get_by_text("overdue").count() == 1
    assert "overdue" in (page.locator("tbody tr", has_text="Churn").text_content() or "")


def test_links_work_from_the_disk_and_by_keyboard(open_checked_page: Open, site: Path) -> None:
    """From the front page to the archive, to a run, and to the front page again."""
    page = open_checked_page(site / "index.html").page
    link = page.get_by_role("link", name="3 published runs of Churn")
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/churn/archive.html")
    page.get_by_role("link", name="HTML of run").last.click()
    page.wait_for_url("**/churn/*/report.html")
    page.go_back()
    page.get_by_role("link", name="All reports").click()
    page.wait_for_url("**/site/index.html")

    assert page.title() == "Reports of the team"


def test_on_paper_there_is_the_list_and_nothing_to_click(
    open_checked_page: Open, site: Path
) -> None:
    """Printed, the search and links to files are left out."""
    page = open_checked_page(site / "index.html").page
    page.emulate_media(media="print")

    assert page.locator(".report:visible").count() == 5
    assert page.locator(".search:visible, nav:visible, .links:visible").count() == 0


def test_on_a_phone_every_reason_begins_on_a_line_of_its_own(
    open_checked_page: Open, site: Path
) -> None:
    """Without a blank between them, the end of one and the beginning of the next are one word."""
    page = open_checked_page(site / "status.html").page
    page.set_viewport_size({"width": 360, "height": 800})
    reasons = page.locator("tbody tr", has_text="FAIL").locator(".reason")
    (left,) = reasons.evaluate_all("cells => cells.map(cell => cell.getBoundingClientRect().left)")
    begins = reasons.locator("p").evaluate_all(
        "all => all.map(each => each.getClientRects()[0].left)"
    )

    assert len(begins) == 2
    assert begins[0] > begins[1] == left


def test_filters_combine_and_are_part_of_the_address(open_checked_page: Open, site: Path) -> None:
    """By status, owner and tag; the numbers by status are filters as well."""
    page = open_checked_page(site / "index.html").page
    titles = page.locator(".report:visible h2")
    page.get_by_label("Owner").select_option("Risk & co.")
    assert titles.all_text_contents() == ["Churn"]
    page.get_by_label("Tag").select_option("monthly")
    page.get_by_label("Status", exact=True).select_option("FAIL")
    assert titles.count() == 0
    assert page.url.endswith("#status=fail&owner=Risk+%26+co.&tag=monthly")
    page.get_by_label("Owner").select_option("")
    page.get_by_label("Tag").select_option("")
    assert titles.all_text_contents() == [LONG]
    page.reload()
    assert titles.all_text_contents() == [LONG]
    page.get_by_role("link", name="1 FAIL").click()
    assert titles.count() == 5
    page.get_by_role("link", name="1 ERROR").click()
    assert titles.all_text_contents() == ["broken"]


def test_without_script_the_numbers_lead_to_the_first_report_of_a_status(
    open_checked_page: Open, site: Path
) -> None:
    """The list is sorted by severity."""
    page = open_checked_page(site / "index.html", script=False).page
    page.get_by_role("link", name="1 FAIL").click()

    assert page.locator(":target h2").text_content() == LONG
