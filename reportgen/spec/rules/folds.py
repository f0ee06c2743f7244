"""What [folds] says of repeats fits the fold scores."""

from collections.abc import Iterator

from reportgen.errors.spec_faults import FOLD_REPEATS, NEEDS_OTHER_KEY
from reportgen.spec.draft import Draft
from reportgen.spec.findings import Finding, quoted


def fold_findings(draft: Draft) -> Iterator[Finding]:
    """Yield repeats that do not divide the folds of a classifier, or leave one fold to each."""
    asked = draft.table("folds")
    repeats = asked.get("repeats")
    if not isinstance(repeats, int) or isinstance(repeats, bool) or repeats < 1:
        return
    path = ("folds", "repeats")
    for name, folds in _fold_numbers(draft):
        if folds % repeats:
            yield Finding(
                FOLD_REPEATS,
                f"{quoted(name)} has {folds} fold scores, which are not {repeats} repeats of"
                " equally many folds",
                path,
                "write how often the whole cross-validation was repeated; 1 if it was not",
            )
            return
        if folds == repeats and "ratio" not in asked:
            yield Finding(
                NEEDS_OTHER_KEY,
                f"{repeats} repeats leave one fold to each, which does not tell how many cases"
                " were trained on",
                path,
                "name the ratio of test to training cases with `ratio` in [folds]",
                absent=(("folds", "ratio"),),
            )
            return


def _fold_numbers(draft: Draft) -> Iterator[tuple[str, int]]:
    """Yield how many fold scores each classifier has that has some."""
    for _, classifier in draft.tables("classifiers"):
        name, scores = classifier.get("name"), classifier.get("fold_scores")
        lists = scores.values() if isinstance(scores, dict) else ()
        found = next((items for items in lists if isinstance(items, list) and items), None)
        if isinstance(name, str) and found is not None:
            yield name, len(found)
