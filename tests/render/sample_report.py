"""A report with every block and kind of cell, many classifiers and classes, and hostile text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import get_measure
from reportgen.report.document import (
    Bullets,
    Definition,
    Formulas,
    Matrices,
    Note,
    Paragraph,
    ReportDocument,
    ReportSection,
)
from reportgen.report.inline import Count, InlineCode, MathSymbol, MeasureEstimate, Strong
from tests.render.sample_figures import figures
from tests.render.sample_tables import (
    CLASSES,
    CLASSIFIERS,
    FORMULA_INJECTION,
    LATEX_SPECIALS,
    NAMES,
    SCRIPT,
    TURNED_AROUND,
    UNDEFINED,
    capability_table,
    defined,
    evidence_table,
    inputs_table,
    matrix,
    measures_table,
    per_class_table,
)

if TYPE_CHECKING:
    from reportgen.report.document import Block


def report_of(*blocks: Block) -> ReportDocument:
    """Return a report of nothing but these blocks, in one section."""
    section = ReportSection("x", "X", blocks)
    return ReportDocument("T", Paragraph(("x",)), (section,), Paragraph(("Made by the test.",)))


def sample_report() -> ReportDocument:
    """Return the report."""
    accuracy, ratio = get_measure("accuracy"), get_measure("lr_positive")
    small = tuple(matrix(name, ("success", "failure")) for name in ("SVM", "Naive Bayes", "Tree"))
    return ReportDocument(
        title="E-negotiation outcomes: who should screen?",
        subtitle=Paragraph(
            (
                "12 classifiers, 20 classes, ",
                Count(2561),
                " cases, positive class ",
                Strong("success"),
            )
        ),
        sections=(
            ReportSection(
                "summary",
                "Summary",
                (
                    Paragraph(
                        (
                            Strong("SVM"),
                            " is right most often (",
                            MeasureEstimate(defined(0.7738), accuracy),
                            "), but ",
                            Strong("Naive Bayes"),
                            " avoids failure better and confirms the class more strongly (",
                            MathSymbol(ratio.symbol),
                            " = ",
                            MeasureEstimate(defined(2.508), ratio),
                            ").",
                        )
                    ),
                    Bullets(
                        (
                            Paragraph(
                                (
                                    Strong("SVM"),
                                    " finds more of the class; when it says no, trust it.",
                                )
                            ),
                            Paragraph(
                                (
                                    "No value for ",
                                    Strong(SCRIPT),
                                    ": precision is ",
                                    MeasureEstimate(UNDEFINED, get_measure("precision")),
                                    ".",
                                )
                            ),
                            Paragraph(("The measures disagree: ask which error costs more.",)),
                        )
                    ),
                    Note(("These verdicts are not tested; differences may be chance.",)),
                ),
            ),
            ReportSection(
                "inputs",
                "Inputs & audit",
                (
                    Paragraph(("Read from ", InlineCode("data/"), ".")),
                    inputs_table(),
                    Note(("3 cases are missing from ", Strong(TURNED_AROUND), "."), warning=True),
                ),
            ),
            ReportSection(
                "confusion",
                "Confusion matrices",
                (
                    Matrices(small),
                    Matrices((matrix("Digits", tuple("0123456789")), matrix("Letters", CLASSES))),
                ),
            ),
            ReportSection(
                "traditional",
                "Traditional measures",
                (measures_table("traditional", CLASSIFIERS[:4], NAMES[:7]),),
            ),
            ReportSection(
                "measures",
                "All measures, all classifiers",
                (measures_table("measures", CLASSIFIERS, NAMES),),
            ),
            ReportSection("per_class", "Class by class", (per_class_table(),)),
            ReportSection(
                "capabilities",
                "Capabilities",
                (
                    Paragraph(("A filled badge is backed by a test.",)),
                    capability_table(),
                    Note((FORMULA_INJECTION, " and ", LATEX_SPECIALS)),
                ),
            ),
            ReportSection("evidence", "Evidence", (evidence_table(), *figures())),
            ReportSection(
                "definitions",
                "Definitions",
                (
                    Formulas(
                        tuple(
                            Definition(
                                get_measure(name), overall=name in {"kappa", "mcc", "accuracy"}
                            )
                            for name in NAMES
                        )
                    ),
                ),
            ),
        ),
        colophon=Paragraph(
            (
                "Made with reportgen 0.1.0 from ",
                InlineCode("specs/enegotiation.toml"),
                ", sha256 ",
                InlineCode("ab" * 32, display_length=12),
                ".",
            )
        ),
    )
