# SPDX-License-Identifier: Apache-2.0
"""
One-bit mean (MECHANISMS.md, I): a number x is rounded at random to an end of its range, once per
release. The bit is one with probability (x - min) * scale / 2^32. It goes through randomized
response. Whatever it rounds to, epsilon is that of randomized response.
"""
from dataclasses import replace

from . import randomized_response
from .limits import WHOLE_RANGE
from .mechanism import Ladder
from .model import Compiled, Metric


def compile_metric(metric: Metric) -> Compiled:
    low, high = metric.own["min"], metric.own["max"]
    scale = WHOLE_RANGE // (high - low)
    base = randomized_response.compile_metric(metric)
    flips = base.c_definitions.rsplit("\n", 1)[0]
    name = metric.name
    return replace(
        base,
        table=base.table | {"scale": str(scale)},
        mechanism=MECHANISM.name,
        member="one_bit_mean",
        c_definitions=f"{flips}\nstatic const sotto_one_bit_mean {name}_table = "
        f"{{{name}_flip, {low}, {high}, {scale}u}};",
    )


class OneBitMean(Ladder):
    name = "one_bit_mean"
    types = ("mean",)

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)


MECHANISM = OneBitMean()
