"""What [folds] says needs folds to say it of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.predictions.model import Predictions
    from reportgen.spec import Spec


def fold_setting_warnings(spec: Spec, predictions: Predictions) -> tuple[str, ...]:
    """Return that [folds] has no effect where no classifier has two folds."""
    if "folds" not in spec.model_fields_set:
        return ()
    if predictions.datasets:
        return ("[folds] has no effect where classifiers are compared over data sets",)
    given = any(each.fold_scores is not None for each in spec.classifiers)
    tallies = [tally for tally in (predictions.confusion, predictions.regression) if tally]
    if given or any(tally.frame["fold"].drop_nulls().n_unique() > 1 for tally in tallies):
        return ()
    reads = predictions.case_count is not None
    way_out = "name their column with `fold` in [data]" if reads else "give predictions with folds"
    return (f"[folds] has no effect: no classifier has folds; {way_out}, or take [folds] out",)
