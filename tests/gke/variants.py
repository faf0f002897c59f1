"""GKE graphs beside those of the stacks, for the policies."""

from tests.gke.changes import WATCHED
from tests.queue_keys import SENT

_A3 = "pools[1]={name: a3, machine: a3-ultragpu-8g, nodes: 4, capacity: {spot: true}}"
_METAL = "{name: metal, machine: a4x-maxgpu-4g-metal, nodes: 17, capacity: {reservation: {name: r}}}"
_A4 = "{name: a4, machine: a4-highgpu-8g, nodes: 2, capacity: {spot: true}, gpuAllocation: device-plugin}"
_RAILS = ", ".join(f"{{network: roce, subnetwork: lane-{i}}}" for i in range(8))
_PLAIN = ", ".join(f"{{network: plain-{i}, subnetwork: lane-{i}}}" for i in range(8))
_GVNIC = "gvnic: {network: second, subnetwork: second-nodes}, "
NETWORKS = (
    "network.existing={network: vpc, subnetwork: nodes, podRange: pods, serviceRange: services, "
    f"{_GVNIC}rails: [{_RAILS}]}}"
)
CLUSTER = "kubernetes={name: mine, existing: {location: us-west8, endpoint: gke.example}}"

VARIANTS: dict[str, tuple[str, ...]] = {
    "secrets by a key of one's own on GKE": (
        "gke",
        "kubernetes.secretsKey=projects/p/locations/us-west8/keyRings/r/cryptoKeys/k",
    ),
    "pull secret on gke": (
        "gke",
        "pullSecret={auths: {mirror.example: {username: robot, password: hunter2}}}",
        "queues={enabled: true}",
        *WATCHED,
    ),
    "jobs of a manager on gke, and for others": (
        "gke",
        "pools[0].gpuAllocation=device-plugin",
        "injection={enabled: true, engine: kyverno}",
        f"queues={{enabled: true, worker: {{queues: {{shared: a4}}}}, dispatch: {{{SENT}}}}}",
    ),
    "tags of gke": ("gke", "tags={team: research, cost-center: '4711'}"),
    "monitoring": ("gke", *WATCHED),
    "faults are acted on": ("gke", "readiness={enabled: true, onFault: quarantine, evict: true}"),
    "nodes are held until they are proven": (
        "gke",
        "readiness.enabled=true",
        *WATCHED,
        "injection={enabled: true, engine: kyverno}",
        "queues={enabled: true}",
    ),
    "suspects are tainted": ("gke", "acceptance.taintSuspects=true"),
    "injection": ("gke", "injection={enabled: true, engine: kyverno, nemo: true}"),
    "two machines": ("gke", _A3, "queues={enabled: true, preemption: true}"),
    "405B on A4, from a volume, by all GPUs": (
        "gke",
        "inference={model: meta-llama/Llama-3.1-405B-Instruct, split: tensor, apiKeySecret: key, "
        "weights: {claim: weights, claimGb: 1000, path: llama}, vllmArgs: ['--max-num-seqs=64']}",
        "claims.namespaces=[team-a]",
    ),
    "405B from a bucket, in two namespaces": (
        "gke-a3-ultra",
        "storage={objectStore: {}}",
        "claims.namespaces=[default, team-a]",
        "inference={model: meta-llama/Llama-3.1-405B-Instruct, weights: {storage: true, path: llama}}",
    ),
    "405B from Lustre": (
        "gke",
        "storage={lustre: {capacityGib: 18000}}",
        "inference={model: meta-llama/Llama-3.1-405B-Instruct, weights: {storage: true}}",
    ),
    "405B on A3 Ultra": ("gke-a3-ultra", "inference.model=meta-llama/Llama-3.1-405B-Instruct"),
    "existing networks": ("gke", NETWORKS),
    "existing networks and cluster": ("gke", NETWORKS, CLUSTER),
    "managed NICs": ("gke", "network.mode=managed"),
    "networks by GKE": ("gke", "network.mode=managed-auto"),
    "networks by GKE in an existing VPC": (
        "gke",
        "network.mode=managed-auto",
        "network.existing={network: vpc, subnetwork: nodes, podRange: pods, serviceRange: services, rails: []}",
    ),
    "networks by name": ("gke", "network.mode=pod-networks"),
    "networks by name, existing": ("gke", "network.mode=pod-networks", NETWORKS),
    "networks by name, two machines": ("gke", "network.mode=pod-networks", _A3),
    "existing drivers": ("gke", "drivers={kernel: existing}"),
    "A3 Mega on existing networks and cluster": (
        "gke-a3-mega",
        "zone=us-west8-c",
        NETWORKS.replace(_GVNIC, "").replace(_RAILS, _PLAIN),
        CLUSTER,
    ),
    "405B on A3 Mega, watched": (
        "gke-a3-mega",
        *WATCHED,
        "inference={model: meta-llama/Llama-3.1-405B-Instruct, image: mine.example/vllm:1}",
    ),
    "A3 Mega on flex-start": ("gke-a3-mega", "pools[0].capacity={flexStart: true}"),
    "A3 Mega in two pools": (
        "gke-a3-mega",
        "pools[1]={name: second, machine: a3-megagpu-8g, nodes: 3, capacity: {spot: true}}",
        "network.cidr=172.16.0.0/12",
    ),
    "A3 Ultra for SkyPilot": ("gke-a3-ultra", "skypilot=true"),
    "A3 High and Edge": (
        "gke-a3-high",
        "skypilot=false",
        "pools[1]={name: edge, machine: a3-edgegpu-8g, nodes: 2, capacity: {spot: true}}",
        "acceptance.thresholds={a3-edgegpu-8g: ['all_reduce:1G=20']}",
    ),
    "flex-start": ("gke", "pools[0].capacity={flexStart: true}"),
    "on demand": ("gke", "pools[0].capacity={onDemand: true}"),
    "queued, beside a pool of the autoscaler's": (
        "gke",
        "pools[0]={name: a4, machine: a4-highgpu-8g, nodes: 2, capacity: {queued: true}}",
        "pools[1]={name: a3, machine: a3-ultragpu-8g, nodes: 4, minNodes: 1, capacity: {calendar: {name: r}}, "
        "placementPolicy: dense}",
    ),
    "device plugin": ("gke", "pools[0].gpuAllocation=device-plugin"),
    "device plugin beside claims": ("gke", _A3, "pools[1].gpuAllocation=device-plugin"),
    "zonal, private endpoint": ("gke", "kubernetes={location: zonal, endpoint: private}"),
    "many nodes": ("gke", "pools[0].nodes=900", "network={maxNodes: 1000, cidr: 10.0.0.0/8}"),
    "few nodes": ("gke", "network={maxNodes: 2, cidr: 172.16.0.0/16, podCidr: 100.64.0.0/20}"),
    "two namespaces": ("gke", "claims={namespaces: [default, team-a], pairs: [2, 3], whole: false}"),
    "bare metal": ("gke-a4x", f"pools=[{_METAL}]"),
    "racks by name": ("gke-a4x", "network.mode=pod-networks"),
    "all kinds on networks by GKE": ("gke-a4x", "network.mode=managed-auto", f"pools[1]={_METAL}", f"pools[2]={_A4}"),
    "racks beside A4, all by claims": (
        "gke-a4x",
        "network.mode=managed",
        "pools[0].gpuAllocation=dra",
        "pools[1].gpuAllocation=dra",
        f"pools[2]={_A4.replace(', gpuAllocation: device-plugin', '')}",
    ),
    "part of a reservation": (
        "gke",
        "pools[0].capacity.reservation={name: r, project: my-project, block: b, subBlock: s}",
    ),
}
