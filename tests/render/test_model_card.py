"""Model cards: the Hub reads the metadata, people the section."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

import reportgen as rg
from reportgen.pipeline import load_and_evaluate
from reportgen.render.formats import render
from reportgen.render.theme import DEFAULT_THEME
from tests.external_programs import needs_package

if TYPE_CHECKING:
    from collections.abc import Mapping

SPECS = Path(__file__).parents[2] / "specs"
TRUTH = ["yes"] * 60 + ["no"] * 90
SVM = ["yes"] * 54 + ["no"] * 6 + ["no"] * 81 + ["yes"] * 9
NEVER = ["no"] * 150
ABOUT = {
    "data": 'Calls: "one" | <two>',
    "intended_use": "Ranking of customers",
    "limitations": ["One country"],
    "hub_task": "text-classification",
    "hub_dataset": "example/calls",
}


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Return the cards of two classifiers by file name: 135 of 150 right, and never yes."""
    report = rg.evaluate(
        TRUTH,
        {"SVM: rbf": SVM, "Näher": NEVER},
        positive="yes",
        measures=["accuracy", "sensitivity", "precision"],
        spec={"about": ABOUT},
    )
    folder = report.write(tmp_path_factory.mktemp("cards") / "report", formats=["model_card"])
    return {path.name: path.read_text("utf-8") for path in (folder / "model_cards").iterdir()}


def front_matter(card: str) -> dict[str, Any]:
    """Return the metadata of a card, by a YAML parser."""
    metadata: dict[str, Any] = yaml.safe_load(card.split("---\n")[1])
    return metadata


def test_every_classifier_has_a_card(cards: Mapping[str, str]) -> None:
    """File names are plain, whatever the classifiers are called."""
    assert sorted(cards) == ["01-svm-rbf.md", "02-naher.md"]


def test_the_metadata_are_a_model_index(cards: Mapping[str, str]) -> None:
    """135 of 150 are accurate; the Hub calls sensitivity recall."""
    metadata = front_matter(cards["01-svm-rbf.md"])
    (entry,) = metadata["model-index"]

    assert metadata["datasets"] == ["example/calls"]
    assert entry["name"] == "SVM: rbf"
    (result,) = entry["results"]
    assert result["task"] == {"type": "text-classification", "name": "Binary classification"}
    assert result["dataset"] == {"type": "example/calls", "name": ABOUT["data"]}
    metrics = {metric["type"]: metric for metric in result["metrics"]}
    assert metrics["accuracy"]["value"] == pytest.approx(135 / 150)
    assert metrics["recall"]["value"] == pytest.approx(54 / 60)
    low, high = metrics["accuracy"]["args"]["confidence_interval"]
    assert low < 0.9 < high


def test_an_undefined_value_is_in_the_text_only(cards: Mapping[str, str]) -> None:
    """Nothing was predicted as yes: precision is no number, so the metadata do not have it."""
    card = cards["02-naher.md"]
    (result,) = front_matter(card)["model-index"][0]["results"]

    assert [metric["type"] for metric in result["metrics"]] == ["accuracy", "recall"]
    (row,) = [line for line in card.splitlines() if line.startswith("| Precision")]
    assert "0.0" not in row
    assert "undefined" in row or "n/a" in row or "–" in row


def test_the_section_names_data_use_limitations_and_others(cards: Mapping[str, str]) -> None:
    """The text is escaped, and every finding of page one is in it."""
    card = cards["01-svm-rbf.md"]

    assert r"on 150 cases (Calls: \"one\" \| \<two\>)".replace(r"\"", '"') in card
    assert "Compared with Näher:" in card
    assert "### Intended use\n\nRanking of customers" in card
    assert "### Limitations\n\n- One country" in card


@pytest.mark.slow
def test_several_classes_have_macro_averages() -> None:
    """F1 has no overall value of several classes, but an average."""
    evaluation = load_and_evaluate(SPECS / "digits.toml")
    files = render(evaluation, None, ("model_card",), DEFAULT_THEME).files
    card = next(content.decode() for name, content in files.items() if "01" in name)
    (result,) = front_matter(card)["model-index"][0]["results"]
    averages = {
        (metric["type"], metric.get("args", {}).get("average")) for metric in result["metrics"]
    }

    assert ("f1", "macro") in averages
    assert ("accuracy", None) in averages


@needs_package("huggingface_hub")
def test_the_library_of_the_hub_reads_the_card(cards: Mapping[str, str]) -> None:
    """`ModelCard` takes the metadata for evaluation results, and validates nothing away."""
    from huggingface_hub import ModelCard, ModelCardData

    card = ModelCard(cards["01-svm-rbf.md"])
    assert isinstance(card.data, ModelCardData)
    results = card.data.eval_results

    assert card.data.model_name == "SVM: rbf"
    assert results is not None
    values = {result.metric_type: result for result in results}
    assert values["accuracy"].metric_value == pytest.approx(135 / 150)
    assert values["recall"].metric_name == "Sensitivity"
    assert values["accuracy"].task_type == "text-classification"
    assert values["accuracy"].dataset_name == ABOUT["data"]
    assert card.text.startswith("\n## Evaluation")


@pytest.mark.slow
@needs_package("huggingface_hub")
def test_the_example_of_the_page_reads_a_card_that_was_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The spec and the code of docs/how-to/model-cards.md; only the upload is replaced."""
    import huggingface_hub

    page = (SPECS.parent / "docs/how-to/model-cards.md").read_text("utf-8")
    (spec,) = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (tmp_path / "churn.toml").write_text(spec, encoding="utf-8")
    rg.build(tmp_path / "churn.toml", tmp_path / "reports")
    updates: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(
        huggingface_hub, "metadata_update", lambda *arguments: updates.append(arguments)
    )
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "model-cards.md", "exec"), {})  # noqa: S102  # our own page

    ((repository, metadata),) = updates
    assert repository == "example/churn-svm"
    (result,) = metadata["model-index"][0]["results"]
    values = {metric["type"]: metric["value"] for metric in result["metrics"]}
    assert values["accuracy"] == pytest.approx(135 / 150)
