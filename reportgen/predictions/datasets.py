"""Several data sets: each is read as if it were the only one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.errors import DataError
from reportgen.predictions import reading
from reportgen.predictions.collecting import read_each
from reportgen.predictions.fold_settings import fold_setting_warnings
from reportgen.predictions.given import NOTHING_GIVEN
from reportgen.predictions.model import Predictions
from reportgen.spec import spec_file_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reportgen.errors import Fault
    from reportgen.predictions.given import GivenFrame
    from reportgen.predictions.model import CaseAudit
    from reportgen.spec import DataSet, SpecFile


def read_predictions(
    spec_file: SpecFile, given: Mapping[str, GivenFrame] = NOTHING_GIVEN, *, losses: bool = True
) -> Predictions:
    """Read everything that a spec names, data set by data set if it has several.

    Without `losses` it is not looked into how good scores are as probabilities.
    """
    several = bool(spec_file.spec.datasets)
    found = (
        _read_all(spec_file, losses=losses)
        if several
        else reading.read_predictions(spec_file, given, losses=losses)
    )
    warnings = fold_setting_warnings(spec_file.spec, found)
    return replace(found, warnings=(*warnings, *found.warnings))


def _read_all(spec_file: SpecFile, *, losses: bool) -> Predictions:
    datasets = spec_file.spec.datasets
    read = read_each(datasets, lambda dataset: _read(spec_file, dataset, losses=losses))
    found = {dataset.name: part for dataset, part in zip(datasets, read, strict=True)}
    ways = {part.joined_by for part in read}
    return Predictions(
        classes=(),
        confusion=None,
        regression=None,
        inputs=tuple(file for part in read for file in part.inputs),
        audits=tuple(audit for name, part in found.items() for audit in _audits(name, part)),
        joined_by=ways.pop() if len(ways) == 1 else None,
        case_count=None,
        warnings=tuple(
            f"data set `{name}`: {warning}"
            for name, part in found.items()
            for warning in part.warnings
        ),
        datasets=found,
    )


def _audits(name: str, part: Predictions) -> Iterator[CaseAudit]:
    """Yield the audits of a data set: one where all classifiers have the same cases."""
    alike = {replace(audit, classifier="") for audit in part.audits}
    if len(alike) == 1 < len(part.audits):
        yield replace(alike.pop(), classifier=f"{name}: all classifiers")
    else:
        yield from (
            replace(audit, classifier=f"{name}: {audit.classifier}") for audit in part.audits
        )


def _read(spec_file: SpecFile, dataset: DataSet, *, losses: bool) -> Predictions:
    """Read one data set; its faults say which it is, because their place is shared by all."""
    try:
        return reading.read_predictions(spec_file_of(spec_file, dataset), losses=losses)
    except DataError as error:
        raise DataError(*(_named(fault, dataset) for fault in error.faults)) from None


def _named(fault: Fault, dataset: DataSet) -> Fault:
    return replace(fault, message=f"data set `{dataset.name}`: {fault.message}")
