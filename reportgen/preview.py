"""A report that is made anew whenever what it is made of changes, shown in a browser."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, TypeAlias

from reportgen.errors import ReportgenError
from reportgen.formats import HTML_FILE
from reportgen.pipeline import evaluate_spec_file
from reportgen.predictions.files import expand_path
from reportgen.render.formats import render
from reportgen.render.resources import template_folder
from reportgen.render.theme import load_theme
from reportgen.report.build import build_report
from reportgen.spec import load_spec, spec_for_dataset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from reportgen.errors import Diagnostic
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.formats import OutputFormat
    from reportgen.spec import SpecFile


# What a report is made of, and whether any of it changed.

FileStamps: TypeAlias = tuple[tuple[str, int, int], ...]


def stamp_files(paths: Iterable[Path]) -> FileStamps:
    """Return when files were changed and how large they are; a missing one has no size."""
    return tuple(_file_stamp(path) for path in sorted(set(paths)))


def watched_data_files(spec_file: SpecFile) -> list[Path]:
    """Return the files the numbers come from: the spec and all predictions and labels it names."""
    spec, folder = spec_file.spec, spec_file.folder
    paths = [
        path
        for part in [spec_for_dataset(spec, dataset) for dataset in spec.datasets] or [spec]
        for each in part.classifiers
        if each.predictions is not None
        for path in (*each.predictions, part.data_settings_for(each).labels)
    ]
    own = [] if spec_file.path is None else [spec_file.path]
    return [*own, *(file.path for path in paths if path for file in expand_path(folder, path))]


def watched_theme_files(spec_file: SpecFile) -> list[Path]:
    """Return the files the report's look and words come from."""
    spec, folder = spec_file.spec, spec_file.folder
    theme, templates = spec.output.theme, spec.output.templates
    named = [theme.logo, theme.font, theme.font_bold, theme.font_italic]
    named += [section.file for section in spec.sections]
    folders = [template_folder(), *([folder / templates] if templates else [])]
    return [
        *(folder / path for path in named if path),
        # A folder changes when a file comes or goes.
        *(path for each in folders for path in (each, *each.rglob("*"))),
    ]


def _file_stamp(path: Path) -> tuple[str, int, int]:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return str(path), 0, -1
    return str(path), found.st_mtime_ns, found.st_size


# The newest page of a spec, or what is wrong with it.

PREVIEW_FORMATS: tuple[OutputFormat, ...] = ("html",)


@dataclass(slots=True)
class PreviewPage:
    """Makes the page of a spec; the numbers only when the spec or the data changed."""

    spec: Path
    content: bytes = b""
    diagnostics: tuple[Diagnostic, ...] = ()
    version: int = 0
    _spec_file: SpecFile | None = None
    _theme_files: tuple[Path, ...] = ()
    _stamps: FileStamps = ()
    _evaluation: Evaluation | None = None
    _evaluated_stamps: FileStamps = ()

    def refresh(self) -> bool:
        """Make the page again if anything changed, and tell whether it did."""
        seen = stamp_files(self._watched_files())
        if self.version and seen == self._stamps:
            return False
        # Before the work, so that a change during it is not missed.
        self._stamps = seen
        try:
            self.content = self._render()
            self.diagnostics = ()
        except ReportgenError as error:
            self.diagnostics = error.diagnostics
        self.version += 1
        return True

    def _watched_files(self) -> list[Path]:
        """Return what the page is made of; what a pattern matches is looked up each time."""
        data = [self.spec] if self._spec_file is None else watched_data_files(self._spec_file)
        return [*data, *self._theme_files]

    def _render(self) -> bytes:
        self._spec_file = spec_file = load_spec(self.spec)
        self._theme_files = tuple(watched_theme_files(spec_file))
        # What was looked at before the work counts as it was then.
        earlier = {state[0]: state for state in self._stamps}
        self._stamps = tuple(
            earlier.get(state[0], state) for state in stamp_files(self._watched_files())
        )
        counted = stamp_files(watched_data_files(spec_file))
        if self._evaluation is None or counted != self._evaluated_stamps:
            self._evaluation = evaluate_spec_file(spec_file)
            self._evaluated_stamps = counted
        document, theme = build_report(self._evaluation), load_theme(spec_file)
        return render(self._evaluation, document, PREVIEW_FORMATS, theme).files[HTML_FILE]


# A page on this machine only, which the browser loads again when it changed.

PREVIEW_HOST = "127.0.0.1"
ALLOWED_HOSTS = (PREVIEW_HOST, "localhost")
PREVIEW_POLL_SECONDS = 0.4
FRAME_FILE = "preview.html"


@dataclass(slots=True)
class PreviewServer:
    """A preview that is served: its address, and how to end it."""

    page: PreviewPage
    server: ThreadingHTTPServer
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        """Where the browser finds it."""
        return f"http://{PREVIEW_HOST}:{self.server.server_port}/"

    def watch(self, on_refresh: Callable[[PreviewPage], None]) -> None:
        """Serve until stopped, and make the page again whenever something changed."""
        serving = threading.Thread(target=self.server.serve_forever, daemon=True)
        serving.start()
        try:
            while not self.stopped.is_set():
                if self.page.refresh():
                    on_refresh(self.page)
                self.stopped.wait(PREVIEW_POLL_SECONDS)
        finally:
            self.server.shutdown()
            self.server.server_close()


def serve_preview(
    spec: Path, port: int, format_diagnostic: Callable[[Diagnostic], str]
) -> PreviewServer:
    """Return a preview of a spec at a port of this machine (0: any that is free)."""
    page = PreviewPage(spec)
    frame = (template_folder() / FRAME_FILE).read_bytes()

    class Handler(BaseHTTPRequestHandler):
        """Answers with the frame, the page within it, or which version is the newest."""

        def do_GET(self) -> None:
            # Another site's page may ask this machine under a name of its own: not answered.
            if self.headers.get("Host") not in {
                f"{name}:{_server_port(self)}" for name in ALLOWED_HOSTS
            }:
                self.send_error(HTTPStatus.FORBIDDEN)
                return
            match self.path:
                case "/":
                    self._answer(frame, "text/html; charset=utf-8")
                case "/page":
                    self._answer(page.content, "text/html; charset=utf-8")
                case "/state":
                    errors = "\n\n".join(map(format_diagnostic, page.diagnostics))
                    state = {"version": page.version, "errors": errors, "title": spec.name}
                    self._answer(json.dumps(state).encode(), "application/json")
                case _:
                    self.send_error(HTTPStatus.NOT_FOUND)

        def _answer(self, content: bytes, kind: str) -> None:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(content)

        def handle(self) -> None:
            # A browser that goes on to another page drops what it asked for.
            with suppress(ConnectionError):
                super().handle()

        def log_message(self, *_args: object) -> None:
            """Keep quiet: what matters is said when the page is made."""

    return PreviewServer(page, ThreadingHTTPServer((PREVIEW_HOST, port), Handler))


def _server_port(handler: BaseHTTPRequestHandler) -> int:
    server = handler.server
    return server.server_port if isinstance(server, ThreadingHTTPServer) else 0


__all__ = ["PreviewServer", "serve_preview"]
