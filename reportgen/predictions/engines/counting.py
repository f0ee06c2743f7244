"""From the files of a spec to counts, with an engine that does the counting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.predictions.assembling import Found
from reportgen.predictions.classifying import classify
from reportgen.predictions.collecting import read_each
from reportgen.predictions.engines.counted import count_classifier
from reportgen.predictions.engines.counted_join import join_counted
from reportgen.predictions.engines.engine import Files
from reportgen.predictions.engines.score_parts import NOT_PAIRED, bin_warning, tally_parts
from reportgen.predictions.model import Input

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.predictions.engines.counted import Counted
    from reportgen.predictions.engines.engine import CountingEngine
    from reportgen.spec import SpecFile


def count_files(spec_file: SpecFile, engine: CountingEngine, *, losses: bool) -> Found:
    """Count the cases of all classifiers where they are, and bring only counts here."""
    spec = spec_file.spec
    named = [each for each in spec.classifiers if each.predictions is not None]
    every = read_each(named, lambda each: count_classifier(spec_file, each, engine))
    cases, classes = classify(spec_file, [each.cases for each in every])
    if not cases:
        return Found((), classes, None, ())
    found = join_counted(engine, every, cases, identical=spec.data.cases == "identical")
    scores = tally_parts(spec.task, cases, found.scored, classes, losses=losses)
    warnings = [*_fold_warnings(spec_file), *([NOT_PAIRED] if len(scores.readings) > 1 else [])]
    warnings += [
        bin_warning(each.cases.classifier, each.bins, frame, spec.task.positive)
        for each, frame in zip(every, found.scored, strict=True)
        if each.bins is not None
    ]
    inputs = tuple(item for each in every for item in _inputs(each))
    return Found(cases, classes, found.joined, inputs, tuple(warnings), scores)


def _inputs(each: Counted) -> Iterator[Input]:
    """Yield what was read; files on a cluster are not fetched to be hashed."""
    name = each.cases.classifier
    yield Input(name, each.cases.files[0].written, None, each.cases.size)
    if each.truths is not None:
        yield Input(name, each.truths.file.written, None, each.truths.rows)


def _fold_warnings(spec_file: SpecFile) -> Iterator[str]:
    for each in spec_file.spec.classifiers:
        files = Files(spec_file.folder, each.predictions or ("",))
        if files.may_be_many and spec_file.spec.data_of(each).fold is None:
            yield (
                f"`{each.name}`: on Spark the files of `{files.name}` are parts of one table, not"
                " folds; name a column with `fold` if they are"
            )
