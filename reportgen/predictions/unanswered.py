"""Cases without an answer: predictions that are missing, or that abstain from naming a class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic
from reportgen.errors.data import NO_COMMON_CASES, NO_PREDICTION
from reportgen.predictions.diagnostics import format_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.predictions.join import JoinedCases
    from reportgen.spec import Spec

ERROR, WRONG, DROP = "error", "wrong", "drop"
# The predicted class of unanswered cases of several classes that count as wrong.
NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class AnswerCount:
    """The number of cases of a classifier, and how many of them it answers."""

    classifier: str
    cases: int
    answered: int


@dataclass(frozen=True, slots=True)
class UnansweredCases:
    """What unanswered cases count as, how many there are, and the cases by the other rule.

    `policy` is "wrong", "drop" or a class. Of `dropped` cases at least one classifier has no
    answer. `alternative` has the answered cases only or, if these are evaluated, all cases with
    unanswered ones counted as wrong; None if there is no such case.
    """

    policy: str
    answers: tuple[AnswerCount, ...]
    unanswered: int
    alternative_policy: str
    alternative: JoinedCases | None


def missing_policy(spec: Spec) -> str:
    """Return what unanswered cases count as; abstentions are dropped by default."""
    if spec.data.missing == ERROR and spec.task.abstain:
        return DROP
    return spec.data.missing


def optional_roles(spec: Spec) -> frozenset[str]:
    """Return the columns whose values may be missing."""
    if spec.data.missing == ERROR:
        return frozenset()
    return frozenset({"prediction", "score"} if spec.data.missing == DROP else {"prediction"})


def extended_classes(spec: Spec, classes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the classes, with one for no answer where unanswered cases of several count as wrong.

    Two classes need none: an unanswered case counts as the other class.
    """
    if not spec.task.is_multiclass or missing_policy(spec) != WRONG or NO_ANSWER in classes:
        return classes
    return (*classes, NO_ANSWER)


def ends_with_no_answer(classes: Sequence[str]) -> bool:
    """Return whether the last class is that of unanswered cases, which averages leave out."""
    return classes[-1] == NO_ANSWER


def resolve_unanswered(
    spec: Spec, joined: JoinedCases, classes: tuple[str, ...]
) -> tuple[JoinedCases, UnansweredCases | None]:
    """Apply the rule for unanswered cases; None if the spec has none."""
    policy = missing_policy(spec)
    if policy == ERROR:
        return joined, None
    missing = {name: _is_unanswered(frame) for name, frame in joined.frames.items()}
    any_missing = pl.select(pl.any_horizontal(list(missing.values()))).to_series()
    counts = joined.counts
    answers = tuple(
        AnswerCount(name, joined.case_count, joined.case_count - _count(mask, counts))
        for name, mask in missing.items()
    )
    unanswered = _count(any_missing, counts)
    if not unanswered:
        return joined, UnansweredCases(policy, answers, 0, DROP, None)
    if unanswered == joined.case_count and policy == DROP:
        message = "no case is answered by all classifiers"
        help_text = f'count unanswered cases instead: `missing = "{WRONG}"` in [data]'
        raise DataError(Diagnostic(NO_COMMON_CASES, message, help=help_text))
    answered = None
    if unanswered < joined.case_count:
        answered = joined.filter_rows(~any_missing)
    if policy == DROP and answered is not None:
        filled_cases = None
        if spec.task.kind == "binary" and not _has_scores(joined):
            filled_cases = replace(joined, frames=_fill(joined.frames, WRONG, classes))
        unanswered_cases = UnansweredCases(policy, answers, unanswered, WRONG, filled_cases)
        return _with_warning(answered, unanswered_cases), unanswered_cases
    if policy not in {WRONG, *classes}:
        message = f"`missing` in [data] is {policy!r}, which is not one of the classes"
        help_text = f'write "{WRONG}", "{DROP}" or one of {", ".join(classes)}'
        raise DataError(Diagnostic(NO_PREDICTION, message, help=help_text))
    filled_cases = replace(joined, frames=_fill(joined.frames, policy, classes))
    unanswered_cases = UnansweredCases(policy, answers, unanswered, DROP, answered)
    return _with_warning(filled_cases, unanswered_cases), unanswered_cases


def _has_scores(joined: JoinedCases) -> bool:
    return any(
        frame.schema["score"] != pl.Null for frame in joined.frames.values() if "score" in frame
    )


def _is_unanswered(frame: pl.DataFrame) -> pl.Series:
    """Return the mask of rows without a prediction, or without a score where there are scores."""
    missing = frame["prediction"].is_null()
    if "score" in frame.columns and frame.schema["score"] != pl.Null:
        missing |= frame["score"].is_null()
    return missing


def _count(mask: pl.Series, counts: pl.Series | None) -> int:
    return int(mask.sum() if counts is None else counts.filter(mask).sum())


def _fill(
    frames: Mapping[str, pl.DataFrame], policy: str, classes: tuple[str, ...]
) -> dict[str, pl.DataFrame]:
    """Fill in the predictions of unanswered cases."""
    label = pl.Enum(classes)
    if policy != WRONG:
        prediction = pl.col("prediction").fill_null(pl.lit(policy, label))
    elif NO_ANSWER in classes:
        prediction = pl.col("prediction").fill_null(pl.lit(NO_ANSWER, label))
    else:
        first, second = classes
        other = (
            pl.when(pl.col("truth") == first)
            .then(pl.lit(second, label))
            .otherwise(pl.lit(first, label))
        )
        prediction = pl.col("prediction").fill_null(other)
    return {name: frame.with_columns(prediction) for name, frame in frames.items()}


def _with_warning(joined: JoinedCases, unanswered_cases: UnansweredCases) -> JoinedCases:
    """Add a warning with the number of unanswered cases, and whether it differs."""
    number = format_count(unanswered_cases.unanswered, "case")
    shares = {answer.answered for answer in unanswered_cases.answers}
    if unanswered_cases.policy == DROP:
        message = f"{number} left out for all classifiers: at least one of them has no answer"
    elif unanswered_cases.policy == WRONG:
        message = f"{number} without an answer of at least one classifier, which counts as wrong"
    else:
        policy = unanswered_cases.policy
        message = f"{number} without an answer of at least one classifier, read as {policy!r}"
    if len(shares) > 1:
        listing = ", ".join(
            f"`{answer.classifier}` {answer.answered} of {answer.cases}"
            for answer in unanswered_cases.answers
        )
        message += f"; the classifiers differ in how many they answer ({listing})"
    return replace(joined, warnings=(message, *joined.warnings))
