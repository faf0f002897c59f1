"""What the CEL library does as Kubernetes does, and the gaps that it has: named here so that none is silent."""

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
        ('device.attributes["dra.net"].rdma', True),
        ('device.attributes["dra.net"].?rdma.orValue(false)', True),
        ('device.attributes["dra.net"].?sriov.orValue(false)', False),
        ('device.attributes["dra.net"].?ifName.orValue("") in ["gpu0rdma0"]', True),
        ('device.attributes["dra.net"].?numaNode.orValue(-1) == 1', True),
        ('device.attributes["dra.net"][?"mtu"].hasValue()', False),
        ('"ifName" in device.attributes["dra.net"] && device.attributes["dra.net"].ifName == "gpu0rdma0"', True),
        ('has(device.attributes["dra.net"].mtu)', False),
        ('device.attributes["other.example"].?x.orValue("") == ""', True),
        ("\"x\" in device.attributes['other.example']", False),
        ('device.attributes["dra.net"].mtu == 1 || true', True),
        ('device.attributes["dra.net"].ifName.matches("^gpu[0-9]rdma0$")', True),
        ('device.attributes["dra.net"].ifName.lowerAscii().startsWith("gpu")', True),
        ('cel.bind(nic, device.attributes["dra.net"], nic.numaNode < 2)', True),
        ("[1, 2].exists(n, n == device.attributes['dra.net'].numaNode)", True),
    ],
)
def test_as_kubernetes(expression: str, expected: bool) -> None:
    """Optionals, guards, empty maps for unknown domains, short circuits, strings, bindings and macros."""
    assert matches(expression, NIC) is expected


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ('device.attributes["dra.net"].index < 2', "index"),
        ('device.attributes["dra.net"].ifName < 2', "overload"),
        ('device.attributes["dra.net"].ifName', "not a bool"),
        ("device.", "Syntax error"),
    ],
)
def test_errors_as_kubernetes(expression: str, says: str) -> None:
    """An absent key, types that do not go together, a value that is no bool, and bad syntax are errors."""
    with pytest.raises(CelError, match=says):
        matches(expression, NIC)


@pytest.mark.parametrize(
    "expression",
    [
        'quantity("40Gi").isLessThan(quantity("80Gi"))',
        'semver("28.1.0").isLessThan(semver("29.0.0"))',
        "[1, 2].includes(1)",
        "sets.contains([1, 2], [1])",
        'ip("10.0.0.1").family() == 4',
        'cidr("10.0.0.0/8").containsIP("10.0.0.1")',
        'url("https://a").getHost() == "a"',
        '"gpu0rdma0".find("[0-9]") == "0"',
        '!format.dns1123Label().validate("a").hasValue()',
        "[1, 2].sum() == 3",
        "[1, 2].all(i, v, v > i)",
    ],
)
def test_gaps_are_errors(expression: str) -> None:
    """Kubernetes knows these, the library does not: each is refused with that word and never answered `no`."""
    with pytest.raises(CelError, match="Kubernetes may know it"):
        matches(expression, NIC)
