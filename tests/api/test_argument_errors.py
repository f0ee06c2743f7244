"""What cannot be evaluated is told in the words of the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import reportgen as rg
from tests.api.wrong_data import DATA_FAULTS, RIGHT, SCORES, TRUTH

if TYPE_CHECKING:
    from pathlib import Path

# What is passed instead of a sound call's arguments, and what the error says.
SETTING_FAULTS: dict[str, tuple[dict[str, object], str]] = {
    "two classes and no positive one": (
        {"positive": None},
        (
            "only the classes 'no' and 'yes' occur, and the positive class is never guessed"
            ' (pass `positive="yes"`, or `task="multiclass"` if neither is positive)'
        ),
    ),
    "whole numbers predicted with fractions": (
        {"truth": [1, 2, 3, 4], "predictions": {"A": [1.5, 2.0, 3.0, 4.0]}, "positive": None},
        (
            "`truth` has integers, but the predictions have fractions"
            ' (pass `task="regression"`; if they are classes, use the same type for both)'
        ),
    ),
    "an unknown measure": (
        {"measures": ["acuracy"]},
        "`measures`: unknown measure `acuracy` (did you mean `accuracy`?)",
    ),
    "a measure of scores without scores": (
        {"measures": "roc_auc"},
        "`measures`: `roc_auc` is computed from scores, but no classifier has any (pass `scores`)",
    ),
    "a measure of probabilities without any": (
        {"measures": "roc_auc", "task": "multiclass", "positive": None},
        (
            "`measures`: `roc_auc` is computed from probabilities, but no classifier has any"
            " (pass `probabilities`)"
        ),
    ),
    "thresholds without scores": (
        {"spec": {"thresholds": {"at_least": {"sensitivity": 0.9}}}},
        (
            '`spec["thresholds"]`: thresholds need scores, but no column of scores is named'
            " (pass `scores`)"
        ),
    ),
    "a binary task without a positive class": (
        {"task": "binary", "positive": None},
        (
            "`positive` is missing: a binary task needs its positive class, which is never guessed"
            ' (for example `positive = "success"`)'
        ),
    ),
    "a positive class that is none of the classes": (
        {"positive": "maybe", "classes": ["yes", "no"]},
        "`positive`: `maybe` is not one of the classes (expected one of `yes`, `no`)",
    ),
    "a level in percent": (
        {"level": 95},
        "`level` must be less than 1 (for a 95 % interval write 0.95)",
    ),
    "an unknown baseline": (
        {"baseline": "svm"},
        "`baseline`: unknown classifier `svm` (did you mean `SVM`?)",
    ),
    "an unknown kind of task": (
        {"task": "binry"},
        "`task` has the invalid value `binry` (did you mean `binary`?)",
    ),
    "a positive class among many": (
        {"task": "multiclass"},
        "`positive` does not apply to a multiclass task (remove `positive`)",
    ),
    "prevalence among many classes": (
        {"task": "multiclass", "positive": None, "prevalence": 0.1},
        (
            "`prevalence` does not apply to a multiclass task: it needs a positive class (for one"
            " class against the rest, make it a binary task with that class as `positive`)"
        ),
    ),
    "an unknown key of the spec": (
        {"spec": {"comparison": {"p_value": "mid-p"}}},
        (
            '`spec["comparison"]["p_value"]`: unknown key `p_value` in [comparison]'
            " (did you mean `p_values`?)"
        ),
    ),
    "classifiers in the spec": (
        {"spec": {"classifiers": []}},
        (
            '`spec["classifiers"]` is not allowed (classifiers are named in `predictions` and'
            " `scores`)"
        ),
    ),
    "a setting twice": (
        {"title": "one", "spec": {"title": "two"}},
        "`title` is passed as an argument and in `spec` (keep one of the two)",
    ),
    "a setting that no spec can have": (
        {"spec": {"comparison": {"alpha": {0.05}}}},
        (
            '`spec["comparison"]["alpha"]` has the unsupported type set'
            " (pass text, a number, a boolean, a list or a mapping)"
        ),
    ),
    "predictions without a name": (
        {"predictions": RIGHT},
        (
            "`predictions` has the type list, not a mapping (name the classifier:"
            ' `{"SVM": predictions}`)'
        ),
    ),
    "two names that are one": (
        {"predictions": {1: RIGHT, "1": TRUTH}},
        ("`predictions` names '1' twice, as 1 and as '1' (give every classifier a unique name)"),
    ),
    "a threshold for a number of nobody": (
        {"predictions": {1: RIGHT}, "scores": {1: SCORES}, "threshold": {2: 0.5}},
        "`threshold` names '2', which has no scores (pass its `scores` too; expected one of 1)",
    ),
    "a threshold without scores": (
        {"threshold": 0.5},
        "`threshold` is applied to `scores`, which are missing (pass `scores`)",
    ),
    "a threshold for nobody": (
        {"scores": {"SVM": SCORES}, "threshold": {"SVN": 0.5}},
        "`threshold` names 'SVN', which has no scores (did you mean `SVM`?)",
    ),
    "probabilities alone": (
        {"predictions": None, "probabilities": {"SVM": {"yes": SCORES}}},
        "`probabilities` names 'SVM', which has no predictions (pass its `predictions` too)",
    ),
    "names that differ in spaces": (
        {"predictions": {"A": RIGHT, "A ": RIGHT}},
        (
            "`predictions`: `A ` differs from `A` only in spaces"
            " (give every classifier a unique name)"
        ),
    ),
    "probabilities of a stranger": (
        {"probabilities": {"SVN": {"yes": SCORES}}},
        "`probabilities` names 'SVN', which has no predictions (did you mean `SVM`?)",
    ),
    "a class of a type that is none": (
        {"classes": [None, "yes"]},
        (
            "`classes` has the label None of the type NoneType (labels are text, integers or"
            " booleans)"
        ),
    ),
}


@pytest.mark.parametrize("name", DATA_FAULTS)
def test_faults_of_data_name_argument_and_index(name: str) -> None:
    """The message names the argument, the index and the way out, and no file or column."""
    instead, message = DATA_FAULTS[name]

    assert _error_text(instead, rg.DataError) == message


@pytest.mark.parametrize("name", SETTING_FAULTS)
def test_faults_of_settings_name_the_argument(name: str) -> None:
    """The message names the argument and the way out, and no table of a spec file."""
    instead, message = SETTING_FAULTS[name]

    assert _error_text(instead, rg.SpecError) == message


def test_what_cannot_be_written_is_reported_without_options_of_the_command(tmp_path: Path) -> None:
    """A call has no -o; the path stands at the start, since no classifier is to blame."""
    report = rg.evaluate(TRUTH, {"SVM": RIGHT}, positive="yes")
    (tmp_path / "file").touch()
    path = tmp_path / "file/report.json"

    with pytest.raises(rg.OutputError) as raised:
        report.write(path)

    assert str(raised.value).startswith(f"{path} cannot be written: ")
    assert "(choose another output path, or check free space and permissions;" in str(raised.value)


def _error_text(instead: dict[str, object], error: type[rg.ReportgenError]) -> str:
    """Return what is said of a call that is sound but for some arguments."""
    sound: dict[str, object] = {
        "truth": TRUTH,
        "predictions": {"SVM": RIGHT},
        "positive": "yes",
    }
    with pytest.raises(error) as raised:
        rg.evaluate(**(sound | instead))  # type: ignore[arg-type]  # wrong on purpose

    assert all(fault.location is None for fault in raised.value.diagnostics)
    return str(raised.value)


def test_all_faults_are_reported_at_once() -> None:
    """Three settings are wrong, and each has its line."""
    with pytest.raises(rg.SpecError) as raised:
        rg.evaluate(TRUTH, {"SVM": RIGHT}, positive="yes", level=2, seed=-1, primary="f3x")

    assert [fault.error_code.code for fault in raised.value.diagnostics] == ["E104", "E104", "E108"]
    assert str(raised.value).count("\n") == 2


def test_faults_of_the_theme_are_reported_before_anything_is_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All of them, each with the key of the spec that names it."""

    def computed(*_args: object) -> None:
        pytest.fail("the numbers were computed first")

    monkeypatch.setattr("reportgen.pipeline.evaluate_aggregates", computed)
    look = {
        "output": {"theme": {"logo": "none.svg", "font": "none.ttf"}, "templates": "nowhere"},
        "sections": [{"kind": "text", "text": "![a](b.png)"}],
    }
    with pytest.raises(rg.SpecError) as raised:
        rg.evaluate(TRUTH, {"SVM": RIGHT}, positive="yes", spec=look)

    assert [fault.message for fault in raised.value.diagnostics] == [
        "`output.theme.font`: the file `none.ttf` does not exist",
        "`output.theme.logo`: the file `none.svg` does not exist",
        "`output.templates`: there is no folder `nowhere`",
        "`sections.0`: a picture in Markdown is not read",
    ]


def test_faults_of_a_spec_file_have_their_place(tmp_path: Path) -> None:
    """The error of a spec file says file and line, also without the command."""
    path = tmp_path / "spec.toml"
    path.write_text('[task]\nkind = "binry"\n', encoding="utf-8")
    with pytest.raises(rg.SpecError) as raised:
        rg.evaluate_spec(path)

    assert f"{path}:2: `kind` has the invalid value `binry` (did you mean `binary`?)" in str(
        raised.value
    )
