"""Control characters in exported text: terminals and editors obey them, wherever they come from."""

from __future__ import annotations

import json
import re

# C0 and C1 controls, marks of direction, and characters without a width. Joiners are part of the
# orthography of some scripts.
_FORMATTING = (
    "\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0001-\U000e007f"
)
_IN_JSON = re.compile(f"[{_FORMATTING}]")
# Line breaks and tabs are text of a cell in quotes.
IN_CELL = f"[\x00-\x08\x0b-\x1f{_FORMATTING}]"
_IN_CELL = re.compile(IN_CELL)


def escape_in_json(text: str) -> str:
    """Return a JSON text with control characters as escape sequences, which mean the same."""
    return _IN_JSON.sub(lambda match: json.dumps(match[0])[1:-1], text)


def spell_code_points(text: str) -> str:
    """Return the text of a cell with control characters as code points, as in reports."""
    return _IN_CELL.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)
