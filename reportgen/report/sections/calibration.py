"""Calibration: reliability diagram, decomposition of the Brier score, recalibration, tests."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from reportgen.evaluation.calibration import N_RESAMPLES, MiscalibrationKind
from reportgen.measures import get_measure
from reportgen.report.charts import (
    BinHistogram,
    ConfidenceBand,
    ReliabilityDiagram,
    ReliabilityLine,
    ReliabilityPanel,
)
from reportgen.report.document import Bullets, Column, Figure, Paragraph, RowGroup, Table
from reportgen.report.formatting import confidence_level, inline_number, inline_range
from reportgen.report.inline import (
    Count,
    Estimate,
    InlineText,
    PlainNumber,
    PValue,
    Strong,
)
from reportgen.report.phrases import join_names_abbreviated, join_sentences
from reportgen.report.selection import (
    MAX_CURVES,
    MAX_ROWS,
    classifier_color,
    classifiers_best_first,
    is_full_detail,
    omitted_in_results_note,
    plotted_classifiers,
    unplotted_classifiers_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.calibration import (
        BandPoint,
        Calibration,
        CalibrationCurve,
        CurvePiece,
        MiscalibrationComparison,
    )
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell

_TITLE = "Calibration (CORP reliability diagram)"
_READING = (
    "Observed frequency by isotonic regression (Dimitriadis et al. 2021) against predicted"
    " probability; best calibrated first, by the MCB beyond that expected of calibrated"
    " probabilities. Below the diagonal: over-prediction; above: under-prediction. No line where no"
    " case has such a probability."
)
_TOP_LABEL = " The probability is that of the predicted class, the frequency that it is correct."
_SCORE_DECIMALS, _SLOPE_DECIMALS, _BIN_DECIMALS = 4, 2, 2
_MAX_FINDINGS = 6
_KIND_PHRASES = {
    MiscalibrationKind.OVERCONFIDENT: "over-confident (probabilities too extreme)",
    MiscalibrationKind.UNDERCONFIDENT: "under-confident (probabilities not extreme enough)",
    MiscalibrationKind.OVERPREDICTION: "too high on average",
    MiscalibrationKind.UNDERPREDICTION: "too low on average",
    MiscalibrationKind.OTHER: "miscalibrated",
}
_DECOMPOSITION_TITLE = "Decomposition of the Brier score and logistic recalibration"
_DECOMPOSITION_HEADS = ("Brier score", "MCB", "DSC", "Slope", "Intercept")
_DECOMPOSITION_NOTE = (
    "Brier score = MCB − DSC + UNC (miscalibration, discrimination, uncertainty): lower MCB and"
    " higher DSC are better"
)
_RECALIBRATION_NOTE = (
    " Slope and intercept of the logistic recalibration (Cox 1958), the intercept with slope 1:"
    " calibrated probabilities have slope 1 and intercept 0; slope below 1: too extreme; intercept"
    " below 0: too high."
)
_PAIRS_NOTE = (
    " MCB above: MCB minus that of the reference, both beyond the MCB expected of calibrated"
    " probabilities, which grows with the number of distinct probabilities; paired z-test."
)
_ADJUSTED_NOTE = (
    " p-values are adjusted (Holm) for this table only, outside the families of the report."
)


def build_calibration_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return a finding per classifier, the reliability diagram, and the decomposition."""
    if not evaluation.calibration:
        return ()
    ordered = sorted(
        evaluation.calibration, key=lambda calibration: calibration.overall.excess_miscalibration
    )
    return (
        *_findings(evaluation, ordered),
        calibration_figure(evaluation),
        *_decomposition_tables(evaluation, ordered),
        *_comparison_table(evaluation),
    )


def _findings(evaluation: Evaluation, calibrations: Sequence[Calibration]) -> Iterator[Block]:
    """Yield a sentence for each classifier, all those without miscalibration in one."""
    unbiased = [
        _curve_name(evaluation, item.overall) for item in calibrations if not item.overall.kinds
    ]
    biased = [item for item in calibrations if item.overall.kinds]
    selected = _of_best_classifiers(evaluation, biased, _MAX_FINDINGS)
    items = [Paragraph(tuple(_finding(evaluation, item))) for item in selected]
    if unbiased:
        sentence = (
            *join_names_abbreviated(unbiased),
            ": no significant miscalibration (not evidence of calibration).",
        )
        items.insert(0, Paragraph(sentence))
    yield Bullets(tuple(items))
    if len(biased) > _MAX_FINDINGS:
        is_multilabel = evaluation.task_kind == "multilabel"
        yield omitted_in_results_note(f"Further {'labels' if is_multilabel else 'classifiers'}")


