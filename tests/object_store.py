"""A small object store for tests, which speaks as much of S3 as reading needs.

It checks signatures as AWS describes them (Signature Version 4), serves ranges, lists keys, and
remembers what it was asked for.
"""

from __future__ import annotations

import hashlib
import hmac
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEY_ID, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI"
REGION = "eu-test-1"


@dataclass(slots=True)
class ObjectStore:
    """The objects of one bucket by key, and every request that was made for them.

    Its bucket has a name of its own, because polars remembers how a bucket is reached.
    """

    objects: dict[str, bytes]
    port: int = 0
    asked: list[tuple[str, str]] = field(default_factory=list)
    """The methods and paths of all requests, in the order of their arrival."""
    served: int = 0
    """How many bytes of objects were sent."""
    secret: str = SECRET
    release: threading.Event = field(default_factory=threading.Event)
    """While objects are `held`, a request is answered only when this is set."""
    held: bool = False

    @property
    def bucket(self) -> str:
        """The address of the bucket."""
        return f"s3://bucket-{self.port}"

    def environment(self) -> dict[str, str]:
        """Return what somebody has to set who wants to read from here."""
        return {
            "AWS_ACCESS_KEY_ID": KEY_ID,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": REGION,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_ALLOW_HTTP": "true",
        }


@contextmanager
def serving(objects: Mapping[str, bytes]) -> Iterator[ObjectStore]:
    """Serve objects until the end of the block."""
    store = ObjectStore(dict(objects))
    handler = type("Handler", (_Handler,), {"store": store})
    # Keeps the threads of requests, so that closing waits for them.
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        store.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield store
        finally:
            store.release.set()
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    store: ClassVar[ObjectStore]
    timeout = 5

    def do_GET(self) -> None:
        """Answer with an object, a part of it, or a list of keys."""
        store, url = self.store, urlsplit(self.path)
        store.asked.append((self.command, unquote(self.path)))
        bucket, _, key = unquote(url.path).removeprefix("/").partition("/")
        query = dict(parse_qsl(url.query))
        if store.held:
            store.release.wait()
        if not self._is_signed():
            self._fail(403, "SignatureDoesNotMatch", f"<AWSAccessKeyId>{KEY_ID}</AWSAccessKeyId>")
        elif bucket != f"bucket-{store.port}":
            self._fail(404, "NoSuchBucket")
        elif "list-type" in query:
            self._send(200, _listing(store.objects, query.get("prefix", "")))
        elif key not in store.objects:
            self._fail(404, "NoSuchKey")
        else:
            self._send_object(store.objects[key])

    def do_HEAD(self) -> None:
        """Answer as to GET, without the content."""
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name is given
        """Say nothing."""

    def _send_object(self, content: bytes) -> None:
        asked = self.headers.get("Range", "")
        first, _, last = asked.removeprefix("bytes=").partition("-")
        size = len(content)
        start = int(first) if first else max(0, size - int(last)) if last else 0
        end = min(size, int(last) + 1) if first and last else size
        more = {"Content-Range": f"bytes {start}-{end - 1}/{size}"} if asked else {}
        self.store.served += end - start if self.command == "GET" else 0
        self._send(206 if asked else 200, content[start:end], more)

    def _fail(self, status: int, code: str, more: str = "") -> None:
        self._send(status, f"<Error><Code>{code}</Code>{more}</Error>".encode())

    def _send(self, status: int, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        named = {"ETag": '"1"', "Last-Modified": "Mon, 16 Nov 2026 06:00:00 GMT", **(headers or {})}
        for name, value in {**named, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            # Who has waited too long is gone.
            with suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(content)

    def _is_signed(self) -> bool:
        """Tell whether the request is signed with the secret of the store."""
        words = self.headers.get("Authorization", "").replace(",", " ").split()
        given = dict(word.split("=", 1) for word in words if "=" in word)
        if "Credential" not in given:
            return False
        _, *scope = given["Credential"].split("/")
        names = given["SignedHeaders"].split(";")
        url = urlsplit(self.path)
        pairs = sorted(parse_qsl(url.query, keep_blank_values=True))
        request = "\n".join(
            (
                self.command,
                quote(unquote(url.path)),
                "&".join(f"{quote(name, '')}={quote(value, '')}" for name, value in pairs),
                *(f"{name}:{(self.headers[name] or '').strip()}" for name in names),
                "",
                ";".join(names),
                self.headers["x-amz-content-sha256"],
            )
        )
        hashed = hashlib.sha256(request.encode()).hexdigest()
        signed = ("AWS4-HMAC-SHA256", self.headers["x-amz-date"], "/".join(scope), hashed)
        key = f"AWS4{self.store.secret}".encode()
        for part in (*scope, "\n".join(signed)):
            key = hmac.digest(key, part.encode(), "sha256")
        return hmac.compare_digest(key.hex(), given["Signature"])


def _listing(objects: Mapping[str, bytes], prefix: str) -> bytes:
    rows = "".join(
        f"<Contents><Key>{escape(key)}</Key><Size>{len(objects[key])}</Size><ETag>1</ETag>"
        "<LastModified>2026-11-16T06:00:00.000Z</LastModified></Contents>"
        for key in sorted(objects)
        if key.startswith(prefix)
    )
    return f"<ListBucketResult><IsTruncated>false</IsTruncated>{rows}</ListBucketResult>".encode()
