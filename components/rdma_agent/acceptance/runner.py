"""Decides whether a pool is tested now, lets its suspended test run, and keeps what it proved.

It ends with 0 where the pool is proven. A test that is due and kept for later ends it with 1, too: a Job that failed is
made again by the next `up`, and its test with it. What became of the test stands in an annotation of the runner's Job,
which the watcher reads.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote

from ..kube_api import Api, add_options, ended, is_suspended, listed, plain, seconds_of, stamp
from ..names import OUTCOME, POOL, POOL_PROOF, PROVES, RUNNER_UID, TESTS_NAMESPACE
from . import pool_proof
from .in_use import users
from .pool_proof import PoolProof
from .test_end import idle, judged, outcome, selector_of

KEEP, WAIT, FAIL = "keep", "wait", "fail"
"""What becomes of a test whose nodes are in use: ``acceptance.onBusy``."""
TEST_SECONDS = 300
"""How long the runner waits for the object of its test, which `up` makes behind it."""
LOOK_SECONDS = 30
"""From one look at who uses the nodes to the next: each lists the pods of the whole cluster, for hours at times."""
_CORE = f"/api/v1/namespaces/{TESTS_NAMESPACE}"
_JOBS = f"/apis/batch/v1/namespaces/{TESTS_NAMESPACE}/jobs"
_PATHS = {"Job": _JOBS, "MPIJob": f"/apis/kubeflow.org/v2beta1/namespaces/{TESTS_NAMESPACE}/mpijobs"}
_MOST_NAMED = 4
"""The most users of nodes that a message names."""


class Ended(Exception):
    """What became of the test: ``proven``, ``due`` or ``failed``, with the words for a person."""

    def __init__(self, status: str, message: str, proof: PoolProof | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.proof = status, message, proof


class Runner:
    """One pool's test, from the question whether it is due to the proof."""

    def __init__(self, api: Api, config: Mapping[str, Any], job: str, poll: float) -> None:
        """``job`` is the name of the Job whose pod this is."""
        self._api, self._config, self._job, self._poll = api, config, job, poll
        self._kind: str = config["kind"]
        self._path: str = f"{_PATHS[self._kind]}/{quote(config['test'])}"

    def run(self) -> Ended:
        """Looks, decides, tests. Raises what the API server answers."""
        try:
            before = self._before()
            why = self._why(before)
            if before is not None and not why:
                words = f"proven on {before.at} by {before.by}, and nothing that it rests on has changed"
                raise Ended("proven", words, before)
            if is_suspended(self._made_for_this_runner()):
                self._wait_for_nodes(before, why)
                self._suspend(False)
            return self._end(before, why)
        except Ended as end:
            return end

    def _made_for_this_runner(self) -> dict[str, Any]:
        """The test, once it is there: `up` makes another one with each runner."""
        uid = self._api.get(f"{_JOBS}/{quote(self._job)}")["metadata"]["uid"]
        deadline = time.monotonic() + TEST_SECONDS
        while (test := self._get(self._path)) is None or _runner_of(test) != uid:
            if time.monotonic() > deadline:
                raise Ended("failed", f"finished: did not finish: there is no {self._kind} {self._config['test']}")
            time.sleep(self._poll)
        return test

    def _suspend(self, suspended: bool) -> None:
        """A Job that is suspended has no pods; its time counts anew when it runs."""
        of_kind = {"suspend": suspended}
        self._api.merge(self._path, {"spec": of_kind if self._kind == "Job" else {"runPolicy": of_kind}})

    def _before(self) -> PoolProof | None:
        """The proof of an earlier `up`, kept or told by the test of a release that kept none."""
        if (kept := self._get(f"{_CORE}/configmaps/{POOL_PROOF.format(self._config['pool'])}")) is not None:
            return pool_proof.read(kept.get("data", {}).get("proof.json", ""))
        selector = f"{POOL}={self._config['pool']},!{PROVES}"
        tests = listed(self._api, _PATHS[self._kind], labelSelector=selector)
        passed = [each for each in tests if (end := ended(each)) and end["type"] != "Failed"]
        expected = self._get(f"{_CORE}/configmaps/{self._config['earlier']['expectation']}")
        if not passed or expected is None:
            return None
        last = max(passed, key=lambda each: each["metadata"]["creationTimestamp"])
        wanted = json.loads(expected["data"]["expectation.json"])
        earlier = self._config["earlier"]
        return pool_proof.of_release(last, wanted, self._config["values"], earlier["values"], earlier["release"])

    def _why(self, before: PoolProof | None) -> list[str]:
        """What voids the earlier proof."""
        if before is None:
            return ["there is no earlier proof"]
        nodes = listed(self._api, "/api/v1/nodes", labelSelector=self._config["selector"])
        proven = seconds_of(before.at)
        new = [each["metadata"]["name"] for each in nodes if seconds_of(each["metadata"]["creationTimestamp"]) > proven]
        joined = [f"nodes: {len(new)} joined after it, {new[0]} among them"] if new else []
        return [*pool_proof.voided(before, self._config["values"]), *joined]

    def _wait_for_nodes(self, before: PoolProof | None, why: Sequence[str]) -> None:
        """Returns once enough nodes are idle. Where a proof is kept, or nobody shall wait, that is the end."""
        # A pool without a proof is never waved through.
        on_busy = WAIT if before is None and self._config["onBusy"] == KEEP else self._config["onBusy"]
        deadline = time.monotonic() + self._config["waitSeconds"]
        while words := self._busy():
            if on_busy == KEEP and before is not None:
                raise self._due(before, why, words)
            if on_busy == FAIL:
                raise Ended("failed", f"busy: {words}; acceptance.onBusy is fail; a test is due: {'; '.join(why)}")
            if time.monotonic() > deadline:
                raise Ended("failed", f"busy: {words}; waited {self._config['waitSeconds']} s; {'; '.join(why)}")
            time.sleep(LOOK_SECONDS)

    def _busy(self) -> str:
        """Who uses the nodes that a test takes; empty where enough are idle."""
        by_node = users(self._api, self._config["selector"])
        used = {node: pod for node, pod in by_node.items() if pod}
        if not used or len(by_node) - len(used) >= self._config["nodes"]:
            return ""
        named = [f"{node} by {pod}" for node, pod in used.items()][:_MOST_NAMED]
        more = f" and {len(used) - len(named)} more" if len(used) > len(named) else ""
        return f"{len(used)} of {len(by_node)} nodes are in use: {', '.join(named)}{more}"

    def _due(self, before: PoolProof, why: Sequence[str], words: str) -> Ended:
        due = replace(before, due="; ".join(why))
        self._keep(due)
        return Ended("due", f"kept: proven on {before.at} by {before.by}; a test is due: {due.due}; {words}", due)

    def _end(self, before: PoolProof | None, why: Sequence[str]) -> Ended:
        deadline = time.monotonic() + self._config["testSeconds"]
        test: dict[str, Any] = {}
        pods: list[dict[str, Any]] = []
        told: tuple[bool, str] | None = None
        while told is None and time.monotonic() < deadline:
            time.sleep(self._poll)
            found = self._get(self._path)
            if found is None:
                return Ended(
                    "failed", f"finished: did not finish: {self._config['test']} was deleted; wanted its verdict"
                )
            test = {**found, "kind": self._kind}
            pods = list(listed(self._api, f"{_CORE}/pods", labelSelector=selector_of(test)))
            told = outcome(test, pods)
        if told is None:
            lines = [f"finished: did not finish within {self._config['testSeconds']} s; wanted a verdict", *idle(pods)]
            told = False, "\n".join(lines)
        passed, message = told
        if passed:
            at = pool_proof.ended_at(test) or stamp()
            began = test["status"].get("startTime") or test["metadata"]["creationTimestamp"]
            seconds = seconds_of(at) - seconds_of(began)
            proof = PoolProof(at, self._config["release"], self._config["values"], seconds)
            self._keep(proof)
            return Ended("proven", message, proof)
        if before is not None and not judged(pods) and self._config["onBusy"] == KEEP and (words := self._busy()):
            # Work was faster; what waits for nodes must not stand in its way.
            self._suspend(True)
            return self._due(before, why, words)
        # A fabric that failed has no proof: the next `up` tests it, whoever uses it.
        self._delete_proof()
        return Ended("failed", message)

    def _keep(self, proof: PoolProof) -> None:
        metadata = {"name": POOL_PROOF.format(self._config["pool"]), "namespace": TESTS_NAMESPACE}
        kept = {"metadata": metadata, "data": {"proof.json": proof.to_json()}}
        try:
            self._api.merge(f"{_CORE}/configmaps/{metadata['name']}", kept)
        except HTTPError as error:
            if error.code != 404:
                raise
            self._api.open(f"{_CORE}/configmaps", "POST", {"apiVersion": "v1", "kind": "ConfigMap", **kept}).close()

    def _delete_proof(self) -> None:
        try:
            self._api.open(f"{_CORE}/configmaps/{POOL_PROOF.format(self._config['pool'])}", "DELETE").close()
        except HTTPError as error:
            if error.code != 404:
                raise

    def _get(self, path: str) -> dict[str, Any] | None:
        """The object at a path; ``None`` where there is none."""
        try:
            return self._api.get(path)
        except HTTPError as error:
            if error.code != 404:
                raise
            return None


