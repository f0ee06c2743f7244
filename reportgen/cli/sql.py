"""`reportgen sql`: the query that makes a table of counts in a database."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli.console import print_document
from reportgen.cli.specs import find_spec_files


class SqlDialectOption(StrEnum):
    """A dialect of SQL."""

    DUCKDB = "duckdb"
    POSTGRES = "postgres"
    BIGQUERY = "bigquery"
    SNOWFLAKE = "snowflake"
    SPARK = "spark"


def sql(
    spec: Annotated[
        Path | None,
        typer.Argument(
            metavar="SPEC", help="The spec; default: reportgen.toml.", show_default=False
        ),
    ] = None,
    dialect: Annotated[
        SqlDialectOption, typer.Option("--dialect", help="The dialect of the database.")
    ] = SqlDialectOption.DUCKDB,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            metavar="NAME=TABLE",
            help="The table of a classifier or file; by default the name of the file.",
        ),
    ] = None,
) -> None:
    """Print the query that counts truths and predictions in a database.

    Its result, the table of counts, is a full input of a report without scores. Tables are called
    like the prediction files, unless `table` in the spec or --table names others.
    """
    from reportgen.predictions.sql import counts_query, expand_listed_models
    from reportgen.spec import load_spec

    tables = {}
    for item in table or ():
        name, separator, value = item.partition("=")
        if not separator or not name or not value:
            raise typer.BadParameter(f"{item}: expected NAME=TABLE", param_hint="--table")
        tables[name] = value
    (path,) = find_spec_files([spec] if spec else None)
    spec_file = expand_listed_models(load_spec(path))
    print_document(counts_query(spec_file, dialect.value, tables).rstrip("\n"))
