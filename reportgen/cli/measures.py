"""`reportgen measures`: the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.console import print_data, print_json
from reportgen.errors import did_you_mean

if TYPE_CHECKING:
    from reportgen.measures import Measure


def measures(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One measure.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """List the measures, or tell all about the one called NAME."""
    from reportgen.measures import MEASURE_REGISTRY

    found = [_require_measure(name)] if name is not None else list(MEASURE_REGISTRY.values())
    if as_json:
        print_json([measure_row(measure) for measure in found])
    elif name is not None:
        print_data(format_measure(found[0]))
    else:
        _print_measures(found)


def format_measure(measure: Measure) -> str:
    """Return all about a measure as text."""
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
    """Return all about a measure for programs."""
    from reportgen.measures import describe_infinite, describe_interval_method, describe_undefined
    from reportgen.measures.formula.notation import formula_as_text

    whole = (
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
        "formula_over_all_classes": whole,
        "better": measure.orientation.value,
        "range": f"{low} to {high}",
        "undefined_when": describe_undefined(measure),
        "infinite_when": describe_infinite(measure),
        "interval": describe_interval_method(measure),
        "caution": measure.caution,
        "source": measure.source.citation,
    }


def format_auxiliaries(measure: Measure) -> list[str]:
    """Return the definitions of the symbols in its formulas that are no measures themselves."""
    from reportgen.measures import MEASURE_REGISTRY, SCORE_FAMILIES, find_auxiliary_formulas
    from reportgen.measures.formula import find_quantities
    from reportgen.measures.formula.notation import formula_as_text

    formulas = [measure.formula, *([measure.overall_formula] if measure.overall_formula else [])]
    names = find_auxiliary_formulas(formulas, MEASURE_REGISTRY)
    defined = [f"{name.symbol.text} = {formula_as_text(name.formula)}" for name in names]
    if measure.family not in SCORE_FAMILIES:
        return defined
    # Everybody knows tp; of sums over scores the name does not say enough.
    summed = dict.fromkeys(found for formula in formulas for found in find_quantities(formula))
    return defined + [f"{found.symbol.text} is: {found.meaning}" for found in summed]


def _print_measures(selected: list[Measure]) -> None:
    from reportgen.measures import MEASURE_GROUPS, PARAMETERIZED_MEASURES

    width = max(len(measure.name) for measure in selected)
    for measure in selected:
        print_data(f"{measure.name:<{width}}  {measure.title}: {measure.question}")
    print_data("\nWith a parameter")
    for each in PARAMETERIZED_MEASURES:
        print_data(f"{each.syntax:<{width}}  {each.summary}, such as {each.example}")
    print_data("\nGroups")
    for group, names in MEASURE_GROUPS.items():
        members = "every measure that fits the task" if group == "all" else ", ".join(names)
        print_data(f"{group:<{width}}  {members}")


def _require_measure(name: str) -> Measure:
    from reportgen.measures import find_measure, measure_names

    found = find_measure(name)
    if found is None:
        hint = did_you_mean(name, measure_names()) or "`reportgen measures` lists them"
        raise typer.BadParameter(f"there is no measure `{name}`; {hint}")
    return found
