"""Multilabel tasks: labels as binary tasks, and cases as units over several labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from sklearn import metrics

import reportgen
from reportgen.errors import DataError, SpecError
from reportgen.evaluation.design_effects import Estimand
from reportgen.evaluation.multilabel import LabelSetEffects
from reportgen.export.results import build_results
from reportgen.measures import MEASURE_GROUPS, Average, get_measure
from reportgen.pipeline import load_and_evaluate
from reportgen.predictions.scaffold import scaffold_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy.typing as npt

    from reportgen.evaluation.evaluation import Evaluation

    Flags = npt.NDArray[np.bool_]

LABELS = ("a", "b", "c", "d")
COUNTED = ("f1", "precision", "sensitivity", "jaccard", "accuracy", "mcc")
SKLEARN: dict[str, Callable[..., float]] = {
    "f1": metrics.f1_score,
    "precision": metrics.precision_score,
    "sensitivity": metrics.recall_score,
    "jaccard": metrics.jaccard_score,
}


def draw_labels(seed: int = 1, cases: int = 250) -> dict[str, Flags]:
    """Return the labels of cases, true and as two classifiers predict them."""
    rng = np.random.default_rng(seed)
    truth = rng.random((cases, len(LABELS))) < (0.5, 0.3, 0.4, 0.15)
    flips = (rng.random(truth.shape) < rate for rate in (0.12, 0.2))
    first, second = (truth ^ flip for flip in flips)
    return {"truth": truth, "A": first, "B": second}


def join_set(row: Flags, separator: str = "|") -> str:
    """Return a set of labels as text."""
    return separator.join(label for label, has in zip(LABELS, row, strict=True) if has)


def write_cells(path: Path, flags: dict[str, Flags], separator: str = "|") -> pl.DataFrame:
    """Write a CSV file with a set in every cell."""
    frame = pl.DataFrame(
        {
            "id": range(len(flags["truth"])),
            **{name: [join_set(row, separator) for row in rows] for name, rows in flags.items()},
        }
    )
    frame.write_csv(path)
    return frame


def evaluate(  # noqa: PLR0913  # the parts of a spec
    folder: Path,
    file: str,
    data: str = 'id = "id"',
    *,
    task: str = 'kind = "multilabel"',
    columns: str = "{0}",
    rest: str = "",
) -> Evaluation:
    """Evaluate the classifiers A and B of a file."""
    show = rest or f"[measures]\nshow = {['multilabel', *COUNTED]}\n"
    spec = folder / "spec.toml"
    spec.write_text(
        f"[task]\n{task}\n[data]\n{data}\n{show}"
        + "".join(
            f'[[classifiers]]\nname = "{name}"\npredictions = "{file}"\n'
            f'prediction = "{columns.format(name)}"\n'
            for name in "AB"
        ),
        encoding="utf-8",
    )
    return load_and_evaluate(spec)


@pytest.fixture(name="flags")
def _flags() -> dict[str, Flags]:
    return draw_labels()


@pytest.fixture(name="evaluation")
def _evaluation(tmp_path: Path, flags: dict[str, Flags]) -> Evaluation:
    write_cells(tmp_path / "cells.csv", flags)
    return evaluate(tmp_path, "cells.csv")


def value(evaluation: Evaluation, *key: str | None) -> float | None:
    """Return a value by classifier, class, average and measure."""
    return evaluation.by_key[key].value  # type: ignore[index]


def test_values_are_those_of_scikit_learn(evaluation: Evaluation, flags: dict[str, Flags]) -> None:
    """Of sets, of averages and of every label."""
    truth = flags["truth"]
    for name in "AB":
        message = flags[name]
        of_sets = {
            "exact_match": metrics.accuracy_score(truth, message),
            "hamming_loss": metrics.hamming_loss(truth, message),
            "sample_jaccard": metrics.jaccard_score(
                truth, message, average="samples", zero_division=1.0
            ),
            "sample_f1": metrics.f1_score(truth, message, average="samples", zero_division=1.0),
        }
        for measure, expected in of_sets.items():
            assert value(evaluation, name, None, None, measure) == pytest.approx(
                expected, rel=1e-12
            )
        for measure, score in SKLEARN.items():
            for average in ("macro", "micro", "weighted"):
                expected = score(truth, message, average=average)
                assert value(evaluation, name, None, average, measure) == pytest.approx(expected)
            for at, label in enumerate(LABELS):
                expected = score(truth[:, at], message[:, at])
                assert value(evaluation, name, label, None, measure) == pytest.approx(expected)


def test_a_label_by_itself_is_a_binary_task(
    tmp_path: Path, evaluation: Evaluation, flags: dict[str, Flags]
) -> None:
    """Values, intervals and p-values are the same."""
    words = {name: np.where(rows[:, 1], "yes", "no") for name, rows in flags.items()}
    pl.DataFrame({"id": range(len(words["truth"])), **words}).write_csv(tmp_path / "binary.csv")
    binary = evaluate(
        tmp_path,
        "binary.csv",
        task='kind = "binary"\npositive = "yes"',
        rest=f"[measures]\nshow = {list(COUNTED)}\n",
    )
    for measure in COUNTED:
        for name in "AB":
            assert (
                evaluation.by_key[name, "b", None, measure]
                == binary.by_key[name, None, None, measure]
            )
    tested = {
        (row.measure, row.test): row.p
        for row in evaluation.comparisons
        if row.class_ == "b" and row.primary_test
    }
    for row in binary.comparisons:
        if row.primary_test and row.measure in COUNTED:
            assert tested[row.measure, row.test] == row.p


def test_with_one_label_per_case_exact_match_is_accuracy(tmp_path: Path) -> None:
    """Such a task is also a multiclass task."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 200)
    columns = {
        name: np.array(["x", "y", "z"])[
            np.where(rng.random(200) < 0.7, truth, rng.integers(0, 3, 200))
        ]
        for name in "AB"
    }
    columns["truth"] = np.array(["x", "y", "z"])[truth]
    pl.DataFrame({"id": range(200), **columns}).write_csv(tmp_path / "one.csv")
    sets = evaluate(tmp_path, "one.csv")
    classes = evaluate(
        tmp_path,
        "one.csv",
        task='kind = "multiclass"',
        rest='[measures]\nshow = ["accuracy", "f1"]\n',
    )
    for name in "AB":
        exact = sets.by_key[name, None, None, "exact_match"]
        accuracy = classes.by_key[name, None, None, "accuracy"]
        assert (exact.value, exact.low, exact.high) == pytest.approx(
            (accuracy.value, accuracy.low, accuracy.high)
        )
        for average in ("macro", "micro", "weighted"):
            assert value(sets, name, None, average, "f1") == pytest.approx(
                value(classes, name, None, average, "f1")
            )
        # Two of three label decisions are wrong where the class is.
        assert value(sets, name, None, None, "hamming_loss") == pytest.approx(
            (1 - (accuracy.value or 0)) * 2 / 3
        )


