# SPDX-License-Identifier: Apache-2.0
"""
A small Spark cluster on this machine: two workers, each a process of one core.
"""
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

MEMORY_MIB = 1024


def spark_home(folder: Path) -> str:
    """Spark as it is installed, in a folder that its workers may write to."""
    home = folder / "spark"
    home.mkdir()
    for name in ("bin", "jars"):
        (home / name).symlink_to(Path(pyspark.__file__).parent / name)
    return str(home)


@contextmanager
def cluster(folder: Path, master: str = f"local-cluster[2,1,{MEMORY_MIB}]") -> Iterator[SparkSession]:
    os.environ["SPARK_HOME"] = spark_home(folder)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    options = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": f"{MEMORY_MIB}m",
        "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
        "spark.local.dir": str(folder / "scratch"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.task.maxFailures": "8",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # A copy of a task begins when another task is done and this one takes longer.
        "spark.speculation": "true",
        "spark.speculation.interval": "100ms",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.25",
    }
    builder = SparkSession.builder.master(master).appName("sotto")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()
