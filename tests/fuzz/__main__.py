"""`python -m tests.fuzz`: look for faults for as long as you like."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.fuzz.campaign import Campaign, run_worker


def main() -> int:
    """Run a campaign, repeat one case, or serve a campaign as a worker."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="how long (default: 30)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other files")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes (default: 2)")
    parser.add_argument("--subjects", help="names separated by commas (default: all)")
    parser.add_argument("--case", metavar="SUBJECT:SEED:NUMBER", help="repeat one case; keep it")
    parser.add_argument("--worker", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        subjects, seed, first, step = options.worker
        run_worker(subjects.split(","), int(seed), int(first), int(step))
    if options.case:
        return _repeat_case(options.case)
    from tests.fuzz.subjects import SUBJECTS

    subjects = options.subjects.split(",") if options.subjects else list(SUBJECTS)
    log = Path(tempfile.gettempdir()) / "reportgen-fuzz.log"
    campaign = Campaign(subjects, seed=options.seed, worker_count=options.jobs)
    result = campaign.run(60 * options.minutes, log)
    for subject, count in result.cases.items():
        print(f"{subject:20} {count:7} files")  # noqa: T201  # a program
    for fault in result.faults:
        print(fault)  # noqa: T201  # a program
    print(f"{result.cases.total()} files, {len(result.faults)} faults; log: {log}")  # noqa: T201
    return 1 if result.faults else 0


def _repeat_case(name: str) -> int:
    from tests.fuzz.subjects import run_case

    subject, seed, number = name.split(":")
    folder = Path(tempfile.gettempdir()) / f"reportgen-fuzz-{subject}-{seed}-{number}" / "case"
    fault = run_case(subject, int(seed), int(number), folder)
    print(f"{folder}: {fault or 'no fault'}")  # noqa: T201  # a program
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
