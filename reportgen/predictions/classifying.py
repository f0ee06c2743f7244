"""Labels of all classifiers in one spelling, and the classes they make."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from reportgen.predictions.class_places import as_places
from reportgen.predictions.label_places import LabelPlaces
from reportgen.predictions.labels import canonical_spellings, known_labels, resolve_classes
from reportgen.predictions.probabilities import read_probabilities
from reportgen.predictions.thresholds import derive_predictions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.spec import Spec, SpecFile

_LABEL_COLUMNS = ("truth", "prediction", "written")


def classify(
    spec_file: SpecFile, cases: Sequence[Cases]
) -> tuple[tuple[Cases, ...], tuple[str, ...]]:
    """Spell labels alike, derive predictions from scores, and settle the classes."""
    spec = spec_file.spec
    if not cases:
        return (), tuple(spec.task.classes or ())
    cases = _respell(spec, cases)
    places = LabelPlaces(spec_file, cases)
    cases = derive_predictions(spec.task, cases, places)
    found = {each.classifier: each.labels for each in cases}
    classes = resolve_classes(spec.task, found, LabelPlaces(spec_file, cases))
    cases = as_places(cases, classes)
    return read_probabilities(spec.task, cases, classes), classes


def _respell(spec: Spec, cases: Sequence[Cases]) -> tuple[Cases, ...]:
    written: set[str] = set().union(*(each.labels for each in cases))
    spellings = canonical_spellings(written, known_labels(spec.task))
    changed = {old: new for old, new in spellings.items() if old != new}
    if not changed:
        return tuple(cases)
    spelled = pl.col(_LABEL_COLUMNS).cast(pl.String).replace(changed).cast(pl.Categorical)
    return tuple(replace(each, frame=each.frame.with_columns(spelled)) for each in cases)
