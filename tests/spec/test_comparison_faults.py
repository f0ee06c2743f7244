"""What [comparison] names must exist and be something that can be tested."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

BINARY = """\
[task]
kind = "binary"
positive = "yes"
[[classifiers]]
name = "SVM"
predictions = "svm.csv"
[comparison]
"""
MISTAKES = {
    "unknown primary measure": ("E108", 'primary = «"accurcy"»', "`accuracy`"),
    "primary measure of another task": ("E109", 'primary = «"rmse"»', "reportgen explain rmse"),
    "primary measure without a better end": (
        "E109",
        'primary = «"prevalence"»',
        "a measure with a better end",
    ),
    "primary measure of scores without any": (
        "E122",
        'primary = «"auc"»',
        '`score = "…"` under [data]',
    ),
    "unknown measure with a margin": (
        "E108",
        "margin = { «accurcy» = 0.01 }",
        "`accuracy`",
    ),
    "margin of another task": ("E109", "margin = { «rmse» = 0.01 }", "reportgen explain rmse"),
    "one margin by two names": (
        "E119",
        "margin = { recall = 0.01, «sensitivity» = 0.02 }",
        "keep one",
    ),
    "unknown baseline": ("E110", 'baseline = «"SVN"»', "SVM"),
}


@pytest.mark.parametrize(("code", "keys", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_a_name_in_comparison_that_cannot_be_meant_is_told(
    check_mistake: Callable[[str, str, str | None], None], code: str, keys: str, hint: str
) -> None:
    """With its code, its place and a way out."""
    check_mistake(code, BINARY + keys, hint)
