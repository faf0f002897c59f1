"""The scheduler's semantics, one at a time. Each case was compared with k8s.io/dynamic-resource-allocation 0.36.3."""

import time

import pytest
from hypothesis import given, settings, strategies as st
from rdma_cluster.claims import Constraint, Request, Template
from rdma_cluster.claims.allocator import Allocation, NoFit, allocate
from rdma_cluster.claims.cel import Aborted, CelError
from rdma_cluster.claims.device import Device, Value, Version
from rdma_cluster.claims.symmetry import Kinds
from rdma_cluster.claims.target import PCIE_ROOT
from tests.examples import examples

CLASSES = {"gpu": 'device.driver == "gpu"', "nic": 'device.driver == "nic"'}


def device(driver: str, name: str, root: Value | None = None, **more: Value) -> Device:
    """A device with a root, or without."""
    roots = {} if root is None else {PCIE_ROOT: root}
    return Device(driver, name, {**roots, **{f"{driver}/{key}": value for key, value in more.items()}})


def names(result: Allocation | NoFit) -> list[str]:
    """The devices in the order of requests."""
    assert isinstance(result, Allocation), result
    return [device.name for device in result.all()]


def refused(result: Allocation | NoFit) -> str:
    """The reason."""
    assert isinstance(result, NoFit), result
    return result.reason


PAIR = Template("pair", (Request("gpu", "gpu"), Request("nic", "nic")), (Constraint(PCIE_ROOT, ("gpu", "nic")),))


def test_first_fit_in_slice_order() -> None:
    """No scoring: the first device that leads to a solution."""
    nodes = [device("gpu", "g0", "a"), device("gpu", "g1", "b"), device("nic", "n0", "b"), device("nic", "n1", "a")]
    assert names(allocate([PAIR], nodes, CLASSES)) == ["g0", "n1"]


def test_backtracks() -> None:
    """A GPU without a NIC on its root is given up for the next."""
    nodes = [device("gpu", "g0", "a"), device("gpu", "g1", "b"), device("nic", "n0", "b")]
    assert names(allocate([PAIR], nodes, CLASSES)) == ["g1", "n0"]


def test_backtracks_across_claims() -> None:
    """All claims of a pod are solved together: the first yields a device that only the second can use."""
    any_nic = Template("any", (Request("nic", "nic"),))
    first = Template("first", (Request("nic", "nic", 1, ('device.attributes["nic"].?rail.orValue(-1) == 0',)),))
    nodes = [device("nic", "n0", rail=0), device("nic", "n1")]
    assert names(allocate([any_nic, first], nodes, CLASSES)) == ["n1", "n0"]


def test_constraints_do_not_cross_claims() -> None:
    """Two claims with a constraint each may sit on different roots; in one claim the same requests may not."""
    nodes = [device("gpu", "g0", "a"), device("gpu", "g1", "b")]
    one = Template("one", (Request("gpu", "gpu"),), (Constraint(PCIE_ROOT),))
    assert names(allocate([one, Template("two", one.requests, one.constraints)], nodes, CLASSES)) == ["g0", "g1"]
    both = Template("both", (Request("gpu", "gpu", 2),), (Constraint(PCIE_ROOT),))
    assert "constraints" in refused(allocate([both], nodes, CLASSES))


def test_missing_attribute_rules_a_device_out() -> None:
    """It is not ignored: a device without the attribute never serves a constrained request."""
    nodes = [device("gpu", "g0"), device("nic", "n0", "a")]
    assert isinstance(allocate([PAIR], nodes, CLASSES), NoFit)


@pytest.mark.parametrize(("left", "right"), [(1, "1"), (1, True), ("1.0.0", Version("1.0.0"))])
def test_types_must_agree(left: Value, right: Value) -> None:
    """Equal text in another type is no match."""
    assert isinstance(allocate([PAIR], [device("gpu", "g", left), device("nic", "n", right)], CLASSES), NoFit)
    assert names(allocate([PAIR], [device("gpu", "g", left), device("nic", "n", left)], CLASSES)) == ["g", "n"]


def test_counts_are_exact() -> None:
    """A lost device must show: 8 asked, 7 there."""
    nodes = [device("nic", f"n{i}") for i in range(7)]
    reason = refused(allocate([Template("nics", (Request("nic", "nic", 8),))], nodes, CLASSES))
    assert reason == "nics, request nic: 7 devices match, 7 are free, asked for 8"


