"""The speed benchmarks themselves: processes, limits, and that all tools find the same."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from benchmarks.speed import running
from benchmarks.speed.__main__ import main
from benchmarks.speed.answers import disagreements
from benchmarks.speed.cases import Contest, Sizes, contests
from benchmarks.speed.commands import Contestant
from benchmarks.speed.data import Data
from benchmarks.speed.measured import read_measured

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

MEGABYTE = 1_000_000
TINY = ("--rows", "3000", "--csv-to", "0", "--rounds", "1")


def python(code: str) -> tuple[str, ...]:
    """Make the command of a process that runs some code."""
    return (sys.executable, "-c", code)


def test_a_tiny_run_writes_measurements_page_and_plot(tmp_path: Path) -> None:
    """Every tool that is installed has its run; PyCM is not needed."""
    main(["--cases", "a", *TINY, "--cache", str(tmp_path / "data"), "--output", str(tmp_path)])

    (outcome,) = read_measured(tmp_path / "benchmarks" / "results" / "speed.json").outcomes
    assert set(outcome.tools) - {"PyCM"} == set(outcome.runs) - {"PyCM"}
    for runs in outcome.runs.values():
        assert [run.peak > MEGABYTE for run in runs] == [True]
    page = (tmp_path / "docs" / "performance.md").read_text(encoding="utf-8")
    assert "### (a) Counts of two classes" in page
    assert (tmp_path / "docs" / "images" / "speed.svg").exists()


@pytest.mark.parametrize(
    ("letter", "name"),
    [
        ("b", "all scores distinct"),
        ("b", "scores of 3 decimals"),
        ("c", "10 classes"),
        ("d", "5 classifiers, 10 folds"),
    ],
)
def test_reportgen_finds_what_scikit_learn_finds(letter: str, name: str, tmp_path: Path) -> None:
    """Times of tools are compared only for the same numbers: areas, averages, folds."""
    (contest,) = (
        contest
        for contest in contests(Sizes(rows=(3000,), csv_to=0))
        if (contest.letter, contest.name) == (letter, name)
    )
    data = contest.data.data_folder(tmp_path)

    own, other = (
        running.one_run(contestant, data, limit=120)[1]
        for contestant in contest.contestants
        if contestant.tool in {"reportgen", "scikit-learn"}
    )

    assert other
    assert disagreements(own, other) == []


def test_resampling_counts_and_cases_give_like_limits(tmp_path: Path) -> None:
    """Both draw from the same cases, so their limits differ by no more than chance."""
    folder = Data("distinct", 3000).data_folder(tmp_path)

    result = []
    for module in ("resampled_counts", "resampled_cases"):
        command = (sys.executable, "-m", "benchmarks.speed.peers", "counts", module, str(folder))
        _, printed = running.run((*command, "200"), limit=60)
        result.append(json.loads(printed)["accuracy low"])

    assert result[0] == pytest.approx(result[1], abs=0.02)


def test_data_is_drawn_once_and_always_the_same(tmp_path: Path) -> None:
    """Two caches hold the same bytes, and what is there is not drawn again."""
    data = Data("rounded", 500, "csv")
    first, second = data.data_folder(tmp_path / "one"), data.data_folder(tmp_path / "two")
    assert (first / "A.csv").read_bytes() == (second / "A.csv").read_bytes()

    (first / "A.csv").write_text("kept", encoding="utf-8")

    assert (data.data_folder(tmp_path / "one") / "A.csv").read_text(encoding="utf-8") == "kept"


def test_the_peak_is_of_one_process_and_not_the_most_so_far() -> None:
    """A process that holds 200 MB does not raise the peak of the next, which holds little."""
    # In a process of its own: a child's peak is at least what its parent held when it was started.
    script = (
        "from benchmarks.speed.running import run; import sys\n"
        "for code in ('held = bytearray(200_000_000)', 'pass'):\n"
        "    print(run((sys.executable, '-c', code), 60)[0].peak)\n"
    )
    _, printed = running.run(python(script), limit=60)
    large, small = map(int, printed.split())

    assert large - small > 50 * MEGABYTE


def test_a_run_is_given_up_at_the_limit() -> None:
    """A process that would sleep for a minute is ended."""
    with pytest.raises(running.TooSlowError):
        running.run(python("import time; time.sleep(60)"), limit=0.2)


def test_a_run_that_fails_reports_its_output() -> None:
    """The error of the process is part of the message."""
    with pytest.raises(running.FailedError, match="no such peer"):
        running.run(python("raise SystemExit('no such peer')"), limit=60)


def test_tools_take_turns(tmp_path: Path) -> None:
    """Two tools in two rounds: one, other, one, other."""
    log = tmp_path / "log"

    def noting(tool: str) -> Contestant:
        return Contestant(tool, lambda *_: python(f"print('{tool}', file=open({str(log)!r}, 'a'))"))

    contest = Contest("a", "turns", Data("counts", 100), (noting("one"), noting("other")))

    running.take_turns(contest, tmp_path, rounds=2, limit=60)

    assert log.read_text(encoding="utf-8").split() == ["one", "other", "one", "other"]


def test_a_tool_that_is_missing_or_too_slow_is_left_out_with_the_reason(tmp_path: Path) -> None:
    """Others go on without it."""
    contestants = (
        Contestant("quick", lambda *_: python("pass")),
        Contestant("missing", lambda *_: python("pass"), needs="no_such_module"),
        Contestant("small", lambda *_: python("pass"), up_to=99),
        Contestant("slow", lambda *_: python("import time; time.sleep(60)")),
    )
    contest = Contest("a", "gaps", Data("counts", 100), contestants)

    outcome = running.take_turns(contest, tmp_path, rounds=2, limit=2)

    assert outcome.left_out == {
        "missing": "no_such_module is not installed",
        "small": "not run above 99 rows, for want of memory",
        "slow": "took longer than 2 s",
    }
    assert len(outcome.runs["quick"]) == 2


def test_a_tool_that_fails_or_disagrees_is_a_fault_and_others_go_on(tmp_path: Path) -> None:
    """Where 0.5 is right, one tool says 0.5, one 0.4, and one ends with an error."""
    overall = {"class": None, "fold": None, "average": None}
    score = overall | {"classifier": "A", "measure": "f1", "value": 0.5}
    text = json.dumps({"values": [score]})

    def writing(_: Path, output: Path) -> tuple[str, ...]:
        return python(f"open({str(output / 'results.json')!r}, 'w').write({text!r})")

    contestants = (
        Contestant("reportgen", writing, writes="results.json"),
        Contestant("like", lambda *_: python("print('{\"A f1\": 0.5}')")),
        Contestant("unlike", lambda *_: python("print('{\"A f1\": 0.4}')")),
        Contestant("broken", lambda *_: python("raise SystemExit('broken')")),
    )
    contest = Contest("a", "faults", Data("counts", 100), contestants)

    outcome = running.take_turns(contest, tmp_path, rounds=1, limit=60)

    assert outcome.left_out == {"broken": "failed"}
    broken, unlike = outcome.faults
    assert broken.endswith("broken\n")
    assert unlike == "faults: unlike disagrees in A f1: 0.5 against 0.4"


def test_a_number_that_differs_or_is_missing_is_reported() -> None:
    """1e-12 is rounding, 1e-3 is not, and a name reportgen lacks cannot agree."""
    own = {"A accuracy": 0.5, "A f1": 0.25}
    other = {"A accuracy": 0.5 + 1e-12, "A f1": 0.251, "A kappa": 0.1}

    assert disagreements(own, other) == ["A f1: 0.25 against 0.251", "A kappa: None against 0.1"]
