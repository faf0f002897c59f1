"""Graphs of plain machines that break a policy each."""

from tests.policies import tree
from tests.policies.breaking import Break, Data, put, the
from . import policies


def machine(data: Data) -> Data:
    """The first machine's inputs."""
    return the(data, ":Instance", "gce-a3-0")["inputs"]


def second(data: Data) -> Data:
    """The metadata of the one that follows it."""
    return the(data, ":Instance", "gce-a3-1")["inputs"]["metadata"]


BREAKS: dict[str, list[Break]] = {
    "gce": [
        (
            policies.machines_have_no_public_address,
            lambda data: put(machine(data)["networkInterfaces"][0], "accessConfigs", [{}]),
        ),
        (policies.nics_are_in_order, lambda data: machine(data)["networkInterfaces"].reverse()),
        (policies.nics_are_in_order, lambda data: machine(data)["networkInterfaces"][1].update(nicType="VIRTIO_NET")),
        (policies.packets_have_one_size, lambda data: the(data, ":Network")["inputs"].pop("mtu")),
        (
            policies.ways_in_are_few,
            lambda data: put(the(data, ":Firewall", "gce-iap-ssh")["inputs"], "allows", [{"protocol": "tcp"}]),
        ),
        (policies.subnets_hold_the_ceiling, lambda data: put(the(data, ":GceHpcNetwork")["inputs"], "maxNodes", 1)),
        (policies.capacity_has_one_source, lambda data: machine(data)["scheduling"].update(provisioningModel="SPOT")),
        (
            policies.every_pool_is_ordered_alike,
            lambda data: put(second(data), "nccl-acceptance-judge", machine(data)["metadata"]["nccl-acceptance-judge"]),
        ),
        (policies.every_pool_is_ordered_alike, lambda data: second(data).pop("enable-guest-attributes")),
        (
            policies.metadata_is_read,
            lambda data: put(machine(data)["metadata"], "enable-os-login", machine(data)["metadata"]["enable-oslogin"]),
        ),
        (policies.metadata_fits, lambda data: put(second(data), "user-data", "x" * 262_145)),
        (
            tree.nothing_is_open_to_the_world,
            lambda data: the(data, ":Firewall")["inputs"]["sourceRanges"].append("0.0.0.0/0"),
        ),
        (
            tree.subnets_are_disjoint,
            lambda data: put(the(data, ":Subnetwork", "gce-rail-1")["inputs"], "ipCidrRange", "10.0.1.0/24"),
        ),
    ],
    "gce-a3-high": [
        (
            policies.capacity_has_one_source,
            lambda data: the(data, ":Instance")["inputs"]["scheduling"].pop("instanceTerminationAction"),
        )
    ],
}
