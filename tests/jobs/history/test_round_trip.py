"""What is kept comes back as it was, from a file and from a server."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta

import pytest

from reportgen.errors import HistoryError
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.jobs.history.record import InputRecord, RunState, ValueRecord
from reportgen.jobs.history.store import open_history
from tests.jobs.history.samples import ACCURACY, FIRST, WORSE, head, sample


def test_a_run_comes_back_as_it_was(where: str) -> None:
    """Every field of it, with undefined and infinite scores and the order of everything."""
    record = sample()
    with open_history(where) as history:
        history.begin(record)

    with open_history(where) as history:
        assert history.get_run(record.id) == record
        assert history.runs() == (head(record),)
        assert history.get_run("another") is None


@pytest.mark.parametrize("value", [math.inf, -math.inf, 5e-324, 1 / 3, 2.0**60, -0.0, 1e308])
def test_a_number_is_kept_to_the_last_bit(where: str, value: float) -> None:
    """A value that was rounded would be another value; a zero has no sign."""
    state = ValueState.DEFINED if math.isfinite(value) else ValueState.INFINITE
    record = sample(accuracy=MeasureValue(value, state))
    with open_history(where) as history:
        history.begin(record)
        stored = history.get_run(record.id)

    assert stored is not None
    assert stored.values[0].value.value == value


@pytest.mark.parametrize(
    "text", ["'; DROP TABLE runs; --", "a\0b", "\udcff", "%s ? {0}", "😀\u202e"]
)
def test_hostile_text_is_kept_as_text(where: str, text: str) -> None:
    """NUL and half characters, which no database takes, are replaced; the rest stays as it is."""
    expected = {"a\0b": "a\N{REPLACEMENT CHARACTER}b", "\udcff": "\\udcff"}.get(text, text)
    record = replace(sample(name=text), title=text, inputs=(InputRecord(text, text, text, 1),))
    with open_history(where) as history:
        history.begin(record)
        stored = history.get_run(record.id)

        assert stored is not None
        assert (stored.title, stored.inputs[0].path) == (expected, expected)
        assert [run.id for run in history.runs(text)] == [record.id]
        assert history.names() == (expected,)


def test_only_written_runs_are_the_past(where: str) -> None:
    """A run that failed or is under way has found nothing to compare with."""
    runs = [sample(day, state=state, data="old") for day, state in enumerate(RunState)]
    later = [sample(10, data="new"), sample(11, data="newest"), sample(12, name="other")]
    with open_history(where) as history:
        for run in runs + later:
            history.begin(run)
        past = history.load_previous_runs("churn", 2)

    # The latest two of three that were written, the latest last.
    assert [run.id for run in past.runs] == [later[0].id, later[1].id]
    assert past.runs[0].confusion == later[0].confusion
    assert past.runs[0].classes == ("stays", "leaves")
    assert past.runs[0].values["NB", None, None, "accuracy"] == ACCURACY
    # Of six scores one belongs to a single fold.
    assert len(past.runs[0].values) == 5


def test_the_past_has_one_run_for_each_change_of_the_data(where: str) -> None:
    """Runs in a row on the same data tell nothing new; old ones are there in short."""
    days = [sample(day, data=data) for day, data in enumerate("aabbca")]
    with open_history(where) as history:
        for run in days:
            history.begin(run)
        history.mark_published([days[0].id])
        past, few = (
            history.load_previous_runs("churn", 10).runs,
            history.load_previous_runs("churn", 0).runs,
        )

    assert [run.id for run in past] == [days[at].id for at in (0, 1, 3, 4, 5)]
    # Whole are the published one and the last two; the others lack what belongs to one class.
    assert [len(run.values) for run in past] == [5, 3, 3, 5, 5]
    assert [bool(run.confusion) for run in past] == [True, False, False, True, True]
    # However few are asked for, gates may ask for these.
    assert [run.id for run in few] == [days[at].id for at in (0, 4, 5)]


def test_the_past_has_what_gates_did_not_fail(where: str) -> None:
    """Whole, however long ago and however few are asked for; of the others, what they failed."""
    key = ("NB", None, None, "accuracy")
    untested = replace(WORSE, passed=False, tested=False)
    warned = replace(WORSE, level="warning")
    gates = [(), (), (WORSE,), (warned,), (WORSE,), (WORSE,)]
    days = [
        replace(sample(day, data=f"data-{day}"), gates=gate_records)
        for day, gate_records in enumerate(gates)
    ]
    other = replace(sample(9, name="other"), gates=(untested,))
    with open_history(where) as history:
        for run in (*days, other):
            history.begin(run)
        past = history.load_previous_runs("churn", 1).runs
        (other_run,) = history.load_previous_runs("other", 1).runs

    assert [run.id for run in past] == [days[at].id for at in (0, 1, 4, 5)]
    assert [run.failed_keys for run in past] == [frozenset(), frozenset(), {key}, {key}]
    assert all(run.confusion and len(run.values) == 5 for run in past)
    assert past[0].weights == {"SVM": 0.1}
    assert past[0].positive == "leaves"
    # What had nothing to be compared with was not found to be worse.
    assert other_run.failed_keys == frozenset()


def test_the_last_run_that_people_were_notified_of(where: str) -> None:
    """Not one that is tried again, is under way, or whose end nobody has seen."""
    notified, attempted, begun, lost, own = (
        sample(day, state=state)
        for day, state in enumerate(
            (
                *(RunState.COMPLETED, RunState.FAILED, RunState.RUNNING),
                *(RunState.INTERRUPTED, RunState.COMPLETED),
            )
        )
    )
    with open_history(where) as history:
        for run in (notified, attempted, begun, lost, own, sample(8, name="other")):
            history.begin(run)
        history.mark_final(attempted.id, is_final=False)
        history.mark_final("gone", is_final=False)
        before = history.last_notified_run("churn", own.id)
        history.mark_final(lost.id, is_final=True)
        last = history.last_notified_run("churn", own.id)
        first = history.last_notified_run("nobody", own.id)

        assert history.get_run(attempted.id) == replace(attempted, is_final=False)
    assert before == head(notified)
    assert last == head(replace(lost, is_final=True))
    assert first is None


def test_runs_are_listed_latest_first(where: str) -> None:
    """Of all names or of one, and no more than asked for."""
    first, second, other = sample(1), sample(2), sample(3, name="other")
    with open_history(where) as history:
        for run in (first, second, other):
            history.begin(run)

        assert [run.id for run in history.runs()] == [other.id, second.id, first.id]
        assert [run.id for run in history.runs("churn")] == [second.id, first.id]
        assert [run.id for run in history.runs(limit=1)] == [other.id]
        assert history.names() == ("churn", "other")


def test_a_run_ends_as_it_is_stated_to_end(where: str) -> None:
    """Only how it ended changes."""
    begun = sample(state=RunState.RUNNING)
    ended = begun.ended + timedelta(seconds=3)
    with open_history(where) as history:
        history.begin(begun)
        history.finish(begun.id, RunState.FAILED, exit_code=4, ended=ended)

        assert history.get_run(begun.id) == replace(
            begun, state=RunState.FAILED, exit_code=4, ended=ended
        )


def test_a_run_that_is_gone_cannot_end(where: str) -> None:
    """An end that changed nothing would be a lost run that nobody notices."""
    with (
        open_history(where) as history,
        pytest.raises(HistoryError, match="no longer in the history"),
    ):
        history.finish("20260301T023000-00000000", RunState.COMPLETED, exit_code=0, ended=FIRST)


def test_a_run_is_not_kept_twice(where: str) -> None:
    """The second is refused whole: nothing of it mixes with the first."""
    record = sample()
    with open_history(where) as history:
        history.begin(record)
        with pytest.raises(HistoryError) as refused:
            history.begin(replace(record, title="another", gates=record.gates * 2))

        assert refused.value.diagnostics[0].error_code.code == "E514"
        assert history.get_run(record.id) == record


def test_runs_that_never_ended_are_settled_by_the_manifest(where: str) -> None:
    """If the manifest on the disk is theirs, the report was written; else it was interrupted."""
    written_run = sample(1, state=RunState.RUNNING, manifest="abc")
    broken = sample(2, state=RunState.RUNNING, manifest="def")
    other_folder = replace(sample(3, state=RunState.RUNNING, manifest="def"), output="/elsewhere")
    without = sample(4, state=RunState.RUNNING, manifest="")
    with open_history(where) as history:
        for run in (written_run, broken, other_folder, without):
            history.begin(run)
        history.recover_interrupted("churn", "/srv/reports/churn", "abc")

        states = {run.id: run.state for run in history.runs()}
    assert states == {
        written_run.id: RunState.COMPLETED,
        broken.id: RunState.INTERRUPTED,
        other_folder.id: RunState.RUNNING,
        without.id: RunState.INTERRUPTED,
    }


def test_no_manifest_settles_nothing_as_written(where: str) -> None:
    """A run without a manifest and a folder without one are not the same report."""
    begun = sample(state=RunState.RUNNING, manifest="")
    with open_history(where) as history:
        history.begin(begun)
        history.recover_interrupted("churn", begun.output, "")

        (stored,) = history.runs()
    assert (stored.state, stored.exit_code) == (RunState.INTERRUPTED, 4)


def test_published_runs_are_known_as_such(where: str) -> None:
    """Marking twice, or one that is gone, does no harm."""
    first, second = sample(1), sample(2)
    with open_history(where) as history:
        history.begin(first)
        history.begin(second)
        history.mark_published([first.id, first.id, "gone"])
        history.mark_published([first.id])

        assert history.get_run(first.id) == replace(first, published=True)
        published = [
            run.id for run in history.load_previous_runs("churn", 10).runs if run.published
        ]
    assert published == [first.id]


def test_a_trend_has_one_point_for_each_run_and_score(where: str) -> None:
    """Scores of single folds and of other measures are no part of it."""
    values = [MeasureValue(value, ValueState.DEFINED) for value in (0.7, 0.8, 0.9)]
    runs = [sample(day, accuracy=value) for day, value in enumerate(values)]
    with open_history(where) as history:
        for run in runs:
            history.begin(run)
        history.begin(sample(9, state=RunState.FAILED))
        points = history.trend("churn", "accuracy")

    own_points = [point for point in points if point.record.classifier == "NB"]
    assert [point.run.id for point in own_points] == [run.id for run in runs]
    assert [point.record for point in own_points] == [
        ValueRecord("NB", None, None, None, "accuracy", value) for value in values
    ]
    assert len(points) == 3 * 2


def test_ids_are_found_by_how_they_begin(where: str) -> None:
    """A percent sign is a letter like others."""
    first, second = sample(1), sample(2)
    with open_history(where) as history:
        history.begin(second)
        history.begin(first)

        assert history.find_run_ids("2026030") == (first.id, second.id)
        assert history.find_run_ids(first.id[:9]) == (first.id,)
        assert history.find_run_ids("%") == ()


def test_runs_are_in_the_order_they_were_recorded(where: str) -> None:
    """One run under a clock of 2030 does not stay the latest one until 2030."""
    future = sample().started.replace(year=2030)
    with open_history(where) as history:
        history.begin(replace(sample(), id="a", started=future, ended=future))
        history.begin(replace(sample(), id="b"))
        runs = [run.id for run in history.runs()]

    assert runs == ["b", "a"]
