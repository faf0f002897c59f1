"""Google's archived Terraform for A3 High machines without Kubernetes, which boot COS."""

from tests.references.reference import Reference

STACK = "gce"
_A3 = "github.com/GoogleCloudPlatform/ai-infra-cluster-provisioning a3/terraform/modules"
_TEMPLATE = (
    "common/instance_template/main.tf@5651713, cluster/mig-cos/main.tf@3558c29, cluster/mig-cos/variables.tf@4167812"
)
_NETWORK = "common/network/main.tf@a2044f2"
_NAMED = "Pulumi makes the name up, so that a successor can come first"
_PACKETS = "as SkyPilot and the toolkit have it by now"

REFERENCES = [
    Reference(
        "gcp:compute/instance:Instance",
        "gce-a3-0",
        f"{_A3}/{_TEMPLATE}",
        "2026-11-23",
        {
            "project": ...,
            "name": ...,
            "zone": ...,
            "machineType": "a3-highgpu-8g",
            "labels": ...,
            "bootDisk.autoDelete": True,
            "bootDisk.initializeParams.image": ...,
            "bootDisk.initializeParams.size": 128,
            "bootDisk.initializeParams.type": "pd-ssd",
            "networkInterfaces.network": ...,
            "networkInterfaces.subnetwork": ...,
            "networkInterfaces.nicType": "GVNIC",
            "networkInterfaces.accessConfigs": ...,
            "scheduling.onHostMaintenance": "TERMINATE",
            "scheduling.automaticRestart": True,
            "scheduling.preemptible": False,
            "serviceAccount.email": ...,
            "serviceAccount.scopes": "https://www.googleapis.com/auth/cloud-platform",
            "metadata.VmDnsSetting": "ZonalPreferred",
            "metadata.enable-oslogin": "TRUE",
            "metadata.google-logging-enabled": "true",
            "metadata.google-logging-use-fluentbit": "true",
            "metadata.install-nvidia-driver": "True",
            "metadata.user-data": ...,
        },
        {
            "labels": "the user's tags",
            "bootDisk.autoDelete": "Compute Engine's own default",
            "bootDisk.initializeParams.size": (200, "images of training are large"),
            "networkInterfaces.accessConfigs": "no machine of ours is on the internet",
            "desiredStatus": ("RUNNING", "a machine that somebody stopped is started by the next `up`"),
            "reservationAffinity.type": ("SPECIFIC_RESERVATION", "theirs takes what an open reservation has"),
            "reservationAffinity.specificReservation.key": ("compute.googleapis.com/reservation-name", "of the same"),
            "reservationAffinity.specificReservation.values": ("my-reservation", "of the same"),
            "scheduling.preemptible": "told by the provisioning model",
            "scheduling.provisioningModel": ("STANDARD", "told, so that nobody's default decides"),
            "metadata.google-logging-use-fluentbit": "left to COS",
            "metadata.install-nvidia-driver": "of Deep Learning images; on COS our unit installs the driver",
            "metadata.cos-update-strategy": ("update_disabled", "a restart would bring another driver"),
            "metadata.enable-guest-attributes": ("TRUE", "the verdict is left there"),
            "metadata.container-images": "for `rdma-cluster artifacts`",
            "metadata.nccl-acceptance": "the proof is ordered by it",
            "metadata.nccl-acceptance-files": "of the same",
            "metadata.nccl-acceptance-judge": "of the same",
            "metadata.nccl-acceptance-judge-2": "of the same",
            "metadata.nccl-acceptance-script": "of the same",
        },
    ),
    Reference(
        "gcp:compute/network:Network",
        "gce-rail-0",
        f"{_A3}/{_NETWORK}",
        "2026-11-23",
        {"name": ..., "project": ..., "autoCreateSubnetworks": False, "mtu": 8228},
        {"name": _NAMED, "mtu": (8244, _PACKETS), "routingMode": ("REGIONAL", "Google's own default, told")},
    ),
    Reference(
        "gcp:compute/firewall:Firewall",
        "gce-iap-ssh",
        f"{_A3}/{_NETWORK}",
        "2026-11-23",
        {
            "name": ...,
            "project": ...,
            "network": ...,
            "description": ...,
            "direction": "INGRESS",
            "sourceRanges": "35.235.240.0/20",
            "allows.protocol": "tcp",
            "allows.ports": "22",
        },
        {"name": _NAMED, "description": "the name of ours says it", "direction": "Google's own default"},
    ),
]