def _of_best_classifiers(
    evaluation: Evaluation, calibrations: Sequence[Calibration], limit: int
) -> list[Calibration]:
    """Return the calibrations of the best classifiers, and of their labels those to recalibrate.

    The order is kept.
    """
    best_first = classifiers_best_first(evaluation)
    selected = sorted(
        calibrations,
        key=lambda item: (
            best_first.index(item.classifier),
            -item.overall.excess_miscalibration,
        ),
    )[:limit]
    return [item for item in calibrations if item in selected]


def _finding(evaluation: Evaluation, calibration: Calibration) -> Iterator[Inline]:
    """Yield in which direction a classifier is miscalibrated, and where most."""
    curve, gap = calibration.overall, calibration.largest_gap
    yield Strong(_curve_name(evaluation, calibration.overall))
    yield ": "
    yield " and ".join(_KIND_PHRASES[kind] for kind in curve.kinds)
    yield " (adjusted "
    yield PValue(curve.p_adjusted, with_symbol=True)
    yield "). Largest gap: "
    yield Count(gap.cases)
    yield " cases with a probability "
    yield from _bin_phrase(gap.lower, gap.upper)
    # Proportions are stated as sensitivity is: in percent.
    percentage = partial(inline_number, get_measure("sensitivity"))
    yield ", mean "
    yield percentage(gap.mean_probability)
    yield ", correct in " if calibration.class_ is None else ", observed "
    yield percentage(gap.observed)
    yield "."


def _bin_phrase(lower: float, upper: float) -> Iterator[Inline]:
    if lower <= 0:
        yield "below "
        yield PlainNumber(upper, _BIN_DECIMALS)
    elif upper >= 1:
        yield "of "
        yield PlainNumber(lower, _BIN_DECIMALS)
        yield " or more"
    else:
        yield "of "
        yield from inline_range(
            PlainNumber(lower, _BIN_DECIMALS), PlainNumber(upper, _BIN_DECIMALS)
        )


def calibration_figure(evaluation: Evaluation) -> Figure:
    """Return the reliability diagram, with a panel for each classifier, best calibrated first."""
    names = list(dict.fromkeys(item.classifier for item in evaluation.calibration))
    best = plotted_classifiers(evaluation, names)
    # Consistency bands lie around the diagonal: two in one panel would hide each other.
    plotted_calibrations = sorted(
        (item for item in evaluation.calibration if item.classifier in best),
        key=lambda calibration: calibration.overall.excess_miscalibration,
    )
    # Of many labels, those to recalibrate.
    n_omitted = max(0, len(plotted_calibrations) - MAX_CURVES)
    plotted_calibrations = plotted_calibrations[n_omitted:]
    chart = ReliabilityDiagram(
        "predicted probability",
        "observed frequency",
        tuple(_panel(evaluation, calibration) for calibration in plotted_calibrations),
    )
    of_top_label = any(item.class_ is None for item in plotted_calibrations)
    reading = f"{_READING}{_TOP_LABEL}" if of_top_label else _READING
    note = join_sentences(
        (
            "Shaded: pointwise ",
            confidence_level(evaluation),
            (
                " consistency band, where the curve lies if the probabilities are calibrated; thick"
                " lines are outside. MCB: miscalibration, a part of the Brier score (0:"
                " calibrated). Bars: cases in bins of equal width."
            ),
        ),
        unplotted_classifiers_sentence(evaluation, names),
        (Count(n_omitted), " better calibrated panels not shown.") if n_omitted else (),
    )
    return Figure("reliability", _TITLE, chart, Paragraph((reading,)), note)


def _curve_name(evaluation: Evaluation, curve: CalibrationCurve) -> str:
    """Return the classifier, of a multilabel task with the label."""
    if evaluation.task_kind != "multilabel":
        return curve.classifier
    if len({calibration.classifier for calibration in evaluation.calibration}) == 1:
        return f"label {curve.class_}"
    return f"label {curve.class_} ({curve.classifier})"


