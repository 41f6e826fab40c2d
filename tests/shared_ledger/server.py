# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of the test's own: a new cluster in a new directory, reached by a socket there
alone. It ends with the test, however that ends."""
import atexit
import ctypes
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGQUIT)


class Server:
    def __init__(self, programs):
        self.programs = pathlib.Path(programs)
        # A socket's path is short; and the server must not be root.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="sotto-pg-"))
        self.directory.chmod(0o755)
        self.log = self.directory / "log"
        self.account = {}
        if os.geteuid() == 0:
            names = {entry.pw_name: entry for entry in pwd.getpwall()}
            user = names.get("postgres") or names["nobody"]
            self.account = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            os.chown(self.directory, user.pw_uid, user.pw_gid)
        self.process = None
        atexit.register(self.remove)
        self.started(("initdb", "--pgdata", self.directory / "data", "--auth", "trust",
                      "--username", "sotto", "--no-sync", "--encoding", "UTF8", "--locale", "C")
                     ).wait(timeout=120)
        (self.directory / "data/pg_hba.conf").write_text(
            "local all guarded scram-sha-256\nlocal all all trust\n")
        self.start()

    def started(self, command):
        return subprocess.Popen(
            [self.programs / command[0], *(str(c) for c in command[1:])], cwd=self.directory,
            stdin=subprocess.DEVNULL, stdout=open(self.log, "a"), stderr=subprocess.STDOUT,
            preexec_fn=end_with_parent, **self.account)

    def start(self):
        # The machine does not fail in the test, so no disk is waited for.
        self.process = self.started(
            ("postgres", "-D", self.directory / "data", "-k", self.directory, "-h", "",
             "-c", "fsync=off", "-c", "shared_buffers=16MB", "-c", "max_connections=30"))
        end = time.monotonic() + 60
        while self.sql("SELECT 1", check=False) != "1":
            if time.monotonic() > end or self.process.poll() is not None:
                raise SystemExit(f"failed: the server does not start\n{self.log.read_text()}")
            time.sleep(0.05)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)

    def remove(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(timeout=60)
        shutil.rmtree(self.directory, ignore_errors=True)

    def sql(self, text, database="postgres", check=True):
        done = subprocess.run(
            [self.programs / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.directory, "-U",
             "sotto", "-d", database, "-c", text], capture_output=True, text=True)
        if check and done.returncode != 0:
            raise SystemExit(f"failed: {text}: {done.stderr}")
        return done.stdout.strip()

    def database(self, name, options=""):
        """The connection string of a new database."""
        self.sql(f"CREATE DATABASE {name}")
        return f"postgresql://sotto@/{name}?host={self.directory}{options}"

    def writers(self, database):
        """Process ids of the server for who holds or awaits the right to write."""
        return [int(pid) for pid in self.sql(
            "SELECT DISTINCT pid FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = "
            f"'advisory' AND mode = 'ExclusiveLock' AND datname = '{database}'",
            check=False).split()]
