"""Calls with data that cannot be evaluated, and what is said of them."""

from __future__ import annotations

import numpy as np
import pandas as pd

TRUTH = ["yes", "no", "yes", "no"]
RIGHT = ["yes", "no", "no", "no"]
SCORES = [0.9, 0.1, 0.4, 0.2]
NAMES = [f"n{number}" for number in range(1001)]

# What is passed instead of a sound call's arguments, and what the error says.
DATA_FAULTS: dict[str, tuple[dict[str, object], str]] = {
    "other lengths": (
        {"predictions": {"SVM": RIGHT[:3], "NB": RIGHT}},
        "SVM has 3 predictions, but `truth` has 4 values",
    ),
    "folds of another length": (
        {"folds": [1, 2]},
        "`folds` has 2 values, but `truth` has 4",
    ),
    "a missing prediction": (
        {"predictions": {"SVM": ["yes", None, "no", "no"]}},
        (
            '`predictions["SVM"]`: the value is missing (index 1)'
            ' (pass `missing="wrong"` to count empty predictions as errors, "drop" to leave the'
            " cases out for all classifiers, or fill in the value)"
        ),
    ),
    "a missing truth is told once": (
        {"truth": [*TRUTH[:3], float("nan")], "predictions": {"SVM": RIGHT, "NB": RIGHT}},
        "`truth`: the value is missing (index 3) (fill in the value or remove the case)",
    ),
    "a label besides two": (
        {"predictions": {"SVM": ["maybe", *RIGHT[1:]]}},
        (
            "SVM: a binary task has two labels, but 3 occur: 'no' (5), 'yes' (2), 'maybe' (1)"
            " (index 0) (correct the spelling, or make it a multiclass task)"
        ),
    ),
    "a label besides the classes": (
        {"predictions": {"SVM": [*RIGHT[:3], "maybe"]}, "classes": ["yes", "no"]},
        (
            "`SVM` has the label 'maybe', which is not in `classes` (index 3)"
            " (the classes are 'no', 'yes')"
        ),
    ),
    "a positive class that never occurs": (
        {"positive": "yess"},
        (
            "the positive class 'yess' does not occur in the data"
            " (found 'no', 'yes'; did you mean `yes`?)"
        ),
    ),
    "scores that are texts": (
        {"scores": {"SVM": ["0.9", "high", "0.1", "0.2"]}},
        "`scores[\"SVM\"]`: 'high' is not a number (index 1)",
    ),
    "scores that are infinite": (
        {"scores": {"SVM": [*SCORES[:3], float("inf")]}},
        (
            "`scores[\"SVM\"]`: 'inf' is not a finite number (index 3) (fix the value or remove the"
            " case)"
        ),
    ),
    "scores that are no probabilities": (
        {"scores": {"SVM": [*SCORES[:3], 1.5]}, "score_kind": "probability"},
        (
            '`scores["SVM"]`: 1.5 is not between 0 and 1 (index 3) (if these scores are not'
            ' probabilities, set `score_kind` to "ranking")'
        ),
    ),
    "a table of scores": (
        {"scores": {"SVM": np.ones((4, 2))}},
        (
            '`scores["SVM"]` cannot be converted to a column: it has 2 dimensions'
            " (pass one value per case, all of one type)"
        ),
    ),
    "values of several types": (
        {"truth": ["yes", 0, "yes", 0]},
        (
            "`truth` cannot be converted to a column: it mixes numbers and text"
            " (pass one value per case, all of one type)"
        ),
    ),
    "a text for a column": (
        {"truth": "yes"},
        (
            "`truth` has the type str, not a column of values"
            " (pass one value per case, all of one type)"
        ),
    ),
    "several values for a case": (
        {"truth": [["yes"], ["no"], ["yes"], ["no"]]},
        "`truth` has several values per case (pass one value per case, all of one type)",
    ),
    "complex numbers": (
        {"scores": {"SVM": [1j, 2j, 3j, 4j]}},
        (
            '`scores["SVM"]` has values of the unsupported type complex'
            " (pass one value per case, all of one type)"
        ),
    ),
    "objects": (
        {"truth": [None, {"yes"}, {"no"}, {"yes"}]},
        (
            "`truth` has values of the unsupported type set"
            " (pass one value per case, all of one type)"
        ),
    ),
    "no cases": (
        {"truth": [], "predictions": {"SVM": []}},
        "`truth` has no cases",
    ),
    "an id twice": (
        {"ids": ["a", "b", "c", "b"]},
        "`ids` has the duplicate id 'b' (index 1 and 3) (give every case a unique id)",
    ),
    "an id twice in a fold": (
        {"ids": ["a", "b", "a", "b"], "folds": [1, 1, 2, 1]},
        (
            "`ids` has the duplicate id 'b' in one fold (index 1 and 3)"
            " (give every case a unique id)"
        ),
    ),
    "pandas in another order": (
        {"truth": pd.Series(TRUTH), "predictions": {"SVM": pd.Series(RIGHT).iloc[::-1]}},
        (
            '`predictions["SVM"]` has the index of `truth` in another order (align them, for'
            " example with `.reindex(truth.index)`; if the order is correct, pass `.to_numpy()`)"
        ),
    ),
    "no classifiers": (
        {"predictions": {}},
        'no classifiers: `predictions` is empty (pass `{"SVM": …}`, one entry per classifier)',
    ),
    "scores without predictions": (
        {"predictions": None, "scores": {"SVM": SCORES}},
        (
            "SVM: scores without predictions (pass `predictions` too, or a `threshold` to derive"
            " them from the scores)"
        ),
    ),
    "columns of no known class": (
        {"probabilities": {"SVM": np.ones((4, 2)) / 2}},
        (
            'the classes of the columns of `probabilities["SVM"]` are unknown (pass `classes` in'
            " the order of the columns, or a frame with named columns)"
        ),
    ),
    "more columns than classes": (
        {"probabilities": {"SVM": np.ones((4, 3)) / 3}, "classes": ["yes", "no"]},
        '`probabilities["SVM"]` has 3 columns, but there are 2 classes',
    ),
    "a class without probabilities": (
        {"probabilities": {"SVM": {"yes": SCORES}}},
        "SVM: class 'no' has no column of probabilities (add a column for every class)",
    ),
    "probabilities that do not add up": (
        {"probabilities": {"SVM": {"yes": SCORES, "no": [0.1, 0.9, 0.6, 0.7]}}},
        (
            "SVM: the probabilities of a case add up to 0.9, not to 1 (index 3) (every class needs"
            " a column, and the probabilities of a case add up to 1: divide weights by their sum,"
            " or omit `probabilities`)"
        ),
    ),
    "what programs write for nothing": (
        {"truth": ["NA", "no", "yes", "no"]},
        (
            "`truth`: 'NA' is a missing-value marker (index 0) (fill in the value or"
            ' remove the case; if it is the name of a class, list it in `classes`: ["NA", …])'
        ),
    ),
    "more labels than classes can be": (
        {"truth": NAMES, "predictions": {"SVM": NAMES}, "positive": None},
        (
            "there are 1001 different labels, such as 'n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6',"
            " 'n7', 'n8', 'n9' and 991 more (check the column; numeric values need a"
            " regression task)"
        ),
    ),
    "one class only": (
        {"truth": ["yes"] * 4, "predictions": {"SVM": ["yes"] * 4}},
        'only the label \'yes\' occurs (list both classes in `classes`: ["yes", "…"])',
    ),
}
