#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Runs the frequency oracles of pure-LDP and multi-freq-ldpy, in the environment that compare.py makes. It
reads a column, an epsilon and a number of repetitions as JSON, and writes a list with an entry for each.

Neither library has a wire format: bytes are those that an answer takes at least, packed into bits.
"""
import json
import math
import random
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from types import ModuleType
from typing import Any

# pure-LDP's RAPPOR imports scikit-learn and statsmodels, which the package does not declare. It is not run.
sys.modules["pure_ldp.frequency_oracles.rappor"] = ModuleType("rappor")

import numba  # noqa: E402
import numpy  # noqa: E402
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client  # noqa: E402
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client  # noqa: E402
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client  # noqa: E402
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client  # noqa: E402
from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer  # noqa: E402
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer  # noqa: E402
from pure_ldp.frequency_oracles.local_hashing import FastLHClient, FastLHServer, LHClient, LHServer  # noqa: E402
from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer  # noqa: E402

HASHES = 1000  # fast local hashing has so many
SIMPLEX = 2  # pure-LDP's number of that normalization

Counts = Any  # numpy's array, a count a value


@dataclass(frozen=True)
class Rival:
    """Estimates are counts: as the library makes them without bias, and as something that can be."""

    library: str
    mechanism: str
    value_bits: int
    send: Callable[[int], Any]
    count: Callable[[list[Any]], tuple[Counts | None, Counts]]


def bits_for(values: int) -> int:
    return max(1, (values - 1).bit_length())


def hash_values(epsilon: float) -> int:
    return int(round(math.exp(epsilon))) + 1


def index(value: int) -> int:
    return value


def pure_ldp(size: int, epsilon: float) -> Iterator[Rival]:
    def rival(mechanism: str, value_bits: int, client: Any, server: Any) -> Rival:
        def count(reports: list[Any]) -> tuple[Counts, Counts]:
            server.reset()
            if hasattr(server, "hash_counts"):
                server.hash_counts[:] = 0  # reset() leaves them
            server.aggregate_all(reports)
            every = list(range(size))
            return (server.estimate_all(every, suppress_warnings=True),
                    server.estimate_all(every, suppress_warnings=True, normalization=SIMPLEX))

        return Rival("pure-ldp", mechanism, value_bits, client.privatise, count)

    g = hash_values(epsilon)
    common = {"epsilon": epsilon, "d": size, "index_mapper": index}
    yield rival("DE", bits_for(size), DEClient(**common), DEServer(**common))
    for name, is_optimized in (("SUE", False), ("OUE", True)):
        yield rival(name, size, UEClient(use_oue=is_optimized, **common), UEServer(use_oue=is_optimized, **common))
    yield rival("OLH", 63 + bits_for(g), LHClient(use_olh=True, **common), LHServer(use_olh=True, **common))
    fast = {"k": HASHES, "g": g, "use_olh": True, **common}
    yield rival("FLH", bits_for(HASHES) + bits_for(g), FastLHClient(**fast), FastLHServer(**fast))
    server = HadamardResponseServer(**common)
    client = HadamardResponseClient(hash_funcs=server.get_hash_funcs(), **common)
    yield rival("HR", bits_for(server.hr.outsz), client, server)


def multi_freq(size: int, epsilon: float) -> Iterator[Rival]:
    def rival(mechanism: str, value_bits: int, send: Callable[[int], Any],
              shares: Callable[[list[Any]], Counts]) -> Rival:
        count = lambda reports: (None, len(reports) * shares(reports))  # noqa: E731
        return Rival("multi-freq-ldpy", mechanism, value_bits, send, count)

    g = hash_values(epsilon)
    yield rival("GRR", bits_for(size), lambda v: GRR_Client(v, size, epsilon),
                lambda reports: GRR_Aggregator_MI(reports, size, epsilon))
    for name, is_optimized in (("SUE", False), ("OUE", True)):
        yield rival(name, size, lambda v, o=is_optimized: UE_Client(v, size, epsilon, o),
                    lambda reports, o=is_optimized: UE_Aggregator_MI(reports, epsilon, o))
    yield rival("OLH", 63 + bits_for(g), lambda v: LH_Client(v, size, epsilon),
                lambda reports: LH_Aggregator_MI(reports, size, epsilon))
    chosen = int(max(1, numpy.rint(size / (math.exp(epsilon) + 1))))
    yield rival("SS", min(size, chosen * bits_for(size)), lambda v: SS_Client(v, size, epsilon),
                lambda reports: SS_Aggregator_MI(reports, size, epsilon))


@numba.njit
def seed_compiled(seed: int) -> None:
    numpy.random.seed(seed)


def seed_all(seed: int) -> None:
    random.seed(seed)
    numpy.random.seed(seed)
    seed_compiled(seed)


def run(rival: Rival, column: list[int], size: int, repetitions: int) -> dict[str, Any]:
    truth = numpy.bincount(column, minlength=size)
    rival.send(column[0])  # compiled before the clock begins
    unbiased, possible, client, server = [], [], 0.0, 0.0
    for seed in range(repetitions):
        seed_all(seed)
        start = time.process_time()
        reports = [rival.send(value) for value in column]
        sent = time.process_time()
        raw, mended = rival.count(reports)
        server += time.process_time() - sent
        client += sent - start
        possible.append(mended - truth)
        if raw is not None:
            unbiased.append(raw - truth)
    answers = len(column) * repetitions
    return {"library": rival.library, "mechanism": rival.mechanism, "value_bytes": -(-rival.value_bits // 8),
            "unbiased": [list(errors) for errors in unbiased], "possible": [list(errors) for errors in possible],
            "client_seconds": client / answers, "server_seconds": server / answers}  # fmt: skip


def main() -> None:
    warnings.simplefilter("ignore")
    asked = json.load(sys.stdin)
    column, size, epsilon = asked["column"], asked["size"], float(asked["epsilon"])
    found = []
    for rival in (*pure_ldp(size, epsilon), *multi_freq(size, epsilon)):
        found.append(run(rival, column, size, asked["repetitions"]))
    versions = {name: version(name) for name in ("pure-ldp", "multi-freq-ldpy", "numpy")}
    json.dump({"versions": versions, "found": found}, sys.stdout)


if __name__ == "__main__":
    main()
