"""Graphs of plain machines beside those of the stacks, for the policies."""

NETWORKS = "network.existing=[" + ", ".join(f"{{network: n{i}, subnetwork: s{i}}}" for i in range(5)) + "]"

VARIANTS: dict[str, tuple[str, ...]] = {
    "tags of gce": ("gce", "tags={team: research, cost-center: '4711'}"),
    "on demand, four machines, no SSH": (
        "gce",
        "pools[0].capacity={onDemand: true}",
        "pools[0].nodes=4",
        "network={iapSsh: false, maxNodes: 4, cidr: 172.16.0.0/24}",
    ),
    "flex-start": ("gce", "pools[0].capacity={flexStart: true, maxRunHours: 10}"),
    "existing networks, nothing proved": ("gce", NETWORKS, "acceptance.enabled=false"),
    "A3 High and Edge": (
        "gce-a3-high",
        "pools[1]={name: edge, machine: a3-edgegpu-8g, nodes: 2, capacity: {reservation: {name: r}}}",
        "acceptance.thresholds={a3-edgegpu-8g: ['all_reduce:1G=20']}",
    ),
}
