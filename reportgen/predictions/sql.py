"""The SQL query that reduces the tables of a spec to a table of counts.

The table of counts has the truth, the prediction of each classifier, the attributes of the cases
and `n`. It is an input like any other: `reportgen init` recognises it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

from reportgen.errors import Diagnostic, SpecError, did_you_mean
from reportgen.errors.spec import NOT_EXPRESSIBLE_IN_SQL
from reportgen.predictions.attributes import CASE_COUNT, SEGMENT_PREFIX, attribute_columns
from reportgen.predictions.files import is_glob
from reportgen.predictions.long_format import expand_models, is_listed, select_model
from reportgen.spec import with_models
from reportgen.spec.fields import is_remote_uri

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.spec import Classifier, DataSettings, Spec, SpecFile

DialectName = Literal["duckdb", "postgres", "bigquery", "snowflake", "spark"]
COUNT_COLUMN = "n"
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Words that Snowflake does not accept as the name of a column without quotes.
_RESERVED = (
    frozenset(
        ("all", "and", "any", "as", "between", "by", "case", "cast", "column", "create", "current")
    )
    | frozenset(
        ("distinct", "else", "false", "for", "from", "group", "having", "in", "is", "join", "left")
    )
    | frozenset(
        (
            "like",
            "not",
            "null",
            "of",
            "on",
            "or",
            "order",
            "right",
            "row",
            "rows",
            "sample",
            "select",
        )
    )
    | frozenset(
        (
            "set",
            "start",
            "table",
            "then",
            "to",
            "true",
            "union",
            "unique",
            "using",
            "values",
            "when",
        )
    )
    | frozenset(("where", "with"))
)


@dataclass(frozen=True, slots=True)
class QueryDialect:
    """How a database quotes names and texts, and what it calls text."""

    quote: str
    text_type: str
    has_backslash_escapes: bool = False
    folds_to_upper_case: bool = False

    def name(self, name: str) -> str:
        """Return the name of a column of a table."""
        if self.folds_to_upper_case and _PLAIN_NAME.fullmatch(name):
            # Created without quotes, the name is stored in upper case.
            return self.alias(name.upper()) if name.casefold() in _RESERVED else name
        return self.alias(name)

    def alias(self, name: str) -> str:
        """Return a name as it is, in quotes."""
        return f"{self.quote}{name.replace(self.quote, self.quote * 2)}{self.quote}"

    def table(self, name: str) -> str:
        """Return the name of a table, with catalog and schema before dots."""
        return ".".join(self.name(part) for part in name.split("."))

    def literal(self, value: str | float) -> str:
        """Return a text, number or boolean."""
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if not isinstance(value, str):
            return repr(value)
        if self.has_backslash_escapes:
            escaped = value.replace("\\", "\\\\").replace("'", "\\'")
            return f"'{escaped}'"
        return "'" + value.replace("'", "''") + "'"

    def text(self, expression: str) -> str:
        """Return an expression as text."""
        return f"CAST({expression} AS {self.text_type})"


DIALECTS: Mapping[DialectName, QueryDialect] = {
    "duckdb": QueryDialect('"', "VARCHAR"),
    "postgres": QueryDialect('"', "TEXT"),
    "bigquery": QueryDialect("`", "STRING", has_backslash_escapes=True),
    "snowflake": QueryDialect('"', "VARCHAR", has_backslash_escapes=True, folds_to_upper_case=True),
    "spark": QueryDialect("`", "STRING", has_backslash_escapes=True),
}


def expand_listed_models(spec_file: SpecFile) -> SpecFile:
    """Return the spec with a classifier for each model of a table in long format.

    The files are read only where the spec lists no classifiers.
    """
    spec = spec_file.spec
    column = spec.data.model
    if column is None:
        return spec_file
    listed_classifiers = [item for item in spec.classifiers if is_listed(item, column)]
    if not listed_classifiers:
        return expand_models(spec_file)
    classifiers = tuple(
        select_model(item, spec.data, column, item.model or item.name)
        if spec.has_shared_files(item)
        else item
        for item in listed_classifiers
    )
    data = spec.data.model_copy(update={"model": None})
    return with_models(
        spec_file, spec.model_copy(update={"classifiers": classifiers, "data": data})
    )


@dataclass(frozen=True, slots=True)
class _Relation:
    """The rows of a classifier: a table, joined with that of the labels, and a filter."""

    table: str
    labels: str | None
    id: str | None
    where: tuple[tuple[str, str | float], ...]


def counts_query(spec_file: SpecFile, dialect_name: DialectName, tables: Mapping[str, str]) -> str:
    """Return the query of the table of counts of a spec.

    Args:
        spec_file: a spec of classes, in which each classifier is listed.
        dialect_name: the dialect of SQL.
        tables: the table of a classifier or of a file, by name; other tables are called like the
            prediction files, without folder and suffix.

    Raise a SpecError with what SQL cannot express.
    """
    spec, dialect = spec_file.spec, DIALECTS[dialect_name]
    classifiers = [item for item in spec.classifiers if item.predictions is not None]
    _check_expressible(spec, classifiers, tables)
    relations = [_relation_of(spec, item, tables) for item in classifiers]
    settings = [spec.data_settings_for(item) for item in classifiers]
    if len(set(relations)) > 1 and any(data.id is None for data in settings):
        message = "the classifiers are in several tables, and no column of ids is named"
        help_text = 'rows of a database have no order: write `id = "…"` under `[data]`'
        raise SpecError(Diagnostic(NOT_EXPRESSIBLE_IN_SQL, message, help=help_text))
    sources = list(dict.fromkeys(relations))
    aliases = {relation: f"t{number}" for number, relation in enumerate(sources, start=1)}
    lines = list(_header_lines(spec, settings))
    lines.append("WITH")
    parts = []
    for relation in sources:
        own = [
            (item, data)
            for item, data, other in zip(classifiers, settings, relations, strict=True)
            if other == relation
        ]
        parts.append(_subquery(dialect, spec, relation, aliases[relation], own))
    lines.append(",\n".join(parts))
    columns = [
        ("truth", "t1", "truth"),
        *(
            (item.name, aliases[relation], _prediction_alias(item.name))
            for item, relation in zip(classifiers, relations, strict=True)
        ),
        *((name, "t1", alias) for alias, name in _key_columns(spec, settings[0])),
    ]
    lines += _select_counts(dialect, columns, has_count=settings[0].count is not None)
    lines += _join_lines(dialect, spec, settings[0], list(aliases.values()))
    grouped = ", ".join(f"{alias}.{dialect.alias(name)}" for _, alias, name in columns)
    lines += [f"GROUP BY {grouped}", f"ORDER BY {grouped};"]
    return "\n".join(lines) + "\n"


def _header_lines(spec: Spec, settings: Sequence[DataSettings]) -> Iterator[str]:
    yield "-- Table of counts by reportgen: truth, the prediction of each classifier, n."
    yield "-- Save the result as counts.csv; `reportgen init counts.csv` writes its spec."
    if any(data.score is not None or data.probabilities is not None for data in settings):
        yield "-- Scores are not in it: ROC curves and calibration need the cases."
    if spec.data.missing != "error":
        yield f'-- Empty predictions stay empty: write `missing = "{spec.data.missing}"` there.'


def _check_expressible(
    spec: Spec, classifiers: Sequence[Classifier], tables: Mapping[str, str]
) -> None:
    """Raise what a query of counts cannot express."""
    problems: list[tuple[str, str]] = []
    if spec.task.kind not in {"binary", "multiclass"}:
        problems.append((f"a {spec.task.kind} task has no counts", "build the report from cases"))
    if spec.datasets:
        problems.append(("the spec has several data sets", "write a spec for each of them"))
    if not classifiers:
        problems.append(("no classifier has predictions", "name their files or tables"))
    names = [item.name for item in spec.classifiers] + [
        _table_of_path(path)
        for item in classifiers
        for path in (*(item.predictions or ()), spec.data_settings_for(item).labels)
        if path is not None
    ]
    problems += [
        (
            f"--table names `{name}`, which is no classifier and no file of the spec",
            did_you_mean(name, names) or f"expected one of {', '.join(sorted(names))}",
        )
        for name in tables
        if name not in names
    ]
    for item in classifiers:
        data, name = spec.data_settings_for(item), f"`{item.name}`"
        if data.format is not None:
            problem = f"{name}: the columns of the format {data.format} are not known in a table"
            problems.append((problem, "name the columns: `truth`, `prediction`"))
        derives = data.threshold is not None or _takes_most_probable(data)
        if derives and spec.task.classes is None:
            problem = f"{name}: predictions are derived from scores, and the classes are not listed"
            problems.append((problem, 'write `classes = ["…", "…"]` in [task]'))
        if item.name not in tables and data.table is None and _table_name(item, tables) is None:
            problem = f"{name}: several files or a pattern are no table"
            problems.append((problem, f'name the table: --table "{item.name}=TABLE"'))
    if problems:
        raise SpecError(
            *(
                Diagnostic(NOT_EXPRESSIBLE_IN_SQL, text, help=help_text)
                for text, help_text in problems
            )
        )


def _table_of_path(path: str) -> str:
    """Return the table that is called like a file: `svm` for data/svm.csv.gz."""
    return PurePosixPath(path).name.partition(".")[0]


def _table_name(classifier: Classifier, tables: Mapping[str, str]) -> str | None:
    """Return the table of the file of a classifier, None for several files."""
    paths = classifier.predictions or ()
    if len(paths) != 1 or is_glob(paths[0]) or is_remote_uri(paths[0]):
        return None
    return tables.get(_table_of_path(paths[0]), _table_of_path(paths[0]))


def _relation_of(spec: Spec, classifier: Classifier, tables: Mapping[str, str]) -> _Relation:
    data = spec.data_settings_for(classifier)
    table = tables.get(classifier.name) or data.table or _table_name(classifier, tables) or ""
    labels = None
    if data.labels is not None:
        labels = tables.get(_table_of_path(data.labels), _table_of_path(data.labels))
    return _Relation(table, labels, data.id, tuple((data.where or {}).items()))


def _takes_most_probable(data: DataSettings) -> bool:
    return data.probabilities is not None and "prediction" not in data.model_fields_set


def _prediction_alias(classifier: str) -> str:
    return f"prediction {classifier}"


def _key_columns(spec: Spec, data: DataSettings) -> Iterator[tuple[str, str]]:
    """Yield the alias and the name of the columns that cases are grouped by."""
    if data.fold is not None:
        yield "fold", data.fold
    for role, name in attribute_columns(spec, data).items():
        if role != CASE_COUNT:
            yield (
                role.removeprefix(SEGMENT_PREFIX) if role.startswith(SEGMENT_PREFIX) else role,
                name,
            )


def _subquery(
    dialect: QueryDialect,
    spec: Spec,
    relation: _Relation,
    alias: str,
    classifiers: Sequence[tuple[Classifier, DataSettings]],
) -> str:
    """Return the rows of the classifiers of one table, with labels as text."""
    data = classifiers[0][1]
    columns = {"truth": _label(dialect, data, data.truth, "l" if relation.labels else "p")}
    if data.id is not None:
        columns["id"] = dialect.text(f"p.{dialect.name(data.id)}")
    columns |= {
        key: dialect.text(f"p.{dialect.name(name)}") for key, name in _key_columns(spec, data)
    }
    if data.count is not None:
        columns["count"] = f"p.{dialect.name(data.count)}"
    for classifier, own in classifiers:
        columns[_prediction_alias(classifier.name)] = _prediction(dialect, spec, own)
    # Equal rows of one case are one case.
    distinct = "DISTINCT " if data.id is not None and data.count is None else ""
    selected = ",\n    ".join(f"{sql} AS {dialect.alias(name)}" for name, sql in columns.items())
    lines = [f"{alias} AS (", f"  SELECT {distinct}", f"    {selected}"]
    lines.append(f"  FROM {dialect.table(relation.table)} AS p")
    if relation.labels is not None and data.id is not None:
        id_ = dialect.name(data.id)
        lines.append(f"  JOIN {dialect.table(relation.labels)} AS l ON l.{id_} = p.{id_}")
    if relation.where:
        conditions = (
            f"p.{dialect.name(name)} = {dialect.literal(value)}" for name, value in relation.where
        )
        lines.append(f"  WHERE {' AND '.join(conditions)}")
    return "\n".join(line.rstrip() for line in (*lines, ")"))


def _label(dialect: QueryDialect, data: DataSettings, column: str, table: str) -> str:
    """Return a column of labels as text, with `map` applied."""
    text = dialect.text(f"{table}.{dialect.name(column)}")
    if not data.map:
        return text
    cases = " ".join(
        f"WHEN {dialect.literal(old)} THEN {dialect.literal(new)}" for old, new in data.map.items()
    )
    return f"CASE {text} {cases} ELSE {text} END"


def _prediction(dialect: QueryDialect, spec: Spec, data: DataSettings) -> str:
    """Return the predicted class: a column, from a score, or the most probable one."""
    classes = spec.task.classes or ()
    if data.threshold is not None and data.score is not None:
        score = f"p.{dialect.name(data.score)}"
        positive = spec.task.positive or ""
        (negative,) = (label for label in classes if label != positive)
        return (
            f"CASE WHEN {score} IS NULL THEN NULL"
            f" WHEN {score} >= {dialect.literal(data.threshold)} THEN {dialect.literal(positive)}"
            f" ELSE {dialect.literal(negative)} END"
        )
    if _takes_most_probable(data) and data.probabilities is not None:
        columns = [
            f"p.{dialect.name(data.probabilities.replace('{class}', label))}" for label in classes
        ]
        cases = " ".join(
            f"WHEN {' AND '.join(f'{column} >= {other}' for other in columns if other != column)}"
            f" THEN {dialect.literal(label)}"
            for column, label in zip(columns, classes, strict=True)
        )
        return f"CASE {cases} END"
    return _label(dialect, data, data.prediction, "p")


def _select_counts(
    dialect: QueryDialect, columns: Sequence[tuple[str, str, str]], *, has_count: bool
) -> Iterator[str]:
    count = f"SUM(t1.{dialect.alias('count')})" if has_count else "COUNT(*)"
    yield "SELECT"
    for name, table, column in columns:
        yield f"  {table}.{dialect.alias(column)} AS {dialect.alias(name)},"
    yield f"  {count} AS {dialect.alias(COUNT_COLUMN)}"
    yield "FROM t1"


def _join_lines(
    dialect: QueryDialect, spec: Spec, data: DataSettings, aliases: Sequence[str]
) -> Iterator[str]:
    """Yield the joins of the other tables, by id, repetition and fold."""
    keys = ["id", *(key for key, _ in _key_columns(spec, data) if key in {"fold", "repeat"})]
    for alias in aliases[1:]:
        conditions = " AND ".join(
            f"{alias}.{dialect.alias(key)} = t1.{dialect.alias(key)}" for key in keys
        )
        yield f"JOIN {alias} ON {conditions}"
