"""The published manifests of manifests.yaml, each rebuilt from its parts, and what becomes of its pods on a stack."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from rdma_cluster.cli.stack_file import in_cluster_of
from rdma_cluster.incluster.addons.injection.plan import InjectionPlan
from rdma_cluster.incluster.plan.in_cluster import InClusterPlan
from rdma_cluster.injection import Injected, check_pod, inject
from tests import quick_yaml

Pod = dict[str, Any]
STACKS = ("gke", "eks", "aks", "oke")
"""Ours, each with another fabric."""
_FILE = Path(__file__).with_name("manifests.yaml")
_OF_KIND = {
    "hostPath": {"path": "/mnt/data"},
    "persistentVolumeClaim": {"claimName": "data"},
    "configMap": {"name": "mine"},
    "secret": {"secretName": "mine"},
}
"""Volumes whose own words do not matter."""


@frozen
class Manifest:
    """A published manifest."""

    name: str
    kind: str
    api_version: str
    source: Mapping[str, Any]
    pods: tuple[Pod, ...]
    """Its templates of pods, in their order."""


def manifests() -> list[Manifest]:
    """All, in the order of the file."""
    return [
        Manifest(
            _name(each), each["kind"], each["apiVersion"], each["source"], tuple(pod_of(pod) for pod in each["pods"])
        )
        for each in quick_yaml.load(_FILE.read_text(encoding="utf-8"))
    ]


def _name(record: Mapping[str, Any]) -> str:
    source = record["source"]
    block = f" ({source['block']})" if "block" in source else ""
    path = "/".join(source["path"].split("/")[-2:])
    return f"{source['repository']} {path}{block}"


def pod_of(record: Mapping[str, Any]) -> Pod:
    """A template of pods from its parts."""
    spec = {key: of for key, of in record.items() if key not in ("at", "containers", "initContainers", "volumes")}
    for key in ("initContainers", "containers"):
        if key in record:
            spec[key] = [_container(name, of) for name, of in record[key].items()]
    if volumes := record.get("volumes"):
        spec["volumes"] = [
            {"name": name, **({of: _OF_KIND[of]} if isinstance(of, str) else of)} for name, of in volumes.items()
        ]
    return {"spec": spec}


def _container(name: str, record: Mapping[str, Any]) -> dict[str, Any]:
    made = {"name": name, **{key: of for key, of in record.items() if key not in ("env", "mounts")}}
    if env := record.get("env"):
        made["env"] = [{"name": each, "value": "of-the-user"} for each in env]
    if mounts := record.get("mounts"):
        made["volumeMounts"] = [{"name": volume, "mountPath": path} for path, volume in mounts.items()]
    return made


def plan_on(stack: str) -> InjectionPlan:
    """Injection into every pod of a stack that asks for GPUs."""
    injection = injecting(stack).addons.injection
    assert injection is not None
    return injection.plan


@cache
def injecting(stack: str) -> InClusterPlan:
    """The inside of the stack's cluster with that injection."""
    overrides = ["injection.enabled=true", "injection.engine=kyverno", "injection.everyPod=true"]
    return in_cluster_of(stack, overrides, "pods")


def injected(pod: Pod, plan: InjectionPlan) -> Injected:
    """What becomes of a pod that the API server would take."""
    errors = ErrorList()
    check_pod(pod, errors)
    assert not errors, errors.found()
    return inject(pod, plan.patterns, plan.scope)
