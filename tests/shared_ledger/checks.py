#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A store whose ledger is in PostgreSQL: what it says, who is let in, who is refused.
    checks.py SOTTO PROGRAMS_OF_POSTGRESQL OUT"""
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

from plants import BETTER_MATCH, FAULTY_PATH, NO_FENCE, NO_LOCK, SLOW, SLOW_READING
from reports import Place, expect, root
from server import Server


class Checks(Place):
    def __init__(self, sotto, programs, out):
        super().__init__(sotto, out)
        self.server = Server(programs)
        self.files = self.make_files(4, 60)
        self.ingest("reference", *self.files)
        self.expected = self.outcome("reference")

    def made(self, name, options=""):
        """A store of the first file, in a database of the same name."""
        self.ingest(name, "--ledger", self.server.database(name, options), self.files[0])
        return name

    def segments(self, store):
        return sorted(p for p in (self.out / store / "segments").rglob("*.seg"))

    # It is made as the page says.
    def says_the_same(self):
        store = "same"
        page = (root / "aggregator/README.md").read_text()
        words = shlex.split(re.search(r"^    sotto (.*--ledger .*)$", page, re.M)[1])
        place = self.server.database(store)
        self.run(*({"/shared/store": store, "postgresql://sotto@db.example/sotto": place,
                    "first.bin": self.files[0]}.get(word, word) for word in words))
        for file in self.files[1:]:
            self.ingest(store, file)
        expect(self.outcome(store) == self.expected, "PostgreSQL and SQLite differ")
        again = self.ingest(store, *self.files)
        expect(again.startswith("0 reports"), f"counted twice: {again}")
        ledgers = [p.name for p in (self.out / store).iterdir() if "sqlite" in p.name]
        expect(not ledgers, f"a second ledger: {ledgers}")
        for where in ("reference", store):
            self.run("expire", "--store", where, "--epoch", "0")
        expect(self.outcome(store) == self.outcome("reference"), "they differ after expire")
        shutil.rmtree(self.out / "reference")
        self.ingest("reference", *self.files)

    def is_named_once(self):
        store = self.made("named")
        place = self.server.database("elsewhere")
        self.refused("that is said once, when a store is made", *self.ingest_words(
            store, "--ledger", place, self.files[1]), code=2)
        self.refused("has its ledger in ledger.sqlite", *self.ingest_words(
            "reference", "--ledger", place, self.files[1]), code=2)
        self.refused("not a connection string", *self.ingest_words(
            "none", "--ledger", "nonsense", self.files[1]), code=2)
        self.refused("has a password in it", *self.ingest_words(
            "none", "--ledger", "postgresql://me:secret@host/db", self.files[1]), code=2)
        expect(not (self.out / "none").exists(), "something was made")
        self.ingest(store, "--ledger", f"postgresql://sotto@/named?host={self.server.directory}",
                    self.files[1])
        # A description that was edited says as much as the option may.
        text = (self.out / "named/store.json").read_text()
        for place, why in (("postgresql://me:secret@host/db", "store.json: has a password in it"),
                           ("nonsense", "store.json: not a connection string")):
            edited = text.replace(json.loads(text)["ledger"], place)
            (self.out / "named/store.json").write_text(edited)
            self.refused(why, "verify", "--store", "named", code=2)
        (self.out / "named/store.json").write_text(text)

    def is_of_one_store(self):
        place = f"postgresql://sotto@/own?host={self.server.directory}"
        self.made("own")
        self.refused("it is the ledger of another store",
                     *self.ingest_words("second", "--ledger", place, self.files[1]))
        expect(not (self.out / "second/store.json").exists(), "a store was made")
        self.server.sql("UPDATE sotto_store SET version = 2", "own")
        for words in (self.ingest_words("own", self.files[1]), ("verify", "--store", "own")):
            self.refused("not the version that this program knows (2, not 1)", *words)
        self.server.sql("DROP TABLE sotto_store", "own")
        self.refused("there is no ledger of sotto", "verify", "--store", "own")

    # Locks have the name of the first schema; one that is found behind it has another lock.
    def is_in_the_first_schema(self):
        store = self.made("schemas")
        self.server.sql("CREATE SCHEMA sotto AUTHORIZATION sotto", store)
        for words in (self.ingest_words(store, self.files[1]), ("verify", "--store", store)):
            self.refused("the ledger is in schema public, and new tables go to sotto", *words)
        self.run("verify", "--store", store, env=dict(os.environ, PGOPTIONS="-csearch_path=public"))
        self.server.sql("DROP SCHEMA sotto", store)
        self.ingest(store, self.files[1])

    def takes_up_a_making_that_was_cut(self):
        place = self.server.database("cut")
        self.ingest("cut", "--ledger", place, self.files[0])
        # As it is when the program ends between the ledger's tables and store.json.
        self.server.sql("DELETE FROM segments; DELETE FROM epochs; DELETE FROM files; DELETE FROM "
                        "rejected; DELETE FROM commits; DELETE FROM registries", "cut")
        shutil.rmtree(self.out / "cut")
        self.ingest("cut", "--ledger", place, *self.files)
        expect(self.outcome("cut") == self.expected, "the second making is not whole")

    def refuses_a_copy(self):
        store = self.made("original")
        shutil.copytree(self.out / store, self.out / "copied")
        self.ingest(store, self.files[1])
        held = self.segments("copied")
        self.refused("missing, though the ledger names it",
                     *self.ingest_words("copied", self.files[2]))
        expect(self.segments("copied") == held, "the copy was changed")
        self.ingest(store, *self.files)
        expect(self.outcome(store) == self.expected, "the original is not whole")

    def lets_the_right_user_in(self):
        self.server.sql("SET password_encryption = 'scram-sha-256'; "
                        "CREATE ROLE guarded LOGIN PASSWORD 'right'; CREATE ROLE looking LOGIN")
        # pg_hba.conf asks for a password for this database alone.
        self.server.sql("CREATE DATABASE guarded OWNER guarded")
        place = f"postgresql://guarded@/guarded?host={self.server.directory}"
        passes = self.out / "pgpass"
        env = dict(os.environ, PGPASSFILE=str(passes))
        for word, works in (("wrong", False), ("right", True)):
            passes.write_text(f"*:*:*:*:{word}\n")
            passes.chmod(0o600)
            words = self.ingest_words("guarded", "--ledger", place, self.files[0])
            if works:
                self.run(*words, env=env)
            else:
                self.refused("password authentication failed", *words, env=env)
        expect("right" not in (self.out / "guarded/store.json").read_text(), "it is in the store")

        self.ingest("looked_at", "--ledger", self.server.database("looked_at").replace("sotto@", ""),
                    self.files[0], env=dict(os.environ, PGUSER="sotto"))
        self.server.sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO looking", "looked_at")
        looking = dict(os.environ, PGUSER="looking")
        self.run("verify", "--store", "looked_at", env=looking)
        self.refused("permission denied for table sotto_store; this needs the right to write there",
                     *self.ingest_words("looked_at", self.files[1]), env=looking)
        read_only = dict(os.environ, PGUSER="sotto", PGOPTIONS="-cdefault_transaction_read_only=on")
        self.run("verify", "--store", "looked_at", env=read_only)
        self.refused("the primary", *self.ingest_words("looked_at", self.files[1]), env=read_only)

    # A role that may create in the schema plants a function, a better match for loose types.
    def calls_no_function_of_others(self):
        store = self.made("planted")
        self.server.sql(BETTER_MATCH, store)
        said = self.server.sql("SELECT hashtextextended(current_schema(), 1) = 7", store)
        expect(said == "t", "the planted function is not called by loose types")
        self.server.sql("CREATE OR REPLACE FUNCTION hashtextextended(name, integer) RETURNS bigint "
                        "LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'planted'; END$$", store)
        self.ingest(store, *self.files)
        expect(self.outcome(store) == self.expected, "something else was counted")

    def says_that_the_server_is_gone(self):
        store = self.made("alone")
        self.server.stop()
        for words in (self.ingest_words(store, self.files[1]), ("verify", "--store", store)):
            self.refused("connection to server", *words)
        self.server.start()
        self.ingest(store, self.files[1])

    # The server lets go of a writer in the middle of a change. Nothing has changed then, and the
    # next one is let in.
    def loses_a_connection_in_a_change(self):
        store = self.made("lost")
        self.server.sql(SLOW.format(30), "lost")
        for how in ("terminate", "kill"):
            writer = self.started(*self.ingest_words(store, *self.files))
            self.wait_for_a_change("lost")
            if how == "terminate":
                self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                                "wait_event = 'PgSleep'")
            else:
                os.kill(self.server.writers("lost")[0], signal.SIGKILL)
            errors = writer.communicate(timeout=60)[1]
            expect(writer.returncode == 3 and "the connection is lost" in errors and
                   errors.count("\n") == 1, f"{how}: exit {writer.returncode}: {errors}")
            self.wait_for_server()
            self.run("verify", "--store", store)
            expect(self.server.sql("SELECT count(*) FROM commits", "lost") == "1", "it counts")
        self.server.sql("DROP TRIGGER slow ON segments", "lost")
        self.ingest(store, *self.files)
        expect(self.outcome(store) == self.expected, "something is lost")

    def wait_for_a_change(self, database):
        end = time.monotonic() + 60
        while self.server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' "
                              f"AND datname = '{database}'") == "0":
            expect(time.monotonic() < end, "no change began")
            time.sleep(0.02)

    def wait_for_server(self):
        end = time.monotonic() + 60
        while self.server.sql("SELECT 1", check=False) != "1":
            expect(time.monotonic() < end, "the server does not come back")
            time.sleep(0.02)

    # A machine stands still and the server lets it go. Another writes, and finds what the first has
    # left on the disk. When the first goes on it changes nothing.
    def stands_still(self):
        store = self.made("still")
        self.server.sql(SLOW.format(2), "still")
        first = self.started(*self.ingest_words(store, self.files[1]))
        self.wait_for_a_change("still")
        first.send_signal(signal.SIGSTOP)
        before = self.segments(store)
        self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                        "wait_event = 'PgSleep'")
        self.server.sql("DROP TRIGGER slow ON segments", "still")
        self.ingest(store, *self.files)
        expect(set(before) - set(self.segments(store)), "nothing was left behind, or it was kept")
        first.send_signal(signal.SIGCONT)
        errors = first.communicate(timeout=60)[1]
        expect(first.returncode == 3, f"it went on: {errors}")
        expect(self.outcome(store) == self.expected, "something is lost, or counts twice")

    # Two writers at one moment, with the same reports. Either guard suffices alone. Without both of
    # them reports count twice, and the checks of this test see it.
    def counts_once_by_either_guard(self):
        for name, plants, sound in (("guarded_twice", (), True), ("fence_alone", (NO_LOCK,), True),
                                    ("lock_alone", (NO_FENCE,), True),
                                    ("no_guard", (NO_LOCK, NO_FENCE), False)):
            store = self.made(name, FAULTY_PATH)
            self.server.sql(";".join((*plants, SLOW_READING)), name)
            words = self.ingest_words(store, *self.files)
            both = [self.started(*words), self.started(*words)]
            ended = []
            for process in both:
                errors = process.communicate(timeout=60)[1]
                ended.append((process.returncode, errors))
            if name == "fence_alone":
                expect(sorted(code for code, _ in ended) == [0, 3] and
                       any("another writer has taken it over" in said for _, said in ended),
                       f"{name}: {ended}")
            else:
                expect(all(code == 0 for code, _ in ended), f"{name}: {ended}")
            self.server.sql("DROP FUNCTION slowly CASCADE; "
                            "ALTER TABLE real_limits RENAME TO limits", name)
            code, _, errors = self.ended("verify", "--store", store)
            if sound:
                expect(code == 0 and self.outcome(store) == self.expected, f"{name}: {errors}")
            else:
                expect(code == 3, "two writers without a guard did no harm: the test is blind")

    # As the page of the store says how to copy.
    def is_copied_whole(self):
        store = self.made("dumped")
        page = (root / "aggregator/store/README.md").read_text()
        command = re.search(r"^    (psql (?:.*\\\n)*.*)$", page, re.M)[1]
        ledger = f"postgresql://sotto@/dumped?host={self.server.directory}"
        subprocess.run(["sh", "-c", command], check=True, cwd=self.out, capture_output=True,
                       env=dict(os.environ, LEDGER=ledger, STORE=store))
        self.ingest(store, *self.files)
        self.server.sql("CREATE DATABASE restored")
        subprocess.run(["psql", ledger.replace("dumped", "restored"), "-q", "-v",
                        "ON_ERROR_STOP=1", "-f", "ledger.sql"], check=True, cwd=self.out,
                       capture_output=True)
        description = self.out / "copy/store.json"
        description.write_text(description.read_text().replace("dumped", "restored"))
        self.ingest("copy", *self.files)
        for each in (store, "copy"):
            expect(self.outcome(each) == self.expected, f"{each} is not whole")

    # A reader relies on files that a writer on another machine replaces: it keeps them. Expired
    # reports are gone when expire ends, so that it waits.
    def keeps_what_is_read(self):
        store = self.made("read")
        held = self.segments(store)
        reader = self.server.started(
            ("psql", "-XAtq", "-h", self.server.directory, "-U", "sotto", "-d", "read", "-c",
             "SELECT pg_advisory_lock_shared(hashtextextended(current_schema()::text, 2::bigint))", "-c",
             "SELECT pg_sleep(600)"))
        self.wait_for_a_change("read")
        for i in range(9):  # more than eight segments of a size become one
            part = self.out / f"one{i}.bin"
            self.run("simulate", "--registry", "metrics.json", "--input", "rows.csv", "--map",
                     "window=open", "--epoch", "1", "--out", part)
            self.ingest(store, part)
        expect(set(held) <= set(self.segments(store)), "a file was removed under a reader")
        expiring = self.started("expire", "--store", store, "--epoch", "0")
        time.sleep(1)
        expect(expiring.poll() is None, "expire did not wait for a reader")
        self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                        "wait_event = 'PgSleep'")
        reader.wait(timeout=60)
        expect(expiring.wait(timeout=60) == 0, "expire failed")
        expect(not set(held) & set(self.segments(store)), "an expired file is still there")
        self.run("verify", "--store", store)

    def is_watched(self):
        store = self.made("watched")
        (self.out / "coming").mkdir()
        watch = self.started("watch", "--registry", "metrics.json", "--store", store, "--in",
                             "coming", "--out", "page.html", "--interval", "1")
        try:
            page = self.out / "page.html"
            self.until(page.exists, "there is no page")
            first = page.read_bytes()
            self.ingest(store, self.files[1])  # by another program
            self.until(lambda: page.read_bytes() != first, "the page is as it was")
            second = page.read_bytes()
            shutil.copy(self.out / self.files[2], self.out / "coming/new.bin")
            self.until(lambda: page.read_bytes() != second, "the page is as it was")
        finally:
            watch.send_signal(signal.SIGTERM)
        expect(watch.wait(timeout=60) == 0, "it did not stop")

    @staticmethod
    def until(holds, what):
        end = time.monotonic() + 60
        while not holds():
            expect(time.monotonic() < end, what)
            time.sleep(0.05)


def main():
    out = pathlib.Path(sys.argv[3])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    checks = Checks(sys.argv[1], sys.argv[2], out)
    for check in (checks.says_the_same, checks.is_named_once, checks.is_of_one_store,
                  checks.is_in_the_first_schema, checks.takes_up_a_making_that_was_cut, checks.refuses_a_copy,
                  checks.lets_the_right_user_in, checks.calls_no_function_of_others,
                  checks.says_that_the_server_is_gone,
                  checks.loses_a_connection_in_a_change, checks.stands_still,
                  checks.counts_once_by_either_guard, checks.keeps_what_is_read, checks.is_copied_whole,
                  checks.is_watched):
        begun = time.monotonic()
        check()
        print(f"{check.__name__}: {time.monotonic() - begun:.1f} s", flush=True)


main()
