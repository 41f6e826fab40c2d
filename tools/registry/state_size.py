# SPDX-License-Identifier: Apache-2.0
"""The sizes of a device's state: as state_bytes() of sdk/src/client/stored.hpp."""
from collections.abc import Sequence
from dataclasses import dataclass

from .errors import RegistryError
from .model import Compiled, Registry

ACCOUNT_WORDS = 5  # without its window and its mechanism's state
ACCOUNT_WORDS_MAX = 65535  # all together
ACCOUNTS_SHOWN = 8
HEAD_BYTES = 56  # sizeof(sotto_state_head)
RELEASE_BYTES = 56  # sizeof(sotto_release)


@dataclass(frozen=True)
class StateSize:
    accounts: dict[str, int]  # words by metric, and of the "device"
    releases: int
    words_per_release: int
    reserve: int  # words for accounts of metrics that this registry does not have

    @property
    def account_words(self) -> int:
        return sum(self.accounts.values()) + self.reserve

    @property
    def release_bytes(self) -> int:
        return RELEASE_BYTES + 4 * self.words_per_release

    @property
    def bytes(self) -> int:
        return HEAD_BYTES + 4 * self.account_words + self.releases * self.release_bytes

    def text(self) -> str:
        """Its parts, the largest accounts by name."""
        ranked = sorted(self.accounts.items(), key=lambda item: -item[1])
        shown = [f"{name} {4 * count}" for name, count in ranked[:ACCOUNTS_SHOWN]]
        if rest := ranked[ACCOUNTS_SHOWN:]:
            shown.append(f"{len(rest)} more {4 * sum(count for _, count in rest)}")
        reserve = f", {4 * self.reserve} free" if self.reserve else ""
        return (
            f"state {self.bytes} bytes: head {HEAD_BYTES}, accounts ({', '.join(shown)}){reserve}, "
            f"{self.releases} releases of {self.release_bytes}"
        )


def state_size(registry: Registry, tables: Sequence[Compiled]) -> StateSize:
    accounts = _account_words(registry, tables)
    state = sum(table.state_words for table in tables)
    room = ACCOUNT_WORDS_MAX + state - sum(accounts.values())
    if state > room:
        keys = " and ".join(sorted({t.state_key for t in tables if t.state_words}))
        raise RegistryError(
            f"{keys}: {state // 2} of all metrics together; {room // 2} at most are allowed"
        )
    words = max(table.value_words for table in tables)
    needed = StateSize(accounts, registry.releases, words, 0)
    reserve = (registry.state_bytes - needed.bytes) // 4 if registry.state_bytes else 0
    if reserve < 0 or needed.account_words + reserve > ACCOUNT_WORDS_MAX:
        most = needed.bytes + 4 * (ACCOUNT_WORDS_MAX - needed.account_words)
        raise RegistryError(
            f"[device]: state_bytes: {registry.state_bytes} is out of range; these metrics and"
            f" releases need {needed.bytes}, and {most} at most are allowed"
        )
    return StateSize(accounts, registry.releases, words, reserve)


def _account_words(registry: Registry, tables: Sequence[Compiled]) -> dict[str, int]:
    """As in sdk/src/client/account.hpp."""
    device = registry.device.epochs if registry.device else 0
    words = {"device": _with_window(device)}
    for metric, table in zip(registry.metrics, tables):
        own = metric.window.epochs if metric.window else 0
        window = max(own, device) if table.cost_reports else own
        words[metric.name] = _with_window(window) + table.state_words
    return words


def _with_window(epochs: int) -> int:
    return ACCOUNT_WORDS + max(0, 2 * epochs - 1)
