# SPDX-License-Identifier: Apache-2.0
"""A command that runs until it is told to stop, and reports for it."""
import atexit
import pathlib
import subprocess
import time

root = pathlib.Path(__file__).resolve().parents[2]


def expect(condition, what):
    if not condition:
        raise SystemExit(f"failed: {what}")


def within(seconds, condition, what):
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, f"{what}, after {seconds} s")
        time.sleep(0.05)


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True)


def make_registry(out):
    (out / "metrics.toml").write_text(
        '[registry]\nname = "home"\nversion = 1\n[[metric]]\nid = 1\nname = "window"\n'
        'type = "boolean"\nepsilons = [1]\n')
    run(root / "tools/sotto-registry", "compile", out / "metrics.toml", "--out", out)
    return out / "metrics.json"


def reports(sotto, out, registry, seed, devices, key=None, epoch=0):
    """The bytes of a file with a report of each device, sealed where there is a public key."""
    (out / "rows.csv").write_text("open\n" + "true\n" * devices)
    run(sotto, "simulate", "--registry", registry, "--input", out / "rows.csv",
        "--map", "window=open", "--seed", f"{seed:02x}", "--out", out / "reports.bin",
        "--epoch", epoch, *(("--key", key) if key else ()))
    return (out / "reports.bin").read_bytes()


def counted(sotto, registry, store):
    run_estimate = run(sotto, "estimate", "--registry", registry, "--store", store,
                       "--format", "csv")
    lines = run_estimate.stdout.splitlines()
    return int(lines[1].split(",")[lines[0].split(",").index("reports")]) if lines[1:] else 0


class Running:
    def __init__(self, log, *command):
        self.log = log
        self.process = subprocess.Popen([str(c) for c in command], stdout=open(log, "w"),
                                        stderr=subprocess.STDOUT)
        atexit.register(self.process.kill)  # where a test fails; none is left behind

    def said(self):
        return self.log.read_text()

    def stop(self, how, seconds=600):
        """Sends the signal and answers the exit code."""
        self.process.send_signal(how)
        return self.process.wait(timeout=seconds)
