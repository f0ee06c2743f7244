"""The wording of reports: phrases and sentences, each written once.

`phrases.findings` words the findings, `phrases.methods` describes the tests, and `phrases.words`
has the phrases that sections share.
"""

from reportgen.report.phrases.methods import (
    describe_tests,
    meaning_sentences,
    multiplicity_sentence,
    scope_sentences,
    uncompared_measures_sentence,
)
from reportgen.report.phrases.words import (
    NO_DIFFERENCE,
    NOT_CONFIRMED,
    NOT_SIGNIFICANT,
    gate_criterion,
    gate_observed,
    gate_subject,
    join_names,
    join_names_abbreviated,
    join_sentences,
    last_run_label,
    measure_change_phrase,
    measure_phrase,
    monitoring_alarm_phrase,
    monitoring_subject,
    proportion_change_phrase,
    recall_change_phrase,
    run_date_label,
    run_labels,
    spell_number,
    warning_notes,
)

__all__ = [
    "NOT_CONFIRMED",
    "NOT_SIGNIFICANT",
    "NO_DIFFERENCE",
    "describe_tests",
    "gate_criterion",
    "gate_observed",
    "gate_subject",
    "join_names",
    "join_names_abbreviated",
    "join_sentences",
    "last_run_label",
    "meaning_sentences",
    "measure_change_phrase",
    "measure_phrase",
    "monitoring_alarm_phrase",
    "monitoring_subject",
    "multiplicity_sentence",
    "proportion_change_phrase",
    "recall_change_phrase",
    "run_date_label",
    "run_labels",
    "scope_sentences",
    "spell_number",
    "uncompared_measures_sentence",
    "warning_notes",
]
