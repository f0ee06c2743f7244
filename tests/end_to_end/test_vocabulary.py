"""Names in the package are the field's: none of the former dialect, and none for two things.

docs/glossary.md has the established word of each concept. Names of tests are sentences, in which
any word may be right; their helpers and variables are names as in the package.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "reportgen"

# Words that occur in no identifier, and what to write instead.
FORBIDDEN_WORDS = {
    "backed": "significant",
    "beside": "the relation that is meant",
    "coins": "fair draws (binomial)",
    "crew": "worker pool",
    "crowned": "best",
    "crowns": "best",
    "decisive": "primary",
    "dismiss": "close, shut down",
    "elsewhere": "where that is",
    "guessing": "chance",
    "hindrance": "unsupported reason",
    "ladder": "grid, thresholds",
    "letters": "e-mail",
    "news": "notification",
    "occasion": "trigger, event",
    "occasions": "triggers, events",
    "patience": "timeout",
    "refusal": "error",
    "refuse": "check, validate",
    "regrouping": "unpaired permutation",
    "remembering": "history",
    "said": "description, message",
    "settle": "adjust, resolve",
    "settled": "adjusted, resolved",
    "stirred": "last progress",
    "tell": "notify, on_progress, format",
    "tells": "notifies, describes",
    "told": "message, notified",
    "untold": "undelivered",
    "urn": "hypergeometric",
    "voice": "log",
    "wanted": "criterion, required",
    "workshop": "executor",
}
# Words that occur within identifiers of the field (`not_found`), but are no name by themselves.
FORBIDDEN_NAMES = {
    *("asked", "each", "found", "given", "judged", "kept", "made", "seen", "shown", "straight"),
    *("turned", "whole"),
}


def identifiers(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the names that a module gives to others, each with its line.

    These are the names of the module, of classes, functions, parameters, class attributes,
    attributes of instances and module constants.
    """
    yield path.parent.name if path.stem == "__init__" else path.stem, 1
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef():
                yield node.name, node.lineno
                yield from _assigned(node.body)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name, node.lineno
                arguments = node.args
                for argument in (
                    *(*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs),
                    *filter(None, (arguments.vararg, arguments.kwarg)),
                ):
                    yield argument.arg, argument.lineno
            case ast.Attribute(ctx=ast.Store(), value=ast.Name(id="self")):
                yield node.attr, node.lineno
    yield from _assigned(tree.body)


