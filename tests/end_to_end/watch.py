#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sotto watch: takes what is whole, once, keeps the page up to date, stops when it is told to.
    watch.py SOTTO OUT"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import sys
import time

from running import Running, counted, expect, make_registry, reports, run, within

sotto, out = sys.argv[1], pathlib.Path(sys.argv[2])
shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
registry = make_registry(out)


class Inbox:
    """A directory that report files come into, a store, a page, and reports of its own."""

    def __init__(self, name):
        self.out = out / name
        self.coming, self.store, self.page = (self.out / n for n in ("in", "store", "page.html"))
        self.coming.mkdir(parents=True)

    def watch(self, log="watch.log", *more, through=()):
        return Running(self.out / log, *through, sotto, "watch", "--registry", registry, "--store",
                       self.store, "--in", self.coming, "--out", self.page, "--interval", 1, *more)

    def put(self, name, content):
        (self.coming / ".part").write_bytes(content)
        os.rename(self.coming / ".part", self.coming / name)

    def taken(self, name, where="ingested"):
        return (self.coming / where / name).exists() and not (self.coming / name).exists()

    def reports(self, seed, devices, key=None):
        return reports(sotto, self.out, registry, seed, devices, key)

    def ingest(self, *more):
        run(sotto, "ingest", "--registry", registry, "--store", self.store, *more)

    def counted(self):
        return counted(sotto, registry, self.store)


def logs_json():
    """A file's name may have what JSON and UTF-8 forbid."""
    at = Inbox("json")
    at.put(os.fsdecode(b'quo"te\xff.bin'), b"this is no report file")
    watch = at.watch("watch.log", "--log-format", "json")
    within(600, lambda: len(watch.said().splitlines()) >= 2, "the log is not written")
    expect(watch.stop(signal.SIGTERM) == 0, "watch does not end well")
    said = [json.loads(line) for line in watch.said().splitlines()]
    expect(any('quo"te' in line["message"] and line["stream"] == "error" for line in said), said)
    expect(any(line["stream"] == "output" for line in said), said)


