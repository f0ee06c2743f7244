"""Run one tool on one task: python -m benchmarks.speed.peers TASK TOOL FOLDER [HOW MANY].

It prints the numbers as JSON, by the names `benchmarks.speed.answers` gives those of reportgen.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path


def main() -> None:
    """Import nothing but the tool that is asked for, and print what it finds."""
    task, tool, folder, *numbers = sys.argv[1:]
    module = import_module(f"benchmarks.speed.peers.{tool}")
    print(json.dumps(getattr(module, task)(Path(folder), *map(int, numbers))))


if __name__ == "__main__":
    main()
