"""The documentation site: its pages, the tutorial, and links that lead somewhere."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.external_programs import needs_package, needs_poppler

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TUTORIAL = (DOCS / "tutorial.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def load_script() -> ModuleType:
    """Import scripts/build_site.py."""
    spec = importlib.util.spec_from_file_location("build_site", ROOT / "scripts/build_site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def entries(nav: list[Any]) -> list[str]:
    """Return the pages of a navigation, which is nested."""
    return [
        page
        for item in nav
        for value in item.values()
        for page in (entries(value) if isinstance(value, list) else [value])
    ]


def test_every_page_is_in_the_navigation(tmp_path: Path) -> None:
    """A new page has an entry even if nobody added one; decision records are in their index."""
    script = load_script()
    script.copy_pages(tmp_path / "docs")
    (tmp_path / "docs/new.md").write_text('# A "new" page\n', encoding="utf-8")
    text = (ROOT / "zensical.toml").read_text("utf-8")
    listed = entries(tomllib.loads(text)["project"]["nav"])
    nav = tomllib.loads(script.complete_navigation(text, tmp_path / "docs"))["project"]["nav"]
    pages = {path.relative_to(tmp_path / "docs").as_posix() for path in tmp_path.rglob("*.md")}
    records = {page for page in pages if re.match(r"adr/\d", page)}

    assert set(listed) <= pages
    assert sorted(entries(nav)) == sorted(pages - records)
    assert {"A 'new' page": "new.md"} in nav[-1]["Explanation"]


def test_the_gallery_lists_every_spec() -> None:
    """The site has their pictures; a clone has the table."""
    listed = re.findall(r"\(\.\./specs/(\w+)\.toml\)", (DOCS / "gallery.md").read_text("utf-8"))

    assert listed == sorted(path.stem for path in (ROOT / "specs").glob("*.toml"))


def slug(heading: str) -> str:
    """Return the anchor of a heading, as code servers and the generator make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"[^\w\- ]", "", text.replace("`", "")).strip().lower()
    return text.replace(" ", "-")


