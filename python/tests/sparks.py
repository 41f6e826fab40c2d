# SPDX-License-Identifier: Apache-2.0
"""
A small Spark cluster on this machine: two workers of one core. Each has an address of its own, as
Spark copies a slow task to other machines only.
"""
import ctypes
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

MEMORY_MIB = 1024
WORKERS = ("127.0.0.2", "127.0.0.3")


def free_port() -> int:
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return some.getsockname()[1]


def end_with_parent() -> None:
    """Linux ends this process when the test is killed."""
    parent_death_signal = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
    ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGTERM)


@contextmanager
def running(folder: Path, name: str, *arguments: str) -> Iterator[None]:
    """A process of Spark's, and whatever it starts."""
    command = [Path(pyspark.__file__).parent / "bin/spark-class", f"org.apache.spark.deploy.{name}", *arguments]
    with (folder / f"{name}{arguments[1]}.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True,
                                   preexec_fn=end_with_parent)  # fmt: skip
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


@contextmanager
def cluster(folder: Path) -> Iterator[SparkSession]:
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    port = str(free_port())
    master = f"spark://127.0.0.1:{port}"
    options = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": f"{MEMORY_MIB}m",
        "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
        # A task for each part, though parts are small here: a task alone has no copies.
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.sql.shuffle.partitions": "8",
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
    with ExitStack() as started:
        place = ("--host", "127.0.0.1", "--port", port, "--webui-port", "0")
        started.enter_context(running(folder, "master.Master", *place))
        for host in WORKERS:
            started.enter_context(running(folder, "worker.Worker", "--host", host, "--cores", "1", "--memory",
                                          f"{MEMORY_MIB}m", "--webui-port", "0", "--work-dir", str(folder / host),
                                          master))  # fmt: skip
        yield from session(master, options)


def session(master: str, options: dict[str, str]) -> Iterator[SparkSession]:
    builder = SparkSession.builder.master(master).appName("sotto")
    for name, value in options.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    try:
        yield made
    finally:
        made.stop()