def test_in_use() -> None:
    """Devices of other claims are passed over."""
    nodes = [device("nic", "n0"), device("nic", "n1")]
    assert names(allocate([Template("t", (Request("nic", "nic"),))], nodes, CLASSES, nodes[:1])) == ["n1"]


def test_all_takes_what_is_there() -> None:
    """Hence it hides a lost device, and a device in use makes the node unfit."""
    every = Template("every", (Request("nic", "nic", None),))
    nodes = [device("nic", "n0"), device("nic", "n1")]
    assert names(allocate([every], nodes, CLASSES)) == ["n0", "n1"]
    assert "n1 is in use" in refused(allocate([every], nodes, CLASSES, nodes[1:]))
    assert "no device matches" in refused(allocate([every], [], CLASSES))


def test_all_with_match_attribute_aborts() -> None:
    """1 GPU + All NICs on its root is an error wherever the node has a second root, not `the NICs of that root`."""
    template = Template("wrong", (Request("gpu", "gpu"), Request("nic", "nic", None)), (Constraint(PCIE_ROOT),))
    nodes = [device("gpu", "g0", "a"), device("nic", "n0", "a"), device("nic", "n1", "b")]
    with pytest.raises(Aborted, match="n1 breaks a constraint"):
        allocate([template], nodes, CLASSES)


def test_an_error_counts_when_it_is_reached() -> None:
    """A selector that fails on the second device does no harm while the first one fits."""
    template = Template("t", (Request("nic", "nic", 1, ('device.attributes["nic"].rail < 2',)),))
    nodes = [device("nic", "n0", rail=0), device("nic", "n1")]
    assert names(allocate([template], nodes, CLASSES)) == ["n0"]
    with pytest.raises(CelError, match="rail"):
        allocate([template], nodes, CLASSES, nodes[:1])


def test_an_error_counts_though_others_fit() -> None:
    """Three are asked for, one fits and the next fails: the search comes upon the error before any lack of devices."""
    template = Template("t", (Request("nic", "nic", 3, ('device.attributes["nic"].rail < 2',)),))
    with pytest.raises(CelError, match="rail"):
        allocate([template], [device("nic", "n0", rail=0), device("nic", "n1")], CLASSES)


def test_all_beside_a_number() -> None:
    """Counting refuses a number at once; beside All the search says what is lacking, and of which request."""
    template = Template("t", (Request("gpu", "gpu", None), Request("nic", "nic", 2)))
    nodes = [device("gpu", "g0"), device("nic", "n0")]
    with_all = refused(allocate([template], nodes, CLASSES))
    counted = refused(allocate([Template("t", (Request("nic", "nic", 2),))], nodes, CLASSES))

    assert "1 devices match, 1 are free, asked for 2" in counted
    assert with_all != counted and "nic" in with_all


def test_at_most_32_devices_a_claim() -> None:
    """More is an error, also where All comes to more. Two claims of the same pod hold more."""
    nodes = [device("nic", f"n{i}") for i in range(40)]
    for count in (33, None):
        with pytest.raises(Aborted, match="at most 32"):
            allocate([Template("t", (Request("nic", "nic", count),))], nodes, CLASSES)
    halves = [Template(f"t{i}", (Request("nic", "nic", 20),)) for i in range(2)]
    assert len(names(allocate(halves, nodes, CLASSES))) == 40


def test_unknown_class_aborts() -> None:
    """As a DeviceClass that nobody created does."""
    with pytest.raises(Aborted, match=r"dranet\.net does not exist"):
        allocate([Template("t", (Request("nic", "dranet.net"),))], [device("nic", "n0")], CLASSES)


@pytest.mark.parametrize("k", [8, 16])
def test_a_symmetric_impossibility_is_decided(k: int) -> None:
    """k pairs where one NIC is on a root of its own: k! orders to try, a few states to decide."""
    nodes = [device("gpu", f"g{i}", f"r{i % (k // 2)}") for i in range(k)]
    nodes += [device("nic", f"n{i}", f"r{i % (k // 2)}" if i else "elsewhere") for i in range(k)]
    requests = tuple(Request(f"{kind}-{i}", kind) for i in range(k) for kind in ("gpu", "nic"))
    constraints = tuple(Constraint(PCIE_ROOT, (f"gpu-{i}", f"nic-{i}")) for i in range(k))
    start = time.perf_counter()
    assert isinstance(allocate([Template("pairs", requests, constraints)], nodes, CLASSES), NoFit)
    assert time.perf_counter() - start < 2


