"""Write the documents that are derived from the code; with --check list those out of date."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import PackageMetadata, distribution
from pathlib import Path
from typing import TYPE_CHECKING, cast

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.main import get_command
from typer.testing import CliRunner

from reportgen.cli.app import app
from reportgen.cli.measures import format_auxiliaries
from reportgen.errors import ERROR_CODES
from reportgen.export.schema import results_schema
from reportgen.measures import (
    CHANGE_DESCRIPTIONS,
    MEASURE_GROUPS,
    MEASURE_REGISTRY,
    PARAMETERIZED_MEASURES,
    MatrixChange,
    Measure,
    describe_infinite,
    describe_interval_method,
    describe_undefined,
    find_invariances,
    find_measure,
    is_function_of_counts,
)
from reportgen.measures.formula.notation import formula_as_text
from reportgen.spec import spec_schema
from reportgen.spec.reference import spec_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click

    from reportgen.spec.reference import SpecKey, SpecTable

ROOT = Path(__file__).parent.parent
GENERATED = "<!-- Written by `make docs`; do not edit. -->\n"
FLAGSHIP = "specs/breast_cancer.toml"


def main() -> int:
    """Write or compare all documents."""
    check = "--check" in sys.argv[1:]
    stale = {path: text for path, text in documents().items() if not _is_current(path, text)}
    for path, text in stale.items():
        print(f"{'stale' if check else 'wrote'}: {path.relative_to(ROOT)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if check and stale:
        print("run `make docs`")
    return int(check and bool(stale))


def documents() -> dict[Path, str]:
    """Return every derived document by its path."""
    return {
        ROOT / "README.md": _readme(),
        ROOT / "docs/measures.md": _measures_page(),
        ROOT / "docs/commands.md": _commands_page(),
        ROOT / "docs/errors.md": _errors_page(),
        ROOT / "docs/spec.md": _spec_page(),
        ROOT / "docs/licences.md": _licences_page(),
        ROOT / "schemas/spec.schema.json": _json(spec_schema()),
        ROOT / "schemas/results.schema.json": _json(results_schema()),
    }


def _is_current(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def _json(schema: object) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _readme() -> str:
    """Return README.md with its sample, which is between comments, replaced."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    before, start, rest = readme.partition("<!-- sample -->\n")
    _, end, after = rest.partition("<!-- /sample -->")
    return before + start + _sample_output() + end + after


def _sample_output() -> str:
    """Return the recommendation of the flagship, as `--format markdown` writes it."""
    options = ["--format", "markdown", "--detail", "summary", "--no-history"]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "reportgen", "build", FLAGSHIP, "-o", folder, *options]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)  # noqa: S603
        report = (Path(folder) / Path(FLAGSHIP).stem / "report.md").read_text(encoding="utf-8")
    _, recommendation, *_ = re.split(r"^## ", report, flags=re.MULTILINE)
    return f"#### {recommendation.strip()}\n\n"


def _measures_page() -> str:
    groups = "".join(
        f"| `{group}` | {'all that fit the task' if group == 'all' else _names(names)} |\n"
        for group, names in MEASURE_GROUPS.items()
    )
    examples = (find_measure(pattern.example) for pattern in PARAMETERIZED_MEASURES)
    parameterized = "".join(
        f"| `{pattern.syntax}` | `{pattern.example}` | {pattern.summary} |\n"
        for pattern in PARAMETERIZED_MEASURES
    )
    measures = (*MEASURE_REGISTRY.values(), *(measure for measure in examples if measure))
    pages = "\n".join(_measure_page(measure) for measure in measures)
    return (
        f"{GENERATED}# Measures\n\n{_MEASURE_NAMES}\n"
        f"## With a parameter\n\n| name | example | meaning |\n|---|---|---|\n{parameterized}\n"
        f"## Groups\n\n| group | measures |\n|---|---|\n{groups}\n{_invariances()}\n{pages}"
    )


