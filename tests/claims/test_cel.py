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
        ("device.allowMultipleAllocations", False),
        ("size(device.capacity) == 0", True),
        ('device.attributes["dra.net"].fw == "28.1.0"', True),
        ('device.attributes["dra.net"][?"ifName"].orValue("") == "gpu0rdma0"', True),
        ('device.attributes[?"other.example"].hasValue()', True),
        ("device.attributes[?'third.example'][?'x'].hasValue()", False),
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
    ("expression", "said"),
    [
        (
            'device.attributes["dra.net"].mtu < 2',
            'device.attributes["dra.net"].mtu < 2: Key not found in map : "mtu" (device nic of dra.net)',
        ),
        (
            'device.attributes["dra.net"].ifName',
            "device.attributes[\"dra.net\"].ifName: got 'gpu0rdma0', not a bool (device nic of dra.net)",
        ),
        ("1 + 1", "1 + 1: got 2, not a bool (device nic of dra.net)"),
    ],
)
def test_an_error_in_words(expression: str, said: str) -> None:
    """The expression, what went wrong, and at which device."""
    with pytest.raises(CelError) as refused:
        matches(expression, NIC)
    assert str(refused.value) == said


def test_an_expression_that_does_not_compile() -> None:
    """Its first error is told in a line; of a name that Kubernetes may know, the gap."""
    for expression, gap in (("device.", False), ("nothing == 1", True)):
        with pytest.raises(CelError) as refused:
            matches(expression, NIC)
        told = str(refused.value)
        assert told.startswith(f"{expression}: <input>:1:") and told.count("\n") == 0
        assert told.endswith("; Kubernetes may know it, this CEL library does not") is gap


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
