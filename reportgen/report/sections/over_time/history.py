"""How the main measures went from run to run, and what changed since the last one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen import __version__
from reportgen.comparisons.over_time.reasons import Verdict
from reportgen.report.document import Bullets, Note, Paragraph
from reportgen.report.parts import Count, PValue, Strong
from reportgen.report.sections.over_time.change_table import change_table
from reportgen.report.sections.over_time.trend import trend_figure
from reportgen.report.words.level import percentage
from reportgen.report.words.over_time import last_run, rates_in_words, share_then_and_now
from reportgen.report.words.wording import names_in_a_row, some_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.comparisons.over_time.changes import Changes
    from reportgen.comparisons.over_time.reasons import MixTest, Reason
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

TWO, MOST_CLASSES, MOST_CLASSIFIERS = 2, 3, 8
TESTS = {
    "chi-square": "chi-square test",
    "Fisher": "Fisher's exact test",
    "permutation": "permutation test, as some classes have few cases",
}
HOW_TESTED = (
    "Two questions are tested: whether the classes have the same shares of the cases as in that run"
    " (chi-square), and of every class whether the same share of it is recognised (the score test"
    " of two shares). Where fewer than five cases are expected, an exact or a permutation test"
    " takes their place. All p-values are adjusted (Holm, half the level for each question), so"
    " that the chance of any false claim is at most "
)
WHAT_IS_OPEN = (
    ". Both runs are taken as independent samples, which is on the safe side where they share"
    " cases. That a class is recognised less often may be due to the classifier or to harder cases:"
    " counts cannot tell these apart."
)


def history(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say what changed since the last run and by what, and show how the values went."""
    changes = evaluation.changes
    if changes is None:
        return ()
    sentences = tuple(map(Paragraph, _sentences(changes)))
    figure, table = trend_figure(evaluation, changes), change_table(evaluation, changes)
    return (
        Paragraph(tuple(_compared_with(changes))),
        *((Bullets(sentences),) if sentences else ()),
        *((figure,) if figure else ()),
        *((table,) if table else ()),
        *_how_tested(evaluation, changes),
    )


def _compared_with(changes: Changes) -> Iterator[Part]:
    many = len(changes.runs)
    yield f"This run is compared with that of {last_run(changes)}, the last one on other data"
    yield "." if many == 1 else ";"
    if many > 1:
        yield from (" ", Count(many), " such runs are shown.")
    if changes.last.version != __version__:
        yield (
            f" That one was made by reportgen {changes.last.version}, this one by {__version__}:"
            " what differs may be due to that as well."
        )


def _sentences(changes: Changes) -> Iterator[tuple[Part, ...]]:
    yield from _mixes(changes)
    yield from _shown_rates(changes)
    by_verdict: dict[Verdict, list[Reason]] = {}
    for reason in changes.reasons:
        by_verdict.setdefault(reason.verdict, []).append(reason)
    for verdict, said in (
        (Verdict.MIX, _only_the_mix),
        (Verdict.CHANCE, _chance),
        (Verdict.UNTESTED, _untested),
        (Verdict.OTHER_CLASSES, _other_classes),
        (Verdict.NEW, _new),
    ):
        if verdict in by_verdict:
            yield tuple(said(by_verdict[verdict]))
    if changes.gone:
        were, are = ("was", "is") if len(changes.gone) == 1 else ("were", "are")
        yield (*some_names(changes.gone), f" {were} measured then and {are} not any more.")


def _mixes(changes: Changes) -> Iterator[tuple[Part, ...]]:
    """Tell of every mix that is shown to have changed, and of all others together."""
    alone = len(changes.mixes) == 1
    for mix in changes.mixes:
        if mix.is_shown:
            yield tuple(_changed_mix(mix, alone=alone))
    still = [mix for mix in changes.mixes if not mix.is_shown]
    if still:
        least = PValue(min(mix.p_adjusted for mix in still), named=True)
        names = [name for mix in still for name in mix.classifiers]
        whose: tuple[Part, ...] = () if alone else (" for ", *some_names(names))
        many = len(still) > 1
        test = "" if many else f"{TESTS[still[0].test.test]}, "
        figures = (f" ({test}", least, " at the least)." if many else ").")
        yield ("It is not shown that the mix of classes changed", *whose, *figures)


def _changed_mix(mix: MixTest, *, alone: bool) -> Iterator[Part]:
    yield from ("The mix of classes",) if alone else ("For ", *some_names(mix.classifiers))
    yield "" if alone else " the mix of classes"
    yield from (f" changed ({TESTS[mix.test.test]}, ", PValue(mix.p_adjusted, named=True), "): ")
    known = [share for share in mix.shares if share_then_and_now(share)]
    known.sort(key=lambda share: -abs(share.difference or 0.0))
    told = known[:1] if len(known) <= TWO else known[:MOST_CLASSES]
    for number, share in enumerate(told):
        yield "; " if number else ""
        yield from (Strong(share.class_), ", ", *share_then_and_now(share))
    yield "."


def _shown_rates(changes: Changes) -> Iterator[tuple[Part, ...]]:
    shown = [reason for reason in changes.reasons if reason.shown_rates]
    for reason in shown[:MOST_CLASSIFIERS]:
        yield Strong(reason.classifier), " ", *rates_in_words(reason, figures=True), "."
    if len(shown) > MOST_CLASSIFIERS:
        names = [reason.classifier for reason in shown[MOST_CLASSIFIERS:]]
        verb = "recognises" if len(names) == 1 else "recognise"
        yield (*some_names(names), f" {verb} some class more or less often as well.")


def _only_the_mix(reasons: list[Reason]) -> Iterator[Part]:
    names = [reason.classifier for reason in reasons]
    verb = "is" if len(names) == 1 else "are"
    yield from some_names(names)
    yield f" {verb} not shown to recognise any class more or less often."


def _chance(reasons: list[Reason]) -> Iterator[Part]:
    yield "What changed for "
    yield from some_names([reason.classifier for reason in reasons])
    yield " is no more than chance would give."


def _untested(reasons: list[Reason]) -> Iterator[Part]:
    yield "What changed for "
    yield from some_names([reason.classifier for reason in reasons])
    yield (
        " is not tested, only estimated: the interval of a difference says how far chance may"
        " reach."
    )


def _other_classes(reasons: list[Reason]) -> Iterator[Part]:
    first = reasons[0]
    yield "The classes are not those of that run, so that nothing is tested ("
    parts = (("new: ", first.more_classes), ("gone: ", first.fewer_classes))
    for number, (word, names) in enumerate(each for each in parts if each[1]):
        yield f"; {word}" if number else word
        yield from some_names(names)
    yield ")."


def _new(reasons: list[Reason]) -> Iterator[Part]:
    names = [reason.classifier for reason in reasons]
    yield from names_in_a_row(names)
    yield f" {'is' if len(names) == 1 else 'are'} new since that run."


def _how_tested(evaluation: Evaluation, changes: Changes) -> Iterator[Note]:
    if any(reason.rates for reason in changes.reasons):
        yield Note((HOW_TESTED, percentage(evaluation.spec.comparison.alpha), WHAT_IS_OPEN))
