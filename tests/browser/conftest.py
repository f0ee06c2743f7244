"""A real browser: Debian's Chromium, or Chrome, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.hostile_spec import write_hostile
from tests.browser.opened_pages import OpenPage, page_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

# The same as in scripts/browser.
NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests in a browser, and keep them in one process, so that it starts once."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))


def _executable() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the browser once; without one tests are skipped, unless it is required."""
    executable = _executable()
    if executable is None:
        reason = "no Chromium or Chrome on this machine: the page was not tried in a browser"
        if os.environ.get("REPORTGEN_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.fixture
def open_checked_page(browser: Browser) -> Iterator[Callable[..., OpenPage]]:
    """Return how a page is opened: with its errors and requests noted, and closed afterwards."""
    contexts = []

    def open_page(
        path: Path, view: str = "", *, width: int = 1280, script: bool = True
    ) -> OpenPage:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            java_script_enabled=script,
            # Without smooth scrolling a position read after scrolling is the final one.
            reduced_motion="reduce",
        )
        contexts.append(context)
        result = OpenPage(context.new_page())
        result.page.goto(path.as_uri() + view)
        return result

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the page of an example spec, or of the hostile one, made once."""
    folder, output = tmp_path_factory.mktemp("pages"), dict[str, Path]()

    def page(name: str) -> Path:
        if name not in output:
            spec = write_hostile(folder) if name == "hostile" else Path("specs") / f"{name}.toml"
            output[name] = folder / f"{name}.html"
            output[name].write_text(page_of(spec), encoding="utf-8")
        return output[name]

    return page
