"""The whole spec."""

from pydantic import Field

from reportgen.spec.chance import ChanceSettings
from reportgen.spec.classifiers import COLUMN_OVERRIDES, Classifier
from reportgen.spec.data import DataSettings
from reportgen.spec.datasets import DataSet
from reportgen.spec.engine import EngineSettings
from reportgen.spec.fields import ListOf, NonEmpty, SingleLine, SpecModel
from reportgen.spec.gates import Gate
from reportgen.spec.inference import (
    ComparisonSettings,
    FoldSettings,
    IntervalSettings,
    PrevalenceSettings,
    ThresholdSettings,
)
from reportgen.spec.jobs import HistorySettings, NotificationSettings, ScheduleSettings
from reportgen.spec.measures import MeasureSelection
from reportgen.spec.output import OutputSettings
from reportgen.spec.published import PublishedEntry
from reportgen.spec.sections import SectionSettings
from reportgen.spec.task import Task


class Spec(SpecModel):
    """An evaluation: what is asked of which classifiers."""

    title: SingleLine = Field(default="Evaluation report", examples=["E-negotiation outcomes"])
    """The title of the report."""

    task: Task
    """What the classifiers were asked to do."""

    data: DataSettings = DataSettings()
    """Which columns of the prediction files hold what."""

    engine: EngineSettings = EngineSettings()
    """What counts the cases: this machine, or Spark where they outgrow it."""

    classifiers: NonEmpty[Classifier]
    """The classifiers to evaluate."""

    datasets: NonEmpty[DataSet] = Field(default=())
    """Several data sets to compare the classifiers on; {dataset} in a path stands for each name."""

    measures: MeasureSelection = MeasureSelection()
    """Which measures the report shows."""

    intervals: IntervalSettings = IntervalSettings()
    """How wide the intervals around numbers are."""

    comparison: ComparisonSettings = ComparisonSettings()
    """How classifiers are compared."""

    folds: FoldSettings = FoldSettings()
    """How the folds were made."""

    thresholds: ThresholdSettings | None = None
    """How a threshold for the scores may be chosen."""

    prevalence: PrevalenceSettings | None = None
    """Where the classifiers will be used."""

    chance: ChanceSettings | None = None
    """How often a guessing classifier looks valid, as tables."""

    gates: ListOf[Gate] = ()
    """Conditions the results have to meet."""

    published: ListOf[PublishedEntry] = ()
    """What a paper printed, to be set against what is computed."""

    sections: NonEmpty[SectionSettings] = Field(default=())
    """Which sections the report has, in this order; by default those of its detail.

    Sections of kind "text" alone join the usual ones instead of replacing them.
    """

    output: OutputSettings = OutputSettings()
    """Which files are written, and how they look."""

    schedule: ScheduleSettings | None = None
    """When the report is built by itself."""

    notify: ListOf[NotificationSettings] = ()
    """Who is told how a run ended."""

    history: HistorySettings = HistorySettings()
    """What is remembered from run to run."""

    @property
    def dataset_names(self) -> tuple[str, ...]:
        """The data sets the classifiers are compared on; none if there is only one."""
        given = (each.dataset_scores for each in self.classifiers if each.dataset_scores)
        named = tuple(dataset.name for dataset in self.datasets)
        return named or tuple(next((next(iter(each.values())) for each in given), ()))

    def data_settings_for(self, classifier: Classifier) -> DataSettings:
        """Return the columns of a classifier: those of [data] unless it has its own."""
        own = {key: getattr(classifier, key) for key in COLUMN_OVERRIDES}
        update = {key: value for key, value in own.items() if value is not None}
        if classifier.prediction is not None and classifier.threshold is None:
            # Who names a column of predictions wants these, not ones made from a score.
            update["threshold"] = None
        shared = self.data if classifier.format is None else self.data.without_format_columns()
        return shared.model_copy(update=update)
