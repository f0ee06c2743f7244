"""Several data sets: each is read as if it were the only one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.aggregates.model import Aggregates
from reportgen.errors import DataError
from reportgen.predictions import load
from reportgen.predictions.diagnostics import map_collecting_errors
from reportgen.predictions.table import NO_FRAMES
from reportgen.spec import spec_file_for_dataset

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reportgen.aggregates.model import CaseAudit
    from reportgen.errors import Diagnostic
    from reportgen.predictions.table import InMemoryFrame
    from reportgen.spec import DataSet, Spec, SpecFile


# What [folds] says needs folds to say it of.


def fold_setting_warnings(spec: Spec, aggregates: Aggregates) -> tuple[str, ...]:
    """Return that [folds] has no effect where no classifier has two folds."""
    if "folds" not in spec.model_fields_set:
        return ()
    if aggregates.datasets:
        return ("[folds] has no effect where classifiers are compared over data sets",)
    given = any(each.fold_scores is not None for each in spec.classifiers)
    tallies = [tally for tally in (aggregates.confusion, aggregates.regression) if tally]
    if given or any(tally.frame["fold"].drop_nulls().n_unique() > 1 for tally in tallies):
        return ()
    reads = aggregates.case_count is not None
    way_out = "name their column with `fold` in [data]" if reads else "give predictions with folds"
    return (f"[folds] has no effect: no classifier has folds; {way_out}, or take [folds] out",)


def aggregate_predictions(
    spec_file: SpecFile, frames: Mapping[str, InMemoryFrame] = NO_FRAMES, *, losses: bool = True
) -> Aggregates:
    """Read everything that a spec names, data set by data set if it has several.

    Without `losses` it is not looked into how good scores are as probabilities.
    """
    several = bool(spec_file.spec.datasets)
    found = (
        _aggregate_datasets(spec_file, losses=losses)
        if several
        else load.load_predictions(spec_file, frames, losses=losses)
    )
    warnings = fold_setting_warnings(spec_file.spec, found)
    return replace(found, warnings=(*warnings, *found.warnings))


def _aggregate_datasets(spec_file: SpecFile, *, losses: bool) -> Aggregates:
    datasets = spec_file.spec.datasets
    read = map_collecting_errors(
        datasets, lambda dataset: _aggregate_dataset(spec_file, dataset, losses=losses)
    )
    found = {dataset.name: part for dataset, part in zip(datasets, read, strict=True)}
    ways = {part.joined_by for part in read}
    return Aggregates(
        classes=(),
        confusion=None,
        regression=None,
        inputs=tuple(file for part in read for file in part.inputs),
        audits=tuple(audit for name, part in found.items() for audit in _label_audits(name, part)),
        joined_by=ways.pop() if len(ways) == 1 else None,
        case_count=None,
        warnings=tuple(
            f"data set `{name}`: {warning}"
            for name, part in found.items()
            for warning in part.warnings
        ),
        datasets=found,
    )


def _label_audits(name: str, aggregates: Aggregates) -> Iterator[CaseAudit]:
    """Yield the audits of a data set: one where all classifiers have the same cases."""
    alike = {replace(audit, classifier="") for audit in aggregates.audits}
    if len(alike) == 1 < len(aggregates.audits):
        yield replace(alike.pop(), classifier=f"{name}: all classifiers")
    else:
        yield from (
            replace(audit, classifier=f"{name}: {audit.classifier}") for audit in aggregates.audits
        )


def _aggregate_dataset(spec_file: SpecFile, dataset: DataSet, *, losses: bool) -> Aggregates:
    """Read one data set; its faults say which it is, because their place is shared by all."""
    try:
        return load.load_predictions(spec_file_for_dataset(spec_file, dataset), losses=losses)
    except DataError as error:
        raise DataError(
            *(_add_dataset_name(fault, dataset) for fault in error.diagnostics)
        ) from None


def _add_dataset_name(fault: Diagnostic, dataset: DataSet) -> Diagnostic:
    return replace(fault, message=f"data set `{dataset.name}`: {fault.message}")
