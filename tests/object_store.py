"""A small object store for tests, which speaks as much of S3 as reading and writing need.

It checks signatures as AWS describes them (Signature Version 4), serves ranges, lists keys, takes
objects whole or in parts, on conditions (If-Match, If-None-Match) too, and remembers what it was
asked for.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

KEY_ID, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI"
REGION = "eu-test-1"


@dataclass(slots=True)
class ObjectStore:
    """The objects of one bucket by key, and every request that was made for them.

    Its bucket has a name of its own, because polars remembers how a bucket is reached.
    """

    objects: dict[str, bytes]
    port: int = 0
    requests: list[tuple[str, str]] = field(default_factory=list)
    """The methods and paths of all requests, in the order of their arrival."""
    served: int = 0
    """How many bytes of objects were sent."""
    secret: str = SECRET
    release: threading.Event = field(default_factory=threading.Event)
    """While objects are `held`, a request is answered only when this is set."""
    held: bool = False
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    """What was said about each object when it was put, such as its type."""
    fails: Callable[[str, str], bool] = lambda _method, _key: False
    """Whether a request to put or delete a key is refused."""
    knows_conditions: bool = True
    """Whether objects may be put on a condition."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Is held while an object is compared and put."""
    parts: dict[tuple[str, int], bytes] = field(default_factory=dict)
    """What was put of objects that are not whole yet, by upload and number."""

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
    with _Server(("127.0.0.1", 0), handler) as server:
        store.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield store
        finally:
            store.release.set()
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    # A client that is not let in tries again only after a second.
    request_queue_size = 64


