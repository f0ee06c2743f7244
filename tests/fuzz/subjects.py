"""What is fuzzed: each subject builds or publishes something from one mutated file."""

from __future__ import annotations

import json
import math
import re
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from sklearn.metrics import accuracy_score, roc_auc_score

from reportgen.errors import ExitCode, ReportgenError
from reportgen.jobs.history.schema import TABLES
from reportgen.jobs.job import Job
from reportgen.jobs.publishing.publisher import publish_site
from reportgen.jobs.runner import finalize_run, run_job
from tests.fuzz.mutations import TOKENS, mutate
from tests.fuzz.tables import TABLE_FORMATS, sample_rows
from tests.small_specs import YES_OR_NO, counted_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reportgen.jobs.job import JobOutcome
    from tests.fuzz.tables import TableFormat

    Subject = Callable[[Random, Path], str | None]

ROOT = Path(__file__).parents[2]
COUNTS = counted_spec([[40, 10], [8, 60]], [[38, 12], [9, 59]], title="Fuzzed")
READS_A_TABLE = (
    'title = "Fuzzed"\n'
    + YES_OR_NO
    + """[data]
id = "id"
truth = "truth"
prediction = "prediction"
score = "score"
[[classifiers]]
name = "A"
predictions = "cases{suffix}"
"""
)
OWN_MEASURES = (
    COUNTS
    + """[measures]
show = ["accuracy", "burden", "odds"]
[[measures.own]]
name = "burden"
formula = "5*fn + fp"
orientation = "lower"
[[measures.own]]
name = "odds"
formula = "sqrt(tp * tn) / (fp + 1)^2 - log(n)"
title = "Odds"
range = [0, 1]
"""
)
FEATURES = (
    COUNTS
    + """[about]
description = "What is *compared*"
authors = ["A", "B"]
date = 2026-11-17
[intervals]
level = 0.95
[comparison]
primary = "f1"
[decision]
cost = { false_positive = 1, false_negative = 8 }
prevalence = 0.02
[[gates]]
classifier = "A"
measure = "accuracy"
at_least = 0.7
bound = "low"
[[published]]
classifier = "A"
measure = "accuracy"
value = 0.8
[[sections]]
kind = "text"
title = "Notes"
text = "Some *text* and a [link](https://example.org)."
[output]
detail = "full"
"""
)
GATE = """[[gates]]
classifier = "A"
measure = "accuracy"
not_worse_than_last = "run"
margin = 0.1
"""
SPEC_WORDS: tuple[bytes, ...] = (
    *(b"[[classifiers]]", b"[data]", b"[output.theme]", b"[[segments]]", b"[[datasets]]"),
    *(b"[chance]", b"[prevalence]", b"[schedule]", b"[history]", b"[engine]", b"[sha256]"),
    *(b"confusion", b"fold_scores", b"scores", b"predictions", b"name", b"kind", b'"multiclass"'),
    *(b'"regression"', b'"ordinal"', b'"multilabel"', b"classes", b"positive", b"threshold"),
    *(b"level", b"method", b'"bootstrap"', b"0.9999999999999999", b"5e-324", b"1e308"),
    *(b"1000000000000000", b"[[1000000000, 0], [0, 1]]", b"[[0, 0], [0, 0]]", b"macro_f1"),
    *(b"roc_auc", b"net_benefit@0.1", b"f2", b"precision@k=3", b"sqrt(", b"log(0)", b"tp/0", b"^"),
)
TEMPLATE_WORDS: tuple[bytes, ...] = (
    *(b"{{ block }}", b"{% for a in block %}", b"{% endfor %}", b"{{ report.sections }}"),
    *(b"{% include 'shipped/blocks/table.html.j2' %}", b"{{ ''.__class__ }}", b"|safe", b"|map"),
    *(b"{% macro a() %}", b"{{ range(10) | list }}", b"{{ 9 ** 99 }}", b"{{ 'a' * 99 }}"),
)


def _check_outcome(outcome: JobOutcome) -> str | None:
    """Return what is wrong with an outcome; None if a report or an error is all there is."""
    if outcome.exit_code is ExitCode.INTERNAL:
        return f"exit code 70: {outcome.diagnostics[0].message}"
    if outcome.exit_code > ExitCode.GATE_FAILED and not outcome.diagnostics:
        return f"exit code {int(outcome.exit_code)} without a message"
    return None


def _build(
    folder: Path, *, formats: tuple[str, ...] = ("json",), history: bool = False
) -> JobOutcome:
    job = Job(
        folder / "spec.toml",
        folder / "out",
        formats,
        history=str(folder / "out/history.sqlite") if history else None,
        untrusted=True,
    )
    return finalize_run(job, run_job(job))


@cache
def _seed_table(name: str, folder: Path) -> bytes:
    return TABLE_FORMATS[name].write(sample_rows(), folder)


