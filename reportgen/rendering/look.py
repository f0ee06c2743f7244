"""How a report looks, beyond what is shipped: colour, logo, fonts, paper, own templates."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen.errors import Fault, SpecError, did_you_mean_file
from reportgen.errors.spec_faults import UNUSABLE_FILE
from reportgen.rendering.colours import readable
from reportgen.rendering.own_templates import OWN_STYLE, own_files, own_folder
from reportgen.report.own_text import own_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from reportgen.spec import SpecFile
    from reportgen.spec.theme import NumberStyle, Paper

LIGHT_PAPER, DARK_PAPER = "#f3f7f9", "#19232a"
MOST_BYTES = 1_000_000
FONT_KEYS = {"font": (400, "normal"), "font_bold": (600, "normal"), "font_italic": (400, "italic")}
# By how a file begins: what it is called in CSS or in a data address.
FONTS = {
    b"\x00\x01\x00\x00": "truetype",
    b"true": "truetype",
    b"OTTO": "opentype",
    b"wOFF": "woff",
    b"wOF2": "woff2",
}
PAPERS: dict[Paper, str] = {
    "a4": "",
    "letter": "@page{size:letter}@page landscape{size:letter landscape}",
}
PICTURES = {b"\x89PNG\r\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


@dataclass(frozen=True, slots=True)
class LookFile:
    """A file that a report's look was made from."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Look:
    """What a report looks like; by default as it is shipped."""

    screen_style: str = ""
    print_style: str = ""
    font_faces: str = ""
    logo: str | None = None
    numbers: NumberStyle = "si"
    pdf: str = "ua-1"
    templates: Path | None = None
    files: tuple[LookFile, ...] = ()


SHIPPED = Look()


@dataclass(frozen=True, slots=True)
class _Found:
    """A file of the look with its content."""

    path: str
    content: bytes

    def listed(self) -> LookFile:
        """Return the file as the manifest names it."""
        return LookFile(self.path, sha256(self.content).hexdigest())

    def address(self, kind: str) -> str:
        """Return the whole file as an address, so that the report needs no other file."""
        return f"data:{kind};base64,{base64.b64encode(self.content).decode('ascii')}"


def read_look(spec_file: SpecFile) -> Look:
    """Read everything the spec names for the look, or raise what is wrong with it."""
    output = spec_file.spec.output
    theme = output.theme
    fonts = {
        key: _read(spec_file, key, named) for key in FONT_KEYS if (named := getattr(theme, key))
    }
    logo = _read(spec_file, "logo", theme.logo) if theme.logo else None
    templates = own_folder(spec_file)
    own = _own_templates(templates)
    accent, own_style = _accent_rule(theme.accent, dark=False), _own_style(own)
    return Look(
        screen_style=_rules(
            accent, _accent_rule(theme.accent, dark=True), _font_rule(fonts), own_style
        ),
        print_style=_rules(accent, PAPERS[theme.paper], own_style),
        font_faces="\n".join(_font_face(spec_file, key, font) for key, font in fonts.items()),
        logo=_picture(spec_file, logo) if logo else None,
        numbers=theme.numbers,
        pdf=output.pdf,
        templates=templates,
        files=tuple(
            found.listed()
            for found in (*fonts.values(), *filter(None, [logo]), *own, *_own_texts(spec_file))
        ),
    )


def _rules(*rules: str) -> str:
    return "\n".join(rule for rule in rules if rule)


def _accent_rule(accent: str | None, *, dark: bool) -> str:
    if accent is None:
        return ""
    rule = f":root{{--accent:{readable(accent, DARK_PAPER if dark else LIGHT_PAPER, dark=dark)}}}"
    return f"@media screen and (prefers-color-scheme:dark){{{rule}}}" if dark else rule


def _font_rule(fonts: Mapping[str, _Found]) -> str:
    return "body{font-family:Text,system-ui,sans-serif}" if fonts else ""


def _own_style(own: tuple[_Found, ...]) -> str:
    """Return the user's own rules, which cannot end the element they stand in."""
    found = (file.content for file in own if file.path.endswith(f"/{OWN_STYLE}"))
    return "\n".join(rules.decode("utf-8", "replace").replace("</", "<\\/") for rules in found)


def _font_face(spec_file: SpecFile, key: str, font: _Found) -> str:
    kinds = [kind for start, kind in FONTS.items() if font.content.startswith(start)]
    if not kinds:
        raise _unusable(spec_file, key, f"`{font.path}` is no TTF, OTF, WOFF or WOFF2 font")
    weight, style = FONT_KEYS[key]
    return (
        f'@font-face{{font-family:"Text";font-weight:{weight};font-style:{style};'
        f'src:url("{font.address("font/" + kinds[0])}") format("{kinds[0]}")}}'
    )


def _picture(spec_file: SpecFile, logo: _Found) -> str:
    kinds = [kind for start, kind in PICTURES.items() if logo.content.startswith(start)]
    if not kinds and b"<svg" in logo.content[:2000]:
        kinds = ["image/svg+xml"]
    if not kinds:
        raise _unusable(spec_file, "logo", f"`{logo.path}` is no SVG, PNG or JPEG picture")
    return logo.address(kinds[0])


def _own_templates(folder: Path | None) -> tuple[_Found, ...]:
    if folder is None:
        return ()
    return tuple(
        _Found(path.relative_to(folder.parent).as_posix(), path.read_bytes())
        for path in own_files(folder)
    )


def _own_texts(spec_file: SpecFile) -> Iterator[_Found]:
    for at, section in enumerate(spec_file.spec.sections):
        if section.file is not None:
            yield _Found(section.file, own_text(spec_file, at).encode())


def _read(spec_file: SpecFile, key: str, named: str) -> _Found:
    path = spec_file.folder / named
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        beside = (other.name for other in path.parent.glob("*"))
        found = f"the file `{named}` does not exist"
        raise _unusable(spec_file, key, found, did_you_mean_file(path.name, beside)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _unusable(spec_file, key, f"`{named}` cannot be read: {reason}") from None
    if len(content) > MOST_BYTES:
        found = f"`{named}` has {len(content):,} bytes, and every report would carry them"
        raise _unusable(spec_file, key, found, f"take one of at most {MOST_BYTES:,} bytes")
    return _Found(named, content)


def _unusable(spec_file: SpecFile, key: str, found: str, help_line: str | None = None) -> SpecError:
    return SpecError(
        Fault(UNUSABLE_FILE, found, spec_file.place("output", "theme", key), help_line)
    )