def test_every_layout_gives_the_same(
    tmp_path: Path, evaluation: Evaluation, flags: dict[str, Flags]
) -> None:
    """Lists, texts with another separator, lists as text, JSON Lines, and columns of 0 and 1."""
    frame = write_cells(tmp_path / "semicolon.csv", flags, "; ")
    lists = frame.with_columns(
        pl.col("truth", "A", "B").str.split("; ").list.eval(pl.element().filter(pl.element() != ""))
    )
    lists.write_parquet(tmp_path / "lists.parquet")
    lists.write_ndjson(tmp_path / "lists.jsonl")
    lists.with_columns(
        pl.col("truth", "A", "B").map_elements(lambda row: str(list(row)), return_dtype=pl.String)
    ).write_csv(tmp_path / "text.csv")
    wide = {
        f"{name} {label}": rows[:, at].astype(int)
        for name, rows in flags.items()
        for at, label in enumerate(LABELS)
    }
    pl.DataFrame({"id": range(len(flags["truth"])), **wide}).write_csv(tmp_path / "wide.csv")
    others = [
        evaluate(tmp_path, "semicolon.csv", 'id = "id"\nseparator = ";"'),
        evaluate(tmp_path, "lists.parquet"),
        evaluate(tmp_path, "lists.jsonl"),
        evaluate(tmp_path, "text.csv"),
        evaluate(
            tmp_path, "wide.csv", 'id = "id"\ntruth = "truth {class}"', columns="{0} {{class}}"
        ),
    ]
    for other in others:
        assert other.by_key == evaluation.by_key


