"""Confined mode: what a spec from somebody else may not do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, SpecError
from reportgen.errors.spec import NOT_CONFINED
from reportgen.predictions.files import expand_path
from reportgen.spec import spec_file_for_dataset
from reportgen.spec.fields import is_uri

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.spec import SpecFile
    from reportgen.spec.issues import KeyPath


def check_confined(spec_file: SpecFile) -> None:
    """Raise a SpecError with everything that a spec may not do in confined mode.

    It reads only files in its own folder, after links are resolved, and neither runs commands nor
    uses the network, a cluster or the history of another report.
    """
    diagnostics = [
        Diagnostic(
            NOT_CONFINED,
            message,
            spec_file.locate(*path),
            "build without --untrusted if you trust this spec",
        )
        for path, message in (*_forbidden_settings(spec_file), *_outside_paths(spec_file))
    ]
    if diagnostics:
        raise SpecError(*diagnostics)


def _forbidden_settings(spec_file: SpecFile) -> Iterator[tuple[KeyPath, str]]:
    spec = spec_file.spec
    if spec.notify:
        yield ("notify",), "notifications are not allowed in confined mode"
    if spec.engine.kind != "polars":
        yield ("engine", "kind"), "a cluster is not allowed in confined mode"
    if spec.history.name is not None:
        yield (
            ("history", "name"),
            "the name of another history is not allowed in confined mode",
        )


def _outside_paths(spec_file: SpecFile) -> Iterator[tuple[KeyPath, str]]:
    folder = spec_file.folder.resolve()
    for key_path, path in _paths(spec_file):
        if is_uri(path):
            yield key_path, f"the remote file `{path}` is not allowed in confined mode"
            continue
        for file in expand_path(spec_file.folder, path):
            if not file.path.resolve().is_relative_to(folder):
                yield key_path, f"`{file.display_name}` is outside the folder of the spec"


def _paths(spec_file: SpecFile) -> Iterator[tuple[KeyPath, str]]:
    """Yield all paths in a spec with their keys."""
    spec = spec_file.spec
    for index, path in enumerate(spec.data.predictions or ()):
        yield ("data", "predictions", index), path
    if spec.data.labels is not None:
        yield ("data", "labels"), spec.data.labels
    parts = [spec_file_for_dataset(spec_file, dataset) for dataset in spec.datasets] or [spec_file]
    for part in parts:
        for number, classifier in enumerate(part.spec.classifiers):
            for path in classifier.predictions or ():
                yield ("classifiers", number, "predictions"), path
            if classifier.labels is not None:
                yield ("classifiers", number, "labels"), classifier.labels
    for number, dataset in enumerate(spec.datasets):
        if dataset.labels is not None:
            yield ("datasets", number, "labels"), dataset.labels
    theme = spec.output.theme
    for key in ("logo", "font", "font_bold", "font_italic"):
        if (path := getattr(theme, key)) is not None:
            yield ("output", "theme", key), path
    if spec.output.templates is not None:
        yield ("output", "templates"), spec.output.templates
    for number, section in enumerate(spec.sections):
        if section.file is not None:
            yield ("sections", number, "file"), section.file
