"""A preview shows the newest page, and what is wrong when there is none."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

from reportgen.preview import PREVIEW_HOST, PreviewPage, PreviewServer, serve_preview
from tests.small_specs import YES_OR_NO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reportgen.errors import Diagnostic

SPEC = f"""
title = "First title"
{YES_OR_NO}[[classifiers]]
name = "A"
predictions = "a.csv"
"""
CASES = "truth,prediction\n" + "yes,yes\nyes,no\nno,no\nno,yes\n" * 5
TIMEOUT = 60.0


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """Return a spec with its data."""
    (tmp_path / "a.csv").write_text(CASES, encoding="utf-8")
    path = tmp_path / "spec.toml"
    path.write_text(SPEC, encoding="utf-8")
    return path


def _words(fault: Diagnostic) -> str:
    return fault.message


@contextmanager
def served(spec: Path) -> Iterator[PreviewServer]:
    """Serve the preview of a spec."""
    preview = serve_preview(spec, 0, _words)
    watching = threading.Thread(target=preview.watch, args=(lambda _page: None,))
    watching.start()
    try:
        yield preview
    finally:
        preview.stopped.set()
        watching.join()


def _got(preview: PreviewServer, path: str) -> bytes:
    with urlopen(preview.address + path, timeout=TIMEOUT) as answer:  # noqa: S310  # this machine
        content: bytes = answer.read()
    return content


def _state(preview: PreviewServer) -> dict[str, object]:
    result: dict[str, object] = json.loads(_got(preview, "state"))
    return result


def _wait(until: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT
    while not until():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.05)


def _write_later(path: Path, content: str) -> None:
    """Write so that the change is seen also where clocks of files are coarse."""
    path.write_text(content, encoding="utf-8")
    now = time.time_ns()
    os.utime(path, ns=(now + 10**9, now + 10**9))


@pytest.mark.slow
def test_the_page_is_made_again_when_the_spec_changes(spec: Path) -> None:
    """A fault is shown and goes away when it is mended; the last page stays meanwhile."""
    with served(spec) as preview:
        _wait(lambda: _state(preview)["version"] == 1)
        assert b"First title" in _got(preview, "page")

        _write_later(spec, SPEC.replace("First title", "Second title"))
        _wait(lambda: b"Second title" in _got(preview, "page"))

        _write_later(spec, SPEC.replace("binary", "binari"))
        _wait(lambda: bool(_state(preview)["errors"]))
        assert b"Second title" in _got(preview, "page")

        _write_later(spec, SPEC)
        _wait(lambda: not _state(preview)["errors"] and b"First title" in _got(preview, "page"))


def test_a_browser_that_goes_away_is_no_fault(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever loads the page again while it is loading drops the connection."""
    faults, ended = list[str](), threading.Event()
    with served(spec) as preview:
        _wait(lambda: _state(preview)["version"] == 1)
        close = preview.server.shutdown_request

        def closed(connection: socket.socket) -> None:
            close(connection)
            ended.set()

        monkeypatch.setattr(preview.server, "handle_error", lambda *_: faults.append("told"))
        monkeypatch.setattr(preview.server, "shutdown_request", closed)
        # More than the system takes on the way.
        preview.page.content = bytes(50_000_000)
        with socket.create_connection((PREVIEW_HOST, preview.server.server_port)) as line:
            host = f"{PREVIEW_HOST}:{preview.server.server_port}"
            line.sendall(f"GET /{preview.token}/page HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            line.recv(1)
        assert ended.wait(TIMEOUT)

    assert faults == []


def test_what_is_wrong_with_the_look_is_shown_before_the_numbers_are_made(spec: Path) -> None:
    """Whoever mends a logo does not wait for numbers in between."""
    _write_later(spec, SPEC + '[output.theme]\nlogo = "none.svg"\n')
    page = PreviewPage(spec)
    page.refresh()

    assert [fault.message for fault in page.diagnostics] == ["the file `none.svg` does not exist"]
    assert page._evaluation is None  # noqa: SLF001  # made or not: that is the question


def test_changed_data_give_new_numbers(spec: Path) -> None:
    """The numbers are made again only when spec or data changed."""
    page = PreviewPage(spec)
    assert page.refresh()
    assert not page.refresh()

    _write_later(spec.parent / "a.csv", CASES.replace("no,yes", "no,no"))
    before = page.content
    assert page.refresh()
    assert page.content != before


@pytest.mark.slow
@pytest.mark.parametrize("is_absolute", [False, True], ids=["relative", "absolute"])
@pytest.mark.parametrize(
    ("pattern", "first", "second"),
    [
        ("fold_*.csv", "fold_1.csv", "fold_2.csv"),
        ("fold_?.csv", "fold_1.csv", "fold_2.csv"),
        ("fold_[12].csv", "fold_1.csv", "fold_2.csv"),
        ("fold_*/it.csv", "fold_1/it.csv", "fold_2/it.csv"),
    ],
)
def test_what_a_pattern_names_is_followed(
    spec: Path, pattern: str, first: str, second: str, *, is_absolute: bool
) -> None:
    """A file that changes, one that comes and one that goes give the numbers of what is there."""
    folder = spec.parent
    for path in (first, second):
        (folder / path).parent.mkdir(exist_ok=True)
    _write_later(folder / first, CASES)
    named = str(folder / pattern) if is_absolute else pattern
    _write_later(spec, SPEC.replace("a.csv", named))
    page = PreviewPage(spec)
    page.refresh()
    assert page.diagnostics == ()
    seen_items = [page.content]

    _write_later(folder / first, CASES.replace("no,yes", "no,no"))
    assert page.refresh()
    seen_items.append(page.content)
    _write_later(folder / second, CASES)
    assert page.refresh()
    seen_items.append(page.content)
    (folder / second).unlink()
    assert page.refresh()

    assert page.diagnostics == ()
    assert len(set(seen_items)) == 3
    assert page.content == seen_items[1]
    assert not page.refresh()


def test_a_file_whose_name_looks_like_a_pattern_is_followed(spec: Path) -> None:
    """`a[1].csv` is a file if there is one; `a1.csv`, which it would match, is another."""
    _write_later(spec.parent / "a[1].csv", CASES)
    _write_later(spec, SPEC.replace("a.csv", "a[1].csv"))
    page = PreviewPage(spec)
    page.refresh()

    _write_later(spec.parent / "a1.csv", CASES)
    assert not page.refresh()
    _write_later(spec.parent / "a[1].csv", CASES.replace("no,yes", "no,no"))
    assert page.refresh()


def test_the_labels_of_a_data_set_are_followed(spec: Path) -> None:
    """A data set may have its truth in a file of its own."""
    truths = "case,truth\n" + "".join(
        f"{case},{'yes' if case % 2 else 'no'}\n" for case in range(20)
    )
    for name in ("x", "y"):
        answers = "".join(f"{case},{'yes' if case % 3 else 'no'}\n" for case in range(20))
        _write_later(spec.parent / f"{name}.csv", f"case,prediction\n{answers}")
        _write_later(spec.parent / f"{name}_truth.csv", truths)
    sets = "".join(f'[[datasets]]\nname = "{name}"\nlabels = "{name}_truth.csv"\n' for name in "xy")
    _write_later(spec, SPEC.replace("a.csv", "{dataset}.csv") + f'[data]\nid = "case"\n{sets}')
    page = PreviewPage(spec)
    page.refresh()
    assert page.diagnostics == ()
    before = page.content

    _write_later(spec.parent / "y_truth.csv", truths.replace("7,yes", "7,no"))
    assert page.refresh()
    assert page.diagnostics == ()
    assert page.content != before


def test_a_changed_template_changes_the_page_only(spec: Path) -> None:
    """Whoever works on the look does not wait for the numbers."""
    (spec.parent / "mine").mkdir()
    _write_later(spec, SPEC + '[output]\ntemplates = "mine"\n')
    page = PreviewPage(spec)
    page.refresh()
    evaluation = page._evaluation  # noqa: SLF001  # kept or not: that is the question

    _write_later(spec.parent / "mine/cover.html.j2", "<h1>Our own cover</h1>")
    assert page.refresh()
    assert b"Our own cover" in page.content
    assert page._evaluation is evaluation  # noqa: SLF001
