"""Data sources and integrity checks: input files, case matching and score types."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import get_measure
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.findings.recommendation import case_noun
from reportgen.report.formatting import EN_DASH
from reportgen.report.inline import (
    Count,
    InlineCode,
    InlineText,
    MeasureEstimate,
    PlainNumber,
)
from reportgen.report.phrases import join_names_abbreviated
from reportgen.report.selection import is_full_detail
from reportgen.spec.fields import is_remote_uri

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.predictions.audit import CaseAudit
    from reportgen.predictions.load import Input
    from reportgen.predictions.scores import ScoreType
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell
    from reportgen.spec import Classifier


# Score types: probabilities or ranking scores. More columns than these are not named.

_MAX_COLUMNS = 2


def score_type_paragraphs(evaluation: Evaluation) -> tuple[Paragraph, ...]:
    """Return how the scores of each classifier were interpreted, and why."""
    groups: dict[tuple[str, bool], list[ScoreType]] = {}
    for score_type in evaluation.aggregates.score_types:
        groups.setdefault((score_type.kind, score_type.declared), []).append(score_type)
    if not groups:
        return ()
    parts = [part for names in groups.values() for part in _score_type_sentence(evaluation, names)]
    return (Paragraph(tuple(parts)),)


def _score_type_sentence(evaluation: Evaluation, score_types: list[ScoreType]) -> Iterator[Inline]:
    first = score_types[0]
    yield "Scores of "
    yield from join_names_abbreviated([score_type.classifier for score_type in score_types])
    columns = list(dict.fromkeys(score_type.columns for score_type in score_types))
    if len(columns) <= _MAX_COLUMNS:
        yield " in "
        for index, column in enumerate(columns):
            yield from (" and ", InlineCode(column)) if index else (InlineCode(column),)
    if first.declared:
        yield ": probabilities. " if first.kind == "probability" else ": ranking scores. "
    elif first.kind == "probability":
        positive = evaluation.spec.task.positive
        yield f" all lie in [0, 1] and are read as probabilities of {positive}; otherwise set "
        yield InlineCode('score_kind = "ranking"')
        yield ". "
    else:
        yield " do not all lie in [0, 1]; they are used for ranking only, and probability measures"
        yield " are omitted. "


_HASH_LENGTH, _MAX_CLASSES_LISTED, _MAX_FILES_LISTED = 12, 12, 3
_SAME_CASES_SENTENCE = "No missing, extra, duplicate or conflicting cases."


def build_data_sources_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return input files, case matching, score types and summary data."""
    card = tuple(_data_card(evaluation))
    files = _input_files_table(evaluation)
    return (
        *card,
        *(() if card and _has_single_file(evaluation) else files),
        *_joined_paragraphs(
            (
                *_case_matching_table(evaluation),
                *_design_table(evaluation),
                *_coverage_tables(evaluation),
                *score_type_paragraphs(evaluation),
            )
        ),
        *_summary_data_table(evaluation),
    )


