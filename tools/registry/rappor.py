# SPDX-License-Identifier: Apache-2.0
"""
RAPPOR (Erlingsson, Pihur, Korolova 2014; MECHANISMS.md, E and D): bits of a Bloom filter, or one
for each category, through two kinds of noise. Permanent noise, of flip f / 2, is the same whenever
the value is reported again. Instantaneous noise (p, q) is fresh in every report.

A ladder relaxes either stage. Permanent bits of level i are those of level i + 1 flipped with s =
(f_i / 2 - f' / 2) / (1 - f'), f' realised above. A report is drawn from the report above where f is
the same and (p, q) can be had from it without loss. Otherwise it is drawn from the permanent bits
of its own level. Several levels then lose more together than the highest of them does, and that
loss is computed.
"""
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from . import forward_rappor, forward_rappor_permanent, rappor_lifetime, rappor_loss
from .c_style import comment
from .channels import IDENTITY, Channel, c_channels, chosen, step_down
from .errors import RegistryError, within
from .exact import plain
from .k_randomized_response import size_of
from .levels import Loss, cost, exact_probability, is_near, level_document, realised
from .fields import Fields
from .limits import BITS_MAX, CATEGORIES_MAX, COHORTS_MAX, HASHES_MAX, STRING_BYTES_MAX, REMEMBERED_MAX
from .mechanism import Mechanism, Own
from .model import Compiled, Metric
from .rappor_lifetime import Top
from .rappor_loss import Ladder

COUNTS = (1, 2, 10, 100)
FEW_AND_MANY = (1, 10)
NOISE_KEYS = ("permanent", "instantaneous", "protects", "max_values")


