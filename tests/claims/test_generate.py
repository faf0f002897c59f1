"""The templates of the two machines that the GKE stack ships."""

import re
from collections.abc import Callable

import pytest
from rdma_cluster.catalog import Machine, machines
from rdma_cluster.claims import (
    Constraint,
    Gpus,
    Groups,
    Nics,
    Numa,
    Pairs,
    Request,
    Target,
    Template,
    Unsatisfiable,
    Whole,
    driver_of,
    offers,
    templates,
    windows,
)
from rdma_cluster.claims.allocator import Allocation, allocate
from rdma_cluster.claims.device import Device
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.claims.target import PCIE_ROOT, any_of
from rdma_cluster.fabrics.efa import AWS_DRANET

A4 = next(row for row in machines() if row.name == "a4-highgpu-8g")


def only(templates: tuple[Template, ...]) -> Template:
    """The single template of a tuple."""
    assert len(templates) == 1
    return templates[0]


@pytest.mark.parametrize("k", [1, 2, 4, 8])
def test_every_root_has_its_own_constraint(k: int) -> None:
    """The pairs of a root are one request for its rails and one for its GPUs, and constraint i names both alone."""
    template = only(templates(A4, Pairs(k), Target()))
    roots = max(1, k // 2)

    assert [r.name for r in template.requests] == [f"{kind}-{i}" for i in range(roots) for kind in ("nic", "gpu")]
    assert [r.count for r in template.requests] == [min(k, 2)] * 2 * roots
    assert [(c.match_attribute, c.requests) for c in template.constraints] == [
        (PCIE_ROOT, (f"gpu-{i}", f"nic-{i}")) for i in range(roots)
    ]


def test_a_window_that_cuts_a_root_asks_for_its_part() -> None:
    """Rails 0 to 2: both of the first root, and one of the second."""
    template = only(templates(A4, Pairs(3), Target()))

    assert [(r.name, r.count) for r in template.requests] == [("nic-0", 2), ("gpu-0", 2), ("nic-1", 1), ("gpu-1", 1)]


def test_a_device_is_looked_at_once_a_request() -> None:
    """One expression a request, however many conditions: the scheduler builds the device anew for each."""
    for machine in machines():
        for k in (1, 2, 4):
            try:
                found = templates(machine, Pairs(k), Target(driver_of(machine)))
            except Unsatisfiable:
                continue

            assert all(len(request.selectors) <= 1 for each in found for request in each.requests), machine.name


def test_pairs_stay_single_where_rails_have_no_names() -> None:
    """Two unnamed pairs may be on two roots: asked for together they would have to share one."""
    b200 = next(row for row in machines() if row.name == "p6-b200.48xlarge")
    template = only(templates(b200, Pairs(2), Target(AWS_DRANET)))

    assert [(r.name, r.count) for r in template.requests] == [("nic-0", 1), ("gpu-0", 1), ("nic-1", 1), ("gpu-1", 1)]


def one_by_one(template: Template) -> Template:
    """The same rails by a request a device, GPU first, each pair under a constraint of its own."""
    requests: list[Request] = []
    for request in template.requests:
        if request.name.startswith("nic"):
            (selector,) = request.selectors
            for name in re.findall(r'"(\w[^"]*)"', selector.partition("&&")[0].partition("orValue")[2]):
                index, nic = len(requests) // 2, any_of("dra.net", attribute_of(selector), (name,))
                requests.append(Request(f"gpu-{index}", "gpu.nvidia.com"))
                requests.append(Request(f"nic-{index}", request.device_class, selectors=(nic,)))
    pairs = [(requests[i].name, requests[i + 1].name) for i in range(0, len(requests), 2)]
    return Template(template.name, tuple(requests), tuple(Constraint(PCIE_ROOT, pair) for pair in pairs))


def attribute_of(selector: str) -> str:
    """The attribute by which a selector names rails."""
    return re.findall(r"\.\?(\w+)\.", selector)[0]


@pytest.mark.parametrize("name", ["a4-highgpu-8g", "a3-ultragpu-8g", "BM.GPU.H200.8", "BM.GPU.B200.8"])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 8])
def test_a_wide_request_gives_what_single_ones_give(name: str, k: int) -> None:
    """Window after window on one node, until it is full: the same devices by either form, and none stranded by ours."""
    row = next(row for row in machines() if row.name == name)
    target = Target(driver_of(row))
    devices = [device for each in resource_slices(row, target) for device in each.devices]
    taken: dict[str, set[Device]] = {"wide": set(), "single": set()}
    for window in offers(row, Pairs(k), target):
        wide = only(templates(row, window, target))
        for form, template in (("wide", wide), ("single", one_by_one(wide))):
            given = allocate([template], devices, target.classes, in_use=taken[form])
            assert isinstance(given, Allocation), given
            taken[form] |= set(given.all())

        assert taken["wide"] == taken["single"]
    assert len(taken["wide"]) == 2 * k * (row.gpus // k)


@pytest.mark.parametrize("row", [row for row in machines() if row.gpus and row.nics], ids=lambda row: row.name)
def test_pairs_are_as_many_as_asked(row: Machine) -> None:
    """By whatever names them, each GPU and each NIC counts once."""
    target = Target(driver_of(row))
    for k in (1, 2, row.gpus):
        try:
            made = templates(row, Pairs(k), target)
        except Unsatisfiable:
            continue
        for template in made:
            counts = {target.gpu_class: 0, target.nic_class: 0}
            for request in template.requests:
                counts[request.device_class] += request.count or 0
            assert set(counts.values()) == {k}, template


def test_names() -> None:
    """A claim over all rails needs no rails in its name; a window names its first and last."""
    assert only(templates(A4, Pairs(8), Target())).name == "a4-highgpu-8g-pairs-8"
    assert only(templates(A4, Pairs(2, 4), Target())).name == "a4-highgpu-8g-pairs-2-rails-4-5"
    assert only(templates(A4, Pairs(1, 7), Target())).name == "a4-highgpu-8g-pairs-1-rail-7"
    assert only(templates(A4, Whole(), Target())).name == "a4-highgpu-8g-whole"
    assert only(templates(A4, Nics(), Target())).name == "a4-highgpu-8g-nics"


def test_windows_fill_the_node() -> None:
    """Aligned and disjoint: together they are all rails."""
    assert windows(A4, 2) == ((0, 1), (2, 3), (4, 5), (6, 7))
    assert windows(A4, 3) == ((0, 1, 2), (3, 4, 5))
    assert offers(A4, Pairs(4), Target()) == (Pairs(4, 0), Pairs(4, 4))


def test_manifest() -> None:
    """The v1 form: request bodies under `exactly`, counts and no `All`, every attribute read guarded."""
    assert only(templates(A4, Pairs(1, 3), Target())).manifest("train") == {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "a4-highgpu-8g-pairs-1-rail-3", "namespace": "train"},
        "spec": {
            "spec": {
                "devices": {
                    "requests": [
                        {
                            "name": "nic-0",
                            "exactly": {
                                "deviceClassName": "dranet",
                                "allocationMode": "ExactCount",
                                "count": 1,
                                "selectors": [
                                    {
                                        "cel": {
                                            "expression": 'device.attributes["dra.net"].?ifName.orValue("")'
                                            ' == "gpu3rdma0" && device.attributes["dra.net"].?rdma.orValue(false)'
                                        }
                                    }
                                ],
                            },
                        },
                        {
                            "name": "gpu-0",
                            "exactly": {
                                "deviceClassName": "gpu.nvidia.com",
                                "allocationMode": "ExactCount",
                                "count": 1,
                            },
                        },
                    ],
                    "constraints": [{"requests": ["gpu-0", "nic-0"], "matchAttribute": PCIE_ROOT}],
                }
            }
        },
    }


@pytest.mark.parametrize(
    ("intent", "key"),
    [
        (lambda: Pairs(0), "pairs: got 0"),
        (lambda: Pairs(1, -1), "first_rail: got -1"),
        (lambda: Groups(0, 1, 1), "groups: got 0"),
        (lambda: Groups(1, 1, 0), "nics: got 0"),
        (lambda: Groups(1, 0, 1), "gpus: got 0"),
        (lambda: Groups(1, 1, 1, -1), "first_group: got -1"),
        (lambda: Gpus(0), "gpus: got 0"),
        (lambda: Numa(-1), "node: got -1"),
    ],
)
def test_an_intent_asks_for_something(intent: Callable[[], object], key: str):
    """Of nothing there is no claim, whoever asks."""
    with pytest.raises(ValueError, match=key):
        intent()
