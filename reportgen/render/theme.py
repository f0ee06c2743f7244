"""The theme of a report: accent colour, logo, fonts, paper, number format, user templates."""

from __future__ import annotations

import base64
import warnings
import zlib
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, ParamSpec, TypeAlias, TypeVar

from reportgen.errors import Diagnostic, SpecError
from reportgen.errors.spec import INVALID_THEME_FILE
from reportgen.export.manifest import ThemeFile
from reportgen.render.resources import USER_STYLESHEET
from reportgen.render.svg_size import drawn_elements
from reportgen.spec.load import display_text, read_referenced_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from reportgen.spec import SpecFile
    from reportgen.spec.output import NumberLocale, PaperSize


# Contrast of colours (WCAG 2.2).

Rgb: TypeAlias = tuple[float, float, float]

# WCAG 2.2 requires 4.5 between text and background; a little more allows for rounding.
MIN_CONTRAST = 4.6
MIXING_STEPS = 50
# Up to here sRGB is linear.
SRGB_LINEAR_LIMIT = 0.04045
BLACK: Rgb = (0.0, 0.0, 0.0)
WHITE: Rgb = (255.0, 255.0, 255.0)


def ensure_contrast(colour: str, background: str, *, dark: bool = False) -> str:
    """Return the colour, darkened (lightened if `dark`) until its contrast suffices for text."""
    start, target, paper = (
        _parse_hex_colour(colour),
        WHITE if dark else BLACK,
        _parse_hex_colour(background),
    )
    candidates = (
        tuple(a + (b - a) * step / MIXING_STEPS for a, b in zip(start, target, strict=True))
        for step in range(MIXING_STEPS + 1)
    )
    accent = next(
        (
            candidate
            for candidate in candidates
            if _rgb_contrast_ratio(candidate, paper) >= MIN_CONTRAST
        ),
        target,
    )
    return "#" + "".join(f"{round(part):02x}" for part in accent)


