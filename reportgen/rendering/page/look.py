"""How a report looks, beyond what is shipped: colour, logo, fonts, paper, own templates."""

from __future__ import annotations

import base64
from dataclasses import field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from reportgen.errors import Fault, SpecError
from reportgen.errors.spec_faults import UNUSABLE_FILE
from reportgen.frozen import frozen
from reportgen.rendering.page.colours import readable
from reportgen.rendering.page.own_templates import OWN_STYLE, own_files, own_folder
from reportgen.spec.named_files import named_content

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from reportgen.spec import SpecFile
    from reportgen.spec.theme import NumberStyle, Paper

P = ParamSpec("P")
T = TypeVar("T")

# What the stylesheets call --panel: an accent that can be read on it can be on their --paper too,
# which is lighter where text is dark, and darker where it is light.
LIGHT_PANEL, DARK_PANEL = "#f3f7f9", "#19232a"
MOST_BYTES = 1_000_000
FONT_KEYS = {"font": (400, "normal"), "font_bold": (600, "normal"), "font_italic": (400, "italic")}
FONT_RULE = "body{font-family:Text,system-ui,sans-serif}"
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


@frozen
class LookFile:
    """A file that a report's look was made from."""

    path: str
    sha256: str


@frozen
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


@frozen
class _Found:
    """A file of the look with its content, and (used) what the report has of it."""

    path: str
    content: bytes
    used: str = ""

    def listed(self) -> LookFile:
        """Return the file as the manifest names it."""
        return LookFile(self.path, sha256(self.content).hexdigest())

    def address(self, kind: str) -> str:
        """Return the whole file as an address, so that the report needs no other file."""
        return f"data:{kind};base64,{base64.b64encode(self.content).decode('ascii')}"


@frozen
class _Attempts:
    """Reads one thing after the other, and keeps what is wrong with any of them."""

    spec_file: SpecFile
    faults: list[tuple[int, Fault]] = field(default_factory=list)

    def __call__(
        self, keys: tuple[str | int, ...], read: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T | None:
        """Return what the keys of the spec name, or None if it cannot be used."""
        try:
            return read(*args, **kwargs)
        except SpecError as error:
            place = self.spec_file.place(*keys)
            line = place.line if place and place.line else 0
            told = ".".join(map(str, keys))
            self.faults.extend(
                # Where there is no file to show, the key says what the fault is about.
                (line, fault if place else replace(fault, message=f"`{told}`: {fault.message}"))
                for fault in error.faults
            )
            return None

    def finish(self) -> None:
        """Raise all that was wrong, in the order of the spec."""
        if self.faults:
            raise SpecError(*(fault for _, fault in sorted(self.faults, key=lambda each: each[0])))


def read_look(spec_file: SpecFile) -> Look:
    """Read everything the spec names for the look, or raise all that is wrong with it."""
    output, attempt = spec_file.spec.output, _Attempts(spec_file)
    theme = output.theme
    fonts = [
        attempt(("output", "theme", key), _font, spec_file, key, named)
        for key in FONT_KEYS
        if (named := getattr(theme, key))
    ]
    logo = attempt(("output", "theme", "logo"), _picture, spec_file, theme.logo)
    templates = attempt(("output", "templates"), own_folder, spec_file)
    own = attempt(("output", "templates"), _own_templates, templates) or ()
    texts = [
        attempt(("sections", at), _own_text, spec_file, at)
        for at, section in enumerate(spec_file.spec.sections)
        if section.kind == "text"
    ]
    attempt.finish()
    accent, own_style = _accent_rule(theme.accent, dark=False), _own_style(own)
    return Look(
        screen_style=_rules(
            accent, _accent_rule(theme.accent, dark=True), FONT_RULE if fonts else "", own_style
        ),
        print_style=_rules(accent, PAPERS[theme.paper], own_style),
        font_faces="\n".join(font.used for font in fonts if font),
        logo=logo.used if logo else None,
        numbers=theme.numbers,
        pdf=output.pdf,
        templates=templates,
        files=tuple(found.listed() for found in (*fonts, logo, *own, *texts) if found),
    )


def _rules(*rules: str) -> str:
    return "\n".join(rule for rule in rules if rule)


def _accent_rule(accent: str | None, *, dark: bool) -> str:
    if accent is None:
        return ""
    rule = f":root{{--accent:{readable(accent, DARK_PANEL if dark else LIGHT_PANEL, dark=dark)}}}"
    return f"@media screen and (prefers-color-scheme:dark){{{rule}}}" if dark else rule


def _own_style(own: Sequence[_Found]) -> str:
    """Return the user's own rules, which cannot end the element they stand in."""
    found = (file.content for file in own if file.path.endswith(f"/{OWN_STYLE}"))
    return "\n".join(_as_browsers_read(rules).replace("</", "<\\/") for rules in found)


def _as_browsers_read(content: bytes) -> str:
    """Return a text as a browser has it after reading, because it compares the hash of that."""
    text = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\0", "\ufffd")


def _font(spec_file: SpecFile, key: str, named: str) -> _Found:
    font = _read(spec_file, key, named)
    kinds = [kind for start, kind in FONTS.items() if font.content.startswith(start)]
    if not kinds:
        raise _unusable(spec_file, key, f"`{font.path}` is no TTF, OTF, WOFF or WOFF2 font")
    weight, style = FONT_KEYS[key]
    face = (
        f'@font-face{{font-family:"Text";font-weight:{weight};font-style:{style};'
        f'src:url("{font.address("font/" + kinds[0])}") format("{kinds[0]}")}}'
    )
    return replace(font, used=face)


def _picture(spec_file: SpecFile, named: str | None) -> _Found | None:
    if named is None:
        return None
    logo = _read(spec_file, "logo", named)
    kinds = [kind for start, kind in PICTURES.items() if logo.content.startswith(start)]
    if not kinds and b"<svg" in logo.content[:2000]:
        kinds = ["image/svg+xml"]
    if not kinds:
        raise _unusable(spec_file, "logo", f"`{logo.path}` is no SVG, PNG or JPEG picture")
    return replace(logo, used=logo.address(kinds[0]))


def _own_templates(folder: Path | None) -> tuple[_Found, ...]:
    if folder is None:
        return ()
    return tuple(
        _Found(path.relative_to(folder.parent).as_posix(), path.read_bytes())
        for path in own_files(folder)
    )


def _own_text(spec_file: SpecFile, at: int) -> _Found | None:
    """Return the file of a section's words; words that cannot be shown are a fault already now."""
    from reportgen.report.own_text import own_blocks, own_file

    own_blocks(spec_file, at)
    named, content = spec_file.spec.sections[at].file, own_file(spec_file, at)
    return None if named is None or content is None else _Found(named, content)


def _read(spec_file: SpecFile, key: str, named: str) -> _Found:
    content = named_content(spec_file, named, UNUSABLE_FILE, "output", "theme", key)
    if len(content) > MOST_BYTES:
        found = f"`{named}` has {len(content):,} bytes, and every report would carry them"
        raise _unusable(spec_file, key, found, f"take one of at most {MOST_BYTES:,} bytes")
    return _Found(named, content)


def _unusable(spec_file: SpecFile, key: str, found: str, help_line: str | None = None) -> SpecError:
    return SpecError(
        Fault(UNUSABLE_FILE, found, spec_file.place("output", "theme", key), help_line)
    )
