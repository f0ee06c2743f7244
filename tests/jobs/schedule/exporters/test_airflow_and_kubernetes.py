"""Units for Airflow and Kubernetes, checked by Python and by a schema."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
import yaml

from tests.jobs.schedule.exporters.contexts import ALL, ODD_NAMES, WEBHOOK, command_of, exported

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.jobs.schedule.exporters.exporter import ExportContext

SCHEMA = Path(__file__).parent / "cronjob-batch-v1.json"


@pytest.mark.parametrize("name", ["churn", *ODD_NAMES])
def test_airflow_gets_a_program_that_compiles_and_calls_the_command(
    order: Callable[..., ExportContext], name: str
) -> None:
    """What it calls is a list of words, read back by Python itself."""
    context = order(name)
    (unit,) = exported("airflow", context)
    compile(unit.text, unit.filename, "exec")
    tree = ast.parse(unit.text)
    (command,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "COMMAND"
    )

    assert command == ["reportgen", *command_of(context)[4:]]


def test_airflow_runs_one_at_a_time_in_the_zone_and_tries_again(
    order: Callable[..., ExportContext],
) -> None:
    """Nothing is made up for the time before it was there, and a failed gate is final."""
    (unit,) = exported("airflow", order())
    dag = next(node for node in ast.walk(ast.parse(unit.text)) if isinstance(node, ast.With))
    call = dag.items[0].context_expr
    assert isinstance(call, ast.Call)
    options = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}

    assert options["schedule"] == "'0 6 * * 1-5'"
    assert "tz='Europe/Berlin'" in options["start_date"]
    assert (options["catchup"], options["max_active_runs"]) == ("False", "1")
    assert "'retries': 2" in options["default_args"]
    assert "AirflowFailException(FINAL[code])" in unit.text


@pytest.mark.parametrize("name", ["churn", *ODD_NAMES])
@pytest.mark.parametrize("more", [ALL, WEBHOOK])
def test_kubernetes_gets_a_cron_job_that_its_schema_takes(
    order: Callable[..., ExportContext], name: str, more: str
) -> None:
    """Checked with the schema of Kubernetes, cut down to what is written; no key is unknown."""
    context = order(name, more=more)
    (unit,) = exported("kubernetes", context)
    document = yaml.safe_load(unit.text)
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
    pod = document["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    # Kubernetes reads $$( as $( and would put a variable for the latter.
    arguments = [argument.replace("$$(", "$(") for argument in pod["containers"][0]["args"]]

    assert arguments == ["build", "--output", "my reports", "--", f"{name}.toml"]
    assert not any(re.search(r"(?<!\$)\$\(", word) for word in pod["containers"][0]["args"])


def test_a_cron_job_forbids_what_would_be_run_twice(order: Callable[..., ExportContext]) -> None:
    """In the zone of the spec, one at a time, and final where a retry is of no use."""
    (unit,) = exported("kubernetes", order())
    spec = yaml.safe_load(unit.text)["spec"]
    job = spec["jobTemplate"]["spec"]

    assert (spec["schedule"], spec["timeZone"]) == ("0 6 * * 1-5", "Europe/Berlin")
    assert (spec["concurrencyPolicy"], spec["startingDeadlineSeconds"]) == ("Forbid", 3600)
    assert job["backoffLimit"] == 2
    assert job["podFailurePolicy"]["rules"][0]["onExitCodes"]["values"] == [1, 2]


def test_the_schema_of_the_cron_job_rejects_a_misspelt_key(
    order: Callable[..., ExportContext],
) -> None:
    """What is checked with it is checked."""
    (unit,) = exported("kubernetes", order())
    document = yaml.safe_load(unit.text.replace("timeZone", "timezone"))

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
