"""The numbers of a results.json by names that other tools' numbers have here too.

Reading it is a process of its own (python -m benchmarks.speed.answers FILE), for the same reason as
`benchmarks.speed.data`.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Sums of millions of rows end in other digits when they are added in another order.
AGREEMENT = 1e-9


def answers(results: Path) -> dict[str, float]:
    """Return every number that belongs to no single class, as "classifier fold average measure"."""
    values = json.loads(results.read_text(encoding="utf-8"))["values"]
    parts = ("classifier", "fold", "average", "measure")
    return {
        " ".join(str(row[part]) for part in parts if row[part] is not None): row["value"]
        for row in values
        if row["class"] is None and row["value"] is not None
    }


def disagreements(own: Mapping[str, float], other: Mapping[str, float]) -> list[str]:
    """Tell the numbers of another tool that reportgen does not give, or gives otherwise."""
    return [
        f"{name}: {own.get(name)} against {value}"
        for name, value in other.items()
        if name not in own or not math.isclose(own[name], value, rel_tol=AGREEMENT)
    ]


if __name__ == "__main__":
    print(json.dumps(answers(Path(sys.argv[1]))))
