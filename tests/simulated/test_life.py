"""A resource of each package lives through the provider protocol, from CheckConfig to Delete."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline import sdk
from pulumi_offline.codec import SECRET, SIGNATURE
from rdma_rehearsal.inventory import Inventory
from tests.simulated.engine import Clouds
from tests.simulated.sound import CLUSTER, cluster


@dataclass
class Example:
    """A type of resource, and changes of it."""

    package: str
    token: str
    inputs: dict[str, Any]
    computed: str
    """An output that the cloud makes up."""
    in_place: dict[str, Any]
    anew: dict[str, Any]
    fixed: str
    settings: dict[str, Any] = field(default_factory=dict)
    other_provider: dict[str, Any] = field(default_factory=dict)
    """Settings with which a provider is another one."""


RG = {"resourceGroupName": "group"}
NEWLY_TOLD = {"profile": "corp", "impersonateServiceAccount": "a", "clientId": "b", "userOcid": "c"}
"""What states of 0.1.0 do not have of a provider: it changes in place, and with it nothing that it made."""
EXAMPLES = [
    Example(
        "gcp",
        "gcp:compute/network:Network",
        {"project": "p", "autoCreateSubnetworks": False, "mtu": 8896},
        "selfLink",
        {"mtu": 1460},
        {"autoCreateSubnetworks": True},
        "autoCreateSubnetworks",
        {"project": "p"},
        {"project": "q"},
    ),
    Example(
        "aws",
        "aws:eks/addon:Addon",
        {"clusterName": "c", "addonName": "coredns"},
        "arn",
        {"addonVersion": "v1.12.4-eksbuild.1"},
        {"addonName": "vpc-cni"},
        "addonName",
        {"region": "us-east-2"},
        {"region": "us-west-2"},
    ),
    Example(
        "azure-native",
        "azure-native:managedidentity:UserAssignedIdentity",
        {**RG, "location": "southcentralus", "tags": {"a": "b"}},
        "principalId",
        {"tags": {"a": "c"}},
        {"location": "eastus"},
        "location",
        {"subscriptionId": "s"},
        {"subscriptionId": "t"},
    ),
    Example(
        "oci",
        "oci:Core/vcn:Vcn",
        {"compartmentId": "ocid1.compartment.oc1..a", "cidrBlocks": ["10.0.0.0/16"], "dnsLabel": "vcn"},
        "defaultRouteTableId",
        {"displayName": "other"},
        {"dnsLabel": "other"},
        "dnsLabel",
        {"region": "eu-frankfurt-1"},
        {"region": "eu-paris-1"},
    ),
    Example(
        "kubernetes",
        "kubernetes:core/v1:ConfigMap",
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a": "b"}},
        "metadata",
        {"metadata": {"name": "m", "labels": {"a": "b"}}},
        {"metadata": {"name": "n"}},
        "metadata",
        {"clusterIdentifier": "here/c"},
        {"clusterIdentifier": "there/c"},
    ),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.package)
def test_a_resource_is_made_read_changed_replaced_and_removed(example: Example, clouds: Clouds, tmp_path: Path):
    """It is on disk all the time."""
    provider = clouds.provider(example.package, **example.settings)
    token, inputs = example.token, provider.check(example.token, "one", example.inputs)

    assert provider.handshake.accept_secrets
    assert provider.version() == sdk.version(token)
    assert provider.diff_config(example.settings, example.settings).changes == 1  # DIFF_NONE
    assert provider.diff_config(example.settings, example.other_provider).replaces
    told = provider.diff_config(example.settings, {**NEWLY_TOLD, **example.settings})
    assert set(told.diffs) == NEWLY_TOLD.keys() and not told.replaces
    assert provider.check(token, "one", example.inputs, inputs) == inputs  # a name that is given once stays

    assert provider.create(token, "one", inputs, preview=True)[0] == ""
    assert len(clouds.inventory) == 0
    id_, outputs = provider.create(token, "one", inputs)
    assert outputs.items() >= {k: v for k, v in inputs.items() if k != "metadata"}.items() and outputs[example.computed]
    assert provider.read(id_, token, "one") == (id_, outputs)
    assert Inventory(tmp_path / "world").get(id_) == clouds.inventory.get(id_)

    assert provider.diff(token, "one", inputs, inputs).changes == 1
    changed = {**inputs, **example.in_place}
    difference = provider.diff(token, "one", inputs, changed)
    assert (difference.changes, list(difference.replaces)) == (2, [])
    previewed = provider.update(id_, token, "one", inputs, changed, preview=True)
    assert previewed.items() >= example.in_place.items()
    assert provider.read(id_, token, "one")[1] == outputs
    updated = provider.update(id_, token, "one", inputs, changed)
    assert provider.read(id_, token, "one") == (id_, updated)
    if example.computed not in example.in_place:
        assert updated[example.computed] == outputs[example.computed]

    difference = provider.diff(token, "one", inputs, {**inputs, **example.anew})
    assert list(difference.replaces) == [example.fixed]

    provider.delete(id_, token, "one")
    assert provider.read(id_, token, "one")[0] == ""
    provider.delete(id_, token, "one")
    assert len(Inventory(tmp_path / "world")) == 0
    assert [each.verb for each in clouds.log.take()] == ["create", "update", "delete", "delete"]


def test_secrets_stay_secret(clouds: Clouds):
    """Keys that a cloud makes up are secrets from the beginning."""
    secret = {SIGNATURE: SECRET, "value": "b"}
    inputs = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a": secret}}
    _, outputs = clouds.provider("kubernetes").create("kubernetes:core/v1:ConfigMap", "one", inputs)
    _, made = clouds.provider("gcp").create(CLUSTER, "c", cluster())

    assert outputs["data"] == {"a": secret}
    assert made["masterAuth"]["clientKey"][SIGNATURE] == SECRET
    assert [each.inputs.get("data") for each in clouds.inventory] == [{"a": "b"}, None]


def test_two_of_the_same_name_are_not_there_at_once(clouds: Clouds):
    """The old one goes first, unless the provider made up the name."""
    provider = clouds.provider("gcp")
    old = {"name": "n", "project": "p", "autoCreateSubnetworks": False}
    new = {**old, "autoCreateSubnetworks": True}

    assert provider.diff("gcp:compute/network:Network", "n", old, new).deleteBeforeReplace
    assert not provider.diff("gcp:compute/network:Network", "n", old, {**new, "name": "m"}).deleteBeforeReplace
