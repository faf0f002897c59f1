"""A control plane on 127.0.0.1: etcd, API server, controller-manager and scheduler, with no kubelet and no node."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from rdma_cluster.rehearsal.controlplane.servers import HOST, Programs, api_server, await_ready, free_ports, running

from . import build

# What turns our objects into pods and claims, and what clears up after them. Node lifecycle is left out: nobody renews
# the leases of nodes that do not exist.
CONTROLLERS = (
    "daemonset-controller",
    "deployment-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "persistentvolume-protection-controller",
    "persistentvolumeclaim-protection-controller",
    "replicaset-controller",
    "resourceclaim-controller",
    "serviceaccount-controller",
    "statefulset-controller",
)
# The clients' own throttle (20 requests a second) would be all that a test of many pods measures.
UNTHROTTLED = ("--kube-api-qps=5000", "--kube-api-burst=5000")


DEVICE_TAINTS = "--feature-gates=DRADeviceTaintRules=true"
"""Off by default in 1.36, where the API that it needs is off as well; general in 1.37."""


@contextmanager
def control_plane(folder: Path, device_taints: bool = False) -> Generator[Path]:
    """Run the four servers with their data, logs and certificates in `folder`; gives the admin's kubeconfig.

    With `device_taints` single devices can be tainted, and who holds one is evicted.
    """
    programs = build.kubernetes()
    pair = Programs(build.etcd(), programs / "kube-apiserver")
    gates = (DEVICE_TAINTS,) if device_taints else ()
    served = (*gates, "--runtime-config=resource.k8s.io/v1beta2=true") if device_taints else ()
    controllers = (*CONTROLLERS, "device-taint-eviction-controller") if device_taints else CONTROLLERS
    with api_server(folder, pair, *served) as kubeconfig, running(folder) as run:
        manager_port, scheduler_port = free_ports(2)
        common = (f"--kubeconfig={kubeconfig}", f"--bind-address={HOST}", "--leader-elect=false", *UNTHROTTLED)
        manager = run(
            "kube-controller-manager",
            programs / "kube-controller-manager",
            f"--secure-port={manager_port}",
            f"--controllers={','.join(controllers)}",
            *common,
            *gates,
        )
        scheduler = run(
            "kube-scheduler", programs / "kube-scheduler", f"--secure-port={scheduler_port}", *common, *gates
        )
        await_ready(f"https://{HOST}:{manager_port}/healthz", *manager)
        await_ready(f"https://{HOST}:{scheduler_port}/readyz", *scheduler)
        yield kubeconfig
