"""Requests for NICs in the words of another fabric, which the nodes of a pool do not serve.

A resource that no node offers keeps a pod Pending for ever. Published manifests ask in the words of their own cloud,
so a pod that is moved carries them along. The words are those of the fabrics' records.
"""

from functools import cache

from pulumi_offline.frozen import frozen
from ..catalog import machines
from ..catalog.machine import Machine
from ..fabrics import Claims, ExtendedResource, Fabric, HostNetwork, PodNetworks, fabrics_of

_SHARED_DEVICES = "rdma/"
"""Before every resource of NVIDIA's plugin of shared devices, as it is set by default (github.com/Mellanox/
k8s-rdma-shared-dev-plugin README.md, resourcePrefix, 2026-11-28)."""
_NEMO = "nvidia.com/mlnxnics"
"""NeMo Platform's name on OCI (NVIDIA-NeMo/nemo-platform k8s/helm/templates/networking, 2026-08)."""
_MULTUS = "k8s.v1.cni.cncf.io/networks"
_GKE_RESOURCE = "networking.gke.io.networks/"
"""GKE counts each network of a node under this and its name, and its addresses under the same with ``.IP``."""


@frozen
class Words:
    """How pods ask for NICs."""

    resources: frozenset[str] = frozenset()
    networks: frozenset[tuple[str, str]] = frozenset()
    """An annotation, and the text in its value that names a network with NICs."""


@frozen
class OtherNics:
    """What a pod may not say here, and how NICs come instead."""

    resources: tuple[str, ...] = ()
    """The beginnings of resources' names."""
    own: tuple[str, ...] = ()
    """Resources that begin so, and are the pool's."""
    networks: tuple[tuple[str, str], ...] = ()
    host_path: str = ""
    """Folder of the host whose devices a pod may not take; empty where it may."""
    come: str = ""
    """How NICs come here, in words."""


def other_nics(machine: Machine, fabric: Fabric) -> OtherNics:
    """The words of all fabrics but this one."""
    own, every = _words(machine, fabric), _every_word()
    resources, networks = every.resources - own.resources, every.networks - own.networks
    return OtherNics(
        resources=tuple(sorted(each for each in resources if each == _SHARED_DEVICES or _SHARED_DEVICES not in each)),
        own=tuple(sorted(own.resources)),
        networks=tuple(sorted(networks)),
        host_path="/dev/infiniband" if isinstance(fabric.nic_attachment, Claims) else "",
        come=_come(fabric),
    )


@cache
def _every_word() -> Words:
    """The words of all fabrics, on all machines: the same for each machine that a policy is planned for."""
    every = [_words(machine, fabric) for machine in machines() for fabric in fabrics_of(machine)]
    resources = frozenset({_SHARED_DEVICES, _NEMO}).union(*(each.resources for each in every))
    return Words(resources, frozenset().union(*(each.networks for each in every)))


def _words(machine: Machine, fabric: Fabric) -> Words:
    match fabric.nic_attachment:
        case ExtendedResource(resource=resource, network=network):
            named = frozenset([(_MULTUS, network.rpartition("/")[2])]) if network else frozenset()
            return Words(frozenset([resource]), named)
        case PodNetworks(annotations=annotations, networks=networks):
            rails = [each.name for each in networks(machine)]
            names = frozenset(f"{_GKE_RESOURCE}{name}{address}" for name in rails for address in ("", ".IP"))
            (key,) = (key for key, value in annotations(machine).items() if f'"{rails[0]}"' in value)
            return Words(names, frozenset((key, f'"{name}"') for name in rails))
    return Words()


def _come(fabric: Fabric) -> str:
    match fabric.nic_attachment:
        case ExtendedResource(resource=resource):
            return f"NICs come by {resource} here"
        case PodNetworks():
            return "NICs come by networks here that the pod's annotations name"
        case HostNetwork():
            return "NICs come with the host's network here"
    return "NICs come by claims here"
