# SPDX-License-Identifier: Apache-2.0
"""sotto serve, for its tests: SOTTO and OUT are what the test was given."""
import http.client
import pathlib
import re
import shutil
import socket
import sys

from running import Running, make_registry, reports, within

sotto, out = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
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
        client = socket.create_connection(("127.0.0.1", self.port), 600, (client, 0))
        client.sendall(content)
        return client

    def files(self):
        return sorted(p for p in self.directory.iterdir() if not p.name.startswith("."))
