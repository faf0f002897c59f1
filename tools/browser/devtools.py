"""Drives a browser over its DevTools protocol, on a pipe.

The commands are those of https://chromedevtools.github.io/devtools-protocol/ (2026-11-23). The flags `--dump-dom` and
`--print-to-pdf` are no way: a Chromium may be built without them, as the fetched one is. And no library: playwright,
which does the same, brings 40 MB for the dozen commands that are needed here.
"""

import json
import os
import select
import sys
import time
from base64 import b64decode
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rdma_rehearsal.controlplane.processes import end, spawn
from tools.browser.found import Browser

SECONDS = 60
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-software-rasterizer", "--remote-debugging-pipe",
    # Nothing beside the pages: no name is looked up, and nothing is asked for in the background.
    "--host-resolver-rules=MAP * ~NOTFOUND", "--disable-background-networking", "--no-first-run",
)  # fmt: skip
_COMPLAINTS = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")


class Window:
    """A tab of a browser."""

    def __init__(self, commands: int, answers: int, folder: Path) -> None:
        self._commands, self._answers, self._folder = commands, answers, folder
        self._read = b""
        self._number = 0
        self._session: dict[str, str] = {}
        self.complaints: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session["sessionId"] = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Log", "Runtime"):
            self.call(f"{domain}.enable")

    def show(self, page: str, width: int, media: str = "screen", scheme: str = "light") -> None:
        """Open a page, so wide, on a screen or on paper, for a reader who prefers light or dark."""
        self.complaints.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call(
            "Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}]
        )
        path = self._folder / "page.html"
        path.write_text(page)
        self.call("Page.navigate", url=path.as_uri())
        while self._next()["method"] != "Page.loadEventFired":
            pass

    def value(self, script: str) -> Any:
        """What a script gives in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"]["value"]

    def pdf(self) -> bytes:
        """The page as it is printed."""
        return b64decode(self.call("Page.printToPDF")["data"])

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command's answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters, **self._session}
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            pass
        assert "error" not in answer, f"{method}: {answer.get('error')}"
        return answer["result"]

    def _next(self) -> dict[str, Any]:
        """The next message; what the browser complains of is kept."""
        until = time.monotonic() + SECONDS
        while b"\0" not in self._read:
            ready = select.select([self._answers], [], [], max(0, until - time.monotonic()))[0]
            assert ready, f"the browser said nothing for {SECONDS} s"
            more = os.read(self._answers, 1 << 20)
            assert more, "the browser has ended"
            self._read += more
        text, _, self._read = self._read.partition(b"\0")
        message = json.loads(text)
        if message.get("method") in _COMPLAINTS:
            self.complaints.append(json.dumps(message["params"]))
        return {"method": "", **message}


@contextmanager
def window(browser: Browser, folder: Path) -> Generator[Window]:
    """A browser with one tab; with it goes whatever it started."""
    (theirs, commands), (answers, said) = os.pipe(), os.pipe()
    # It reads from 3 and writes to 4. Each pipe has the lowest numbers that are free, so that `said` is above 4.
    join = f"import os, sys; os.dup2({theirs}, 3); os.dup2({said}, 4); os.execv(sys.argv[1], sys.argv[1:])"
    program = [sys.executable, "-I", "-S", "-c", join, browser.program]
    command = [*program, *_FLAGS, f"--user-data-dir={folder / 'profile'}"]
    with (folder / "browser.log").open("w") as log:
        process = spawn(command, log, pass_fds=(theirs, said), env={**os.environ, **browser.environment})
    os.close(theirs)
    os.close(said)
    try:
        yield Window(commands, answers, folder)
    finally:
        end(process)
        os.close(commands)
        os.close(answers)
