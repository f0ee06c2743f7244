"""Scaffolding of a spec from prediction files: TOML text, drafts, and what the files support."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import DataError, Diagnostic, Location, RemoteUri, SpecError
from reportgen.errors.data import COLUMN_ROLES_AMBIGUOUS
from reportgen.predictions.diagnostics import format_count
from reportgen.predictions.layout import MAX_COLUMNS_SHOWN, NO_OPTIONS, group_files, infer_spec
from reportgen.predictions.load import load_predictions
from reportgen.predictions.long_format import expand_models
from reportgen.predictions.presets.evaluation_logs import OUTCOMES
from reportgen.predictions.presets.registry import PRESETS
from reportgen.predictions.roles import ColumnOptions, Question, UndecidedError
from reportgen.spec import parse_spec
from reportgen.spec.fields import is_invisible, is_remote_uri
from reportgen.spec.toml import format_toml_pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.predictions.layout import (
        EmptyPredictions,
        FileGroup,
        InferredClassifier,
        InferredSpec,
        LabelAgreement,
        Setting,
    )
    from reportgen.predictions.profiling import ColumnProfile

_DATA_KEYS = (
    *("format", "truth", "prediction", "score", "probabilities", "fold", "repeat", "cluster"),
    *("separator", "count", "id", "labels", "decimal", "encoding", "sheet", "table", "remote"),
    *("where", "threshold"),
)
_KEY_COMMENTS = {
    "encoding": "a guess: the file is not UTF-8",
    "cluster": "its cases depend on each other; remove the line if they do not",
    "threshold": "a guess: there are no predictions, so they come from the score",
    "where": "other rows are left out",
}
_MAX_PROBLEMS_SHOWN = 3
_MAX_NAMES_IN_TITLE = 4


@dataclass(frozen=True, slots=True)
class ScaffoldedSpec:
    """The text of a spec, and why it cannot be built unchanged.

    `question` is what the files leave open; the text is a draft then, with all their columns.
    """

    text: str
    problems: tuple[str, ...] = ()
    question: Question | None = None
    summary: tuple[str, ...] = ()
    positive: Question | None = None
    """The question of the positive class, where the one in the spec is a guess."""


def scaffold_spec(
    paths: Sequence[Path | RemoteUri], folder: Path, options: ColumnOptions = NO_OPTIONS
) -> ScaffoldedSpec:
    """Return a spec for prediction files, with paths relative to the folder of the spec."""
    groups: Sequence[FileGroup] = ()
    try:
        groups = group_files(paths, options)
        inferred = infer_spec(groups, options)
    except UndecidedError as error:
        question = _with_other_columns(error.question, groups)
        draft = "\n".join(_render_draft(paths, groups, question, folder, options)) + "\n"
        return ScaffoldedSpec(draft, question=question)
    problems = tuple(_find_problems(inferred, paths))
    text = "\n".join(_render_lines(inferred, folder, problems)) + "\n"
    positive = None
    if inferred.positive is not None and not inferred.is_positive_certain:
        positive = Question("positive", "which class is the positive one?", inferred.labels)
    return ScaffoldedSpec(text, problems, None, tuple(summarize_support(inferred)), positive)


def _with_other_columns(question: Question, groups: Sequence[FileGroup]) -> Question:
    """Return a question about a column with the other columns, in case none of the choices fits."""
    if question.option in {"positive", "sheet", "table"}:
        return question
    names = dict.fromkeys(name for group in groups for name in group.names)
    return replace(question, others=tuple(name for name in names if name not in question.choices))


def _find_problems(inferred: InferredSpec, paths: Sequence[Path | RemoteUri]) -> list[str]:
    """Return the problems for which the spec cannot be built unchanged."""
    # With paths relative to the working directory: the spec's folder may not exist yet.
    text = "\n".join(_render_lines(inferred, Path(), []))
    try:
        load_predictions(expand_models(parse_spec(Path("reportgen.toml"), text.encode())))
    except SpecError as error:
        message = f"a spec cannot name this file or what is in it: {error.diagnostics[0].message}"
        help_text = "rename the file, the column or the label"
        raise DataError(
            Diagnostic(COLUMN_ROLES_AMBIGUOUS, message, Location(paths[0]), help_text)
        ) from error
    except DataError as error:
        return [
            f"{diagnostic.error_code.code}: {diagnostic.message}"
            + (f" ({diagnostic.help})" if diagnostic.help else "")
            for diagnostic in error.diagnostics[:_MAX_PROBLEMS_SHOWN]
        ]
    return []


def summarize_support(inferred: InferredSpec) -> Iterator[str]:
    """Yield what the files support, and what a further column would add."""
    settings = [classifier.settings for classifier in inferred.classifiers]
    names = inferred.models or tuple(classifier.name for classifier in inferred.classifiers)
    has = {
        key: any(key in item.settings or key in item.preset_roles for item in inferred.classifiers)
        for key in ("score", "probabilities", "fold", "id")
    }
    noun = "labels" if inferred.kind == "multilabel" else "classes"
    classes = f", {noun} {', '.join(inferred.labels[:5])}" if inferred.labels else ""
    kind = f"{inferred.kind} task{classes}{', …' if len(inferred.labels) > 5 else ''}"  # noqa: PLR2004
    yield f"{kind}; {len(names)} classifier{'s' if len(names) != 1 else ''}: {_list_names(names)}"
    folds = ", a fold per file" if inferred.has_fold_files else ""
    design = "".join(_describe_design(settings[0]))
    yield f"{format_count(inferred.cases, 'case')}{design}{folds}"
    scored = has["score"] or has["probabilities"]
    parts = ["values with confidence intervals"]
    if scored and len(inferred.labels) > 1:
        parts.append("ROC curves" if inferred.has_ranking_scores else "ROC and calibration")
    parts += ["cross-validation"] if has["fold"] or inferred.has_fold_files else []
    parts += ["comparisons of classifiers"] if len(names) > 1 else []
    yield f"the report has {', '.join(parts)}"
    if inferred.has_ranking_scores:
        yield "scores between 0 and 1 would add Brier score, log loss and calibration"
    yield from _summarize_additions(inferred, len(names), is_scored=scored, has_id=has["id"])
    yield from _summarize_proposals(inferred)
    if inferred.unused:
        yield f"columns not used: {_list_names(inferred.unused)}"
    yield from inferred.notes


def _summarize_additions(
    inferred: InferredSpec, n_classifiers: int, *, is_scored: bool, has_id: bool
) -> Iterator[str]:
    """Yield what further columns, cases or classifiers would add."""
    is_log = any(_is_log(classifier.settings) for classifier in inferred.classifiers)
    if len(inferred.labels) == 1:
        yield (
            f"the truth is always `{inferred.labels[0]}`: cases of another class would add"
            " specificity, precision, ROC curves and comparisons by them"
        )
    elif inferred.kind != "regression" and not is_scored and not is_log:
        unit = "label" if inferred.kind == "multilabel" else "class"
        column = "--score" if inferred.kind == "binary" else f"a column per {unit}, `p_{{class}}`"
        yield f"a column of probabilities would add ROC curves and calibration ({column})"
    if n_classifiers == 1:
        noun = "the log of a second model" if is_log else "predictions of a second classifier"
        yield f"{noun} for the same {'questions' if is_log else 'cases'} would add comparisons"
    elif not has_id and len({item.predictions for item in inferred.classifiers}) > 1:
        yield "a column of ids would match the files by case instead of by row order (--id)"


def _is_log(settings: Mapping[str, Setting]) -> bool:
    """Return whether files are logs of LLM evaluations."""
    return "format" in settings and PRESETS[str(settings["format"])].is_log


def _summarize_proposals(inferred: InferredSpec) -> Iterator[str]:
    """Yield what the spec has because of values of columns, and what can be uncommented in it."""
    if inferred.missing is not None:
        yield f'missing = "{inferred.missing.policy}": {_describe_missing(inferred.missing)}'
    if inferred.abstain:
        yield f"answers that name no class (`abstain`): {_list_names(inferred.abstain)}"
    if inferred.map:
        yield f"labels brought to one spelling (`map`): {_list_names(tuple(inferred.map))}"
    if inferred.proposed_map is not None:
        pairs = format_toml_pair("map", inferred.proposed_map.classes)
        yield f"a map of labels is proposed as a comment in [data], check it: {pairs}"
    if inferred.segments:
        columns = tuple(column.name for column in inferred.segments)
        yield f"[[segments]] would add values per value of {_list_names(columns)}: uncomment them"
    if inferred.weight is not None:
        weight = format_toml_pair("weight", inferred.weight)
        yield f"{weight} under [data] would weight the cases: uncomment it"


def _describe_design(settings: Mapping[str, Setting]) -> Iterator[str]:
    """Yield how the cases depend on each other."""
    if "cluster" in settings:
        yield f", clustered by `{settings['cluster']}`"
    if "repeat" in settings:
        yield f", repeated by `{settings['repeat']}`"
    if "fold" in settings:
        yield f", folds by `{settings['fold']}`"


def _describe_map(agreement: LabelAgreement) -> str:
    return (
        "Uncomment this if it is right; labels and classes that coincide most often agree in"
        f" {100 * agreement.share:.1f}% of the rows:"
    )


def _describe_missing(missing: EmptyPredictions) -> str:
    return f"{missing.rows} of {missing.total} predictions are empty; {missing.reason}"


def _list_names(names: Sequence[str]) -> str:
    more = len(names) - MAX_COLUMNS_SHOWN
    listing = ", ".join(f"`{name}`" for name in names[:MAX_COLUMNS_SHOWN])
    return listing + (f" and {more} more" if more > 0 else "")


def _render_lines(inferred: InferredSpec, folder: Path, problems: Sequence[str]) -> Iterator[str]:
    yield "# Written by `reportgen init` from the columns of the prediction files: please check it."
    if problems:
        yield "# It cannot be built unchanged, because of:"
        yield from (f"# - {_comment(problem)}" for problem in problems)
    yield from (f"# Note: {_comment(note)}" for note in inferred.notes)
    names = inferred.models or [classifier.name for classifier in inferred.classifiers]
    yield ""
    yield format_toml_pair("title", _build_title([_visible(name) for name in names]))
    yield ""
    yield from _render_task(inferred)
    yield ""
    yield "[data]"
    settings = [
        _relative_labels(classifier.settings, folder) for classifier in inferred.classifiers
    ]
    if inferred.model is not None:
        yield _render_paths(inferred.classifiers[0], folder)
        models = _comment(_list_names(inferred.models).replace("`", ""))
        yield f"{format_toml_pair('model', inferred.model)}    # long format: {models}"
        yield from _render_settings(settings[0])
        yield from _render_data_proposals(inferred)
        yield from _render_segments(inferred)
        yield from _render_measures(inferred)
        return
    shared = {
        key: value
        for key, value in settings[0].items()
        if all(classifier_settings.get(key) == value for classifier_settings in settings)
    }
    yield from _render_settings(shared)
    yield from _render_data_proposals(inferred)
    for classifier, classifier_settings in zip(inferred.classifiers, settings, strict=True):
        yield ""
        yield "[[classifiers]]"
        yield format_toml_pair("name", classifier.name)
        yield _render_paths(classifier, folder)
        yield from _render_settings(
            {key: classifier_settings[key] for key in classifier_settings if key not in shared}
        )
    yield from _render_segments(inferred)


def _render_measures(inferred: InferredSpec) -> Iterator[str]:
    """Yield the measure of outcomes, the only one that is defined if all should be correct."""
    # Of a judge the truth is a verdict as well, which may be `incorrect`.
    if inferred.labels == OUTCOMES and _is_log(inferred.classifiers[0].settings):
        yield ""
        yield "[measures]"
        yield "# Every outcome should be `correct`: only the share of correct ones is defined."
        yield 'show = ["accuracy"]'


def _render_data_proposals(inferred: InferredSpec) -> Iterator[str]:
    """Yield keys of [data] that follow from the values of the columns."""
    if inferred.map:
        yield f"{format_toml_pair('map', inferred.map)}    # labels of one class, spelled otherwise"
    if inferred.proposed_map is not None:
        yield f"# {_describe_map(inferred.proposed_map)}"
        yield f"# {_comment(format_toml_pair('map', inferred.proposed_map.classes))}"
    if inferred.missing is not None:
        comment = _describe_missing(inferred.missing)
        yield f"{format_toml_pair('missing', inferred.missing.policy)}    # {comment}"
    if inferred.weight is not None:
        comment = "if it says how many cases of the population a case stands for"
        yield f"# {format_toml_pair('weight', inferred.weight)}    # {comment}"


def _render_segments(inferred: InferredSpec) -> Iterator[str]:
    """Yield proposals of segments, which are further tests and therefore not active."""
    for column in inferred.segments:
        values = _comment(", ".join(column.examples[:_MAX_NAMES_IN_TITLE]))
        more = ", …" if column.distinct_count > _MAX_NAMES_IN_TITLE else ""
        yield ""
        yield f"# [[segments]]    # values and gaps by segment: {values}{more}"
        yield f"# {format_toml_pair('column', column.name)}"


def _render_task(inferred: InferredSpec) -> Iterator[str]:
    yield "[task]"
    comment = "" if inferred.is_certain else "    # a guess: the truth is made of whole numbers"
    yield f"{format_toml_pair('kind', inferred.kind)}{comment}"
    if inferred.positive is not None:
        positive = format_toml_pair("positive", inferred.positive)
        guess = "" if inferred.is_positive_certain else "    # a guess: name the class you look for"
        yield f"{positive}{guess}"
    if "{class}" in str(inferred.classifiers[0].settings.get("truth")):
        yield format_toml_pair("classes", list(inferred.labels))
    if inferred.abstain:
        comment = "answers that name no class"
        yield f"{format_toml_pair('abstain', list(inferred.abstain))}    # {comment}"
    order = _possible_order(inferred)
    if order:
        yield "# If the classes are grades, from the lowest to the highest:"
        yield '# kind = "ordinal"'
        yield f"# {_comment(format_toml_pair('classes', order))}"


# Words of grades, from the lowest to the highest.
_GRADE_WORDS = (
    ("none", "absent", "negative", "normal"),
    ("very low", "minimal", "trivial"),
    ("low", "mild", "minor", "small", "poor", "bad"),
    ("medium", "moderate", "intermediate", "fair", "neutral", "average", "ok"),
    ("high", "severe", "major", "large", "good", "serious"),
    ("very high", "critical", "extreme", "excellent", "proliferative"),
)


def _possible_order(inferred: InferredSpec) -> Sequence[str | int]:
    """Return the classes in an order they may have: numbers, or words of grades; else empty.

    That they have one is proposed and never assumed.
    """
    if inferred.kind != "multiclass":
        return []
    if all(label.removeprefix("-").isdecimal() for label in inferred.labels):
        return sorted(map(int, inferred.labels))
    place = {word: at for at, words in enumerate(_GRADE_WORDS) for word in words}
    grades = {label: place.get(label.lower().replace("_", " ")) for label in inferred.labels}
    places = [at for at in grades.values() if at is not None]
    if len(set(places)) < len(grades):
        return []
    ordered = sorted((at or 0, label) for label, at in grades.items())
    return [label for _, label in ordered]


def _render_paths(classifier: InferredClassifier, folder: Path) -> str:
    paths = [_relative_path(path, folder) for path in classifier.predictions]
    return format_toml_pair("predictions", paths[0] if len(paths) == 1 else paths)


def _comment(text: str) -> str:
    """Return a text in one line of a comment, whatever it contains."""
    return json.dumps(_visible(text), ensure_ascii=False)[1:-1].replace('\\"', '"')


def _visible(text: str) -> str:
    return "".join("\N{REPLACEMENT CHARACTER}" if is_invisible(char) else char for char in text)


def _render_settings(settings: Mapping[str, Setting]) -> Iterator[str]:
    for key in _DATA_KEYS:
        if key in settings:
            if key == "format":
                yield from _preset_comments(str(settings[key]))
            comment = f"    # {_KEY_COMMENTS[key]}" if key in _KEY_COMMENTS else ""
            yield f"{format_toml_pair(key, settings[key])}{comment}"


def _preset_comments(name: str) -> Iterator[str]:
    """Yield the comments on a preset."""
    preset = PRESETS[name]
    yield f"# {preset.title}:"
    yield f"# {preset.description}."
    yield "# Other keys, such as `truth`, override it."


def _render_draft(
    paths: Sequence[Path | RemoteUri],
    groups: Sequence[FileGroup],
    question: Question,
    folder: Path,
    options: ColumnOptions,
) -> Iterator[str]:
    """Yield a spec that names the files and has their columns as comments."""
    sources = [(group.name, group.spec_paths) for group in groups]
    sources = sources or [
        (path.name, (str(path),))
        if isinstance(path, RemoteUri)
        else (path.stem or path.name, (path.as_posix(),))
        for path in paths
    ]
    yield "# A draft by `reportgen init`, which cannot be built yet."
    yield f"# {_comment(question.text)}"
    choices = ", ".join(question.choices[:MAX_COLUMNS_SHOWN])
    yield f"# `reportgen init … --{question.option} NAME` answers it: {_comment(choices)}"
    for group in groups:
        yield "#"
        yield f"# Columns of {_comment(group.path.name)} ({group.profile.rows} rows):"
        for column in group.profile.columns[:MAX_COLUMNS_SHOWN]:
            yield f"#   {_comment(column.name)}: {_comment(_describe_column(column))}"
        if len(group.profile.columns) > MAX_COLUMNS_SHOWN:
            yield f"#   and {len(group.profile.columns) - MAX_COLUMNS_SHOWN} more"
    yield ""
    yield format_toml_pair("title", _build_title([_visible(name) for name, _ in sources]))
    yield ""
    yield "[task]"
    yield 'kind = "binary"    # or multiclass, ordinal, multilabel, regression'
    yield '# positive = "…"    # the class you look for'
    yield ""
    yield "[data]"
    if question.option in {"sheet", "table"}:
        yield f'# {question.option} = "…"'
    for key in ("truth", "prediction", "score", "id", "fold"):
        value = getattr(options, key)
        name = value[0] if isinstance(value, tuple) and value else value
        yield format_toml_pair(key, name) if name else f'# {key} = "…"'
    for name, files in sources:
        yield ""
        yield "[[classifiers]]"
        yield format_toml_pair("name", _visible(name))
        relative = [_relative_path(path, folder) for path in files]
        yield format_toml_pair("predictions", relative[0] if len(relative) == 1 else relative)


def _describe_column(column: ColumnProfile) -> str:
    examples = ", ".join(column.examples[:3])
    if column.kind in {"integer", "number"} and column.distinct_count > _MAX_NAMES_IN_TITLE:
        return f"numbers from {column.minimum:g} to {column.maximum:g}"
    if column.distinct_count > _MAX_NAMES_IN_TITLE:
        return f"{column.distinct_count} different values, such as {examples}"
    return ", ".join(column.examples) or "empty"


def _build_title(names: Sequence[str]) -> str:
    listing = (
        list(names) if len(names) <= _MAX_NAMES_IN_TITLE else list(names[: _MAX_NAMES_IN_TITLE - 1])
    )
    more = len(names) - len(listing)
    *first, last = (*listing, f"{more} more") if more else listing
    return f"Evaluation of {', '.join(first)} and {last}" if first else f"Evaluation of {last}"


def _relative_labels(settings: Mapping[str, Setting], folder: Path) -> dict[str, Setting]:
    relative = dict(settings)
    if "labels" in relative:
        relative["labels"] = _relative_path(str(relative["labels"]), folder)
    return relative


def _relative_path(path: str, folder: Path) -> str:
    if is_remote_uri(path):
        return path
    relative = Path(os.path.relpath(Path(path).resolve(), folder.resolve())).as_posix()
    # With a dot, because `data:x.csv` would be taken for a URI.
    return f"./{relative}" if ":" in relative else relative


EXAMPLE_SPEC = """\
# An evaluation by reportgen. Build it with: reportgen build reportgen.toml
# Every key is explained in the schema above and by `reportgen schema`.

title = "E-negotiation outcomes"

[task]
kind = "binary"                      # binary | multiclass | ordinal | multilabel | regression
positive = "success"                 # the class that is looked for
classes = ["success", "failure"]     # the order in tables and matrices

# Each classifier is known by its predictions, or by its counts, as here:
# rows are the truth, columns what was predicted, both in the order of `classes`.
[[classifiers]]
name = "SVM"
confusion = [[1242, 189], [390, 740]]

[[classifiers]]
name = "Naive Bayes"
confusion = [[1108, 323], [272, 858]]

# With predictions in files, name the columns once and the files per classifier
# (`reportgen init predictions.csv` writes this part for you):
#
# [data]
# id = "case"
# truth = "outcome"
# prediction = "predicted"
#
# [[classifiers]]
# name = "SVM"
# predictions = "svm.csv"

[measures]
show = ["traditional", "discriminant"]   # `reportgen measures` lists names and groups

[output]
formats = ["html", "pdf", "json"]        # also csv, parquet, latex, markdown
"""


def example_spec() -> str:
    """Return an example that builds unchanged."""
    return EXAMPLE_SPEC
