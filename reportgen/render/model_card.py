"""A model card per classifier: evaluation metadata of the Hugging Face Hub and a section of text.

The front matter is the `model-index` that the Hub reads (Hugging Face, "Model cards", metadata);
the text is meant to be pasted into the card of the model, or to be its beginning.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING

from reportgen.evaluation.values import ValueState
from reportgen.formats import FORMATS
from reportgen.render.markdown import escape_markdown, render_sentence
from reportgen.render.plain_text import cell_text, interval_text
from reportgen.report.document import Bullets
from reportgen.report.inline import MeasureEstimate
from reportgen.report.sections.summary import build_findings_section, recommendation_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.render.formats import RenderInput

# Metrics that the Hub knows by another name than reportgen.
HUB_METRICS = {
    "sensitivity": "recall",
    "mcc": "matthews_correlation",
    "brier": "brier_score",
    "r2": "r_squared",
}
TASK_NAMES = {
    "binary": "Binary classification",
    "multiclass": "Multiclass classification",
    "multilabel": "Multilabel classification",
    "ordinal": "Ordinal classification",
    "regression": "Regression",
}
# The Hub's own word for tasks it has no page for: the modality of the data is not in the spec.
UNSPECIFIED_TASK = "other"
UNSPECIFIED_DATASET = "unspecified"


def model_card_files(source: RenderInput) -> dict[str, bytes]:
    """Return a model card for every classifier that was measured on cases or counts."""
    names = source.evaluation.measured_classifiers
    return {
        FORMATS["model_card"].files.replace("*", _file_stem(number, name)): model_card(
            source.evaluation, name
        ).encode()
        for number, name in enumerate(names, 1)
    }


def model_card(evaluation: Evaluation, classifier: str) -> str:
    """Return the model card of a classifier as Markdown with YAML front matter."""
    about, task = evaluation.spec.about, evaluation.spec.task.kind
    values = tuple(_overall_values(evaluation, classifier))
    dataset = {
        "type": about.hub_dataset or UNSPECIFIED_DATASET,
        "name": about.data or evaluation.spec.title,
    }
    result = {
        "task": {"type": about.hub_task or UNSPECIFIED_TASK, "name": TASK_NAMES[task]},
        "dataset": dataset,
        "metrics": [
            _metric(measure, average, value)
            for measure, average, value in values
            # The Hub's values are numbers: what is undefined or infinite is in the text only.
            if value.state is ValueState.DEFINED
        ],
    }
    metadata: dict[str, object] = {"model-index": [{"name": classifier, "results": [result]}]}
    if about.hub_dataset is not None:
        metadata = {"datasets": [about.hub_dataset], **metadata}
    lines = ["---", *_yaml_lines(metadata), "---", "", *_section(evaluation, classifier, values)]
    return "\n".join(lines) + "\n"


def _overall_values(
    evaluation: Evaluation, classifier: str
) -> Iterator[tuple[Measure, str | None, MeasureValue]]:
    """Yield the reported values over all cases; of several classes also the macro averages."""
    averages = (None, "macro") if evaluation.is_multiclass else (None,)
    for measure in evaluation.reported_measures:
        for average in averages:
            value = evaluation.by_key.get((classifier, None, average, measure.name))
            if value is not None:
                yield measure, average, value


def _title(measure: Measure, average: str | None) -> str:
    return measure.title if average is None else f"{measure.title} ({average} average)"


def _metric(measure: Measure, average: str | None, value: MeasureValue) -> dict[str, object]:
    metric: dict[str, object] = {
        "type": HUB_METRICS.get(measure.name, measure.name),
        "value": value.value,
        "name": _title(measure, average),
    }
    arguments: dict[str, object] = {} if average is None else {"average": average}
    if value.low is not None and value.high is not None:
        arguments |= {"confidence_interval": [value.low, value.high]}
    return metric | ({"args": arguments} if arguments else {})


def _section(
    evaluation: Evaluation,
    classifier: str,
    values: Sequence[tuple[Measure, str | None, MeasureValue]],
) -> Iterator[str]:
    about, level = evaluation.spec.about, evaluation.spec.intervals.level
    yield "## Evaluation"
    yield ""
    cases = evaluation.compared_cases(classifier)
    data = f" ({escape_markdown(about.data)})" if about.data else ""
    count = "" if cases is None else f" on {cases} {escape_markdown(about.unit or 'cases')}"
    yield f"**{escape_markdown(classifier)}**, evaluated{count}{data} with reportgen."
    yield ""
    yield f"| Measure | Value | {level * 100:g}% confidence interval |"
    yield "|---|--:|---|"
    for measure, average, value in values:
        estimate = MeasureEstimate(value, measure, with_interval=True)
        interval = interval_text(estimate) or (value.reason or "none")
        cells = (_title(measure, average), cell_text(estimate), interval)
        yield f"| {' | '.join(map(escape_markdown, cells))} |"
    findings = [
        *recommendation_sentences(evaluation),
        *(
            item.parts
            for block in build_findings_section(evaluation)
            if isinstance(block, Bullets)
            for item in block.items
        ),
    ]
    others = [name for name in evaluation.measured_classifiers if name != classifier]
    if others and findings:
        yield ""
        yield f"Compared with {escape_markdown(', '.join(others))}:"
        yield ""
        yield from (f"- {render_sentence(parts)}" for parts in findings)
    if about.intended_use:
        yield f"\n### Intended use\n\n{escape_markdown(about.intended_use)}"
    if about.limitations:
        yield "\n### Limitations\n"
        yield from (f"- {escape_markdown(text)}" for text in about.limitations)


def _yaml_lines(value: object, indent: str = "") -> Iterator[str]:
    """Yield a nested value as YAML; scalars are JSON, which YAML contains."""
    match value:
        case Mapping():
            for key, item in value.items():
                yield from _yaml_item(f"{indent}{key}:", item, indent)
        case list():
            for item in value:
                first, *rest = _yaml_lines(item, f"{indent}  ")
                yield f"{indent}- {first.strip()}"
                yield from rest
        case _:
            yield f"{indent}{_scalar(value)}"


def _yaml_item(head: str, item: object, indent: str) -> Iterator[str]:
    if isinstance(item, Mapping | list) and item:
        yield head
        yield from _yaml_lines(item, f"{indent}  ")
    else:
        yield f"{head} {_scalar(item)}"


def _scalar(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _file_stem(number: int, name: str) -> str:
    """Return the name of a classifier's file: its number, and the name as far as it is ASCII."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9]+", "-", ascii_name.lower()).strip("-")[:40].strip("-")
    return f"{number:02d}-{words}" if words else f"{number:02d}"