def _invariances() -> str:
    """Return the table of changes of the confusion matrix that leave measures as they are."""
    heads = " | ".join(change.value for change in MatrixChange)
    rows = "".join(
        f"| `{measure.name}` | "
        + " | ".join("✓" if change in find_invariances(measure) else "" for change in MatrixChange)
        + " |\n"
        for measure in MEASURE_REGISTRY.values()
        if is_function_of_counts(measure)
    )
    changes = "".join(
        f"- {change.value}: {words}\n" for change, words in CHANGE_DESCRIPTIONS.items()
    )
    return (
        "## Invariance\n\nA check mark means that the change of the confusion matrix leaves the"
        f" measure as it is\n(Sokolova and Lapalme 2009).\n\n{changes}\n| measure | {heads} |\n"
        f"|---|{'---|' * len(MatrixChange)}\n{rows}"
    )


_MEASURE_NAMES = """A spec names a measure by its name or an alias, and in `show` and `primary` an
average over the classes as well: `macro_f1`, `weighted_precision`, `recall_micro`.

A parameter follows `@`: a number, or `name=number`, several of them separated by commas. Measures
at an operating point need scores; at a threshold, probabilities of at least the threshold are
positive predictions. Both apply to binary tasks.
"""


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _measure_page(measure: Measure) -> str:
    where = "".join(f"    where {line}\n" for line in format_auxiliaries(measure))
    overall = ""
    if measure.overall_formula not in (None, measure.formula):
        formula = formula_as_text(measure.overall_formula)
        overall = f"    over all classes: {measure.symbol.text} = {formula}\n"
    aliases = f" (also {_names(measure.aliases)})" if measure.aliases else ""
    sentences = (describe_undefined(measure), describe_infinite(measure), measure.caution)
    return (
        f"## {measure.title}\n\n`{measure.name}`{aliases}: {measure.question}\n\n"
        f"    {measure.symbol.text} = {formula_as_text(measure.formula)}\n{overall}{where}\n"
        f"{' '.join(sentence for sentence in sentences if sentence)}\n"
        f"{describe_interval_method(measure)}\n"
        f"Better: {measure.orientation.value}. Source: {measure.source.citation}.\n"
    )


COMMANDS_INTRODUCTION = """\
Data go to stdout; messages, warnings and errors to stderr. Tables fit the width of a terminal. In a
pipe or a file each row is one line without colour, its columns at least two spaces apart, so that
`grep`, `sort` and `awk -F'  +'` can read it; programs should use `--json`.
"""


def _commands_page() -> str:
    runner = CliRunner(env={"COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"})
    command = cast("click.Group", get_command(app))
    parts = [f"{GENERATED}# Commands\n", COMMANDS_INTRODUCTION]
    for words in ((), *_command_words(command)):
        help_text = runner.invoke(app, [*words, "--help"], prog_name="reportgen").output
        head = "##" if len(words) < 2 else "###"  # noqa: PLR2004  # a command of a group
        title = " ".join(("reportgen", *words))
        parts.append(f"{head} {title}\n\n```text\n{_trimmed(help_text)}\n```\n")
    return "\n".join(parts)


def _command_words(group: click.Group) -> Iterator[tuple[str, ...]]:
    """Yield how every command is called, those of groups after their group."""
    for name, command in group.commands.items():
        yield (name,)
        if hasattr(command, "commands"):
            yield from ((name, *words) for words in _command_words(cast("click.Group", command)))


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def _errors_page() -> str:
    kinds = "\n".join(
        f"## {kind.code}: {kind.title}\n\n{kind.explanation}\n" for kind in ERROR_CODES.values()
    )
    return f"{GENERATED}# Errors\n\n`reportgen explain CODE` prints the same.\n\n{kinds}"


