#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sotto serve: what it acknowledges is on the disk, and what hostile and slow clients get.
    serve.py SOTTO OUT"""
import concurrent.futures
import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from running import Running, expect, make_registry, reports, run, within

sotto, out = (pathlib.Path(p).resolve() for p in sys.argv[1:])
shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
registry = make_registry(out)
content = reports(sotto, out, registry, 1, 25)


class Server(Running):
    def __init__(self, name, *more, through=()):
        self.directory = out / name
        super().__init__(out / f"{name}.log", *through, sotto, "serve", "--in", self.directory,
                         "--port", 0, *more)
        within(600, lambda: "listening" in self.said(), f"{name} does not listen")
        self.port = int(re.search(r"port (\d+)", self.said())[1])
        status = re.search(r"status at 127.0.0.1 port (\d+)", self.said())
        self.status_port = int(status[1]) if status else None

    def connect(self, client="127.0.0.1"):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=600,
                                          source_address=(client, 0))

    def get(self, target):
        connection = http.client.HTTPConnection("127.0.0.1", self.status_port, timeout=600)
        connection.request("GET", target)
        answer = connection.getresponse()
        answer.said = answer.read().decode()
        connection.close()
        return answer

    def post(self, body, target="/reports", method="POST", client="127.0.0.1", **headers):
        connection = self.connect(client)
        connection.request(method, target, body, headers)
        answer = connection.getresponse()
        answer.said = answer.read()
        connection.close()
        return answer

    def raw(self, content, client="127.0.0.1"):
        client = socket.create_connection(("127.0.0.1", self.port), 20, (client, 0))
        client.sendall(content)
        return client

    def files(self):
        return sorted(p for p in self.directory.iterdir() if not p.name.startswith("."))


def answers():
    server = Server("answers", "--max-body", 100_000)
    expect(server.post(content).status == 202, "reports are not taken")
    expect([p.read_bytes() for p in server.files()] == [content], "the file is not what was sent")
    expect(server.post(b"").status == 400, "an empty body is taken")
    expect(server.post(content, "/").status == 404, "any target is taken")
    expect(server.post(content, "/../../etc/x").status == 404, "any target is taken")
    expect(server.post(None, method="GET").getheader("Allow") == "POST", "GET is not told")
    expect(server.post(b"x" * 100_000).status == 202, "a body of the limit is refused")
    expect(server.post(b"x" * 100_001).status == 413, "a body above the limit is taken")
    expect(server.post(b"x" * 3_000_000).status == 413, "a large body hides its answer")
    # of unknown length
    expect(server.post(iter([b"x" * 1000] * 10)).status == 202, "chunks are refused")
    expect(server.post(iter([b"x" * 1000] * 200)).status == 413, "endless chunks are taken")
    expect(server.post(content, long="x" * 9000).status == 431, "any header is taken")
    client = server.raw(b"POST /reports HTTP/1.1\r\nContent-Length: 4\r\n"
                        b"Expect: 100-continue\r\n\r\n")
    expect(client.recv(100).startswith(b"HTTP/1.1 100 "), "no 100 Continue")
    client.sendall(b"four")
    expect(client.recv(100).startswith(b"HTTP/1.1 202 "), "not taken after 100 Continue")
    connection = server.connect()
    for _ in range(3):
        connection.request("POST", "/reports", content)
        expect(connection.getresponse().read() == b"stored\n", "a connection serves once only")
    expect(server.post(content, Origin="http://stranger.invalid").status == 403,
           "any web page may post")
    expect(server.post(content, **{"Content-Encoding": "gzip"}).status == 415,
           "what is compressed is stored as it is")
    expect(server.post(content, **{"Content-Encoding": "identity"}).status == 202,
           "what is not compressed is refused")
    # curl -d and curl -F, as they really send
    for form in ("application/x-www-form-urlencoded", "Multipart/form-data; boundary=x"):
        refused = server.post(content, **{"Content-Type": form})
        expect(refused.status == 415 and b"--data-binary" in refused.said, "a form is stored")
    expect(server.post(content, **{"Content-Type": "application/octet-stream"}).status == 202,
           "a file is a form")
    refused = server.post(b"x" * 100_001)
    expect(b"100000 bytes" in refused.said and b"--max-body" in refused.said,
           "nobody says how much is too much")
    # The first refusal is told at once; the others wait for a minute, or the end.
    expect(server.said().count("refused") == 1 and
           "refused 1 request: 1 x 400 (no reports in it)" in server.said(), server.said())
    for lines, status in ((b"Content-Encoding: identity\r\nContent-Encoding: gzip", b"415"),
                          (b"Transfer-Encoding: gzip, chunked", b"501"),
                          (b"Transfer-Encoding: gzip", b"501")):
        answer = server.raw(b"POST /reports HTTP/1.1\r\n" + lines + b"\r\n\r\n").recv(100)
        expect(answer.startswith(b"HTTP/1.1 " + status), f"{lines}: {answer}")
    length, chunked = b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n"
    for what, status in ((length + b"Content-Length: 5\r\n\r\nabcde", b"400"),
                         (length + chunked + b"\r\n3\r\nabc\r\n0\r\n\r\n", b"400"),
                         (b"Content-Length: -3\r\n\r\nabc", b"400"),
                         (b"Content-Length: 99999999999999999999\r\n\r\nabc", b"400"),
                         (chunked + b"\r\nzz\r\nabc", b"400")):
        answer = server.raw(b"POST /reports HTTP/1.1\r\n" + what).recv(100)
        expect(answer.startswith(b"HTTP/1.1 " + status), f"{what}: {answer}")
    for what, status in ((b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 as TLS begins", b"400"),
                         (b"POST /reports HTTP/9.9\r\n" + length + b"\r\nabc", b"505"),
                         (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"505")):
        answer = server.raw(what).recv(100)
        expect(answer.startswith(b"HTTP/1.1 " + status), f"{what}: {answer}")
    before = server.files()
    cut = server.raw(b"POST /reports HTTP/1.1\r\nContent-Length: 5000\r\n\r\nhalf")
    cut.close()
    expect(server.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")
    expect(server.said().count("refused") == 2 and "4 x 413 (at most 100000 " in server.said() and
           "2 x 415 (a form, " in server.said() and
           "6 x 400 (no HTTP that can be read; TLS is for a proxy)" in server.said() and
           "2 x 505 (no HTTP/1.1)" in server.said(), server.said())
    expect(server.files() == before and len(before) == 9, f"{len(before)} files, not 9")
    said = run(sotto, "ingest", "--registry", registry, "--store", out / "store", before[0]).stdout
    expect(said.startswith("25 reports"), said)


def back_pressure():
    # However little is in a file, it counts as 4 kB.
    server = Server("pressure", "--max-waiting", 2 * 4096)
    expect(len(content) < 4096, "a file of more than a block")
    expect([server.post(content).status for _ in range(2)] == [202, 202], "there was room")
    refused = server.post(content)
    expect(refused.status == 503 and int(refused.getheader("Retry-After")) > 0, "no back-pressure")
    expect(server.post(b"x" * 8193).status == 413, "to come again for what never has room")
    server.files()[0].unlink()
    # Files that take no room, and files that nobody will take, leave room.
    for name in ("hole.bin", ".hidden", "late.tmp"):
        with open(server.directory / name, "wb") as file:
            file.write(b"" if name == "hole.bin" else bytes(4 * 4096))
            file.truncate(1 << 30)
    server.files()[0].unlink()
    time.sleep(1.1)
    expect(server.post(content).status == 202, "room is not noticed")
    expect(server.post(content).status == 503, "what takes no room is not counted at all")
    for name in ("hole.bin", ".hidden", "late.tmp"):
        (server.directory / name).unlink()
    shutil.rmtree(server.directory)  # as good as a disk that fails
    expect(server.post(content).status == 503, "acknowledged and not stored")
    time.sleep(1.1)  # now it counts what is there
    refused = server.post(content)
    expect(refused.status == 503 and int(refused.getheader("Retry-After")) > 0, "no back-pressure")
    server.directory.mkdir()
    expect(server.post(content).status == 202, "does not recover")
    server.stop(signal.SIGTERM)


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


def hostile_directory():
    """Another writer to it names files as the server will."""
    server = Server("hostile")
    victim = out / "victim"
    victim.write_bytes(b"precious")
    expect(server.post(b"first").status == 202, "reports are not taken")
    first = server.files()[0].name
    following = [server.directory / first.replace("-00000000.", f"-{i:08}.") for i in range(1, 5)]
    following[0].symlink_to(victim)
    os.mkfifo(following[1])
    following[2].symlink_to(out / "nowhere")
    expect(server.post(b"second").status == 202, "a name that is taken stops it")
    expect(victim.read_bytes() == b"precious", "a link was followed")
    expect(following[3].read_bytes() == b"second", "not under the next name that is free")
    expect(not (out / "nowhere").exists() and following[1].is_fifo(), "written to what was there")
    server.stop(signal.SIGTERM)


def slow_clients():
    server = Server("slow", "--proxy", "127.0.0.1")
    begun = time.monotonic()
    dripping = server.raw(b"P")
    idle = [server.raw(b"") for _ in range(20)]
    expect(server.post(content).status == 202, "slow clients stop others")
    dripping.settimeout(0.5)
    while True:  # a byte now and then does not buy time
        try:
            dripping.sendall(b"O")
            if dripping.recv(1) == b"":
                break
        except TimeoutError:
            pass
        except OSError:
            break
        expect(time.monotonic() - begun < 15, "a header may take for ever")
    crowd = [server.raw(b"POST /reports HTTP/1.1\r\nContent-Length: 9\r\n\r\n") for _ in range(256)]
    within(600, lambda: server.post(content).status == 503, "any number of connections is taken")
    for client in idle + crowd:
        client.close()
    within(600, lambda: server.post(content).status == 202, "does not recover")
    server.stop(signal.SIGTERM)


def slow_body():
    """However its bytes are spread, a body has 30 seconds. Runs beside the others."""
    server = Server("drip")
    begun = time.monotonic()
    client = server.raw(b"POST /reports HTTP/1.1\r\nContent-Length: 9999\r\n\r\n")
    client.settimeout(1)
    while time.monotonic() - begun < 60:
        try:
            client.sendall(b"x")
            if client.recv(1) == b"":
                break
        except TimeoutError:
            pass
        except OSError:
            break
    slow_body.seconds = time.monotonic() - begun
    server.stop(signal.SIGTERM)


def slow_bodies_of_one_address():
    """As many as there may be connections, from one address: all others are served."""
    begun = b"POST /reports HTTP/1.1\r\nContent-Length: 9\r\n\r\n"
    server = Server("crowd")
    crowd = [server.raw(begun, "127.0.0.2") for _ in range(70)]
    within(600, lambda: b" 503 " in crowd[40].recv(100), "any number of one address is taken")
    served = [server.post(content).status for _ in range(40)]
    expect(served == [202] * 40, f"one address shuts out others: {served}")
    refused = server.post(content, client="127.0.0.2")
    expect(refused.status == 503 and b"of one address" in refused.said, refused.said)
    for client in crowd:
        client.close()
    within(600, lambda: server.post(content, client="127.0.0.2").status == 202, "for ever")
    server.stop(signal.SIGTERM)
    named = Server("named", "--proxy", "127.0.0.2")  # has all: it knows its own clients
    crowd = [named.raw(begun, "127.0.0.2") for _ in range(256)]
    within(600, lambda: named.post(content).status == 503, "a proxy is held to the limit")
    for client in crowd:
        client.close()
    named.stop(signal.SIGTERM)


def memory():
    """Bodies of 64 times the largest size, and no more, however many connections there are."""
    server = Server("memory", "--max-body", 100_000, "--proxy", "127.0.0.1")
    begun = b"POST /reports HTTP/1.1\r\nContent-Length: 100000\r\n\r\n"
    crowd = [server.raw(begun) for _ in range(64)]
    within(600, lambda: b"at once" in server.post(content).said, "any number of bytes is taken")
    crowd[0].close()
    within(600, lambda: server.post(content).status == 202, "for ever")
    for client in crowd:
        client.close()
    server.stop(signal.SIGTERM)


def older_http():
    """RFC 9112, 9.3: with HTTP/1.0 the connection ends, unless both say keep-alive."""
    server = Server("older")
    post = b"POST /reports HTTP/1.0\r\nContent-Length: 4\r\n"
    closing = server.raw(post + b"\r\nfour")
    answer = b"".join(iter(lambda: closing.recv(1000), b""))
    expect(b" 202 " in answer and b"keep-alive" not in answer.lower(), answer)
    keeping = server.raw(b"")
    for _ in range(3):
        keeping.sendall(post + b"Connection: keep-alive\r\n\r\nfour")
        answer = keeping.recv(1000)
        expect(b" 202 " in answer and b"\r\nConnection: keep-alive\r\n" in answer, answer)
    keeping.close()
    server.stop(signal.SIGTERM)


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


def full_disk():
    """One line a kind and minute, and no more than that."""
    server = Server("failing")
    shutil.rmtree(server.directory)
    expect({server.post(content).status for _ in range(20)} == {503}, "stored nowhere")
    expect(server.said().count("\n") == 2 and
           "could not store 1 request: 1 x the directory is gone\n" in server.said(), server.said())
    server.stop(signal.SIGTERM)
    expect("could not store 19 requests: 19 x the directory is gone\n" in server.said() and
           server.said().count("\n") == 3, server.said())
    unshare = ("unshare", "-rm")
    if subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:
        print("full disk: skipped, no namespaces here")
        return
    (out / "full").mkdir()
    server = Server("full", "--max-body", 100_000, through=(
        *unshare, "bash", "-c", f'mount -t tmpfs -o size=64k none {out}/full && exec "$0" "$@"'))
    expect([server.post(b"x" * 90_000).status for _ in range(5)] == [503] * 5, "stored nowhere")
    expect(server.post(content).status == 202, "what has room is not taken")
    server.stop(signal.SIGTERM)
    expect(server.said().count("the disk is full") == 2 and "No space" not in server.said(),
           server.said())


def parsed_metrics(text):
    """The samples of an OpenMetrics text; stops at whatever is none."""
    name, label = r"[a-z_][a-z0-9_]*", r'[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"'
    expect(text.endswith("\n# EOF\n") and text.count("# EOF") == 1, "no end, or two")
    family = kind = None
    seen, samples = set(), {}
    for line in text[:-len("# EOF\n")].splitlines():
        if meta := re.fullmatch(rf"# (TYPE|UNIT|HELP) ({name}) (.+)", line):
            what, of, value = meta.groups()
            if what == "TYPE":
                expect(of not in seen and value in ("counter", "gauge", "info"), line)
                family, kind = of, value
                seen.add(of)
            expect(of == family, f"among another family: {line}")
            expect(what != "UNIT" or of.endswith(f"_{value}"), f"not the name's unit: {line}")
            continue
        sample = re.fullmatch(rf"({name})(\{{(?:{label})(?:,{label})*\}})? (\d+)", line)
        expect(sample, f"no sample: {line}")
        suffix = {"counter": "_total", "gauge": "", "info": "_info"}[kind]
        expect(sample[1] == family + suffix, f"not of {family}, a {kind}: {line}")
        key = sample[1] + (sample[2] or "")
        expect(key not in samples, f"twice: {key}")
        samples[key] = int(sample[3])
    return samples


def status():
    for wrong in ("a 1\n# EOF\n", "# TYPE a counter\na 1\n# EOF\n", "# TYPE a gauge\na 1\n",
                  "# TYPE a gauge\n# UNIT a bytes\na 1\n# EOF\n"):
        try:
            parsed_metrics(wrong)
        except (SystemExit, KeyError):
            continue
        raise SystemExit(f"failed: the parser takes {wrong!r}")
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
                        "waiting_bytes": 3 * 4096, "connections_accepted_total": 5}.items():
        expect(now.get(f"sotto_serve_{name}") == value, f"{name}: {now}")
    expect(any(key.startswith("sotto_serve_build_info{version=") for key in now), now)
    expect(server.get("/reports").status == 404, "takes more")
    shutil.rmtree(server.directory)
    server.post(content)
    ill = server.get("/health")
    expect(ill.status == 503 and "directory" in ill.said, f"{ill.status} {ill.said}")
    server.directory.mkdir()
    server.post(content)
    expect(server.get("/health").status == 200, "does not recover")
    expect(server.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")


def few_descriptors():
    server = Server("few", through=("prlimit", "--nofile=60"))
    crowd = [server.raw(b"POST /reports HTTP/1.1\r\nContent-Length: 4\r\n") for _ in range(60)]
    time.sleep(1.1)  # so that it counts what is there
    for client in crowd[:3]:
        client.sendall(b"\r\nfour")
        expect(client.recv(100).startswith(b"HTTP/1.1 202 "), "who came first is not served")
    for client in crowd:
        client.close()
    within(600, lambda: server.post(content).status == 202, "does not recover")
    expect(server.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")


def stops_gracefully():
    server = Server("stop")
    half = server.raw(b"POST /reports HTTP/1.1\r\nContent-Length: 8\r\n\r\nhalf")
    server.raw(b"")
    time.sleep(0.3)
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    try:
        server.raw(b"")
        refused = False
    except ConnectionRefusedError:
        refused = True
    expect(refused, "takes connections while it stops")
    half.sendall(b"half")
    expect(half.recv(100).startswith(b"HTTP/1.1 202 "), "what had begun is not finished")
    half.close()
    expect(server.process.wait(timeout=600) == 0, "does not end well")
    expect([p.read_bytes() for p in server.files()] == [b"halfhalf"], "what was taken is not there")
    hanging = Server("hang")
    client = hanging.raw(b"POST /reports HTTP/1.1\r\nContent-Length: 8\r\n\r\n")
    time.sleep(0.3)
    hanging.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    expect(hanging.stop(signal.SIGTERM, 5) == 0, "a second signal waits")
    client.close()


def killed():
    """Whatever was acknowledged is there."""
    server = Server("killed")
    acknowledged = []

    def send(i):
        try:
            body = b"\xb0\x09" + b"%06d" % i * 200  # 1,200 bytes behind their length
            if server.post(body).status == 202:
                acknowledged.append(body)
        except (OSError, http.client.HTTPException):
            pass

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for i in range(3000):
            pool.submit(send, i)
        within(600, lambda: len(acknowledged) > 50, "hardly anything is taken")
        server.process.kill()
    server.process.wait()
    there = {p.read_bytes() for p in server.files()}
    bodies = {file[at:at + 1202] for file in there for at in range(0, len(file), 1202)}
    expect(set(acknowledged) <= bodies, "something acknowledged is lost")
    expect(all(len(body) == 1202 for body in bodies), "a part has a name")
    part = server.directory / f".sotto-tmp-{server.process.pid}-0"  # as a kill leaves now and then
    others = [server.directory / f".sotto-tmp-{os.getpid()}-0", server.directory / ".sotto-tmp-mine"]
    for file in (part, *others):
        file.write_bytes(b"half")
    (server.directory / f"{part.name}0").mkdir()
    again = Server("killed")
    expect(not part.exists(), "what a killed run left stays for ever")
    expect(all(file.exists() for file in others), "another program's unfinished file is gone")
    expect({p.read_bytes() for p in again.files()} == there, "and so is what was acknowledged")
    again.stop(signal.SIGTERM)
    return len(acknowledged)


beside = threading.Thread(target=slow_body)
beside.start()
answers()
back_pressure()
slow_bodies_of_one_address()
memory()
older_http()
log_file()
full_disk()
status()
lost_log()
hostile_directory()
slow_clients()
few_descriptors()
stops_gracefully()
wrong = Running(out / "wrong.log", sotto, "serve", "--in", out / "x", "--address", "localhost")
expect(wrong.process.wait(timeout=600) == 2, "a name is an address")
run(sotto, "ingest", "--registry", registry, "--store", out / "a_store",
    next(p for p in (out / "answers").iterdir() if p.read_bytes() == content))
os.chdir(out / "a_store")
for inbox in (".", "in", out / "a_store/in"):
    wrong = Running(out / "wrong.log", sotto, "serve", "--in", inbox)
    expect(wrong.process.wait(timeout=600) == 2 and "is in the store" in wrong.said() and
           not (out / "a_store/in").exists(), f"takes {inbox}: {wrong.said()}")
beside.join()
expect(slow_body.seconds < 45, f"a body may take {slow_body.seconds:.0f} s")
print(f"{killed()} acknowledged before the kill, all there")
