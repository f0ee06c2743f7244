"""A report as one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING

from markupsafe import Markup

from reportgen.measures import interval_in_words
from reportgen.rendering import numbers
from reportgen.rendering.explained import (
    auxiliaries_of,
    defined_measures,
    formulas_of,
    quantities_of,
    references_of,
    without_value,
)
from reportgen.rendering.figures import drawing
from reportgen.rendering.fitting import (
    class_heads,
    fit_of,
    is_dense,
    is_numbered,
    is_short,
    is_tall,
    needs_landscape,
    shortened,
    stays_together,
)
from reportgen.rendering.footnotes import DIRECTIONS, footnotes_of
from reportgen.rendering.fragments import Fragments
from reportgen.rendering.sizes import is_brief
from reportgen.rendering.templates import environment, stylesheet

if TYPE_CHECKING:
    from reportgen.report.document import Block, Report

NOT_IN_ANCHORS = re.compile(r"[^a-z0-9]+")


def block_kind(block: Block) -> str:
    """Return the name of the macro that writes a block."""
    return type(block).__name__.lower()


# What templates ask of a report, beyond its own fields.
READINGS = {
    "auxiliaries_of": auxiliaries_of,
    "block_kind": block_kind,
    "class_heads": class_heads,
    "directions": DIRECTIONS,
    "drawing": drawing,
    "fit_of": fit_of,
    "footnotes_of": footnotes_of,
    "formulas_of": formulas_of,
    "is_brief": is_brief,
    "interval_in_words": interval_in_words,
    "is_dense": is_dense,
    "is_numbered": is_numbered,
    "is_short": is_short,
    "is_tall": is_tall,
    "needs_landscape": needs_landscape,
    "numbers": numbers,
    "quantities_of": quantities_of,
    "references_of": references_of,
    "stays_together": stays_together,
    "without_value": without_value,
}


def render_html(report: Report) -> str:
    """Return the report as a page for any browser."""
    style = stylesheet("style.css", "screen.css")
    fragments = Fragments(defined=defined_measures(report))
    return page(shortened(report), fragments, style)


def page(report: Report, fragments: Fragments, style: str, created: str = "") -> str:
    """Fill the template: for a browser, or for the PDF."""
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            show=fragments,
            style=Markup(style),  # noqa: S704  # the shipped stylesheets
            policy=content_policy(style),
            created=created,
            anchors=section_anchors(report),
            **READINGS,
        )
    )


def content_policy(style: str) -> str:
    """Return the policy that lets a browser load nothing but the page's own style."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )


def section_anchors(report: Report) -> list[str]:
    """Return an anchor for each section, unlike all others."""
    kinds = [
        NOT_IN_ANCHORS.sub("-", section.kind.lower()).strip("-") for section in report.sections
    ]
    return [
        kind if kinds.count(kind) == 1 else f"{kind}-{kinds[:at].count(kind) + 1}"
        for at, kind in enumerate(kinds)
    ]
