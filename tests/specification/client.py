# SPDX-License-Identifier: Apache-2.0
"""
A whole client, made from the specification: sdk/proto/WIRE.md and DRAWS.md, docs/MECHANISMS.md, and the pages of
sdk/src/client and sdk/src/privacy. For checking, not for production: its time and memory tell values, and nothing
outlasts the process.
"""
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import request
from batch import batch, new_ids, report, varint, words_of_numbers
from counter import NoisedSum, OpenRows
from draws import Given, bytes_of
from ledger import Ledger
from mechanisms import Mechanism, Refused, width
from registry import Registry
from seal import envelope, ephemeral_key, header
from streams import be32, cohort, steps_key, stream, value_stream
from two_stages import TwoStages

FLAG_SELECTED = 1


Draw = Callable[[int, int, Any, Given], int]  # level, index and word, and what is drawn from


def size_of(draw: Draw, level: int) -> int:
    return bytes_of(lambda random: draw(level, 0, 0, random))


class Generator(Protocol):
    """Random bytes. A measurement says beforehand how many it will take."""

    def prepare(self, count: int) -> None: ...
    def draw(self, count: int) -> bytes: ...
    def renew(self, additional: bytes) -> None: ...


class NotNow(Exception):
    """A measurement, level or request that a budget, an epoch or a rule refuses."""


@dataclass(eq=False)
class Release:
    metric: int
    epoch: int
    key: bytes  # 32 bytes, the last 8 of them zeros
    words: list[int]  # the top's, or those of the level above the ladder that was published last
    level: int = 0
    pending: list[int] = field(default_factory=lambda: [0])
    published: int | None = None  # the level of it in the last batch that left, or before
    id: bytes = b""
    tag: bytes = b""
    selected: int | None = None  # levels from here on have the flag


@dataclass(eq=False)
class Sent:
    """A report of the last batch."""

    release: Release
    level: int
    is_new: bool


