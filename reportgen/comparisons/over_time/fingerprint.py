"""By what the data of a run are recognised."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reportgen.predictions.model import Input
    from reportgen.spec import SpecFile


def data_fingerprint(spec_file: SpecFile, inputs: Iterable[Input]) -> str:
    """Return a hash of what the classifiers were measured on, under whatever names files have.

    Counts and scores that stand in the spec itself are data, too; a file elsewhere, which has no
    hash, is known by its address alone.
    """
    read = [[file.classifier, file.sha256 or file.path] for file in inputs]
    in_spec = any(each.predictions is None for each in spec_file.spec.classifiers)
    told = json.dumps([read, spec_file.sha256 if in_spec else None])
    return sha256(told.encode()).hexdigest()
