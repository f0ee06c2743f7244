"""Who is told how a run ended."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from reportgen.errors.spec_faults import MALFORMED
from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Line, Some, refusal

Occasion = Literal["failure", "gate_change", "recovery", "every_run"]


def _variable(name: str) -> str:
    if not (name.isidentifier() and name.isascii()):
        raise refusal(
            MALFORMED,
            "must be the name of an environment variable, not its content",
            'such as "SLACK_WEBHOOK": addresses with secrets do not belong into a spec',
        )
    return name


def _mailbox(address: str) -> str:
    name, at, host = address.rpartition("@")
    if not (name and at and host) or any(sign.isspace() or sign in '<>,;"' for sign in address):
        raise refusal(MALFORMED, "must be one mail address", 'such as "team@example.org"')
    return address


Variable = Annotated[Line, AfterValidator(_variable)]
Mailbox = Annotated[Line, AfterValidator(_mailbox)]


class Email(SpecModel):
    """A letter; the server comes from an environment variable."""

    to: Some[Mailbox] = Field(examples=[["team@example.org"]])
    """Who gets it."""

    sender: Mailbox = Field(examples=["reports@example.org"])
    """From whom it is."""

    server: Variable = Field(default="REPORTGEN_SMTP", examples=["REPORTGEN_SMTP"])
    """The environment variable that holds the server, such as smtps://user:password@host:465."""

    attach: bool = Field(default=False, examples=[True])
    """Whether the PDF goes with it, if there is one."""


class Notify(SpecModel):
    """One way of telling somebody: a letter, a webhook or a command."""

    on: Some[Occasion] = Field(
        default=("failure", "gate_change", "recovery"), examples=[["failure", "recovery"]]
    )
    """When: a run fails, a gate opens or closes, all is well again, or after every run."""

    email: Email | None = Field(
        default=None, examples=[{"to": ["team@example.org"], "sender": "reports@example.org"}]
    )
    """A letter."""

    webhook: Variable | None = Field(default=None, examples=["SLACK_WEBHOOK"])
    """The environment variable that holds the address of a webhook; it gets Slack's JSON."""

    command: Some[Line] | None = Field(default=None, examples=[["notify-send", "reportgen"]])
    """A program and its arguments, run without a shell; it gets the news as JSON on its input."""