class _Handler(BaseHTTPRequestHandler):
    store: ClassVar[ObjectStore]
    timeout = 5

    def do_GET(self) -> None:
        """Answer with an object, a part of it, or a list of keys."""
        store, url = self.store, urlsplit(self.path)
        store.requests.append((self.command, unquote(self.path)))
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

    def do_PUT(self) -> None:
        """Take an object, or a part of one."""
        store, key, query = self._asked_for()
        content = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        digest = self.headers["x-amz-content-sha256"]
        if not self._may_change(key):
            return
        if digest not in {"UNSIGNED-PAYLOAD", hashlib.sha256(content).hexdigest()}:
            self._fail(400, "XAmzContentSHA256Mismatch")
            return
        with store.lock:
            if "partNumber" in query:
                store.parts[query["uploadId"], int(query["partNumber"])] = content
            elif self._has_conditions() and not store.knows_conditions:
                self._fail(501, "NotImplemented")
                return
            elif not self._meets_conditions(store.objects.get(key)):
                self._fail(412, "PreconditionFailed")
                return
            else:
                store.objects[key] = content
                self._keep_headers(key)
        self._send(200, b"", {"ETag": _tag(content)})

    def do_POST(self) -> None:
        """Begin or end an object that comes in parts, or delete several."""
        store, key, query = self._asked_for()
        request = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        if not self._may_change(key):
            return
        if "uploads" in query:
            self._keep_headers(key)
            text = f"<UploadId>{quote(key, '')}</UploadId>"
            self._send(
                200,
                f"<InitiateMultipartUploadResult>{text}</InitiateMultipartUploadResult>".encode(),
            )
        elif "uploadId" in query:
            numbers = map(int, re.findall("<PartNumber>([0-9]+)</PartNumber>", request))
            store.objects[key] = b"".join(store.parts[query["uploadId"], at] for at in numbers)
            self._forget_parts(query["uploadId"])
            result = "<CompleteMultipartUploadResult><ETag>1</ETag></CompleteMultipartUploadResult>"
            self._send(200, result.encode())
        else:
            keys = [unescape(entry) for entry in re.findall("<Key>(.*?)</Key>", request)]
            for item in keys:
                store.objects.pop(item, None)
            rows = "".join(f"<Deleted><Key>{escape(key)}</Key></Deleted>" for key in keys)
            self._send(200, f"<DeleteResult>{rows}</DeleteResult>".encode())

    def do_DELETE(self) -> None:
        """Delete an object, or what was put of one."""
        store, key, query = self._asked_for()
        if not self._may_change(key):
            return
        if "uploadId" in query:
            self._forget_parts(query["uploadId"])
        else:
            store.objects.pop(key, None)
        self._send(204, b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name is given
        """Say nothing."""

    def _asked_for(self) -> tuple[ObjectStore, str, dict[str, str]]:
        """Return the store, the key and the query of a request, and remember it."""
        self.store.requests.append((self.command, unquote(self.path)))
        url = urlsplit(self.path)
        key = unquote(url.path).removeprefix("/").partition("/")[2]
        return self.store, key, dict(parse_qsl(url.query, keep_blank_values=True))

    def _may_change(self, key: str) -> bool:
        """Tell whether a request that changes something is granted; if not, say so."""
        bucket = unquote(urlsplit(self.path).path).removeprefix("/").partition("/")[0]
        if not self._is_signed():
            self._fail(403, "SignatureDoesNotMatch", f"<AWSAccessKeyId>{KEY_ID}</AWSAccessKeyId>")
        elif bucket != f"bucket-{self.store.port}":
            self._fail(404, "NoSuchBucket")
        elif self.store.fails(self.command, key):
            self._fail(400, "RefusedByTest", f"<AWSAccessKeyId>{KEY_ID}</AWSAccessKeyId>")
        else:
            return True
        return False

    def _has_conditions(self) -> bool:
        return "If-Match" in self.headers or "If-None-Match" in self.headers

    def _meets_conditions(self, content: bytes | None) -> bool:
        """Return whether an object meets the conditions of a request."""
        expected = self.headers.get("If-Match")
        if expected is not None and (content is None or _tag(content) != expected):
            return False
        return self.headers.get("If-None-Match") != "*" or content is None

    def _keep_headers(self, key: str) -> None:
        named = {"Content-Type", "Cache-Control"}
        self.store.headers[key] = {name: self.headers[name] or "" for name in named}

    def _forget_parts(self, upload: str) -> None:
        for item in [part for part in self.store.parts if part[0] == upload]:
            del self.store.parts[item]

    def _send_object(self, content: bytes) -> None:
        request = self.headers.get("Range", "")
        first, _, last = request.removeprefix("bytes=").partition("-")
        size = len(content)
        start = int(first) if first else max(0, size - int(last)) if last else 0
        end = min(size, int(last) + 1) if first and last else size
        more = {"ETag": _tag(content)}
        if request:
            more["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
        self.store.served += end - start if self.command == "GET" else 0
        self._send(206 if request else 200, content[start:end], more)

    def _fail(self, status: int, code: str, more: str = "") -> None:
        self._send(status, f"<Error><Code>{code}</Code>{more}</Error>".encode())

    def _send(self, status: int, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        named = {"ETag": '"1"', "Last-Modified": "Mon, 16 Nov 2026 06:00:00 GMT", **(headers or {})}
        for name, value in {**named, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            # Who has waited too long is gone.
            with suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(content)

    def _is_signed(self) -> bool:
        """Tell whether the request is signed with the secret of the store."""
        words = self.headers.get("Authorization", "").replace(",", " ").split()
        parameters = dict(word.split("=", 1) for word in words if "=" in word)
        if "Credential" not in parameters:
            return False
        _, *scope = parameters["Credential"].split("/")
        names = parameters["SignedHeaders"].split(";")
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
        return hmac.compare_digest(key.hex(), parameters["Signature"])


def _tag(content: bytes) -> str:
    """Return what tells one version of an object from another."""
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'


def _listing(objects: Mapping[str, bytes], prefix: str) -> bytes:
    rows = "".join(
        f"<Contents><Key>{escape(key)}</Key><Size>{len(objects[key])}</Size>"
        f"<ETag>{escape(_tag(objects[key]))}</ETag>"
        "<LastModified>2026-11-16T06:00:00.000Z</LastModified></Contents>"
        for key in sorted(objects)
        if key.startswith(prefix)
    )
    return f"<ListBucketResult><IsTruncated>false</IsTruncated>{rows}</ListBucketResult>".encode()
