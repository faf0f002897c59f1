"""What is installed shows what a user goes on with, and its objects are made for where they run."""

import json
from typing import Any

import pytest
from pulumi_offline import Resource
from tests.incluster.installed import graph, there

pytestmark = pytest.mark.xdist_group("installed")


def component(kind: str, name: str) -> Resource:
    """Return the component of a kind and a name."""
    (found,) = [each for each in graph().resources if each.type.endswith(f":index:{kind}") and each.name == name]
    return found


def test_a_program_is_told_what_is_proved_and_why_the_rest_is_not():
    """The target of a cluster that takes jobs is a secret, and other clusters have none."""
    outputs = graph().outputs
    proofs, rack = outputs["aws"]["proofs"], outputs["racks"]["proofs"]["claimed-racks"]

    assert {name: each["status"] for name, each in proofs.items()} == {"efa": "not proven", "plugged": "not proven"}
    assert outputs["google"]["proofs"]["named"].keys() == {"status", "reason"}
    # A rack is proved by its NICs, and then over NVLink.
    assert rack["nvlink"].keys() <= rack.keys() and rack["nvlink"]["status"] == "not proven"
    assert (outputs["aws"]["dispatch"], outputs["google"]["dispatch"]) == ("[secret]", "")


def test_a_cluster_is_reached_by_a_plugin_that_asks_nobody():
    """Its certificate is named where it is no public one; the provider is another one only where the cluster is."""
    public, private = (json.loads(each) for each in graph().outputs["kubeconfigs"])
    (provider,) = [each for each in graph().resources if each.name == "reached"]
    plugin = public["users"][0]["user"]["exec"]

    assert (plugin["command"], plugin["args"], plugin["interactiveMode"]) == ("get-token", ["--cluster", "c"], "Never")
    assert public["current-context"] == public["contexts"][0]["name"]
    assert public["clusters"][0]["cluster"] == {"server": "https://c.example"}
    assert private["clusters"][0]["cluster"]["certificate-authority-data"] == "Q0E="
    assert graph().outputs["secret"] == "[secret]"
    assert provider.inputs["clusterIdentifier"] == "c-1" and "protect" not in provider.options


@pytest.mark.parametrize(
    ("kind", "name", "outputs"),
    [
        # AWS's chart brings the class.
        ("DraDrivers", "aws", {"deviceClass": ""}),
        ("DraDrivers", "google", {"deviceClass": "dranet"}),
        ("ClaimTemplates", "aws", {"names": {"p5.48xlarge": ["p5.48xlarge-whole-gpus", "p5.48xlarge-whole-nics"]}}),
        ("FabricInjection", "aws", {"machines": ["p5.48xlarge"]}),
        ("Queues", "aws", {"queues": {"efa": "efa", "plugged": "plugged"}, "target": "[secret]"}),
    ],
)
def test_a_component_shows_the_names_by_which_a_program_goes_on(kind: str, name: str, outputs: dict[str, Any]):
    assert component(kind, name).outputs == outputs


def test_a_store_of_the_stack_is_a_volume_in_each_namespace():
    """Of a claim that is there already nothing is made."""
    csi = there("azure")["PersistentVolume data-team"].inputs["spec"]["csi"]
    outputs = graph().outputs

    assert csi == {"driver": "gcsfuse", "volumeHandle": "account:team", "volumeAttributes": {"protocol": "nfs"}}
    assert (outputs["azure"]["storage"]["store"], outputs["azure"]["storage"]["claim"]) == ("account/data", "data")
    assert (outputs["google"]["storage"]["kind"], outputs["google"]["storage"]["store"]) == ("existing", "")
    assert outputs["aws"]["storage"] == {} and not [each for each in there("google") if "Volume" in each]


def test_a_namespace_admits_what_its_pods_need():
    def labels(name: str) -> dict[str, str]:
        return there("aws")[f"Namespace {name}"].inputs["metadata"].get("labels", {})

    assert labels("rdma-acceptance") == {"pod-security.kubernetes.io/enforce": "privileged"}
    assert labels("rdma-readiness") == {"pod-security.kubernetes.io/enforce": "restricted"}
    assert labels("rdma-monitoring") == {"resource.kubernetes.io/admin-access": "true"}
    assert labels("team") == {}


def on_hosts(cluster: str, app: str) -> dict[str, Any]:
    """Return the pod of a DaemonSet on the hosts, and see that it runs before all taints, in four waves."""
    spec = there(cluster)[f"DaemonSet kube-system/{app}"].inputs["spec"]
    pod = spec["template"]["spec"]
    assert spec["updateStrategy"]["rollingUpdate"] == {"maxUnavailable": "25%"}
    assert pod["tolerations"] == [{"operator": "Exists"}] and pod["priorityClassName"] == "system-node-critical"
    assert (pod["hostNetwork"], pod["hostPID"], pod["automountServiceAccountToken"]) == (True, True, False)
    return pod


def test_an_installer_works_once_on_its_pools_and_pauses():
    """What pauses has no rights, and the installer writes below one folder, in which nothing of its image lies."""
    driver, nccl = (on_hosts("google", each) for each in ("nvidia-driver-installer", "nccl-installer-gib"))
    terms = nccl["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    (work,), (pause,) = nccl["initContainers"], nccl["containers"]

    assert terms[0]["matchExpressions"][0]["values"] == ["gib", "nics"]
    assert work["securityContext"] == {"privileged": True} and work["command"][0] == "/bin/sh"
    assert pause["securityContext"]["runAsNonRoot"] and pause["securityContext"]["readOnlyRootFilesystem"]
    folders = {each["name"]: each["hostPath"] for each in nccl["volumes"]}
    assert folders["gib"] == {"path": "/home/kubernetes/bin/gib", "type": "DirectoryOrCreate"}
    assert {"name": "gib", "mountPath": "/usr/local/home/kubernetes/bin/gib"} in work["volumeMounts"]
    # The image of NVIDIA's driver is on the node already.
    assert driver["initContainers"][0]["imagePullPolicy"] == "Never" and driver["initContainers"][0]["env"]
