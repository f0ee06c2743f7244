"""Build the documentation site into build/site: pages, gallery of reports, search, checked links.

The generator works on a copy of docs/ in build/site-source, because links of docs/ lead to files of
the repository as well, whose public address is not known: such files become part of the site.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BUILD = ROOT / "build"
# Pages of the site that are files of the repository outside of docs/.
PAGES = {
    name: page
    for name, page in {
        "CHANGELOG.md": "changelog.md",
        "CONTRIBUTING.md": "contributing.md",
        "SECURITY.md": "security-policy.md",
    }.items()
    if (ROOT / name).is_file()
}
HOME = {"README.md": "index.md"}
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s#:]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)\s*$", re.DOTALL | re.MULTILINE)
PICTURE_WIDTH = 460


def copy_pages(target: Path) -> None:
    """Copy the pages, with links to the rest of the repository led to copies of its files."""
    shutil.copytree(DOCS, target)
    for name, copy in PAGES.items():
        shutil.copy(ROOT / name, target / copy)
    for page in target.rglob("*.md"):
        relative = page.relative_to(target).as_posix()
        original = next((ROOT / name for name, copy in PAGES.items() if copy == relative), None)
        source = original or DOCS / relative
        page.write_text(lead_links(page.read_text("utf-8"), source, target), encoding="utf-8")


def lead_links(text: str, source: Path, target: Path) -> str:
    """Return the text of a page with links that stay within the site; code is left as it is."""
    place = (target / site_path(source)).parent

    def lead(match: re.Match[str]) -> str:
        start, link, anchor = match[1], match[2], match[3] or ""
        linked = (source.parent / unquote(link)).resolve()
        if not linked.is_file() or not linked.is_relative_to(ROOT):
            return match[0]
        copy = target / site_path(linked)
        if not copy.exists() and linked.suffix != ".md":
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(linked, copy)
        return f"{start}{os.path.relpath(copy, place).replace(os.sep, '/')}{anchor})"

    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [LINK.sub(lead, text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, LINK.sub(lead, text[end:])])


def complete_navigation(settings: str, docs: Path) -> str:
    """Return the settings of the site with an entry for every page that has none.

    Such pages come before the decision records, which are reached from their index.
    """
    listed = set(re.findall(r'= "([\w./-]+\.md)"', settings))
    pages = sorted(page.relative_to(docs).as_posix() for page in docs.rglob("*.md"))
    entries = [
        f'    {{ "{page_title(docs / page)}" = "{page}" }},\n'
        for page in pages
        if page not in listed and not re.match(r"adr/\d", page)
    ]
    start = settings.index('    { "Decision records"')
    return "".join([settings[:start], *entries, settings[start:]])


def page_title(page: Path) -> str:
    """Return the first heading of a page."""
    heading = re.search(r"^# (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return (heading[1] if heading else page.stem).replace("`", "").replace('"', "'")


def site_path(file: Path) -> str:
    """Return the path within the site of a file of the repository."""
    if file.is_relative_to(DOCS):
        return file.relative_to(DOCS).as_posix()
    name = file.relative_to(ROOT).as_posix()
    return (PAGES | HOME).get(name, f"files/{name}")


def add_gallery(target: Path, specs: list[Path]) -> None:
    """Build the reports of the specs, and write the page that shows them."""
    if shutil.which("pdftoppm") is None:
        sys.exit("build_site: no pdftoppm for the pictures of reports; `make browser` installs it")
    reports = target / "reports"
    command = [sys.executable, "-m", "reportgen", "build", *map(str, specs), "--no-history"]
    options = ["--output", str(reports), "--format", "html,pdf,json", "--exit-zero"]
    subprocess.run([*command, *options], check=True)  # noqa: S603  # our own
    entries = []
    for spec in specs:
        folder = reports / spec.stem
        picture = ["pdftoppm", "-png", "-singlefile", "-scale-to-x", str(PICTURE_WIDTH)]
        page = [str(folder / "report.pdf"), str(folder / "page-one")]
        subprocess.run([*picture, "-scale-to-y", "-1", *page], check=True)  # noqa: S603  # as above
        entries.append(gallery_entry(spec))
        (target / "files/specs").mkdir(parents=True, exist_ok=True)
        shutil.copy(spec, target / "files/specs")
    head = (
        "# Gallery\n\nThe reports of all example specs, as they are built with this version. "
        "Each picture is page one of the PDF.\n\n"
    )
    (target / "gallery.md").write_text(head + "\n".join(entries), encoding="utf-8")


def gallery_entry(spec: Path) -> str:
    """Return the part of the gallery about one spec."""
    values = tomllib.loads(spec.read_text(encoding="utf-8"))
    title = values.get("title", spec.stem)
    described = values.get("about", {})
    about = described.get("description") or described.get("data", "")
    about = f"{about[:1].upper()}{about[1:]}"
    folder = f"reports/{spec.stem}"
    links = (
        f"[page]({folder}/report.html), [PDF]({folder}/report.pdf),"
        f" [results.json]({folder}/results.json), [spec](files/specs/{spec.name})"
    )
    return (
        f"## {title}\n\n{about}\n\n"
        f"[![Page one of the report {title}]({folder}/page-one.png)"
        f'{{ width={PICTURE_WIDTH} loading=lazy style="border: 1px solid #8886" }}]'
        f"({folder}/report.html)\n\n{links}\n"
    )


class LinkCollector(HTMLParser):
    """Collects the links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep `href`, `src` and `id`."""
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in {"href", "src"}:
                self.links.append(value)


def find_dead_links(site: Path) -> list[str]:
    """Return the links of the site's pages that lead to no file, or to no anchor of it.

    Reports are not looked at: they are tested by themselves.
    """
    pages: dict[Path, LinkCollector] = {}
    for path in site.rglob("*.html"):
        pages[path] = LinkCollector()
        pages[path].feed(path.read_text(encoding="utf-8"))
    dead = []
    for path, page in pages.items():
        if path.is_relative_to(site / "reports") or path.name == "404.html":
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            linked = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            linked = linked / "index.html" if linked.is_dir() else linked
            anchor = unquote(parts.fragment)
            is_dead = not linked.is_file()
            if is_dead or (anchor and linked in pages and anchor not in pages[linked].anchors):
                dead.append(f"{path.relative_to(site)}: {link}")
    return sorted(set(dead))


def build_site(source: Path, site: Path, specs: list[Path]) -> None:
    """Build the site, and raise if a link is dead."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.rmtree(site, ignore_errors=True)
    copy_pages(source / "docs")
    add_gallery(source / "docs", specs)
    settings = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    (source / "zensical.toml").write_text(complete_navigation(settings, source / "docs"), "utf-8")
    generator = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    environment = os.environ | {"NO_COLOR": "1"}
    subprocess.run(generator, cwd=source, env=environment, check=True)  # noqa: S603  # as above
    shutil.move(source / "site", site)
    if dead := find_dead_links(site):
        sys.exit("\n".join(["build_site: dead links", *dead]))
    print(f"{site}/index.html")


def main() -> None:
    """Read the arguments and build the site."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=BUILD, help="the folder to build in")
    parser.add_argument(
        "specs", nargs="*", type=Path, help="the specs of the gallery; default: all"
    )
    arguments = parser.parse_args()
    specs = arguments.specs or sorted((ROOT / "specs").glob("*.toml"))
    build = arguments.build.resolve()
    build_site(build / "site-source", build / "site", [spec.resolve() for spec in specs])


if __name__ == "__main__":
    main()
