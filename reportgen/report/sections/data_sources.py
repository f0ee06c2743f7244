"""What was read, and whether all classifiers were measured on the same cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.inline import Count, InlineCode
from reportgen.report.phrases import join_names
from reportgen.spec.fields import is_remote_uri

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.predictions.audit import CaseAudit
    from reportgen.predictions.load import Input
    from reportgen.predictions.scores import ScoreType
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell
    from reportgen.spec import Classifier


# How scores were read: as probabilities, or as numbers that only rank the cases.


def score_type_paragraphs(evaluation: Evaluation) -> tuple[Paragraph, ...]:
    """Say what the scores of each classifier were taken for, and why."""
    groups: dict[tuple[str, str, bool], list[ScoreType]] = {}
    for reading in evaluation.aggregates.score_types:
        groups.setdefault((reading.columns, reading.kind, reading.declared), []).append(reading)
    if not groups:
        return ()
    parts = [part for found in groups.values() for part in _score_type_sentence(evaluation, found)]
    return (Paragraph(tuple(parts)),)


def _score_type_sentence(evaluation: Evaluation, score_types: list[ScoreType]) -> Iterator[Inline]:
    first = score_types[0]
    yield "The scores of "
    yield from join_names([reading.classifier for reading in score_types])
    yield " in "
    yield InlineCode(first.columns)
    if first.declared:
        yield " are probabilities. " if first.kind == "probability" else " only rank the cases. "
    elif first.kind == "probability":
        positive = evaluation.spec.task.positive
        yield f" all lie between 0 and 1 and were read as probabilities of {positive}; if they are"
        yield " not, "
        yield InlineCode('score_kind = "ranking"')
        yield " in the spec says so. "
    else:
        yield " do not all lie between 0 and 1, so they only rank the cases, and measures of"
        yield " probabilities are left out. "


_HASH_LENGTH = 12
_SAME_CASES_SENTENCE = (
    "Every file has the same cases: none is missing, extra, doubled or contradicting."
)


def build_data_sources_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the files, the audit of their cases, and what is known without cases."""
    return (
        *_input_files_table(evaluation),
        *_case_matching_table(evaluation),
        *score_type_paragraphs(evaluation),
        *_summary_data_table(evaluation),
    )


def _input_files_table(evaluation: Evaluation) -> tuple[Block, ...]:
    found = evaluation.aggregates.inputs
    if not found:
        return ()
    readers: dict[str, list[str]] = {}
    for file in found:
        readers.setdefault(file.path, []).append(file.classifier)
    rows = tuple(
        (
            _classifiers_phrase(evaluation, readers[path]),
            InlineCode(path),
            Count(file.rows),
            _hash_cell(file),
        )
        for path, file in {file.path: file for file in found}.items()
    )
    in_files = evaluation.spec_file.path is not None
    columns = (
        Column("Classifier"),
        Column("File" if in_files else "Data"),
        Column("Rows", numeric=True),
        Column("SHA-256"),
    )
    hashed = any(file.sha256 is not None for file in found)
    note = Paragraph(("The whole hashes are in manifest.json.",)) if hashed else None
    caption = "Files that were read" if in_files else "Data that were given"
    return (Table("inputs", caption, columns, (RowGroup(rows),), note),)


def _hash_cell(file: Input) -> TableCell:
    if file.sha256 is not None:
        return InlineCode(file.sha256, _HASH_LENGTH)
    return "not hashed (remote)" if is_remote_uri(file.path) else "not hashed"


def _classifiers_phrase(evaluation: Evaluation, classifiers: list[str]) -> str:
    """Name the classifiers a file was read for, which may be all."""
    every = len(classifiers) == len(evaluation.spec.classifiers) > 1
    return "all classifiers" if every else ", ".join(classifiers)


def _case_matching_table(evaluation: Evaluation) -> tuple[Block, ...]:
    audits = evaluation.aggregates.audits
    if not audits:
        return ()
    by_row = "Cases were matched by their place in the file; the truth agrees row by row."
    in_files = evaluation.spec_file.path is not None
    how = {
        "id": "Cases were matched by their id.",
        "row order": by_row if in_files else "Cases were matched by their order.",
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
    heads = ("Rows", "Cases measured", "Missing", "Extra", "Duplicated", "Contradicting")
    columns = (Column("Classifier"), *(Column(head, numeric=True) for head in heads))
    said = " ".join(filter(None, (how, _same_cases_sentence(audits) if in_files else "")))
    note = Paragraph((said,)) if said else None
    return (Table("audit", "Audit of the cases", columns, (RowGroup(rows),), note),)


def _same_cases_sentence(audits: Sequence[CaseAudit]) -> str:
    """Say that the cases are the same; where they are not, warnings say so on the first page."""
    found = [(audit.missing, audit.extra, audit.duplicated, audit.conflicting) for audit in audits]
    return _SAME_CASES_SENTENCE if len(audits) > 1 and not any(map(any, found)) else ""


def _summary_data_table(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say of which classifiers only counts or fold scores are known."""
    without_files = [
        classifier for classifier in evaluation.spec.classifiers if classifier.predictions is None
    ]
    if not without_files:
        return ()
    rows = tuple(
        (classifier.name, *_summary_data_cells(classifier)) for classifier in without_files
    )
    columns = (
        Column("Classifier"),
        Column("Given in the spec"),
        Column("Cases", numeric=True),
        Column("Folds", numeric=True),
    )
    return (Table("given", "Given without cases", columns, (RowGroup(rows),)),)


def _summary_data_cells(classifier: Classifier) -> tuple[TableCell, ...]:
    if classifier.confusion is not None:
        return ("confusion matrix", Count(sum(map(sum, classifier.confusion))), None)
    if classifier.dataset_scores is not None:
        datasets = len(next(iter(classifier.dataset_scores.values())))
        return (f"scores on {datasets} data sets", None, None)
    folds = max((len(values) for values in (classifier.fold_scores or {}).values()), default=0)
    return ("scores per fold", None, Count(folds))
