"""What a program is told of the clusters that it makes."""

import json
from typing import Any

import pytest
from pulumi_offline import Resource
from rdma_cluster.fabrics import FABRICS
from rdma_cluster.incluster.addons.queues.dispatch import cluster_queue_of
from rdma_cluster.incluster.addons.readiness import watcher
from rdma_cluster.incluster.plan.workload import Workload
from tests.incluster.installed import called, graph, objects, plans, there
from tests.incluster.test_installed import CLUSTERS

pytestmark = pytest.mark.xdist_group("installed")


def test_what_a_program_is_told():
    """Proofs of what is tested and why the rest is not; the target of a cluster that takes jobs, which is secret."""
    outputs = graph().outputs
    proofs = outputs["aws"]["proofs"]

    assert proofs.keys() == {"efa", "plugged"}
    assert proofs["efa"]["status"] == "not proven" and proofs["efa"]["collective"] == "all_reduce"
    assert outputs["google"]["proofs"]["named"] == {"status": "not proven", "reason": "acceptance is disabled"}
    assert (outputs["aws"]["dispatch"], outputs["google"]["dispatch"]) == ("[secret]", "")
    assert watcher.NAMESPACE == "kube-system"


def test_how_a_cluster_is_reached():
    """By a command that asks for a token, which nobody has to answer; its certificate is named where it is no public
    one. Secret, and the provider is another one only where the cluster is."""
    outputs = graph().outputs
    public, private = (json.loads(each) for each in outputs["kubeconfigs"])
    (provider,) = [each for each in graph().resources if each.name == "reached"]
    server = {"server": "https://c.example"}

    assert public == {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": server}],
        "users": [
            {
                "name": "c",
                "user": {
                    "exec": {
                        "apiVersion": "client.authentication.k8s.io/v1beta1",
                        "interactiveMode": "Never",
                        "command": "get-token",
                        "args": ["--cluster", "c"],
                    }
                },
            }
        ],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
        "current-context": "c",
    }
    assert private == {**public, "clusters": [{"name": "c", "cluster": {**server, CERTIFICATE: "Q0E="}}]}
    assert outputs["secret"] == "[secret]"
    assert provider.inputs["clusterIdentifier"] == "c-1" and "protect" not in provider.options


CERTIFICATE = "certificate-authority-data"


def component(kind: str, name: str) -> Resource:
    """The component of a kind and a name."""
    (found,) = [each for each in graph().resources if each.type.endswith(f":index:{kind}") and each.name == name]
    return found


def shown(kind: str, name: str) -> dict[str, Any]:
    """The inputs of a component."""
    return component(kind, name).inputs


def test_what_components_show():
    """Names by which a program goes on: of classes, templates, namespaces, machines and queues."""
    aws = plans()["aws"]
    assert aws.addons.readiness is not None
    outputs = {
        f"{kind} {name}": dict(component(kind, name).outputs)
        for kind, name in (
            *(("DraDrivers", name) for name in ("aws", "google")),
            *((kind, "aws") for kind in ("ClaimTemplates", "FabricInjection", "Monitoring", "MpiOperator")),
            *((kind, "aws") for kind in ("NodeReadiness", "Queues")),
            *((kind, "google") for kind in ("Queues",)),
        )
    }

    assert outputs == {
        # AWS's chart brings the class.
        "DraDrivers aws": {"deviceClass": ""},
        "DraDrivers google": {"deviceClass": "dranet"},
        "ClaimTemplates aws": {"names": {"p5.48xlarge": ["p5.48xlarge-whole-gpus", "p5.48xlarge-whole-nics"]}},
        "FabricInjection aws": {"machines": ["p5.48xlarge"]},
        "Monitoring aws": {"namespace": "rdma-monitoring"},
        "MpiOperator aws": {"namespace": "mpi-operator"},
        "NodeReadiness aws": {"fingerprints": aws.addons.readiness.plan.fingerprints},
        "Queues aws": {"queues": {"efa": "efa", "plugged": "plugged"}, "target": "[secret]"},
        "Queues google": {"queues": {"gib": "gib", "nics": "nics", "named": "named"}, "target": ""},
    }
    gib = component("NcclInstaller", "google-gib").outputs["workload"]
    assert gib == Workload(FABRICS["gib"]).pod_patch()


