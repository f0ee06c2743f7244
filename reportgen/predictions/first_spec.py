"""A spec to start from: an example, or one that fits given prediction files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import ROLES_UNCLEAR
from reportgen.predictions.inspection import describe_file
from reportgen.predictions.roles import guess_roles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.predictions.roles import Roles

EXAMPLE = """\
# An evaluation by reportgen. Build it with: reportgen build reportgen.toml
# Every key is explained in the schema above and by `reportgen schema`.

title = "E-negotiation outcomes"

[task]
kind = "binary"                      # binary | multiclass | regression
positive = "success"                 # the class that is looked for
classes = ["success", "failure"]     # the order in tables and matrices

# Each classifier is known by its predictions, or by its counts, as here:
# rows are the truth, columns what was predicted, both in the order of `classes`.
[[classifiers]]
name = "SVM"
confusion = [[1242, 189], [390, 740]]

[[classifiers]]
name = "Naive Bayes"
confusion = [[1108, 323], [272, 858]]

# With predictions in files, name the columns once and the files per classifier
# (`reportgen init predictions.csv` writes this part for you):
#
# [data]
# id = "case"
# truth = "outcome"
# prediction = "predicted"
#
# [[classifiers]]
# name = "SVM"
# predictions = "svm.csv"

[measures]
show = ["traditional", "discriminant"]   # `reportgen measures` lists names and groups

[output]
formats = ["html", "pdf", "json"]        # also csv, parquet, latex, markdown
"""


def example_spec() -> str:
    """Return an example that builds as it is."""
    return EXAMPLE


def spec_for_files(paths: Sequence[Path], folder: Path) -> str:
    """Return a spec for prediction files, with paths relative to the folder it will be in."""
    first = describe_file(paths[0])
    roles = guess_roles(first)
    if roles is None:
        names = ", ".join(column.name for column in first.columns)
        raise DataError(
            Fault(
                ROLES_UNCLEAR,
                f"cannot tell which columns are the truth and the prediction; found {names}",
                Place(paths[0]),
                "call them `truth` and `prediction`, or start from `reportgen init` and name the"
                " columns in [data]",
            )
        )
    return "\n".join(_lines(roles, paths, folder)) + "\n"


def _lines(roles: Roles, paths: Sequence[Path], folder: Path) -> Iterator[str]:
    yield "# Written by `reportgen init` from the columns of the prediction files: please check it."
    yield ""
    yield f"title = {_quoted(f'Evaluation of {paths[0].stem}')}"
    yield ""
    yield "[task]"
    yield f"kind = {_quoted(roles.kind)}"
    if roles.positive is not None:
        yield f"positive = {_quoted(roles.positive)}    # a guess: name the class you look for"
    yield ""
    yield "[data]"
    yield f"truth = {_quoted(roles.truth)}"
    if len(roles.predictions) == 1:
        yield f"prediction = {_quoted(roles.predictions[0])}"
    yield from _optional(roles)
    yield from _classifiers(roles, paths, folder)


def _optional(roles: Roles) -> Iterator[str]:
    for key in ("score", "probabilities", "fold", "id"):
        column = getattr(roles, key)
        if column is not None:
            yield f"{key} = {_quoted(column)}"
    if not roles.predictions:
        yield "threshold = 0.5    # there is no column of predictions, so they come from the score"


def _classifiers(roles: Roles, paths: Sequence[Path], folder: Path) -> Iterator[str]:
    columns = roles.predictions if len(roles.predictions) > 1 else (None,)
    for path in paths:
        for column in columns:
            name = path.name.split(".")[0] if column is None else column
            if column is not None and len(paths) > 1:
                name = f"{path.name.split('.')[0]} {column}"
            yield ""
            yield "[[classifiers]]"
            yield f"name = {_quoted(name)}"
            yield f"predictions = {_quoted(_relative(path, folder))}"
            if column is not None:
                yield f"prediction = {_quoted(column)}"


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
