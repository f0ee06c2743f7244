"""What the documents say of templates is so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from reportgen.errors import ERROR_CODES
from reportgen.render.templates import replaceable_templates
from reportgen.spec import parse_spec
from tests.small_specs import counted_spec

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/appearance.md").read_text("utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
SPEC = counted_spec([[1108, 323], [272, 858]])


def test_every_page_that_a_fault_names_is_there() -> None:
    """Whoever asks for an explanation is not sent to a page that does not exist."""
    texts = (kind.explanation for kind in ERROR_CODES.values())
    named = {page for text in texts for page in re.findall(r"docs/[\w/]+\.md", text)}

    assert "docs/appearance.md" in named
    assert [page for page in sorted(named) if not (ROOT / page).is_file()] == []


def test_every_template_is_listed() -> None:
    """Whoever replaces one must know its name."""
    listed = set(re.findall(r"`([\w/]+\.html\.j2)`", PAGE))

    assert listed == set(replaceable_templates())


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_a_spec(example: str) -> None:
    """Examples are copied."""
    assert tomllib.loads(example)
    assert parse_spec(Path("spec.toml"), (SPEC + example).encode())
