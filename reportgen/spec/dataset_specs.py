"""The spec of each data set, as if it were the only one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.spec.datasets import OF_DATA, OF_TASK, PLACEHOLDER, DataSet

if TYPE_CHECKING:
    from reportgen.spec.classifiers import Classifier
    from reportgen.spec.data import Data
    from reportgen.spec.read import SpecFile
    from reportgen.spec.root import Spec
    from reportgen.spec.task import Task


def spec_file_of(spec_file: SpecFile, dataset: DataSet) -> SpecFile:
    """Return the spec of one data set with the text of the whole, so that places stay right."""
    return replace(spec_file, spec=spec_of(spec_file.spec, dataset), warnings=())


def spec_of(spec: Spec, dataset: DataSet) -> Spec:
    """Return the spec as it would be written for one of its data sets alone."""
    task = _task(spec.task, dataset)
    return spec.model_copy(
        update={
            "task": task,
            "data": _data(spec.data, dataset, task),
            "classifiers": tuple(_classifier(each, dataset) for each in spec.classifiers),
            "datasets": (),
        }
    )


def _task(shared: Task, dataset: DataSet) -> Task:
    own = _given(dataset, OF_TASK)
    kind = own.get("kind", shared.kind)
    if kind != "binary":
        own["positive"] = None
    if kind != shared.kind or dataset.positive is not None:
        # The classes of another task are not the classes of this one.
        own.setdefault("classes", None)
    return shared.model_copy(update=own)


def _data(shared: Data, dataset: DataSet, task: Task) -> Data:
    own = _given(dataset, OF_DATA)
    if dataset.prediction is not None or task.kind != "binary":
        # Who names a column of predictions wants these, not ones made from a score.
        own.setdefault("threshold", None)
    labels = dataset.labels or shared.labels
    return shared.model_copy(update=own | {"labels": _filled(labels, dataset)})


def _classifier(shared: Classifier, dataset: DataSet) -> Classifier:
    paths = shared.predictions
    if paths is None:
        return shared
    return shared.model_copy(
        update={
            "predictions": tuple(_filled(path, dataset) for path in paths),
            "labels": _filled(shared.labels, dataset),
        }
    )


def _given(dataset: DataSet, keys: tuple[str, ...]) -> dict[str, object]:
    return {key: value for key in keys if (value := getattr(dataset, key)) is not None}


def _filled(path: str | None, dataset: DataSet) -> str | None:
    return None if path is None else path.replace(PLACEHOLDER, dataset.name)
