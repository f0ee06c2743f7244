"""Mistakes on the same cases: how many are shared, and examples of them on request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from reportgen.predictions.scores import probability_column_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.predictions.join import JoinedCases
    from reportgen.predictions.scores import ScoreType
    from reportgen.spec import Task

# A mistake is called confident from this probability of the predicted class on.
CONFIDENT_PROBABILITY = 0.9
MistakeKind = Literal["confident", "only_right", "all_wrong"]


@dataclass(frozen=True, slots=True)
class ClassifierMistakes:
    """The mistakes of a classifier, and the cases on which it differs from all others.

    `confident` is None unless it has probabilities; `only_right` and `only_wrong` are None for a
    single classifier.
    """

    classifier: str
    wrong: int
    confident: int | None
    only_right: int | None
    only_wrong: int | None


@dataclass(frozen=True, slots=True)
class MistakeExample:
    """A case that a classifier predicts wrongly, or alone predicts right, or that all get wrong.

    `classifier` is None if all are wrong. `predicted` is the wrong class, or the wrong classes
    separated by semicolons. `confidence` is that of the classifier or, for the other kinds, the
    mean probability that the classifiers that are wrong give their predictions; None without.
    """

    kind: MistakeKind
    classifier: str | None
    rank: int
    id: str
    truth: str
    predicted: str
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Mistakes:
    """Mistakes on the cases that all classifiers with predictions have in common.

    Cases count once each, whatever their sampling weight.
    """

    cases: int
    all_right: int
    all_wrong: int
    classifiers: tuple[ClassifierMistakes, ...]
    examples: tuple[MistakeExample, ...] = ()
    has_ids: bool = False
    """Whether the cases have ids, without which there are no examples."""


def find_mistakes(
    task: Task,
    joined: JoinedCases,
    classes: Sequence[str],
    score_types: Sequence[ScoreType],
    examples: int,
) -> Mistakes:
    """Count mistakes in one lazy plan, and list up to `examples` cases of each kind.

    The confidence of a prediction is the probability of the predicted class. Of a ranking score it
    is the proportion of cases with a lower score (or, for a negative prediction, a higher one).
    """
    names = tuple(joined.frames)
    kinds = {score_type.classifier: score_type.kind for score_type in score_types}
    has_ids = next(iter(joined.frames.values())).schema.get("id", pl.Null) != pl.Null
    cases = _side_by_side(task, joined, classes, kinds)
    mistake_counts = cases.select(**dict(_count_expressions(names, kinds)))
    top: dict[tuple[MistakeKind, str | None], pl.LazyFrame] = {}
    if examples and has_ids:
        top = dict(_example_plans(cases, names, kinds, examples))
    counts, *example_frames = pl.collect_all([mistake_counts, *top.values()])
    row = counts.row(0, named=True)
    return Mistakes(
        cases=row["cases"],
        all_right=row["all_right"],
        all_wrong=row["all_wrong"],
        classifiers=tuple(
            ClassifierMistakes(
                name,
                row[f"wrong {at}"],
                row.get(f"confident {at}"),
                row[f"only_right {at}"] if len(names) > 1 else None,
                row[f"only_wrong {at}"] if len(names) > 1 else None,
            )
            for at, name in enumerate(names)
        ),
        examples=tuple(
            example
            for (kind, name), frame in zip(top, example_frames, strict=True)
            for example in _examples(kind, name, frame, names)
        ),
        has_ids=has_ids,
    )


def _side_by_side(
    task: Task, joined: JoinedCases, classes: Sequence[str], kinds: Mapping[str, str]
) -> pl.LazyFrame:
    """Return id, truth and count of each case with all predictions, their hits and confidences."""
    first = next(iter(joined.frames.values()))
    shared = first.lazy().select(
        "truth", *(["id"] if "id" in first.columns else []), position=pl.int_range(pl.len())
    )
    counts = [] if joined.counts is None else [joined.counts.alias("count").to_frame().lazy()]
    parts = [
        frame.lazy().select(
            pl.col("prediction").alias(f"prediction {at}"),
            (pl.col("prediction") == pl.col("truth")).fill_null(value=False).alias(f"right {at}"),
            _confidence(task, classes, kinds.get(name)).alias(f"confidence {at}"),
        )
        for at, (name, frame) in enumerate(joined.frames.items())
    ]
    joint = pl.concat([shared, *parts, *counts], how="horizontal")
    numbers = range(len(joined.frames))
    probable = [at for at, name in enumerate(joined.frames) if kinds.get(name) == "probability"]
    confidences = [
        pl.when(~pl.col(f"right {at}")).then(pl.col(f"confidence {at}")) for at in probable
    ]
    return joint.with_columns(
        right=pl.sum_horizontal(pl.col(f"right {at}").cast(pl.UInt32) for at in numbers),
        confidence=pl.mean_horizontal(confidences) if confidences else pl.lit(None, pl.Float64),
        **({} if counts else {"count": pl.lit(1, pl.Int64)}),
    )


def _confidence(task: Task, classes: Sequence[str], kind: str | None) -> pl.Expr:
    """Return the probability of the predicted class, or what stands for it."""
    if kind is None:
        return pl.lit(None, pl.Float64)
    if task.positive is None:
        predicted_class = pl.coalesce(
            pl.when(pl.col("prediction") == label).then(pl.col(column))
            for label, column in zip(classes, probability_column_names(classes), strict=True)
        )
        return predicted_class.cast(pl.Float64)
    score = pl.col("score")
    positive, negative = score, 1 - score
    if kind == "ranking":
        positive, negative = (
            (score.rank("average", descending=descending) - 0.5) / pl.len()
            for descending in (False, True)
        )
    return pl.when(pl.col("prediction") == task.positive).then(positive).otherwise(negative)


def _count_expressions(
    names: Sequence[str], kinds: Mapping[str, str]
) -> Iterator[tuple[str, pl.Expr]]:
    right, number = pl.col("right"), len(names)

    def cases(condition: pl.Expr) -> pl.Expr:
        return pl.col("count").filter(condition).sum().cast(pl.Int64)

    yield "cases", pl.col("count").sum().cast(pl.Int64)
    yield "all_right", cases(right == number)
    yield "all_wrong", cases(right == 0)
    for at, name in enumerate(names):
        own = pl.col(f"right {at}")
        yield f"wrong {at}", cases(~own)
        yield f"only_right {at}", cases(own & (right == 1))
        yield f"only_wrong {at}", cases(~own & (right == number - 1))
        if kinds.get(name) == "probability":
            sure = pl.col(f"confidence {at}") >= CONFIDENT_PROBABILITY
            yield f"confident {at}", cases(~own & sure)


def _example_plans(
    cases: pl.LazyFrame, names: Sequence[str], kinds: Mapping[str, str], limit: int
) -> Iterator[tuple[tuple[MistakeKind, str | None], pl.LazyFrame]]:
    """Yield the plans of the examples of each kind, the most confident mistakes first."""

    def top(condition: pl.Expr, confidence: str) -> pl.LazyFrame:
        # Ties in the order of the cases, so that the same inputs give the same examples.
        ordered = cases.filter(condition).sort(
            confidence, "position", descending=[True, False], nulls_last=True
        )
        return ordered.head(limit).with_columns(confidence=confidence)

    for at, name in enumerate(names):
        if name in kinds:
            yield ("confident", name), top(~pl.col(f"right {at}"), f"confidence {at}")
    if len(names) == 1:
        return
    for at, name in enumerate(names):
        alone = pl.col(f"right {at}") & (pl.col("right") == 1)
        yield ("only_right", name), top(alone, "confidence")
    yield ("all_wrong", None), top(pl.col("right") == 0, "confidence")


def _examples(
    kind: MistakeKind, classifier: str | None, frame: pl.DataFrame, names: Sequence[str]
) -> Iterator[MistakeExample]:
    numbers = range(len(names))
    for rank, row in enumerate(frame.iter_rows(named=True), start=1):
        classifier_numbers = (
            [names.index(classifier)] if kind == "confident" and classifier else numbers
        )
        wrong = [at for at in classifier_numbers if not row[f"right {at}"]]
        yield MistakeExample(
            kind=kind,
            classifier=classifier,
            rank=rank,
            id=str(row["id"]),
            truth=str(row["truth"]),
            predicted="; ".join(dict.fromkeys(row[f"prediction {at}"] for at in wrong)),
            confidence=row["confidence"],
        )
