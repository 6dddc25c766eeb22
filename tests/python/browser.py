"""A headless Chromium that opens pages at a given width and tells what it sees.

Driven through --remote-debugging-pipe (https://chromedevtools.github.io/devtools-protocol/): JSON
messages that end with a zero byte, read from descriptor 3 and written to descriptor 4.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
TIME_LIMIT_S = 60


class Browser:
    """One page; `with Browser() as browser`."""

    def __init__(self):
        self.errors, self.requests = [], []
        self._last, self._buffer = 0, b""
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._loaded = False
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        arguments = [
            PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--disable-background-networking", "--disable-component-update", "--no-first-run",
            "--hide-scrollbars", f"--user-data-dir={self._profile.name}",
            "--remote-debugging-pipe", "about:blank",
        ]  # fmt: skip
        given = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_browser, from_browser)]
        command = 'exec 3<&%d 4>&%d; exec "$@"' % tuple(given)
        self._process = subprocess.Popen(
            ["bash", "-c", command, "browser", *arguments], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=given, start_new_session=True,
        )  # fmt: skip
        for end in (to_browser, from_browser, *given):
            os.close(end)
        self._session = None
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._session = None
            self._call("Browser.close")
            self._process.wait(10)
        except (OSError, AssertionError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._profile.cleanup()

    def open(self, path, width=1280, scheme="light", height=900):
        """Loads a file, and returns the seconds it took. Errors and requests are its own then."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                   deviceScaleFactor=1, mobile=width < 600)
        self._call("Emulation.setEmulatedMedia",
                   features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.errors, self.requests, self._loaded = [], [], False
        started = time.monotonic()
        found = self._call("Page.navigate", url=path.resolve().as_uri())
        assert "errorText" not in found, found["errorText"]
        while not self._loaded:
            self._note(self._read(started + TIME_LIMIT_S))
        return time.monotonic() - started

    def run(self, expression):
        """JavaScript's value."""
        found = self._call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in found:
            raise AssertionError(found["exceptionDetails"])
        return found["result"].get("value")

    def hover(self, selector, x_share=0.5, y_share=0.5):
        """Moves the pointer over the first such element; the text of the tip that appears."""
        box = self.run(
            "(() => { const e = document.querySelector(%s); e.scrollIntoView({block: 'center',"
            " behavior: 'instant'}); const b = e.getBoundingClientRect();"
            " return [b.left, b.top, b.width, b.height]; })()" % json.dumps(selector)
        )
        self.run("new Promise((done) => setTimeout(done, 100))")
        x, y = box[0] + box[2] * x_share, box[1] + box[3] * y_share
        self._call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return self.run("(() => { const t = document.getElementById('tip');"
                        " return t.hidden ? '' : t.textContent; })()")

    def screenshot(self, path):
        """Of the whole page."""
        data = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(data["data"]))

    def _call(self, method, **parameters):
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + TIME_LIMIT_S
        while True:
            answer = self._read(deadline)
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def _read(self, deadline):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0, deadline - time.monotonic()))
            part = os.read(self._in, 1 << 20) if ready else b""
            if not part:
                raise AssertionError("the browser doesn't answer")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, event):
        if event.get("method") == "Page.loadEventFired":
            self._loaded = True
        method, about = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(about["exceptionDetails"])
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning"):
            self.errors.append(about)
        elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.errors.append(about["entry"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
