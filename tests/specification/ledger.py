# SPDX-License-Identifier: Apache-2.0
"""Charges and windows, as sdk/src/privacy/README.md has them. Costs and budgets are in 2^-20 epsilon."""
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Account:
    """The charges of a metric by epoch: a sum of costs or, where noise is shared, releases and highest level."""

    metric: dict[str, Any]
    charged: dict[int, int] = field(default_factory=dict)
    releases: dict[int, tuple[int, int]] = field(default_factory=dict)

    def is_shared(self) -> bool:
        return self.metric["cost_reports"] > 0

    def cost_of(self, level: int) -> int:
        return int(self.metric["costs"][level])

    def with_level(self, epoch: int, paid: int | None, level: int) -> "Account":
        """The account after a charge for levels up to `level`, of which those up to `paid` were paid."""
        after = Account(self.metric, dict(self.charged), dict(self.releases))
        if self.is_shared():
            count, highest = self.releases.get(epoch, (0, 0))
            after.releases[epoch] = count + (paid is None), max(highest, level)
        else:
            more = self.cost_of(level) - (0 if paid is None else self.cost_of(paid))
            after.charged[epoch] = self.charged.get(epoch, 0) + more
        return after

    def window_cost(self, first: int, last: int) -> int:
        if not self.is_shared():
            return sum(cost for epoch, cost in self.charged.items() if first <= epoch <= last)
        inside = [slot for epoch, slot in self.releases.items() if first <= epoch <= last]
        if not inside:
            return 0
        counts = self.metric["cost_reports"]
        releases, level = sum(count for count, _ in inside), max(highest for _, highest in inside)
        return self.cost_of(level * counts + min(releases, counts) - 1)


class Ledger:
    def __init__(self, document: dict[str, Any]):
        device = document["device"]
        self.window, self.budget = (device["window_epochs"], int(document["budget"])) if device else (0, 0)
        self.accounts = {metric["id"]: Account(metric) for metric in document["metrics"]}

    def charge(self, metric: int, now: int, charges: list[tuple[int, int | None, int]]) -> bool:
        """All of (epoch, paid, level), or nothing where a window has no room."""
        before = self.accounts[metric]
        for epoch, paid, level in charges:
            self.accounts[metric] = self.accounts[metric].with_level(epoch, paid, level)
        is_kept = all(self._is_kept(metric, epoch, now) for epoch, _, _ in charges)
        if not is_kept:
            self.accounts[metric] = before
        return is_kept

    def fits(self, metric: int, now: int, charges: list[tuple[int, int | None, int]]) -> bool:
        before = self.accounts[metric]
        is_kept = self.charge(metric, now, charges)
        self.accounts[metric] = before
        return is_kept

    def _is_kept(self, metric: int, epoch: int, now: int) -> bool:
        own, budget = self.accounts[metric].metric["window"], int(self.accounts[metric].metric["budget"])
        return ((own is None or self._windows([self.accounts[metric]], own["epochs"], budget, epoch, now))
                and self._windows(list(self.accounts.values()), self.window, self.budget, epoch, now))

    @staticmethod
    def _windows(accounts: list[Account], window: int, budget: int, epoch: int, now: int) -> bool:
        """Every window that contains the epoch and has begun by now. An epoch outside the present one is past."""
        if window == 0:
            return True
        return now - epoch < window and all(
            sum(account.window_cost(last - window + 1, last) for account in accounts) <= budget
            for last in range(epoch, now + 1))
