"""Rules that concern more than one key, judged as far as the rest of the spec allows."""

from collections.abc import Iterator

from reportgen.spec.draft import Draft
from reportgen.spec.findings import Finding
from reportgen.spec.rules.addresses import address_findings
from reportgen.spec.rules.classifiers import classifier_findings
from reportgen.spec.rules.columns import column_findings
from reportgen.spec.rules.comparison import comparison_findings
from reportgen.spec.rules.dataset_scores import dataset_score_findings
from reportgen.spec.rules.datasets import dataset_findings
from reportgen.spec.rules.engine import engine_findings
from reportgen.spec.rules.folds import fold_findings
from reportgen.spec.rules.gates import gate_findings
from reportgen.spec.rules.guessing import guessing_findings
from reportgen.spec.rules.integers import integer_findings
from reportgen.spec.rules.measures import measure_findings
from reportgen.spec.rules.notify import notify_findings
from reportgen.spec.rules.prevalence import prevalence_findings
from reportgen.spec.rules.published import published_findings
from reportgen.spec.rules.references import reference_findings
from reportgen.spec.rules.repetitions import repetition_findings
from reportgen.spec.rules.sections import section_findings
from reportgen.spec.rules.task import task_findings
from reportgen.spec.rules.thresholds import threshold_findings


def rule_findings(draft: Draft) -> Iterator[Finding]:
    """Yield everything in which the parts of a spec do not fit together."""
    for rule in (
        integer_findings,
        task_findings,
        column_findings,
        classifier_findings,
        address_findings,
        engine_findings,
        dataset_findings,
        dataset_score_findings,
        fold_findings,
        measure_findings,
        comparison_findings,
        reference_findings,
        gate_findings,
        published_findings,
        prevalence_findings,
        guessing_findings,
        repetition_findings,
        section_findings,
        threshold_findings,
        notify_findings,
    ):
        yield from rule(draft)


__all__ = ["rule_findings"]
