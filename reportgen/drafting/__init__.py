"""What could be asked: a first spec, as an example or for given prediction files."""

from reportgen.drafting.example_spec import example_spec
from reportgen.drafting.first_spec import FirstSpec, spec_for_files

__all__ = ["FirstSpec", "example_spec", "spec_for_files"]
