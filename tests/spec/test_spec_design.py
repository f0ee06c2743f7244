"""Clusters, weights, counts, segments and repetitions in a spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import SpecError
from reportgen.spec import parse_spec

HEAD = '[task]\nkind = "binary"\npositive = "yes"\n'
CLASSIFIER = '[[classifiers]]\nname = "A"\npredictions = "a.parquet"\n'


def parse(text: str) -> None:
    """Parse the text of a spec."""
    parse_spec(Path("spec.toml"), text.encode())


@pytest.mark.parametrize(
    ("keys", "finding"),
    [
        ('[data]\nrepeat = "r"\n', "needs `id`"),
        ('[[segments]]\ncolumn = "x"\n[[segments]]\ncolumn = "x"\n', "duplicate column"),
        ('[[segments]]\ncolumn = "x"\nminimum = 1\n', "minimum"),
    ],
)
def test_faults_of_designs_are_found_in_the_spec(keys: str, finding: str) -> None:
    """Each has its place and a way out."""
    with pytest.raises(SpecError, match=finding):
        parse(f"{HEAD}{keys}{CLASSIFIER}")
