"""The methods of a report as a paragraph for a paper, with citations.

Every sentence is derived from the evaluation: a method that was not used is not mentioned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.measures.references import OWN_DEFINITION, SJS_2006, LiteratureReference
from reportgen.report.formatting import confidence_level, inline_percentage
from reportgen.report.inline import Count, PlainNumber
from reportgen.report.method_references import (
    CORRECTION_METHODS,
    SCHUIRMANN_1987,
    cited_interval_methods,
    cited_tests,
)
from reportgen.report.phrases import measure_phrase, scope_sentences, spell_number
from reportgen.report.sections.measures import main_measures
from reportgen.report.versions import software_versions
from reportgen.spec.decision import declared_decision

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.measures import Measure
    from reportgen.report.inline import Inline
    from reportgen.report.method_references import CitedMethod


# Of more measures a paragraph names only the main ones.
_MAX_NAMED_MEASURES = 12


@dataclass(frozen=True, slots=True)
class Citation:
    """References at a place of a sentence."""

    references: tuple[LiteratureReference, ...]


if TYPE_CHECKING:
    MethodSentence: TypeAlias = tuple[Inline | Citation, ...]


def describe_methods(
    evaluation: Evaluation, design: tuple[Inline, ...]
) -> tuple[MethodSentence, ...]:
    """Return the sentences of the methods paragraph; `design` describes the data, with its stop."""
    groups = (
        (_full_sentences(design),),
        _data_sentences(evaluation),
        _measure_sentences(evaluation),
        _interval_sentences(evaluation),
        _comparison_sentences(evaluation),
        _decision_sentences(evaluation),
        ((sentence,) for sentence in scope_sentences(evaluation)),
        _software_sentences(),
    )
    sentences = tuple(tuple(sentence) for group in groups for sentence in group)
    return (
        tuple(map(_call_models, sentences)) if evaluation.task_kind == "regression" else sentences
    )


_FRAGMENTS = {
    ", evaluated on": " were evaluated on",
    " Stratified ": " Predictions are from stratified ",
    " Cross-validation with ": " Predictions are from cross-validation with ",
}


def _full_sentences(design: tuple[Inline, ...]) -> tuple[Inline, ...]:
    """Return the description of the data in the title block as full sentences."""
    is_single = design[:1] == ("One",)
    parts: list[Inline] = []
    for part in design:
        text = part
        if isinstance(text, str):
            for fragment, sentence in _FRAGMENTS.items():
                text = text.replace(fragment, sentence)
            text = text.replace(" were evaluated", " was evaluated") if is_single else text
        parts.append(text)
    return tuple(parts)


def _call_models(sentence: MethodSentence) -> MethodSentence:
    """Return a sentence about a regression, in which classifiers are called models."""
    return tuple(
        part.replace("classifier", "model").replace("Classifier", "Model")
        if isinstance(part, str)
        else part
        for part in sentence
    )


def methods_references(sentences: Iterable[MethodSentence]) -> tuple[LiteratureReference, ...]:
    """Return the references of all citations, each once, in order."""
    return tuple(
        dict.fromkeys(
            reference
            for sentence in sentences
            for part in sentence
            if isinstance(part, Citation)
            for reference in part.references
        )
    )


def cite_inline(sentences: Sequence[MethodSentence]) -> Iterator[Inline]:
    """Yield the sentences as text, with author and year in parentheses."""
    for number, sentence in enumerate(sentences):
        if number:
            yield " "
        for part in sentence:
            yield short_citations(part) if isinstance(part, Citation) else part


def short_citations(citation: Citation) -> str:
    """Return a citation as text, such as " (Wilson 1927; Zou and Donner 2008)"."""
    return f" ({'; '.join(item.short_citation for item in citation.references)})"


def _cite(references: Iterable[LiteratureReference]) -> tuple[Citation, ...]:
    cited = tuple(item for item in dict.fromkeys(references) if item != OWN_DEFINITION)
    return (Citation(cited),) if cited else ()


def _data_sentences(evaluation: Evaluation) -> Iterator[MethodSentence]:
    """Yield clusters, weights and the treatment of missing predictions."""
    data = evaluation.spec.data
    counts = {row.clusters for row in evaluation.design if row.clusters is not None}
    if len(counts) == 1:
        yield "Cases form ", Count(counts.pop()), " clusters, within which they may depend."
    elif counts or data.cluster is not None:
        yield ("Cases form clusters, within which they may depend.",)
    if data.weight is not None:
        yield ("Cases were weighted by their sampling weights.",)
    missing = {
        "error": "",
        "drop": "Cases without a prediction were left out.",
        "wrong": "Missing predictions were counted as wrong.",
    }.get(data.missing, f"Missing predictions were counted as class {data.missing}.")
    if missing:
        yield (missing,)
    if evaluation.spec.task.abstain:
        yield ("Abstentions were reported separately from predictions.",)


def _named_measures(evaluation: Evaluation) -> Sequence[Measure]:
    """Return the measures that a paper would name: all of a few, else those of the main table."""
    measures = evaluation.reported_measures
    if len(measures) <= _MAX_NAMED_MEASURES:
        return measures
    return main_measures(evaluation)[:_MAX_NAMED_MEASURES] or measures[:_MAX_NAMED_MEASURES]


def _measure_sentences(evaluation: Evaluation) -> Iterator[MethodSentence]:
    measures = _named_measures(evaluation)
    if not measures:
        return
    names = list(dict.fromkeys(map(measure_phrase, measures)))
    further = len(evaluation.reported_measures) - len(measures)
    if further:
        count = f"{spell_number(further)} further measure{'s' if further > 1 else ''}"
        text = f"{', '.join(names)} and {count}"
    else:
        text = _join_names(names)
    yield f"We report {text}", *_cite([measure.source.reference for measure in measures]), "."
    if evaluation.capabilities:
        yield "Capabilities were rated", *_cite([SJS_2006]), "."


def _interval_sentences(evaluation: Evaluation) -> Iterator[MethodSentence]:
    named = {measure.name for measure in _named_measures(evaluation)}
    names = [
        value.method
        for (*_, measure), value in evaluation.by_key.items()
        if value.method and measure in named
    ]
    methods = cited_interval_methods(names)
    if methods:
        yield (
            "Confidence intervals (",
            confidence_level(evaluation),
            ") were computed by ",
            *_join_methods(methods),
            ".",
        )


def _comparison_sentences(evaluation: Evaluation) -> Iterator[MethodSentence]:
    """Yield tests, their number, the adjustment and margins."""
    tested = evaluation.tested_comparisons
    comparison = evaluation.spec.comparison
    if tested:
        tests = cited_tests(dict.fromkeys(row.test for row in tested))
        yield "Differences were tested by ", *_join_methods(tests), "."
        adjustment = CORRECTION_METHODS.get(comparison.correction)
        if adjustment is None:
            yield (
                "p-values of ",
                Count(len(tested)),
                " comparisons were not adjusted for multiplicity.",
            )
        else:
            yield (
                "p-values were adjusted for ",
                Count(len(tested)),
                f" comparison{'s' if len(tested) > 1 else ''} by {adjustment.phrase}",
                *_cite(adjustment.references),
                "; the family-wise error rate is ",
                inline_percentage(comparison.alpha),
                ".",
            )
    if evaluation.datasets:
        names = ["wilcoxon", *_rank_tests(evaluation)]
        yield (
            "Classifiers were compared over the data sets by ",
            *_join_methods(cited_tests(names)),
            "; p-values of the Friedman and Iman–Davenport tests are unadjusted."
            if len(names) > 1
            else ".",
        )
    omnibus = [row.test for row in evaluation.omnibus_tests]
    if omnibus:
        yield (
            "All classifiers together were compared by ",
            *_join_methods(cited_tests(omnibus)),
            ", with unadjusted p-values.",
        )
    if comparison.margin:
        yield "Equivalence was tested by two one-sided tests", *_cite([SCHUIRMANN_1987]), "."


def _rank_tests(evaluation: Evaluation) -> tuple[str, ...]:
    has_ranks = any(row.friedman is not None for row in evaluation.datasets)
    return ("friedman", "iman-davenport", "nemenyi") if has_ranks else ()


def _decision_sentences(evaluation: Evaluation) -> Iterator[MethodSentence]:
    """Yield the declared costs or requirement, and on what data thresholds were chosen."""
    declared = declared_decision(evaluation.spec)
    if declared.cost is not None:
        yield (
            "A false positive costs ",
            _cost(declared.cost.false_positive),
            " and a false negative ",
            _cost(declared.cost.false_negative),
            ".",
        )
    if declared.prevalence is not None:
        yield "The target prevalence is ", inline_percentage(declared.prevalence), "."
    if evaluation.thresholds:
        yield (
            "Thresholds were chosen on the evaluation data, so that their results are optimistic.",
        )


def _cost(number: float) -> PlainNumber:
    return PlainNumber(number, 0 if number == int(number) else 2)


def _software_sentences() -> Iterator[MethodSentence]:
    versions = software_versions()
    libraries = ", ".join(f"{name} {versions[name]}" for name in ("numpy", "scipy", "polars"))
    environment = f"Python {versions['python']}, {libraries}"
    yield (f"The analysis was made with reportgen {versions['reportgen']} ({environment}).",)


def _join_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _join_methods(methods: Sequence[CitedMethod]) -> Iterator[Inline | Citation]:
    for number, method in enumerate(methods):
        if number:
            yield " and " if number == len(methods) - 1 else ", "
        yield method.phrase
        yield from _cite(method.references)
