"""Cost of a report on Spark: processor time, shuffled bytes and memory by the number of cases.

Two classifiers joined by id, ten folds, scores with all digits, from Parquet (zstd) to the
aggregates, on `local[2]`. Prints the table behind docs/engines.md. Usage:

    nice python benchmarks/spark_cost.py 1000000 10000000 --folder /tmp/spark-cost
"""

from __future__ import annotations

import argparse
import json
import resource
import time
import warnings
from pathlib import Path
from urllib.request import urlopen

import narwhals
import numpy as np
import polars as pl

from reportgen.aggregates.aggregation import aggregate_distributed
from reportgen.aggregates.backends.spark import SparkBackend
from reportgen.spec import load_spec

CHUNK, PREVALENCE, THRESHOLD = 5_000_000, 0.3, 0.5
SPEC = """[task]
kind = "binary"
positive = "yes"
[engine]
kind = "spark"
[data]
id = "case"
fold = "fold"
score = "score"
[[classifiers]]
name = "A"
predictions = "A"
[[classifiers]]
name = "B"
predictions = "B"
"""


def write_files(folder: Path, cases: int) -> int:
    """Write the predictions of two classifiers in parts; return the bytes written."""
    for seed, name in enumerate("AB", start=1):
        target = folder / name
        target.mkdir(parents=True, exist_ok=True)
        for part, start in enumerate(range(0, cases, CHUNK)):
            size = min(CHUNK, cases - start)
            path = target / f"{part}.parquet"
            if path.exists():
                continue
            truth = np.random.default_rng((0, part)).random(size) < PREVALENCE
            random = np.random.default_rng((seed, part))
            margin = random.normal(np.where(truth, 0.8, -0.8) + 0.1 * seed, 1.3)
            score = 1 / (1 + np.exp(-margin))
            frame = pl.DataFrame(
                {
                    "case": np.arange(start, start + size),
                    "fold": np.arange(start, start + size) % 10,
                    "truth": np.where(truth, "yes", "no"),
                    "prediction": np.where(score >= THRESHOLD, "yes", "no"),
                    "score": score,
                }
            )
            frame.write_parquet(path, compression="zstd")
    return sum(path.stat().st_size for path in folder.rglob("*.parquet"))


def measure(folder: Path, cases: int, memory: str) -> dict[str, float]:
    """Aggregate the cases on Spark; return seconds and bytes."""
    from pyspark.sql import SparkSession

    written = write_files(folder, cases)
    spec = folder / "spec.toml"
    spec.write_text(SPEC, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.driver.memory", memory)
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", str(max(8, cases // 1_000_000)))
            .config("spark.local.dir", str(folder / "scratch"))
            .config("spark.log.level", "ERROR")
            .getOrCreate()
        )
    backend = SparkBackend(session, narwhals)
    start = time.monotonic()
    aggregates = aggregate_distributed(load_spec(spec), backend)
    seconds = time.monotonic() - start
    backend.release()
    stages = _stages(session.sparkContext.uiWebUrl, session.sparkContext.applicationId)
    java = _peak_of_java()
    session.stop()
    for warning in aggregates.warnings:
        print(f"  {warning}")
    gigabyte = 1e9
    return {
        "cases": cases,
        "files_gb": written / gigabyte,
        "seconds": seconds,
        "task_cpu_seconds": sum(stage["executorCpuTime"] for stage in stages) / gigabyte,
        "shuffle_gb": sum(stage["shuffleWriteBytes"] for stage in stages) / gigabyte,
        "read_gb": sum(stage["inputBytes"] for stage in stages) / gigabyte,
        "spilled_gb": sum(stage["diskBytesSpilled"] for stage in stages) / gigabyte,
        "python_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / gigabyte,
        "java_gb": java,
    }


def _stages(url: str, application: str) -> list[dict[str, int]]:
    # The page of this process's own Spark, on 127.0.0.1.
    with urlopen(f"{url}/api/v1/applications/{application}/stages?status=complete") as answer:  # noqa: S310
        stages: list[dict[str, int]] = json.load(answer)
    return stages


def _peak_of_java() -> float:
    """Return the peak memory of the Java process of this Spark, in gigabytes."""
    from pyspark import SparkContext

    pid = SparkContext._gateway.proc.pid  # noqa: SLF001  # Spark offers no other way
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e9


def main() -> None:
    """Measure each number of cases, and print a row of figures for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int, nargs="+")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/spark-cost"))  # noqa: S108
    parser.add_argument("--memory", default="4g", help="memory of the driver")
    arguments = parser.parse_args()
    for cases in arguments.cases:
        figures = measure(arguments.folder / str(cases), cases, arguments.memory)
        print(json.dumps({key: round(value, 3) for key, value in figures.items()}), flush=True)


if __name__ == "__main__":
    main()
