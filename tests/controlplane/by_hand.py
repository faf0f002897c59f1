"""Claims that our generator would not make: beyond what a machine holds, from the source document, or drawn by lot."""

from collections.abc import Iterator, Sequence
from math import perm
from random import Random

from rdma_cluster.catalog import Machine, machines
from rdma_cluster.claims import Constraint, Request, Target, Template, driver_of
from rdma_cluster.claims.device import Device
from rdma_cluster.claims.layout import has_nvidia_gpus, shapes, slots
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.claims.target import PCIE_ROOT
from rdma_cluster.fabrics.dranet import DRANET
from tests.machines import known_machine
from .scenarios import Scenario, node_name

RDMA = 'device.attributes["dra.net"].?rdma.orValue(false)'
GPU = "gpu.nvidia.com"
DRAWN = ("a4-highgpu-8g", "p4d.24xlarge", "p5.48xlarge", "Standard_ND96isr_H100_v5", "BM.GPU4.8", "BM.GPU.GB200-v3.4")
DRAWS = 15
"""Scenarios for each machine."""
MOST_ORDERS = 20_000


def groups(target: Target, count: int, gpus: int, nics: int) -> Template:
    """As many groups of GPUs and NICs, each on one root, with no rail named."""
    requests, constraints = [], []
    for i in range(count):
        requests += [Request(f"gpu-{i}", target.gpu_class, gpus), Request(f"nic-{i}", target.nic_class, nics, (RDMA,))]
        constraints.append(Constraint(PCIE_ROOT, (f"gpu-{i}", f"nic-{i}")))
    return Template(f"by-hand-{count}-of-{gpus}x{nics}", tuple(requests), tuple(constraints))


def limits() -> Iterator[Scenario]:
    """On each machine, the most pairs that its roots hold and one pair more; and for each root a NIC more than it has.

    A machine whose GPUs and NICs never share a root holds none, so that its first pair is one too many. Of machines
    with a NIC for each GPU no pair more is asked: the scheduler would try all orders of all devices until its ten
    seconds are up.
    """
    for machine in machines():
        target = Target(driver_of(machine))
        if not machine.roots or not has_nvidia_gpus(machine):
            continue
        most = len(slots(machine, 1, 1)) if machine.pcie_root_comparable else 0
        beyond = [groups(target, most + 1, 1, 1)] if most < machine.gpus else []
        if machine.pcie_root_comparable:
            beyond += [groups(target, 1, gpus, nics + 1) for gpus, nics in shapes(machine) if gpus]
        pods = [(template,) for template in beyond]
        if most:
            pods.append((groups(target, most, 1, 1),))
        name = node_name(machine.name, "by-hand")
        yield Scenario(name, target, resource_slices(machine, target, name), tuple(pods))


def of_the_document() -> Iterator[Scenario]:
    """The source document's claims, what AWS's page recommends, and one constraint over four pairs: none fits."""
    open_rdma = 'device.attributes["dra.net"].rdma == true'
    index = 'device.attributes["gpu.nvidia.com"].index {}'
    wrong = {
        "index": ("a4-highgpu-8g", (Request("gpu", GPU, 2, (index.format("< 2"),)),), ()),
        "index-aligned": (
            "a4-highgpu-8g",
            (Request("gpu", GPU, 2, (index.format("<= 2"),)), Request("nic", "dranet", 2, (open_rdma,))),
            (Constraint(PCIE_ROOT),),
        ),
        "four-under-one": (
            "a4-highgpu-8g",
            (Request("gpu", GPU, 4), Request("nic", "dranet", 4, (open_rdma,))),
            (Constraint(PCIE_ROOT),),
        ),
        "all-of-a-root": (
            "p4d.24xlarge",
            (Request("gpu", GPU), Request("nic", "efa.networking.k8s.aws", None)),
            (Constraint(PCIE_ROOT),),
        ),
    }
    for what, (machine_name, requests, constraints) in wrong.items():
        machine = known_machine(machine_name)
        target = Target(driver_of(machine))
        name = node_name(machine.name, what)
        template = Template(what, requests, constraints)
        yield Scenario(name, target, resource_slices(machine, target, name), ((template,),))


def drawn() -> Iterator[Scenario]:
    """Three pods each, of one or two claims, drawn from all that a claim can say; the same in every run."""
    for machine_name in DRAWN:
        machine = known_machine(machine_name)
        target = Target(DRANET, kubernetes=(1, 37), dranet="1.5.0", nvidia="0.5.0")
        for number in range(DRAWS):
            random = Random(f"{machine_name} {number}")
            name = node_name(machine.name, "drawn", str(number))
            slices = resource_slices(machine, target, name)
            devices = [device for each in slices for device in each.devices]
            pods: list[tuple[Template, ...]] = []
            while len(pods) < 3:
                claims = range(random.choice((1, 1, 2)))
                pod = tuple(draw(random, f"pod-{len(pods)}-claim-{claim}", machine, target) for claim in claims)
                if orders(pod, devices, target) <= MOST_ORDERS:
                    pods.append(pod)
            yield Scenario(name, target, slices, tuple(pods))


def draw(random: Random, name: str, machine: Machine, target: Target) -> Template:
    """One claim: a few requests, some of them narrowed, some of them tied together."""
    selectors = {
        GPU: [
            'device.attributes["resource.kubernetes.io"].?numaNode.orValue(-1) == 1',
            'device.attributes["gpu.nvidia.com"].productName.startsWith("NVIDIA")',
            'device.attributes["gpu.nvidia.com"].?index.orValue(0) < 4',
            'device.attributes["gpu.nvidia.com"].index < 4',
            'device.attributes["resource.kubernetes.io"].pciBusID > "0000:90"',
        ],
        target.nic_class: [
            RDMA,
            RDMA,
            'device.attributes["dra.net"].rdma == true',
            'device.attributes["dra.net"].?numaNode.orValue(-1) == 0',
            'device.attributes["dra.net"].?ifName.orValue("").startsWith("gpu")',
            'device.attributes["dra.net"].numaNode < 1',
            '"dra.net" in device.attributes && device.attributes["dra.net"].?rdma.orValue(false)',
        ],
    }
    requests = []
    for i in range(random.randint(1, 4)):
        kind = random.choice((GPU, target.nic_class))
        count = random.choice((1, 1, 1, 2, 2, 3, None))
        chosen = tuple(random.sample(selectors[kind], random.choice((0, 1, 1, 2))))
        requests.append(Request(f"r{i}", kind, count, chosen))
    constraints = []
    for _ in range(random.choice((0, 1, 1, 2))):
        tied = random.sample([request.name for request in requests], random.randint(0, len(requests)))
        attribute = random.choice((PCIE_ROOT, PCIE_ROOT, "resource.kubernetes.io/numaNode", "dra.net/numaNode"))
        constraints.append(Constraint(attribute, tuple(sorted(tied))))
    return Template(name, tuple(requests), tuple(constraints))


def orders(pod: Sequence[Template], devices: Sequence[Device], target: Target) -> int:
    """In how many orders the devices could be taken at the most, which is what an impossible claim costs."""
    product = 1
    for request in (request for template in pod for request in template.requests):
        driver = "gpu.nvidia.com" if request.device_class == target.gpu_class else "dra.net"
        candidates = sum(device.driver == driver for device in devices)
        product *= 1 if request.count is None else perm(candidates, request.count)
    return product
