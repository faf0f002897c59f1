"""What neutral code asks of the moon."""

from rdma_cluster.catalog.clouds.record import A_PERSON, CloudFacts, Repair, WithoutRdma
from rdma_cluster.catalog.hosts import HostOs
from rdma_cluster.catalog.machine import Transport
from rdma_cluster.catalog.moon import INVENTED, LABELS  # ty: ignore[import-not-found]  # laid beside the others in the copy

FACTS = CloudFacts(
    name="moon",
    place=5,
    machine_form=r"gpu-l\d{1,2}-sxm\.\d{1,2}gpu-\d{1,3}vcpu-\d{2,4}gb",
    machine_labels=LABELS,
    usual_transport=Transport.INFINIBAND,
    fabric_of_node="cat /etc/crater",
    hosts=(HostOs("regolith", "moon", "/", "NONE", INVENTED),),
    repair=Repair(switch="none", gpu=A_PERSON, nic=A_PERSON, node=A_PERSON, reserved="nothing", source=INVENTED),
    without_rdma=(WithoutRdma(("gpu-l1.1gpu",), "no InfiniBand", INVENTED),),
)
