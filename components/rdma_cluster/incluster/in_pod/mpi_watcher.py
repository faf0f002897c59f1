"""Waits for an MPIJob and ends as it ended: an MPIJob is a custom resource, which nobody awaits.

Runs inside the cluster, as it stands here: standard library of Python 3.10 and above, nothing else of this package.
"""

import argparse
import json
import ssl
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote

CREDENTIALS = "/var/run/secrets/kubernetes.io/serviceaccount"
_LABEL = "training.kubeflow.org"
_MOST_PODS = 8
_AGAIN = "\nanother `up` sees this test again; a new text in acceptance.rerun runs a new one"
_MOST_BYTES = 4000  # of the 4096 that Kubernetes keeps; what follows has the rest


class GoneError(Exception):
    """What was there is there no more."""


class Api:
    """The API server, as this pod's service account sees it."""

    def __init__(self, server: str, credentials: Path):
        self._server = server
        self._token = credentials / "token"
        tls = ssl.create_default_context(cafile=credentials / "ca.crt") if server.startswith("https:") else None
        # No proxy, whatever the environment says: what is asked for is inside the cluster.
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=tls)
        )

    def get(self, path: str) -> Any:
        """The object at a path. Raises ``GoneError`` where there is none."""
        # Read anew each time: the kubelet renews it within the hour.
        headers = {"Authorization": f"Bearer {self._token.read_text().strip()}", "Accept": "application/json"}
        request = urllib.request.Request(self._server + path, headers=headers)
        try:
            with self._opener.open(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 404:
                raise GoneError(path) from None
            raise


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the MPIJob succeeded, 1 in every other case; the termination message says why."""
    options = _parser().parse_args(argv)
    api = Api(options.server, Path(options.credentials))
    code, message = _watch(api, options.namespace, options.job, options.seconds, options.poll)
    # Half a character would make the whole status of the pod invalid.
    plain = message.encode("ascii", "replace").decode()[:_MOST_BYTES]
    if code:
        plain += _AGAIN
    print(plain)
    Path(options.termination).write_text(plain)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mpi_watcher", description="wait for an MPIJob and end as it ended")
    parser.add_argument("--namespace", required=True)
    parser.add_argument("--job", required=True, help="name of the MPIJob")
    parser.add_argument("--seconds", required=True, type=int, help="when to give up")
    parser.add_argument("--poll", type=float, default=5.0, metavar="SECONDS")
    parser.add_argument("--server", default="https://kubernetes.default.svc")
    parser.add_argument("--credentials", default=CREDENTIALS, metavar="FOLDER")
    parser.add_argument("--termination", default="/dev/termination-log", metavar="FILE")
    return parser


def _watch(api: Api, namespace: str, job: str, seconds: int, poll: float) -> tuple[int, str]:
    deadline = time.monotonic() + seconds
    there, trouble = False, ""
    pods: dict[str, Any] = {"items": []}
    while time.monotonic() < deadline:
        try:
            state = api.get(f"/apis/kubeflow.org/v2beta1/namespaces/{namespace}/mpijobs/{quote(job)}")
            there, trouble = True, ""
            pods = api.get(f"/api/v1/namespaces/{namespace}/pods?labelSelector={quote(f'{_LABEL}/job-name={job}')}")
            if (outcome := _outcome(state, pods["items"])) is not None:
                return outcome
        except GoneError:
            if there:
                return 1, f"finished: did not finish: MPIJob {job} was deleted; wanted its verdict"
            trouble = f"there is no MPIJob {job}"
        except (OSError, HTTPException, ValueError) as error:  # ValueError: an answer that is no JSON
            trouble = f"{type(error).__name__}: {error}"
            print(trouble, file=sys.stderr, flush=True)
        time.sleep(poll)
    lines = [f"finished: did not finish within {seconds} s; wanted a verdict"]
    if trouble:
        return 1, "\n".join([*lines, trouble])
    return 1, "\n".join([*lines, *_idle(pods["items"])])


def _outcome(job: dict[str, Any], pods: list[dict[str, Any]]) -> tuple[int, str] | None:
    """How the MPIJob ended; ``None`` while it runs."""
    ended = {
        condition["type"]: condition
        for condition in job.get("status", {}).get("conditions", [])
        if condition["status"] == "True" and condition["type"] in ("Succeeded", "Failed")
    }
    launchers = [pod for pod in pods if _role(pod) == "launcher"]
    said = next((text for pod in launchers if (text := _verdict(pod))), "")
    if "Failed" in ended:
        why = ": ".join(ended["Failed"].get(key, "") for key in ("reason", "message")).strip(": ")
        return 1, said or "\n".join([f"finished: did not finish: {why}; wanted a verdict", *_idle(pods)])
    if "Succeeded" in ended:
        return 0, said or "passed"
    lost = [pod for pod in pods if _role(pod) == "worker" and pod.get("status", {}).get("phase") == "Failed"]
    if lost and not launchers:
        # The operator waits for all workers before it makes the launcher, and a failed one is never made again.
        return 1, "\n".join(["ran: a worker failed before the test; wanted all of them ready", *_idle(lost)])
    return None


def _role(pod: dict[str, Any]) -> str:
    return pod["metadata"].get("labels", {}).get(f"{_LABEL}/job-role", "")


def _verdict(pod: dict[str, Any]) -> str:
    """The termination message of the container that judges."""
    for container in pod.get("status", {}).get("containerStatuses", []):
        if container["name"] == "verdict":
            return container.get("state", {}).get("terminated", {}).get("message", "").strip()
    return ""


def _idle(pods: list[dict[str, Any]]) -> list[str]:
    """A line for each pod that does not run, with the reason that Kubernetes gives."""
    lines = []
    for pod in pods:
        status = pod.get("status", {})
        waiting = [each.get("state", {}).get("waiting", {}) for each in status.get("containerStatuses", [])]
        unscheduled = [
            each for each in status.get("conditions", []) if each["type"] == "PodScheduled" and each["status"] != "True"
        ]
        # A container that is being created says no more than that.
        told = [each for each in waiting if each.get("message")] + unscheduled + [status]
        why = next((f"{each.get('reason', '')}: {each['message']}" for each in told if each.get("message")), "")
        if why or status.get("phase") not in ("Running", "Succeeded"):
            phase = status.get("phase", "no status")
            lines.append(f"pod {pod['metadata']['name']} is {phase}{': ' + why.strip(': ') if why else ''}")
    more = [f"and {len(lines) - _MOST_PODS} more pods"] if len(lines) > _MOST_PODS else []
    return lines[:_MOST_PODS] + more


if __name__ == "__main__":
    sys.exit(main())