def _runner_of(test: Mapping[str, Any]) -> str:
    """The uid of the Job that a test was made for, which the pod that leads carries."""
    spec = test["spec"]
    lead = spec["mpiReplicaSpecs"]["Launcher"]["template"] if "mpiReplicaSpecs" in spec else spec["template"]
    return lead["metadata"].get("annotations", {}).get(RUNNER_UID, "")


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the pool is proven, 1 in every other case; the annotation of its Job says which."""
    options = _parser().parse_args(argv)
    config = json.loads(Path(options.config).read_text(encoding="utf-8"))
    api = Api(options.server, options.credentials)
    deadline = time.monotonic() + config["testSeconds"] + config["waitSeconds"]
    runner = Runner(api, config, options.job, options.poll)
    while True:
        try:
            end = runner.run()
            told: dict[str, Any] = {"status": end.status, "message": plain(end.message)}
            if end.proof is not None:
                told |= {"at": end.proof.at, "by": end.proof.by, "seconds": end.proof.seconds, "due": end.proof.due}
            api.merge(f"{_JOBS}/{quote(options.job)}", {"metadata": {"annotations": {OUTCOME: json.dumps(told)}}})
            break
        except (OSError, HTTPException, ValueError) as error:  # ValueError: an answer that is no JSON
            print(plain(f"{type(error).__name__}: {error}"), file=sys.stderr)
            if time.monotonic() > deadline:
                return 1
            time.sleep(options.poll)
    print(plain(end.message))
    return 0 if end.status == "proven" else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="run-test", description="prove the fabric of a pool, where that is due")
    parser.add_argument("--config", required=True, metavar="FILE")
    parser.add_argument("--job", default=os.environ.get("JOB", ""), help="name of the Job whose pod this is")
    parser.add_argument("--poll", type=float, default=5.0, metavar="SECONDS")
    add_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
