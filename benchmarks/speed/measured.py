"""What was measured, as it is kept in benchmarks/results/speed.json."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SCHEMA = "reportgen/speed/1"
OWN = "reportgen"


@dataclass(frozen=True, slots=True)
class Target:
    """The most reportgen may take: seconds, or a multiple or a fraction of another tool's."""

    most: float
    of: str | None = None

    @property
    def is_faster(self) -> bool:
        """Whether reportgen is to be faster than the other tool."""
        return self.of is not None and self.most < 1

    def __str__(self) -> str:
        if self.of is None:
            return f"≤ {self.most:g} s"
        if self.is_faster:
            return f"≥ {1 / self.most:g} × faster than {self.of}"
        return f"≤ {self.most:g} × {self.of}"


def faster(times: float, tool: str) -> Target:
    """Return the target of being so many times faster than a tool."""
    return Target(1 / times, tool)


@dataclass(frozen=True, slots=True)
class Run:
    """What one process took: by the clock, of the processor, and the most memory, in bytes."""

    seconds: float
    processor: float
    peak: int


@dataclass(slots=True)
class Outcome:
    """The runs of all tools in one contest, round by round; who took no part; what went wrong."""

    letter: str
    name: str
    rows: int
    file: str
    targets: tuple[Target, ...] = ()
    runs: dict[str, list[Run]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    given_up: dict[str, float] = field(default_factory=dict)
    """After how many seconds a tool was stopped: it would have taken longer."""

    @property
    def tools(self) -> list[str]:
        """All tools, in the order in which they took turns."""
        return [*self.runs, *(tool for tool in self.left_out if tool not in self.runs)]

    def seconds(self, tool: str) -> float | None:
        """Return the median by the clock, if the tool took part to the end."""
        return self._median([run.seconds for run in self.runs.get(tool, [])], tool)

    def peak(self, tool: str) -> float | None:
        """Return the median of the most memory, in bytes."""
        return self._median([run.peak for run in self.runs.get(tool, [])], tool)

    def ratio(self, tool: str) -> float | None:
        """Return how many times as long as reportgen a tool took, at least if it was given up."""
        own, other = self.seconds(OWN), self.seconds(tool) or self.given_up.get(tool)
        return None if own is None or other is None else other / own

    def reached(self, target: Target) -> float | None:
        """Return what a target limits, as it was measured."""
        if target.of is None:
            return self.seconds(OWN)
        ratio = self.ratio(target.of)
        return None if ratio is None else 1 / ratio

    def reached_in_processor_time(self, target: Target) -> float | None:
        """Return the same in user and system time, which other load on the machine changes less."""
        own = self._median([run.processor for run in self.runs.get(OWN, [])], OWN)
        if target.of is None:
            return own
        other = self._median([run.processor for run in self.runs.get(target.of, [])], target.of)
        return None if own is None or other is None else own / other

    def _median(self, values: Sequence[float], tool: str) -> float | None:
        return median(values) if values and tool not in self.left_out else None


@dataclass(frozen=True, slots=True)
class Measured:
    """All contests on one machine, which is told in words by what they say about it."""

    machine: Mapping[str, str]
    command: str
    rounds: int
    outcomes: Sequence[Outcome]

    def write(self, path: Path) -> None:
        """Keep every single measurement."""
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"schema": SCHEMA} | asdict(self), indent=1, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")


def read_measured(path: Path) -> Measured:
    """Return what an earlier run wrote."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    outcomes = [
        Outcome(
            outcome["letter"],
            outcome["name"],
            outcome["rows"],
            outcome["file"],
            tuple(Target(**target) for target in outcome["targets"]),
            {tool: [Run(**run) for run in runs] for tool, runs in outcome["runs"].items()},
            outcome["left_out"],
            outcome["faults"],
            outcome.get("given_up", {}),
        )
        for outcome in stored["outcomes"]
    ]
    return Measured(stored["machine"], stored["command"], stored["rounds"], outcomes)
