"""The shipped templates, stylesheets and fonts."""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path

PACKAGE_FOLDER = Path(__file__).parents[1]
TEMPLATE_SUFFIX = ".html.j2"
USER_STYLESHEET = "theme.css"
# The URL scheme of the shipped fonts.
FONT_SCHEME = "shipped"
FONT_FACES = (
    ("Inter-Regular.woff2", 400, "normal"),
    ("Inter-Italic.woff2", 400, "italic"),
    ("Inter-SemiBold.woff2", 600, "normal"),
)
# The font of listings in the PDF; the page uses a monospaced font of the reader.
CODE_FONT = "DejaVuSansMono.woff2"


def template_folder() -> Path:
    """Return the folder of templates: inside the installed package, or next to it in a checkout."""
    installed = PACKAGE_FOLDER / "templates"
    return installed if installed.is_dir() else PACKAGE_FOLDER.parent / "templates"


def read_resources(*names: str) -> str:
    """Return shipped text files, such as stylesheets, concatenated."""
    folder = template_folder()
    return "\n".join((folder / name).read_text("utf-8").strip() for name in names)


def font_face_rules() -> str:
    """Return the CSS @font-face rules of the shipped fonts."""
    return "\n".join(
        f'@font-face{{font-family:"{family}";font-weight:{weight};font-style:{style};'
        f'src:url("{FONT_SCHEME}:{name}") format("woff2")}}'
        for family, name, weight, style in (
            *(("Inter", *face) for face in FONT_FACES),
            ("Code", CODE_FONT, 400, "normal"),
        )
    )


@cache
def page_font_rules() -> str:
    """Return the CSS @font-face rules of the page, with a small selection of characters."""
    folder = template_folder() / "fonts" / "page"
    return "\n".join(
        f'@font-face{{font-family:"Inter";font-weight:{weight};font-display:swap;'
        f'src:url("data:font/woff2;base64,{_encode(folder / name)}") format("woff2")}}'
        for name, weight, style in FONT_FACES
        if style == "normal"
    )


def _encode(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode("ascii")


def read_font(name: str) -> bytes:
    """Return the content of a shipped font file."""
    names = (CODE_FONT, *(face for face, _weight, _style in FONT_FACES))
    paths = {face: template_folder() / "fonts" / face for face in names}
    return paths[name].read_bytes()