def test_held_values_keep_states_apart() -> None:
    """GPUs taken from roots a and b leave the same devices in either order; only one order suits the pinned NIC."""
    pin = ('device.attributes["nic"].?rail.orValue(-1) == 1',)
    template = Template(
        "t",
        (Request("g0", "gpu"), Request("g1", "gpu"), Request("n0", "nic", 1, pin)),
        (Constraint(PCIE_ROOT, ("g0", "n0")),),
    )
    node = [
        device("gpu", "ga", "a"),
        device("gpu", "gb", "b"),
        device("nic", "na", "a"),
        device("nic", "nb", "b", rail=1),
    ]
    assert names(allocate([template], node, CLASSES)) == ["gb", "ga", "nb"]


def test_states_that_differ_only_in_names_are_one() -> None:
    """Roots may be renamed; a device without a root is not on one, and one value held twice is not two values."""
    a, b, bare = device("nic", "a", "a"), device("nic", "b", "b"), device("nic", "bare")
    left = {each.name: Kinds(dict.fromkeys((a, b, bare), ()), [PCIE_ROOT], {each}).state({}) for each in (a, b, bare)}
    assert left["a"] == left["b"] != left["bare"]
    kinds = Kinds({a: (), b: (), bare: ()}, [PCIE_ROOT], ())
    root_a, root_b = (str, "a"), (str, "b")
    twice = kinds.state({(0, 0): root_a, (0, 1): root_a})
    assert twice == kinds.state({(0, 0): root_b, (0, 1): root_b}) != kinds.state({(0, 0): root_a, (0, 1): root_b})


def first_fit(templates: list[Template], devices: list[Device]) -> list[Device] | None:
    """The scheduler's search with nothing left out: every order, until one holds."""
    places = [(t, r) for t in templates for r in t.requests for _ in range(r.count or 0)]

    def holds(chosen: list[Device]) -> bool:
        for template in templates:
            for constraint in template.constraints:
                values = [
                    (type(value), value)
                    for (t, r), device in zip(places, chosen, strict=False)
                    if t is template and r.name in constraint.requests
                    for value in [device.attributes.get(constraint.match_attribute)]
                ]
                if len(set(values)) > 1 or any(kind is type(None) for kind, _ in values):
                    return False
        return True

    def fill(chosen: list[Device]) -> list[Device] | None:
        if len(chosen) == len(places):
            return chosen
        for each in devices:
            if each.driver == places[len(chosen)][1].device_class and each not in chosen and holds([*chosen, each]):
                found = fill([*chosen, each])
                if found:
                    return found
        return None

    return fill([])


values = st.one_of(st.none(), st.sampled_from(["a", "b", "c"]))
nodes = st.lists(st.tuples(st.sampled_from(["gpu", "nic"]), values, values), min_size=1, max_size=7)
classes = st.lists(st.tuples(st.sampled_from(["gpu", "nic"]), st.integers(1, 2)), min_size=1, max_size=3)
masks = st.lists(st.tuples(st.sampled_from([PCIE_ROOT, "x/other"]), st.integers(1, 7)), max_size=2)


@settings(max_examples=examples(150, 1500))
@given(nodes, st.lists(st.tuples(classes, masks), min_size=1, max_size=2))
def test_shortcuts_change_no_answer(
    node: list[tuple[str, str | None, str | None]], pod: list[tuple[list[tuple[str, int]], list[tuple[str, int]]]]
) -> None:
    """What is skipped as alike would have led to the same devices, or to none."""
    devices = [
        Device(driver, f"d{i}", {k: v for k, v in ((PCIE_ROOT, root), ("x/other", other)) if v is not None})
        for i, (driver, root, other) in enumerate(node)
    ]
    templates = []
    for t, (asked, constraints) in enumerate(pod):
        requests = tuple(Request(f"r{i}", kind, count) for i, (kind, count) in enumerate(asked))
        named = [(a, tuple(r.name for i, r in enumerate(requests) if mask >> i & 1)) for a, mask in constraints]
        templates.append(Template(f"t{t}", requests, tuple(Constraint(a, names) for a, names in named if names)))
    result = allocate(templates, devices, CLASSES)
    assert (list(result.all()) if isinstance(result, Allocation) else None) == first_fit(templates, devices)
