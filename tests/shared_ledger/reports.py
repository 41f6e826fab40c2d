# SPDX-License-Identifier: Apache-2.0
"""Report files that overlap and repeat, and what a store of them must say in the end."""
import pathlib
import subprocess

root = pathlib.Path(__file__).resolve().parents[2]


def expect(condition, what):
    if not condition:
        raise SystemExit(f"failed: {what}")


class Place:
    """A directory to run sotto in."""

    def __init__(self, sotto, out):
        self.sotto, self.out = pathlib.Path(sotto).resolve(), out

    def started(self, *words, env=None):
        return subprocess.Popen([self.sotto, *(str(w) for w in words)], cwd=self.out, text=True,
                                env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ended(self, *words, env=None):
        """Exit code, output, errors."""
        process = self.started(*words, env=env)
        output, errors = process.communicate(timeout=600)
        return process.returncode, output, errors

    def run(self, *words, env=None):
        code, output, errors = self.ended(*words, env=env)
        expect(code == 0, f"{words}: exit {code}: {errors}")
        return output

    def refused(self, said, *words, code=3, env=None):
        """One line says why; nothing else does."""
        now, _, errors = self.ended(*words, env=env)
        expect(now == code and said in errors and errors.count("\n") == 1,
               f"{words} should be refused with {said!r}: exit {now}: {errors}")

    def ingest(self, store, *more, **how):
        return self.run(*self.ingest_words(store, *more), **how)

    @staticmethod
    def ingest_words(store, *more):
        return ("ingest", "--registry", "metrics.json", "--store", store, *more)

    def make_files(self, count, devices):
        """A third of each file is in the next one too. Some of it is spoilt or comes again."""
        compiler, metrics = root / "tools/sotto-registry", root / "tests/shared_ledger/metrics.toml"
        subprocess.run([compiler, "compile", metrics, "--out", self.out], check=True,
                       capture_output=True)
        (self.out / "rows.csv").write_text(
            "open,room\n" + "".join(f"{'true' if i % 3 else 'false'},{'abc'[i % 3]}\n"
                                    for i in range(devices)))
        parts = []
        for i in range(2 * count + 1):
            self.run("simulate", "--registry", "metrics.json", "--input", "rows.csv", "--map",
                     "window=open", "--map", "room=room", "--seed", f"{i + 1:02x}", "--epoch",
                     i % 4, "--malformed", "0.05", "--duplicated", "0.05", "--out", "part.bin")
            parts.append((self.out / "part.bin").read_bytes())
        names = []
        for i in range(count):
            names.append(f"in{i}.bin")
            (self.out / names[-1]).write_bytes(b"".join(parts[2 * i:2 * i + 3]))
        return names

    def outcome(self, store):
        """A person's view of a store whose reports are all in."""
        self.run("verify", "--store", store)
        self.run("tally", "--registry", "metrics.json", "--store", store, "--out", "tally")
        self.run("verify", "--store", store)
        estimates = self.run("estimate", "--registry", "metrics.json", "--store", store,
                             "--format", "json")
        return (self.out / "tally").read_bytes(), estimates
