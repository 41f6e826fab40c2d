#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sotto watch: takes what is whole, once, keeps the page up to date, stops when it is told to.
    watch.py SOTTO OUT"""
import os
import pathlib
import shutil
import signal
import sys
import time

from running import Running, counted, expect, make_registry, reports, run, within

sotto, out = sys.argv[1], pathlib.Path(sys.argv[2])
shutil.rmtree(out, ignore_errors=True)
coming = out / "in"
coming.mkdir(parents=True)
registry, store, page = make_registry(out), out / "store", out / "report.html"


def start(log, *more):
    return Running(out / log, sotto, "watch", "--registry", registry, "--store", store,
                   "--in", coming, "--out", page, "--interval", 1, *more)


def put(name, content):
    (coming / ".part").write_bytes(content)
    os.rename(coming / ".part", coming / name)


def taken(name, where="ingested"):
    return (coming / where / name).exists() and not (coming / name).exists()


first, second = reports(sotto, out, registry, 1, 30), reports(sotto, out, registry, 2, 12)
put("a.bin", first)
(coming / ".hidden").write_bytes(second)
(coming / "late.tmp").write_bytes(second)
watch = start("first.log")
within(20, lambda: taken("a.bin"), "a.bin is not taken")
within(20, page.exists, "there is no page")
expect("of 30 reports" in page.read_text(), "the page does not say 30 reports")

put("nonsense.bin", b"this is no report file")
put("b.bin", second)
within(20, lambda: taken("b.bin") and taken("nonsense.bin", "refused"), "b.bin is not taken")
within(20, lambda: "of 42 reports" in page.read_text(), "the page is not refreshed")
expect((coming / ".hidden").exists() and (coming / "late.tmp").exists(), "a part was taken")

# A name that was there before: both files stay.
for again in (b"nor is this one", b"nor this"):
    put("nonsense.bin", again)
    within(20, lambda: not (coming / "nonsense.bin").exists(), "nonsense.bin is not taken")
expect(sorted(p.read_bytes() for p in (coming / "refused").glob("nonsense.bin*")) ==
       sorted([b"this is no report file", b"nor is this one", b"nor this"]), "a file was replaced")

# A copy that is on its way is taken when it is whole, one that was broken off when it rests.
with open(coming / "slow.bin", "wb") as slow:
    end = time.monotonic() + 2.5
    for at in range(len(second) - 1):
        slow.write(second[at:at + 1])
        slow.flush()
        time.sleep(max(0, end - time.monotonic()) / (len(second) - at))
    expect((coming / "slow.bin").exists(), "half a file was taken")
    slow.write(second[-1:])
within(20, lambda: taken("slow.bin"), "slow.bin is not taken")
expect((coming / "ingested/slow.bin").read_bytes() == second, "not all of it was taken")
put("cut.bin", second[:-1])
within(20, lambda: taken("cut.bin"), "what was broken off is not taken")

# What it can't read it names, once.
(coming / "nowhere.bin").symlink_to("no such file")
(coming / "memory.bin").symlink_to("/proc/self/mem")  # there, readable, and no byte of it
(coming / "endless.bin").symlink_to("/dev/zero")
os.mkfifo(coming / "pipe.bin")
# and so it is with what can't be moved, and as what
(coming / "ingested").rename(out / "ingested")
(coming / "ingested").symlink_to(out / "ingested")
put("still.bin", first)
within(10, lambda: "still.bin: can't be moved" in watch.said(), "what a link points to is written to")
left = [coming / f"{name}.bin" for name in ("nowhere", "memory", "endless", "pipe")]
within(10, lambda: all(f"{file}: no regular file" in watch.said() for file in left),
       "what is left is not named")
long = 86 * "n" + 84 * "ä" + "n"  # 255 bytes
put(long, b"a name of the greatest length")
within(10, lambda: (coming / "refused" / long).exists(), "one file holds up another")
put(long, b"and a second of that name")
within(10, lambda: not (coming / long).exists(), "a long name comes once only")
expect((coming / "refused" / (86 * "n" + 83 * "ä" + ".1")).exists(), "not shortened for its number")
said = watch.said()
time.sleep(2.2)
expect(watch.said() == said, f"it is said again and again: {watch.said()[len(said):]}")
(coming / "ingested").unlink()
(out / "ingested").rename(coming / "ingested")
within(10, lambda: taken("still.bin"), "what could not be moved stays for ever")
for file in left:
    file.unlink()
linked = out / "linked"
linked.mkdir()
(linked / "refused").symlink_to(out)
refused = Running(out / "linked.log", sotto, "watch", "--registry", registry, "--store", store,
                  "--in", linked, "--out", page)
expect(refused.process.wait(timeout=10) == 3 and "refused: a link" in refused.said(),
       "files go where a link leads")
# Another program's ingest shows, and a page that is gone comes back.
(out / "other.bin").write_bytes(reports(sotto, out, registry, 4, 7))
run(sotto, "ingest", "--registry", registry, "--store", store, out / "other.bin")
within(10, lambda: "of 49 reports" in page.read_text(), "another ingest does not show")
page.unlink()
within(10, page.exists, "a page that is gone stays away")
shown = page.stat().st_mtime_ns
time.sleep(2.2)
expect(page.stat().st_mtime_ns == shown, "the page is drawn again and again")

# A store that is gone is not begun anew.
store.rename(out / "moved")
put("waits.bin", second)
within(10, lambda: f"{store}: was there and is gone; tried again" in watch.said(),
       "nothing is said of a store that is gone")
expect((coming / "waits.bin").exists() and not store.exists(), "a new store was begun")
(out / "moved").rename(store)
within(10, lambda: taken("waits.bin"), "a store that is back is not taken up again")
expect(watch.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")
counted_so_far = counted(sotto, registry, store)
expect(counted_so_far == 49, f"{counted_so_far} reports, not 49")

# The same again, and a kill at any moment: nothing counts twice, nothing is lost.
put("a again.bin", first)
third = reports(sotto, out, registry, 3, 500)
for i in range(12):
    put(f"part{i}.bin", third)
    watch = start("killed.log")
    time.sleep(0.004 * i)
    watch.process.kill()
    watch.process.wait()
put("last.bin", second)
watch = start("last.log")
within(30, lambda: taken("last.bin"), "last.bin is not taken")
expect(not list(coming.glob("*.bin")), "not everything is taken")
code = watch.stop(signal.SIGINT)
expect(code == 0, f"SIGINT ends it with {code}")
expect(counted(sotto, registry, store) == 549, f"{counted(sotto, registry, store)} reports, not 549")

# What another key opens is kept apart, and is had when the key is there.
keys, others = out / "keys", out / "others"
for directory in (keys, others):
    run(sotto, "keygen", "--out", directory)
sealed = [reports(sotto, out, registry, seed, 5, next(of.glob("*.pub")))
          for seed, of in ((5, keys), (6, others))]
put("mixed.bin", b"".join(sealed))
watch = start("sealed.log", "--key", keys)
within(20, lambda: taken("mixed.bin", "refused"), "what is sealed for another key is forgotten")
within(10, lambda: f"{coming}/mixed.bin: 5 sealed for a key that is not here" in watch.said(),
       "nobody says which file it was")
expect(watch.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")
expect(counted(sotto, registry, store) == 554, "what could be opened is not counted")
run(sotto, "ingest", "--registry", registry, "--store", store, "--key", others,
    *(coming / "refused").glob("mixed.bin"))
expect(counted(sotto, registry, store) == 559, "the way back leads nowhere")

# What is wrong from the start is said at once; a store that is none is tried again.
wrong = Running(out / "wrong.log", sotto, "watch", "--registry", out / "nowhere.json", "--store",
                store, "--in", coming, "--out", page)
expect(wrong.process.wait(timeout=10) == 2, "a missing registry is no usage error")
for option in ("--key", "--candidates"):
    wrong = start("wrong.log", option, out / "nowhere")
    expect(wrong.process.wait(timeout=10) == 2, f"a wrong {option} is no usage error")
put("kept.bin", first)
no_store = Running(out / "no_store.log", sotto, "watch", "--registry", registry, "--store", registry,
                   "--in", coming, "--out", page, "--interval", 1)
within(10, lambda: "tried again in 1 s" in no_store.said(), "nothing is said of the store")
expect((coming / "kept.bin").exists(), "a file was moved that is in no store")
expect(no_store.stop(signal.SIGTERM) == 0, "does not stop while it fails")
print("559 reports in 16 files, 12 kills")
