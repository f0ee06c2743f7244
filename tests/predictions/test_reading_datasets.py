"""Each of several data sets is read as if it were the only one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.aggregates.aggregation import aggregate
from reportgen.errors import DataError
from reportgen.predictions.load import load_predictions
from reportgen.spec import load_spec

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.aggregates.model import Aggregates

SPEC = """\
[task]
kind = "multiclass"
[data]
id = "case"
[[datasets]]
name = "fruit"
[[datasets]]
name = "mail"
kind = "binary"
positive = "spam"
truth = "is"
[[classifiers]]
name = "A"
predictions = "{dataset}.csv"
prediction = "a"
[[classifiers]]
name = "B"
predictions = "{dataset}.csv"
prediction = "b"
"""
FRUIT = "case,truth,a,b\n1,apple,apple,pear\n2,pear,pear,pear\n3,plum,plum,apple\n"
MAIL = "case,is,a,b\n1,spam,spam,ham\n2,ham,ham,ham\n"


def read(folder: Path, spec: str = SPEC, *, fruit: str = FRUIT, mail: str = MAIL) -> Aggregates:
    """Read two small data sets."""
    (folder / "fruit.csv").write_text(fruit)
    (folder / "mail.csv").write_text(mail)
    (folder / "spec.toml").write_text(spec)
    spec_file = load_spec(folder / "spec.toml")
    return aggregate(spec_file, load_predictions(spec_file))


def test_every_data_set_has_its_own_tally(tmp_path: Path) -> None:
    """Classes, positive class and columns may differ; nothing is added up over data sets."""
    result = read(tmp_path)
    fruit, mail = result.datasets["fruit"].confusion, result.datasets["mail"].confusion

    assert result.confusion is None
    assert fruit is not None
    assert mail is not None
    assert fruit.matrix("B") == ((0, 1, 0), (0, 1, 0), (1, 0, 0))
    assert mail.classes == ("spam", "ham")
    assert mail.matrix("B") == ((0, 1), (0, 1))


def test_the_files_of_all_data_sets_are_inputs(tmp_path: Path) -> None:
    """The manifest names them all, for each classifier that read them."""
    inputs = read(tmp_path).inputs

    assert [(item.classifier, item.path, item.rows) for item in inputs] == [
        ("A", "fruit.csv", 3),
        ("B", "fruit.csv", 3),
        ("A", "mail.csv", 2),
        ("B", "mail.csv", 2),
    ]


def test_audits_and_warnings_say_the_data_set(tmp_path: Path) -> None:
    """One audit stands for all classifiers that have the same cases."""
    result = read(tmp_path)

    assert [audit.classifier for audit in result.audits] == [
        "fruit: all classifiers",
        "mail: all classifiers",
    ]
    assert any("data set `mail`" in warning and "`spam`" in warning for warning in result.warnings)


def test_faults_of_all_data_sets_are_reported_at_once(tmp_path: Path) -> None:
    """Each names its data set, because the path in the spec is the same for all."""
    with pytest.raises(DataError) as error_info:
        read(tmp_path, fruit="case,truth,a\n1,apple,apple\n", mail="case,a,b\n1,spam,spam\n")

    messages = [fault.message for fault in error_info.value.diagnostics]
    assert any(message.startswith("data set `fruit`") and "`b`" in message for message in messages)
    assert any(message.startswith("data set `mail`") and "`is`" in message for message in messages)


def test_a_missing_file_points_at_the_path_of_the_spec(tmp_path: Path) -> None:
    """The line is that of `predictions`, the message has the path with the name filled in."""
    spec = SPEC.replace('name = "fruit"', 'name = "nuts"')
    with pytest.raises(DataError) as error_info:
        read(tmp_path, spec)

    fault = error_info.value.diagnostics[0]
    assert "there is no file `nuts.csv`" in fault.message
    assert fault.location is not None
    assert fault.location.line == 1 + spec[: spec.index("{dataset}")].count("\n")
