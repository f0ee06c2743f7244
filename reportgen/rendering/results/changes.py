"""Rows of results.json on what changed since the last run on other data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from reportgen.rendering.results.rows import ResultModel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reportgen.comparisons.over_time.changes import Changes
    from reportgen.comparisons.over_time.reasons import ShareChange


class ChangeResult(ResultModel):
    """A value in the last run on other data and now.

    Of a class these are its share of all cases (prevalence) and the share of it that is recognised
    (sensitivity), which are tested.
    """

    classifier: str
    """Whose it is."""
    class_: str | None = Field(alias="class")
    """As in scores."""
    measure: str
    """The name in the catalogue."""
    run: str
    """The id of that run."""
    then: float | None
    """The value then; null: undefined, infinite or not measured."""
    now: float | None
    """The value now; null: undefined, infinite or not measured."""
    difference: float | None
    """Now minus then; null: there is none."""
    low: float | None
    """The lower end of its interval, the runs taken as independent."""
    high: float | None
    """The upper end of its interval."""
    p_adjusted: float | None
    """The adjusted p-value of the test of a share of a class; null: not tested itself."""
    verdict: str
    """What the tests show.

    Of the classifier: chance (no more than it would give), mix, rates, mix and rates, new, other
    classes or untested. Of what is recognised of a class: more, less, chance or untested. Whether
    shares of all cases changed is one test of all classes: mix or chance.
    """


def change_rows(changes: Changes | None) -> Iterator[ChangeResult]:
    """Yield the main values, then the tested shares of every class."""
    if changes is None:
        return
    run = changes.last.id
    verdicts = {reason.classifier: reason.verdict.value for reason in changes.reasons}
    for each in changes.values:
        key = {"classifier": each.classifier, "class": None, "measure": each.measure, "run": run}
        values = {
            "then": each.then.value if each.then else None,
            "now": each.now.value if each.now else None,
            "difference": each.difference,
            "low": each.low,
            "high": each.high,
        }
        found = {"p_adjusted": None, "verdict": verdicts[each.classifier]}
        yield ChangeResult.model_validate({**key, **values, **found})
    for mix in changes.mixes:
        said = {"p_adjusted": mix.p_adjusted, "verdict": "mix" if mix.is_shown else "chance"}
        for name in mix.classifiers:
            key = {"classifier": name, "measure": "prevalence", "run": run}
            yield from (_of_share(share, {**key, **said}) for share in mix.shares)
    for reason in changes.reasons:
        key = {"classifier": reason.classifier, "measure": "sensitivity", "run": run}
        for rate in reason.rates:
            tested = {"p_adjusted": rate.p_adjusted, "verdict": _how_often(rate)}
            yield _of_share(rate, {**key, **tested})


def _of_share(share: ShareChange, told: Mapping[str, object]) -> ChangeResult:
    numbers = {name: getattr(share, name) for name in ("then", "now", "difference", "low", "high")}
    return ChangeResult.model_validate({**told, **numbers, "class": share.class_})


def _how_often(rate: ShareChange) -> str:
    if rate.p is None:
        return "untested"
    if not rate.is_shown:
        return "chance"
    return "more" if (rate.difference or 0.0) > 0 else "less"
