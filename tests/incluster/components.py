"""Each component inside a cluster on its own."""

from typing import Any

NODES = {"label": "pool", "values": ["a"], "nodes": 2}
POOL = {"name": "a", "machine": "a4-highgpu-8g", "nodes": 2, "fabric": "gib"}
IN_CLUSTER: dict[str, dict[str, Any]] = {
    "DraDrivers": {"host": "cos", "gpu_nodes": NODES, "nic_nodes": NODES},
    "NcclInstaller": {"fabric": "gib", "nodes": NODES},
    "ClaimTemplates": {"machines": ["a3-ultragpu-8g", "a4-highgpu-8g"]},
    "DistributedInference": {
        "model": "meta-llama/Llama-3.1-405B-Instruct",
        "pools": [POOL],
        "pool_label": "pool",
        "taint": {"key": "nvidia.com/gpu", "value": "present"},
    },
    "DevicePlugins": {"nodes": NODES, "nic_plugin": "efa", "nic_registry": "r.example"},
    "FabricInjection": {"pools": [{"name": "a4", "machine": "a4-highgpu-8g"}], "pool_label": "p", "engine": "kyverno"},
    "Monitoring": {"pools": [POOL], "pool_label": "pool", "host": "cos"},
    "MpiOperator": {},
    "NodeReadiness": {
        "pools": [POOL],
        "pool_label": "pool",
        "taint": {"key": "nvidia.com/gpu", "value": "present"},
        "host": "cos",
    },
    "PodFiles": {"namespaces": ["default"], "config_maps": {"a": {"b.conf": "c"}}},
    "Queues": {"pools": [{"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2}], "pool_label": "p"},
    "SharedVolume": {"driver": "d.example", "handle": "h", "namespaces": ["default", "a"], "attributes": {"k": "v"}},
    "NcclAcceptance": {"pools": [POOL], "pool_label": "pool", "taint": {"key": "k", "value": "v"}},
}
