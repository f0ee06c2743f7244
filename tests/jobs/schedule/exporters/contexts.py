"""Contexts of exports, also of specs with odd names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.jobs.schedule.exporters import load_exporter

if TYPE_CHECKING:
    from reportgen.jobs.schedule.exporters.exporter import ExportContext, ExportedFile

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


RETRIES = ["--retries", "2", "--retry-after", "30s"]


def command_of(context: ExportContext, *more: str) -> list[str]:
    """Return the command that every scheduler of this machine must run."""
    spec, reports = str(context.scheduled_spec.path), str(context.working_dir / "my reports")
    return [*context.program, "build", "--output", reports, *more, "--", spec]


def exported(scheduler: str, context: ExportContext) -> tuple[ExportedFile, ...]:
    """Return the files of one spec for a scheduler."""
    return load_exporter(scheduler).export(context)
