"""Measure what a report costs from a cold start, stage by stage, as a table of Markdown.

Every round is a process of its own, so that nothing is imported or cached before. Run it from the
repository: python -m benchmarks.cold_start [SPEC] [--rounds 5]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
FLAGSHIP = ROOT / "specs" / "breast_cancer.toml"


class Stages:
    """Seconds of the processor and of the clock by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, tuple[float, float]] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure what is done inside."""
        processor, clock = time.process_time(), time.perf_counter()
        yield
        self.seconds[name] = (time.process_time() - processor, time.perf_counter() - clock)


def one_round(spec: Path) -> dict[str, tuple[float, float]]:
    """Go through all stages of a build once, in this process, without writing anything."""
    stages = Stages()
    with stages.stage("import reportgen"):
        from reportgen.aggregates.aggregation import aggregate
        from reportgen.evaluation.evaluate import evaluate_aggregates
        from reportgen.export.results import results_json
        from reportgen.predictions.load import load_predictions
        from reportgen.render.theme import load_theme
        from reportgen.report.build import build_report
        from reportgen.spec import load_spec
    with stages.stage("read"):
        spec_file = load_spec(spec)
        theme, predictions = (
            load_theme(spec_file),
            aggregate(spec_file, load_predictions(spec_file)),
        )
    with stages.stage("import scipy.special"):
        import scipy.special  # noqa: F401
    with stages.stage("evaluate"):
        evaluation = evaluate_aggregates(spec_file, predictions)
    with stages.stage("build report"):
        report = build_report(evaluation)
    with stages.stage("JSON"):
        written = results_json(evaluation).encode()
    with stages.stage("HTML"):
        from reportgen.render.html import render_html

        render_html(report, theme)
    with stages.stage("import weasyprint"):
        from reportgen.render.pdf import load_weasyprint, render_pdf

        load_weasyprint()
    with stages.stage("PDF"):
        render_pdf(report, attachment=written, theme=theme)
    return stages.seconds


def fresh_round(spec: Path) -> dict[str, tuple[float, float]]:
    """Go through all stages in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.cold_start", str(spec), "--once"]
    # Python keeps what it compiled, as it does for users.
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    ran = subprocess.run(  # noqa: S603  # our own module
        command, cwd=ROOT, env=environment, capture_output=True, check=True, text=True
    )
    seconds: dict[str, tuple[float, float]] = json.loads(ran.stdout)
    return seconds


def table(rounds: list[dict[str, tuple[float, float]]]) -> str:
    """Return the medians over the rounds, and their sums."""
    rows = [
        (
            stage,
            median(round_times[stage][0] for round_times in rounds),
            median(round_times[stage][1] for round_times in rounds),
        )
        for stage in rounds[0]
    ]
    rows.append(("all", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    lines = [f"| {stage} | {cpu:.2f} | {clock:.2f} |" for stage, cpu, clock in rows]
    return "\n".join(("| stage | processor, s | clock, s |", "| --- | ---: | ---: |", *lines))


def main() -> None:
    """Print the table, or one round as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("spec", nargs="?", type=Path, default=FLAGSHIP)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--once", action="store_true", help="one round in this process, as JSON")
    options = parser.parse_args()
    spec = options.spec.absolute()
    if options.once:
        print(json.dumps(one_round(spec)))
    else:
        print(table([fresh_round(spec) for _ in range(options.rounds)]))


if __name__ == "__main__":
    main()
