"""Reproducibility: the command, the analysis settings and the spec."""

from __future__ import annotations

import json
import tomllib
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from reportgen.pipeline import build_and_write, load_and_evaluate
from reportgen.render.plain_text import cell_text, sentence_text
from reportgen.report.build import build_report
from reportgen.report.document import Listing, Paragraph, Table, iter_blocks
from tests.report.report_text import rows, section, table
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.report.document import Block

SPEC = counted_spec([[9, 1], [2, 8]], [[8, 2], [2, 8]])
SETTINGS = """\
[comparison]
primary = "accuracy"
baseline = "B"
margin = { accuracy = 0.01, f1 = 0.02 }
[prevalence]
targets = [0.02, 0.25]
[thresholds]
cost = { false_positive = 1, false_negative = 5 }
at_least = { sensitivity = 0.95 }
[folds]
ratio = 0.25
repeats = 1
tails = "one"
"""
SCORED = """\
title = "A test"
[task]
kind = "binary"
positive = "yes"
[data]
truth = "truth"
prediction = "predicted"
score = "score"
fold = "fold"
[[classifiers]]
name = "A"
predictions = "a.csv"
[[classifiers]]
name = "B"
predictions = "a.csv"
"""
CASES = """\
truth,predicted,score,fold
yes,yes,0.9,1
no,no,0.2,1
yes,no,0.4,2
no,yes,0.7,2
"""


def _blocks(folder: Path, text: str) -> tuple[Block, ...]:
    (folder / "spec.toml").write_text(text, encoding="utf-8")
    return section(build_report(load_and_evaluate(folder / "spec.toml")), "reproduction").blocks


def _settings(blocks: tuple[Block, ...]) -> dict[str, str]:
    (table,) = (block for block in iter_blocks(blocks) if isinstance(block, Table))
    return {cell_text(head): cell_text(value) for head, value in table.groups[0].rows}


def test_what_the_spec_names_beyond_the_defaults_is_among_the_settings(tmp_path: Path) -> None:
    """The margin, the costs, the prevalence and the folds decide numbers as the level does."""
    (tmp_path / "a.csv").write_text(CASES, encoding="utf-8")

    result = _settings(_blocks(tmp_path, SCORED + SETTINGS))

    assert (
        result.items()
        >= {
            "Primary measure": "accuracy",
            "Baseline classifier": "B",
            "Equivalence margins": "accuracy 0.01, f1 0.02",
            "Target prevalence": "0.02, 0.25",
            "Cost of a false positive, of a false negative": "1, 5",
            "Requirements": "sensitivity 0.95",
            "n_test / n_train": "0.25",
            "Cross-validation repeats": "1",
            "Fold-level tests": "one-sided: is the first classifier better?",
        }.items()
    )


def test_what_the_spec_does_not_name_is_not_among_the_settings(tmp_path: Path) -> None:
    """Only what has a default stands there then."""
    result = _settings(_blocks(tmp_path, SPEC))

    assert not {"Equivalence margins", "Target prevalence"} & {*result}


@pytest.mark.parametrize("detail", ["standard", "full"])
def test_the_text_of_the_spec_is_in_the_report(tmp_path: Path, detail: str) -> None:
    """Below full detail it is folded, and the report says that the PDF has it attached."""
    text = f'{SPEC}[output]\ndetail = "{detail}"\n'
    blocks = _blocks(tmp_path, text)

    listings = [block.text for block in iter_blocks(blocks) if isinstance(block, Listing)]
    folded = not any(isinstance(block, Listing) for block in blocks)
    texts = [sentence_text(block.parts) for block in blocks if isinstance(block, Paragraph)]
    assert listings == [text.rstrip()]
    assert folded == (detail == "standard")
    assert any("attached to the PDF" in words for words in texts) == (detail == "standard")


def test_options_of_the_command_line_are_in_the_command_and_the_manifest(tmp_path: Path) -> None:
    """Without them the command would give another report than this one."""
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")

    built = build_and_write(
        tmp_path / "spec.toml", tmp_path, ("html", "markdown"), detail="summary"
    )

    command = "reportgen build spec.toml --detail summary --format html,markdown"
    assert command in (built.folder / "report.html").read_text(encoding="utf-8")
    manifest = json.loads((built.folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["options"] == {"detail": "summary", "formats": ["html", "markdown"]}


def test_a_spec_built_as_it_is_needs_no_options(tmp_path: Path) -> None:
    """The manifest has what the spec asks for, and the command is the bare one."""
    formats = '[output]\nformats = ["html"]\n'
    (tmp_path / "spec.toml").write_text(SPEC + formats, encoding="utf-8")

    built = build_and_write(tmp_path / "spec.toml", tmp_path)

    page = (built.folder / "report.html").read_text(encoding="utf-8")
    assert "<code>reportgen build spec.toml</code>" in page
    manifest = json.loads((built.folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["options"] == {"detail": "standard", "formats": ["html"]}


def test_recipients_of_a_spec_are_in_no_file_of_the_report(tmp_path: Path) -> None:
    """Reports are given away and published; the hash is that of the whole spec."""
    text = '[[notify]]\ncommand = ["secret-program"]\n[[notify]]\nwebhook = "SECRET_ADDRESS"\n'
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC + text, encoding="utf-8")
    built = build_and_write(spec, tmp_path, ("html", "json", "markdown", "latex"), detail="full")
    files = {path.name: path.read_bytes() for path in built.folder.rglob("*") if path.is_file()}

    assert len(files) >= 5
    assert [name for name, content in files.items() if b"secret" in content.lower()] == []
    result = json.loads(files["manifest.json"])["spec"]
    assert result["redacted"] == ["notify"]
    assert result["sha256"] == sha256(spec.read_bytes()).hexdigest()
    assert tomllib.loads(result["text"]) == tomllib.loads(SPEC)


def test_rows_of_a_long_file_are_given_per_classifier(tmp_path: Path) -> None:
    """The file has five rows: three of A and two of B, whose third case is missing."""
    lines = ["model,id,truth,prediction", "A,1,yes,yes", "A,2,no,no", "A,3,no,yes"]
    lines += ["B,1,yes,no", "B,2,no,no"]
    (tmp_path / "long.csv").write_text("\n".join(lines) + "\n", "utf-8")
    spec = tmp_path / "long.toml"
    spec.write_text(
        '[task]\nkind = "binary"\npositive = "yes"\n[data]\npredictions = "long.csv"\n'
        'model = "model"\nid = "id"\ntruth = "truth"\nprediction = "prediction"\n',
        "utf-8",
    )
    card = table(build_report(load_and_evaluate(spec)), "data-card")

    assert rows(card)["Input file"][0].startswith("long.csv, 2–3 rows per classifier, SHA-256 ")