def _panel(evaluation: Evaluation, calibration: Calibration) -> ReliabilityPanel:
    curve, name = calibration.overall, _curve_name(evaluation, calibration.overall)
    color_index = classifier_color(evaluation, calibration.classifier)
    bars = tuple((bin_.lower, bin_.upper, float(bin_.cases)) for bin_ in calibration.bins)
    lines = tuple(
        ReliabilityLine(
            tuple(_line_points(tuple(pieces))),
            _band([point for point in curve.band if point.line == line]),
            tuple(_deviations([point for point in curve.band if point.line == line])),
        )
        for line, pieces in groupby(curve.pieces, key=lambda piece: piece.line)
    )
    return ReliabilityPanel(
        name,
        color_index,
        curve.brier.miscalibration,
        lines,
        BinHistogram(name, color_index, bars),
    )


def _line_points(pieces: Sequence[CurvePiece]) -> Iterator[tuple[float, float]]:
    for piece in pieces:
        yield piece.lower, piece.calibrated
        if piece.upper > piece.lower:
            yield piece.upper, piece.calibrated


def _band(points: Sequence[BandPoint]) -> ConfidenceBand | None:
    if not points:
        return None
    return ConfidenceBand(
        tuple((point.probability, point.low) for point in points),
        tuple((point.probability, point.high) for point in points),
    )


def _deviations(points: Sequence[BandPoint]) -> Iterator[tuple[tuple[float, float], ...]]:
    """Yield the runs of neighbouring points of the curve that are outside the band."""
    for outside, run in groupby(points, key=lambda point: point.outside):
        if outside:
            yield tuple((point.probability, point.calibrated) for point in run)


def _decomposition_tables(
    evaluation: Evaluation, ordered: Sequence[Calibration]
) -> Iterator[Block]:
    """Yield the decomposition of all classifiers and, in full detail, of their classes."""
    curves = [calibration.overall for calibration in ordered]
    if evaluation.task_kind == "multilabel":
        yield _label_table(evaluation, curves)
        return
    reference = evaluation.spec.comparison.baseline or curves[0].classifier
    if not is_full_detail(evaluation):
        curves = [item.overall for item in _of_best_classifiers(evaluation, ordered, MAX_ROWS)]
    pairs = _pairs_with(evaluation, reference)
    pair_heads = (f"MCB above {reference}", "Adj. p, difference") if pairs else ()
    heads = (*_DECOMPOSITION_HEADS, "Adj. p, calibrated", *pair_heads)
    yield Table(
        "calibration",
        _DECOMPOSITION_TITLE,
        (Column("Classifier"), *(Column(head, numeric=True) for head in heads)),
        (
            RowGroup(
                tuple(
                    (
                        curve.classifier,
                        *_decomposition_cells(curve),
                        PValue(curve.p_adjusted),
                        *(_pair_cells(pairs.get(curve.classifier), reference) if pairs else ()),
                    )
                    for curve in curves
                )
            ),
        ),
        Paragraph(tuple(_table_note(evaluation, curves, with_pairs=bool(pairs)))),
    )
    if len(curves) < len(ordered):
        yield omitted_in_results_note("Further classifiers")
    if not any(calibration.by_class for calibration in ordered):
        return
    if not is_full_detail(evaluation):
        yield omitted_in_results_note("Calibration of every class")
        return
    yield Table(
        "calibration-classes",
        "Calibration by class (one-vs-rest)",
        (Column("Class"), *(Column(head, numeric=True) for head in _DECOMPOSITION_HEADS)),
        tuple(
            RowGroup(
                tuple(
                    (curve.class_, *_decomposition_cells(curve)) for curve in calibration.by_class
                ),
                InlineText((Strong(calibration.classifier),)),
            )
            for calibration in ordered
        ),
    )


def _label_table(evaluation: Evaluation, curves: Sequence[CalibrationCurve]) -> Table:
    """Return the decomposition of every label, the worst calibrated first."""
    heads = (*_DECOMPOSITION_HEADS, "Adj. p, calibrated")
    return Table(
        "calibration",
        f"{_DECOMPOSITION_TITLE}, by label",
        (Column("Label"), *(Column(head, numeric=True) for head in heads)),
        tuple(
            RowGroup(
                tuple(
                    (curve.class_, *_decomposition_cells(curve), PValue(curve.p_adjusted))
                    for curve in reversed(curves)
                    if curve.classifier == name
                ),
                InlineText((Strong(name),)),
            )
            for name in dict.fromkeys(curve.classifier for curve in curves)
        ),
        Paragraph(tuple(_table_note(evaluation, curves, with_pairs=False))),
    )