def test_shuffled_rows_change_nothing(
    tmp_path: Path, evaluation: Evaluation, flags: dict[str, Flags]
) -> None:
    """Cases have no order, and labels in a cell have none either."""
    frame = write_cells(tmp_path / "cells.csv", flags).sample(fraction=1, shuffle=True, seed=3)
    text = pl.col("truth", "A").str.split("|").list.reverse().list.join("|")
    frame.with_columns(text).write_csv(tmp_path / "shuffled.csv")
    shuffled = evaluate(tmp_path, "shuffled.csv")

    assert shuffled.by_key == evaluation.by_key
    assert shuffled.comparisons == evaluation.comparisons


def test_counted_rows_are_so_many_cases(
    tmp_path: Path, evaluation: Evaluation, flags: dict[str, Flags]
) -> None:
    """A table of counts gives what its cases give one by one."""
    frame = write_cells(tmp_path / "cells.csv", flags).drop("id")
    frame.group_by(pl.all()).agg(n=pl.len()).sort(pl.all()).write_csv(tmp_path / "counts.csv")
    counted = evaluate(tmp_path, "counts.csv", 'count = "n"')

    for key, expected in evaluation.by_key.items():
        number = counted.by_key[key]
        assert number.value == pytest.approx(expected.value)
        assert number.low == pytest.approx(expected.low)


def test_doubled_cases_of_a_cluster_do_not_narrow_an_interval(
    tmp_path: Path, evaluation: Evaluation, flags: dict[str, Flags]
) -> None:
    """Every case twice, in one cluster: the width is that of single cases, nearly."""
    frame = write_cells(tmp_path / "cells.csv", flags)
    twice = pl.concat([frame, frame]).with_columns(cluster="id", id=pl.int_range(2 * frame.height))
    twice.write_csv(tmp_path / "twice.csv")
    doubled = evaluate(tmp_path, "twice.csv", 'id = "id"\ncluster = "cluster"')
    for average, measure in (
        (None, "exact_match"),
        (None, "hamming_loss"),
        ("macro", "f1"),
        ("micro", "f1"),
    ):
        one, two = (item.by_key["A", None, average, measure] for item in (evaluation, doubled))
        assert two.value == pytest.approx(one.value)
        assert two.low == pytest.approx(one.low, abs=0.003)
        assert two.high == pytest.approx(one.high, abs=0.003)
        assert "cluster-robust" in (two.method or "")


def test_weights_of_integers_are_copies_of_cases(tmp_path: Path, flags: dict[str, Flags]) -> None:
    """The values are those of cases repeated so often."""
    rng = np.random.default_rng(2)
    frame = write_cells(tmp_path / "cells.csv", flags)
    frame = frame.with_columns(w=pl.Series(rng.integers(1, 4, frame.height)))
    frame.write_csv(tmp_path / "weights.csv")
    copies = frame.select(pl.exclude("w").repeat_by("w").explode())
    copies.with_columns(id=pl.int_range(copies.height)).write_csv(tmp_path / "copies.csv")
    weighted = evaluate(tmp_path, "weights.csv", 'id = "id"\nweight = "w"')
    copied = evaluate(tmp_path, "copies.csv")
    for key, expected in copied.by_key.items():
        assert weighted.by_key[key].value == pytest.approx(expected.value)


@pytest.mark.parametrize(
    ("average", "measure"),
    [
        (None, "exact_match"),
        (None, "sample_f1"),
        ("macro", "f1"),
        ("micro", "f1"),
        ("weighted", "precision"),
    ],
)
def test_variances_are_those_of_the_jackknife(
    evaluation: Evaluation, flags: dict[str, Flags], average: Average | None, measure: str
) -> None:
    """Cases are left out one by one, with all their labels."""
    sets = evaluation.aggregates.label_sets
    assert sets is not None
    effects = LabelSetEffects.from_sets(sets, 0.95)
    estimand = Estimand(get_measure(measure), None, average)
    variance = float(effects.covariances([("A", estimand)])[0, 0])

    def compute(keep: Flags) -> float:
        truth, message = flags["truth"][keep], flags["A"][keep]
        if measure == "exact_match":
            return float(metrics.accuracy_score(truth, message))
        how = average or "samples"
        return float(
            SKLEARN[measure.removeprefix("sample_")](truth, message, average=how, zero_division=1.0)
        )

    cases = len(flags["truth"])
    values = np.array([compute(np.arange(cases) != at) for at in range(cases)])
    jackknife = (cases - 1) / cases * ((values - values.mean()) ** 2).sum()
    assert variance == pytest.approx(jackknife, rel=0.03)


