"""The allocator answers as the scheduler does: every case was compared with its library, version 0.36.3."""

import time

import pytest
from hypothesis import given, settings, strategies as st
from rdma_cluster.claims import Constraint, Request, Template
from rdma_cluster.claims.allocator import Allocation, NoFit, allocate
from rdma_cluster.claims.cel import Aborted, CelError
from rdma_cluster.claims.device import Device, Value, Version
from rdma_cluster.claims.target import PCIE_ROOT
from tests.claims.nodes import CLASSES, PAIR, device, names, refused
from tests.examples import examples


def test_the_first_devices_that_fit_are_taken():
    nodes = [device("gpu", "g0", "a"), device("gpu", "g1", "b"), device("nic", "n0", "b"), device("nic", "n1", "a")]
    assert names(allocate([PAIR], nodes, CLASSES)) == ["g0", "n1"]


def test_a_device_that_leads_nowhere_is_given_up():
    """A GPU without a NIC on its root is given up for the next one."""
    nodes = [device("gpu", "g0", "a"), device("gpu", "g1", "b"), device("nic", "n0", "b")]
    assert names(allocate([PAIR], nodes, CLASSES)) == ["g1", "n0"]


def test_the_claims_of_a_pod_are_solved_together():
    """The first claim of a pod gives up a device that only the second can use."""
    any_nic = Template("any", (Request("nic", "nic"),))
    first = Template("first", (Request("nic", "nic", 1, ('device.attributes["nic"].?rail.orValue(-1) == 0',)),))
    nodes = [device("nic", "n0", rail=0), device("nic", "n1")]
    assert names(allocate([any_nic, first], nodes, CLASSES)) == ["n1", "n0"]


def test_constraints_do_not_cross_claims():
    """Two claims may sit on different roots, where the same requests in one claim may not."""
    nodes = [device("gpu", "g0", "a"), device("gpu", "g1", "b")]
    one = Template("one", (Request("gpu", "gpu"),), (Constraint(PCIE_ROOT),))
    assert names(allocate([one, Template("two", one.requests, one.constraints)], nodes, CLASSES)) == ["g0", "g1"]
    both = Template("both", (Request("gpu", "gpu", 2),), (Constraint(PCIE_ROOT),))
    assert "constraints" in refused(allocate([both], nodes, CLASSES))


def test_a_device_without_the_attribute_is_ruled_out():
    nodes = [device("gpu", "g0"), device("nic", "n0", "a")]
    assert isinstance(allocate([PAIR], nodes, CLASSES), NoFit)


@pytest.mark.parametrize(("left", "right"), [(1, "1"), (1, True), ("1.0.0", Version("1.0.0"))])
def test_a_constraint_compares_types(left: Value, right: Value):
    """A value does not match the same text of another type."""
    assert isinstance(allocate([PAIR], [device("gpu", "g", left), device("nic", "n", right)], CLASSES), NoFit)
    assert names(allocate([PAIR], [device("gpu", "g", left), device("nic", "n", left)], CLASSES)) == ["g", "n"]


def test_devices_in_use_are_passed_over():
    nodes = [device("nic", "n0"), device("nic", "n1")]
    assert names(allocate([Template("t", (Request("nic", "nic"),))], nodes, CLASSES, nodes[:1])) == ["n1"]


def test_all_under_a_constraint_aborts():
    """All NICs are those of the node, not those of the GPU's root: a second root makes it an error."""
    template = Template("wrong", (Request("gpu", "gpu"), Request("nic", "nic", None)), (Constraint(PCIE_ROOT),))
    nodes = [device("gpu", "g0", "a"), device("nic", "n0", "a"), device("nic", "n1", "b")]
    with pytest.raises(Aborted, match="n1 breaks a constraint"):
        allocate([template], nodes, CLASSES)


def test_an_error_aborts_when_its_device_is_reached():
    """A selector that fails on the second device does no harm while the first one fits."""
    template = Template("t", (Request("nic", "nic", 1, ('device.attributes["nic"].rail < 2',)),))
    nodes = [device("nic", "n0", rail=0), device("nic", "n1")]
    assert names(allocate([template], nodes, CLASSES)) == ["n0"]
    with pytest.raises(CelError, match="rail"):
        allocate([template], nodes, CLASSES, nodes[:1])


@pytest.mark.parametrize("k", [8, 16])
def test_a_symmetric_impossibility_is_decided(k: int):
    """One NIC is on a root of its own: there are k! orders to try, and few states to decide."""
    nodes = [device("gpu", f"g{i}", f"r{i % (k // 2)}") for i in range(k)]
    nodes += [device("nic", f"n{i}", f"r{i % (k // 2)}" if i else "elsewhere") for i in range(k)]
    requests = tuple(Request(f"{kind}-{i}", kind) for i in range(k) for kind in ("gpu", "nic"))
    constraints = tuple(Constraint(PCIE_ROOT, (f"gpu-{i}", f"nic-{i}")) for i in range(k))
    start = time.perf_counter()
    assert isinstance(allocate([Template("pairs", requests, constraints)], nodes, CLASSES), NoFit)
    assert time.perf_counter() - start < 2


def test_held_values_keep_states_apart():
    """Two orders leave the same devices free, and only one of them suits the pinned NIC."""
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


def first_fit(templates: list[Template], devices: list[Device]) -> list[Device] | None:
    """Search as the scheduler does, with nothing left out: try every order until one holds."""
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
):
    """What the search skips as alike would have led to the same devices, or to none."""
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