def test_anchors_of_links_are_headings() -> None:
    """Links to a part of a page lead to it."""
    pages = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
    texts = {path: path.read_text(encoding="utf-8") for path in pages}
    anchors = {
        path: {slug(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
        | set(re.findall(r'<a id="([^"]+)"', text))
        for path, text in texts.items()
    }
    dead = [
        f"{path.name}: {link}#{anchor}"
        for path, text in texts.items()
        for link, anchor in re.findall(r"\]\(([^)#:\s]*)#([^)\s]+)\)", text)
        for linked in [(path.parent / link).resolve() if link else path]
        if linked in anchors and anchor not in anchors[linked]
    ]

    assert dead == []


def test_links_out_of_the_docs_lead_to_copies(tmp_path: Path) -> None:
    """A file of the repository is copied, a page is mapped, code is left as it is."""
    target = tmp_path / "docs"
    text = (
        "[spec](../../specs/gates.toml) [more](../../CONTRIBUTING.md#add-a-chart)"
        " [home](../../README.md) [spec](../spec.md)\n```sh\n[x](../../specs/gates.toml)\n```\n"
    )
    led = load_script().lead_links(text, DOCS / "how-to/gates.md", target)

    assert led == (
        "[spec](../files/specs/gates.toml) [more](../contributing.md#add-a-chart)"
        " [home](../index.md) [spec](../spec.md)\n```sh\n[x](../../specs/gates.toml)\n```\n"
    )
    assert (target / "files/specs/gates.toml").is_file()


def test_dead_links_and_anchors_are_found(tmp_path: Path) -> None:
    """Of pages, not of addresses of other servers."""
    page = '<p id="a"><a href="b.html#c">1</a><a href="#a">2</a><a href="x.html">3</a></p>'
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    (tmp_path / "b.html").write_text('<img src="none.png"><a href="https://x.y/z">', "utf-8")

    assert load_script().find_dead_links(tmp_path) == [
        "a.html: b.html#c",
        "a.html: x.html",
        "b.html: none.png",
    ]


def follow_tutorial(tmp_path: Path) -> list[dict[str, Any]]:
    """Run its code and commands and add its tables, in order; return the results of each build."""
    spec = tmp_path / "reportgen.toml"
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    results: list[dict[str, Any]] = []
    for language, block in BLOCK.findall(TUTORIAL):
        if language == "python":
            (tmp_path / "make_predictions.py").write_text(block, encoding="utf-8")
            subprocess.run([sys.executable, "make_predictions.py"], cwd=tmp_path, check=True)
        elif language == "toml" and "title" in block:
            spec_text = spec.read_text("utf-8").partition("please check it.\n")[2].strip()
            assert spec_text == block.strip()
        elif language == "toml":
            spec.write_text(f"{spec.read_text('utf-8')}\n{block}", encoding="utf-8")
        for line in block.splitlines() if language == "sh" else ():
            words = [sys.executable, "-m", "reportgen", *shlex.split(line)[1:]]
            subprocess.run(words, cwd=tmp_path, env=environment, check=True, capture_output=True)
            if " build " in line:
                content = (tmp_path / "reports/reportgen/results.json").read_text("utf-8")
                results.append(json.loads(content))
    return results


@pytest.mark.slow
def test_the_tutorial_can_be_followed(tmp_path: Path) -> None:
    """The numbers in its sentences are those of the reports that it builds."""
    first, with_costs, with_gate = follow_tutorial(tmp_path)
    accuracy = {
        row["classifier"]: row["value"]
        for row in first["values"]
        if row["measure"] == "accuracy"
        and (row["class"], row["average"], row["fold"]) == (None, None, None)
    }
    percent = {name: f"{value:.1%}" for name, value in accuracy.items()}
    assert f"in accuracy, {percent['model_a']} against {percent['model_b']}" in TUTORIAL
    counts = {matrix["classifier"]: matrix["counts"] for matrix in first["confusion"]}
    assert "misses 65 of the 318 customers who left, with 151 false alarms" in TUTORIAL
    assert counts["model_a"] == [[253, 65], [151, 731]]
    assert "model_b misses 98, with 190" in TUTORIAL
    assert counts["model_b"] == [[220, 98], [190, 692]]
    assert "*at threshold 0.542*" in TUTORIAL
    assert '"threshold": 0.542' in json.dumps(with_costs)
    costs = {
        option["classifier"]: option["cost"]
        for option in with_costs["decision_options"]
        if option["basis"] != "submitted"
    }
    assert f"{1000 * costs['model_a']:.0f} per 1,000 customers" in TUTORIAL
    assert f"against {1000 * costs['model_b']:.0f} for model_b" in TUTORIAL
    (gate,) = with_gate["gates"]
    assert gate["passed"]
    assert f"ROC curve, {gate['observed']:.3f}, is above 0.85" in TUTORIAL


@pytest.mark.slow
@needs_package("zensical")
@needs_poppler
def test_the_site_is_built_with_gallery_and_search(tmp_path: Path) -> None:
    """From two specs, to save time; a dead link would end the build."""
    script = [sys.executable, "scripts/build_site.py", "--build", str(tmp_path)]
    specs = ["specs/gates.toml", "specs/prevalence.toml"]
    process = subprocess.run(
        [*script, *specs], cwd=ROOT, capture_output=True, text=True, check=False
    )
    site = tmp_path / "site"

    assert process.returncode == 0, process.stdout[-3000:] + process.stderr[-3000:]
    gallery = (site / "gallery.html").read_text(encoding="utf-8")
    assert gallery.count("page-one.png") == 2
    assert (site / "reports/gates/report.html").is_file()
    assert (site / "files/specs/gates.toml").is_file()
    result = (site / "search.json").read_text(encoding="utf-8")
    assert "From a CSV to a decision" in result
    assert "Zensical" in result
    # Nothing is loaded from other servers.
    text = (site / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?//', text) == []
