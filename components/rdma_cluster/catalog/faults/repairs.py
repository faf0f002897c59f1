"""What clouds repair by themselves, as far as they publish it."""

from collections.abc import Mapping

from ..machine import Cloud, Source
from .record import Part, Repair

_A_PERSON = "a person ([bad-node.md](bad-node.md))"

REPAIRS: Mapping[Cloud, Repair] = {
    Cloud.GKE: Repair(
        switch="`pools[].autoRepair`, which acts on a node that is not Ready and on none of these conditions",
        by_part={
            Part.GPU: "a person's label `cloud.google.com/fault-behavior` has Google repair the host",
            Part.NIC: "the same label",
            Part.NODE: _A_PERSON,
        },
        reserved="a reported host leaves the reservation for 3 to 14 days; the node moves to another where one is free "
        "(not on A4X, A4X Max)",
        source=Source("docs.cloud.google.com/ai-hypercomputer/docs/manage/manage-gke-clusters", "2026-04-06"),
    ),
    Cloud.EKS: Repair(
        switch="`pools[].autoRepair`: node repair by the conditions of AWS's agent, 10 min after "
        "AcceleratedHardwareReady",
        by_part={
            Part.GPU: "node repair, where AWS's agent sees the same",
            Part.NIC: f"EFA's counters are an event of AWS's agent and no condition: {_A_PERSON}",
            Part.NODE: "node repair, where AWS's agent sees the same",
        },
        reserved="a node that is replaced is given back, and its reservation or capacity block may have no other: "
        "there "
        "GPUs' faults are set to reboot, which keeps the instance, and what a reboot does not mend to nothing",
        source=Source(
            "docs.aws.amazon.com/eks/latest/userguide/node-repair.html, API_NodeRepairConfigOverrides", "2026-11-23"
        ),
    ),
    Cloud.AKS: Repair(
        switch="none: AKS repairs what is not Ready, and its problem detector only tells",
        by_part={Part.GPU: _A_PERSON, Part.NIC: _A_PERSON, Part.NODE: _A_PERSON},
        reserved="nothing by itself",
        source=Source("MicrosoftDocs/azure-aks-docs@35ef8f3 articles/aks/gpu-health-monitoring.md", "2025-08-15"),
    ),
    Cloud.OKE: Repair(
        switch="none of ours: a NodeRepairConfig in the cluster, whose fields Oracle's page alone shows",
        by_part={
            Part.GPU: "GPU host repair, where the shape is eligible in the region: drains, then reboots",
            Part.NIC: "GPU host repair, where Oracle has announced maintenance of the instance for the same fault",
            Part.NODE: _A_PERSON,
        },
        reserved="a user's own request terminates the instance; a rebooted one stays",
        source=Source(
            "docs.oracle.com/en-us/iaas/Content/ContEng/Tasks/contengautorepairgpuworkernodes.htm", "2026-11-23"
        ),
    ),
}
