"""The CEL library answers as Kubernetes does, and refuses what Kubernetes knows and it does not."""

import pytest
from rdma_cluster.claims.cel import CelError, matches
from rdma_cluster.claims.device import Device, Version

NIC = Device(
    "dra.net",
    "nic",
    {"dra.net/ifName": "gpu0rdma0", "dra.net/rdma": True, "dra.net/numaNode": 1, "dra.net/fw": Version("28.1.0")},
)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('device.driver == "dra.net"', True),
        ("device.allowMultipleAllocations", False),
        ("size(device.capacity) == 0", True),
        ('device.attributes["dra.net"].fw == "28.1.0"', True),
        ('device.attributes["dra.net"][?"ifName"].orValue("") == "gpu0rdma0"', True),
        ('device.attributes[?"other.example"].hasValue()', True),
        ('device.attributes["dra.net"].?sriov.orValue(false)', False),
        ('device.attributes["dra.net"].?numaNode.orValue(-1) == 1', True),
        ('has(device.attributes["dra.net"].mtu)', False),
        ('device.attributes["other.example"].?x.orValue("") == ""', True),
        ("\"x\" in device.attributes['other.example']", False),
        ('device.attributes["dra.net"].mtu == 1 || true', True),
        ('device.attributes["dra.net"].ifName.matches("^gpu[0-9]rdma0$")', True),
        ('cel.bind(nic, device.attributes["dra.net"], nic.numaNode < 2)', True),
        ("[1, 2].exists(n, n == device.attributes['dra.net'].numaNode)", True),
    ],
)
def test_an_expression_is_answered_as_kubernetes_does(expression: str, expected: bool):
    """The cases are optionals, guards, empty maps for unknown domains, short circuits, strings and macros."""
    assert matches(expression, NIC) is expected


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ('device.attributes["dra.net"].index < 2', "index"),
        ('device.attributes["dra.net"].ifName < 2', "overload"),
        ('device.attributes["dra.net"].ifName', "got 'gpu0rdma0', not a bool"),
    ],
)
def test_an_error_names_the_expression_the_fault_and_the_device(expression: str, says: str):
    with pytest.raises(CelError) as refused:
        matches(expression, NIC)

    told = str(refused.value)
    assert told.startswith(f"{expression}: ") and says in told and "device nic of dra.net" in told


def test_bad_syntax_is_told_in_one_line():
    """Only of a name that Kubernetes may know is it said that the library has a gap."""
    for expression, gap in (("device.", False), ("nothing == 1", True)):
        with pytest.raises(CelError) as refused:
            matches(expression, NIC)
        told = str(refused.value)
        assert told.startswith(f"{expression}: <input>:1:") and "\n" not in told
        assert ("Kubernetes may know it" in told) is gap


@pytest.mark.parametrize(
    "expression",
    [
        'quantity("40Gi").isLessThan(quantity("80Gi"))',
        'semver("28.1.0").isLessThan(semver("29.0.0"))',
        "[1, 2].includes(1)",
        "sets.contains([1, 2], [1])",
        'ip("10.0.0.1").family() == 4',
        'url("https://a").getHost() == "a"',
        '"gpu0rdma0".find("[0-9]") == "0"',
        "[1, 2].all(i, v, v > i)",
    ],
)
def test_a_gap_of_the_library_is_an_error(expression: str):
    """Kubernetes knows these functions and the library does not: it never answers no for that."""
    with pytest.raises(CelError, match="Kubernetes may know it"):
        matches(expression, NIC)
