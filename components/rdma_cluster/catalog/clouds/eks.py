"""EKS: its host, its names of machines, and what it repairs."""

from ..hosts import HostOs
from ..machine import Source, Transport
from .record import A_PERSON, CloudFacts, Repair, WithoutRdma

# fmt: off
AL2023 = HostOs(name="al2023", cloud="eks", driver_root="/", cloud_provider_hint="AWS",
    source=Source("github.com/awslabs/amazon-eks-ami@81fec2e8 templates/al2023 (EKS's NVIDIA images)", "2026-07-23"))

FACTS = CloudFacts(
    name="eks", place=2,
    machine_form=r"[a-z]{1,4}\d{1,2}[a-z]{0,4}(?:-[bg][a-z]{0,2}\d{2,3})?\.(?:\d{1,3}x?large|metal|metal-\d{1,2}xl)",
    usual_transport=Transport.EFA,
    hosts=(AL2023,),
    repair=Repair(
        switch="`pools[].autoRepair`: node repair by the conditions of AWS's agent, 10 min after "
        "AcceleratedHardwareReady",
        gpu="node repair, where AWS's agent sees the same",
        nic=f"EFA's counters are an event of AWS's agent and no condition: {A_PERSON}",
        node="node repair, where AWS's agent sees the same",
        reserved="a node that is replaced is given back, and its reservation or capacity block may have no other: "
        "there GPUs' faults are set to reboot, which keeps the instance, and what a reboot does not mend to nothing",
        source=Source(
            "docs.aws.amazon.com/eks/latest/userguide/node-repair.html, API_NodeRepairConfigOverrides", "2026-11-23")),
    without_rdma=(WithoutRdma(
        (*(f"{family}.{size}xlarge" for family in ("g4dn", "g5", "g5g", "g6", "g6e") for size in ("", "2", "4")),
         "g5g.8xlarge", "g5g.16xlarge", "g5g.metal", "g6f.large", "g6f.xlarge", "g6f.2xlarge", "g6f.4xlarge",
         "g7.2xlarge", "g7.4xlarge", "g7e.2xlarge", "g7e.4xlarge", "gr6.4xlarge", "gr6f.4xlarge"),
        "no EFA",
        Source("github.com/aws/karpenter-provider-aws@1d927085d docs/reference/instance-types.md, without "
            "vpc.amazonaws.com/efa", "2026-08-21")),),
)
# fmt: on
