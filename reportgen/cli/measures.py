"""`reportgen measures`: the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.messages import print_json, show
from reportgen.errors import did_you_mean

if TYPE_CHECKING:
    from reportgen.measures import Measure


def measures(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One measure.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """List the measures, or tell all about the one called NAME."""
    from reportgen.measures import CATALOGUE

    found = [_known(name)] if name is not None else list(CATALOGUE.values())
    if as_json:
        print_json([measure_row(measure) for measure in found])
    elif name is not None:
        show(measure_text(found[0]))
    else:
        _list(found)


def measure_text(measure: Measure) -> str:
    """Return all about a measure as text."""
    row = measure_row(measure)
    head = f"{measure.title} ({', '.join([measure.name, *measure.aliases])})"
    lines = [head, "", f"  {measure.answers}", "", f"  {row['formula']}"]
    if row["formula_over_all_classes"] not in {None, row["formula"]}:
        lines.append(f"  over all classes: {row['formula_over_all_classes']}")
    lines += [f"  where {definition}" for definition in auxiliaries(measure)]
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
    from reportgen.formulas.written import as_text
    from reportgen.measures import infinite_when, interval_in_words, undefined_when

    whole = f"{measure.symbol.text} = {as_text(measure.whole)}" if measure.whole else None
    low = "−∞" if measure.range.low is None else f"{measure.range.low:g}"
    high = "∞" if measure.range.high is None else f"{measure.range.high:g}"
    return {
        "name": measure.name,
        "aliases": list(measure.aliases),
        "title": measure.title,
        "symbol": measure.symbol.text,
        "family": measure.family.value,
        "answers": measure.answers,
        "formula": f"{measure.symbol.text} = {as_text(measure.formula)}",
        "formula_over_all_classes": whole,
        "better": measure.orientation.value,
        "range": f"{low} to {high}",
        "undefined_when": undefined_when(measure),
        "infinite_when": infinite_when(measure),
        "interval": interval_in_words(measure),
        "caution": measure.caution,
        "source": measure.source.text,
    }


def auxiliaries(measure: Measure) -> list[str]:
    """Return the definitions of the symbols in its formulas that are no measures themselves."""
    from reportgen.formulas import quantities
    from reportgen.formulas.written import as_text
    from reportgen.measures import CATALOGUE, SCORE_FAMILIES, auxiliary_names

    formulas = [measure.formula, *([measure.whole] if measure.whole else [])]
    names = auxiliary_names(formulas, CATALOGUE)
    defined = [f"{name.symbol.text} = {as_text(name.formula)}" for name in names]
    if measure.family not in SCORE_FAMILIES:
        return defined
    # Everybody knows tp; of sums over scores the name does not say enough.
    summed = dict.fromkeys(found for formula in formulas for found in quantities(formula))
    return defined + [f"{found.symbol.text} is: {found.meaning}" for found in summed]


def _list(found: list[Measure]) -> None:
    from reportgen.measures import GROUPS

    width = max(len(measure.name) for measure in found)
    for measure in found:
        show(f"{measure.name:<{width}}  {measure.title}: {measure.answers}")
    show(f"{'f<β>':<{width}}  F-measure with any weight, such as f0.5 or f2")
    show("\nGroups")
    for group, names in GROUPS.items():
        members = "every measure that fits the task" if group == "all" else ", ".join(names)
        show(f"{group:<{width}}  {members}")


def _known(name: str) -> Measure:
    from reportgen.measures import find_measure, measure_names

    found = find_measure(name)
    if found is None:
        hint = did_you_mean(name, measure_names()) or "`reportgen measures` lists them"
        raise typer.BadParameter(f"there is no measure `{name}`; {hint}")
    return found
