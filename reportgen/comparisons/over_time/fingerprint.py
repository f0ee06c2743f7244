"""By what the data of a run are recognised."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reportgen.predictions.model import Input
    from reportgen.spec import SpecFile


# What files are called.
PLACES = {"predictions", "labels"}


def data_fingerprint(spec_file: SpecFile, inputs: Iterable[Input]) -> str:
    """Return a hash of what the classifiers were measured on, and of what was read of it.

    Empty where it cannot be known: a file elsewhere has no hash. Names of files do not count;
    columns, rows that are kept, and counts and scores that stand in the spec do.
    """
    read = [[file.classifier, file.sha256] for file in inputs]
    if any(hashed is None for _, hashed in read):
        return ""
    spec = spec_file.spec
    asked = [
        spec.task.model_dump_json(),
        spec.data.model_dump_json(exclude=PLACES),
        *(each.model_dump_json(exclude=PLACES) for each in spec.classifiers),
        *(each.model_dump_json(exclude=PLACES) for each in spec.datasets),
    ]
    return sha256(json.dumps([read, asked]).encode()).hexdigest()
