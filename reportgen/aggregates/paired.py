"""Joint statistics of two classifiers on the same cases: prediction counts and loss differences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from reportgen.aggregates.probabilities import class_proportions, compute_losses
from reportgen.predictions.duplicates import sum_counts
from reportgen.statistics.paired_tests import AgreementTable, PairedContingencyTable
from reportgen.statistics.parallel import map_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

    from reportgen.aggregates.scored_cases import ScoredCases
    from reportgen.statistics import FloatArray, IndexArray


PAIRED_COUNT_SCHEMA = pl.Schema(
    {
        "first": pl.String,
        "second": pl.String,
        "truth": pl.String,
        "first_prediction": pl.String,
        "second_prediction": pl.String,
        "count": pl.Int64,
    }
)
# Sums of sampling weights are fractions.
_WEIGHTED_COUNT_SCHEMA = pl.Schema(
    (name, pl.Float64() if name == "count" else dtype)
    for name, dtype in PAIRED_COUNT_SCHEMA.items()
)
_PREDICTION_KEYS = ["truth", "first_prediction", "second_prediction"]
# Of more classifiers all pairs are counted at once, if there are not too many labels.
MAX_SEPARATE_CLASSIFIERS = 12
MAX_JOINT_CELLS = 4_000_000
MAX_INDICATORS = 1_000_000


def count_paired_predictions(
    cases: Mapping[str, pl.DataFrame], counts: pl.Series | None = None
) -> pl.DataFrame:
    """Count truth and both predictions for every pair of classifiers.

    Args:
        cases: truth and prediction by classifier, of the same cases in the same order.
        counts: the case weights of aggregated rows, or None if each row is one case.
    """
    truth = next(iter(cases.values()))["truth"]
    predictions = {name: frame["prediction"] for name, frame in cases.items()}
    if len(predictions) > MAX_SEPARATE_CLASSIFIERS:
        labels = sorted(
            {label for column in (truth, *predictions.values()) for label in _labels_in(column)}
        )
        if len(labels) ** 3 * len(predictions) ** 2 <= MAX_JOINT_CELLS:
            return _count_all_pairs(truth, predictions, labels, counts)
    return _count_pair_by_pair(truth, predictions, counts)


def _labels_in(column: pl.Series) -> list[str]:
    return column.unique().drop_nulls().cast(pl.String).to_list()


def _count_pair_by_pair(
    truth: pl.Series, predictions: Mapping[str, pl.Series], counts: pl.Series | None
) -> pl.DataFrame:
    """Count every pair by a query of its own, quickest for few classifiers."""
    classifiers = list(predictions)
    dtype = None if counts is None else counts.dtype
    side_by_side = pl.DataFrame(
        [
            truth,
            *(labels.alias(f"{at}") for at, labels in enumerate(predictions.values())),
            *([] if counts is None else [counts.alias("count")]),
        ]
    ).lazy()
    counted = [
        sum_counts(
            side_by_side,
            [
                pl.col("truth"),
                pl.col(f"{first}").alias("first_prediction"),
                pl.col(f"{second}").alias("second_prediction"),
            ],
            dtype,
        )
        .with_columns(first=pl.lit(classifiers[first]), second=pl.lit(classifiers[second]))
        .select(
            "first",
            "second",
            pl.col(_PREDICTION_KEYS).cast(pl.String),
            "count",
        )
        .sort(_PREDICTION_KEYS)
        for first, second in combinations(range(len(classifiers)), 2)
    ]
    return (
        pl.concat(pl.collect_all(counted)) if counted else pl.DataFrame(schema=PAIRED_COUNT_SCHEMA)
    )


def _count_all_pairs(
    truth: pl.Series,
    predictions: Mapping[str, pl.Series],
    labels: Sequence[str],
    counts: pl.Series | None,
) -> pl.DataFrame:
    """Count all pairs at once, as products of indicators of classifier and predicted label."""
    dtype, size = pl.Enum(labels), len(labels)
    true = truth.cast(dtype).to_physical().to_numpy()
    # Sorted by true class, so that the cases of a class are a slice.
    order = np.argsort(true, kind="stable")
    predicted = np.array(
        [column.cast(dtype).to_physical().to_numpy()[order] for column in predictions.values()]
    )
    weights = None if counts is None else counts.to_numpy().astype(np.float64)[order]
    ends = np.searchsorted(true[order], np.arange(size + 1))
    total = np.array(
        [
            _count_indicators(
                predicted[:, start:end], size, None if weights is None else weights[start:end]
            )
            for start, end in pairwise(ends)
        ]
    )
    cells = total.reshape(size, len(predictions), size, len(predictions), size)
    # In the order of the pairs, then of truth and both predictions.
    first, second = np.triu_indices(len(predictions), 1)
    by_pair = cells.transpose(1, 3, 0, 2, 4)[first, second]
    pair, at_truth, at_first, at_second = np.nonzero(by_pair)
    names, texts = pl.Series(list(predictions)), pl.Series(labels, dtype=pl.String)
    counted = pl.Series(by_pair[pair, at_truth, at_first, at_second])
    is_weighted = counts is not None and counts.dtype.is_float()
    return pl.DataFrame(
        {
            "first": names[first[pair]],
            "second": names[second[pair]],
            "truth": texts[at_truth],
            "first_prediction": texts[at_first],
            "second_prediction": texts[at_second],
            "count": counted if is_weighted else counted.cast(pl.Int64),
        }
    )


def _count_indicators(
    predicted: npt.NDArray[np.integer], size: int, weights: FloatArray | None
) -> FloatArray:
    """Count, for each two pairs of classifier and label, the cases predicted so by both."""
    indicators = len(predicted) * size
    # Sums of fewer ones than 2^24 are exact in single precision.
    dtype = np.float32 if weights is None else np.float64
    labels = np.arange(size, dtype=predicted.dtype)
    rows_at_once = max(1, MAX_INDICATORS // indicators)

    def of_block(block: slice) -> FloatArray:
        product = np.zeros((indicators, indicators))
        for start in range(block.start, block.stop, rows_at_once):
            part = slice(start, min(start + rows_at_once, block.stop))
            is_predicted = predicted[:, None, part] == labels[:, None]
            own = is_predicted.reshape(indicators, -1).astype(dtype)
            product += own @ (own if weights is None else own * weights[part]).T
        return product

    blocks = map_blocks(of_block, predicted.shape[1])
    return np.asarray(np.sum([np.zeros((indicators, indicators)), *blocks], axis=0))


@dataclass(frozen=True)
class PairedPredictionCounts:
    """Joint counts of truth and two classifiers' predictions on the same cases.

    `weight` is the number of distinct cases per counted case: below 1 in repeated
    cross-validation, where repeated predictions of a case are not independent. `has_design` is
    whether cases are clustered or weighted.
    """

    frame: pl.DataFrame
    classes: tuple[str, ...]
    weight: float = 1.0
    has_design: bool = False

    def __post_init__(self) -> None:
        """Raise a TypeError if the frame has another schema."""
        if self.frame.schema not in (PAIRED_COUNT_SCHEMA, _WEIGHTED_COUNT_SCHEMA):
            message = (
                f"paired prediction counts need {PAIRED_COUNT_SCHEMA}, not {self.frame.schema}"
            )
            raise TypeError(message)

    @property
    def has_independent_cases(self) -> bool:
        """Whether every case is predicted once, independent of the others and without a weight."""
        return self.weight == 1 and not self.has_design

    @cached_property
    def _by_pair(self) -> dict[tuple[object, ...], pl.DataFrame]:
        # As codes of the classes, which every table of a pair needs.
        labels = pl.col(_PREDICTION_KEYS).cast(pl.Enum(self.classes))
        coded = self.frame.with_columns(labels)
        return coded.partition_by("first", "second", as_dict=True, include_key=False)

    @cached_property
    def _agreement(self) -> tuple[dict[tuple[str, str], int], npt.NDArray[Any]]:
        """The row of each pair, and its counts by class as in `count_agreement`."""
        pairs = self.frame.select("first", "second").unique(maintain_order=True)
        row_of = {(first, second): row for row, (first, second) in enumerate(pairs.iter_rows())}
        pair_numbers = self.frame.select("first", "second").join(
            pairs.with_row_index("pair"), on=["first", "second"], how="left", maintain_order="left"
        )
        labels = self.frame.select(pl.col(_PREDICTION_KEYS).cast(pl.Enum(self.classes)))
        truth, first, second = (
            labels[name].to_physical().to_numpy().astype(np.int64) for name in _PREDICTION_KEYS
        )
        counts = count_agreement(
            (truth, first, second),
            self.frame["count"].to_numpy(),
            pair_numbers["pair"].to_numpy().astype(np.int64),
            (len(row_of), len(self.classes)),
        )
        return row_of, counts

    def contingency_tables(self, first: str, second: str) -> dict[str, PairedContingencyTable]:
        """Return for every class the agreement tables of a pair on its cases and on the others."""
        row_of, counts = self._agreement
        is_stored = (first, second) in row_of
        cells = counts[row_of[first, second] if is_stored else row_of[second, first]]
        if not is_stored:
            # Only the first and only the second change places.
            cells = cells[:, [0, 2, 1, 3, 4, 6, 5, 7]]
        return paired_contingency_tables(self.classes, cells)

    def correctness_table(self, first: str, second: str) -> AgreementTable:
        """Count the cases that both, one or neither of two classifiers predict correctly."""
        row_of, counts = self._agreement
        is_stored = (first, second) in row_of
        cells = counts[row_of[first, second] if is_stored else row_of[second, first]]
        both, first_only, second_only, neither = cells[:, :4].sum(axis=0).tolist()
        if is_stored:
            return AgreementTable(both, first_only, second_only, neither)
        return AgreementTable(both, second_only, first_only, neither)

    def has_pair(self, first: str, second: str) -> bool:
        """Return whether two classifiers were evaluated on the same cases."""
        return (first, second) in self._by_pair or (second, first) in self._by_pair

    def pair_counts(self, first: str, second: str) -> pl.DataFrame:
        """Return the joint counts of two classifiers in either order; empty if not paired."""
        if (first, second) in self._by_pair:
            return self._by_pair[first, second]
        if (second, first) in self._by_pair:
            return self._by_pair[second, first].select(
                "truth",
                first_prediction="second_prediction",
                second_prediction="first_prediction",
                count="count",
            )
        return self.frame.clear().select(*_PREDICTION_KEYS, "count")


def count_agreement(
    labels: tuple[IndexArray, IndexArray, IndexArray],
    counts: npt.NDArray[Any],
    pair: IndexArray,
    shape: tuple[int, int],
) -> npt.NDArray[Any]:
    """Count agreement on the cases of each class and on the others: pairs, classes, 8 counts.

    The counts are those of the cases of the class that both, only the first, only the second and
    neither predict as the class; then the same of the others.

    Args:
        labels: true class, and the two predicted classes, of every group of cases.
        counts: the number of cases of every group.
        pair: the pair of classifiers of every group.
        shape: the number of pairs and of classes.
    """
    truth, first, second = labels
    pairs, classes = shape
    agree = first == second

    def sum_by_class(places: IndexArray, mask: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
        at = pair[mask] * classes + places[mask]
        return np.bincount(at, counts[mask], pairs * classes).reshape(shape).astype(counts.dtype)

    tp = (
        sum_by_class(truth, (first == truth) & agree),
        sum_by_class(truth, (first == truth) & ~agree),
        sum_by_class(truth, (second == truth) & ~agree),
    )
    fp = (
        sum_by_class(first, (first != truth) & agree),
        sum_by_class(first, (first != truth) & ~agree),
        sum_by_class(second, (second != truth) & ~agree),
    )
    of_class = sum_by_class(truth, np.ones(len(truth), dtype=np.bool_))
    others = of_class.sum(axis=1, keepdims=True) - of_class
    return np.stack([*tp, of_class - sum(tp), *fp, others - sum(fp)], axis=-1)


def paired_contingency_tables(
    classes: Sequence[str], cells: npt.NDArray[Any]
) -> dict[str, PairedContingencyTable]:
    """Return the table of every class from a row of 8 counts, as in `count_agreement`."""
    return {
        label: PairedContingencyTable(
            AgreementTable(*(int(count) for count in row[:4])),
            AgreementTable(*(int(count) for count in row[4:])),
        )
        for label, row in zip(classes, cells.tolist(), strict=True)
    }


PAIRED_LOSS_SCHEMA = pl.Schema(
    {
        "first": pl.String,
        "second": pl.String,
        "loss": pl.String,
        "cases": pl.Int64,
        "differences": pl.Float64,
        "differences_squared": pl.Float64,
        "first_infinite": pl.Int64,
        "second_infinite": pl.Int64,
    }
)


@dataclass(frozen=True, slots=True)
class PairedLossSums:
    """Sums of case-wise loss differences, first minus second, and of their squares.

    `loss` is a column of `ProbabilityLossSums` or `RegressionSums`; `first_infinite` counts the
    cases with an infinite loss of the first classifier alone.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Raise a TypeError if the frame has another schema."""
        if self.frame.schema != PAIRED_LOSS_SCHEMA:
            message = f"paired loss sums need {PAIRED_LOSS_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)


def sum_paired_probability_losses(cases: ScoredCases) -> PairedLossSums:
    """Sum the differences of Brier scores, log losses and information scores."""
    priors = class_proportions(cases)
    classifiers = {
        scores.classifier: scores
        for scores in cases.classifiers
        if scores.probabilities is not None
    }
    if len(classifiers) < 2:  # noqa: PLR2004  # a pair is two
        return PairedLossSums(pl.DataFrame(schema=PAIRED_LOSS_SCHEMA))
    return _sum_paired_losses(
        lambda block: {
            name: compute_losses(cases, scores, priors, block)
            for name, scores in classifiers.items()
        },
        len(cases.truth),
        cases.counts,
    )


def sum_paired_regression_losses(
    cases: Mapping[str, pl.DataFrame], weights: FloatArray | None = None
) -> PairedLossSums:
    """Sum the differences of squared and absolute errors of numeric predictions."""
    errors = {name: (own["truth"] - own["prediction"]).to_numpy() for name, own in cases.items()}

    def losses(block: slice) -> dict[str, dict[str, FloatArray]]:
        return {
            name: {"squared_errors": error[block] ** 2, "absolute_errors": np.abs(error[block])}
            for name, error in errors.items()
        }

    return _sum_paired_losses(losses, len(next(iter(errors.values()))), weights)


def _count_infinite(
    first: FloatArray, second: FloatArray, counts: FloatArray | None
) -> tuple[float, float]:
    """Count the cases with an infinite loss of one classifier alone."""
    one, other = np.isinf(first), np.isinf(second)
    weights = np.ones(len(one)) if counts is None else counts
    return float(weights[one & ~other].sum()), float(weights[other & ~one].sum())


def _sum_paired_losses(
    losses_in_block: Callable[[slice], Mapping[str, Mapping[str, FloatArray]]],
    length: int,
    weights: FloatArray | None,
) -> PairedLossSums:
    def of_block(block: slice) -> list[tuple[str, str, str, float, float, float, float, float]]:
        losses = losses_in_block(block)
        counts = None if weights is None else weights[block]
        rows_of_block = []
        for first, second in combinations(losses, 2):
            for loss, values in losses[first].items():
                others = losses[second][loss]
                with np.errstate(invalid="ignore"):
                    difference = values - others
                    squares = difference * difference
                    if counts is not None:
                        difference = difference * counts
                        squares *= counts
                    sums = float(difference.sum()), float(squares.sum())
                infinite = (0.0, 0.0)
                if not np.isfinite(sums[0]):
                    infinite = _count_infinite(values, others, counts)
                cases = float(len(values)) if counts is None else float(counts.sum())
                rows_of_block.append((first, second, loss, cases, *sums, *infinite))
        return rows_of_block

    rows = []
    for blocks in zip(*map_blocks(of_block, length), strict=True):
        cases, *sums = (sum(row[at] for row in blocks) for at in range(3, 6))
        # Sampling weights have the mean 1.
        infinite = (round(sum(row[at] for row in blocks)) for at in (6, 7))
        rows.append((*blocks[0][:3], round(cases), *sums, *infinite))
    return PairedLossSums(pl.DataFrame(rows, PAIRED_LOSS_SCHEMA, orient="row"))
