#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files and commands of aggregator/README.md, in a directory in place of /srv/home.
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
home = out / "home"
home.mkdir(parents=True)
registry = make_registry(home)
page = (root / "aggregator/README.md").read_text().replace("/srv/home", str(home))
files = dict(re.findall(r"\*\*`([^`]+)`\*\*\n```\w+\n(.*?)```", page, re.S))
expect(len(files) == 4, f"the page shows {sorted(files)}")
os.environ["PATH"] = f"{sotto.parent}:{os.environ['PATH']}"


def shell(command):
    return subprocess.run(["sh", "-c", command], cwd=home, capture_output=True, text=True)


def shown(begin):
    """The commands of the page that begin so."""
    return [c for c in re.findall(r"^    (sotto .*)$|`(sotto [^`]*)`", page, re.M)
            for c in c if c.startswith(begin)]


expect(shell(shown("sotto keygen")[0]).returncode == 0, "no keys")
key = next((home / "keys").glob("*.pub"))
today = int(time.time()) // 86400
for age in (0, 20, 100):
    (home / f"incoming/age{age}.bin").write_bytes(
        reports(sotto, home, registry, age + 1, 20, key, today - age))
(home / "incoming/stray.bin").write_bytes(reports(sotto, home, registry, 9, 1, key, 4_000_000_000))

# The unit's command, in its directory.
command = re.search(r"^ExecStart=/usr/local/bin/sotto (.*)$", files["sotto-watch.service"], re.M)[1]
os.chdir(home)
watch = Running(out / "watch.log", sotto, *shlex.split(command), "--interval", 1)
within(600, lambda: not list((home / "incoming").glob("*.bin")), "not everything is taken")
within(600, (home / "page.html").exists, "there is no page")
told = shell(shown("sotto estimate")[0])
newest = told.stdout.split()
expect(newest[-1] == str(today), f"the newest are {newest}")
expect("left out: 1 report in 1 epoch (epoch 4000000000)" in told.stderr, told.stderr)

upkeep = out / "upkeep.sh"
upkeep.write_text(files["upkeep.sh"])
upkeep.chmod(0o755)
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
upkeep.write_text(re.sub(r"-ctime \+\d+", "-ctime -1", files["upkeep.sh"]))  # as if they were old
run(upkeep)
for where in ("ingested", "refused"):
    expect(not list((home / "incoming" / where).iterdir()), f"{where} grows for ever")

# Late reports are told; reports for another key are handled as the page says.
run(sotto, "keygen", "--out", home / "others")
other = next((home / "others").glob("*.pub"))
(home / "incoming/other.bin").write_bytes(reports(sotto, home, registry, 7, 5, other, today))
refused = home / "incoming/refused/other.bin"
within(600, refused.exists, "what no key opens is not kept apart")
shutil.copy(other.with_suffix(".key"), home / "keys")
again = shell(next(c for c in shown("sotto ingest") if c.endswith("refused/*")))
expect(again.stdout.startswith("5 reports "), again.stdout + again.stderr)
expect(watch.stop(signal.SIGTERM) == 0, "watch does not end well")

if analyze := shutil.which("systemd-analyze"):
    for name, content in files.items():
        (out / name).write_text(content.replace("/usr/local/bin/sotto", str(sotto))
                                .replace(f"{home}/upkeep.sh", str(upkeep)))
    (out / "upkeep.sh").chmod(0o755)
    units = [out / name for name in files if not name.endswith(".sh")]
    checked = subprocess.run([analyze, "verify", *units], capture_output=True, text=True)
    ours = [line for line in checked.stderr.splitlines() if "sotto-" in line]
    expect(not ours, "\n".join(ours))
print(f"4 files, {len(newest)} epochs, two nights")
