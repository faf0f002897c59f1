"""A misspelt nested key in a component fails the tests, with its path, in each SDK in use."""

from collections.abc import Callable
from typing import Any

import pulumi_gcp as gcp
import pulumi_kubernetes as k8s
import pytest
from pulumi_offline import BrokenProgram
from rdma_cluster.cli.preview import run_program
from rdma_cluster.cli.stack_file import read_stack
from tests.stacks import ROOT

Spoil = Callable[[dict[str, Any]], object]


def misspell(holder: dict[str, Any], key: str, wrong: str) -> None:
    """Rename a key."""
    holder[wrong] = holder.pop(key)


CASES: dict[str, tuple[Callable[[], Any], Spoil, str]] = {
    "gcp node pool": (
        lambda: gcp.container.NodePool,
        lambda given: (
            "guest_accelerators" in given["node_config"]
            and misspell(
                given["node_config"]["guest_accelerators"][0],
                "gpu_driver_installation_config",
                "gpu_driver_installation_confg",
            )
        ),
        "gcp:container/nodePool:NodePool gke-a4: nodeConfig.guestAccelerators[0].gpu_driver_installation_confg: "
        "unknown property of NodePoolNodeConfigGuestAcceleratorArgs; did you mean gpu_driver_installation_config",
    ),
    "gcp subnetwork": (
        lambda: gcp.compute.Subnetwork,
        lambda given: (
            "secondary_ip_ranges" in given and misspell(given["secondary_ip_ranges"][1], "range_name", "rangename")
        ),
        "gcp:compute/subnetwork:Subnetwork gke-primary: secondaryIpRanges[1].rangename: "
        "unknown property of SubnetworkSecondaryIpRangeArgs; did you mean range_name",
    ),
    "kubernetes daemon set": (
        lambda: k8s.apps.v1.DaemonSet,
        lambda given: misspell(given["spec"]["update_strategy"]["rolling_update"], "max_unavailable", "max_unavailble"),
        "kubernetes:apps/v1:DaemonSet gke-gib: spec.updateStrategy.rollingUpdate.max_unavailble: "
        "unknown property of RollingUpdateDaemonSetArgs; did you mean max_unavailable",
    ),
    "kubernetes claim template": (
        lambda: k8s.resource.v1.ResourceClaimTemplate,
        lambda given: misspell(given["spec"]["spec"]["devices"]["requests"][0]["exactly"], "deviceClassName", "class"),
        "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate gke-default-a4-highgpu-8g-nics: "
        "spec.spec.devices.requests[0].exactly.class: unknown property of ExactDeviceRequestArgs",
    ),
    "kubernetes chart": (
        lambda: k8s.helm.v3.Release,
        lambda given: given.update(timeout="20m"),
        "kubernetes:helm.sh/v3:Release gke-gpu: timeout: '20m' is not int",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_misspelt_key_is_found(case: str, monkeypatch: pytest.MonkeyPatch):
    """The engine would send it to the cloud; the offline preview names the path and the key that was meant."""
    resource, spoil, expected = CASES[case]
    cls = resource()
    original = cls._internal_init

    def init(self: Any, *args: Any, **given: Any) -> None:
        spoil(given)
        original(self, *args, **given)

    monkeypatch.setattr(cls, "_internal_init", init)
    monkeypatch.chdir(ROOT)

    with pytest.raises(BrokenProgram) as caught:
        run_program(*read_stack("gke", None, []))

    assert expected in map(str, caught.value.problems)
