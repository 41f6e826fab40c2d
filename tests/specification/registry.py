# SPDX-License-Identifier: Apache-2.0
"""A registry for a client: metrics.json, and what is not in it."""
import hashlib
import json
import re
from pathlib import Path
from typing import Any

from counter import NoisedSum
from mechanisms import (
    Design,
    DiscreteLaplace,
    Exponential,
    InverseSensitivity,
    KRandomizedResponse,
    LaplaceThreshold,
    Mechanism,
    NoisedPoints,
    OneBitMean,
    PadAndSample,
    RandomizedResponse,
    SortedPoints,
    Unary,
    WindowMean,
    WindowResponse,
)
from streams import labelled
from two_stages import Hashed, Rappor

MECHANISMS = {
    "randomized_response": RandomizedResponse,
    "laplace_threshold": LaplaceThreshold,
    "k_randomized_response": KRandomizedResponse,
    "optimized_unary": Unary,
    "unary": Unary,
    "rappor": Rappor,
    "basic_rappor": Rappor,
    "discrete_laplace": DiscreteLaplace,
    "one_bit_mean": OneBitMean,
    "noised_sum": NoisedSum,
    "exponential": Exponential,
    "noised_points": NoisedPoints,
    "window_response": WindowResponse,
    "hashed": Hashed,
    "inverse_sensitivity": InverseSensitivity,
    "design": Design,
    "sorted_points": SortedPoints,
    "window_mean": WindowMean,
    "pad_and_sample": PadAndSample,
}
PADDING_DEFAULT = 32


class Registry:
    """
    `definitions`: 32 bytes for each metric by name, as metrics.c has them. metrics.json lacks them; a metric that is
    not named here gets bytes of this client's own, which nobody else needs to know.
    """

    def __init__(self, path: Path, definitions: dict[str, bytes] | None = None):
        self.document = json.loads(path.read_text(encoding="utf-8"))
        self.fingerprint = int(self.document["registry"]["fingerprint"], 16)
        self.padding = self.document.get("padding_bytes", PADDING_DEFAULT)
        self.metrics: dict[int, Mechanism] = {
            metric["id"]: mechanism_of(metric) for metric in self.document["metrics"]}
        self.definitions = {
            metric["id"]: (definitions or {}).get(metric["name"], own_definition(metric))
            for metric in self.document["metrics"]}

    def named(self, name: str) -> Mechanism:
        return next(m for m in self.metrics.values() if m.metric["name"] == name)


def mechanism_of(metric: dict[str, Any]) -> Mechanism:
    is_unit_grid = metric["mechanism"] == "laplace_threshold" and "flip" in metric["table"]
    return RandomizedResponse(metric) if is_unit_grid else MECHANISMS[metric["mechanism"]](metric)


def definitions_in(source: str) -> dict[str, bytes]:
    """The definitions of metrics.c, by the metrics' names."""
    found = re.findall(r"(\w+)_definition\[32\] = \{([^}]*)\}", source)
    return {name: bytes(int(byte, 16) for byte in re.findall(r"0x(\w\w)", text)) for name, text in found}


def own_definition(metric: dict[str, Any]) -> bytes:
    meaning = {key: metric[key] for key in ("id", "name", "type", "mechanism", "fingerprint", "table")}
    return hashlib.sha256(labelled("sotto metric v1") + json.dumps(meaning, sort_keys=True).encode()).digest()
