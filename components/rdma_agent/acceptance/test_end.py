"""How a test ended, a Job or an MPIJob, as its object and its pods tell. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..kube_api import ended, unscheduled

_MOST_PODS = 8
_INDEX = "batch.kubernetes.io/job-completion-index"
_ROLE = "training.kubeflow.org/job-role"


def selector_of(test: Mapping[str, Any]) -> str:
    """The label selector of a test's pods."""
    label = "batch.kubernetes.io/job-name" if test["kind"] == "Job" else "training.kubeflow.org/job-name"
    return f"{label}={test['metadata']['name']}"


def outcome(test: Mapping[str, Any], pods: Sequence[Mapping[str, Any]]) -> tuple[bool, str] | None:
    """Whether a test passed, and the judge's words or why there are none; ``None`` while it runs."""
    end = ended(test)
    said = next((text for pod in pods if _leads(pod) and (text := _verdict(pod))), "")
    if end is not None and end["type"] == "Failed":
        why = ": ".join(end.get(key, "") for key in ("reason", "message")).strip(": ")
        return False, said or "\n".join([f"finished: did not finish: {why}; wanted a verdict", *idle(pods)])
    if end is not None:
        return True, said or "passed"
    lost = [each for each in pods if _role(each) == "worker" and each.get("status", {}).get("phase") == "Failed"]
    if lost and not any(_leads(each) for each in pods):
        # The MPI operator waits for all workers before it makes the launcher, and never makes a failed one again.
        return False, "\n".join(["ran: a worker failed before the test; wanted all of them ready", *idle(lost)])
    return None


def judged(pods: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a judge has spoken: a test without a verdict says nothing of its nodes."""
    return any(_leads(pod) and _verdict(pod) for pod in pods)


def idle(pods: Sequence[Mapping[str, Any]]) -> list[str]:
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


def _role(pod: Mapping[str, Any]) -> str:
    return pod["metadata"].get("labels", {}).get(_ROLE, "")


def _leads(pod: Mapping[str, Any]) -> bool:
    return _role(pod) == "launcher" or pod["metadata"].get("labels", {}).get(_INDEX) == "0"


def judge_end(pod: Mapping[str, Any]) -> Mapping[str, Any]:
    """How the container that judges ended, with its message; empty while it runs and where a pod has none."""
    containers = (each for each in pod.get("status", {}).get("containerStatuses", []) if each["name"] == "verdict")
    return next((each.get("state", {}).get("terminated", {}) for each in containers), {})


def _verdict(pod: Mapping[str, Any]) -> str:
    return judge_end(pod).get("message", "").strip()