def _fuzz_table(name: str) -> Subject:
    def fuzz(rng: Random, folder: Path) -> str | None:
        table = TABLE_FORMATS[name]
        path = folder / f"cases{table.suffix}"
        path.write_bytes(table.mutate(rng, _seed_table(name, folder.parent)))
        spec = READS_A_TABLE.replace("{suffix}", table.suffix)
        (folder / "spec.toml").write_text(spec, encoding="utf-8")
        outcome = _build(folder)
        if outcome.exit_code is ExitCode.SUCCESS and not outcome.warnings:
            return _check_numbers(folder, path, table)
        return _check_outcome(outcome)

    return fuzz


# Files that other tools wrote, and the preset that reads them.
TOOL_FILES = ROOT / "tests/predictions/presets"
PRESETS_BY_START = {
    **{name: name for name in ("caret", "huggingface", "mlflow", "sklearn", "weka")},
    **{name: name for name in ("inspect", "promptfoo", "deepeval")},
    "samples": "lm_eval",
    "cars": "weka",
    "flowers": "weka",
    "pima": "weka",
}


@cache
def tool_files() -> tuple[tuple[Path, str], ...]:
    """Return the files of other tools with their presets."""
    return tuple(
        (path, PRESETS_BY_START[start])
        for folder in ("tool_output", "tools")
        for path in sorted((TOOL_FILES / folder).iterdir())
        for start in (re.split(r"[_.\d]", path.name)[0],)
        if start in PRESETS_BY_START
    )


def _fuzz_preset(rng: Random, folder: Path) -> str | None:
    path, preset = rng.choice(tool_files())
    (folder / path.name).write_bytes(mutate(rng, path.read_bytes()))
    data = f'[data]\nformat = "{preset}"\n[[classifiers]]\nname = "A"\n'
    text = f'[task]\nkind = "multiclass"\n{data}predictions = "{path.name}"\n'
    (folder / "spec.toml").write_text(text, encoding="utf-8")
    return _check_outcome(_build(folder))


def _check_numbers(folder: Path, path: Path, table: TableFormat) -> str | None:
    """Compare a report without warnings with scikit-learn on independently read values."""
    rows = table.read(path)
    results = json.loads((folder / "out/spec/results.json").read_bytes())
    if rows is None:
        return None
    try:
        cases = [_plain_case(row) for row in rows if any(row.values())]
    except (KeyError, TypeError, ValueError) as error:
        return f"a report of {len(rows)} rows that are not plain: {error!r}"
    (confusion,) = results["confusion"]
    reported = {
        (truth, prediction): count
        for truth, line in zip(confusion["classes"], confusion["counts"], strict=True)
        for prediction, count in zip(confusion["classes"], line, strict=True)
        if count
    }
    counted = Counter((truth, prediction) for truth, prediction, _ in cases)
    if reported != counted:
        return f"counts {reported}, expected {dict(counted)}"
    truths, predictions, scores = zip(*cases, strict=True)
    expected = {"accuracy": accuracy_score(truths, predictions)}
    if len(set(truths)) == 2 and all(map(math.isfinite, scores)):
        expected["roc_auc"] = roc_auc_score([truth == "yes" for truth in truths], scores)
    for row in results["values"]:
        name, value = row["measure"], row["value"]
        is_overall = row["class"] is None and row["average"] is None and row["fold"] is None
        if is_overall and name in expected and not math.isclose(value, expected[name]):
            return f"{name} is {value}, expected {expected[name]}"
    return None


def _plain_case(row: Mapping[str, object]) -> tuple[str, str, float]:
    truth, prediction = str(row["truth"]).strip(), str(row["prediction"]).strip()
    if not {truth, prediction} <= {"yes", "no"} or row["id"] is None:
        raise ValueError((truth, prediction))
    return truth, prediction, float(str(row["score"]))


def _fuzz_spec(text: str) -> Subject:
    def fuzz(rng: Random, folder: Path) -> str | None:
        (folder / "spec.toml").write_bytes(mutate(rng, text.encode(), SPEC_WORDS))
        outcome = _build(folder)
        fault = _check_outcome(outcome)
        if fault is None and outcome.files:
            return _check_json(folder / "out/spec/results.json")
        return fault

    return fuzz


def _check_json(path: Path) -> str | None:
    """Return an error if a JSON file has NaN or Infinity, which no standard parser reads."""
    try:
        json.loads(path.read_bytes(), parse_constant=_reject_constant)
    except ValueError as error:
        return f"results.json is no JSON: {error}"
    return None


def _reject_constant(name: str) -> None:
    raise ValueError(name)


