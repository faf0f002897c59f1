"""Watches one node's GPUs and NICs, and writes what is at fault into the node's conditions; one runs on each GPU node.

What it knows of its node's pool comes from ``faults.json``. It asks the API server only when something is to be said,
and once in five minutes: what floods the kernel's log or a counter costs neither memory nor calls.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..device_taints import rules_version
from ..kube_api import EVENTS, STRATEGIC, Api, add_options, event_of, plain, stamp
from .conditions import WATCHED, changed, conditions, resumed, settle, stamped
from .readings import Host, Reading, kernel_log, read
from .rules import Expected, Finding, Known, after_maintenance, findings, learn, recent
from .taints import DeviceRules, node_patch, places, split

EVERY_SECONDS = 30
HEARTBEAT_SECONDS = 300
MOST_EVENTS = 12
"""An hour."""
_REPORTER = "rdma-cluster/fault-watcher"


class Watcher:
    """One node's eyes. ``look`` is one round; it never raises for what the node or the API server do.

    ``started`` is when the node did, in seconds since 1970.
    """

    def __init__(self, api: Api, node: str, config: dict[str, Any], started: float):
        self._api, self._node, self._config, self._started = api, node, config, started
        self._path = f"/api/v1/nodes/{quote(node)}"
        self._readings: list[Reading] = []
        self._known = Known()
        self._active: dict[Finding, float] = {}
        self._expected: Expected | None = None
        self._pool: dict[str, Any] = {}
        self._written = -HEARTBEAT_SECONDS * 1.0
        self._said: list[Finding] | None = None
        self._cordoned = False
        self._events: list[float] = []

    def look(self, host: Callable[[dict[str, Any]], Host], now: float) -> None:
        """Read the node, judge it, and tell the API server what is new."""
        try:
            if self._expected is None:
                self._begin(self._api.get(self._path), now)
            assert self._expected is not None
            reading = read(now, host(self._pool))
            self._known = learn(self._known, reading)
            self._readings = recent([*self._readings, reading])
            found = [] if self._cordoned else findings(self._readings, self._expected, self._known)
            self._active = settle(self._active, found, now)
            new = list(self._active) != self._said and not self._cordoned
            if new or now - self._written >= HEARTBEAT_SECONDS:
                self._tell(reading, now)
        except (OSError, HTTPException, ValueError, KeyError) as error:
            print(plain(f"this round is left out: {error}"), flush=True)

    def _begin(self, node: dict[str, Any], now: float) -> None:
        self._pool = self._config["pools"][node["metadata"]["labels"].get(self._config["label"], "")]
        self._expected = Expected.of(self._pool["expected"])
        found, lines = resumed(node["status"].get("conditions", ()), self._config["conditions"], self._started)
        self._active, self._known = dict.fromkeys(found, now), Known(lines=lines)

    def _tell(self, reading: Reading, now: float) -> None:
        node = self._api.get(self._path)
        cordoned = node.get("spec", {}).get("unschedulable", False)
        if cordoned != self._cordoned:
            # What happens in maintenance is meant, and what was known before may have been exchanged.
            self._cordoned, self._readings = cordoned, []
            self._known = after_maintenance(now)
            if not cordoned:
                self._active = {}
        if cordoned:
            self._written = now
            return
        held = node["status"].get("conditions", [])
        wanted = conditions(self._active, self._config["conditions"], reading.log_open)
        new = changed(wanted, held)
        beat = [each for each in wanted if each["type"] == WATCHED and each not in new]
        patch = {"status": {"conditions": stamped([*new, *beat], held, stamp())}}
        if self._config["on_fault"] != "observe":
            # Before the status is written, which gives the node another version.
            self._taint(node)
        self._api.open(f"{self._path}/status", "PATCH", patch, STRATEGIC).close()
        # Only now: what could not be written is tried again.
        self._written, self._said = now, list(self._active)
        for each in new:
            if each["type"] != WATCHED:
                self._event(node, each, now)

    def _taint(self, node: dict[str, Any]) -> None:
        effect = "NoExecute" if self._config["evict"] else "NoSchedule"
        version = rules_version(self._api)
        devices, value = split(self._active, self._config["taints"], places(self._api, self._node) if version else {})
        rules = DeviceRules(self._api, version, self._node) if version else None
        over = rules.add(devices, effect) if rules else set()
        # Nobody would take that taint away from nodes that are not proved.
        start = self._config["start_taint"] if self._pool["proved"] else None
        patch = node_patch(node, value, effect, start, self._config["proof_label"], bool(over))
        if patch is not None:
            self._api.merge(self._path, patch)
        if rules is not None:
            # Last: a device is free only when its node is held for its proof.
            rules.remove(over)

    def _event(self, node: dict[str, Any], condition: dict[str, Any], now: float) -> None:
        self._events = [each for each in self._events if now - each < 3600]
        if len(self._events) >= MOST_EVENTS:
            return
        self._events.append(now)
        bad, name = condition["status"] == "True", node["metadata"]["name"]
        reason = condition["type"] if bad else f"{condition['type']}Over"
        message = condition["message"] or "no such fault any more"
        event = event_of(node, {"component": _REPORTER, "host": name}, f"{name}.", reason, message, warning=bad)
        self._api.open(EVENTS, "POST", event).close()


def _host(options: argparse.Namespace, pool: dict[str, Any]) -> Host:
    log = kernel_log if options.kernel_log is None else lambda: options.kernel_log.read_text(errors="replace")
    counters = frozenset({"link_downed", *(limit[0] for limit in pool["expected"]["limits"])})
    return Host(tuple((vendor, first) for vendor, first in pool["nics"]), counters, options.sys, options.proc, log)


def main(argv: Sequence[str] | None = None) -> int:
    """Look for ever, or as often as ``--rounds`` says."""
    options = _parser().parse_args(argv)
    config = json.loads(options.config.read_text(encoding="utf-8"))
    watcher = Watcher(Api(options.server, options.credentials), options.node, config, time.time() - time.monotonic())
    rounds = options.rounds
    while rounds is None or rounds > 0:
        watcher.look(lambda pool: _host(options, pool), time.monotonic())
        rounds = None if rounds is None else rounds - 1
        if rounds != 0:
            time.sleep(options.every)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fault_watcher", description="faults of a node become its conditions")
    parser.add_argument("--node", default=os.environ.get("NODE_NAME", ""), help="the node's name")
    parser.add_argument("--config", default="/acceptance/faults.json", type=Path, metavar="FILE")
    parser.add_argument("--sys", default="/sys", type=Path, metavar="FOLDER")
    parser.add_argument("--proc", default="/proc", type=Path, metavar="FOLDER")
    parser.add_argument("--kernel-log", type=Path, metavar="FILE", help="a file in the place of the kernel's own")
    parser.add_argument("--every", default=EVERY_SECONDS, type=float, metavar="SECONDS")
    parser.add_argument("--rounds", type=int, metavar="N", help="end after so many; for tests")
    add_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
