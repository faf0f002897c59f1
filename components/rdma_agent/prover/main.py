"""Proves nodes that join, boot or grow old: reads the API server, decides, and does what was decided.

It remembers nothing that the API server does not hold, and writes only while it holds the Lease.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote

from ..kube_api import EVENTS, STRATEGIC, Api, add_options, event_of, plain, stamp
from ..names import BOOTS, CONDITION, NODES, PROVER, PROVER_NAMESPACE, SUBJECTS, TESTS_NAMESPACE
from . import fill
from .cluster_state import JOBS, MPI_JOBS, paths_of, read
from .decide import decide
from .fleet import Action, Condition, End, SetMark, Start, Test
from .lease import Lease
from .metrics import Metrics


class Prover:
    """One look after the other."""

    def __init__(self, api: Api, config: Mapping[str, Any], lease: Lease, metrics: Metrics) -> None:
        self._api, self._config, self._lease, self._metrics = api, config, lease, metrics
        self._whole: set[str] = set()
        """Tests all of whose objects are there, as far as this process knows."""

    def look(self, now: int) -> None:
        """Reads, decides and acts. What fails is tried at the next look, from the start."""
        if not self._lease.hold():
            return
        seen, nodes = read(self._api, self._config, now)
        actions, conditions = decide(seen)
        ended = {action.test for action in actions if isinstance(action, End)}
        self._whole &= {test.name for test in seen.tests}
        for test in seen.tests:
            if not test.ended and test.name not in ended:
                self._complete(test)
        for action in actions:
            # Another prover may work by now.
            if not self._lease.is_held and not self._lease.hold():
                return
            self._do(action, nodes, now)
        for name, condition in conditions.items():
            self._tell(nodes[name], condition)
        self._metrics.show(seen, conditions)

    def _do(self, action: Action, nodes: dict[str, dict[str, Any]], now: int) -> None:
        match action:
            case SetMark():
                self._mark(nodes, action)
            case Start():
                self._start(action, now)
            case End():
                print(plain(f"test {action.test}: ends: {action.why}"), flush=True)
                for path in paths_of(self._config["pools"]):
                    self._delete(f"{path}/{quote(action.test)}")

    def _mark(self, nodes: dict[str, dict[str, Any]], action: SetMark) -> None:
        # As it is by now: what an earlier action of this look has written counts.
        if (patch := action.mark.patch(nodes[action.node])) is None:
            return
        nodes[action.node] = self._api.merge(f"/api/v1/nodes/{quote(action.node)}", patch)
        print(plain(f"node {action.node}: {action.reason}: {action.message}"), flush=True)
        self._event(nodes[action.node], action.reason, action.message, warning=action.mark.taint is not None)

    def _start(self, action: Start, now: int) -> None:
        pool = self._pool(action.pool)
        # The same nodes at the same time have one name: a test that was made is not made again.
        digest = sha256(" ".join((*action.nodes, str(now))).encode()).hexdigest()[:10]
        name = f"prove-{pool['short']}-{digest}"
        objects = fill.filled(pool["template"], name, action.nodes)
        record = {NODES: action.nodes, SUBJECTS: action.subjects, BOOTS: action.boots}
        test = fill.asked_for(objects[0], pool["short"], record, pool["pullSecret"])
        with self._api.open(_path(pool), "POST", test) as answer:
            self._make(objects[1:], test, json.load(answer)["metadata"])
        self._whole.add(name)
        print(plain(f"test {name}: {', '.join(action.nodes)}"), flush=True)

    def _complete(self, test: Test) -> None:
        """Makes what its pods wait for, where a prover ended between a test and that."""
        if test.name in self._whole:
            return
        pool = self._pool(test.pool)
        made, *others = fill.filled(pool["template"], test.name, test.nodes)
        for owner in self._api.get(f"{_path(pool)}?fieldSelector={quote(f'metadata.name={test.name}')}")["items"]:
            self._make(others, made, owner["metadata"])
        self._whole.add(test.name)

    def _make(self, objects: Sequence[dict[str, Any]], test: Mapping[str, Any], owner: Mapping[str, Any]) -> None:
        """Makes objects that are deleted with the test."""
        reference = {key: test[key] for key in ("apiVersion", "kind")} | {key: owner[key] for key in ("name", "uid")}
        for each in objects:
            each["metadata"]["ownerReferences"] = [reference]
            path = f"/api/v1/namespaces/{TESTS_NAMESPACE}/{each['kind'].lower()}s"
            try:
                self._api.open(path, "POST", each).close()
            except HTTPError as error:
                if error.code != 409:  # it is there
                    raise

    def _pool(self, name: str) -> Mapping[str, Any]:
        return next(each for each in self._config["pools"] if each["name"] == name)

    def _delete(self, path: str) -> None:
        try:
            self._api.open(path, "DELETE", {"propagationPolicy": "Background"}).close()
        except HTTPError as error:
            if error.code != 404:
                raise

    def _tell(self, node: Mapping[str, Any], condition: Condition) -> None:
        """Writes the condition where it differs."""
        status = "True" if condition.is_proven else "False"
        held = next((each for each in node.get("status", {}).get("conditions", []) if each["type"] == CONDITION), {})
        message = plain(condition.message)[:900]
        if (held.get("status"), held.get("reason"), held.get("message")) == (status, condition.reason, message):
            return
        now = stamp()
        since = held.get("lastTransitionTime", now) if held.get("status") == status else now
        written = {"type": CONDITION, "status": status, "reason": condition.reason, "message": message}
        written |= {"lastHeartbeatTime": now, "lastTransitionTime": since}
        path = f"/api/v1/nodes/{quote(node['metadata']['name'])}/status"
        self._api.open(path, "PATCH", {"status": {"conditions": [written]}}, STRATEGIC).close()

    def _event(self, node: Mapping[str, Any], reason: str, message: str, *, warning: bool) -> None:
        name, source = node["metadata"]["name"], {"component": PROVER}
        event = event_of(node, source, "rdma-prover-", reason, plain(message)[:900], warning=warning)
        try:
            self._api.open(EVENTS, "POST", event).close()
        except (OSError, HTTPException) as error:  # only words
            print(plain(f"node {name}: event: {error}"), file=sys.stderr)


def _path(pool: Mapping[str, Any]) -> str:
    """Where the tests of a pool are."""
    return JOBS if pool["template"]["test"]["kind"] == "Job" else MPI_JOBS


def main(argv: Sequence[str] | None = None) -> int:
    """Works until it is stopped."""
    options = _parser().parse_args(argv)
    config = json.loads(Path(options.config).read_text(encoding="utf-8"))
    api = Api(options.server, options.credentials)
    metrics = Metrics()
    metrics.serve(options.port, 3 * options.every + 120)
    lease = Lease(api, options.namespace, PROVER, os.environ.get("HOSTNAME", "prover"))
    prover = Prover(api, config, lease, metrics)
    failures = 0
    while True:
        try:
            prover.look(int(time.time()))
            failures = 0
        except (OSError, HTTPException, ValueError, KeyError) as error:
            failures += 1
            print(plain(f"{type(error).__name__}: {error}{_body(error)}"), file=sys.stderr)
        metrics.alive()
        time.sleep(min(options.every * 2 ** min(failures, 4), 120))


def _body(error: BaseException) -> str:
    return f": {error.read().decode(errors='replace')}" if isinstance(error, HTTPError) else ""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="prover", description="prove the fabric of nodes before they take work")
    parser.add_argument("--config", required=True, metavar="FILE")
    parser.add_argument("--namespace", default=PROVER_NAMESPACE, help="of the Lease")
    parser.add_argument("--every", type=float, default=15.0, metavar="SECONDS")
    parser.add_argument("--port", type=int, default=9188, help="of the metrics; 0 serves none")
    add_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
