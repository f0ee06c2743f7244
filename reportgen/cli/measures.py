"""`reportgen measures`: the catalogue of measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.console import format_table, print_formatted, print_json, print_text
from reportgen.cli.options import JsonOption
from reportgen.errors import did_you_mean

if TYPE_CHECKING:
    from reportgen.measures import Measure


def measures(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The measure to show.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List all measures, or show the definition of one measure."""
    from reportgen.measures import MEASURE_REGISTRY

    selected = [_require_measure(name)] if name is not None else list(MEASURE_REGISTRY.values())
    if as_json:
        print_json([measure_row(measure) for measure in selected])
    elif name is not None:
        print_text(describe_measure(name) or "")
    else:
        _print_measures(selected)


def format_measure(measure: Measure) -> str:
    """Return the definition of a measure as text."""
    row = measure_row(measure)
    head = f"{measure.title} ({', '.join([measure.name, *measure.aliases])})"
    lines = [head, "", f"  {measure.question}", "", f"  {row['formula']}"]
    if row["formula_over_all_classes"] not in {None, row["formula"]}:
        lines.append(f"  over all classes: {row['formula_over_all_classes']}")
    lines += [f"  where {definition}" for definition in format_auxiliaries(measure)]
    details = (
        f"better: {row['better']}; range {row['range']}",
        row["undefined_when"],
        row["infinite_when"],
        row["interval"],
        measure.caution,
        f"Source: {row['source']}",
    )
    return "\n".join([*lines, "", *(f"  {detail}" for detail in details if detail)])


def measure_row(measure: Measure) -> dict[str, object]:
    """Return the definition of a measure as a JSON object."""
    from reportgen.measures import describe_infinite, describe_interval_method, describe_undefined
    from reportgen.measures.formula.notation import formula_as_text

    overall_formula = (
        f"{measure.symbol.text} = {formula_as_text(measure.overall_formula)}"
        if measure.overall_formula
        else None
    )
    low = "−∞" if measure.range.low is None else f"{measure.range.low:g}"
    high = "∞" if measure.range.high is None else f"{measure.range.high:g}"
    return {
        "name": measure.name,
        "aliases": list(measure.aliases),
        "title": measure.title,
        "symbol": measure.symbol.text,
        "family": measure.family.value,
        "answers": measure.question,
        "formula": f"{measure.symbol.text} = {formula_as_text(measure.formula)}",
        "formula_over_all_classes": overall_formula,
        "better": measure.orientation.value,
        "range": f"{low} to {high}",
        "undefined_when": describe_undefined(measure),
        "infinite_when": describe_infinite(measure),
        "interval": describe_interval_method(measure),
        "caution": measure.caution,
        "source": measure.source.citation,
    }


def format_auxiliaries(measure: Measure) -> list[str]:
    """Return the definitions of the symbols in its formulas that are not measures."""
    from reportgen.measures import MEASURE_REGISTRY, SCORE_FAMILIES, find_auxiliary_formulas
    from reportgen.measures.formula import find_quantities
    from reportgen.measures.formula.notation import formula_as_text

    formulas = [measure.formula, *([measure.overall_formula] if measure.overall_formula else [])]
    names = find_auxiliary_formulas(formulas, MEASURE_REGISTRY)
    definitions = [f"{name.symbol.text} = {formula_as_text(name.formula)}" for name in names]
    if measure.family not in SCORE_FAMILIES:
        return definitions
    # TP and other counts are well known; sums over scores need their definition.
    quantities = dict.fromkeys(
        quantity for formula in formulas for quantity in find_quantities(formula)
    )
    return definitions + [
        f"{quantity.symbol.text} is: {quantity.meaning}" for quantity in quantities
    ]


def _print_measures(selected: list[Measure]) -> None:
    from reportgen.measures import MEASURE_GROUPS, PARAMETERIZED_MEASURES

    rows = [(measure.name, measure.title, measure.question) for measure in selected]
    print_formatted(format_table(rows, ("measure", "title", "question")))
    parameterized = [
        (measure.syntax, measure.summary, measure.example) for measure in PARAMETERIZED_MEASURES
    ]
    print_formatted(f"\n{format_table(parameterized, ('with a parameter', 'meaning', 'example'))}")
    groups = [
        (group, "all measures of the task" if group == "all" else ", ".join(names))
        for group, names in MEASURE_GROUPS.items()
    ]
    print_formatted(f"\n{format_table(groups, ('group', 'measures'))}")


_AVERAGES = {
    "macro": "the mean over the classes of",
    "micro": "from the pooled counts of all classes,",
    "weighted": "the mean over the classes, weighted by their numbers of cases, of",
}


def describe_measure(name: str) -> str | None:
    """Return the definition of a measure, or of an average such as `macro_f1`; None if unknown."""
    from reportgen.measures import parse_measure

    request = parse_measure(name)
    if request is None:
        return None
    text = format_measure(request.measure)
    if request.average is None:
        return text
    return f"{name}: {_AVERAGES[request.average]} {request.measure.name}\n\n{text}"


def _require_measure(name: str) -> Measure:
    from reportgen.measures import measure_names, parse_measure

    request = parse_measure(name)
    measure = None if request is None else request.measure
    if measure is None:
        hint = did_you_mean(name, measure_names()) or "`reportgen measures` lists them"
        raise typer.BadParameter(f"unknown measure `{name}`; {hint}")
    return measure
