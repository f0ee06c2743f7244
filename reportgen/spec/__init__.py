"""The spec of a report: typed models of its TOML tables, and their validation."""

from reportgen.spec.about import About
from reportgen.spec.chance import ChanceSettings
from reportgen.spec.classifiers import Classifier
from reportgen.spec.data import DataSettings, EngineSettings
from reportgen.spec.datasets import DataSet, spec_file_for_dataset, spec_for_dataset
from reportgen.spec.decision import DecisionSettings, DeclaredDecision, declared_decision
from reportgen.spec.fields import TASK_KINDS, TaskKind
from reportgen.spec.gates import Gate
from reportgen.spec.inference import ComparisonSettings, IntervalSettings, PrevalenceSettings
from reportgen.spec.jobs import HistorySettings, NotificationSettings, ScheduleSettings
from reportgen.spec.load import (
    PYTHON_SOURCE_NAME,
    SpecFile,
    gate_from_values,
    load_spec,
    parse_spec,
    spec_from_values,
    with_models,
)
from reportgen.spec.measures import MeasureSelection
from reportgen.spec.output import (
    SECTION_KINDS,
    OutputSettings,
    SectionKind,
    SectionSettings,
    ThemeSettings,
)
from reportgen.spec.published import PublishedEntry
from reportgen.spec.schema import spec_schema
from reportgen.spec.spec import Spec
from reportgen.spec.task import Task

__all__ = [
    "PYTHON_SOURCE_NAME",
    "SECTION_KINDS",
    "TASK_KINDS",
    "About",
    "ChanceSettings",
    "Classifier",
    "ComparisonSettings",
    "DataSet",
    "DataSettings",
    "DecisionSettings",
    "DeclaredDecision",
    "EngineSettings",
    "Gate",
    "HistorySettings",
    "IntervalSettings",
    "MeasureSelection",
    "NotificationSettings",
    "OutputSettings",
    "PrevalenceSettings",
    "PublishedEntry",
    "ScheduleSettings",
    "SectionKind",
    "SectionSettings",
    "Spec",
    "SpecFile",
    "Task",
    "TaskKind",
    "ThemeSettings",
    "declared_decision",
    "gate_from_values",
    "load_spec",
    "parse_spec",
    "spec_file_for_dataset",
    "spec_for_dataset",
    "spec_from_values",
    "spec_schema",
    "with_models",
]
