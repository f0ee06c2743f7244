"""What was read, and whether all classifiers were measured on the same cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.parts import Code, Count
from reportgen.report.sections.scores.score_readings import score_readings
from reportgen.spec.addresses import is_remote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.predictions import CaseAudit, Input
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell
    from reportgen.spec import Classifier

HASH_SHOWN = 12
SAME_CASES = "Every file has the same cases: none is missing, extra, doubled or contradicting."


def inputs(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the files, the audit of their cases, and what is known without cases."""
    return (
        *_files(evaluation),
        *_audit(evaluation),
        *score_readings(evaluation),
        *_given(evaluation),
    )


def _files(evaluation: Evaluation) -> tuple[Block, ...]:
    found = evaluation.predictions.inputs
    if not found:
        return ()
    readers: dict[str, list[str]] = {}
    for file in found:
        readers.setdefault(file.path, []).append(file.classifier)
    rows = tuple(
        (
            _for_whom(evaluation, readers[path]),
            Code(path),
            Count(file.rows),
            _hash(file),
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


def _hash(file: Input) -> Cell:
    if file.sha256 is not None:
        return Code(file.sha256, HASH_SHOWN)
    return "not hashed (remote)" if is_remote(file.path) else "not hashed"


def _for_whom(evaluation: Evaluation, readers: list[str]) -> str:
    """Name the classifiers a file was read for, which may be all."""
    every = len(readers) == len(evaluation.spec.classifiers) > 1
    return "all classifiers" if every else ", ".join(readers)


def _audit(evaluation: Evaluation) -> tuple[Block, ...]:
    audits = evaluation.predictions.audits
    if not audits:
        return ()
    by_row = "Cases were matched by their place in the file; the truth agrees row by row."
    in_files = evaluation.spec_file.path is not None
    how = {
        "id": "Cases were matched by their id.",
        "row order": by_row if in_files else "Cases were matched by their order.",
        None: "",
    }[evaluation.predictions.joined_by]
    rows = tuple(
        (
            audit.classifier,
            Count(audit.rows),
            Count(audit.cases),
            Count(audit.missing),
            Count(audit.extra),
            Count(audit.duplicated),
            Count(audit.contradicting),
        )
        for audit in audits
    )
    heads = ("Rows", "Cases measured", "Missing", "Extra", "Duplicated", "Contradicting")
    columns = (Column("Classifier"), *(Column(head, numeric=True) for head in heads))
    said = " ".join(filter(None, (how, _all_alike(audits) if in_files else "")))
    note = Paragraph((said,)) if said else None
    return (Table("audit", "Audit of the cases", columns, (RowGroup(rows),), note),)


def _all_alike(audits: Sequence[CaseAudit]) -> str:
    """Say that the cases are the same; where they are not, warnings say so on the first page."""
    found = [
        (audit.missing, audit.extra, audit.duplicated, audit.contradicting) for audit in audits
    ]
    return SAME_CASES if len(audits) > 1 and not any(map(any, found)) else ""


def _given(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say of which classifiers only counts or fold scores are known."""
    without_files = [
        classifier for classifier in evaluation.spec.classifiers if classifier.predictions is None
    ]
    if not without_files:
        return ()
    rows = tuple((classifier.name, *_what_is_known(classifier)) for classifier in without_files)
    columns = (
        Column("Classifier"),
        Column("Given in the spec"),
        Column("Cases", numeric=True),
        Column("Folds", numeric=True),
    )
    return (Table("given", "Given without cases", columns, (RowGroup(rows),)),)


def _what_is_known(classifier: Classifier) -> tuple[Cell, ...]:
    if classifier.confusion is not None:
        return ("confusion matrix", Count(sum(map(sum, classifier.confusion))), None)
    if classifier.dataset_scores is not None:
        datasets = len(next(iter(classifier.dataset_scores.values())))
        return (f"scores on {datasets} data sets", None, None)
    folds = max((len(values) for values in (classifier.fold_scores or {}).values()), default=0)
    return ("scores per fold", None, Count(folds))