def _table_note(
    evaluation: Evaluation, curves: Sequence[CalibrationCurve], *, with_pairs: bool
) -> Iterator[Inline]:
    yield _DECOMPOSITION_NOTE
    uncertainties = {curve.brier.uncertainty for curve in curves}
    if len(uncertainties) == 1:
        yield "; UNC "
        yield PlainNumber(uncertainties.pop(), _SCORE_DECIMALS)
        yield " for all"
    yield "."
    yield _RECALIBRATION_NOTE
    yield from _excluded_sentence(evaluation, curves)
    yield from _undefined_sentence(evaluation, curves)
    yield " Adj. p, calibrated: of such an MCB if the classifier is calibrated ("
    yield Count(N_RESAMPLES)
    yield " resamples); a small p does not mean a large miscalibration."
    if with_pairs:
        yield _PAIRS_NOTE
    yield _ADJUSTED_NOTE
    if with_pairs and len(evaluation.miscalibration_comparisons) >= len(curves):
        yield " Other pairs: results.json."


def _decomposition_cells(curve: CalibrationCurve) -> tuple[TableCell, ...]:
    brier = curve.brier
    return (
        *(
            PlainNumber(part, _SCORE_DECIMALS)
            for part in (brier.score, brier.miscalibration, brier.discrimination)
        ),
        *(
            "undefined"
            if coefficient is None
            else Estimate(coefficient.value, coefficient.low, coefficient.high, _SLOPE_DECIMALS)
            for coefficient in (curve.slope, curve.shift)
        ),
    )


def _pairs_with(evaluation: Evaluation, reference: str) -> dict[str, MiscalibrationComparison]:
    """Return the tests of the other classifiers against the reference."""
    return {
        pair.second if pair.first == reference else pair.first: pair
        for pair in evaluation.miscalibration_comparisons
        if reference in {pair.first, pair.second}
    }


def _pair_cells(
    pair: MiscalibrationComparison | None, reference: str
) -> tuple[TableCell, TableCell]:
    if pair is None:
        return None, None
    above = pair.reversed() if pair.first == reference else pair
    return (
        Estimate(above.excess, above.low, above.high, _SCORE_DECIMALS),
        PValue(above.p_adjusted),
    )


def _excluded_sentence(
    evaluation: Evaluation, curves: Sequence[CalibrationCurve]
) -> Iterator[Inline]:
    """Yield the number of cases without a logit, by classifier."""
    excluded = [curve for curve in curves if curve.excluded_cases]
    for index, curve in enumerate(excluded):
        yield (
            " Left out of the recalibration, as probability exactly 0 or 1: " if not index else ", "
        )
        yield Strong(_curve_name(evaluation, curve))
        yield " "
        yield Count(curve.excluded_cases)
    if excluded:
        yield " cases."


def _undefined_sentence(
    evaluation: Evaluation, curves: Sequence[CalibrationCurve]
) -> Iterator[Inline]:
    reasons: dict[str, list[str]] = {}
    for curve in curves:
        if curve.undefined_reason is not None:
            name = _curve_name(evaluation, curve)
            reasons.setdefault(curve.undefined_reason, []).append(name)
    for reason, names in reasons.items():
        yield f" Slope undefined, as {reason}: "
        yield from join_names_abbreviated(names)
        yield "."


def _comparison_table(evaluation: Evaluation) -> Iterator[Block]:
    """Yield all paired tests of miscalibration in full detail, the smallest p-values first."""
    pairs = evaluation.miscalibration_comparisons
    # Fewer pairs are in the table of the decomposition.
    n_tabulated = 1 if evaluation.task_kind == "multilabel" else len(evaluation.calibration)
    if not is_full_detail(evaluation) or len(pairs) < n_tabulated:
        return
    rows = [pair if pair.excess >= 0 else pair.reversed() for pair in pairs]
    is_multilabel = evaluation.task_kind == "multilabel"
    heads = ("Difference", "Beyond the expected", "z", "Adjusted p")
    yield Table(
        "miscalibration",
        "Differences in miscalibration (MCB)",
        (
            Column("Worse calibrated − better"),
            *(Column(head, numeric=True) for head in heads),
        ),
        (
            RowGroup(
                tuple(
                    (
                        f"{pair.first} − {pair.second}"
                        + (f", label {pair.class_}" if is_multilabel else ""),
                        PlainNumber(pair.difference, _SCORE_DECIMALS),
                        Estimate(pair.excess, pair.low, pair.high, _SCORE_DECIMALS),
                        PlainNumber(pair.statistic, 2),
                        PValue(pair.p_adjusted),
                    )
                    for pair in sorted(rows, key=lambda pair: pair.p)
                )
            ),
        ),
    )
