"""Calibration: reliability diagram, decomposition of the Brier score, recalibration, tests."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from reportgen.evaluation.calibration import N_RESAMPLES
from reportgen.report.charts import (
    BinHistogram,
    ConfidenceBand,
    LineChart,
    LinePanels,
    Marker,
    ReferenceLine,
    Series,
)
from reportgen.report.document import Column, Figure, Paragraph, RowGroup, Table
from reportgen.report.formatting import confidence_level
from reportgen.report.inline import (
    Count,
    Estimate,
    InlineText,
    PlainNumber,
    PValue,
    Strong,
)
from reportgen.report.phrases import join_names_abbreviated, join_sentences
from reportgen.report.sections.curves import MAX_AREAS, area_values_sentence
from reportgen.report.selection import (
    is_full_detail,
    omitted_in_results_note,
    plotted_classifiers,
    unplotted_classifiers_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.calibration import Calibration, CalibrationCurve, CurvePiece
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell

_TITLE = "Calibration (CORP reliability diagram)"
_READING = (
    "Observed frequency by isotonic regression (Dimitriadis et al. 2021) against predicted"
    " probability. Below the diagonal: over-prediction; above: under-prediction. Lines end where no"
    " case has such a probability."
)
_TOP_LABEL = " The probability is that of the predicted class, the frequency that it is correct."
_DEBIASED_NOTE = " Debiased RMS calibration error (Kumar et al. 2019): "
_ERROR_DECIMALS, _SCORE_DECIMALS = 3, 4
_PANEL_COLUMNS = 3
# Up to so many pieces every single probability has a marker.
_MAX_MARKED_PIECES = 25
_SHORT_LINE = 0.03
_MAX_PAIRS = 15
_DECOMPOSITION_NOTE = (
    "Brier score = MCB − DSC + UNC: miscalibration, discrimination and uncertainty (lower MCB and"
    " higher DSC are better). Slope 1 and calibration in the large 0: calibrated; slope below 1:"
    " probabilities too extreme; in the large above 0: under-prediction (logistic recalibration,"
    " Cox 1958). p: probability of such an MCB if calibrated ("
)
_UNADJUSTED = " resamples), unadjusted; a small p is no measure of how bad the calibration is."
_PAIRS_NOTE = (
    "Excess: difference in MCB beyond that expected of calibrated probabilities, which grows with"
    " the number of distinct probabilities. Paired z-test; p-values adjusted for these pairs only"
    " (Holm), outside the families of the report: no verdict rests on them."
)


def build_calibration_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the reliability diagram, the decomposition and the paired tests."""
    if not evaluation.calibration:
        return ()
    return (
        calibration_figure(evaluation),
        *_decomposition_tables(evaluation),
        *_comparison_blocks(evaluation),
    )


def calibration_figure(evaluation: Evaluation) -> Figure:
    """Return the reliability diagram: one chart, or a panel for each of many classifiers."""
    calibrations = {calibration.classifier: calibration for calibration in evaluation.calibration}
    names = list(calibrations)
    plotted = [calibrations[name] for name in plotted_classifiers(evaluation, names)]
    is_single = len(plotted) == 1
    # Consistency bands lie around the diagonal: two in one chart would hide each other.
    chart = (
        _chart(evaluation, plotted[0], "Observed frequency", "cases in each bin")
        if is_single
        else LinePanels(
            tuple(
                _chart(evaluation, calibration, calibration.classifier) for calibration in plotted
            ),
            columns=min(len(plotted), _PANEL_COLUMNS),
        )
    )
    reading: tuple[Inline, ...] = (
        _READING if evaluation.task_kind == "binary" else f"{_READING}{_TOP_LABEL}",
        *area_values_sentence(evaluation, "ece", names, None),
        *_debiased_error_sentence(list(calibrations.values())),
    )
    bars = "" if is_single else " Bars: cases in bins of equal width."
    note = join_sentences(
        (
            "Shaded: pointwise ",
            confidence_level(evaluation),
            f" consistency band, where the curve lies if the probabilities are calibrated.{bars}",
        ),
        unplotted_classifiers_sentence(evaluation, names),
    )
    return Figure("reliability", _TITLE, chart, Paragraph(reading), note)


def _chart(
    evaluation: Evaluation, calibration: Calibration, y_label: str, histogram_label: str = ""
) -> LineChart:
    name = calibration.classifier
    color_index = evaluation.classifier_index(name)
    bars = tuple((bin_.lower, bin_.upper, float(bin_.cases)) for bin_ in calibration.bins)
    return LineChart(
        "Predicted probability",
        y_label,
        tuple(_curve_series(calibration.overall, color_index)),
        references=(ReferenceLine((0.0, 0.0), (1.0, 1.0), "Perfect calibration"),),
        square=True,
        histograms=(BinHistogram(name, color_index, bars),),
        histogram_label=histogram_label,
    )


def _curve_series(curve: CalibrationCurve, color_index: int) -> Iterator[Series]:
    """Yield a series for every line of the curve."""
    mark_all = len(curve.pieces) <= _MAX_MARKED_PIECES
    for line, group in groupby(curve.pieces, key=lambda piece: piece.line):
        pieces = tuple(group)
        # A short line would not be visible.
        is_short = pieces[-1].upper - pieces[0].lower < _SHORT_LINE
        yield Series(
            curve.classifier,
            tuple(_line_points(pieces)),
            color_index,
            band=_band(curve, line),
            markers=tuple(
                Marker((piece.lower, piece.calibrated))
                for piece in pieces
                if is_short or (mark_all and piece.lower == piece.upper)
            ),
        )


