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

CASES: dict[str, tuple[Callable[[], Any], Callable[[dict[str, Any]], object], str, str]] = {
    "gcp": (
        lambda: gcp.compute.Subnetwork,
        lambda given: "secondary_ip_ranges" in given and misspell(given["secondary_ip_ranges"][1], "range_name"),
        "gcp:compute/subnetwork:Subnetwork gke-primary: secondaryIpRanges[1].range_namex",
        "did you mean range_name",
    ),
    "kubernetes": (
        lambda: k8s.resource.v1.ResourceClaimTemplate,
        lambda given: misspell(given["spec"]["spec"]["devices"]["requests"][0]["exactly"], "deviceClassName"),
        "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate gke-default-a4-highgpu-8g-nics: "
        "spec.spec.devices.requests[0].exactly.deviceClassNamex",
        "did you mean deviceClassName",
    ),
    "a chart's value of another type": (
        lambda: k8s.helm.v3.Release,
        lambda given: given.update(timeout="20m"),
        "kubernetes:helm.sh/v3:Release gke-gpu: timeout",
        "'20m' is not int",
    ),
}


def misspell(holder: dict[str, Any], key: str) -> None:
    """Write an x behind a key."""
    holder[f"{key}x"] = holder.pop(key)


@pytest.mark.parametrize("case", CASES)
def test_a_misspelt_key_is_found_before_the_engine_sends_it(case: str, monkeypatch: pytest.MonkeyPatch):
    resource, spoil, place, words = CASES[case]
    cls = resource()
    original = cls._internal_init

    def init(self: Any, *args: Any, **given: Any) -> None:
        spoil(given)
        original(self, *args, **given)

    monkeypatch.setattr(cls, "_internal_init", init)
    monkeypatch.chdir(ROOT)

    with pytest.raises(BrokenProgram) as caught:
        run_program(*read_stack("gke", None, []))

    assert any(str(each).startswith(place) and words in str(each) for each in caught.value.problems)
