"""Specs of two classes, as short to write as their counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Matrix: TypeAlias = "Sequence[Sequence[int]]"

YES_OR_NO = """\
[task]
kind = "binary"
positive = "yes"
classes = ["yes", "no"]
"""
SVM_COUNTS = """\
[[classifiers]]
name = "SVM"
confusion = [[9, 1], [2, 8]]
"""
SVM_FILE = """\
[[classifiers]]
name = "SVM"
predictions = "svm.csv"
"""


def counted_spec(*matrices: Matrix, title: str = "A test") -> str:
    """Return a spec whose classifiers A, B, … are known by their counts."""
    classifiers = (
        f'[[classifiers]]\nname = "{name}"\nconfusion = {[list(row) for row in matrix]}\n'
        for name, matrix in zip("ABCDEF", matrices, strict=False)
    )
    return f'title = "{title}"\n{YES_OR_NO}' + "".join(classifiers)
