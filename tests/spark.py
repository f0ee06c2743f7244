"""A real Spark on this machine, started once for all tests that ask for it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

# The same as in scripts/spark.
OLDEST_JAVA = 17
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "ERROR",
    # Tests are short: compiling them thoroughly takes longer than running them.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    # The same Java serves Spark Connect, at a free port.
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.address": "127.0.0.1",
}


CONNECT_PORT = "spark.connect.grpc.binding.port"


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
    return port


def _java() -> int:
    """Return the version of Java, 0 without one."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    if java is None:
        return 0
    run = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'"(\d+)', run.stderr)
    return int(version[1]) if version else 0


def _lacking() -> str | None:
    if any(find_spec(name) is None for name in ("grpc_status", "pyarrow", "pyspark")):
        return "pyspark[connect] is not installed (`make spark`)"
    return None if _java() >= OLDEST_JAVA else f"there is no Java {OLDEST_JAVA} (`make spark`)"


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Start Spark once; without it tests are skipped, unless it is required."""
    lacking = _lacking()
    if lacking is not None:
        reason = f"{lacking}: nothing was counted on Spark"
        if os.environ.get("REPORTGEN_SPARK") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark import SparkContext
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2]")
        for name, value in {**SETTINGS, CONNECT_PORT: str(_free_port())}.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        gateway = SparkContext._gateway  # noqa: SLF001  # Spark offers no other way to end Java
        session.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(timeout=30)
        SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001
