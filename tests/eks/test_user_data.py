"""The user data of a node, read as cloud-init and nodeadm read it."""

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


def test_a_p5_node_has_one_array_of_disks_and_its_count_of_pods_twice():
    """The count is an expression, and stands in the file that wins over EKS's own part."""
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
def test_nodeadm_counts_as_many_pods_as_we_do(machine: EksMachine):
    """It counts by what EC2 says of the type's default card."""
    if not efa_on_card_0(machine):
        return
    made = user_data(max_pods=None, efa_on_card_0=True, local_disks=False)
    expression = yaml.safe_load(parts(made)["application/node.eks.aws"])["spec"]["kubelet"]["maxPodsExpression"]

    known = {"default_enis": machine.interfaces_per_card, "ips_per_eni": machine.ipv4_per_interface}
    assert eval(expression, {}, known) == max_pods_of(machine)


def test_the_users_number_of_pods_is_in_the_file_alone():
    """The expression is about memory that is kept for the most pods there may be."""
    assert "maxPods: 30\n" in parts(pool_plan(max_pods=30).user_data)["text/x-shellscript"]


def test_eks_counts_the_pods_of_a_machine_of_unknown_limits():
    """GB200's card 0 has no EFA device, so EKS counts well."""
    block = {"capacity_block": {"id": "cr-0123456789abcdef0"}}
    found = parts(pool_plan(machine="p6e-gb200.36xlarge", nodes=9, capacity=block).user_data)

    assert max_pods_of(row("p6e-gb200.36xlarge")) is None
    assert list(found) == ["application/node.eks.aws"]
    assert "maxPods" not in found["application/node.eks.aws"]


def test_there_is_no_document_where_nothing_differs_from_ekss_own():
    assert user_data(max_pods=None, efa_on_card_0=False, local_disks=False) == ""
