#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The proxies of aggregator/operate/proxy in front of sotto serve, on this machine.
    proxies.py SOTTO OUT nginx|caddy PROGRAM"""
import collections
import http.client
import os
import signal
import socket
import ssl
import sys

from openmetrics import parsed_metrics
from running import Running, expect, root, run, within
from serving import Server, content, out, registry, sotto

which, program = sys.argv[3:5]
etc = out / "etc"
tls = etc / "tls"
tls.mkdir(parents=True)
token = "4f1d0c" * 8


def openssl(*arguments):
    run("openssl", *arguments)


def authority(name):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2,
            "-subj", f"/CN={name}", "-keyout", tls / f"{name}.key", "-out", tls / f"{name}.pem")


def certificate(name, subject, signer):
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject,
            "-addext", "subjectAltName=DNS:localhost", "-keyout", tls / f"{name}.key", "-out", tls / "csr")
    openssl("x509", "-req", "-in", tls / "csr", "-copy_extensions", "copy", "-days", 2,
            "-CA", tls / f"{signer}.pem", "-CAkey", tls / f"{signer}.key", "-out", tls / f"{name}.pem")


def free_port():
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


def configured(file, changes):
    """The example; each change must find its place."""
    text = (root / "aggregator/operate/proxy" / file).read_text()
    for old, new in changes.items():
        expect(old in text, f"{file} has no {old}")
        text = text.replace(old, new)
    (out / file).write_text(text)


def start(port):
    common = {"/etc/sotto": str(etc), "127.0.0.1:8450": f"127.0.0.1:{server.port}"}
    if which == "caddy":
        configured("Caddyfile", {**common, "reports.example.org:443": f"localhost:{port}"})
        return Running(out / "proxy.log", "env", f"XDG_DATA_HOME={out}", f"XDG_CONFIG_HOME={out}",
                       program, "run", "--adapter", "caddyfile", "--config", out / "Caddyfile")
    # A minute, so that a slow machine does not get back what was refused.
    configured("nginx.conf", {**common, "443 ssl": f"127.0.0.1:{port} ssl", "rate=10r/s": "rate=1r/m"})
    temporary = "".join(f"{kind}_temp_path {out}/temporary; " for kind in
                        ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (out / "whole.conf").write_text(f"daemon off; pid {out}/pid; error_log stderr; events {{}}\n"
                                    f"http {{ {temporary} access_log off; include {out}/nginx.conf; }}\n")
    return Running(out / "proxy.log", program, "-e", "stderr", "-p", out, "-c", out / "whole.conf")


def send(port, client=None, target="/reports", method="POST", body=content, **headers):
    """The status; 0 where the handshake is refused."""
    trusted = ssl.create_default_context(cafile=tls / "site.pem")
    if client:
        trusted.load_cert_chain(tls / f"{client}.pem", tls / f"{client}.key")
    connection = http.client.HTTPSConnection("localhost", port, timeout=600, context=trusted)
    try:
        connection.request(method, target, body, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (ssl.SSLError, ConnectionError):
        return 0
    finally:
        connection.close()


def listens(port):
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


def stored():
    return parsed_metrics(server.get("/metrics").said)['sotto_serve_requests_total{outcome="stored"}']


def check_nginx(port):
    bearer = {"Authorization": f"Bearer {token}"}
    expect(send(port, "sensor") == 202, "a sensor's certificate is not taken")
    expect(send(port, "gateway") == 202, "a gateway's certificate is not taken")
    expect(send(port, **bearer) == 202, "a token is not taken")
    expect(stored() == 3, "not stored")
    expect(send(port) == 401, "nobody is let in")
    expect(send(port, Authorization=f"Bearer {token[1:]}") == 401, "a wrong token is taken")
    expect(send(port, "printer") == 401, "a class that is none is taken")
    expect(send(port, "escaped") == 401, "a comma in a name makes a class")
    expect(send(port, "stranger") == 400, "another's certificate is taken")
    expect(send(port, "sensor", "/metrics", "GET") == 404, "more than reports is passed on")
    statuses = collections.Counter(send(port, "gateway") for _ in range(40))
    expect(statuses.keys() == {202, 429} and 19 <= statuses[202] <= 22, f"over its rate: {statuses}")
    expect(send(port, "sensor") == 202, "gateways hold up sensors")
    return 3 + statuses[202] + 1


def check_caddy(port):
    expect(send(port, "sensor") == 202, "a certificate is not taken")
    expect(send(port) == 0, "nobody is let in")
    expect(send(port, "stranger") == 0, "another's certificate is taken")
    expect(send(port, "sensor", "/metrics", "GET") == 404, "more than reports is passed on")
    expect(send(port, "sensor", body=bytes(5 << 20)) in (0, 413, 502), "a large body is passed on")
    return 1


authority("site")
authority("devices")
authority("others")
certificate("server", "/CN=localhost", "site")
for name in ("sensor", "gateway", "printer"):
    certificate(name, f"/OU={name}/CN=devices", "devices")
certificate("escaped", "/CN=a,OU=sensor", "devices")
certificate("stranger", "/OU=sensor/CN=devices", "others")
(etc / "tokens").write_text(f'"Bearer {token}" sensor;\n')
os.chmod(out, 0o755)

server = Server("incoming", "--proxy", "127.0.0.1", "--status-port", 0)
at = free_port()
proxy = start(at)
within(600, lambda: listens(at) or proxy.process.poll() is not None, "the proxy does not listen")
expect(proxy.process.poll() is None, proxy.said())
taken = check_nginx(at) if which == "nginx" else check_caddy(at)
expect(stored() == taken, f"{stored()} stored, {taken} taken")
# Nothing says who reported, in trouble either.
expect(send(at, "sensor", body=bytes(5 << 20)) in (0, 413, 502), "a large body is passed on")
expect(server.stop(signal.SIGTERM) == 0, "SIGTERM does not end it well")
expect(send(at, "sensor") == 502, "nobody is behind the proxy")
proxy.stop(signal.SIGTERM)
expect(not any(word in proxy.said() for word in ("client: ", "remote_ip")), proxy.said())
counted = run(sotto, "ingest", "--registry", registry, "--store", out / "store", *server.files()).stdout
expect(counted.startswith("25 reports "), counted)
print(f"{which}: {taken} taken, 25 reports counted")