def test_every_value_over_labels_has_an_interval_and_a_test(evaluation: Evaluation) -> None:
    """In the families of the report; exact match is its headline."""
    tested = {
        (row.measure, row.average): row
        for row in evaluation.comparisons
        if row.class_ is None and row.primary_test
    }
    for (name, class_, average, measure), number in evaluation.by_key.items():
        if class_ is None and name == "A" and measure in {*COUNTED, *MEASURE_GROUPS["multilabel"]}:
            assert number.low is not None, (average, measure)
            assert number.high is not None
            assert tested[measure, average].p_adjusted is not None
    assert tested["exact_match", None].family == "headline"
    assert tested["f1", "micro"].p != tested["precision", "micro"].p


def test_a_perfect_classifier_has_an_interval(tmp_path: Path, flags: dict[str, Flags]) -> None:
    """Where nothing varies, ½ is added to every count, and Wilson's limits serve proportions."""
    perfect = {**flags, "A": flags["truth"]}
    write_cells(tmp_path / "perfect.csv", perfect)
    values = evaluate(tmp_path, "perfect.csv").by_key
    for average, measure in (
        (None, "exact_match"),
        (None, "sample_f1"),
        ("macro", "f1"),
        ("micro", "f1"),
    ):
        number = values["A", None, average, measure]
        assert number.value == 1
        assert number.high == 1
        assert number.low is not None
        assert 0.9 < number.low < 1


def test_a_loss_that_is_the_same_in_every_case_has_no_interval(tmp_path: Path) -> None:
    """One of two labels that occur is missed in each of two cases: 0.5 without any spread."""
    truth = np.array([[True, True, False, False]] * 2)
    missed = np.array([[True, False, False, False]] * 2)
    write_cells(tmp_path / "equal.csv", {"truth": truth, "A": missed, "B": truth})

    number = evaluate(tmp_path, "equal.csv").by_key["A", None, None, "hamming_loss"]

    assert (number.value, number.low, number.high) == (0.5, None, None)


def test_the_results_have_the_counts_of_every_label(
    evaluation: Evaluation, flags: dict[str, Flags]
) -> None:
    """As the confusion matrix of its binary task."""
    results = build_results(evaluation).model_dump(mode="json", by_alias=True)
    assert results["task"]["kind"] == "multilabel"
    assert results["task"]["classes"] == list(LABELS)
    for row in results["confusion"]:
        at = LABELS.index(row["classes"][0])
        expected = metrics.confusion_matrix(
            ~flags["truth"][:, at], ~flags[row["classifier"]][:, at]
        )
        assert row["counts"] == expected.tolist()


def test_probabilities_give_areas_per_label_and_their_mean(
    tmp_path: Path, flags: dict[str, Flags]
) -> None:
    """They need not sum to 1; from ½ on a label is predicted where there are no predictions."""
    rng = np.random.default_rng(8)
    score = np.clip(flags["A"] * 0.4 + rng.random(flags["A"].shape) * 0.6, 0, 1).round(3)
    columns = {f"p_{label}": score[:, at] for at, label in enumerate(LABELS)}
    truth = [join_set(row) for row in flags["truth"]]
    pl.DataFrame({"id": range(len(truth)), "truth": truth, **columns}).write_csv(tmp_path / "p.csv")
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[task]\nkind = "multilabel"\n[data]\nid = "id"\nprobabilities = "p_{class}"\n'
        '[[classifiers]]\nname = "A"\npredictions = "p.csv"\n',
        encoding="utf-8",
    )
    values = load_and_evaluate(spec).by_key
    for at, label in enumerate(LABELS):
        area = metrics.roc_auc_score(flags["truth"][:, at], score[:, at])
        assert values["A", label, None, "roc_auc"].value == pytest.approx(area)
    mean = metrics.roc_auc_score(flags["truth"], score, average="macro")
    assert values["A", None, "macro", "roc_auc"].value == pytest.approx(mean)
    message = score >= 0.5
    assert values["A", None, None, "exact_match"].value == pytest.approx(
        metrics.accuracy_score(flags["truth"], message)
    )