def contrast_ratio(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, from 1 (equal) to 21 (black on white)."""
    return _rgb_contrast_ratio(_parse_hex_colour(first), _parse_hex_colour(second))


def _rgb_contrast_ratio(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    lighter, darker = sorted(
        (_relative_luminance(first), _relative_luminance(second)), reverse=True
    )
    return (lighter + 0.05) / (darker + 0.05)


def _relative_luminance(rgb: tuple[float, ...]) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    shares = (part / 255 for part in rgb)
    linear = [
        share / 12.92 if share <= SRGB_LINEAR_LIMIT else ((share + 0.055) / 1.055) ** 2.4
        for share in shares
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _parse_hex_colour(colour: str) -> Rgb:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return float(red), float(green), float(blue)


LoaderParams = ParamSpec("LoaderParams")
Loaded = TypeVar("Loaded")

# The stylesheets' --panel colours. An accent readable on them is readable on --paper too, which is
# lighter in the light scheme and darker in the dark one.
LIGHT_PANEL, DARK_PANEL = "#f3f7f9", "#19232a"
MAX_THEME_FILE_BYTES = 1_000_000
MAX_UNPACKED_FONT_BYTES = 30 << 20
MAX_PIXELS = 50_000_000
# Drawings have hundreds; a reader of SVG draws some thousands in a second.
MAX_DRAWN_ELEMENTS = 20_000
FONT_KEYS = {"font": (400, "normal"), "font_bold": (600, "normal"), "font_italic": (400, "italic")}
FONT_RULE = "body{font-family:Text,Inter,system-ui,sans-serif}"
# The first bytes of font files, and the format's name in CSS.
FONT_SIGNATURES = {
    b"\x00\x01\x00\x00": "truetype",
    b"true": "truetype",
    b"OTTO": "opentype",
    b"wOFF": "woff",
    b"wOF2": "woff2",
}
PAPER_RULES: dict[PaperSize, str] = {
    "a4": "",
    "letter": "@page{size:letter}@page landscape{size:letter landscape}",
}
IMAGE_SIGNATURES = {b"\x89PNG\r\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


@dataclass(frozen=True, slots=True)
class Theme:
    """Styles, fonts, logo, number format and templates of a report; by default the shipped."""

    screen_style: str = ""
    print_style: str = ""
    font_faces: str = ""
    logo: str | None = None
    number_locale: NumberLocale = "si"
    pdf_variant: str = "ua-1"
    template_folder: Path | None = None
    files: tuple[ThemeFile, ...] = ()


DEFAULT_THEME = Theme()


@dataclass(frozen=True, slots=True)
class _LoadedFile:
    """A file of the theme: its content, and the text embedded in the report."""

    path: str
    content: bytes
    embedded: str = ""

    def to_theme_file(self) -> ThemeFile:
        """Return the file's path and hash for the manifest."""
        return ThemeFile(self.path, sha256(self.content).hexdigest())

    def data_uri(self, media_type: str) -> str:
        """Return the file as a data URI, so that the report is self-contained."""
        return f"data:{media_type};base64,{base64.b64encode(self.content).decode('ascii')}"


@dataclass(frozen=True, slots=True)
class _IssueCollector:
    """Calls loaders and collects the diagnostics of all that fail."""

    spec_file: SpecFile
    diagnostics: list[tuple[int, Diagnostic]] = field(default_factory=list)

    def __call__(
        self,
        keys: tuple[str | int, ...],
        loader: Callable[LoaderParams, Loaded],
        *args: LoaderParams.args,
        **kwargs: LoaderParams.kwargs,
    ) -> Loaded | None:
        """Return what the loader returns, or None if it raises a SpecError."""
        try:
            return loader(*args, **kwargs)
        except SpecError as error:
            location = self.spec_file.locate(*keys)
            line = location.line if location and location.line else 0
            key_path = ".".join(map(str, keys))
            self.diagnostics.extend(
                # Without a spec file to quote, the message names the key.
                (
                    line,
                    diagnostic
                    if location
                    else replace(diagnostic, message=f"`{key_path}`: {diagnostic.message}"),
                )
                for diagnostic in error.diagnostics
            )
            return None

    def raise_collected(self) -> None:
        """Raise a SpecError with all diagnostics, in the order of the spec, if there are any."""
        if self.diagnostics:
            raise SpecError(
                *(
                    diagnostic
                    for _, diagnostic in sorted(self.diagnostics, key=lambda item: item[0])
                )
            )


def load_theme(spec_file: SpecFile) -> Theme:
    """Read the files of the theme; raise a SpecError with all problems found in them."""
    output, collect = spec_file.spec.output, _IssueCollector(spec_file)
    theme = output.theme
    fonts = [
        collect(("output", "theme", key), _load_font, spec_file, key, name)
        for key in FONT_KEYS
        if (name := getattr(theme, key))
    ]
    logo = collect(("output", "theme", "logo"), _load_logo, spec_file, theme.logo)
    templates = collect(("output", "templates"), _user_template_folder, spec_file)
    user_templates = collect(("output", "templates"), _load_user_templates, templates) or ()
    texts = [
        collect(("sections", index), _load_markdown_section, spec_file, index)
        for index, section in enumerate(spec_file.spec.sections)
        if section.kind == "text"
    ]
    collect.raise_collected()
    accent, user_style = _accent_rule(theme.accent, dark=False), _user_stylesheet(user_templates)
    return Theme(
        screen_style=_join_rules(
            accent, _accent_rule(theme.accent, dark=True), FONT_RULE if fonts else "", user_style
        ),
        print_style=_join_rules(accent, PAPER_RULES[theme.paper], user_style),
        font_faces="\n".join(font.embedded for font in fonts if font),
        logo=logo.embedded if logo else None,
        number_locale=theme.numbers,
        pdf_variant=output.pdf,
        template_folder=templates,
        files=tuple(
            file.to_theme_file() for file in (*fonts, logo, *user_templates, *texts) if file
        ),
    )


def _join_rules(*rules: str) -> str:
    return "\n".join(rule for rule in rules if rule)


def _accent_rule(accent: str | None, *, dark: bool) -> str:
    if accent is None:
        return ""
    colour = ensure_contrast(accent, DARK_PANEL if dark else LIGHT_PANEL, dark=dark)
    rule = f":root{{--accent:{colour}}}"
    return f"@media screen and (prefers-color-scheme:dark){{{rule}}}" if dark else rule


def _user_stylesheet(files: Sequence[_LoadedFile]) -> str:
    """Return the user's CSS rules, which cannot close the <style> element."""
    stylesheets = (file.content for file in files if file.path.endswith(f"/{USER_STYLESHEET}"))
    return "\n".join(_normalize_stylesheet(rules).replace("</", "<\\/") for rules in stylesheets)


def _normalize_stylesheet(content: bytes) -> str:
    """Return the text as browsers normalize it, because they compare its hash with the policy."""
    text = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\0", "\ufffd")


def _load_font(spec_file: SpecFile, key: str, path: str) -> _LoadedFile:
    font = _read_theme_file(spec_file, key, path)
    kinds = [kind for start, kind in FONT_SIGNATURES.items() if font.content.startswith(start)]
    if not kinds:
        raise _unusable_file_error(
            spec_file, key, f"`{font.path}` is no TTF, OTF, WOFF or WOFF2 font"
        )
    if _unpacked_font_size(font.content) > MAX_UNPACKED_FONT_BYTES:
        problem = f"`{font.path}` unpacks to more than {MAX_UNPACKED_FONT_BYTES >> 20} MiB"
        raise _unusable_file_error(spec_file, key, problem)
    weight, style = FONT_KEYS[key]
    face = (
        f'@font-face{{font-family:"Text";font-weight:{weight};font-style:{style};'
        f'src:url("{font.data_uri("font/" + kinds[0])}") format("{kinds[0]}")}}'
    )
    return replace(font, embedded=face)


def _unpacked_font_size(content: bytes) -> int:
    """Return the bytes that a WOFF or WOFF2 font unpacks to, counted up to a little over the limit.

    The sizes in its header are what the author of the font wrote there.
    """
    if content.startswith(b"wOFF"):
        return _woff_size(content)
    return _woff2_size(content) if content.startswith(b"wOF2") else len(content)


def _woff_size(content: bytes) -> int:
    """Return the sum of the unpacked tables (W3C, WOFF 1.0, section 5)."""
    size = 0
    for number in range(int.from_bytes(content[12:14])):
        entry = content[44 + 20 * number : 64 + 20 * number]
        start, packed = int.from_bytes(entry[4:8]), int.from_bytes(entry[8:12])
        with suppress(zlib.error):
            table = zlib.decompressobj().decompress(
                content[start : start + packed], MAX_UNPACKED_FONT_BYTES + 1
            )
            size += len(table)
        if size > MAX_UNPACKED_FONT_BYTES:
            break
    return size


def _woff2_size(content: bytes) -> int:
    """Return the size of the unpacked tables, which are one Brotli stream (W3C, WOFF 2.0)."""
    import brotli

    position = 48
    for _ in range(int.from_bytes(content[12:14])):
        flags = content[position] if position < len(content) else 0
        position += 1 if flags & 63 != 63 else 5  # noqa: PLR2004  # the index of any other tag
        # Only glyf and loca, tags 10 and 11, are transformed by default, which is version 0.
        is_transformed = (flags >> 6 != 3) if flags & 63 in {10, 11} else flags >> 6 != 0  # noqa: PLR2004
        for _ in range(1 + is_transformed):
            while position < len(content) and content[position] & 128:
                position += 1
            position += 1
    try:
        return len(
            brotli.Decompressor().process(
                content[position:], output_buffer_limit=MAX_UNPACKED_FONT_BYTES + 1
            )
        )
    except brotli.error:
        # WeasyPrint reports the damaged font.
        return 0


def _load_logo(spec_file: SpecFile, path: str | None) -> _LoadedFile | None:
    if path is None:
        return None
    logo = _read_theme_file(spec_file, "logo", path)
    kinds = [kind for start, kind in IMAGE_SIGNATURES.items() if logo.content.startswith(start)]
    if not kinds and b"<svg" in logo.content[:2000]:
        kinds = ["image/svg+xml"]
    if not kinds:
        raise _unusable_file_error(
            spec_file, "logo", f"`{logo.path}` is no SVG, PNG or JPEG picture"
        )
    if kinds[0] == "image/svg+xml":
        _check_drawing(spec_file, logo)
    elif (pixels := _pixel_count(logo.content)) > MAX_PIXELS:
        problem = f"`{logo.path}` has {pixels:,} pixels; a picture has at most {MAX_PIXELS:,}"
        raise _unusable_file_error(spec_file, "logo", problem)
    return replace(logo, embedded=logo.data_uri(kinds[0]))


def _check_drawing(spec_file: SpecFile, logo: _LoadedFile) -> None:
    """Raise if browsers and the PDF would draw a picture for minutes, or without end."""
    count = drawn_elements(logo.content, MAX_DRAWN_ELEMENTS)
    if count is None:
        problem = f"`{logo.path}` refers to itself, or contains another SVG picture"
        raise _unusable_file_error(spec_file, "logo", problem)
    if count > MAX_DRAWN_ELEMENTS:
        problem = f"`{logo.path}` has more than {MAX_DRAWN_ELEMENTS:,} elements that are drawn"
        raise _unusable_file_error(
            spec_file, "logo", problem, "simplify the drawing: `use` draws its elements again"
        )


def _pixel_count(content: bytes) -> int:
    """Return the number of pixels in the header of a picture; 0 if it is damaged."""
    from PIL import Image

    try:
        # A picture is opened without its pixels.
        with warnings.catch_warnings(), Image.open(BytesIO(content)) as picture:
            return picture.width * picture.height
    except Image.DecompressionBombError:
        return Image.MAX_IMAGE_PIXELS or MAX_PIXELS + 1
    except (OSError, ValueError, SyntaxError):
        # WeasyPrint reports the damaged picture.
        return 0


def _user_template_folder(spec_file: SpecFile) -> Path | None:
    """Return the folder of the user's templates, or None; raise a SpecError if it is missing."""
    name = spec_file.spec.output.templates
    if name is None:
        return None
    folder = spec_file.folder / name
    if not folder.is_dir():
        help_line = "make a folder, and in it a file with the name of a shipped template"
        location = spec_file.locate("output", "templates")
        raise SpecError(
            Diagnostic(INVALID_THEME_FILE, f"there is no folder `{name}`", location, help_line)
        )
    return folder


def _load_user_templates(folder: Path | None) -> tuple[_LoadedFile, ...]:
    if folder is None:
        return ()
    # It imports Jinja2, which JSON does not need.
    from reportgen.render.templates import list_user_templates

    return tuple(
        _LoadedFile(display_text(path.relative_to(folder.parent).as_posix()), path.read_bytes())
        for path in list_user_templates(folder)
    )


def _load_markdown_section(spec_file: SpecFile, index: int) -> _LoadedFile | None:
    """Return the Markdown file of a text section, if it has one; raise a SpecError if invalid."""
    from reportgen.report.markdown_section import parse_markdown_section, read_markdown_file

    parse_markdown_section(spec_file, index)
    name, content = spec_file.spec.sections[index].file, read_markdown_file(spec_file, index)
    return None if name is None or content is None else _LoadedFile(name, content)


def _read_theme_file(spec_file: SpecFile, key: str, path: str) -> _LoadedFile:
    content = read_referenced_file(spec_file, path, INVALID_THEME_FILE, "output", "theme", key)
    if len(content) > MAX_THEME_FILE_BYTES:
        problem = f"`{path}` has {len(content):,} bytes, which every report would contain"
        raise _unusable_file_error(
            spec_file, key, problem, f"use a file of at most {MAX_THEME_FILE_BYTES:,} bytes"
        )
    return _LoadedFile(path, content)


def _unusable_file_error(
    spec_file: SpecFile, key: str, message: str, help_line: str | None = None
) -> SpecError:
    return SpecError(
        Diagnostic(INVALID_THEME_FILE, message, spec_file.locate("output", "theme", key), help_line)
    )
