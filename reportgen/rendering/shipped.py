"""Templates, stylesheets and fonts as they are shipped."""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
SUFFIX = ".html.j2"
FACES = (
    ("Inter-Regular.woff2", 400, "normal"),
    ("Inter-Italic.woff2", 400, "italic"),
    ("Inter-SemiBold.woff2", 600, "normal"),
)


def template_folder() -> Path:
    """Return the folder of templates: inside the installed package, or beside it in a checkout."""
    installed = PACKAGE / "templates"
    return installed if installed.is_dir() else PACKAGE.parent / "templates"


def shipped_text(*names: str) -> str:
    """Return shipped texts, such as stylesheets, one after the other."""
    folder = template_folder()
    return "\n".join((folder / name).read_text("utf-8").strip() for name in names)


@cache
def font_faces() -> str:
    """Return the shipped fonts as CSS that needs no other file."""
    return "\n".join(_font_face(*face) for face in FACES)


def _font_face(name: str, weight: int, style: str) -> str:
    content = base64.b64encode((template_folder() / "fonts" / name).read_bytes()).decode("ascii")
    return (
        f'@font-face{{font-family:"Inter";font-weight:{weight};font-style:{style};'
        f'src:url("data:font/woff2;base64,{content}") format("woff2")}}'
    )