def _spec_page() -> str:
    introduction = (
        f"{GENERATED}# The spec\n\nPaths are relative to the spec file. `reportgen explain KEY`"
        " prints a key; the JSON Schema is in `schemas/spec.schema.json` and printed by"
        " `reportgen schema`.\n"
    )
    return "\n".join([introduction, *map(_spec_table, spec_tables())])


def _spec_table(table: SpecTable) -> str:
    head = "| key | values | default | meaning | example |\n|---|---|---|---|---|\n"
    rows = "".join(
        f"| `{key.name}` | {_cell(key.type)} | {_default(key)} | {_cell(key.description)} |"
        f" {_code(key.example)} |\n"
        for key in table.keys
    )
    title = f"`{table.header}`" if table.header else "At the top"
    return f"## {title}\n\n{table.description}\n\n{head}{rows}"


def _default(key: SpecKey) -> str:
    return "required" if key.is_required else _code(key.default)


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|")


def _code(text: str | None) -> str:
    return "" if text is None else f"`{_cell(text)}`"


# The list is that of one environment, so that every machine writes the same.
LISTED_ENVIRONMENT = {
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.13.0",
    "python_version": "3.13",
    "sys_platform": "linux",
}
EXTRAS_IN_USE = ("cloud", "duckdb", "excel", "figures", "postgres")


def _licences_page() -> str:
    """Return the licences of all packages that reportgen needs at run time, with its extras."""
    rows = "".join(
        f"| {metadata['Name']} | {_licence(metadata)} | {why} |\n"
        for metadata, why in _runtime_packages()
    )
    return (
        f"{GENERATED}\n# Licences\n\nreportgen itself has the MIT licence. The fonts of page and"
        " PDF, Inter, have the SIL Open Font License 1.1; its text is in the wheel next to them and"
        " with the licences of the distribution.\n\nThe packages that reportgen needs, as they"
        " state their licences themselves. Versions are in requirements.lock. `spark` is installed"
        " by `make spark` only: pyspark and narwhals, Apache-2.0 and MIT.\n\n"
        f"| package | licence | needed for |\n|---|---|---|\n{rows}"
    )


def _runtime_packages() -> list[tuple[PackageMetadata, str]]:
    """Return the metadata of the packages in the closure of requirements, by name."""
    reasons: dict[str, str] = {}
    # Not of the installed metadata, which are those of the last installation.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting = [(Requirement(text), "reportgen") for text in project["dependencies"]]
    for extra in EXTRAS_IN_USE:
        texts = project["optional-dependencies"][extra]
        waiting += [(Requirement(text), f"extra `{extra}`") for text in texts]
    while waiting:
        requirement, why = waiting.pop(0)
        name = canonicalize_name(requirement.name)
        if name in reasons:
            continue
        reasons[name] = why
        for package_extra in (None, *sorted(requirement.extras)):
            waiting += [(needed, name) for needed in _requirements(name, package_extra)]
    return [(distribution(name).metadata, reasons[name]) for name in sorted(reasons)]


def _requirements(name: str, extra: str | None) -> list[Requirement]:
    """Return what a package needs, without or with an extra."""
    requirements = map(Requirement, distribution(name).requires or ())
    return [
        requirement
        for requirement in requirements
        if (requirement.marker is None and extra is None)
        or (
            requirement.marker is not None
            and requirement.marker.evaluate({**LISTED_ENVIRONMENT, "extra": extra or ""})
            and (extra is None or "extra" in str(requirement.marker))
        )
    ]


def _licence(metadata: PackageMetadata) -> str:
    """Return the licence of a package: its expression, else its classifiers, else its text."""
    if "License-Expression" in metadata:
        return str(metadata["License-Expression"])
    prefix = "License :: OSI Approved :: "
    classifiers = [
        text.removeprefix(prefix)
        for text in metadata.get_all("Classifier") or ()
        if text.startswith(prefix)
    ]
    return ", ".join(classifiers) or str(metadata["License"] or "not stated").splitlines()[0]


if __name__ == "__main__":
    sys.exit(main())
