"""The custom resources of NVIDIA's Network Operator for the virtual functions on Oracle's shapes."""

from typing import Any, NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Choice, Link, args_schema
from ...catalog.artifact import mirrored
from ...catalog.images import JUDGE_PYTHON
from ...catalog.oke import OkeMachine
from ...fabrics.roce import VF_NETWORK, VF_NETWORK_NAMESPACE
from ...fabrics.rollout import ROLL_AT_ONCE
from .machines import machines_for
from .rdma import OkeNicAttachment, OkeVfResource, RdmaPlan

NAMESPACE = "nvidia-network-operator"
"""Namespace of Oracle's add-on."""
DEFINITIONS = (
    "ippools.nv-ipam.nvidia.com",
    "sriovnetworknodepolicies.sriovnetwork.openshift.io",
    "sriovnetworkpoolconfigs.sriovnetwork.openshift.io",
    "sriovnetworks.sriovnetwork.openshift.io",
)
"""CRDs that the add-on installs some time after OKE calls it active."""

# oci-hpc-oke@61d210a terraform/files/nvidia-network-operator, variables.tf (2026-08-20).
_POOL = "sriov-pool"
_ADDRESSES = {"subnet": "192.168.0.0/16", "perNodeBlockSize": 100, "gateway": "192.168.0.1"}
_PRIORITY = 90
_MELLANOX = "15b3"
_META_PLUGINS = (
    '{"type": "tuning", "sysctl": {"net.ipv4.conf.all.arp_announce": "2", "net.ipv4.conf.all.arp_filter": "1", '
    '"net.ipv4.conf.all.arp_ignore": "1", "net.ipv4.conf.all.rp_filter": "0", "net.ipv4.conf.all.accept_local": "1"}, '
    '"mtu": %d}, {"type": "rdma"}, {"type": "sbr"}'
)

Manifest = dict[str, Any]


@args_schema
class OkeVirtualFunctionsArgs(TypedDict):
    """Shapes whose virtual functions pods may ask for."""

    machines: list[str]
    """Shapes. Example: ``["BM.GPU.B200.8"]``."""
    resource: NotRequired[Choice[OkeVfResource]]
    """Default: ``nvidia.com/rdma-vf``."""
    drain_at_once: NotRequired[Link]
    """Nodes that may be drained at a time, a count or a percentage. Default: ``25%``, as DaemonSets roll."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold what is fetched, by prefix of its reference. Default: nowhere."""


@frozen
class VirtualFunctionsPlan:
    """What ``OkeVirtualFunctions`` builds: custom resources by name, in the API's own form."""

    args: OkeVirtualFunctionsArgs
    """What was planned."""
    objects: dict[str, Manifest]
    waiter: str
    """Image of the Job that waits for the operator."""


def plan_virtual_functions(args: OkeVirtualFunctionsArgs, errors: ErrorList) -> VirtualFunctionsPlan | None:
    """All choices of ``OkeVirtualFunctions``. Returns ``None`` when an error was added."""
    machines = machines_for(args["machines"], errors.at("machines"))
    for i, machine in enumerate(machines):
        if machine is not None and machine.vfs is None:
            errors.at("machines", i).add(f"Oracle publishes no virtual functions for {machine.name}")
    mtus = {machine.rdma_mtu_bytes for machine in machines if machine is not None}
    if len(mtus) > 1:
        sizes = " and ".join(str(mtu) for mtu in sorted(mtu for mtu in mtus if mtu))
        errors.at("machines").add(f"their RDMA ports have MTUs of {sizes}, and one network has one; keep shapes of one")
    known = list({machine.name: machine for machine in machines if machine is not None}.values())
    if errors:
        return None
    resource = args.get("resource", OkeVfResource.RDMA_VF).value.partition("/")[2]
    return VirtualFunctionsPlan(
        args,
        {
            _POOL: _object("nv-ipam.nvidia.com/v1alpha1", "IPPool", _POOL, _ADDRESSES),
            **{_slug(machine): _policy(machine, resource) for machine in known},
            f"{VF_NETWORK}-drain": _sriov("SriovNetworkPoolConfig", VF_NETWORK, _drain(known, args)),
            VF_NETWORK: _sriov("SriovNetwork", VF_NETWORK, _network(known[0], resource)),
        },
        mirrored(JUDGE_PYTHON.image, args.get("registries", {})),
    )


def virtual_functions_of(
    rdma: RdmaPlan, machines: list[OkeMachine], existing: bool, registries: dict[str, str], errors: ErrorList
) -> VirtualFunctionsPlan | None:
    """The virtual functions of a stack's machines; ``None`` where there are none, or an error was added."""
    if rdma.nic_attachment != OkeNicAttachment.SRIOV or not machines or errors.at("rdma"):
        return None
    names = list(dict.fromkeys(machine.name for machine in machines))
    args = OkeVirtualFunctionsArgs(machines=names, registries=registries, resource=rdma.vf_resource)
    if existing:
        args["drain_at_once"] = "1"
    of_pools = ErrorList()
    plan = plan_virtual_functions(args, of_pools)
    for error in of_pools.found():
        errors.at("pools").add(error.reason)
    return plan


def _slug(machine: OkeMachine) -> str:
    return machine.name.lower().replace(".", "-")


def _policy(machine: OkeMachine, resource: str) -> Manifest:
    return _sriov(
        "SriovNetworkNodePolicy",
        _slug(machine),
        {
            "deviceType": "netdevice",
            "externallyManaged": True,
            "isRdma": True,
            "mtu": machine.rdma_mtu_bytes,
            "nicSelector": {"rootDevices": list(machine.nic_pci or ()), "vendor": _MELLANOX},
            "nodeSelector": {"node.kubernetes.io/instance-type": machine.name},
            "numVfs": 1,
            "priority": _PRIORITY,
            "resourceName": resource,
        },
    )


def _drain(machines: list[OkeMachine], args: OkeVirtualFunctionsArgs) -> Manifest:
    names = [machine.name for machine in machines]
    term = {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": names}
    return {"maxUnavailable": args.get("drain_at_once", ROLL_AT_ONCE), "nodeSelector": {"matchExpressions": [term]}}


def _network(machine: OkeMachine, resource: str) -> Manifest:
    return {
        "resourceName": resource,
        "networkNamespace": VF_NETWORK_NAMESPACE,
        "spoofChk": "off",
        "ipam": f'{{"type": "nv-ipam", "poolName": "{_POOL}"}}',
        # Sixteen ports share a subnet: each answers only for its own address and sends only from it.
        "metaPlugins": _META_PLUGINS % machine.rdma_mtu_bytes,
    }


def _sriov(kind: str, name: str, spec: Manifest) -> Manifest:
    return _object("sriovnetwork.openshift.io/v1", kind, name, spec)


def _object(api: str, kind: str, name: str, spec: Manifest) -> Manifest:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec}
