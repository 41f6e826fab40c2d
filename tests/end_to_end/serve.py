#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sotto serve: what it acknowledges is on the disk, and what hostile and slow clients get.
    serve.py SOTTO OUT"""
import concurrent.futures
import http.client
import os
import shutil
import signal
import threading
import time

from running import Running, counted, expect, reports, run, within
from serving import Server, content, out, registry, sotto


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
    # a body of unknown length
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
    # The first refusal of a reason is told at once; the others wait for a minute, or the end.
    expect("refused 1 request: 400 (no reports in it)\n" in server.said() and
           server.said().count(": 404 (reports go to /reports)\n") == 1 and
           server.said().count(": 415 (a form, ") == 1, server.said())
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
    expect("refused 1 request: 413 (at most 100000 " in server.said() and
           "refused 3 requests: 413 (at most 100000 " in server.said() and
           server.said().count("refused 1 request: 415 (a form, ") == 2 and
           "refused 5 requests: 400 (no HTTP that can be read; TLS is for a proxy)" in server.said()
           and server.said().count("refused 1 request: 505 (no HTTP/1.1)\n") == 2, server.said())
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
        expect(time.monotonic() - begun < 600, "a header may take for ever")
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
    while time.monotonic() - begun < 600:
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


def strays():
    """Bodies that only another registry can read spoil no file of the others."""
    server = Server("strays", "--proxy", "127.0.0.1")
    honest = {reports(sotto, out, registry, seed, 25) for seed in range(8)}
    fingerprint = content.split(b"\x08\x02\x15")[1][:4]  # behind the version
    strays = {body.replace(fingerprint, b"none") for body in honest}
    expect(not honest & strays, "no fingerprint found")
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        bodies = [body for pair in zip(honest, strays) for body in pair] * 10
        expect({a.status for a in pool.map(server.post, bodies)} == {202}, "not taken")
    files = server.files()
    good = [p for p in files if fingerprint in p.read_bytes()]
    mixed = [p for p in good if b"none" in p.read_bytes()]
    expect(not mixed, f"{len(mixed)} of {len(files)} files have both")
    said = run(sotto, "ingest", "--registry", registry, "--store", out / "strays_store", *good)
    expect(counted(sotto, registry, out / "strays_store") == 200 and "rejected" not in said.stdout,
           said.stdout)
    server.stop(signal.SIGTERM)


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
strays()
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
expect(slow_body.seconds < 600, f"a body may take {slow_body.seconds:.0f} s")
print(f"{killed()} acknowledged before the kill, all there")
