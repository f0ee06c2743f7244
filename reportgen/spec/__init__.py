"""What is asked: a typed spec, read from TOML with the place of every fault."""

from reportgen.choices import Detail, Format
from reportgen.spec.classifiers import Classifier
from reportgen.spec.data import Data
from reportgen.spec.dataset_specs import spec_file_of, spec_of
from reportgen.spec.datasets import DataSet
from reportgen.spec.engine import Engine
from reportgen.spec.evidence import Comparison, Intervals, Prevalence
from reportgen.spec.gates import Gate
from reportgen.spec.guessing import Guessing
from reportgen.spec.history import History
from reportgen.spec.measures import Measures
from reportgen.spec.notify import Notify
from reportgen.spec.output import Output
from reportgen.spec.published import Published
from reportgen.spec.read import GIVEN, SpecFile, given_spec, parse_spec, read_spec
from reportgen.spec.root import Spec
from reportgen.spec.schedule import Schedule
from reportgen.spec.schema import spec_schema
from reportgen.spec.sections import SECTION_KINDS, Section, SectionKind
from reportgen.spec.task import Task
from reportgen.spec.texts import TASK_KINDS, TaskKind
from reportgen.spec.theme import Theme

__all__ = [
    "GIVEN",
    "SECTION_KINDS",
    "TASK_KINDS",
    "Classifier",
    "Comparison",
    "Data",
    "DataSet",
    "Detail",
    "Engine",
    "Format",
    "Gate",
    "Guessing",
    "History",
    "Intervals",
    "Measures",
    "Notify",
    "Output",
    "Prevalence",
    "Published",
    "Schedule",
    "Section",
    "SectionKind",
    "Spec",
    "SpecFile",
    "Task",
    "TaskKind",
    "Theme",
    "given_spec",
    "parse_spec",
    "read_spec",
    "spec_file_of",
    "spec_of",
    "spec_schema",
]
