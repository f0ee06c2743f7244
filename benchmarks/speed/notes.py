"""What a reader of the tables must know about each case."""

from __future__ import annotations

READING = """\
`make bench` measures reportgen as users run it: `reportgen build spec.toml --format json`, from the
file on disk to the written results.json with all confidence intervals, compared with well-known
tools and, as a lower bound, the bare polars query for the same counts. Runs are not recorded
(`--no-history`); the history takes some 0.02 s for each 1,000 values of a report. Every run is a
fresh process, imports included; the tools take turns, so that other load on the machine affects all
alike. All tools read the files with polars. A value of another tool that differs from reportgen's
by more than 1e-9 fails the benchmark.

Numbers are medians over rounds (here {rounds}; a tool that takes more than 20 s has one turn). In
brackets is how many times as long as reportgen a tool takes: 0.5× is half as long, 2× twice as
long. Memory is the peak of a process. Processor time is that of user and system, of reportgen's
command and worker together; the clock counts for targets."""

NOTES = {
    "a": """\
Labels are strings. reportgen gives the confusion matrix and its default measures per class,
overall and averaged, each with its confidence interval; scikit-learn its confusion matrix, its
classification report and five more measures; PyCM all its measures. scikit-learn gets strings as
polars and pandas pass them, as objects. *Codes*: it gets integer codes of the labels, its fastest
input.""",
    "b": """\
The exact area under the ROC curve, average precision and both curves; reportgen also DeLong's
interval, optimal thresholds with bootstrap intervals, and all counts. PyCM is omitted: its curves
count all rows again at every threshold, so that exact ones are quadratic in the rows.""",
    "c": """\
Labels are strings. scikit-learn gives its classification report and the confusion matrix; reportgen
its default measures of every class with confidence intervals, and averages.""",
    "d": """\
The rows of the files are in different orders and joined by a string id. scikit-learn: joined
by polars, then accuracy, precision, recall, F1 and the confusion matrix in a loop over classifiers
and folds. Bare polars: the join, and accuracy by classifier and fold. reportgen also checks that
all files have the same truth, and compares every pair of classifiers in every measure.""",
    "e": """\
The time of the resampling alone, without reading and imports; memory is that of the whole process.
reportgen resamples counts; the common way resamples cases by index, with NumPy (accuracy and F1) or
scikit-learn (ROC AUC). reportgen stratifies by true class, the common way does not. Of the common
way 20 resamples were measured and scaled.""",
    "f": """\
A small file, so that imports dominate; `check` reads spec and data and writes nothing. Processes
are fresh, and the files of the libraries are in the page cache.""",
    "g": """\
One call of `reportgen build` with all specs, as JSON, against a call for each; of the latter 5 were
measured and scaled.""",
    "h": """\
10,000 cases joined by id, default measures. Two classes for the classifiers, three classifiers for
the classes. Ratios are to the first row of a table and to bare polars in the same rounds, which
joins the files and counts true by predicted class. The exponent is the slope of a line through the
logarithms of all rows; that of the first rows is small, because most of their time is start-up.""",
}
