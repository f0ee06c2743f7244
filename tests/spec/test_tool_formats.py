"""A spec may name the tool that wrote the predictions, and then needs no columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import SpecError
from reportgen.spec import parse_spec

TASK = '[task]\nkind = "binary"\npositive = "yes"\n'
CLASSIFIER = '[[classifiers]]\nname = "A"\npredictions = "a.csv"\n'


def parse_columns(data: str, classifier: str = "", rest: str = "") -> object:
    """Return the columns of the classifier A."""
    text = f"{TASK}[data]\n{data}\n{CLASSIFIER}{classifier}\n{rest}"
    spec = parse_spec(Path("spec.toml"), text.encode()).spec
    return spec.data_settings_for(spec.classifiers[0])


def test_a_tool_that_is_not_known_is_rejected_with_the_one_that_was_meant() -> None:
    """The names are those of the schema."""
    with pytest.raises(SpecError) as error_info:
        parse_columns('format = "wekka"')

    (fault,) = error_info.value.diagnostics
    assert "weka" in f"{fault.message} {fault.help}"


@pytest.mark.parametrize(
    ("data", "rest"),
    [
        ('format = "sklearn"\nthreshold = 0.7', ""),
        ('format = "caret"\nlabels = "labels.csv"', ""),
        ('format = "weka"', '[measures]\nshow = ["roc_auc"]'),
        ('format = "weka"', "[thresholds]\nat_least = {sensitivity = 0.9}"),
    ],
)
def test_a_format_brings_the_ids_and_scores_that_other_keys_need(data: str, rest: str) -> None:
    """Whether the files have them is known only when they are read."""
    assert parse_columns(data, rest=rest) is not None


def test_the_nearer_format_takes_the_place_of_shared_column_names() -> None:
    """The id and the file of labels are not what a tool's format is about, so they stay."""
    shared = 'truth = "outcome"\nscore = "p"\nid = "case"'

    data = parse_columns(shared, 'format = "weka"\nprediction = "other"')

    assert getattr(data, "truth", None) == "truth"
    assert getattr(data, "score", "") is None
    assert getattr(data, "id", None) == "case"
    assert getattr(data, "prediction", None) == "other"


@pytest.mark.parametrize(
    ("where", "code"), [("{}", "E104"), ("{mtry = [2]}", "E105"), ('{"" = 2}', "E117")]
)
def test_where_is_a_table_of_columns_and_plain_values(where: str, code: str) -> None:
    """An empty condition says nothing, a list is no value, and a column has a name."""
    with pytest.raises(SpecError) as error_info:
        parse_columns(f"where = {where}")

    assert [fault.error_code.code for fault in error_info.value.diagnostics] == [code]