def test_files_wait_for_namespaces_of_claims():
    """Each by itself: what waits for a component alone would go with its namespace and not before it."""
    (namespace,) = [each for each in objects("claims") if called(each) == "Namespace team"]

    assert namespace.urn in there("claims")["ConfigMap team/nccl-topology-ndv5"].dependencies


def test_a_rack_is_proved_twice():
    """By its NICs, and then over NVLink, whose proof stands within the other."""
    proof = graph().outputs["racks"]["proofs"]["claimed-racks"]
    nics, nvlink = plans()["racks"].acceptance.plan.tests

    assert proof == {"status": "not proven", **nics.shown, "nvlink": {"status": "not proven", **nvlink.shown}}
    assert there("racks")["ComputeDomain rdma-acceptance/nccl-claimed-racks-nvlink"].inputs["spec"] == {
        "numNodes": 0,
        "channel": {"resourceClaimTemplate": {"name": "nccl-claimed-racks-nvlink"}, "allocationMode": "Single"},
    }


def test_data_of_the_stacks_store():
    """A claim in each namespace, by the store's own handle and attributes; of what is there already nothing is made."""
    csi = there("azure")["PersistentVolume data-team"].inputs["spec"]["csi"]

    assert csi == {"driver": "gcsfuse", "volumeHandle": "account:team", "volumeAttributes": {"protocol": "nfs"}}
    assert graph().outputs["azure"]["storage"] == {
        "kind": "objectStore",
        "claim": "data",
        "namespaces": ["default", "team"],
        "annotations": {},
        "storageClass": "",
        "volume": "",
        "store": "account/data",
    }
    theirs = graph().outputs["google"]["storage"]
    assert (theirs["kind"], theirs["claim"], theirs["store"]) == ("existing", "data", "")
    assert graph().outputs["aws"]["storage"] == {}


def test_a_queue_has_the_gpus_of_all_its_clusters():
    """Of both: by the output that is known, and by that of another stack."""
    queue = there("google")["ClusterQueue sent"].inputs["spec"]

    assert queue == cluster_queue_of("sent", ["default"], "16")["spec"]


def test_components_show_what_the_user_chose():
    """Each is one of its kind on a cluster, and its inputs are the user's own options for it."""
    kinds = {
        name: sorted(
            each.type.rpartition(":")[2]
            for each in graph().resources
            if each.type.startswith("rdma-cluster:") and (each.name == name or each.name.startswith(f"{name}-"))
        )
        for name in CLUSTERS
    }

    assert kinds == {
        "aws": [
            *("ClaimTemplates", "DevicePlugins", "DraDrivers", "FabricInjection", "Monitoring", "MpiOperator"),
            *("NcclAcceptance", "NodeReadiness", "Queues"),
        ],
        "google": [
            *(
                "ClaimTemplates",
                "DraDrivers",
                "Monitoring",
                "NcclAcceptance",
                "NcclInstaller",
                "NcclInstaller",
                "Queues",
            )
        ],
        "claims": ["ClaimTemplates", "DraDrivers", "NcclAcceptance", "PodFiles"],
        "racks": ["ClaimTemplates", "DraDrivers", "NcclAcceptance", "NcclInstaller"],
        "metal": ["ClaimTemplates", "DraDrivers", "NcclAcceptance", "NcclInstaller"],
        "azure": ["NcclAcceptance", "PodFiles", "SharedVolume"],
    }
    assert shown("PodFiles", "azure")["namespaces"] == ["default", "team"]
    assert shown("NcclInstaller", "google-gib")["nodes"] == {"label": "pool", "values": ["gib", "nics"], "nodes": 5}