class Client:
    def __init__(self, registry: Registry, generator: Generator, public_key: bytes | None = None,
                 request_key: bytes | None = None, places: int | None = None):
        self.registry, self.generator = registry, generator
        self.public_key, self.request_key = public_key, request_key
        self.secret = generator.draw(32)
        self.stores, self.to_erase = 0, 0
        self.store()
        self.ledger = Ledger(registry.document)
        self.epoch: int | None = None
        self.measured: dict[int, tuple[int, int]] = {}  # metric: its last epoch, how often then
        self.tags: dict[int, list[bytes]] = {}  # values whose permanent noise is remembered
        self.places: list[Release | None] = [None] * (places or max(8, 2 * len(registry.metrics)))
        self.rows = {id: OpenRows(m) for id, m in registry.metrics.items() if isinstance(m, NoisedSum)}
        self.last: list[Sent] = []
        self.last_epoch = 0
        self.serial = 0

    # Epochs and counters

    def advance(self, epoch: int) -> None:
        is_first = self.epoch is None
        if not is_first and epoch < self.epoch:
            raise NotNow("epochs never go back")
        if is_first or epoch > self.epoch:
            self.generator.renew(stream(self.secret, "sotto-rs", self.stores, 32) + be32(epoch))
        has_passed = not is_first and epoch > self.epoch
        self.epoch = epoch
        self.forget_what_is_done()
        if has_passed and self.to_erase > 0:
            self.store()
        for metric, rows in self.rows.items():
            if rows.epoch != epoch:
                self.turn(metric, rows, is_first)

    def store(self) -> None:
        """Nothing is kept here, but the number of stores is what a restart's stream goes by."""
        self.stores += 1
        self.to_erase = max(0, self.to_erase - 1)

    def turn(self, metric: int, rows: OpenRows, is_first: bool) -> None:
        """A counter's rows that close become a release; others open, and begin as their noise."""
        now, closing = self.epoch, rows.closing()
        place = self.place() if closing else 0
        is_counted = (rows.may_go_on(now) and not is_first and self.times(metric) == 0
                      and self.ledger.charge(metric, now, [(now, None, 0)]))
        closed = None
        if closing:
            closed = Release(metric, rows.epoch, self.generator.draw(24) + bytes(8), closing)
        noise = None
        if is_counted:
            mechanism = self.registry.metrics[metric]
            opening = rows.opening(now)
            noise = dict(zip(opening, self.drawn(mechanism.draw, 0, [0] * len(opening))))
            self.measured[metric] = now, 1
        if closed:
            self.keep(closed, place)
        rows.turn(now, noise)

    def count(self, metric: int, amount: int = 1) -> bool:
        return self.rows[metric].count(amount)

    def times(self, metric: int) -> int:
        epoch, times = self.measured.get(metric, (None, 0))
        return times if epoch == self.epoch else 0

    # Measurements

    def report(self, metric: int, value: Any) -> None:
        mechanism = self.registry.metrics[metric]
        if self.times(metric) >= mechanism.metric["per_epoch"]:
            raise NotNow("measured already in this epoch")
        level = self.starts_at(mechanism)
        charges = [(self.epoch, None, level)]
        if not self.ledger.fits(metric, self.epoch, charges):
            raise NotNow("the budget has no room")
        place, top = self.place(), mechanism.top_level
        is_kept = isinstance(mechanism, TwoStages) and mechanism.is_kept()
        noise_bytes = 0 if is_kept else mechanism.metric["value_words"] * size_of(mechanism.draw, top)
        self.generator.prepare(24 + mechanism.fresh_rounding + noise_bytes)
        release = Release(metric, self.epoch, self.generator.draw(24) + bytes(8), [], level, [level])
        if isinstance(mechanism, TwoStages):
            true, noise, release.tag = self.first_stage(mechanism, value)
        else:
            true, noise = mechanism.words(value, self.rounding(release)), None
        release.words = self.drawn(mechanism.draw, top, true, noise)
        self.ledger.charge(metric, self.epoch, charges)
        self.measured[metric] = self.epoch, self.times(metric) + 1
        self.keep(release, place)

    def starts_at(self, mechanism: Mechanism) -> int:
        """The level that a policy has for the charges of the epochs before, or a lower one that fits."""
        metric = mechanism.metric
        if "policy" not in metric:
            return 0
        charged, levels, state = self.ledger.accounts[metric["id"]].charged, len(metric["levels"]), 0
        for age in range(metric["window"]["epochs"] - 1, 0, -1):
            paid = charged.get(self.epoch - age, 0)
            state = state * (levels + 1) + sum(int(cost) <= paid for cost in metric["costs"][:levels])
        level = metric["policy"][state]
        while level > 0 and not self.ledger.fits(metric["id"], self.epoch, [(self.epoch, None, level)]):
            level -= 1
        return level

    def first_stage(self, mechanism: TwoStages, value: Any) -> tuple[list[int], Given | None, bytes]:
        """True words, the permanent noise (none: it is drawn anew), the value's tag."""
        metric = mechanism.metric["id"]
        digest, words = mechanism.digest_and_words(value, cohort(self.secret, mechanism.cohorts()))
        if not mechanism.is_kept():
            return words, None, b""
        count = len(words) * size_of(mechanism.draw, mechanism.top_level)
        tag, noise = value_stream(self.secret, metric, self.registry.definitions[metric], digest, count)
        tags = self.tags.setdefault(metric, [])
        if mechanism.values() > 0 and tag not in tags:
            if len(tags) < mechanism.values():
                tags.append(tag)
            else:
                words = [0] * len(words)  # the dummy of all later values
        return words, Given(noise), tag

    def rounding(self, release: Release) -> Callable[[int], Given]:
        if self.registry.metrics[release.metric].fresh_rounding:
            return lambda count: Given(self.generator.draw(count))
        return lambda count: Given(stream(release.key, "sotto-rd", 0, count))

    def extend(self, metric: int, epoch: int, value: Any) -> None:
        """To the next level above the ladder, with the value given again."""
        mechanism = self.registry.metrics[metric]
        found = self.released(metric, epoch)
        if len(found) != 1:
            raise NotNow("no release, or several")
        release = found[0]
        level, ladder = release.level + 1, mechanism.top_level + 1
        if self.relaxes_above(mechanism) or level >= ladder + len(mechanism.steps):
            raise NotNow("no such level")
        if level < ladder or release.pending or self.is_in_batch(release):
            raise NotNow("the levels below are not published yet")
        noise, step = None, level - ladder
        if isinstance(mechanism, TwoStages):
            true, _, tag = self.first_stage(mechanism, value)
            if tag != release.tag:
                raise Refused("another value than before")
            if mechanism.is_kept():
                key = steps_key(self.secret, metric, self.registry.definitions[metric], tag)
                noise = Given(stream(key, "sotto-pf", level, len(true) * size_of(self.next_to([0], mechanism), step)))
        else:
            true = mechanism.words(value, self.rounding(release))
        if not self.ledger.charge(metric, self.epoch, [(epoch, release.level, level)]):
            raise NotNow("the budget has no room")
        release.words = self.drawn(self.next_to(release.words, mechanism), step, true, noise)
        release.level, release.pending = level, [level]

    @staticmethod
    def next_to(last: list[int], mechanism: Mechanism) -> Draw:
        """The step above the ladder, from the words published last."""
        return lambda step, i, true, random: mechanism.forward(step, i, last[i], true, random)

    def relax(self, metric: int, epoch: int, level: int) -> None:
        mechanism = self.registry.metrics[metric]
        levels = mechanism.top_level + 1 + (len(mechanism.steps) if self.relaxes_above(mechanism) else 0)
        below = [release for release in self.released(metric, epoch) if release.level < level]
        if not below or level >= levels:
            raise NotNow("no release below that level, or no such level")
        if not self.ledger.charge(metric, self.epoch, [(epoch, release.level, level) for release in below]):
            raise NotNow("the budget has no room")
        for release in below:
            release.level = level
            release.pending.append(level)

    @staticmethod
    def relaxes_above(mechanism: Mechanism) -> bool:
        return isinstance(mechanism, TwoStages) and not mechanism.has_permanent_steps()

    def drawn(self, draw: Draw, level: int, words: list[Any], noise: Given | None = None) -> list[int]:
        """Each word from as many bytes of its own: of the generator, or of the permanent noise."""
        size = size_of(draw, level)
        return [draw(level, i, word, Given(self.generator.draw(size) if noise is None else noise.take(size)))
                for i, word in enumerate(words)]

    # Releases

    def released(self, metric: int, epoch: int) -> list[Release]:
        return [release for release in self.places
                if release is not None and (release.metric, release.epoch) == (metric, epoch)]

    def place(self) -> int:
        """A free place, else that of the oldest release that waits for nothing."""
        free = [i for i, other in enumerate(self.places) if other is None]
        if not free:
            free = [i for i, other in enumerate(self.places) if not other.pending]
            free.sort(key=lambda i: (self.is_in_batch(self.places[i]), self.places[i].epoch))
        if not free:
            raise NotNow("all places wait to be flushed")
        return free[0]

    def keep(self, release: Release, place: int) -> None:
        if self.places[place] is not None:
            self.forget(self.places[place])
        self.places[place] = release

    def is_in_batch(self, release: Release) -> bool:
        return any(sent.release is release for sent in self.last)

    def forget(self, release: Release) -> None:
        self.places[self.places.index(release)] = None
        self.to_erase = 2  # copies of the state
        if any(sent.release is release and sent.is_new for sent in self.last):
            for sent in self.last:  # the others' ids no longer follow from the seed
                sent.is_new = False
        self.last = [sent for sent in self.last if sent.release is not release]

    def close(self, metric: int, epoch: int) -> None:
        for release in self.released(metric, epoch):
            self.forget(release)
        self.store()  # in both copies
        self.store()

    def forget_what_is_done(self) -> None:
        for release in [release for release in self.places if release is not None]:
            mechanism = self.registry.metrics[release.metric]
            window = mechanism.metric["window"]
            epochs = window["epochs"] if window else self.ledger.window
            is_whole = release.level == mechanism.top_level + len(mechanism.steps)
            is_past = epochs > 0 and self.epoch - release.epoch >= epochs
            if not release.pending and not self.is_in_batch(release) and (is_whole or is_past):
                self.forget(release)

    def derive(self, release: Release, level: int) -> list[int]:
        """The words of a level, as published."""
        mechanism = self.registry.metrics[release.metric]
        words = release.words
        if isinstance(mechanism, TwoStages):
            words = self.derived_reports(mechanism, release, level)
        else:
            for at in range(mechanism.top_level - 1, level - 1, -1):
                words = self.below(mechanism.draw, at, words, release.key, "sotto-ld")
        return [mechanism.published(word) for word in words]

    def below(self, draw: Draw, level: int, words: list[int], key: bytes, purpose: str) -> list[int]:
        random = Given(stream(key, purpose, level, len(words) * size_of(draw, level)))
        return self.drawn(draw, level, words, random)

    def derived_reports(self, mechanism: TwoStages, release: Release, level: int) -> list[int]:
        top, words, key = mechanism.top_level, release.words, release.key
        if level > top and mechanism.has_permanent_steps():
            return self.below(mechanism.report, level, words, key, "sotto-ir")
        inside = min(level, top)
        steps = key
        if mechanism.is_kept() and inside < top:
            steps = steps_key(self.secret, release.metric, self.registry.definitions[release.metric], release.tag)
        for at in range(top - 1, inside - 1, -1):
            words = self.below(mechanism.draw, at, words, steps, "sotto-pr")
        first = inside
        while mechanism.is_chained(first):
            first += 1
        for at in range(first, inside - 1, -1):
            words = self.below(mechanism.report, at, words, key, "sotto-ir")
        for at in range(top + 1, level + 1):
            def forward(at: int, i: int, word: int, random: Given) -> int:
                return mechanism.forward(at - top - 1, i, word, release.words[i], random)

            words = self.below(forward, at, words, key, "sotto-ir")
        return words

    # Batches

    def flush(self) -> bytes:
        """One envelope of all that waits, after its length; nothing where nothing waits."""
        waiting = [release for release in self.places if release is not None and release.pending]
        if not waiting:
            return b""
        if self.public_key:
            self.generator.prepare(32)
        self.last = []
        for release in sorted(waiting, key=lambda release: release.metric):
            is_new = release.id == b""
            self.last += [Sent(release, level, is_new) for level in sorted(release.pending)]
        self.last_epoch = self.epoch
        new = list(dict.fromkeys(sent.release for sent in self.last if sent.is_new))
        for release, id in zip(new, new_ids(self.seed(), len(new))):
            release.id = id
        for release in waiting:
            release.published, release.pending = release.level, []
        self.store()
        return self.written()

    def resend(self) -> bytes:
        return self.written() if self.last else b""

    def acknowledge(self) -> None:
        self.last = []
        self.forget_what_is_done()

    def seed(self) -> bytes:
        first = next((sent.release for sent in self.last if sent.is_new), None)
        return stream(first.key, "sotto-bs", 0, 8) if first else bytes(8)

    def written(self) -> bytes:
        text = batch(self.last_epoch, self.seed(), self.columns(), self.registry.padding)
        if self.public_key is None:
            content = header(self.registry.fingerprint) + b"\x1a" + varint(len(text)) + text
            return varint(len(content)) + content
        drawn = self.generator.draw(32)
        ephemeral = ephemeral_key(drawn, self.registry.fingerprint, self.public_key, text)
        return envelope(self.registry.fingerprint, self.public_key, ephemeral, text)

    def columns(self) -> list[dict]:
        reports, before = [], None
        for sent in self.last:
            release = sent.release
            is_known = not sent.is_new or release is before
            selected = release.selected is not None and sent.level >= release.selected
            bits, whole = self.value_of(release, self.derive(release, sent.level))
            reports.append(report(release.metric, bits, sent.level, self.last_epoch - release.epoch,
                                  release.id.hex() if is_known else "", FLAG_SELECTED if selected else 0, whole))
            before = release
        return reports

    def value_of(self, release: Release, words: list[int]) -> tuple[list[tuple[int, int]], bytes]:
        """Numbers of a width in bits, then whole bytes."""
        mechanism, bits = self.registry.metrics[release.metric], []
        if "cohorts" in mechanism.metric:
            cohorts = mechanism.cohorts()
            bits.append((cohort(self.secret, cohorts), width(cohorts)))
        if mechanism.shows == "index":
            return [*bits, (words[0], width(mechanism.size()))], b""
        if mechanism.shows == "rows":
            bits.append((len(words), 16))
        whole = words_of_numbers(words)
        return bits, whole[:-(-mechanism.size() // 8)] if mechanism.shows == "bits" else whole

    # Requests

    def obey(self, message: bytes) -> int:
        """Relaxes what a signed request asks for. How many did."""
        asked = request.opened(message, self.request_key)
        mechanism = self.registry.metrics.get(asked.metric)
        if (asked.registry != self.registry.fingerprint or mechanism is None
                or asked.level > mechanism.metric["request_level"]
                or asked.select and asked.select[-1] >= (mechanism.size() if mechanism.shows == "index" else 0)):
            raise request.Refused("not allowed")
        if asked.serial <= self.serial:
            raise request.Refused("obeyed before")
        relaxed = 0
        for release in [release for release in self.places if release is not None]:
            is_meant = asked.first_epoch <= release.epoch <= asked.last_epoch and release.level < asked.level
            if release.metric != asked.metric or not is_meant:
                continue
            if asked.select:
                if release.level in release.pending:
                    continue  # it said nothing yet
                said = self.derive(release, release.level)[0]
                release.selected = release.level + 1 if release.selected is None else release.selected
                if said not in asked.select:
                    continue
            if self.ledger.charge(asked.metric, self.epoch, [(release.epoch, release.level, asked.level)]):
                release.level = asked.level
                release.pending.append(asked.level)
                relaxed += 1
        self.serial = asked.serial
        self.store()
        return relaxed
