"""A notice names a way to somebody."""

from collections.abc import Iterator

from reportgen.errors.spec_faults import NEEDS_OTHER_KEY
from reportgen.spec.draft import Draft
from reportgen.spec.findings import Aim, Finding

WAYS = ("email", "webhook", "command")


def notify_findings(draft: Draft) -> Iterator[Finding]:
    """Yield notices that would reach nobody."""
    for path, notice in draft.tables("notify"):
        if not any(way in notice for way in WAYS):
            message = "a notice needs a way to somebody"
            help_line = 'add `email`, `webhook` or `command`, as in webhook = "SLACK_WEBHOOK"'
            yield Finding(NEEDS_OTHER_KEY, message, (*path, "on"), help_line, Aim.TABLE)
