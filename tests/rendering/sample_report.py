"""A report with every block and kind of cell, many classifiers and classes, and hostile text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import known_measure
from reportgen.report.document import (
    Bullets,
    Definition,
    Formulas,
    Matrices,
    Note,
    Paragraph,
    Report,
    Section,
)
from reportgen.report.parts import Code, Count, Math, Strong, Value
from tests.rendering.sample_figures import figures
from tests.rendering.sample_tables import (
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


def report_of(*blocks: Block) -> Report:
    """Return a report of nothing but these blocks, in one section."""
    section = Section("x", "X", blocks)
    return Report("T", Paragraph(("x",)), (section,), Paragraph(("Made by the test.",)))


def sample_report() -> Report:
    """Return the report."""
    accuracy, ratio = known_measure("accuracy"), known_measure("lr_positive")
    small = tuple(matrix(name, ("success", "failure")) for name in ("SVM", "Naive Bayes", "Tree"))
    return Report(
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
            Section(
                "summary",
                "Summary",
                (
                    Paragraph(
                        (
                            Strong("SVM"),
                            " is right most often (",
                            Value(defined(0.7738), accuracy),
                            "), but ",
                            Strong("Naive Bayes"),
                            " avoids failure better and confirms the class more strongly (",
                            Math(ratio.symbol),
                            " = ",
                            Value(defined(2.508), ratio),
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
                                    Value(UNDEFINED, known_measure("precision")),
                                    ".",
                                )
                            ),
                            Paragraph(("The measures disagree: ask which error costs more.",)),
                        )
                    ),
                    Note(("These verdicts are not tested; differences may be chance.",)),
                ),
            ),
            Section(
                "inputs",
                "Inputs & audit",
                (
                    Paragraph(("Read from ", Code("data/"), ".")),
                    inputs_table(),
                    Note(("3 cases are missing from ", Strong(TURNED_AROUND), "."), warning=True),
                ),
            ),
            Section(
                "confusion",
                "Confusion matrices",
                (
                    Matrices(small),
                    Matrices((matrix("Digits", tuple("0123456789")), matrix("Letters", CLASSES))),
                ),
            ),
            Section(
                "traditional",
                "Traditional measures",
                (measures_table("traditional", CLASSIFIERS[:4], NAMES[:7]),),
            ),
            Section(
                "measures",
                "All measures, all classifiers",
                (measures_table("measures", CLASSIFIERS, NAMES),),
            ),
            Section("per_class", "Class by class", (per_class_table(),)),
            Section(
                "capabilities",
                "Capabilities",
                (
                    Paragraph(("A filled badge is backed by a test.",)),
                    capability_table(),
                    Note((FORMULA_INJECTION, " and ", LATEX_SPECIALS)),
                ),
            ),
            Section("evidence", "Evidence", (evidence_table(), *figures())),
            Section(
                "definitions",
                "Definitions",
                (
                    Formulas(
                        tuple(
                            Definition(
                                known_measure(name), whole=name in {"kappa", "mcc", "accuracy"}
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
                Code("specs/enegotiation.toml"),
                ", sha256 ",
                Code("ab" * 32, shown=12),
                ".",
            )
        ),
    )