def compile_metric(metric: Metric, one_hot: bool) -> Compiled:
    own = metric.own
    pairs = 1 if one_hot else own["hashes"]
    flips = [Fraction(f) / 2 for f in own["permanent"]]
    reports = [(Fraction(p), Fraction(q)) for p, q in own["instantaneous"]]
    ladder = compile_ladder(flips, reports, pairs)
    bits = size_of(metric) if one_hot else own["bits"]
    if bits > BITS_MAX:
        raise RegistryError(
            f"{'size' if 'size' in own else 'categories'}: {bits} bits; {BITS_MAX} at most are allowed;"
            f" k_randomized_response takes up to {CATEGORIES_MAX}"
        )
    shape = {
        "bits": bits,
        "hashes": 0 if one_hot else own["hashes"],
        "cohorts": 1 if one_hot else own["cohorts"],
        "max_bytes": 0 if one_hot else own["max_bytes"],
        "max_values": own["max_values"],
    }
    memoised = own["protects"] == "value"
    count = len(flips)
    levels = [_level(ladder, i, pairs, memoised) for i in range(count)]
    together = [
        {
            "levels": [i, j],
            "joint": realised(rappor_loss.of_levels(ladder, (i, j), pairs)),
            **({"reports": _of_counts(ladder, (i, j), pairs, memoised)} if j == i + 1 else {}),
        }
        for i in range(count)
        for j in range(i + 1, count)
    ]
    joint = rappor_loss.of_levels(ladder, range(count), pairs)
    ladder_n = {
        str(count): realised(
            rappor_loss.of_ladder(ladder, count, pairs)
            if memoised
            else lambda bits, count=count: tuple(count * bound for bound in joint(bits))
        )
        for count in COUNTS
    }
    forever = rappor_loss.of_any_number(rappor_loss.permanent_flip(ladder, count - 1), pairs)
    table = {
        "permanent": [channel.document() for channel in ladder.permanent],
        "instantaneous": [channel.document() for channel in ladder.instantaneous],
        **shape,
        "protects": own["protects"],
        "chained": ladder.chained,
    }
    reports_of_tops: tuple[Channel, ...] = ()
    if metric.forward and len(metric.forward[0]) == 3:
        forward = forward_rappor_permanent.compile_steps(metric, ladder, pairs, memoised, COUNTS)
        reports_of_tops = tuple(top.instantaneous[-1] for top, _ in forward.tops)
    else:
        stage = forward_rappor.Stage(ladder, pairs, memoised, COUNTS)
        forward = forward_rappor.compile_steps(metric, stage)
    ratios, tops = (forward.ratios, forward.tops) if forward else ((), ())
    highest, apart = tops[-1] if tops else (ladder, Fraction(1))
    kept = Top(highest, len(highest.permanent) - 1, pairs, None, apart).forever()
    if memoised:
        costs, cost_reports = rappor_lifetime.costs(ladder, pairs, own["max_values"], ratios, tops)
    else:
        up_to = (rappor_loss.of_levels(ladder, range(i + 1), pairs) for i in range(count))
        costs, cost_reports = tuple(cost(loss) for loss in up_to), 0
    return Compiled(
        levels=levels,
        pairs=together,
        joint=realised(joint),
        joint_cost=str(cost(joint)),
        random_bytes=max(c.random_bytes for c in ladder.permanent + ladder.instantaneous),
        table=table,
        mechanism=metric.mechanism,
        member="rappor",
        value_bytes=-(-bits // 8),
        cohorts=0 if one_hot else shape["cohorts"],
        c_definitions=_c_definitions(metric.name, ladder, levels, shape, memoised, reports_of_tops),
        value_words=-(-bits // 32),
        state_words=2 * shape["max_values"] if memoised else 0,
        state_key="max_values",
        client="kept_values" if memoised else "two_stages",
        has_definition=memoised,
        costs=costs,
        cost_reports=cost_reports,
        kept=realised(kept),  # the permanent bits, from which every report is drawn
        ladder={"n": ladder_n, "infinity": realised(forever) if memoised else None},
        forward=forward,
    )


def compile_ladder(
    flips: list[Fraction], reports: list[tuple[Fraction, Fraction]], pairs: int
) -> Ladder:
    _check_accuracy(flips, reports)
    top = len(flips) - 1
    permanent: list[Channel] = []
    instantaneous: list[Channel] = []
    chained = 0
    flip = Fraction(0)  # realised above
    for level in range(top, -1, -1):
        with within(f"permanent: level {level}"):
            wanted = (flips[level] - flip) / (1 - 2 * flip)
            if level < top and flips[level] == flips[level + 1]:
                channel = IDENTITY
            else:
                channel = _symmetric(wanted, _keeps(flips[level], flip, pairs))
        flip = channel.after(flip)
        permanent.insert(0, channel)
        with within(f"instantaneous: level {level}"):
            step = _from_above(flips, reports, level)
            if step is not None:
                above = report_above(permanent, instantaneous, chained >> (level + 1))
                step = step_down(above, reports[level])
                if not 0 <= step[0] < step[1] <= 1:
                    step = None  # roundings above left no room
            if step is not None:
                chained |= 1 << level
                good = _says_no_more(flips[level], flip, reports[level], above, pairs)
                channel = chosen(*step, good)
            else:
                good = _says_no_more(flips[level], flip, reports[level], None, pairs)
                channel = chosen(*reports[level], good)
        instantaneous.insert(0, channel)
    return Ladder(tuple(permanent), tuple(instantaneous), chained)


def report_above(
    permanent: list[Channel], instantaneous: list[Channel], chained: int
) -> tuple[Fraction, Fraction]:
    """p and q as realised in the level above; the lists begin with it."""
    above = Ladder(tuple(permanent[-len(instantaneous) :]), tuple(instantaneous), chained)
    return rappor_loss.report_law(above, 0)


def _check_accuracy(flips: list[Fraction], reports: list[tuple[Fraction, Fraction]]) -> None:
    """A level must see rare values better than the one before it. The variance of an estimate of
    few is as p* (1 - p*) / (q* - p*)^2."""
    variances = []
    for flip, (p, q) in zip(flips, reports):
        p_star, q_star = p + flip * (q - p), q - flip * (q - p)
        variances.append(p_star * (1 - p_star) / (q_star - p_star) ** 2)
    for level in range(1, len(flips)):
        if (flips[level], reports[level]) == (flips[level - 1], reports[level - 1]):
            raise RegistryError(
                f"permanent: level {level} is the same as the one before; each must add accuracy"
            )
        if variances[level] >= variances[level - 1]:
            raise RegistryError(
                f"instantaneous: level {level} is less accurate than the one before; make its p"
                " and q further apart, or its f smaller"
            )


def _from_above(
    flips: list[Fraction], reports: list[tuple[Fraction, Fraction]], level: int
) -> tuple[Fraction, Fraction] | None:
    """The lossless channel from the report of the level above, if there is one."""
    if level + 1 == len(flips) or flips[level] != flips[level + 1]:
        return None
    if_zero, if_one = step_down(reports[level + 1], reports[level])
    return (if_zero, if_one) if 0 <= if_zero < if_one <= 1 else None


Good = Callable[[Channel], bool]


def _symmetric(flip: Fraction, is_good: Callable[[Fraction], bool]) -> Channel:
    channel = chosen(flip, 1 - flip, lambda channel: is_good(channel.if_zero))
    return Channel(channel.one_if_zero, (1 << channel.bits) - channel.one_if_zero, channel.bits)


def _keeps(wanted: Fraction, above: Fraction, pairs: int) -> Callable[[Fraction], bool]:
    """Is epsilon(infinity) with this step not above what was asked for, and near it?"""
    asked = rappor_loss.of_any_number(wanted, pairs)

    def is_good(step: Fraction) -> bool:
        flip = above * (1 - step) + (1 - above) * step
        return 0 < 2 * flip < 1 and is_near(rappor_loss.of_any_number(flip, pairs), asked)

    return is_good


def _says_no_more(
    wanted_flip: Fraction,
    flip: Fraction,
    wanted: tuple[Fraction, Fraction],
    above: tuple[Fraction, Fraction] | None,
    pairs: int,
) -> Good:
    """Is epsilon(1) with this channel not above what was asked for, and near it?"""
    asked = rappor_loss.of_reports(wanted_flip, *wanted, 1, pairs)

    def is_good(channel: Channel) -> bool:
        p, q = (channel.after(bit) for bit in above) if above else (channel.if_zero, channel.if_one)
        return p < q and is_near(rappor_loss.of_reports(flip, p, q, 1, pairs), asked)

    return is_good


def _level(ladder: Ladder, level: int, pairs: int, memoised: bool) -> dict[str, Any]:
    flip = rappor_loss.permanent_flip(ladder, level)
    p, q = rappor_loss.report_law(ladder, level)
    first = rappor_loss.of_reports(flip, p, q, 1, pairs)

    def after(count: int) -> str:
        if memoised:
            return realised(rappor_loss.of_reports(flip, p, q, count, pairs))
        return realised(lambda bits: tuple(count * bound for bound in first(bits)))

    permanent_bits = sum(channel.bits for channel in ladder.permanent[level:])
    report_bits = permanent_bits + sum(channel.bits for channel in ladder.instantaneous[level:])
    p_star, q_star = p + flip * (q - p), q - flip * (q - p)
    return level_document(
        None,
        first,
        {
            "one_if_zero": exact_probability(p_star, report_bits),
            "one_if_one": exact_probability(q_star, report_bits),
            "permanent_flip": exact_probability(flip, permanent_bits),
        },
        n={str(count): after(count) for count in COUNTS},
        infinity=realised(rappor_loss.of_any_number(flip, pairs)) if memoised else None,
    )


def _of_counts(
    ladder: Ladder, levels: tuple[int, int], pairs: int, memoised: bool
) -> list[dict[str, Any]]:
    """Reports of one value at a level, then at the next, each of a release of its own."""

    def loss(counts: dict[int, int]) -> Loss:
        if memoised:
            return rappor_loss.of_counts(ladder, counts, pairs)
        parts = [(rappor_loss.of_levels(ladder, (i,), pairs), n) for i, n in counts.items()]
        return lambda bits: tuple(
            sum(n * part(bits)[bound] for part, n in parts) for bound in (0, 1)
        )

    return [
        {"counts": [low, high], "joint": realised(loss({levels[0]: low, levels[1]: high}))}
        for low in FEW_AND_MANY
        for high in FEW_AND_MANY
    ]


def _c_definitions(
    name: str,
    ladder: Ladder,
    levels: list[dict],
    shape: dict[str, int],
    memoised: bool,
    above: tuple[Channel, ...],
) -> str:
    lines = [
        comment(f"{name}, level {i}: realised {level['realised']} by a first report.")
        for i, level in enumerate(levels)
    ]
    lines.append(c_channels(f"{name}_permanent", list(ladder.permanent)))
    lines.append(c_channels(f"{name}_instantaneous", [*ladder.instantaneous, *above]))
    members = {
        "permanent": f"{name}_permanent",
        "instantaneous": f"{name}_instantaneous",
        **shape,
        "chained": ladder.chained,
        "protects_sequence": int(not memoised),
        "forward_permanent": int(bool(above)),
        "definition": f"{name}_definition" if memoised else 0,
    }
    lines.append(f"static const sotto_rappor {name}_table = {{")
    lines += [f"    .{member} = {value}," for member, value in members.items()]
    return "\n".join([*lines, "};"])


def _read_noise(fields: Fields) -> Own:
    values = fields.levels("permanent", "an array of numbers between 0 and 1, none rising")
    permanent = fields.probabilities("permanent", values)
    if 0 in permanent or 1 in permanent:
        raise RegistryError("permanent: each must be greater than 0 and less than 1")
    if any(later > earlier for earlier, later in zip(permanent, permanent[1:])):
        raise RegistryError("permanent: must not rise from level to level: each adds accuracy")
    key = "instantaneous"
    values = fields.levels(key, "an array of [p, q], one of each level")
    if len(values) != len(permanent):
        raise RegistryError(f"{key}: {len(values)} levels, but permanent has {len(permanent)}")
    reports = [[plain(p), plain(q)] for p, q in _read_reports(fields, key, values)]
    return {"permanent": [plain(f) for f in permanent], key: reports}


def _read_promise(fields: Fields) -> Own:
    own: Own = {}
    own["protects"] = fields.choice("protects", ("value", "sequence"), default="value")
    if own["protects"] == "sequence" and "max_values" in fields:
        raise RegistryError('max_values: is allowed only with protects = "value"')
    own["max_values"] = fields.integer("max_values", 1, REMEMBERED_MAX, default=1)
    return own


def _read_reports(fields: Fields, key: str, values: list[Any]) -> list[tuple[Fraction, Fraction]]:
    pairs = []
    for pair in values:
        if not isinstance(pair, list) or len(pair) != 2:
            raise RegistryError(f"{key}: each level must be [p, q], two numbers in [0, 1]")
        p, q = fields.probabilities(key, pair)
        if p >= q:
            raise RegistryError(f"{key}: p = {plain(p)} is not less than q = {plain(q)}")
        pairs.append((p, q))
    return pairs


def _read_forward(fields: Fields, values: list[Any], own: Own) -> tuple[Any, ...]:
    if not isinstance(values[0], list) or len(values[0]) != 3:
        return tuple(_read_reports(fields, "forward", values))
    if any(not isinstance(level, list) or len(level) != 3 for level in values):
        raise RegistryError("forward: either all levels are [p, q], or all are [f, p, q]")
    flips = fields.probabilities("forward", [level[0] for level in values])
    for before, after in zip([Fraction(own["permanent"][-1]), *flips], flips):
        if not 0 < after < before:
            raise RegistryError(
                f"forward: f = {plain(after)} is not between 0 and that of the level before,"
                f" {plain(before)}; for the same f write [p, q]"
            )
    reports = _read_reports(fields, "forward", [level[1:] for level in values])
    return tuple((f, *report) for f, report in zip(flips, reports, strict=True))


class Rappor(Mechanism):
    ladder_key = "permanent"

    def epsilons(self, fields: Fields) -> tuple[Fraction, ...]:
        return ()

    def level_count(self, epsilons: tuple[Fraction, ...], own: Own) -> int:
        return len(own["permanent"])

    def read_forward(
        self, fields: Fields, epsilons: tuple[Fraction, ...], own: Own
    ) -> tuple[Any, ...]:
        values = fields.levels("forward", "an array of [p, q], or of [f, p, q]")
        return _read_forward(fields, values, own)

    def refuse(self, table: dict[str, Any]) -> None:
        """Nothing."""

    def check_per_epoch(self, own: Own, per_epoch: int) -> None:
        if per_epoch > 1 and own["protects"] == "value":
            # An estimate takes the reports of an epoch for independent.
            raise RegistryError(
                f"per_epoch: {per_epoch} reports of a value would share its permanent noise; 1, in "
                'shorter epochs, or protects = "sequence"'
            )

    def level_words(self, metric: Metric, document: dict[str, Any]) -> list[str]:
        first = ", ".join(level["realised"][:8] for level in document["levels"])
        words = [f"protects the {metric.own['protects']}", f"first report {first}"]
        texts = [f"p {text[0]} q {text[1]}" for text in metric.forward_texts]
        return words + ([f"forward {', '.join(texts)}"] if texts else [])

    def forward_definition(self, level: dict[str, Any]) -> Any:
        return [*filter(None, [level.get("permanent")]), *level["instantaneous"]]


class OfStrings(Rappor):
    name = "rappor"
    types = ("string",)
    keys = ("bits", "hashes", "cohorts", "max_bytes", *NOISE_KEYS)

    def refuse(self, table: dict[str, Any]) -> None:
        if "epsilons" in table:
            raise RegistryError(
                "epsilons: a string has none; its noise is permanent = [f, ...] and instantaneous ="
                " [[p, q], ...], one of each a level; sotto plan --type string finds them for an"
                " epsilon"
            )

    def read(self, fields: Fields, own: Own) -> Own:
        own = {"bits": fields.integer("bits", 8, BITS_MAX)}
        own["hashes"] = fields.integer("hashes", 1, HASHES_MAX)
        if own["bits"] < 2 * own["hashes"]:
            raise RegistryError(
                f"bits: {own['bits']} are fewer than two strings with {own['hashes']} hashes can"
                " differ in, so that no certified epsilon would be exact;"
                f" {2 * own['hashes']} or more are allowed"
            )
        own["cohorts"] = fields.integer("cohorts", 1, COHORTS_MAX)
        own |= _read_noise(fields)
        own["max_bytes"] = fields.integer("max_bytes", 1, STRING_BYTES_MAX, default=64)
        return own | _read_promise(fields)

    def shape_words(self, own: Own) -> list[str]:
        return [f"{own['bits']} bits, {own['hashes']} hashes, {own['cohorts']} cohorts"]

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric, one_hot=False)


class OfCategories(Rappor):
    name = "basic_rappor"
    types = ("category",)
    keys = NOISE_KEYS

    def read(self, fields: Fields, own: Own) -> Own:
        return _read_noise(fields) | _read_promise(fields)

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric, one_hot=True)


OF_STRINGS = OfStrings()
OF_CATEGORIES = OfCategories()
