"""AWS's Elastic Fabric Adapter, by libfabric and aws-ofi-nccl."""

from dataclasses import replace
from typing import Any

from nccl_verdict.expectation import Network
from ..catalog import charts, images, releases
from ..catalog.machine import Transport
from .acceptance import FabricAcceptance, Launcher
from .dranet import NAMESPACE
from .fabric import DriverCounters, Fabric, GpuAllocation
from .nic_attachment import Claims, DriverChart, ExtendedResource, Install
from .plugin import ImagePlugin
from .pod_patch import PodPatch
from .rollout import GPU_TOLERATION, IN_WAVES


def _values(image: str, install: Install) -> dict[str, Any]:
    """AWS's two charts for EFA are written alike (eks-charts@5239609)."""
    nodes = install.nodes
    return {
        **({"image": {"repository": f"{install.registry}/eks/{image}"}} if install.registry else {}),
        # They tolerate CriticalAddonsOnly alone.
        "tolerations": [GPU_TOLERATION],
        # Their node affinity is a list of machine types that lags behind, and any node of those types: ours instead.
        "supportedInstanceLabels": {"keys": [nodes["label"]], "values": nodes["values"]},
        "updateStrategy": IN_WAVES,
    }


# AWS's build of DraNet; its cloud hint, its filter and its DeviceClass are in the chart.
AWS_DRANET = Claims(
    driver="aws-dranet",
    device_class="efa.networking.k8s.aws",
    selector='device.driver == "dra.net" && '
    'device.attributes["dra.net"].?pciDevice.orValue("") == "Elastic Fabric Adapter (EFA)"',
    makes_class=False,
    follows="1.2.0",
    chart=DriverChart(charts.AWS_DRANET, NAMESPACE, lambda install: _values("dranet", install)),
    every_interface=False,
    only_on="eks",
    only_for=Transport.EFA,
)
_DEVICE_PLUGIN = ExtendedResource(
    driver="efa",
    resource="vpc.amazonaws.com/efa",
    chart=DriverChart(
        charts.EFA_DEVICE_PLUGIN, "kube-system", lambda install: _values("aws-efa-k8s-device-plugin", install)
    ),
    # No hugepages: AWS's manifests for P5 ask for 5 GiB, those for GB200 and for claims for none, and its node image
    # is not known to reserve any: a pod that asks would wait for ever.
)

# Nothing of this is put on hosts. EKS's node images bring the EFA kernel module and rdma-core alone (amazon-eks-ami
# @81fec2e8 install-efa.sh: `--minimal`), and AWS hands the rest out in images. A copy of one image's /opt/amazon in
# another would mix three sets of libraries that must fit each other: libfabric with the libibverbs provider, whose file
# name carries its ABI, and the plugin with the NCCL of the workload. So the image holds the plugin, and two variables
# make one without it fail at once, where NCCL would fall back to TCP without a word: NCCL_NET names the transport
# (Libfabric since aws-ofi-nccl 1.12, 2024-08), NCCL_NET_PLUGIN overrides NGC's `spcx` (Megatron-Bridge#5033) and has
# NCCL open libnccl-net-ofi.so, which the plugin is called from 1.15.0 on: 1.12 to 1.14 are libnccl-net.so alone
# (aws-ofi-nccl RELEASENOTES.md of 1.15.0; src/Makefile.am at v1.14.2 and v1.15.0, 2026-11-23). All else the plugin sets
# by itself, from the machine's name.
EFA = Fabric(
    name="efa",
    transport=Transport.EFA,
    nic_attachment=AWS_DRANET,
    plugin=ImagePlugin("aws-ofi-nccl", "1.15"),
    pod_patch=PodPatch(
        shared_memory="64Gi", env={"NCCL_NET": "Libfabric", "NCCL_NET_PLUGIN": "ofi"}, capabilities=("IPC_LOCK",)
    ),
    acceptance=FabricAcceptance(
        Network(
            transport=Transport.EFA.value,
            # aws-ofi-nccl was `AWS Libfabric` until 2024-08 (commit 9764571e).
            names=("Libfabric", "AWS Libfabric"),
            provider="efa",
            where_to_look="see `fi_info -p efa` in the pod, its vpc.amazonaws.com/efa or claim, and the `NET/OFI` "
            "lines above",
        ),
        (releases.EFA_TESTS,),
        Launcher.MPI_JOB,
    ),
    # EFA routes between any two devices.
    rail_bound=False,
    pci_names=("Amazon.com, Inc.", "Elastic Fabric Adapter (EFA)"),
    serving=(images.VLLM_EFA,),
    # Linux drivers/infiniband/hw/efa/efa_verbs.c: a port has these, and none of the class's own.
    counters=DriverCounters(received="rx_bytes", transmitted="tx_bytes"),
)
EFA_DEVICE_PLUGIN = replace(
    EFA, name="efa-device-plugin", nic_attachment=_DEVICE_PLUGIN, default_allocation=GpuAllocation.DEVICE_PLUGIN
)
"""GPUs and EFA devices as extended resources."""

FABRICS = (EFA, EFA_DEVICE_PLUGIN)
