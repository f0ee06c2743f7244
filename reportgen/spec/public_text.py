"""The text of a spec as readers of its report see it: without whom it tells."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

from reportgen.spec.positions import top_level_stretches

if TYPE_CHECKING:
    from collections.abc import Iterator

# Addresses, commands and names of variables: nothing for the readers of a report.
LEFT_OUT = "notify"
MARK = f"# [[{LEFT_OUT}]] is left out here.\n"
NOT_SHOWN = f"# The spec is not shown: [[{LEFT_OUT}]] could not be cut out of it.\n"
_COMMENT_LINES = re.compile(rb"(?:^[ \t]*#[^\n]*\n)+\Z", re.MULTILINE)


def public_text(text: str) -> str:
    """Return a spec without `[[notify]]` and the comments before, in and after it."""
    # A comment that the file ends with is one to the parser only if its line ends, too.
    whole = text if text.endswith("\n") else f"{text}\n"
    cut = b"".join(_kept(whole.encode())).decode()
    # The places come from another parser than the values; what it does not understand is not shown.
    return cut if _values(cut) == _values(text, without=LEFT_OUT) else NOT_SHOWN


def _kept(content: bytes) -> Iterator[bytes]:
    done, is_marked = 0, False
    for key, start, end in top_level_stretches(content):
        if key != LEFT_OUT:
            continue
        before = _COMMENT_LINES.sub(b"", content[done:start])
        if before.strip() or not is_marked:
            yield before
            yield MARK.encode()
        is_marked, done = True, end
    yield content[done:]


def _values(text: str, without: str | None = None) -> dict[str, object]:
    # As text, because a number that is none is unlike itself.
    values = tomllib.loads(text, parse_float=str)
    return {key: value for key, value in values.items() if key != without}
