"""Preview: a report in the browser that is rebuilt when the spec, its data or templates change."""

from __future__ import annotations

import json
import secrets
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


# Watched files and their state.

FileStamps: TypeAlias = tuple[tuple[str, int, int], ...]


def stamp_files(paths: Iterable[Path]) -> FileStamps:
    """Return modification time and size of files; a missing file has neither."""
    return tuple(_file_stamp(path) for path in sorted(set(paths)))


def watched_data_files(spec_file: SpecFile) -> list[Path]:
    """Return the files that determine the numbers: the spec, predictions and labels."""
    spec, folder = spec_file.spec, spec_file.folder
    paths = [
        path
        for part in [spec_for_dataset(spec, dataset) for dataset in spec.datasets] or [spec]
        for classifier in part.classifiers
        if classifier.predictions is not None
        for path in (*classifier.predictions, part.data_settings_for(classifier).labels)
    ]
    spec_paths = [] if spec_file.path is None else [spec_file.path]
    return [
        *spec_paths,
        *(file.path for path in paths if path for file in expand_path(folder, path)),
    ]


def watched_theme_files(spec_file: SpecFile) -> list[Path]:
    """Return the files that determine appearance and text: theme, templates and text sections."""
    spec, folder = spec_file.spec, spec_file.folder
    theme, templates = spec.output.theme, spec.output.templates
    names = [theme.logo, theme.font, theme.font_bold, theme.font_italic]
    names += [section.file for section in spec.sections]
    folders = [template_folder(), *([folder / templates] if templates else [])]
    return [
        *(folder / name for name in names if name),
        # The modification time of a folder changes when files are added or removed.
        *(path for root in folders for path in (root, *root.rglob("*"))),
    ]


def _file_stamp(path: Path) -> tuple[str, int, int]:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return str(path), 0, -1
    return str(path), status.st_mtime_ns, status.st_size


# The current page of a spec, or its errors.

PREVIEW_FORMATS: tuple[OutputFormat, ...] = ("html",)


@dataclass(slots=True)
class PreviewPage:
    """The page of a spec; the evaluation is repeated only if the spec or the data changed."""

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
        """Rebuild the page if a file changed; return whether it was rebuilt."""
        stamps = stamp_files(self._watched_files())
        if self.version and stamps == self._stamps:
            return False
        # Before the build, so that a change during it is not missed.
        self._stamps = stamps
        try:
            self.content = self._render()
            self.diagnostics = ()
        except ReportgenError as error:
            self.diagnostics = error.diagnostics
        self.version += 1
        return True

    def _watched_files(self) -> list[Path]:
        """Return the watched files; glob patterns are expanded each time."""
        data = [self.spec] if self._spec_file is None else watched_data_files(self._spec_file)
        return [*data, *self._theme_files]

    def _render(self) -> bytes:
        self._spec_file = spec_file = load_spec(self.spec)
        self._theme_files = tuple(watched_theme_files(spec_file))
        # The state of these files was read before the build.
        previous = {stamp[0]: stamp for stamp in self._stamps}
        self._stamps = tuple(
            previous.get(stamp[0], stamp) for stamp in stamp_files(self._watched_files())
        )
        theme = load_theme(spec_file)
        data_stamps = stamp_files(watched_data_files(spec_file))
        if self._evaluation is None or data_stamps != self._evaluated_stamps:
            self._evaluation = evaluate_spec_file(spec_file)
            self._evaluated_stamps = data_stamps
        document = build_report(self._evaluation)
        return render(self._evaluation, document, PREVIEW_FORMATS, theme).files[HTML_FILE]


# A local server; the browser reloads the page when it changed.

PREVIEW_HOST = "127.0.0.1"
ALLOWED_HOSTS = (PREVIEW_HOST, "localhost")
PREVIEW_POLL_SECONDS = 0.4
TOKEN_BYTES = 16
FRAME_FILE = "preview.html"


@dataclass(slots=True)
class PreviewServer:
    """A running preview: its address, and the methods to watch and stop it."""

    page: PreviewPage
    server: ThreadingHTTPServer
    token: str
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        """The URL of the preview; its token keeps other programs and pages out."""
        return f"http://{PREVIEW_HOST}:{self.server.server_port}/{self.token}/"

    def watch(self, on_refresh: Callable[[PreviewPage], None]) -> None:
        """Serve until stopped; rebuild the page whenever a watched file changed."""
        thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        thread.start()
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
    """Return a preview of a spec, served on a port of this machine (0: any free port)."""
    page = PreviewPage(spec)
    frame = (template_folder() / FRAME_FILE).read_bytes()
    token = secrets.token_urlsafe(TOKEN_BYTES)

    class Handler(BaseHTTPRequestHandler):
        """Serves the outer page, the report within it, and the state of the preview."""

        def do_GET(self) -> None:
            # Requests with another host name may come from another site (DNS rebinding).
            if self.headers.get("Host") not in {
                f"{name}:{_server_port(self)}" for name in ALLOWED_HOSTS
            }:
                self.send_error(HTTPStatus.FORBIDDEN)
                return
            request_token, _, path = self.path.removeprefix("/").partition("/")
            if not secrets.compare_digest(request_token.encode(), token.encode()):
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            match path:
                case "":
                    self._answer(frame, "text/html; charset=utf-8")
                case "page":
                    self._answer(page.content, "text/html; charset=utf-8", ancestors="'self'")
                case "state":
                    errors = "\n\n".join(map(format_diagnostic, page.diagnostics))
                    state = {"version": page.version, "errors": errors, "title": spec.name}
                    self._answer(json.dumps(state).encode(), "application/json")
                case _:
                    self.send_error(HTTPStatus.NOT_FOUND)

        def _answer(self, content: bytes, kind: str, ancestors: str = "'none'") -> None:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            # No other site may frame, load or learn the address of the report.
            self.send_header("Content-Security-Policy", f"frame-ancestors {ancestors}")
            self.send_header("Cross-Origin-Resource-Policy", "same-origin")
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Referrer-Policy", "no-referrer")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(content)

        def handle(self) -> None:
            # The browser closes the connection when it leaves the page.
            with suppress(ConnectionError):
                super().handle()

        def log_message(self, *_args: object) -> None:
            """Log nothing: `watch` reports every refresh."""

    return PreviewServer(page, ThreadingHTTPServer((PREVIEW_HOST, port), Handler), token)


def _server_port(handler: BaseHTTPRequestHandler) -> int:
    server = handler.server
    return server.server_port if isinstance(server, ThreadingHTTPServer) else 0


__all__ = ["PreviewServer", "serve_preview"]
