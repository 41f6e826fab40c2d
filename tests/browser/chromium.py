# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, spoken to over a pipe, and what it complains about."""
import base64
import json
import os
import subprocess
import tempfile


class Chromium:
    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # it ends slowly
        to_read, self.commands = os.pipe()
        self.answers, to_write = os.pipe()

        def place_pipes():  # Chromium reads 3 and writes 4
            high_read, high_write = os.dup(to_read), os.dup(to_write)
            os.dup2(high_read, 3)
            os.dup2(high_write, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--disable-background-networking", "--disable-dev-shm-usage", "--no-first-run",
             f"--user-data-dir={self.profile.name}", "about:blank"],
            close_fds=False, preexec_fn=place_pipes,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer = b""
        self.number = 0
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.buffer:
            more = os.read(self.answers, 1 << 16)
            if not more:
                raise SystemExit("Chromium has gone")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(e.get("method") == method for e in self.events):
            self.events.append(self.receive())

    def open(self, path, width, dark):
        """Shows a page and answers what is wrong with it: a list of lines."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=2, mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.wait_for("Page.loadEventFired")
        self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
        return self.complaints(path)

    def complaints(self, path):
        """Since the last time it was asked."""
        found = [line for event in self.events if (line := self.complaint(event, path))]
        self.events.clear()
        return found

    @staticmethod
    def complaint(event, path):
        params = event.get("params", {})
        match event.get("method"):
            case "Network.requestWillBeSent":
                url = params["request"]["url"]
                return None if url == path.resolve().as_uri() else f"requests {url[:80]}"
            case "Log.entryAdded":
                return f"log: {params['entry']['text'][:200]}"
            case "Runtime.consoleAPICalled":
                return f"console.{params['type']}"
            case "Runtime.exceptionThrown":
                return f"exception: {params['exceptionDetails']['text']}"
            case "Page.javascriptDialogOpening":
                return "opens a dialog"
        return None

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{expression}: {answer['exceptionDetails']['text']}")
        return answer["result"].get("value")

    def accessible(self):
        """(role, name) of all that a screen reader is told of."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [(n.get("role", {}).get("value"), n.get("name", {}).get("value", ""))
                for n in nodes if not n.get("ignored")]

    def screenshot(self, path):
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def print(self, path):
        printed = self.call("Page.printToPDF", printBackground=False)
        path.write_bytes(base64.b64decode(printed["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()
