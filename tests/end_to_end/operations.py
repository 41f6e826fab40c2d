#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/OPERATIONS.md, in order, in a system below a directory. Here stand in for apt
and systemctl: dpkg-deb, and a start of each unit's ExecStart as the unit says.
    operations.py PACKAGE_OUT OUT NGINX"""
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

from openmetrics import parsed_metrics
from running import Running, expect, make_registry, reports, root, run, within

(package,) = pathlib.Path(sys.argv[1]).resolve().glob("*.deb")
out, nginx = pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
system = out / "root"
etc, state, units = (system / path for path in ("etc/sotto", "var/lib/sotto", "usr/lib/systemd/system"))
page = (root / "docs/OPERATIONS.md").read_text()
expect(page.count("\n") <= 30, f"the page has {page.count(chr(10))} lines")


def free_port():
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


plain, status, public = free_port(), free_port(), free_port()
places = {"/etc/": f"{system}/etc/", "/usr/share/": f"{system}/usr/share/", "/var/lib/": f"{system}/var/lib/",
          "/usr/bin/": f"{system}/usr/bin/", "/usr/libexec/": f"{system}/usr/libexec/",
          "127.0.0.1:8450": f"127.0.0.1:{plain}", "8451": f"{status}",
          "reports.example.org": f"localhost:{public}"}  # fmt: skip
running = {}
os.environ["PATH"] = f"{system}/usr/bin:{os.environ['PATH']}"


def placed(text):
    for old, new in places.items():
        text = text.replace(old, new)
    return text


def apt(words):
    expect(words[0] == "install" and re.fullmatch(r"\./build/host/sotto_[\d.]+_\w+\.deb", words[1]) and
           words[1].endswith(package.name), f"the page installs {words}, {package.name} is built")
    run("dpkg-deb", "--extract", package, system)
    (state / "incoming").mkdir(parents=True)
    (system / "etc/nginx/conf.d").mkdir(parents=True)
    conf = etc / "sotto.conf"
    conf.write_text(placed(conf.read_text()).replace("--proxy", f"--port {plain} --proxy"))


def environment(unit):
    (file,) = re.findall(r"^EnvironmentFile=(.*)$", unit, re.M)
    return dict(shlex.split(line)[0].split("=", 1) for line in
                pathlib.Path(file).read_text().splitlines() if line and not line.startswith("#"))


def start(name):
    unit = placed((units / f"{name}.service").read_text())
    values = environment(unit)
    (command,) = re.findall(r"^ExecStart=(.*)$", unit, re.M)
    words = [part for word in command.split()
             for part in (values[word[1:]].split() if word.startswith("$") else [word])]
    (folder,) = re.findall(r"^WorkingDirectory=(.*)$", unit, re.M)
    running[name] = Running(out / f"{name}.log", "env", "-C", folder,
                            *(f"{key}={value}" for key, value in values.items()), *words)


def systemctl(words):
    if words == ["reload", "nginx"]:
        conf = system / "etc/nginx/conf.d/sotto.conf"
        conf.write_text(placed(conf.read_text()).replace("listen 443", f"listen 127.0.0.1:{public}"))
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        (out / "nginx.conf").write_text(
            "daemon off; error_log stderr; events {} pid " + f"{out}/pid; http {{ "
            + "".join(f"{kind}_temp_path {out}/temporary; " for kind in kinds) + f"include {conf}; }}\n")
        running["nginx"] = Running(out / "nginx.log", nginx, "-e", "stderr", "-p", out, "-c", out / "nginx.conf")
        within(600, lambda: listens(public), running["nginx"].said())
    elif words[:2] == ["enable", "--now"]:
        for name in words[2:]:
            if name.endswith(".timer"):
                expect((units / name.replace(".timer", ".service")).exists(), f"{name} starts nothing")
            else:
                start(name)
        within(600, lambda: listens(status) or running["sotto-serve"].process.poll(), "the server does not listen")
    else:
        expect(words[0] == "start", f"systemctl {words}")
        start(words[1])
        expect(running[words[1]].process.wait(timeout=600) == 0, running[words[1]].said())


def listens(port):
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


def certificate():
    tls = etc / "tls"
    tls.mkdir()
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2,
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", tls / "server.key",
        "-out", tls / "server.pem")
    shutil.copy(tls / "server.pem", tls / "devices.pem")
    os.environ["CURL_CA_BUNDLE"] = str(tls / "server.pem")


here = out / "here"  # where the operator is
here.mkdir()
registry = make_registry(here)
today = int(time.time()) // 86400
commands = re.findall(r"^    (\S.*)$", page, re.M)
expect([command.split()[0] for command in commands] ==
       ["apt", "install", "systemctl", "curl", "echo", "cp", "systemctl", "curl", "systemctl"], commands)
for command in commands:
    if "reports.bin" in command:
        reports(system / "usr/bin/sotto", here, registry, 1, 40, epoch=today)
    if command.startswith("echo"):
        certificate()
    kind, *words = command.split()
    if kind in ("apt", "systemctl"):
        {"apt": apt, "systemctl": systemctl}[kind](words)
    else:
        done = subprocess.run(["sh", "-c", placed(command)], cwd=here, capture_output=True, text=True)
        expect(done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}")
    if "reports.bin" in command:
        whole = state / "page.html"
        within(600, lambda: whole.exists() and "of 40 reports" in whole.read_text(), "the page has no estimate")

(target,) = re.findall(r'targets: \["(.*)"\]', placed(page))
with urllib.request.urlopen(f"http://{target}/metrics") as answer:
    expect(parsed_metrics(answer.read().decode())['sotto_serve_requests_total{outcome="stored"}'] == 1, "not stored")
expect((state / "copy/store.json").exists(), "the store was not copied")
expect(running["sotto-serve"].said().startswith('{"time":'), running["sotto-serve"].said())
for name in ("nginx", "sotto-serve", "sotto-watch"):
    expect(running[name].stop(signal.SIGTERM) == 0, f"{name} does not end well")
print(f"{len(commands)} commands, one page, {page.count(chr(10))} lines")
