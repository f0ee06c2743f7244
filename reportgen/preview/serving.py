"""A page on this machine only, which the browser loads again when it changed."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from reportgen.preview.page import NewestPage
from reportgen.rendering.shipped import template_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.errors import Fault

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
EVERY = 0.4
FRAME = "preview.html"


@dataclass(slots=True)
class Preview:
    """A preview that is served: its address, and how to end it."""

    page: NewestPage
    server: ThreadingHTTPServer
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        """Where the browser finds it."""
        return f"http://{HOST}:{self.server.server_port}/"

    def watch(self, tell: Callable[[NewestPage], None]) -> None:
        """Serve until stopped, and make the page again whenever something changed."""
        serving = threading.Thread(target=self.server.serve_forever, daemon=True)
        serving.start()
        try:
            while not self.stopped.is_set():
                if self.page.refresh():
                    tell(self.page)
                self.stopped.wait(EVERY)
        finally:
            self.server.shutdown()
            self.server.server_close()


def serve(spec: Path, port: int, shown: Callable[[Fault], str]) -> Preview:
    """Return a preview of a spec at a port of this machine (0: any that is free)."""
    page = NewestPage(spec)
    frame = (template_folder() / FRAME).read_bytes()

    class Handler(BaseHTTPRequestHandler):
        """Answers with the frame, the page within it, or which version is the newest."""

        def do_GET(self) -> None:
            # Another site's page may ask this machine under a name of its own: not answered.
            if self.headers.get("Host") not in {f"{name}:{_port(self)}" for name in NAMES}:
                self.send_error(HTTPStatus.FORBIDDEN)
                return
            match self.path:
                case "/":
                    self._answer(frame, "text/html; charset=utf-8")
                case "/page":
                    self._answer(page.content, "text/html; charset=utf-8")
                case "/state":
                    faults = "\n\n".join(map(shown, page.faults))
                    state = {"version": page.version, "faults": faults, "title": spec.name}
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

    return Preview(page, ThreadingHTTPServer((HOST, port), Handler))


def _port(handler: BaseHTTPRequestHandler) -> int:
    server = handler.server
    return server.server_port if isinstance(server, ThreadingHTTPServer) else 0
