#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sotto serve: what its operator sees, in its log and at its status port.
    serve_status.py SOTTO OUT DISK      DISK: held_disk.c, compiled"""
import datetime
import json
import pathlib
import select
import shutil
import signal
import subprocess
import sys

from openmetrics import parsed_metrics
from running import expect, within
from serving import Server, content, out

disk = pathlib.Path(sys.argv[3]).resolve()


def on_disk(**how):
    return ("env", f"LD_PRELOAD={disk}", *(f"{name}={value}" for name, value in how.items()))


def lost_log():
    """The disk under its log is full, or whoever reads it is gone: what it says is lost, no more."""
    for name, log in (("full", "/dev/full"), ("unread", ">(:)")):
        server = Server(name, through=("bash", "-c", f'exec "$0" "$@" 2> {log}'))
        expect(server.post(b"").status == 400, "an empty body is taken")
        shutil.rmtree(server.directory)
        expect(server.post(content).status == 503, "acknowledged and not stored")
        server.directory.mkdir()
        expect(server.post(content).status == 202, "does not go on")
        expect(server.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")


def log_file():
    log = out / "serve.log"
    server = Server("logged", "--log", log)
    server.post(b"")
    within(600, lambda: "no reports in it" in log.read_text(), "the log is not written")
    log.rename(out / "serve.log.1")
    server.process.send_signal(signal.SIGHUP)
    within(600, log.exists, "SIGHUP does not open the log anew")
    shutil.rmtree(server.directory)
    server.post(content)
    within(600, lambda: "the directory is gone" in log.read_text(), "the new log is not written")
    expect(server.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")
    plain = Server("plain")
    plain.process.send_signal(signal.SIGHUP)
    expect(plain.post(content).status == 202, "SIGHUP ends it")
    plain.stop(signal.SIGTERM)


def json_log():
    """Each line is an object, on both streams; as text (the control) none is."""
    def objects(name, *more):
        server = Server(name, "--status-port", 0, *more)
        server.post(b"")
        expect(server.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")
        lines = server.said().splitlines()
        expect(len(lines) == 3, f"three lines: {lines}")
        return [line for line in lines if line.startswith("{")]

    expect(not objects("as_text"), "text has objects")
    read = [json.loads(line) for line in objects("as_json", "--log-format", "json")]
    expect([line["stream"] for line in read] == ["output", "output", "error"], read)
    expect(read[2]["message"] == "refused 1 request: 400 (no reports in it)", read)
    age = datetime.datetime.now(datetime.timezone.utc) - datetime.datetime.fromisoformat(read[2]["time"])
    expect(abs(age.total_seconds()) < 600, f"it says {read[2]['time']}")


def full_disks():
    """Ways to run a command where no file above 64 kB has room. Name and command each."""
    yield "late", on_disk(SOTTO_ROOM=65536)
    unshare = ("unshare", "-rm")
    if subprocess.run([*unshare, "true"], capture_output=True).returncode == 0:
        (out / "full").mkdir()
        yield "full", (*unshare, "bash", "-c",
                       f'mount -t tmpfs -o size=64k none {out}/full && exec "$0" "$@"')


def full_disk():
    """One line a kind and minute, and no more than that."""
    server = Server("failing")
    shutil.rmtree(server.directory)
    expect({server.post(content).status for _ in range(20)} == {503}, "stored nowhere")
    expect(server.said().count("\n") == 2 and
           "could not store 1 request: the directory is gone\n" in server.said(), server.said())
    server.stop(signal.SIGTERM)
    expect("could not store 19 requests: the directory is gone\n" in server.said() and
           server.said().count("\n") == 3, server.said())
    for name, through in full_disks():
        server = Server(name, "--max-body", 100_000, through=through)
        expect([server.post(b"x" * 90_000).status for _ in range(5)] == [503] * 5, "stored nowhere")
        expect(server.post(content).status == 202, "what has room is not taken")
        server.stop(signal.SIGTERM)
        expect(server.said().count("the disk is full") == 2 and "No space" not in server.said(),
               server.said())
    server = Server("roomy", "--max-body", 100_000)  # the control
    expect(server.post(b"x" * 90_000).status == 202, "a disk with room is full")
    server.stop(signal.SIGTERM)


def group_commit():
    """Bodies that wait together share their syncs, counted where the C library is called."""
    clients = 50
    held, syncs = out / "held", out / "syncs"
    server = Server("group", "--status-port", 0, "--proxy", "127.0.0.1",
                    through=on_disk(SOTTO_HELD=held, SOTTO_SYNCS=syncs))

    def number(name):
        return parsed_metrics(server.get("/metrics").said)[f"sotto_serve_{name}"]

    begun = syncs.stat().st_size
    expect({server.post(content).status for _ in range(clients)} == {202}, "not taken")
    alone = syncs.stat().st_size - begun
    expect(alone == 2 * clients, f"{alone} syncs: a file and its name each, one by one")
    held.touch()
    waiting = [server.connect() for _ in range(clients)]
    for connection in waiting:
        connection.request("POST", "/reports", content)
    within(600, lambda: number("connections") == clients, "not all arrive")
    expect(not select.select([connection.sock for connection in waiting], [], [], 0)[0],
           "acknowledged before it is durable")
    held.unlink()
    expect({connection.getresponse().status for connection in waiting} == {202}, "not taken")
    together = syncs.stat().st_size - begun - alone
    expect(2 < together <= 6, f"{together} syncs: of the first, of the others, of a latecomer")
    expect(number("syncs_total") == alone + together, "/metrics counts other syncs")
    expect(server.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")
    print(f"{clients} requests: {alone} syncs one by one, {together} at once")


def status():
    server = Server("status", "--status-port", 0)
    expect(server.status_port != server.port, "on the same port")
    expect(server.get("/health").status == 200 and server.get("/health").said == "ok\n", "ill")
    for _ in range(3):
        server.post(content)
    server.post(b"")
    server.post(content, "/metrics")
    answer = server.get("/metrics")
    expect(answer.getheader("Content-Type") ==
           "application/openmetrics-text; version=1.0.0; charset=utf-8", answer.getheaders())
    now = parsed_metrics(answer.said)
    for name, value in {'requests_total{outcome="stored"}': 3,
                        'requests_total{outcome="refused"}': 2,
                        'requests_total{outcome="not_stored"}': 0,
                        'refusals_total{answer="400 (no reports in it)"}': 1,
                        "stored_bytes_total": 3 * len(content), "syncs_total": 6,
                        "waiting_bytes": 3 * 4096, "waiting_files": 3, "connections_accepted_total": 5}.items():
        expect(now.get(f"sotto_serve_{name}") == value, f"{name}: {now}")
    expect(any(key.startswith("sotto_serve_build_info{version=") for key in now), now)
    expect(server.get("/reports").status == 404, "takes more")
    shutil.rmtree(server.directory)
    server.post(content)
    ill = server.get("/health")
    expect(ill.status == 503 and "directory" in ill.said, f"{ill.status} {ill.said}")
    server.directory.mkdir()
    within(600, lambda: server.get("/health").status == 200, "a failure of long ago is told for ever")
    expect(not list(server.directory.iterdir()), "a trial leaves a file")
    expect(server.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")


log_file()
json_log()
full_disk()
group_commit()
status()
lost_log()
