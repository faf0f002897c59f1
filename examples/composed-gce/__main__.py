"""Plain A3 High machines, composed by hand: network, an account for the machines, and the machines with their proof.

COST: A3 High machines are among the dearest there are, and billed while they exist: destroy them in time.
"""

import pulumi
import pulumi_gcp as gcp
from pulumi import ResourceOptions
from rdma_cluster.gce import GceGpuVms, GceHpcNetwork, GcePool

project, zone, machine = pulumi.Config("gcp").require("project"), "us-central1-a", "a3-highgpu-8g"
google = gcp.Provider("train", project=project)
opts = ResourceOptions(provider=google)

network = GceHpcNetwork("train", {"project": project, "zone": zone, "machines": [machine]}, opts)
account = gcp.serviceaccount.Account(
    "train-vms", project=project, account_id="train-vms", display_name="Machines of train", opts=opts
)
rights = [
    gcp.projects.IAMMember(f"train-vms-{role}", project=project, role=f"roles/{role}", member=account.member, opts=opts)
    for role in ("artifactregistry.reader", "logging.logWriter", "monitoring.metricWriter")
]
# No drivers, plugin or claims: a machine installs its own when it starts, and the proof runs on the machines.
a3 = GcePool(name="a3", machine=machine, nodes=2, capacity={"spot": True})
pool = GceGpuVms(
    "train",
    {**a3, "project": project, "zone": zone, "networks": network.networks, "service_account": account.email},
    ResourceOptions.merge(opts, ResourceOptions(depends_on=[network, *rights])),
)

pulumi.export("workload", pool.workload)
pulumi.export("proof", pool.proof)
