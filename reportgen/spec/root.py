"""The whole spec."""

from pydantic import Field

from reportgen.spec.classifiers import OVERRIDES, Classifier
from reportgen.spec.data import Data
from reportgen.spec.datasets import DataSet
from reportgen.spec.engine import Engine
from reportgen.spec.evidence import Comparison, Folds, Intervals, Prevalence, Thresholds
from reportgen.spec.gates import Gate
from reportgen.spec.guessing import Guessing
from reportgen.spec.history import History
from reportgen.spec.measures import Measures
from reportgen.spec.model import SpecModel
from reportgen.spec.notify import Notify
from reportgen.spec.output import Output
from reportgen.spec.published import Published
from reportgen.spec.schedule import Schedule
from reportgen.spec.sections import Section
from reportgen.spec.task import Task
from reportgen.spec.texts import Line, Many, Some


class Spec(SpecModel):
    """An evaluation: what is asked of which classifiers."""

    title: Line = Field(default="Evaluation report", examples=["E-negotiation outcomes"])
    """The title of the report."""

    task: Task
    """What the classifiers were asked to do."""

    data: Data = Data()
    """Which columns of the prediction files hold what."""

    engine: Engine = Engine()
    """What counts the cases: this machine, or Spark where they outgrow it."""

    classifiers: Some[Classifier]
    """The classifiers to evaluate."""

    datasets: Some[DataSet] = Field(default=())
    """Several data sets to compare the classifiers on; {dataset} in a path stands for each name."""

    measures: Measures = Measures()
    """Which measures the report shows."""

    intervals: Intervals = Intervals()
    """How wide the intervals around numbers are."""

    comparison: Comparison = Comparison()
    """How classifiers are compared."""

    folds: Folds = Folds()
    """How the folds were made."""

    thresholds: Thresholds | None = None
    """How a threshold for the scores may be chosen."""

    prevalence: Prevalence | None = None
    """Where the classifiers will be used."""

    guessing: Guessing | None = None
    """How often a guessing classifier looks valid, as tables."""

    gates: Many[Gate] = ()
    """Conditions the results have to meet."""

    published: Many[Published] = ()
    """What a paper printed, to be set against what is computed."""

    sections: Some[Section] = Field(default=())
    """Which sections the report has, in this order; by default those of its detail.

    Sections of kind "text" alone join the usual ones instead of replacing them.
    """

    output: Output = Output()
    """Which files are written, and how they look."""

    schedule: Schedule | None = None
    """When the report is built by itself."""

    notify: Many[Notify] = ()
    """Who is told how a run ended."""

    history: History = History()
    """What is remembered from run to run."""

    @property
    def dataset_names(self) -> tuple[str, ...]:
        """The data sets the classifiers are compared on; none if there is only one."""
        given = (each.dataset_scores for each in self.classifiers if each.dataset_scores)
        named = tuple(dataset.name for dataset in self.datasets)
        return named or tuple(next((next(iter(each.values())) for each in given), ()))

    def data_of(self, classifier: Classifier) -> Data:
        """Return the columns of a classifier: those of [data] unless it has its own."""
        own = {key: getattr(classifier, key) for key in OVERRIDES}
        update = {key: value for key, value in own.items() if value is not None}
        if classifier.prediction is not None and classifier.threshold is None:
            # Who names a column of predictions wants these, not ones made from a score.
            update["threshold"] = None
        shared = self.data if classifier.format is None else self.data.without_columns()
        return shared.model_copy(update=update)
