"""What a reader of the tables must know about each case."""

from __future__ import annotations

READING = """\
`make bench` measures reportgen as users run it: `reportgen build spec.toml --format json`, from the
file on disk to the written results.json with all its intervals, beside tools people know and, as
the floor, the bare polars query for the same counts. Nothing is remembered (`--no-history`), as the
others remember nothing either; the history takes some 0.02 s for each 1,000 values of a report.
Every run is a process of its own with its imports; the tools take turns, so that other work on the
machine slows all alike. All tools read the files with polars, the quickest way there is. Where
reportgen writes results, a number of another tool that differs from reportgen's by more than one in
a billion is told as a fault.

Numbers are medians over rounds (here {rounds}; a tool that takes more than 20 s has one turn). In
brackets is how many times as long as reportgen a tool takes: 0.5× is half as long, 2× twice as
long. Memory is the most a process held."""

NOTES = {
    "a": """\
Labels are strings. reportgen gives the confusion matrix and its usual measures of each class, of
the whole and of averages, each with its interval; scikit-learn its confusion matrix, its
classification report and five more measures; PyCM all its measures. scikit-learn gets strings as
polars and pandas hand them over, an object each. *Codes*: it gets integers that polars made of the
labels, which is the quickest it can be.""",
    "b": """\
The exact area under the ROC curve, average precision and both curves; reportgen also DeLong's
interval, the best thresholds with limits by resampling, and all counts. PyCM takes no part: its
curves count all rows anew at every threshold, so that exact ones grow with the square of the
rows.""",
    "c": """\
Labels are strings. scikit-learn gives its classification report and the confusion matrix; reportgen
its usual measures of every class with intervals, and averages.""",
    "d": """\
The rows of each file have an order of their own, and are joined by a string. scikit-learn: joined
by polars, then accuracy, precision, recall, F1 and the confusion matrix in a loop over classifiers
and folds. Bare polars: the join, and accuracy by classifier and fold. reportgen also checks that
all files tell the same truth, and compares every two classifiers in every measure.""",
    "e": """\
The time of the resampling alone, without reading and imports; memory is that of the whole process.
reportgen draws counts; the usual way draws cases by index and measures them, with NumPy (accuracy
and F1) or scikit-learn (ROC AUC). reportgen draws within each true class, the usual way over all
cases. Of the usual way 20 resamples were measured and scaled.""",
    "f": """\
A small file, so that imports are nearly all of the time; `check` reads spec and data and writes
nothing. Processes are fresh, and the files of the libraries are in the system's cache.""",
    "g": """\
One call of `reportgen build` with all specs, as JSON, against a call for each; of the latter 5 were
measured and scaled.""",
}
