"""The comparisons that only some specs ask for, each imported only then.

Most of the time of a small report is spent on imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.comparisons.difference import Difference
    from reportgen.comparisons.elsewhere.crossings import Crossing
    from reportgen.comparisons.elsewhere.prevalence import Rates
    from reportgen.comparisons.folds.summaries import FoldSummary
    from reportgen.comparisons.gates.outcome import GateOutcome
    from reportgen.comparisons.over_time.changes import Changes
    from reportgen.comparisons.over_time.past import Past
    from reportgen.comparisons.pairwise.omnibus import Omnibus
    from reportgen.comparisons.published import PublishedCheck
    from reportgen.comparisons.thresholds.choosing import ChosenThreshold
    from reportgen.comparisons.verdicts.capabilities import CapabilityRow
    from reportgen.measures import Measure
    from reportgen.predictions import Predictions
    from reportgen.scores import Score, Scores
    from reportgen.spec import Spec, SpecFile


def tested_differences(
    spec: Spec,
    predictions: Predictions,
    scores: Scores,
    by_key: Mapping[tuple[str, str | None, str | None, str], Score],
    shown: tuple[Measure, ...],
) -> tuple[Difference, ...]:
    """Compare every two classifiers."""
    if len(spec.classifiers) == 1:
        return ()
    from reportgen.comparisons.comparing import compare
    from reportgen.comparisons.folds.tests import fold_tests

    return compare(spec, predictions, by_key, shown, fold_tests(scores, spec, predictions))


def fold_summaries(spec: Spec, predictions: Predictions, scores: Scores) -> tuple[FoldSummary, ...]:
    """Say what the folds say together, if there are any."""
    if scores.frame["fold"].null_count() == scores.frame.height:
        return ()
    from reportgen.comparisons.folds.summaries import fold_ratios, summarise_folds

    return summarise_folds(scores, spec.intervals.level, fold_ratios(scores, spec, predictions))


def published_checks(
    spec: Spec,
    by_key: Mapping[tuple[str, str | None, str | None, str], Score],
    rows: tuple[CapabilityRow, ...],
    folds: tuple[FoldSummary, ...],
    rates: tuple[Rates, ...],
) -> tuple[PublishedCheck, ...]:
    """Set what a paper printed against what was found."""
    if not spec.published:
        return ()
    from reportgen.comparisons.elsewhere.prevalence import published_elsewhere
    from reportgen.comparisons.published import check_published

    elsewhere = published_elsewhere(spec.published, rates)
    return check_published(spec.published, by_key, rows, folds, elsewhere)


def prevalence_crossings(
    spec: Spec, predictions: Predictions, rates: tuple[Rates, ...]
) -> tuple[Crossing, ...]:
    """Find the prevalences where two classifiers change places."""
    if not rates:
        return ()
    from reportgen.comparisons.elsewhere.crossings import crossings

    return crossings(rates, spec, predictions.pairs)


def omnibus_tests(predictions: Predictions, names: Sequence[str]) -> tuple[Omnibus, ...]:
    """Test all classifiers together."""
    if len(names) <= 1:
        return ()
    from reportgen.comparisons.pairwise.omnibus import omnibus

    return omnibus(predictions, names)


def best_thresholds(spec: Spec, predictions: Predictions) -> tuple[ChosenThreshold, ...]:
    """Choose thresholds where two classes are predicted by scores."""
    if predictions.curves is None or spec.task.kind != "binary":
        return ()
    from reportgen.comparisons.thresholds.choosing import chosen_thresholds

    weights = {each.name: predictions.weight_of(each.name) for each in spec.classifiers}
    return chosen_thresholds(predictions.curves, spec, weights)


def gate_outcomes(  # noqa: PLR0913, PLR0917  # gates may ask for evidence of every kind
    spec_file: SpecFile,
    predictions: Predictions,
    scores: Scores,
    differences: tuple[Difference, ...],
    folds: tuple[FoldSummary, ...],
    past: Past,
) -> tuple[GateOutcome, ...]:
    """Judge the conditions that the results have to meet."""
    spec = spec_file.spec
    if not spec.gates:
        return ()
    from reportgen.comparisons.gates.differences import gate_differences
    from reportgen.comparisons.gates.judging import judge_gates

    by_key = scores.by_key()
    tested = gate_differences(spec, predictions, scores, by_key, differences)
    data = _known_data(spec_file, predictions)
    return judge_gates(
        spec, by_key, tested, past, folds=folds, classes=predictions.classes, data=data
    )


def changes_since(  # noqa: PLR0913, PLR0917  # what was found, and what it was found from
    spec_file: SpecFile,
    predictions: Predictions,
    by_key: Mapping[tuple[str, str | None, str | None, str], Score],
    shown: tuple[Measure, ...],
    folds: tuple[FoldSummary, ...],
    past: Past,
) -> Changes | None:
    """Set what was found against what earlier runs found, if there are any."""
    if not past.runs or not spec_file.spec.history.show:
        return None
    from reportgen.comparisons.over_time.changes import Found, changes_over_time

    found = Found(spec_file.spec, predictions, by_key, folds, shown)
    return changes_over_time(found, past, _known_data(spec_file, predictions))


def _known_data(spec_file: SpecFile, predictions: Predictions) -> str:
    """Return the fingerprint of the data; empty: it cannot be known whether they are the same."""
    from reportgen.comparisons.over_time.fingerprint import data_fingerprint

    return data_fingerprint(spec_file, predictions.inputs)