def local_names(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the names of functions and variables, wherever they are bound, except those of tests.

    `letters` are letters of the alphabet here: e-mails have no local names of that kind.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case (
                ast.Name(ctx=ast.Store(), id=str(name))
                | ast.arg(arg=str(name))
                | ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.FunctionDef(name=str(name))
            ) if not name.startswith("test_") and "letters" not in words_of(name):
                yield name, node.lineno


def _assigned(body: list[ast.stmt]) -> Iterator[tuple[str, int]]:
    for statement in body:
        targets: list[ast.expr] = []
        match statement:
            case ast.Assign():
                targets = statement.targets
            case ast.AnnAssign():
                targets = [statement.target]
        for target in targets:
            if isinstance(target, ast.Name):
                yield target.id, statement.lineno


def public_definitions(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the public classes and top-level functions of a module, each with its line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (node for node in tree.body if not isinstance(node, ast.ClassDef))
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    for node in (*functions, *classes):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            yield node.name, node.lineno


def words_of(identifier: str) -> list[str]:
    """Return the words of an identifier in small letters: `WorkerPool` and `worker_pool` alike."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", identifier)]


def modules() -> list[Path]:
    """Return the modules of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def dialect_in(identifier: str) -> str | None:
    """Return what is wrong with an identifier, or None."""
    words = words_of(identifier)
    for word in words:
        if word in FORBIDDEN_WORDS:
            return f"`{identifier}` has `{word}`: write {FORBIDDEN_WORDS[word]}"
    if len(words) == 1 and words[0] in FORBIDDEN_NAMES:
        return f"`{identifier}` does not say what it is"
    return None


def test_no_identifier_is_of_the_former_dialect() -> None:
    """Names are nouns of the field for values and verbs for functions, and no metaphors."""
    problems = [
        f"{path.relative_to(ROOT)}:{line}: {problem}"
        for path in modules()
        for name, line in identifiers(path)
        if (problem := dialect_in(name)) is not None
    ]

    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("folder", ["reportgen", "tests", "benchmarks", "scripts"])
def test_no_local_name_is_of_the_former_dialect(folder: str) -> None:
    """Variables, loops, handlers and patterns have names too, in tests as in the package."""
    problems = [
        f"{path.relative_to(ROOT)}:{line}: {problem}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name, line in local_names(path)
        if (problem := dialect_in(name)) is not None
    ]

    assert not problems, "\n".join(problems)


def test_no_public_name_stands_for_two_things() -> None:
    """A class or public top-level function is found by its name, so that it exists once."""
    places = defaultdict[str, list[str]](list)
    for path in modules():
        for name, line in public_definitions(path):
            places[name].append(f"{path.relative_to(ROOT)}:{line}")
    twice = [f"{name}: {', '.join(at)}" for name, at in sorted(places.items()) if len(at) > 1]

    assert not twice, "\n".join(twice)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("class Crew: ...", "Crew"),
        ("def tell_all(): ...", "tell_all"),
        ("def notify(told): ...", "told"),
        ("def notify(*, untold=()): ...", "untold"),
        ("class Gate:\n    wanted: float", "wanted"),
        ("class Test:\n    DECISIVE = 1", "DECISIVE"),
        ("class Pool:\n    def __init__(self):\n        self._stirred = 0", "_stirred"),
        ("class Found: ...", "Found"),
        ("FairCoins = int", "FairCoins"),
    ],
)
def test_the_dialect_is_noticed_wherever_a_name_is_given(
    tmp_path: Path, source: str, name: str
) -> None:
    """Classes, functions, parameters, fields, members, attributes and constants."""
    path = tmp_path / "module.py"
    path.write_text(source, encoding="utf-8")

    assert [item for item, _ in identifiers(path) if dialect_in(item)] == [name]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def count():\n    found = 1", "found"),
        ("def count(rows):\n    return [each for each in rows]", "each"),
        ("def count(rows):\n    for at, told in rows: ...", "told"),
        ("with open() as (kept, _): ...", "kept"),
        ("if (judged := 1): ...", "judged"),
        ("try: ...\nexcept OSError as refusal: ...", "refusal"),
        ("match 1:\n    case [*made]: ...", "made"),
        ("match 1:\n    case int() as given: ...", "given"),
        ("check = lambda shown: shown", "shown"),
        ("def test_counts():\n    def seen(): ...", "seen"),
    ],
)
def test_the_dialect_is_noticed_wherever_a_local_name_is_bound(
    tmp_path: Path, source: str, name: str
) -> None:
    """Assignments, loops, comprehensions, contexts, handlers, patterns and inner functions."""
    path = tmp_path / "module.py"
    path.write_text(source, encoding="utf-8")

    assert [item for item, _ in local_names(path) if dialect_in(item)] == [name]


def test_the_dialect_is_noticed_in_a_file_name(tmp_path: Path) -> None:
    """A module is a name as well."""
    path = tmp_path / "letters.py"
    path.write_text("", encoding="utf-8")

    assert [item for item, _ in identifiers(path) if dialect_in(item)] == ["letters"]


def test_words_of_the_field_are_no_dialect() -> None:
    """A word within a longer name may be right where the word alone would not."""
    names = ("FileNotFound", "is_shown", "connection_refused", "lower_first_letter", "read_head")

    assert [name for name in names if dialect_in(name)] == []
