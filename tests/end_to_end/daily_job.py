#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of aggregator/README.md and the units of aggregator/operate, in directories in place
of /etc/sotto and /var/lib/sotto.
    daily_job.py SOTTO OUT"""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

from running import Running, counted, expect, make_registry, reports, root, run, within

sotto, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
shutil.rmtree(out, ignore_errors=True)
home, etc = out / "home", out / "etc"
(home / "incoming").mkdir(parents=True)
etc.mkdir()
registry = make_registry(etc)
operate = root / "aggregator/operate"
page = (root / "aggregator/README.md").read_text().replace("/etc/sotto", str(etc))
os.environ["PATH"] = f"{sotto.parent}:{os.environ['PATH']}"


def shell(command):
    return subprocess.run(["sh", "-c", command], cwd=home, capture_output=True, text=True)


def run_code(command):
    return shell(command).returncode


def shown(begin):
    """The commands of the page that begin so."""
    return [c for c in re.findall(r"^ {4,}((?:sotto|find) .*)$|`(sotto [^`]*)`", page, re.M)
            for c in c if c.startswith(begin)]


expect(shell(shown("sotto keygen")[0]).returncode == 0, "no keys")
key = next((etc / "keys").glob("*.pub"))
today = int(time.time()) // 86400
for age in (0, 20, 100):
    (home / f"incoming/age{age}.bin").write_bytes(
        reports(sotto, home, registry, age + 1, 20, key, today - age))
(home / "incoming/stray.bin").write_bytes(reports(sotto, home, registry, 9, 1, key, 4_000_000_000))

# The unit's command, in its directory.
command = re.search(r"^ExecStart=/usr/bin/sotto (.*)$", (operate / "sotto-watch.service").read_text(), re.M)[1]
command = command.replace("/etc/sotto", str(etc)).replace("$WATCH_OPTIONS", f"--key {etc}/keys")
os.chdir(home)


fresh = out / "fresh"
fresh.mkdir()
done = subprocess.run([operate / "upkeep"], cwd=fresh, capture_output=True, text=True)
expect((done.returncode, done.stdout) == (0, "no store yet: the first report file makes it\n"), done.stderr)
(fresh / "copy").mkdir()  # the store is lost
done = subprocess.run([operate / "upkeep"], cwd=fresh, capture_output=True, text=True)
expect(done.returncode != 0, "a store that is lost is taken for one to come")


def begin_watch():
    return Running(out / "watch.log", sotto, *shlex.split(command), "--interval", 1)


watch = begin_watch()
within(600, lambda: not list((home / "incoming").glob("*.bin")), "not everything is taken")
within(600, (home / "page.html").exists, "there is no page")
told = shell(shown("sotto estimate")[0])
newest = told.stdout.split()
expect(newest[-1] == str(today), f"the newest are {newest}")
expect("left out: 1 report in 1 epoch (epoch 4000000000)" in told.stderr, told.stderr)

upkeep = out / "upkeep"
shutil.copy(operate / "upkeep", upkeep)
for night in range(2):
    done = subprocess.run([upkeep], capture_output=True, text=True)
    expect(done.returncode == 0, done.stdout + done.stderr)
    expect(f"closed: epochs up to {today - 14}" in done.stdout, done.stdout)
    expect(("20 reports removed" if night == 0 else "0 reports removed") in done.stdout, done.stdout)
    expect(counted(sotto, registry, home / "copy") == 20, "the copy is not the store")
    expect((home / "incoming/ingested/age0.bin").exists(), "a new file is deleted")

# By the time of the move, of whatever time the files say they are.
moved = home / "incoming/refused/old.bin"
moved.write_bytes(b"rubbish")
os.utime(moved, (0, 0))
os.utime(home / "incoming/ingested/age0.bin", (0, 0))
run(upkeep)
expect(moved.exists() and (home / "incoming/ingested/age0.bin").exists(), "a new file is deleted")
upkeep.write_text(re.sub(r"-ctime \+\S+", "-ctime -1", upkeep.read_text()))  # as if they were old
run(upkeep)
for where in ("ingested", "refused"):
    expect(not list((home / "incoming" / where).iterdir()), f"{where} grows for ever")

# Late reports are told; reports for another key are handled as the page says.
run(sotto, "keygen", "--out", home / "others")
other = next((home / "others").glob("*.pub"))
(home / "incoming/other.bin").write_bytes(reports(sotto, home, registry, 7, 5, other, today))
refused = home / "incoming/refused/other.bin"
within(600, refused.exists, "what no key opens is not kept apart")
shutil.copy(other.with_suffix(".key"), etc / "keys")
again = shell(next(c for c in shown("sotto ingest") if c.endswith("refused/*")))
expect(again.stdout.startswith("5 reports "), again.stdout + again.stderr)
(home / "incoming/late.bin").write_bytes(reports(sotto, home, registry, 8, 6, key, today))
within(600, (home / "incoming/ingested/late.bin").exists, "what came last is not taken")
expect(watch.stop(signal.SIGTERM) == 0, "watch does not end well")

# The drill: a byte of the store turns, the copy of last night takes its place, and what came since
# is ingested again.
all_rows = shown("sotto estimate")[0].split(" | ")[0]
before = shell(all_rows)
expect(shell(all_rows.replace("--store store", "--store copy")).stdout != before.stdout,
       "nothing came since the copy was made")
segment = max((file for file in (home / "store/segments").rglob("*") if file.is_file()),
              key=lambda file: file.stat().st_size)
content = bytearray(segment.read_bytes())
content[len(content) // 2] ^= 1
segment.write_bytes(content)
expect(run_code("sotto verify --store store") == 3, "damage is not found")
for command in shown("sotto verify --store copy") + shown("find"):
    done = shell(command)
    expect(done.returncode == 0, command + done.stdout + done.stderr)
expect(run_code(shown("sotto verify --store store")[-1]) == 0, "the restored store is damaged")
expect(shell(all_rows).stdout == before.stdout, "other estimates")
expect((home / "damaged/store.json").exists(), "the damaged store is gone")

# Retention: the days of sotto.conf reach the commands.
run("env", "CLOSE_AFTER_DAYS=3", "EXPIRE_AFTER_DAYS=4", upkeep)
done = run("env", "CLOSE_AFTER_DAYS=2", "EXPIRE_AFTER_DAYS=3", upkeep).stdout
expect(f"closed: epochs up to {today - 2}" in done, done)
print(f"{len(newest)} epochs, two nights, one store restored")
