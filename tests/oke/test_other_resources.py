"""Each resource of identity, images and storage whole: what Oracle's API and the engine are told."""

from typing import Any

import pytest
from tests.oke.plans import CLUSTER, COMPARTMENT, IN_CLUSTER, TENANCY, ZONE, built, made

LINK = "https://objectstorage.eu-frankfurt-1.oraclecloud.com/p/x/n/y/b/images/o/mine.oci"
OF_IAM: dict[str, Any] = {**{key: IN_CLUSTER[key] for key in ("region", "tenancy", "compartment")}, "cluster": CLUSTER}


def test_policies():
    """In the compartment and in the tenancy, in the home region, and gone before others of their names come."""
    graph = built("OkeIdentityPolicies", {**OF_IAM, "modes": ["instances", "gpu-memory-cluster"], "lustre": True})
    of_nodes, options, after = made(graph, "Policy", "oke-nodes")
    of_tenancy, _, _ = made(graph, "Policy", "oke-tenancy")
    statements = of_nodes.pop("statements")
    words = {"description": "Nodes of OKE cluster oke"}

    assert of_nodes == {"compartmentId": COMPARTMENT, "name": "oke-nodes", **words}
    assert len(statements) == 5 and all(f"in compartment id {COMPARTMENT} " in each for each in statements)
    assert of_tenancy == {
        "compartmentId": TENANCY,
        "name": "oke-tenancy",
        **words,
        "statements": [
            "Allow any-user to use tag-namespaces in tenancy where request.principal.type = "
            "'compute-gpu-memory-clusters'",
            "Allow service lustrefs to use virtual-network-family in tenancy",
        ],
    }
    assert (options, after) == ({"deleteBeforeReplace": True}, {"DynamicGroup oke-nodes"})
    assert made(graph, "DynamicGroup", "oke-nodes")[:2] == (
        {
            "compartmentId": TENANCY,
            "name": "oke-nodes",
            **words,
            "matchingRule": f"ALL {{instance.compartment.id = '{COMPARTMENT}'}}",
        },
        {"deleteBeforeReplace": True},
    )
    component = graph.one("rdma-cluster:index:OkeIdentityPolicies", "oke")
    assert component.outputs == {"statements": [*statements, *of_tenancy["statements"]]}


def test_group_of_a_domain():
    """As the domain's API writes it."""
    domain = {"name": "Default", "url": "https://idcs-1.identity.oraclecloud.com:443"}
    graph = built("OkeIdentityPolicies", {**OF_IAM, "modes": ["instances"], "domain": domain})

    assert made(graph, "DomainsDynamicResourceGroup", "oke-nodes")[:2] == (
        {
            "idcsEndpoint": domain["url"],
            "schemas": ["urn:ietf:params:scim:schemas:oracle:idcs:DynamicResourceGroup"],
            "displayName": "oke-nodes",
            "description": "Nodes of OKE cluster oke",
            "matchingRule": f"ALL {{instance.compartment.id = '{COMPARTMENT}'}}",
        },
        {"deleteBeforeReplace": True},
    )


def test_image():
    """Imported once, whatever becomes of its link; 20 GB take their time; an entry for its shape."""
    graph = built("OkeImportedImage", {"compartment": COMPARTMENT, "machines": ["BM.GPU.H100.8"], "url": LINK})

    assert made(graph, "Image", "oke-mine")[:2] == (
        {
            "compartmentId": COMPARTMENT,
            "displayName": "mine",
            "imageSourceDetails": {"sourceType": "objectStorageUri", "sourceUri": LINK},
        },
        {"customTimeouts": {"create": "3h", "delete": "1h"}, "ignoreChanges": ["imageSourceDetails"]},
    )
    assert made(graph, "ShapeManagement", "oke-mine-BM.GPU.H100.8")[:2] == (
        {
            "compartmentId": COMPARTMENT,
            "imageId": "[id of oci:Core/image:Image oke-mine]",
            "shapeName": "BM.GPU.H100.8",
        },
        {},
    )
    assert graph.one("rdma-cluster:index:OkeImportedImage", "oke").outputs == {
        "image": "[id of oci:Core/image:Image oke-mine]"
    }


@pytest.mark.parametrize(("deletable", "options"), [(False, {"protect": True}), (True, {})])
def test_file_system(deletable: bool, options: dict[str, bool]):
    """Of the size and the tier, in the servers' subnet; root of a pod is root of its files."""
    lustre = {"capacity_gb": 31_200, "mbps_per_tb": 250, "deletable": deletable}
    args = {**IN_CLUSTER, "subnet": "s", "groups": ["g"], "namespaces": ["a"], "lustre": lustre}
    found = made(built("OkeStorage", args), "FileStorageLustreFileSystem", "oke-storage")

    assert found[:2] == (
        {
            "compartmentId": COMPARTMENT,
            "availabilityDomain": ZONE,
            "displayName": "oke-storage",
            "fileSystemName": "data",
            "capacityInGbs": 31_200,
            "performanceTier": "MBPS_PER_TB_250",
            "rootSquashConfiguration": {"identitySquash": "NONE"},
            "subnetId": "s",
            "nsgIds": ["g"],
        },
        {"customTimeouts": {"create": "120m", "update": "120m", "delete": "60m"}, **options},
    )
