"""The spec of a report: all its tables."""

from typing import Self

from pydantic import ConfigDict, Field, JsonValue

from reportgen.spec.about import About
from reportgen.spec.chance import ChanceSettings
from reportgen.spec.classifiers import CLASSIFIER_SOURCES, COLUMN_OVERRIDES, Classifier
from reportgen.spec.data import DataSettings, EngineSettings
from reportgen.spec.datasets import DataSet
from reportgen.spec.decision import DecisionSettings
from reportgen.spec.fields import ListOf, NonEmpty, Sha256, SingleLine, SpecModel
from reportgen.spec.gates import Gate
from reportgen.spec.inference import (
    ComparisonSettings,
    FoldSettings,
    IntervalSettings,
    PrevalenceSettings,
    ThresholdSettings,
)
from reportgen.spec.issues import KeyPath
from reportgen.spec.jobs import HistorySettings, NotificationSettings, ScheduleSettings
from reportgen.spec.measures import MeasureSelection
from reportgen.spec.output import OutputSettings, SectionSettings
from reportgen.spec.published import PublishedEntry
from reportgen.spec.segments import SegmentColumn
from reportgen.spec.task import Task

_SOURCES: list[JsonValue] = [{"required": [source]} for source in CLASSIFIER_SOURCES]


class Spec(SpecModel):
    """The specification of an evaluation and its report."""

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"required": ["data"], "properties": {"data": {"required": ["predictions"]}}},
            "then": {
                "anyOf": [
                    {"required": ["classifiers"]},
                    {"properties": {"data": {"required": ["model"]}}},
                ]
            },
            "else": {
                "required": ["classifiers"],
                "properties": {"classifiers": {"items": {"anyOf": _SOURCES}}},
            },
        }
    )

    title: SingleLine = Field(default="Evaluation report", examples=["E-negotiation outcomes"])
    """The title of the report."""

    about: About = About()
    """Date, version, data and authors, for the title block."""

    task: Task
    """The prediction task."""

    data: DataSettings = DataSettings()
    """The columns of the prediction files."""

    engine: EngineSettings = EngineSettings()
    """The engine that counts the cases: polars on this machine, or Spark."""

    classifiers: NonEmpty[Classifier] = Field(default=())
    """The classifiers to evaluate; optional where [data] names files in long format."""

    datasets: NonEmpty[DataSet] = Field(default=())
    """Several data sets to compare the classifiers on; their names replace {dataset} in paths."""

    segments: ListOf[SegmentColumn] = ()
    """Columns of segments: subgroups of the cases that are evaluated separately."""

    measures: MeasureSelection = MeasureSelection()
    """The measures in the report."""

    intervals: IntervalSettings = IntervalSettings()
    """Confidence intervals."""

    comparison: ComparisonSettings = ComparisonSettings()
    """Comparisons of classifiers."""

    folds: FoldSettings = FoldSettings()
    """The cross-validation design."""

    decision: DecisionSettings | None = None
    """What the report recommends a classifier by: costs, benefits or a requirement."""

    thresholds: ThresholdSettings | None = None
    """Criteria for choosing a decision threshold."""

    prevalence: PrevalenceSettings | None = None
    """Target prevalences, where the classifiers will be used."""

    chance: ChanceSettings | None = None
    """Tables of how often a random classifier passes a validity rule."""

    gates: ListOf[Gate] = ()
    """Quality gates: conditions on the results."""

    published: ListOf[PublishedEntry] = ()
    """Values published in a paper, to compare with the computed ones."""

    sections: NonEmpty[SectionSettings] = Field(default=())
    """The sections of the report, in order; by default those of its level of detail.

    If all of them are of kind "text", they are added to the default sections.
    """

    output: OutputSettings = OutputSettings()
    """Output formats, level of detail and theme."""

    schedule: ScheduleSettings | None = None
    """When the report is built automatically."""

    notify: ListOf[NotificationSettings] = ()
    """Notifications about the outcome of a run."""

    history: HistorySettings = HistorySettings()
    """The history of earlier runs."""

    sha256: dict[SingleLine, Sha256] = Field(
        default_factory=dict, examples=[{"data/svm.parquet": "9f86d081…"}]
    )
    """The SHA-256 of input files by path, which `reportgen check --pin` writes.

    A file with another hash is an error: it was changed or is damaged.
    """

    @property
    def dataset_names(self) -> tuple[str, ...]:
        """The data sets the classifiers are compared on; empty if there is only one."""
        if self.datasets:
            return tuple(dataset.name for dataset in self.datasets)
        for classifier in self.classifiers:
            for by_dataset in (classifier.dataset_scores or {}).values():
                return tuple(by_dataset)
        return ()

    def find_classifier(self, name: str) -> Classifier | None:
        """Return the classifier of a name, None if there is none."""
        return next((other for other in self.classifiers if other.name == name), None)

    def data_settings_for(self, classifier: Classifier) -> DataSettings:
        """Return the columns of a classifier: those of [data], overridden by its own."""
        overrides = {key: getattr(classifier, key) for key in COLUMN_OVERRIDES}
        update = {key: value for key, value in overrides.items() if value is not None}
        if classifier.prediction is not None and classifier.threshold is None:
            # A column of predictions takes precedence over predictions derived from a score.
            update["threshold"] = None
        shared = self.data if classifier.format is None else self.data.without_format_columns()
        return shared.model_copy(update=update)

    def with_shared_predictions(self) -> Self:
        """Return the spec with the files of [data] for the classifiers that have no source.

        Until a file in long format is read, one classifier stands for those the spec does not name.
        """
        files = self.data.predictions
        if files is None:
            return self
        classifiers = [
            classifier
            if any(getattr(classifier, source) is not None for source in CLASSIFIER_SOURCES)
            else classifier.model_copy(update={"predictions": files})
            for classifier in self.classifiers
        ]
        if self.data.model is not None and not any(map(self.has_shared_files, classifiers)):
            classifiers.append(Classifier.model_construct(name=self.data.model, predictions=files))
        return self.model_copy(update={"classifiers": tuple(classifiers)})

    def has_shared_files(self, classifier: Classifier) -> bool:
        """Return whether the predictions of a classifier are in the files of [data]."""
        shared = self.data.predictions
        return shared is not None and classifier.predictions == shared

    def predictions_path(self, index: int) -> KeyPath:
        """Return the key path of the prediction files of a classifier: its own or in [data]."""
        if self.has_shared_files(self.classifiers[index]):
            return ("data", "predictions")
        return ("classifiers", index, "predictions")
