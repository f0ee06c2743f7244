"""Readers of a report see its spec without whom it tells."""

from __future__ import annotations

import tomllib

import pytest

from reportgen.spec.source_map import REDACTION_COMMENT, UNREDACTABLE_COMMENT, redact_spec

REST = 'title = "A test"\n\n# Data of the team.\n[data]\nactual = "truth"\n'
NOTIFY = '[[notify]]\non = ["failure"]\ncommand = ["secret-program",\n  "secret"]\n'
MAIL = '[[ "notify" ]]\n[notify.email] # secret\nto = ["secret@example.org"]\nsender = "secret@x"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{REST}\n{NOTIFY}", f"{REST}\n{REDACTION_COMMENT}"),
        (f"{REST}\n{NOTIFY}\n{MAIL}", f"{REST}\n{REDACTION_COMMENT}"),
        (
            f"{NOTIFY}{REST[18:]}",
            f"{REDACTION_COMMENT}{REST[18:].lstrip()}".replace("# Data of the team.\n", ""),
        ),
        (f"{REST}# Tell secret people.\n# Or not.\n{NOTIFY}", f"{REST}{REDACTION_COMMENT}"),
        (f"{REST}{NOTIFY}# More secrets", f"{REST}{REDACTION_COMMENT}"),
        (f'notify = [{{ webhook = "SECRET" }}] # secret\n{REST}', f"{REDACTION_COMMENT}{REST}"),
        (
            f"{NOTIFY}[output]\nx = 1\n{MAIL}",
            f"{REDACTION_COMMENT}[output]\nx = 1\n{REDACTION_COMMENT}",
        ),
        (f'notify2 = "[[notify]]"\n{REST}', f'notify2 = "[[notify]]"\n{REST}'),
    ],
)
def test_recipients_of_a_spec_are_cut_out(text: str, expected: str) -> None:
    """With the comments around it; all else stays as it is written."""
    redacted = redact_spec(text)

    assert redacted == expected
    assert "secret" not in redacted.lower()
    parsed = tomllib.loads(text)
    parsed.pop("notify", None)
    assert tomllib.loads(redacted) == parsed


def test_a_spec_that_cannot_be_cut_is_not_shown() -> None:
    """Blanks after a backslash at the end of a line are TOML, but not for every parser."""
    text = 'title = "A test"\n[[notify]]\ncommand = ["""\\  \n  secret"""]\n'

    assert tomllib.loads(text)["notify"] == [{"command": ["secret"]}]
    assert redact_spec(text) == UNREDACTABLE_COMMENT
