"""Orders for units, also of specs with odd names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.jobs.schedule.exporters.context import ExportContext

ALL = 'retries = 2\nretry_after = 30\njitter = 60\ntimezone = "Europe/Berlin"\n'
LOOKS_BACK = """
[[gates]]
classifier = "A"
measure = "accuracy"
not_worse_than_last = "run"
margin = 0.05
"""
WHEEL = "vendor/reportgen_eval-0.1.0-py3-none-any.whl"
WEBHOOK = '[[notify]]\nwebhook = "SLACK_WEBHOOK"\n'
ODD_NAMES = [
    "two words",
    "it's",
    'say "hi"',
    "50% off",
    "$HOME",
    "$(touch hacked)",
    "${{ secrets.KEY }}",
    "`touch hacked`",
    "back\\slash",
    "back\\%slash",
    "-o",
    "#1 & more; *",
    "größe",
    "{braces} %h %%",
]


def command_of(order: ExportContext) -> list[str]:
    """Return what has to come out of every unit that is for this machine."""
    spec, reports = str(order.scheduled_spec.path), str(order.working_dir / "my reports")
    return [*order.program, "build", "--output", reports, "--", spec]
