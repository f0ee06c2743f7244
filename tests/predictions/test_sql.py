"""The query of `reportgen sql` makes the table of counts that the cases have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, get_args

import duckdb
import polars as pl
import pytest
import sqlglot

from reportgen.errors import SpecError
from reportgen.export.results import results_json
from reportgen.pipeline import load_and_evaluate
from reportgen.predictions.roles import ColumnOptions
from reportgen.predictions.scaffold import scaffold_spec
from reportgen.predictions.sql import DialectName, counts_query, expand_listed_models
from reportgen.spec import load_spec
from tests.cli.command import reportgen

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.postgres import Postgres

SIZE = 120
LABELS = ("it's", 'no "x"')
TASK = f'[task]\nkind = "binary"\npositive = "{LABELS[0]}"\n'
SEGMENTS = '[[segments]]\ncolumn = "Site of case"\n'


def case_frame() -> pl.DataFrame:
    """Return cases with two predictions, a fold and a segment, all of them with odd names."""
    number = range(SIZE)
    yes, no = LABELS
    return pl.DataFrame(
        {
            "case": [f"c{n:03}" for n in number],
            "outcome": [yes if n % 3 else no for n in number],
            "svm": [yes if n % 3 and n % 7 else no for n in number],
            "nb": [yes if n % 2 else no for n in number],
            "score": [(n * 37 % 100) / 100 for n in number],
            "fold": [n % 4 for n in number],
            "Site of case": ["Genève" if n % 5 else "Zürich" for n in number],
        }
    )


def write_wide(folder: Path) -> Path:
    """Write a table with a column per classifier, and its spec."""
    case_frame().write_csv(folder / "cases.csv")
    return write_spec(
        folder,
        'truth = "outcome"\nfold = "fold"\npredictions = "cases.csv"\n',
        '[[classifiers]]\nname = "SVM"\nprediction = "svm"\n'
        '[[classifiers]]\nname = "Naive Bayes"\nprediction = "nb"\n',
    )


def write_joined(folder: Path) -> Path:
    """Write a table per classifier, in another order, with labels in a third one."""
    frame = case_frame()
    frame.select("case", "outcome", "Site of case").write_csv(folder / "labels.csv")
    frame.select("case", "fold", "Site of case", answer="svm").write_csv(folder / "svm.csv")
    other = frame.select("case", "fold", "Site of case", answer="nb").reverse()
    # The first row twice: it is one case.
    pl.concat([other, other.head(1)]).write_csv(folder / "nb.csv")
    return write_spec(
        folder,
        'truth = "outcome"\nfold = "fold"\nid = "case"\nprediction = "answer"\n'
        'labels = "labels.csv"\n',
        '[[classifiers]]\nname = "SVM"\npredictions = "svm.csv"\n'
        '[[classifiers]]\nname = "Naive Bayes"\npredictions = "nb.csv"\n',
    )


def write_long(folder: Path) -> Path:
    """Write a table in long format; the models are found in the file."""
    frame = case_frame()
    shared = ("case", "outcome", "fold", "Site of case")
    pl.concat(
        [
            frame.select(*shared, model=pl.lit("SVM"), answer="svm"),
            frame.select(*shared, model=pl.lit("Naive Bayes"), answer="nb"),
        ]
    ).write_csv(folder / "long.csv")
    return write_spec(
        folder,
        'predictions = "long.csv"\nmodel = "model"\ntruth = "outcome"\nfold = "fold"\n'
        'id = "case"\nprediction = "answer"\n',
        "",
    )


def write_spec(folder: Path, data: str, classifiers: str) -> Path:
    """Write a spec with segments."""
    path = folder / "spec.toml"
    path.write_text(f"{TASK}[data]\n{data}{classifiers}{SEGMENTS}", encoding="utf-8")
    return path


WRITERS = {"wide": write_wide, "joined": write_joined, "long": write_long}


def query(spec: Path, dialect: DialectName) -> str:
    """Return the query of a spec."""
    return counts_query(expand_listed_models(load_spec(spec)), dialect, {})


def expected_counts() -> list[tuple[object, ...]]:
    """Return the counts of the cases by polars."""
    columns = ["outcome", "svm", "nb", "fold", "Site of case"]
    counts = case_frame().with_columns(pl.col("fold").cast(pl.String)).group_by(columns).len()
    return sorted(counts.rows())


def results(spec: Path) -> dict[str, object]:
    """Return results.json without what names files and settings."""
    content: dict[str, object] = json.loads(results_json(load_and_evaluate(spec)))
    return {
        key: value for key, value in content.items() if key not in {"inputs", "spec", "warnings"}
    }


@pytest.mark.parametrize("layout", WRITERS)
def test_duckdb_counts_what_polars_counts(tmp_path: Path, layout: str) -> None:
    """One table, a table per classifier, and long format."""
    spec = WRITERS[layout](tmp_path)
    with duckdb.connect() as connection:
        for file in tmp_path.glob("*.csv"):
            connection.execute(f"CREATE TABLE {file.stem} AS FROM '{file}'")
        rows = connection.execute(query(spec, "duckdb")).fetchall()

    assert sorted(rows) == expected_counts()


@pytest.mark.parametrize("layout", WRITERS)
def test_postgres_counts_what_polars_counts(
    tmp_path: Path, postgres: Postgres, layout: str
) -> None:
    """The tables are those of CSV files, all columns as text but the fold."""
    import psycopg

    spec = WRITERS[layout](tmp_path)
    with psycopg.connect(postgres.new_database()) as connection:
        for file in tmp_path.glob("*.csv"):
            frame = pl.read_csv(file)
            columns = ", ".join(
                f'"{name}" {"INTEGER" if dtype == pl.Int64 else "TEXT"}'
                for name, dtype in frame.schema.items()
            )
            connection.execute(f"CREATE TABLE {file.stem} ({columns})")
            places = ", ".join(["%s"] * frame.width)
            with connection.cursor() as cursor:
                cursor.executemany(
                    f"INSERT INTO {file.stem} VALUES ({places})",  # noqa: S608
                    [tuple(map(str, row)) for row in frame.rows()],
                )
        rows = connection.execute(query(spec, "postgres")).fetchall()

    assert sorted(rows) == expected_counts()


@pytest.mark.parametrize("layout", WRITERS)
def test_spark_counts_what_polars_counts(tmp_path: Path, spark: SparkSession, layout: str) -> None:
    """Temporary views with the names of the files."""
    spec = WRITERS[layout](tmp_path)
    for file in tmp_path.glob("*.csv"):
        frame = spark.read.csv(str(file), header=True, escape='"')
        frame.createOrReplaceTempView(file.stem)
    rows = spark.sql(query(spec, "spark").rstrip().rstrip(";")).collect()

    assert sorted(tuple(row) for row in rows) == expected_counts()


@pytest.mark.parametrize("dialect", get_args(DialectName))
@pytest.mark.parametrize("layout", WRITERS)
def test_every_dialect_has_valid_syntax(tmp_path: Path, layout: str, dialect: DialectName) -> None:
    """By the parser of another project; two of the databases exist as services only."""
    (tree,) = sqlglot.parse(query(WRITERS[layout](tmp_path), dialect), read=dialect)

    assert tree is not None
    texts = {literal.name for literal in tree.find_all(sqlglot.exp.Literal) if literal.is_string}
    assert texts <= {"SVM", "Naive Bayes", *LABELS}


def test_snowflake_leaves_plain_names_to_its_upper_case(tmp_path: Path) -> None:
    """Except words that it reserves, such as CASE."""
    text = query(write_joined(tmp_path), "snowflake")

    assert 'p."CASE"' in text
    assert "p.answer" in text
    assert 'p."Site of case"' in text


@pytest.mark.slow
@pytest.mark.parametrize("layout", WRITERS)
def test_the_report_of_the_counts_is_that_of_the_cases(tmp_path: Path, layout: str) -> None:
    """To the last digit, by the spec that `init` writes for the counts."""
    spec = WRITERS[layout](tmp_path)
    with duckdb.connect() as connection:
        for file in tmp_path.glob("*.csv"):
            connection.execute(f"CREATE TABLE {file.stem} AS FROM '{file}'")
        cursor = connection.execute(query(spec, "duckdb"))
        names = [item[0] for item in cursor.description or ()]
        rows = cursor.fetchall()
    pl.DataFrame(rows, names, orient="row").write_csv(tmp_path / "counts.csv")
    options = ColumnOptions(positive=LABELS[0])
    text = scaffold_spec([tmp_path / "counts.csv"], tmp_path, options).text
    active = text.replace("# [[segments]]", "[[segments]]").replace("# column =", "column =")
    counted = tmp_path / "counted.toml"
    counted.write_text(active.replace("\ntitle = ", "\n# title = "), encoding="utf-8")

    assert results(counted) == results(spec)


def test_thresholds_probabilities_maps_and_filters_are_expressions(tmp_path: Path) -> None:
    """What reportgen derives from columns is derived in the query."""
    case_frame().with_columns(p_a=pl.col("score"), p_b=1 - pl.col("score")).write_csv(
        tmp_path / "cases.csv"
    )
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[task]\nkind = "binary"\npositive = "a"\nclasses = ["a", "b"]\n'
        '[data]\ntruth = "outcome"\npredictions = "cases.csv"\nwhere = { fold = 1 }\n'
        """map = { "it's" = "a", 'no "x"' = "b" }\n"""
        '[[classifiers]]\nname = "threshold"\nscore = "score"\nthreshold = 0.35\n'
        '[[classifiers]]\nname = "likely"\nprobabilities = "p_{class}"\n',
        encoding="utf-8",
    )
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE cases AS FROM '{tmp_path / 'cases.csv'}'")
        rows = connection.execute(query(spec, "duckdb")).fetchall()

    frame = case_frame().filter(fold=1)
    expected = frame.select(
        pl.col("outcome").replace(dict(zip(LABELS, "ab", strict=True))),
        threshold=pl.when(pl.col("score") >= 0.35).then(pl.lit("a")).otherwise(pl.lit("b")),
        likely=pl.when(pl.col("score") >= 0.5).then(pl.lit("a")).otherwise(pl.lit("b")),
    )
    assert sorted(rows) == sorted(expected.group_by(expected.columns).len().rows())


@pytest.mark.parametrize(
    ("task", "data", "classifier", "message"),
    [
        ('kind = "regression"', "", 'predictions = "a.csv"', "regression task has no counts"),
        (
            'kind = "binary"\npositive = "x"',
            'format = "caret"',
            'predictions = "a.csv"',
            "format caret",
        ),
        ('kind = "binary"\npositive = "x"', "", 'predictions = "f*.csv"', "are no table"),
        (
            'kind = "binary"\npositive = "x"',
            'score = "s"\nthreshold = 0.5',
            'predictions = "a.csv"',
            "classes are not listed",
        ),
    ],
)
def test_what_sql_cannot_express_is_an_error(
    tmp_path: Path, task: str, data: str, classifier: str, message: str
) -> None:
    """Each with a way out."""
    spec = tmp_path / "spec.toml"
    spec.write_text(
        f'[task]\n{task}\n[data]\n{data}\n[[classifiers]]\nname = "A"\n{classifier}\n',
        encoding="utf-8",
    )

    with pytest.raises(SpecError, match=message) as error_info:
        query(spec, "duckdb")
    assert all(item.help for item in error_info.value.diagnostics)


def test_several_tables_need_ids(tmp_path: Path) -> None:
    """Rows of a database have no order."""
    spec = tmp_path / "spec.toml"
    spec.write_text(
        TASK.replace("it's", "x")
        + '[[classifiers]]\nname = "A"\npredictions = "a.csv"\n'
        + '[[classifiers]]\nname = "B"\npredictions = "b.csv"\n',
        encoding="utf-8",
    )

    with pytest.raises(SpecError, match="no column of ids"):
        query(spec, "duckdb")


def test_the_command_prints_the_query_with_other_tables(tmp_path: Path) -> None:
    """Tables are given by the name of a classifier or of a file."""
    write_joined(tmp_path)
    options = ("--dialect", "bigquery", "--table", "SVM=prod.svm_v2", "--table", "labels=truths")
    process = reportgen("sql", "spec.toml", *options, cwd=tmp_path)

    assert process.returncode == 0
    assert "FROM `prod`.`svm_v2` AS p" in process.stdout
    assert "JOIN `truths` AS l" in process.stdout
    assert "FROM `nb` AS p" in process.stdout

    wrong = reportgen("sql", "spec.toml", "--table", "SVN=x", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "did you mean `svm`" in wrong.stderr
