"""The inputs that a spec names now, and their hashes, without reading what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.predictions.files import files_of
from reportgen.predictions.hashing import sha256_of
from reportgen.spec import spec_file_of
from reportgen.spec.texts import is_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.spec import SpecFile


def input_hashes(spec_file: SpecFile) -> list[tuple[str, str, str]] | None:
    """Return classifier, path and hash of every input in the order of the manifest.

    None if an input lies elsewhere: it would have to be fetched to be hashed.
    """
    parts = [spec_file_of(spec_file, each) for each in spec_file.spec.datasets] or [spec_file]
    named = [each for part in parts for each in _named(part)]
    if any(is_address(path) for _, path in named):
        return None
    known: dict[str, str] = {}
    hashes = []
    for classifier, path in named:
        for file in files_of(spec_file.folder, path):
            if file.written not in known:
                known[file.written] = sha256_of(file.path)
            hashes.append((classifier, file.written, known[file.written]))
    return hashes


def _named(spec_file: SpecFile) -> Iterator[tuple[str, str]]:
    for classifier in spec_file.spec.classifiers:
        if classifier.predictions is None:
            continue
        labels = spec_file.spec.data_of(classifier).labels
        for path in (*classifier.predictions, *([labels] if labels else [])):
            yield classifier.name, path
