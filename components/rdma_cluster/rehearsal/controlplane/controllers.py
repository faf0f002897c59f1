"""A whole control plane on 127.0.0.1: an API server with its etcd, the controllers and the scheduler. No node."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .servers import HOST, Programs, api_server, await_ready, free_ports, running

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
    "serviceaccount-token-controller",
    "statefulset-controller",
)
"""What turns our objects into pods and claims, and what clears up after them. Node lifecycle is left out: nobody renews
the leases of nodes that do not exist."""
UNTHROTTLED = ("--kube-api-qps=5000", "--kube-api-burst=5000")
"""The clients' own throttle (20 requests a second) would be all that many pods show."""


@contextmanager
def whole_control_plane(
    folder: Path,
    programs: Programs,
    controllers: Sequence[str] = CONTROLLERS,
    gates: Sequence[str] = (),
    served: Sequence[str] = (),
) -> Generator[Path]:
    """Run the four servers with their data, logs and certificates in ``folder``; gives the admin's kubeconfig.

    Controllers and scheduler lie beside the API server. ``gates`` are flags of all servers but etcd, ``served`` further
    ones of the API server. Raises ``ServerError``.
    """
    beside = programs.api_server.parent
    with api_server(folder, programs, *gates, *served) as kubeconfig, running(folder) as run:
        manager_port, scheduler_port = free_ports(2)
        common = (f"--kubeconfig={kubeconfig}", f"--bind-address={HOST}", "--leader-elect=false", *UNTHROTTLED)
        manager = run(
            "kube-controller-manager",
            beside / "kube-controller-manager",
            f"--secure-port={manager_port}",
            f"--controllers={','.join(controllers)}",
            # For tokens in Secrets, which a manager of queues uses: the API server's own key and certificate.
            f"--service-account-private-key-file={folder / 'certificates' / 'apiserver.key'}",
            f"--root-ca-file={folder / 'certificates' / 'apiserver.crt'}",
            *common,
            *gates,
        )
        scheduler = run("kube-scheduler", beside / "kube-scheduler", f"--secure-port={scheduler_port}", *common, *gates)
        await_ready(f"https://{HOST}:{manager_port}/healthz", *manager)
        await_ready(f"https://{HOST}:{scheduler_port}/readyz", *scheduler)
        yield kubeconfig
