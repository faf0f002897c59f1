"""What the machine has for rehearsals with real providers. As a program it says so; with nothing it ends with 1."""

import shutil
import sys

from pulumi_offline.errors import Refused
from rdma_rehearsal.controlplane.servers import find_programs
from rdma_rehearsal.real.forwarder import find_plugin
from rdma_rehearsal.real.record import providers, real_provider
from tests.clouds import CloudTests


def missing(package: str) -> str:
    """What the tests with a provider lack; empty where they lack nothing."""
    if shutil.which("pulumi") is None:
        return "needs `pulumi` on PATH; DEVELOPERS.md says where to get it"
    try:
        find_plugin(real_provider(package))
        if package == "kubernetes":
            find_programs("")
    except Refused as refused:
        return str(refused)
    return ""


def of_cloud(cloud: CloudTests) -> list[str]:
    """The providers of its stacks that a rehearsal can run."""
    return [
        each for each in providers() if each == cloud.sdk_package or (each == "kubernetes" and cloud.has_kubernetes)
    ]


if __name__ == "__main__":
    lack = {package: missing(package) for package in providers()}
    for package, what in lack.items():
        if what:
            print(f"real: {package} is left out: {what}")
    sys.exit(all(lack.values()))