def _fuzz_template(rng: Random, folder: Path) -> str | None:
    names = sorted((ROOT / "templates").glob("**/*.html.j2"))
    path = rng.choice([name for name in names if "site" not in name.parts])
    copy = folder / "mine" / path.relative_to(ROOT / "templates")
    copy.parent.mkdir(parents=True)
    copy.write_bytes(mutate(rng, path.read_bytes(), TEMPLATE_WORDS))
    spec = f'{COUNTS}[output]\ntemplates = "mine"\n'
    (folder / "spec.toml").write_text(spec, encoding="utf-8")
    return _check_outcome(_build(folder, formats=("html",)))


@cache
def _two_runs(parent: Path) -> Path:
    """Return a folder with a spec that was built twice, with a history, and published."""
    folder = parent / "built"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for counts in ([[40, 10], [8, 60]], [[41, 9], [9, 59]]):
        text = counted_spec(counts, [[38, 12], [9, 59]], title="Fuzzed") + GATE
        (folder / "spec.toml").write_text(text, encoding="utf-8")
        outcome = _build(folder, formats=("html", "json"), history=True)
        if not outcome.files:
            raise AssertionError(outcome)
    publish_site(folder / "out", str(folder / "site"))
    return folder


def _copy_runs(folder: Path) -> Path:
    shutil.copytree(_two_runs(folder.parent), folder, dirs_exist_ok=True)
    return folder


def _fuzz_history(rng: Random, folder: Path) -> str | None:
    """Change values of the history; whatever they are, the report is written."""
    path = _copy_runs(folder) / "out/history.sqlite"
    if rng.random() < 0.3:
        path.write_bytes(mutate(rng, path.read_bytes()))
    else:
        _change_rows(rng, path)
    outcome = _build(folder, history=True)
    if not outcome.files and outcome.exit_code is not ExitCode.INTERNAL:
        return f"a history cost the report: {outcome.diagnostics}"
    fault = _check_outcome(outcome)
    return fault or _publish(folder)


def _change_rows(rng: Random, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for _ in range(rng.randint(1, 4)):
            table = rng.choice(TABLES)
            column = rng.choice(table.columns)
            rows = connection.execute(f"SELECT rowid, {column} FROM {table.name}").fetchall()  # noqa: S608  # constants
            if not rows:
                continue
            row_id, value = rng.choice(rows)
            changed: object = rng.choice(
                [
                    mutate(rng, str(value).encode()).decode("utf-8", "replace"),
                    rng.choice(TOKENS).decode("utf-8", "replace"),
                    rng.choice([None, -1, 2**62, 1e308, -0.5, 0]),
                ]
            )
            statement = f"UPDATE {table.name} SET {column} = ? WHERE rowid = ?"  # noqa: S608  # constants
            try:
                connection.execute(statement, (changed, row_id))
                connection.commit()
            except sqlite3.Error:
                connection.rollback()


def _publish(folder: Path) -> str | None:
    """Publish the reports; return the fault, if it ends otherwise than with an error."""
    try:
        publish_site(folder / "out", str(folder / "site"))
    except ReportgenError:
        return None
    except Exception as error:  # noqa: BLE001  # what the fuzzer looks for
        return f"publishing ended with {error!r}"
    return None


def _fuzz_index(rng: Random, folder: Path) -> str | None:
    path = _copy_runs(folder) / "site/index.json"
    precious = folder / "precious.txt"
    precious.write_text("precious", encoding="utf-8")
    path.write_bytes(mutate(rng, path.read_bytes(), (b"../precious.txt", b"javascript:alert(1)")))
    fault = _publish(folder)
    return fault or (None if precious.exists() else "a file outside the site was removed")


def _fuzz_manifest(rng: Random, folder: Path) -> str | None:
    path = _copy_runs(folder) / "out/spec/manifest.json"
    path.write_bytes(mutate(rng, path.read_bytes(), (b"../history.sqlite", b"../../spec.toml")))
    fault = _publish(folder)
    if fault is None:
        job = Job(folder / "spec.toml", folder / "out", ("json",), if_changed=True)
        fault = _check_outcome(run_job(job))
    return fault or (None if (folder / "spec.toml").exists() else "the spec was removed")


SUBJECTS: Mapping[str, Subject] = {
    **{name: _fuzz_table(name) for name in TABLE_FORMATS},
    "spec": _fuzz_spec(COUNTS),
    "spec_features": _fuzz_spec(FEATURES),
    "spec_own_measures": _fuzz_spec(OWN_MEASURES),
    "preset": _fuzz_preset,
    "template": _fuzz_template,
    "history": _fuzz_history,
    "index": _fuzz_index,
    "manifest": _fuzz_manifest,
}


def run_case(subject: str, seed: int, number: int, folder: Path) -> str | None:
    """Run one case, whose mutation depends on seed and number alone; return its fault or None."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    rng = Random(f"{seed} {subject} {number}")  # noqa: S311  # mutations, not secrets
    return SUBJECTS[subject](rng, folder)
