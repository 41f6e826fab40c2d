# SPDX-License-Identifier: Apache-2.0
"""
k-ary randomized response: MIX (mix.py) where the value alone supports itself. It is kept with
probability A / 2^64, otherwise it becomes any of the k.
"""
from .errors import RegistryError
from .fields import Fields
from .forward_category import compile_steps
from .levels import lossless_pairs
from .limits import CATEGORIES_MAX, CATEGORY_INDICES_MAX
from .mechanism import Ladder, Own
from .mix import BITS, c_keeps, certified_levels, level_documents, rarest
from .model import Compiled, Metric

# Eight bytes say whether to keep, eight what to take else.
RANDOM_BYTES = 16


def size_of(metric: Metric) -> int:
    return metric.own["size"] if "size" in metric.own else len(metric.own["categories"])


def compile_metric(metric: Metric) -> Compiled:
    size, name = size_of(metric), metric.name
    levels = certified_levels(metric.epsilons, rarest(size))
    documents = level_documents(levels)
    forward = compile_steps(metric, size, levels[-1].kappa)
    table = f"static const sotto_k_randomized_response {name}_table = {{{name}_keep, {size}}};"
    return Compiled(
        levels=documents,
        pairs=lossless_pairs(documents),
        joint=documents[-1]["realised"],
        joint_cost=documents[-1]["cost"],
        random_bytes=RANDOM_BYTES,
        table={"bits": BITS, "keep": [str(level.keep) for level in levels], "size": size},
        mechanism=MECHANISM.name,
        member="k_randomized_response",
        indices=size,
        c_definitions="\n".join([*c_keeps(name, levels, documents), table]),
        forward=forward,
    )


class KRandomizedResponse(Ladder):
    name = "k_randomized_response"
    types = ("category",)

    def read(self, fields: Fields, own: Own) -> Own:
        if own.get("size", 0) > CATEGORIES_MAX:
            raise RegistryError(
                f"size: {own['size']} of them; {CATEGORIES_MAX} at most are allowed; hashed takes up"
                f" to {CATEGORY_INDICES_MAX}"
            )
        return {}

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)


MECHANISM = KRandomizedResponse()