def test_odd_indicators_and_unknown_labels_are_errors(
    tmp_path: Path, flags: dict[str, Flags]
) -> None:
    """Each names what is wrong."""
    write_cells(tmp_path / "cells.csv", flags)
    with pytest.raises(DataError, match="'d' is not in `classes`"):
        evaluate(tmp_path, "cells.csv", task='kind = "multilabel"\nclasses = ["a", "b", "c"]')
    (tmp_path / "wide.csv").write_text("id,t a,A a,B a\n1,1,0,0\n2,3,1,1\n", encoding="utf-8")
    with pytest.raises(DataError, match="'3' is neither 0 nor 1"):
        evaluate(tmp_path, "wide.csv", 'id = "id"\ntruth = "t {class}"', columns="{0} {{class}}")


def test_an_empty_indicator_is_zero_only_where_no_other_is(tmp_path: Path) -> None:
    """Next to zeros it is a missing value, which is no answer."""
    data, columns = 'id = "id"\ntruth = "t {class}"', "{0} {{class}}"
    header = "id,t a,t b,A a,A b,B a,B b\n"
    wide = tmp_path / "wide.csv"
    wide.write_text(f"{header}1,1,,1,0,0,1\n2,,1,0,1,0,1\n3,1,1,1,1,0,1\n", encoding="utf-8")
    blank = evaluate(tmp_path, "wide.csv", data, columns=columns)
    assert value(blank, "A", None, None, "exact_match") == 1

    wide.write_text(f"{header}1,1,0,1,0,0,1\n2,,1,0,1,0,1\n3,0,1,1,1,0,1\n", encoding="utf-8")
    with pytest.raises(DataError, match="'' is neither 0 nor 1"):
        evaluate(tmp_path, "wide.csv", data, columns=columns)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[measures]\nshow = ["quadratic_kappa"]\n', "does not apply to a multilabel task"),
    ],
)
def test_what_sets_do_not_support_is_refused(
    tmp_path: Path, flags: dict[str, Flags], text: str, message: str
) -> None:
    """With a clear error instead of a wrong number."""
    write_cells(tmp_path / "cells.csv", flags)
    with pytest.raises(SpecError, match=message):
        evaluate(tmp_path, "cells.csv", rest=text)


def test_missing_predictions_are_left_out_or_refused(tmp_path: Path) -> None:
    """A null list is no answer; an empty list is the empty set."""
    frame = pl.DataFrame(
        {
            "id": range(6),
            "truth": [["a"], ["b"], [], ["a", "b"], ["b"], ["a"]],
            "A": [["a"], ["b"], [], ["a"], ["b"], None],
            "B": [["a"], [], [], ["a", "b"], ["a"], ["a"]],
        }
    )
    frame.write_parquet(tmp_path / "null.parquet")
    with pytest.raises(DataError, match="missing"):
        evaluate(tmp_path, "null.parquet")
    dropped = evaluate(tmp_path, "null.parquet", 'id = "id"\nmissing = "drop"')
    assert value(dropped, "A", None, None, "exact_match") == pytest.approx(4 / 5)
    assert value(dropped, "B", None, None, "exact_match") == pytest.approx(3 / 5)


def test_python_takes_lists_and_tables_of_zeros_and_ones(
    evaluation: Evaluation, flags: dict[str, Flags]
) -> None:
    """Both give what the file gives."""
    lists = {
        name: [[label for label, has in zip(LABELS, row, strict=True) if has] for row in rows]
        for name, rows in flags.items()
    }
    for data in (lists, {name: rows.astype(int) for name, rows in flags.items()}):
        report = reportgen.evaluate(
            data["truth"],
            {name: data[name] for name in "AB"},
            task="multilabel",
            classes=LABELS,
            measures=["multilabel", "f1"],
        )
        row = report.values.filter(
            pl.col("classifier") == "B", pl.col("measure") == "exact_match"
        ).row(0, named=True)
        assert row["value"] == value(evaluation, "B", None, None, "exact_match")


def test_init_recognises_sets(tmp_path: Path, flags: dict[str, Flags]) -> None:
    """Cells with separators are sets; a single label with a | is a label."""
    frame = write_cells(tmp_path / "cells.csv", flags)
    renamed = frame.select("id", "truth", pl.col("A").alias("prediction"))
    renamed.write_csv(tmp_path / "bars.csv")
    pl.DataFrame({"truth": ["x|y", "z", "w"] * 5, "prediction": ["x|y", "z", "z"] * 5}).write_csv(
        tmp_path / "names.csv"
    )
    assert 'kind = "multilabel"' in scaffold_spec([tmp_path / "bars.csv"], tmp_path).text
    assert 'kind = "multiclass"' in scaffold_spec([tmp_path / "names.csv"], tmp_path).text
