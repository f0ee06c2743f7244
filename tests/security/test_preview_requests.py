"""Web pages of other sites learn nothing from the preview, and cannot show it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from reportgen.preview import PREVIEW_HOST
from tests.small_specs import counted_spec
from tests.test_preview import served

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.preview import PreviewServer

TIMEOUT = 60.0


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """Return a spec."""
    path = tmp_path / "spec.toml"
    path.write_text(counted_spec([[40, 10], [8, 60]]), encoding="utf-8")
    return path


def error_status(preview: PreviewServer, path: str, host: str | None = None) -> int:
    """Return the status of a request that is rejected."""
    headers = {"Host": host} if host else {}
    request = Request(preview.address + path, headers=headers)  # noqa: S310  # this machine
    with pytest.raises(HTTPError) as rejected:
        urlopen(request, timeout=TIMEOUT)  # noqa: S310  # this machine
    # The error is the answer, and holds its connection until it is closed.
    with rejected.value as answer:
        return answer.code


def test_only_this_machine_under_its_own_name_is_answered(spec: Path) -> None:
    """A page elsewhere must not read the report through a name it made up."""
    with served(spec) as preview:
        with urlopen(preview.address, timeout=TIMEOUT) as answer:  # noqa: S310  # this machine
            assert b"<iframe" in answer.read()
        assert error_status(preview, "page", host="evil.example") == 403
        assert error_status(preview, "../../etc/passwd") == 404


def test_the_address_has_a_token(spec: Path) -> None:
    """Pages of other sites know the port, but not the token."""
    with served(spec) as preview:
        root = f"http://{PREVIEW_HOST}:{preview.server.server_port}"
        for path in ("/", "/page", "/state", f"/{'x' * len(preview.token)}/page"):
            with pytest.raises(HTTPError) as error_info:
                urlopen(root + path, timeout=TIMEOUT)  # noqa: S310  # this machine
            with error_info.value as answer:
                assert answer.code == 404


@pytest.mark.parametrize(
    ("path", "ancestors"), [("", "'none'"), ("page", "'self'"), ("state", "'none'")]
)
def test_other_sites_can_neither_frame_nor_load_it(spec: Path, path: str, ancestors: str) -> None:
    """Only the outer page of the preview frames the report."""
    with (
        served(spec) as preview,
        urlopen(preview.address + path, timeout=TIMEOUT) as answer,  # noqa: S310  # this machine
    ):
        assert answer.headers["Content-Security-Policy"] == f"frame-ancestors {ancestors}"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