def takes():
    at = Inbox("takes")
    first, second = at.reports(1, 30), at.reports(2, 12)
    at.put("a.bin", first)
    (at.coming / ".hidden").write_bytes(second)
    (at.coming / "late.tmp").write_bytes(second)
    watch = at.watch()
    within(600, lambda: at.taken("a.bin"), "a.bin is not taken")
    within(600, at.page.exists, "there is no page")
    expect("of 30 reports" in at.page.read_text(), "the page does not say 30 reports")
    at.put("nonsense.bin", b"this is no report file")
    at.put("b.bin", second)
    within(600, lambda: at.taken("b.bin") and at.taken("nonsense.bin", "refused"),
           "b.bin is not taken")
    within(600, lambda: "of 42 reports" in at.page.read_text(), "the page is not refreshed")
    expect((at.coming / ".hidden").exists() and (at.coming / "late.tmp").exists(),
           "a part was taken")
    # A name that was there before: both files stay.
    for again in (b"nor is this one", b"nor this"):
        at.put("nonsense.bin", again)
        within(600, lambda: not (at.coming / "nonsense.bin").exists(), "nonsense.bin is not taken")
    expect(sorted(p.read_bytes() for p in (at.coming / "refused").glob("nonsense.bin*")) ==
           sorted([b"this is no report file", b"nor is this one", b"nor this"]),
           "a file was replaced")
    # Another program's ingest shows, and a page that is gone comes back.
    (at.out / "other.bin").write_bytes(at.reports(4, 7))
    at.ingest(at.out / "other.bin")
    within(600, lambda: "of 49 reports" in at.page.read_text(), "another ingest does not show")
    at.page.unlink()
    within(600, at.page.exists, "a page that is gone stays away")
    shown = at.page.stat().st_mtime_ns
    time.sleep(2.2)
    expect(at.page.stat().st_mtime_ns == shown, "the page is drawn again and again")
    expect(watch.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")
    expect(at.counted() == 49, f"{at.counted()} reports, not 49")


def copies():
    """A copy that is on its way is taken when it is whole, one that was broken off when it rests."""
    at = Inbox("copies")
    content = at.reports(1, 12)
    with open(at.coming / "hole.bin", "wb") as hole:  # as large as anybody likes, at no cost
        hole.truncate(4 << 40)
    watch = at.watch()
    with open(at.coming / "slow.bin", "wb") as slow:
        end = time.monotonic() + 2.5
        for i in range(len(content) - 1):
            slow.write(content[i:i + 1])
            slow.flush()
            time.sleep(max(0, end - time.monotonic()) / (len(content) - i))
        expect((at.coming / "slow.bin").exists(), "half a file was taken")
        slow.write(content[-1:])
    within(600, lambda: at.taken("slow.bin"), "slow.bin is not taken")
    expect((at.coming / "ingested/slow.bin").read_bytes() == content, "not all of it was taken")
    at.put("cut.bin", content[:-1])
    within(600, lambda: at.taken("cut.bin"), "what was broken off is not taken")
    expect(at.taken("hole.bin", "refused"), "zeros are reports")
    expect(watch.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")


def leaves():
    """A file that it can't read is named once; so is one that can't be moved."""
    at = Inbox("leaves")
    watch = at.watch()
    within(600, (at.coming / "refused").exists, "has nowhere to move to")
    left = [at.coming / f"{name}.bin" for name in ("nowhere", "memory", "endless", "pipe")]
    left[0].symlink_to("no such file")
    left[1].symlink_to("/proc/self/mem")  # there, readable, and no byte of it
    left[2].symlink_to("/dev/zero")
    os.mkfifo(left[3])
    (at.coming / "ingested").rename(at.out / "ingested")
    (at.coming / "ingested").symlink_to(at.out / "ingested")
    at.put("still.bin", at.reports(1, 5))
    within(600, lambda: "still.bin: can't be moved" in watch.said(),
           "what a link points to is written to")
    within(600, lambda: all(f"{file}: no regular file" in watch.said() for file in left),
           "what is left is not named")
    long = 86 * "n" + 84 * "ä" + "n"  # 255 bytes
    at.put(long, b"a name of the greatest length")
    within(600, lambda: (at.coming / "refused" / long).exists(), "one file holds up another")
    at.put(long, b"and a second of that name")
    within(600, lambda: not (at.coming / long).exists(), "a long name comes once only")
    expect((at.coming / "refused" / (86 * "n" + 83 * "ä" + ".1")).exists(),
           "not shortened for its number")
    said = watch.said()
    time.sleep(2.2)
    expect(watch.said() == said, f"it is said again and again: {watch.said()[len(said):]}")
    # A remark about the estimates is not said at each either.
    remark = "window: too few reports for epsilon 1 to say much"
    expect(watch.said().count(remark) == 1, "nothing is remarked")
    (at.out / "again.bin").write_bytes(b"".join(at.reports(1, 5) for _ in range(2)))
    drawn = at.page.stat().st_mtime_ns
    at.ingest(at.out / "again.bin")
    within(600, lambda: at.page.stat().st_mtime_ns > drawn, "the page is not drawn again")
    (at.coming / "ingested").unlink()
    (at.out / "ingested").rename(at.coming / "ingested")
    within(600, lambda: at.taken("still.bin"), "what could not be moved stays for ever")
    expect(watch.said().count(remark) == 1, f"remarked again and again: {watch.said()}")
    expect(watch.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")


def lost_store():
    """A store that is gone is not begun anew."""
    at = Inbox("lost_store")
    at.put("a.bin", at.reports(1, 30))
    watch = at.watch()
    within(600, lambda: at.taken("a.bin"), "a.bin is not taken")
    at.store.rename(at.out / "moved")
    at.put("waits.bin", at.reports(2, 12))
    within(600, lambda: f"{at.store}: was there and is gone; tried again" in watch.said(),
           "nothing is said of a store that is gone")
    expect((at.coming / "waits.bin").exists() and not at.store.exists(), "a new store was begun")
    (at.out / "moved").rename(at.store)
    within(600, lambda: at.taken("waits.bin"), "a store that is back is not taken up again")
    expect(watch.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")
    expect(at.counted() == 42, f"{at.counted()} reports, not 42")


def lost_log():
    """The disk under its log is full, or whoever reads it is gone: what it says is lost, no more."""
    for name, log in (("full", "/dev/full"), ("unread", ">(:)")):
        at = Inbox(name)
        os.mkfifo(at.coming / "pipe.bin")
        at.put("nonsense.bin", b"this is no report file")
        at.store.write_bytes(b"no store")
        watch = at.watch(through=("bash", "-c", f'exec "$0" "$@" 2> {log} >&2'))
        time.sleep(1.5)
        at.store.unlink()
        at.put("a.bin", at.reports(1, 5))
        within(600, lambda: at.taken("a.bin") and at.taken("nonsense.bin", "refused"),
               f"does not go on: {watch.process.poll()}")
        watch.process.send_signal(signal.SIGTERM)
        expect(watch.process.wait(timeout=600) in (0, 3), "SIGTERM does not end it well")
        expect(at.counted() == 5, "not everything is counted")


def killed():
    """A kill at any moment: nothing counts twice, nothing is lost."""
    at = Inbox("killed")
    first, second, third = at.reports(1, 30), at.reports(2, 12), at.reports(3, 500)
    at.put("a.bin", first)
    at.put("a again.bin", first)
    for i in range(12):
        at.put(f"part{i}.bin", third)
        watch = at.watch("killed.log")
        time.sleep(0.004 * i)
        watch.process.kill()
        watch.process.wait()
    at.put("last.bin", second)
    watch = at.watch()
    within(600, lambda: at.taken("last.bin"), "last.bin is not taken")
    expect(not list(at.coming.glob("*.bin")), "not everything is taken")
    code = watch.stop(signal.SIGINT)
    expect(code == 0, f"SIGINT ends it with {code}")
    expect(at.counted() == 542, f"{at.counted()} reports, not 542")


def sealed():
    """Envelopes for another key are kept apart, and are ingested when the key is there."""
    at = Inbox("sealed")
    keys, others = at.out / "keys", at.out / "others"
    for directory in (keys, others):
        run(sotto, "keygen", "--out", directory)
    run(sotto, "keygen", "--requests", "--out", keys)  # does no harm there
    public = next(p for p in keys.glob("*.pub") if "request" not in p.read_text())
    at.put("mixed.bin", at.reports(5, 5, public) + at.reports(6, 5, next(others.glob("*.pub"))))
    watch = at.watch("watch.log", "--key", keys)
    within(600, lambda: at.taken("mixed.bin", "refused"), "what is sealed for another key is forgotten")
    within(600, lambda: f"{at.coming}/mixed.bin: 5 sealed for a key that is not here" in watch.said(),
           "nobody says which file it was")
    expect(watch.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")
    expect(at.counted() == 5, "what could be opened is not counted")
    at.ingest("--key", others, *(at.coming / "refused").glob("mixed.bin"))
    expect(at.counted() == 10, "the way back leads nowhere")


def wrong():
    """An error from the start is said at once; a store that is none is tried again."""
    at = Inbox("wrong")
    (at.out / "keys").mkdir()
    run(sotto, "keygen", "--out", at.coming)
    key = next(at.coming.glob("*.key"))
    shutil.copy(key, at.out / "keys")
    shutil.copy(registry, at.coming)
    (at.coming / "list").write_text("a string\n")
    (at.out / "same").symlink_to("in")
    (at.out / "linked.json").symlink_to("in/metrics.json")
    before = sorted(at.coming.iterdir())

    def refused(what, **changed):
        options = {"registry": registry, "store": at.store, "in": at.coming, "out": at.page,
                   **changed}
        watch = Running(at.out / "refused.log", sotto, "watch",
                        *(word for name, value in options.items() for word in (f"--{name}", value)))
        expect(watch.process.wait(timeout=600) == 2 and what in watch.said() and
               len(watch.said().splitlines()) == 1, f"{changed}: {watch.said()}")

    refused("No such file", registry=out / "nowhere.json")
    for option in ("key", "candidates"):
        refused("No such file", **{option: out / "nowhere"})
    apart = "in the directory of --in"
    for own in (at.coming / "metrics.json", at.out / "same/metrics.json", at.out / "linked.json"):
        refused(f"--registry {own}: {apart}", registry=own)
    for own in (key, at.coming):
        refused(f"--key {own}: {apart}", key=own)
    refused(f"--candidates {at.coming}/list: {apart}", candidates=at.coming / "list")
    refused(f"--out {at.coming}/page.html: {apart}", out=at.coming / "page.html")
    for own in (at.coming, at.out / "same"):
        refused(f"--store {own}: {apart}", store=own)
    refused("--out: ", key=at.out / "keys", out=at.out / "keys" / key.name)
    (at.out / "a.bin").write_bytes(at.reports(1, 5))
    at.ingest(at.out / "a.bin")
    for own in (at.store, at.store / "segments"):
        refused("is in the store", **{"in": own, "store": at.out / "other"})
    expect(sorted(at.coming.iterdir()) == before, "and yet something was moved")

    linked = Inbox("linked")
    (linked.coming / "refused").symlink_to(at.out)
    watch = linked.watch()
    expect(watch.process.wait(timeout=600) == 3 and "refused: a link" in watch.said(),
           "files go where a link leads")
    no_store = Inbox("no_store")
    no_store.store = registry
    no_store.put("kept.bin", b"reports")
    watch = no_store.watch()
    within(600, lambda: "tried again in 1 s" in watch.said(), "nothing is said of the store")
    expect((no_store.coming / "kept.bin").exists(), "a file was moved that is in no store")
    expect(watch.stop(signal.SIGTERM) == 0, "does not stop while it fails")


with concurrent.futures.ThreadPoolExecutor(8) as pool:  # they mostly wait
    parts = {part.__name__: pool.submit(part) for part in
             (takes, copies, leaves, logs_json, lost_store, lost_log, killed, sealed, wrong)}
failed = [f"{name}: {part.exception()}" for name, part in parts.items() if part.exception()]
expect(not failed, "\n".join(failed))
print(f"{len(parts)} parts, 12 kills")
