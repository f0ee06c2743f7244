"""The JSON Schema says what the models say."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from reportgen.spec import load_spec, spec_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.toml"))
EVERY_KEY = """
title = "E-negotiation outcomes"
[task]
kind = "binary"
positive = "success"
classes = ["success", "failure"]
[data]
truth = "outcome"
prediction = "predicted"
score = "p_success"
probabilities = "p_{class}"
fold = "fold"
id = "case"
labels = "labels.csv"
threshold = 0.5
[[classifiers]]
name = "SVM"
predictions = "data/svm.parquet"
[[classifiers]]
name = "NB"
confusion = [[1108, 323], [272, 858]]
[[classifiers]]
name = "A"
fold_scores = { accuracy = [0.81, 0.82] }
[measures]
show = ["traditional", "discriminant", "f0.5"]
[intervals]
level = 0.95
[comparison]
alpha = 0.05
baseline = "SVM"
margin = { accuracy = 0.01 }
[prevalence]
targets = [0.05, 0.2]
[[published]]
classifier = "SVM"
measure = "accuracy"
value = 77.4
unit = "%"
class = "success"
[[sections]]
kind = "capabilities"
[output]
formats = ["html", "pdf", "json"]
[schedule]
cron = "0 6 * * MON"
timezone = "UTC"
"""


def objects(schema: object) -> Iterator[dict[str, Any]]:
    """Yield every object inside a schema."""
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else ():
        yield from objects(part)
    for part in schema if isinstance(schema, list) else ():
        yield from objects(part)


def test_the_schema_is_a_schema() -> None:
    """Its dialect is the one of 2020-12, and it keeps that dialect's rules."""
    schema = spec_schema()

    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "$id" not in schema
    Draft202012Validator.check_schema(schema)


def test_every_key_of_the_contract_is_accepted(tmp_path: Path) -> None:
    """Schema and reader both take a spec that uses every key."""
    path = tmp_path / "spec.toml"
    path.write_text(EVERY_KEY, encoding="utf-8")

    Draft202012Validator(spec_schema()).validate(tomllib.loads(EVERY_KEY))
    assert load_spec(path).spec.title == "E-negotiation outcomes"


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_every_spec_of_the_repository_fits_the_schema(path: Path) -> None:
    """An editor shows no fault in the examples."""
    values = tomllib.loads(path.read_text(encoding="utf-8"))
    # Editors validate a date of TOML as the text of a date.
    Draft202012Validator(spec_schema()).validate(json.loads(json.dumps(values, default=str)))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("level = 0.95", "level = 1.0"),
        ("level = 0.95", "lvel = 0.95"),
        ('kind = "binary"', 'kind = "binry"'),
        ("[272, 858]", "[-272, 858]"),
        ('formats = ["html", "pdf", "json"]', "formats = []"),
        ('predictions = "data/svm.parquet"', ""),
        ('predictions = "data/svm.parquet"', 'predictions = "a"\nconfusion = [[1]]'),
        ('class = "success"', 'class_ = "success"'),
        ("margin = { accuracy = 0.01 }", "margin = { accuracy = 0 }"),
    ],
)
def test_the_schema_rejects_what_the_reader_rejects(right: str, wrong: str) -> None:
    """Editors find the faults that need no look at other keys."""
    assert right in EVERY_KEY
    document = tomllib.loads(EVERY_KEY.replace(right, wrong))

    assert not Draft202012Validator(spec_schema()).is_valid(document)


def test_every_key_is_described_and_no_table_is_open() -> None:
    """People read the schema in their editor: each key has a sentence, none is guessed."""
    schema = spec_schema()
    # Conditions on tables have no type.
    tables = [table for table in objects(schema) if table.get("type") == "object"]
    tables = [table for table in tables if "properties" in table]
    names = schema["$defs"]

    assert tables
    assert all(table["additionalProperties"] is False for table in tables)
    assert all(
        {**names.get(key.get("$ref", "").rpartition("/")[2], {}), **key}["description"].endswith(
            "."
        )
        for table in tables
        for key in table["properties"].values()
    )
    assert not [part for part in objects(spec_schema()) if part.get("type") == "null"]