def _line_points(pieces: Sequence[CurvePiece]) -> Iterator[tuple[float, float]]:
    for piece in pieces:
        yield piece.lower, piece.calibrated
        if piece.upper > piece.lower:
            yield piece.upper, piece.calibrated


def _band(curve: CalibrationCurve, line: int) -> ConfidenceBand | None:
    points = [point for point in curve.band if point.line == line]
    if not points:
        return None
    return ConfidenceBand(
        tuple((point.probability, point.low) for point in points),
        tuple((point.probability, point.high) for point in points),
    )


def _debiased_error_sentence(calibrations: Sequence[Calibration]) -> Iterator[Inline]:
    """Yield the debiased and raw RMS calibration errors."""
    if len(calibrations) > MAX_AREAS:
        return
    for index, calibration in enumerate(calibrations):
        yield _DEBIASED_NOTE if index == 0 else "; "
        yield Strong(calibration.classifier)
        yield " "
        yield PlainNumber(calibration.debiased_rms_error, _ERROR_DECIMALS)
        yield " (raw "
        yield PlainNumber(calibration.rms_error, _ERROR_DECIMALS)
        yield ")"
    yield "."


_DECOMPOSITION_HEADS = ("Brier score", "MCB", "DSC", "UNC", "Slope", "In the large", "p")


def _decomposition_tables(evaluation: Evaluation) -> Iterator[Block]:
    """Yield the decomposition of all classifiers and, in full detail, of their classes."""
    curves = [calibration.overall for calibration in evaluation.calibration]
    yield Table(
        "calibration",
        "Decomposition of the Brier score and logistic recalibration",
        (Column("Classifier"), *(Column(head, numeric=True) for head in _DECOMPOSITION_HEADS)),
        (RowGroup(tuple((curve.classifier, *_decomposition_cells(curve)) for curve in curves)),),
        Paragraph(
            (
                _DECOMPOSITION_NOTE,
                Count(N_RESAMPLES),
                _UNADJUSTED,
                *_undefined_sentence(curves),
            )
        ),
    )
    if not any(calibration.by_class for calibration in evaluation.calibration):
        return
    if not is_full_detail(evaluation):
        yield omitted_in_results_note("Calibration of every class")
        return
    yield Table(
        "calibration-classes",
        "Calibration by class (one-vs-rest)",
        (Column("Class"), *(Column(head, numeric=True) for head in _DECOMPOSITION_HEADS[:-1])),
        tuple(
            RowGroup(
                tuple(
                    (curve.class_, *_decomposition_cells(curve)[:-1])
                    for curve in calibration.by_class
                ),
                InlineText((Strong(calibration.classifier),)),
            )
            for calibration in evaluation.calibration
        ),
    )


def _decomposition_cells(curve: CalibrationCurve) -> tuple[TableCell, ...]:
    brier = curve.brier
    parts = (brier.score, brier.miscalibration, brier.discrimination, brier.uncertainty)
    return (
        *(PlainNumber(part, _SCORE_DECIMALS) for part in parts),
        *(
            "undefined"
            if coefficient is None
            else Estimate(coefficient.value, coefficient.low, coefficient.high, _ERROR_DECIMALS - 1)
            for coefficient in (curve.slope, curve.shift)
        ),
        PValue(curve.p),
    )


def _undefined_sentence(curves: Sequence[CalibrationCurve]) -> Iterator[Inline]:
    reasons: dict[str, list[str]] = {}
    for curve in curves:
        if curve.undefined_reason is not None:
            reasons.setdefault(curve.undefined_reason, []).append(curve.classifier)
    for reason, names in reasons.items():
        yield f" Slope undefined, as {reason}: "
        yield from join_names_abbreviated(names)
        yield "."


def _comparison_blocks(evaluation: Evaluation) -> Iterator[Block]:
    """Yield the paired tests of miscalibration, the smallest p-values first."""
    pairs = sorted(evaluation.miscalibration_comparisons, key=lambda pair: pair.p)
    if not pairs:
        return
    heads = ("MCB difference", "Excess", "CI of the excess", "z", "Adjusted p")
    yield Table(
        "miscalibration",
        "Differences in miscalibration",
        (Column("Classifiers"), *(Column(head, numeric=True) for head in heads)),
        (
            RowGroup(
                tuple(
                    (
                        f"{pair.first} − {pair.second}",
                        PlainNumber(pair.difference, _SCORE_DECIMALS),
                        PlainNumber(pair.excess, _SCORE_DECIMALS),
                        InlineText(
                            (
                                PlainNumber(pair.low, _SCORE_DECIMALS),
                                " to ",
                                PlainNumber(pair.high, _SCORE_DECIMALS),
                            )
                        ),
                        PlainNumber(pair.statistic, 2),
                        PValue(pair.p_adjusted),
                    )
                    for pair in pairs[:_MAX_PAIRS]
                )
            ),
        ),
        Paragraph((_PAIRS_NOTE,)),
    )
    if len(pairs) > _MAX_PAIRS:
        yield omitted_in_results_note("Further pairs")