def _joined_paragraphs(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield the blocks, a run of paragraphs as one."""
    for is_text, run in groupby(blocks, key=lambda block: isinstance(block, Paragraph)):
        if not is_text:
            yield from run
            continue
        parts = [(" ", *block.parts) for block in run if isinstance(block, Paragraph)]
        yield Paragraph(tuple(part for sentence in parts for part in sentence)[1:])


def _data_card(evaluation: Evaluation) -> Iterator[Block]:
    """Yield what the cases are: as declared, and as counted."""
    about = evaluation.spec.about
    rows: list[tuple[TableCell, ...]] = [
        (head, text)
        for head, text in (
            ("Data", about.data),
            ("Intended use", about.intended_use),
            ("Limitations of the data", "; ".join(about.limitations)),
        )
        if text
    ]
    rows += _case_rows(evaluation)
    if not rows:
        return
    if _has_single_file(evaluation):
        rows += _file_row(evaluation)
    yield Table(
        "data-card",
        "Data card (declared in the spec, or counted)",
        (Column("Item"), Column("Value")),
        (RowGroup(tuple(rows)),),
    )


def _case_rows(evaluation: Evaluation) -> Iterator[tuple[TableCell, ...]]:
    """Yield the numbers of cases, classes, folds, clusters and unanswered cases."""
    aggregates, unit = evaluation.aggregates, case_noun(evaluation)
    if evaluation.spec.dataset_names:
        yield "Data sets", Count(len(evaluation.spec.dataset_names))
        return
    if aggregates.case_count is not None:
        case_count = Count(aggregates.distinct_cases or aggregates.case_count)
        yield "Cases", InlineText((case_count, f" {unit}"))
    sizes = set(evaluation.class_sizes.values())
    if len(sizes) == 1:
        plural = evaluation.class_noun_plural
        yield plural.capitalize(), InlineText(tuple(_class_phrase(evaluation, sizes.pop())))
    for audit in evaluation.fold_audits[:1]:
        yield f"{evaluation.fold_noun.capitalize()}s", Count(len(audit.folds))
    clusters = {row.clusters for row in evaluation.design if row.clusters is not None}
    if len(clusters) == 1:
        yield "Clusters", Count(clusters.pop())
    left_out = max((audit.rows - audit.cases for audit in aggregates.audits), default=0)
    if left_out > 0 and aggregates.distinct_cases is None:
        yield "Rows left out", Count(left_out)


def _class_phrase(evaluation: Evaluation, sizes: tuple[int, ...]) -> Iterator[Inline]:
    classes = evaluation.named_classes
    sizes = sizes[: len(classes)]
    if len(classes) > _MAX_CLASSES_LISTED:
        yield from (Count(len(classes)), f" {evaluation.class_noun_plural} of ")
        yield from (Count(min(sizes)), EN_DASH, Count(max(sizes)), f" {case_noun(evaluation)}")
        return
    for index, (class_, size) in enumerate(zip(classes, sizes, strict=True)):
        yield ", " if index else ""
        yield from (f"{class_}: ", Count(size))


def _has_single_file(evaluation: Evaluation) -> bool:
    """Return whether all predictions are of one file, which needs no table of its own."""
    return len({file.path for file in evaluation.aggregates.inputs}) == 1


def _file_row(evaluation: Evaluation) -> Iterator[tuple[TableCell, ...]]:
    """Yield the row of the data card about the only input file."""
    files = evaluation.aggregates.inputs
    has_long_file = any(classifier.where for classifier in evaluation.spec.classifiers)
    rows = _row_count(files)
    digest = _hash_cell(files[0])
    yield (
        "Input file" if evaluation.spec_file.path is not None else "Input data",
        InlineText(
            (
                InlineCode(files[0].path),
                ", ",
                *(rows.parts if isinstance(rows, InlineText) else (rows,)),
                " rows per classifier, " if has_long_file else " rows, ",
                *(("SHA-256 ", digest) if isinstance(digest, InlineCode) else (digest,)),
            )
        ),
    )


def _input_files_table(evaluation: Evaluation) -> tuple[Block, ...]:
    inputs = evaluation.aggregates.inputs
    if not inputs:
        return ()
    inputs_by_path: dict[str, list[Input]] = {}
    for file in inputs:
        inputs_by_path.setdefault(file.path, []).append(file)
    rows = tuple(
        row
        for phrase, group in groupby(
            inputs_by_path.items(),
            key=lambda item: _classifiers_phrase(evaluation, [file.classifier for file in item[1]]),
        )
        for row in _file_rows(evaluation, phrase, dict(group))
    )
    has_long_file = any(classifier.where for classifier in evaluation.spec.classifiers)
    from_files = evaluation.spec_file.path is not None
    columns = (
        Column("Classifier"),
        Column("File" if from_files else "Data"),
        Column("Rows per classifier" if has_long_file else "Rows", numeric=True),
        Column("SHA-256"),
    )
    caption = "Input files" if from_files else "Input data"
    return (Table("inputs", caption, columns, (RowGroup(rows),)),)


def _file_rows(
    evaluation: Evaluation, classifiers: str, inputs_by_path: Mapping[str, list[Input]]
) -> Iterator[tuple[TableCell, ...]]:
    """Yield a row per file; below full detail one row for the many files of a classifier."""
    paths = list(inputs_by_path)
    is_brief = not is_full_detail(evaluation) and not evaluation.spec.dataset_names
    if is_brief and len(paths) > _MAX_FILES_LISTED:
        ends = InlineText((InlineCode(paths[0]), " to ", InlineCode(paths[-1])))
        row_count = sum(max(file.rows for file in files) for files in inputs_by_path.values())
        n_files = InlineText((Count(len(paths)), " files: manifest.json"))
        yield classifiers, ends, Count(row_count), n_files
        return
    for path, files in inputs_by_path.items():
        yield classifiers, InlineCode(path), _row_count(files), _hash_cell(files[0])


def _row_count(files: Sequence[Input]) -> TableCell:
    """Return the rows of a file for one classifier; a range if classifiers differ."""
    fewest, most = min(file.rows for file in files), max(file.rows for file in files)
    return Count(most) if fewest == most else InlineText((Count(fewest), EN_DASH, Count(most)))


def _hash_cell(file: Input) -> TableCell:
    if file.sha256 is not None:
        return InlineCode(file.sha256, _HASH_LENGTH)
    return "not hashed (remote)" if is_remote_uri(file.path) else "not hashed"


def _classifiers_phrase(evaluation: Evaluation, classifiers: list[str]) -> str:
    """Return the classifiers whose predictions a file holds."""
    all_classifiers = len(classifiers) == len(evaluation.spec.classifiers) > 1
    return "all classifiers" if all_classifiers else ", ".join(classifiers)


def _case_matching_table(evaluation: Evaluation) -> tuple[Block, ...]:
    audits = evaluation.aggregates.audits
    if not audits:
        return ()
    by_row = "Cases matched by row order; true classes agree in every row."
    from_files = evaluation.spec_file.path is not None
    method = {
        "id": "Cases matched by id.",
        "row order": by_row if from_files else "Cases matched by order.",
        None: "",
    }[evaluation.aggregates.joined_by]
    rows = tuple(
        (
            audit.classifier,
            Count(audit.rows),
            Count(audit.cases),
            Count(audit.missing),
            Count(audit.extra),
            Count(audit.duplicated),
            Count(audit.conflicting),
        )
        for audit in audits
    )
    heads = ("Rows", "Cases evaluated", "Missing", "Extra", "Duplicate", "Conflicting")
    columns = (Column("Classifier"), *(Column(head, numeric=True) for head in heads))
    introduction = " ".join(
        filter(None, (method, _same_cases_sentence(audits) if from_files else ""))
    )
    table = Table("audit", "Case matching", columns, (RowGroup(rows),))
    if introduction and _has_regular_cases(audits) and not is_full_detail(evaluation):
        # A sentence instead of a table of zeros.
        return (Paragraph((introduction,)),)
    note = Paragraph((introduction,)) if introduction else None
    return (replace(table, note=note),)


_DESIGN_NOTE = (
    "Design effect: the variance of accuracy (of the mean squared error for numbers) relative to as"
    " many independent, equally weighted cases. Intervals and tests use the effective number of"
    " cases of each measure."
)
_POLICY_PHRASES = {
    "drop": "left out for all classifiers",
    "wrong": "counted as wrong",
}


def _design_table(evaluation: Evaluation) -> Iterator[Block]:
    """Yield the clusters, weights and design effects."""
    if not evaluation.design:
        return
    rows = tuple(
        (
            row.classifier,
            Count(row.cases),
            None if row.clusters is None else Count(row.clusters),
            None if row.largest_cluster is None else Count(row.largest_cluster),
            None if row.weight_effective_n is None else PlainNumber(row.weight_effective_n, 1),
            PlainNumber(row.design_effect, 2),
            PlainNumber(row.n_effective, 1),
        )
        for row in evaluation.design
    )
    heads = (
        *("Cases", "Clusters", "Largest cluster", "Effective cases of weights"),
        *("Design effect", "Effective cases"),
    )
    columns = (Column("Classifier"), *(Column(head, numeric=True) for head in heads))
    used = [at for at in range(len(columns)) if any(row[at] is not None for row in rows)]
    has_clusters = any(row.clusters is not None for row in evaluation.design)
    has_weights = any(row.weight_effective_n is not None for row in evaluation.design)
    caption = " and ".join(
        word for word, has in (("clusters", has_clusters), ("weights", has_weights)) if has
    )
    yield Table(
        "design",
        (caption or "design effects").capitalize(),
        tuple(columns[at] for at in used),
        (RowGroup(tuple(tuple(row[at] for at in used) for row in rows)),),
        Paragraph((_DESIGN_NOTE,)),
    )


def _coverage_tables(evaluation: Evaluation) -> Iterator[Block]:
    """Yield the share of answered cases, and the primary measure by the other rule."""
    abstention = evaluation.abstention
    if abstention is None:
        return
    # A proportion of cases, printed as accuracy is: in percent.
    accuracy = get_measure("accuracy")
    rows = tuple(
        (
            row.classifier,
            Count(row.cases),
            Count(row.answered),
            MeasureEstimate(
                MeasureValue(row.share, ValueState.DEFINED, None, row.low, row.high, "wilson"),
                accuracy,
            ),
        )
        for row in abstention.coverage
    )
    policy = _POLICY_PHRASES.get(abstention.policy, f"read as {abstention.policy}")
    sentence = f"Unanswered cases are {policy} in all other results."
    if evaluation.named_classes != evaluation.aggregates.classes:
        sentence += (
            f" Confusion matrices count them as predicted {evaluation.aggregates.classes[-1]},"
            " which is not a class of the task and is not rated."
        )
    if abstention.coverage_differs:
        sentence += (
            " The classifiers differ in how many cases they answer: one that answers only easy"
            " cases looks better on answered cases alone."
        )
    columns = (
        Column("Classifier"),
        Column("Cases", numeric=True),
        Column("Answered", numeric=True),
        Column("Coverage", numeric=True),
    )
    yield Table("coverage", "Coverage", columns, (RowGroup(rows),), Paragraph((sentence,)))
    primary = evaluation.primary_measure
    alternatives = [
        row
        for row in abstention.alternative_values
        if primary is not None
        and (row.measure, row.average) == (primary.measure.name, primary.average)
    ]
    if primary is None or not alternatives:
        return
    other = _POLICY_PHRASES.get(abstention.alternative_policy, abstention.alternative_policy)
    values = tuple(
        (
            row.classifier,
            None
            if (value := evaluation.value(row.classifier, primary.measure, average=primary.average))
            is None
            else MeasureEstimate(value, primary.measure),
            MeasureEstimate(row.value, primary.measure),
        )
        for row in alternatives
    )
    heads = (f"Unanswered {policy}", f"Unanswered {other}")
    caption = f"{primary.measure.title} with and without unanswered cases"
    yield Table(
        "coverage-values",
        caption,
        (Column("Classifier"), *(Column(head, numeric=True) for head in heads)),
        (RowGroup(values),),
    )


def _same_cases_sentence(audits: Sequence[CaseAudit]) -> str:
    """Return a sentence if all classifiers have the same cases; otherwise warnings say so."""
    return _SAME_CASES_SENTENCE if len(audits) > 1 and _has_regular_cases(audits) else ""


def _has_regular_cases(audits: Sequence[CaseAudit]) -> bool:
    """Return whether no case is missing, extra, duplicated or conflicting."""
    counts = [(audit.missing, audit.extra, audit.duplicated, audit.conflicting) for audit in audits]
    return not any(map(any, counts))


def _summary_data_table(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the table of classifiers with summary data only."""
    without_files = [
        classifier for classifier in evaluation.spec.classifiers if classifier.predictions is None
    ]
    if not without_files:
        return ()
    cells = [(classifier.name, *_summary_data_cells(classifier)) for classifier in without_files]
    heads = (
        Column("Classifier"),
        Column("Data in the spec"),
        Column("Cases", numeric=True),
        Column("Folds", numeric=True),
    )
    used = [index for index in range(len(heads)) if any(row[index] is not None for row in cells)]
    columns = tuple(heads[index] for index in used)
    rows = tuple(tuple(row[index] for index in used) for row in cells)
    return (
        Table("given", "Summary data only (no case-level predictions)", columns, (RowGroup(rows),)),
    )


def _summary_data_cells(classifier: Classifier) -> tuple[TableCell, ...]:
    if classifier.confusion is not None:
        return ("confusion matrix", Count(sum(map(sum, classifier.confusion))), None)
    if classifier.dataset_scores is not None:
        datasets = len(next(iter(classifier.dataset_scores.values())))
        return (f"scores on {datasets} data sets", None, None)
    folds = max((len(values) for values in (classifier.fold_scores or {}).values()), default=0)
    return ("scores per fold", None, Count(folds))
