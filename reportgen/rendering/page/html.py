"""A report as one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING

from markupsafe import Markup

from reportgen.measures import interval_in_words
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
    is_numbered,
    is_short,
    needs_landscape,
    shortened,
    stays_together,
)
from reportgen.rendering.footnotes import DIRECTIONS, footnotes_of
from reportgen.rendering.numbers import heat_level, percent_text, range_text
from reportgen.rendering.page.contents import contents_of
from reportgen.rendering.page.fragments import Fragments
from reportgen.rendering.page.look import SHIPPED
from reportgen.rendering.page.own_templates import template_error
from reportgen.rendering.page.script import (
    explorer_json,
    is_sortable,
    page_script,
    place_of_explorer,
    sort_value,
)
from reportgen.rendering.page.templates import sandbox, shipped_environment
from reportgen.rendering.shipped import shipped_text
from reportgen.rendering.sizes import is_brief
from reportgen.rendering.texts import cell_text
from reportgen.report.document import Chapter

if TYPE_CHECKING:
    from reportgen.rendering.page.look import Look
    from reportgen.report.document import Block, Report

NOT_IN_ANCHORS = re.compile(r"[^a-z0-9]+")


def block_kind(block: Block) -> str:
    """Return the name of the template in blocks/ that writes a block."""
    return type(block).__name__.lower()


# What templates ask of a report, beyond its own fields.
READINGS = {
    "auxiliaries_of": auxiliaries_of,
    "block_kind": block_kind,
    "cell_text": cell_text,
    "class_heads": class_heads,
    "contents_of": contents_of,
    "directions": DIRECTIONS,
    "drawing": drawing,
    "fit_of": fit_of,
    "footnotes_of": footnotes_of,
    "formulas_of": formulas_of,
    "is_brief": is_brief,
    "heat_level": heat_level,
    "interval_in_words": interval_in_words,
    "is_numbered": is_numbered,
    "is_short": is_short,
    "is_sortable": is_sortable,
    "needs_landscape": needs_landscape,
    "percent_text": percent_text,
    "quantities_of": quantities_of,
    "range_text": range_text,
    "references_of": references_of,
    "sort_value": sort_value,
    "stays_together": stays_together,
    "without_value": without_value,
}


def render_html(report: Report, look: Look = SHIPPED) -> str:
    """Return the report as a page for any browser."""
    shipped = shipped_text("style.css", "screen.css", "explorer.css")
    style = f"{look.font_faces}\n{shipped}\n{look.screen_style}"
    fragments = Fragments(defined=defined_measures(report))
    return page(shortened(report), fragments, style, look)


def page(
    report: Report, fragments: Fragments, style: str, look: Look = SHIPPED, created: str = ""
) -> str:
    """Fill the template: for a browser, or (without a script) for the PDF."""
    script = "" if fragments.for_pdf else page_script()
    data = explorer_json(report.explorer) if script and report.explorer else ""
    environment = sandbox(look.templates) if look.templates else shipped_environment()
    template = environment.get_template("report.html.j2")
    try:
        return template.render(
            report=report,
            show=fragments,
            style=Markup(style),  # noqa: S704  # the stylesheets, shipped and the user's own
            script=Markup(script),  # noqa: S704  # the shipped scripts
            explorer_data=Markup(data),  # noqa: S704  # JSON without any "<"
            explorer_after=place_of_explorer(report),
            policy=content_policy(style, script),
            logo=look.logo,
            created=created,
            anchors=section_anchors(report),
            answer_length=answer_length(report),
            **READINGS,
        )
    except Exception as error:
        if look.templates is None:
            raise
        # Whatever a template of one's own does wrong is said with its file and line.
        raise template_error(error, look.templates) from error


def content_policy(style: str, script: str = "") -> str:
    """Return the policy that lets a browser use nothing but the page's own style and script."""
    scripts = f" script-src {_hash_source(script)};" if script else ""
    return (
        f"default-src 'none'; style-src {_hash_source(style)};{scripts} img-src data:;"
        " font-src data:;"
        " base-uri 'none'; form-action 'none'"
    )


def _hash_source(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def answer_length(report: Report) -> int:
    """Return how many sections the report begins with that give the answer."""
    chapters = [section.chapter for section in report.sections]
    return next(
        (at for at, chapter in enumerate(chapters) if chapter is not Chapter.ANSWER), len(chapters)
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
