"""What a node is told: read as cloud-init and nodeadm read it."""

from base64 import b64decode
from email import message_from_bytes

import pytest
import yaml
from rdma_cluster.catalog.eks import EksMachine
from rdma_cluster.eks.plan.interfaces import efa_on_card_0, max_pods_of
from rdma_cluster.eks.plan.user_data import user_data
from tests.eks.plans import BUILDABLE, pool_plan, row

CONFIG = {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig"}


def parts(text: str) -> dict[str, str]:
    """The document's parts by content type."""
    document = message_from_bytes(b64decode(text))
    assert document.is_multipart() and not document.defects
    found = {}
    for part in document.get_payload():
        assert not isinstance(part, str)
        found[part.get_content_type()] = str(part.get_payload())
    return found


def test_p5():
    """One array of disks; the count as an expression, and again in the file that wins over EKS's own part."""
    found = parts(pool_plan().user_data)

    expression = "((default_enis - 1) * (ips_per_eni - 1)) + 2"
    spec = {"instance": {"localStorage": {"strategy": "RAID0"}}, "kubelet": {"maxPodsExpression": expression}}
    assert yaml.safe_load(found["application/node.eks.aws"]) == {**CONFIG, "spec": spec}
    script = found["text/x-shellscript"]
    assert script.startswith("#!/bin/sh\nset -e\n")
    file, _, body = script.partition("cat >")[2].partition(" <<'END'\n")
    assert file == "/etc/eks/nodeadm.d/50-rdma-cluster.yaml"
    assert yaml.safe_load(body.partition("END\n")[0]) == {**CONFIG, "spec": {"kubelet": {"config": {"maxPods": 51}}}}


@pytest.mark.parametrize("machine", BUILDABLE, ids=lambda machine: machine.name)
def test_expression_gives_the_same(machine: EksMachine):
    """nodeadm's arithmetic and ours agree: it counts by what EC2 says of the type's default card."""
    if not efa_on_card_0(machine):
        return
    made = user_data(max_pods=None, efa_on_card_0=True, local_disks=False)
    expression = yaml.safe_load(parts(made)["application/node.eks.aws"])["spec"]["kubelet"]["maxPodsExpression"]

    known = {"default_enis": machine.interfaces_per_card, "ips_per_eni": machine.ipv4_per_interface}
    assert eval(expression, {}, known) == max_pods_of(machine)


def test_fewer_pods_are_told():
    """The user's own number, in the file alone: the expression is about memory kept for the most there may be."""
    assert "maxPods: 30\n" in parts(pool_plan(max_pods=30).user_data)["text/x-shellscript"]


def test_machine_of_unknown_limits():
    """GB200's limits are not published, and its card 0 has no EFA device: EKS counts, and counts well."""
    block = {"capacity_block": {"id": "cr-0123456789abcdef0"}}
    found = parts(pool_plan(machine="p6e-gb200.36xlarge", nodes=9, capacity=block).user_data)

    assert max_pods_of(row("p6e-gb200.36xlarge")) is None
    assert list(found) == ["application/node.eks.aws"]
    assert "maxPods" not in found["application/node.eks.aws"]


def test_nothing_to_say():
    """No document at all: EKS's own is enough."""
    assert user_data(max_pods=None, efa_on_card_0=False, local_disks=False) == ""
