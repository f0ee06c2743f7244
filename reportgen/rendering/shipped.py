"""Templates, stylesheets and fonts as they are shipped."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1]
SUFFIX = ".html.j2"
# What the addresses of shipped fonts begin with.
FONT_SCHEME = "shipped"
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


def font_faces() -> str:
    """Return the shipped fonts as CSS that fetches them by name."""
    return "\n".join(
        f'@font-face{{font-family:"Inter";font-weight:{weight};font-style:{style};'
        f'src:url("{FONT_SCHEME}:{name}") format("woff2")}}'
        for name, weight, style in FACES
    )


def shipped_font(name: str) -> bytes:
    """Return one of the shipped fonts."""
    known = {face: template_folder() / "fonts" / face for face, _weight, _style in FACES}
    return known[name].read_bytes()
