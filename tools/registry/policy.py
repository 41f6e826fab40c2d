# SPDX-License-Identifier: Apache-2.0
"""
The level that a measurement starts at, by the levels of the epochs that share a window with it: a
table that `sotto schedule` makes. Its index has a digit an epoch in base levels + 1, the newest
lowest: 0 where nothing was measured, else the level and 1.
"""
from .c_style import array, braced
from .errors import RegistryError
from .exact import plain
from .fields import Fields, is_integer, show
from .model import Budget, Compiled, Metric

STATES_MAX = 4096  # as in aggregator/plan/schedule.cpp


def read_policy(
    fields: Fields, level_count: int, window: Budget | None, per_epoch: int
) -> tuple[int, ...]:
    """Nothing where there is none; check_policy() looks at what it spends."""
    if "policy" not in fields:
        return ()
    if level_count == 1:
        raise RegistryError("policy: a ladder of one level leaves nothing to choose")
    if window is None or window.epochs < 2:
        raise RegistryError("policy: needs a window_epochs of at least 2")
    if per_epoch != 1:
        raise RegistryError(f"policy: is for one measurement an epoch; per_epoch is {per_epoch}")
    states = (level_count + 1) ** (window.epochs - 1)
    if states > STATES_MAX:
        raise RegistryError(
            f"policy: {level_count} levels in {window.epochs} epochs are {states} states; at most"
            f" {STATES_MAX} are allowed"
        )
    levels = fields.array("policy", f"an array of {states} levels")
    if len(levels) != states:
        raise RegistryError(
            f"policy: {len(levels)} levels; there must be {states}, one a state of"
            f" {window.epochs - 1} epochs with {level_count} levels or none"
        )
    for state, level in enumerate(levels):
        if not is_integer(level, 0, level_count - 1):
            raise RegistryError(
                f"policy: {show(level)}, of state {state}, is not a level from 0 to {level_count - 1}"
            )
    return tuple(levels)


def check_policy(metric: Metric, compiled: Compiled) -> None:
    """No history that the policy leads to overfills a window, nor leaves too little for a level."""
    if not metric.policy or metric.window is None:
        return
    if compiled.cost_reports:
        raise RegistryError('policy: releases share noise; with protects = "sequence" they do not')
    costs = compiled.all_costs()[: len(compiled.levels)]
    if any(low == high for low, high in zip(costs, costs[1:])):
        raise RegistryError("policy: two levels cost the same, so that no device tells them apart")
    reached, waiting = {0}, [0]
    while waiting:
        state = waiting.pop()
        level = metric.policy[state]
        digits = history(state, metric)
        spent = sum(costs[digit - 1] for digit in digits if digit) + costs[level]
        if spent > metric.window.units:
            words = ", ".join("-" if digit == 0 else str(digit - 1) for digit in digits)
            raise RegistryError(
                f"policy: level {level} of state {state} (levels {words} before it) overfills a"
                f" window: {spent} above window_epsilon, {plain(metric.window.epsilon)}, which is"
                f" {metric.window.units}, both in 2^-20"
            )
        for digit in (0, level + 1):
            after = (state * (len(costs) + 1) + digit) % len(metric.policy)
            if after not in reached:
                reached.add(after)
                waiting.append(after)


def history(state: int, metric: Metric) -> list[int]:
    """The digits of a state, the oldest epoch first."""
    assert metric.window
    epochs = metric.window.epochs - 1
    base = round(len(metric.policy) ** (1 / epochs))
    digits = []
    for _ in range(epochs):
        state, digit = divmod(state, base)
        digits.append(digit)
    return digits[::-1]


def c_definition(metric: Metric) -> str:
    """Ends in a definition of NAME_policy; nothing without a policy."""
    if not metric.policy:
        return ""
    head = f"static const uint8_t {metric.name}_policy_level[{len(metric.policy)}]"
    levels = array(head, [f"{level:2}" for level in metric.policy])
    values = f"{metric.name}_policy_level, sotto_start_by_policy"
    return "\n" + levels + "\n" + braced(
        f"static const sotto_policy {metric.name}_policy = ", values, ";"
    )
