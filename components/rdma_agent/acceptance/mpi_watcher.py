"""Waits for an MPIJob and ends as it ended: an MPIJob is a custom resource, which Pulumi does not await."""

import argparse
import sys
import time
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote

from ..kube_api import Api, add_options, plain, unscheduled

_LABEL = "training.kubeflow.org"
_MOST_PODS = 8
_AGAIN = "\nanother `up` sees this test again; a new text in acceptance.rerun runs a new one"
_MOST_BYTES = 4000  # of the 4096 that Kubernetes keeps; what follows has the rest


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the MPIJob succeeded, 1 in every other case; the termination message says why."""
    options = _parser().parse_args(argv)
    api = Api(options.server, options.credentials)
    code, message = _watch(api, options.namespace, options.job, options.seconds, options.poll)
    said = plain(message)[:_MOST_BYTES] + (_AGAIN if code else "")
    print(said)
    Path(options.termination).write_text(said, encoding="utf-8")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mpi_watcher", description="wait for an MPIJob and end as it ended")
    parser.add_argument("--namespace", required=True)
    parser.add_argument("--job", required=True, help="name of the MPIJob")
    parser.add_argument("--seconds", required=True, type=int, help="when to give up")
    parser.add_argument("--poll", type=float, default=5.0, metavar="SECONDS")
    add_options(parser)
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
        except (OSError, HTTPException, ValueError) as error:  # ValueError: an answer that is no JSON
            if not (isinstance(error, HTTPError) and error.code == 404):
                trouble = f"{type(error).__name__}: {error}"
                print(plain(trouble), file=sys.stderr)
            elif there:
                return 1, f"finished: did not finish: MPIJob {job} was deleted; wanted its verdict"
            else:
                trouble = f"there is no MPIJob {job}"
        time.sleep(poll)
    why = [trouble] if trouble else _idle(pods["items"])
    return 1, "\n".join([f"finished: did not finish within {seconds} s; wanted a verdict", *why])


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
        # A container that is being created says no more than that.
        told = [*waiting, *unscheduled(status), status]
        why = next((f"{each.get('reason', '')}: {each['message']}" for each in told if each.get("message")), "")
        if why or status.get("phase") not in ("Running", "Succeeded"):
            phase = status.get("phase", "no status")
            lines.append(f"pod {pod['metadata']['name']} is {phase}{': ' + why.strip(': ') if why else ''}")
    return lines[:_MOST_PODS] + [f"and {len(lines) - _MOST_PODS} more pods"] * (len(lines) > _MOST_PODS)


if __name__ == "__main__":
    sys.exit(main())
