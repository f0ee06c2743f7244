"""The classifiers over several data sets: values, ranks, tests and the rank diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Finding
from reportgen.measures.measure import Family
from reportgen.report.charts.lines import RankDiagram
from reportgen.report.detail import named_sections
from reportgen.report.document import Bullets, Figure, Note, Paragraph
from reportgen.report.findings.datasets import RANK_DECIMALS, TWO, dataset_findings
from reportgen.report.parts import Plain
from reportgen.report.tables.datasets import measure_table, pair_table, value_tables
from reportgen.report.words.wording import names_in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.datasets.pairs import DatasetPair
    from reportgen.comparisons.datasets.ranking import DatasetComparison
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

HOW_TO_READ = (
    "On each data set the best classifier has rank 1, the next rank 2; equal ones share the mean of"
    " their ranks. Each data set counts once, whatever its size. The tests take the data sets for"
    " independent of each other: parts of one collection say less than their number."
)
UNITS = (
    "This measure has the unit of what is predicted. Where data sets have different units or"
    " scales, differences of one weigh more than those of another: then trust the ranks rather than"
    " the size of the differences."
)


def datasets(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show what the findings over all data sets stand on."""
    if not evaluation.datasets:
        return ()
    compared = evaluation.datasets[0]
    asked = named_sections(evaluation)
    # The summary has the findings already, unless it was left out.
    said = () if not asked or "summary" in asked else dataset_findings(evaluation)
    sentences = tuple(map(Paragraph, (*said, *_disagreements(compared), *_left_out(compared))))
    return (
        *((Bullets(sentences),) if sentences else ()),
        *((drawn,) if (drawn := rank_figure(evaluation, compared)) is not None else ()),
        *value_tables(compared),
        pair_table(compared),
        *measure_table(evaluation.datasets),
        Note((HOW_TO_READ,)),
        *_units(compared),
    )


def _disagreements(compared: DatasetComparison) -> Iterator[tuple[Part, ...]]:
    """Say where ranks and differences do not lead to the same claim."""
    surer = [
        pair for pair in compared.pairs if pair.verdict.is_decided and pair.rank_p > compared.alpha
    ]
    ranked = [
        pair
        for pair in compared.pairs
        if pair.verdict is Finding.UNDECIDED and pair.rank_p <= compared.alpha
    ]
    for pairs, said in (
        (surer, " could not be told apart; by the size of the differences they are"),
        (ranked, " would be told apart; by the size of the differences they are not"),
    ):
        if pairs:
            yield (
                "By average ranks alone ",
                *_named_pairs(pairs),
                said,
                ". The size decides here, because a rank also depends on the other classifiers.",
            )


def _units(compared: DatasetComparison) -> Iterator[Note]:
    """Warn of errors in different units: their sizes cannot be set against each other."""
    in_units = compared.measure.family is Family.REGRESSION and compared.measure.range.high is None
    if in_units:
        yield Note((UNITS,), warning=True)


def _named_pairs(pairs: Sequence[DatasetPair]) -> Iterator[Part]:
    for number, pair in enumerate(pairs):
        if number:
            yield "; "
        yield from names_in_a_row([pair.first, pair.second])


def _left_out(compared: DatasetComparison) -> Iterator[tuple[Part, ...]]:
    if compared.left_out:
        yield (
            "Left out, because some classifier has no finite value there: ",
            *names_in_a_row(compared.left_out),
            ".",
        )


def rank_figure(evaluation: Evaluation, compared: DatasetComparison) -> Figure | None:
    """Draw the average ranks; of two classifiers, or where all are equal, there is nothing to."""
    if len(compared.classifiers) <= TWO or compared.friedman is None:
        return None
    chart = RankDiagram(
        ranks=tuple(compared.average_ranks.items()),
        critical_difference=compared.critical_difference,
        groups=compared.groups,
        orders=tuple(map(evaluation.order, compared.average_ranks)),
    )
    grouped: list[Part] = []
    for group in compared.groups:
        grouped += ["; " if grouped else "", *names_in_a_row(group)]
    reading: tuple[Part, ...] = (
        "Average ranks, 1 is best. By ranks alone two classifiers differ from a distance of ",
        Plain(compared.critical_difference, RANK_DECIMALS),
        " on (Nemenyi). Not told apart: " if grouped else " on (Nemenyi): all differ",
        *grouped,
        ".",
    )
    return Figure(
        f"datasets-ranks-{compared.measure.name}",
        f"{compared.measure.title}: average ranks",
        chart,
        Paragraph(reading),
    )
