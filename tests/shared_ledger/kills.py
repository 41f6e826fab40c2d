#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two writers share a store, each by its own path, and are killed at random moments, as their
connections at the server are. In the end it says what an undisturbed one says.
    kills.py SOTTO PROGRAMS_OF_POSTGRESQL OUT KILLS [SEED]"""
import os
import pathlib
import random
import shutil
import signal
import sys
import threading
import time

from plants import FAULTY_PATH, NO_FENCE, NO_LOCK
from reports import Place, expect
from server import Server

# A server that lost a process this way takes all connections down and begins again.
ITS_END = ("connection", "the database system is", "terminating")


class Campaign(Place):
    def __init__(self, sotto, programs, out, seed):
        super().__init__(sotto, out)
        self.random = random.Random(seed)
        self.server = Server(programs)
        self.kills = self.server_kills = self.lives = 0
        self.lock = threading.Lock()
        self.failures = []
        self.files = self.make_files(6, 200)
        self.expected = self.live("reference", ())
        self.step_seconds = 0.0
        for file in self.files[:3]:
            begun = time.monotonic()
            self.ingest("timed", *self.first_words("timed"), file)
            self.step_seconds = max(self.step_seconds, time.monotonic() - begun)

    def first_words(self, store):
        place = self.server.database(store) if not (self.out / store).exists() else ""
        return ("--ledger", place) if place else ()

    def live(self, store, first_words):
        self.ingest(store, *first_words, *self.files)
        self.run("expire", "--store", store, "--epoch", "0")
        return self.outcome(store)

    def any(self, limit):
        with self.lock:
            return self.random.random() * limit

    # A step is taken until it gets through; it is let through sooner or later.
    def persist(self, *words):
        attempts = 0
        while True:
            process = self.started(*words)
            if attempts < 8:
                try:
                    process.wait(timeout=self.any(0.8 * self.step_seconds))
                except Exception:  # the moment has come
                    if self.any(1) < 0.1:
                        self.kill_a_connection()
                    else:
                        process.kill()
            attempts += 1
            errors = process.communicate(timeout=120)[1]
            if process.returncode == 0:
                return
            if process.returncode == -signal.SIGKILL:
                with self.lock:
                    self.kills += 1
            else:
                expect(process.returncode == 3 and any(said in errors for said in ITS_END),
                       f"{words}: exit {process.returncode}: {errors}")
            if attempts % 2 == 0:
                self.persist_reading("verify", "--store", words[words.index("--store") + 1])

    def persist_reading(self, *words):
        """The store is whole after any cut. A reader is not killed."""
        while True:
            code, _, errors = self.ended(*words)
            if code == 0 or "no store: nothing was ever ingested" in errors:
                return
            expect(code == 3 and any(said in errors for said in ITS_END),
                   f"{words}: exit {code}: {errors}")

    def kill_a_connection(self):
        for pid in self.server.writers(self.database)[:1]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            with self.lock:
                self.server_kills += 1

    def writer(self, store, files):
        try:
            for file in files:
                self.persist(*self.ingest_words(store, "--ledger", self.place, file))
                if self.any(1) < 0.3:
                    self.persist("tally", "--registry", "metrics.json", "--store", store)
        except SystemExit as failure:
            self.failures.append(str(failure))

    def life(self, plants=()):
        self.lives += 1
        self.database = f"life{self.lives}"
        self.place = self.server.database(self.database, FAULTY_PATH if plants else "")
        shutil.rmtree(self.out / "store", ignore_errors=True)
        (self.out / "store").mkdir()
        if not (self.out / "elsewhere").exists():  # the same directory, as another machine sees it
            (self.out / "elsewhere").symlink_to("store")
        if plants:
            self.ingest("store", "--ledger", self.place, self.files[0])
            self.server.sql(";".join(plants), self.database)
        # Two files are of both writers; all are where they must be seen to do harm.
        shares = (self.files, self.files) if plants else (self.files[:4], self.files[:1:-1])
        both = [threading.Thread(target=self.writer, args=args)
                for args in zip(("store", "elsewhere"), shares)]
        for writer in both:
            writer.start()
        for writer in both:
            writer.join()
        expect(not self.failures, "; ".join(self.failures))
        self.persist("expire", "--store", "store", "--epoch", "0")
        expect(self.outcome("elsewhere") == self.expected, f"life {self.lives} ends differently")
        left = [p for p in (self.out / "store").rglob("*") if ".sotto-tmp" in p.name]
        named = self.server.sql("SELECT name FROM segments ORDER BY 1", self.database).split()
        there = sorted(str(p.relative_to(self.out / "store/segments"))
                       for p in (self.out / "store/segments").rglob("*.seg"))
        expect(not left and there == named, f"left behind: {left}, {set(there) - set(named)}")
        self.server.sql(f"DROP DATABASE {self.database}")


    def sees_missing_guards(self):
        """Without any guard writers do harm in 12 of 27 lives; in none of 100 once in 1e25."""
        for _ in range(100):
            try:
                self.life((NO_LOCK, NO_FENCE))
            except SystemExit as failure:
                said = str(failure).replace("failed: ", "").splitlines()[0]
                print(f"without guards, life {self.lives}: {said}", flush=True)
                self.failures.clear()
                return
        raise SystemExit("failed: 100 lives without guards ended well: the test is blind")


def main():
    out, wanted = pathlib.Path(sys.argv[3]), int(sys.argv[4])
    seed = int(sys.argv[5]) if sys.argv[5:] else random.SystemRandom().randrange(2**32)
    print(f"seed {seed}", flush=True)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    campaign = Campaign(sys.argv[1], sys.argv[2], out, seed)
    campaign.sees_missing_guards()
    campaign.kills = campaign.server_kills = 0
    before = campaign.lives
    begun = time.monotonic()
    while campaign.kills < wanted or campaign.server_kills == 0:
        campaign.life()
    print(f"{campaign.kills} kills of the program and {campaign.server_kills} of the server's "
          f"processes in {campaign.lives - before} lives, {time.monotonic() - begun:.0f} s")


main()
