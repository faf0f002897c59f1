"""Runs in SkyPilot's environment: what SkyPilot takes a cluster for, and the pod that it would then make, as JSON.

Arguments: a context of `KUBECONFIG`, the GPUs of a node, the node label by which SkyPilot asks for them and its value.
"""

import json
import re
import sys
from pathlib import Path

import jinja2
import sky
import yaml
from jinja2 import meta
from sky.clouds.kubernetes import Kubernetes
from sky.utils.resources_utils import NetworkTier

context, gpus, label, accelerator = sys.argv[1:]
network, _ = Kubernetes._detect_network_type(context, NetworkTier.BEST, label, "nvidia.com/gpu", int(gpus), "H100")

# What SkyPilot itself tells its template of a network; the rest is what any task has, or nothing.
asked = {
    "k8s_enable_gpudirect_tcpx": network.name == "GCP_TCPX",
    "k8s_enable_gpudirect_tcpxo": network.name == "GCP_TCPXO",
    "k8s_enable_gpudirect_rdma": network.name == "GCP_GPUDIRECT_RDMA",
    "k8s_ipc_lock_capability": network.requires_ipc_lock_capability(),
    "k8s_env_vars": network.get_network_env_vars("H100"),
    "k8s_resource_key": "nvidia.com/gpu",
    "accelerator_count": gpus,
    "k8s_acc_label_key": label,
    "k8s_acc_label_values": [accelerator],
    "cluster_name_on_cloud": "task",
    "num_nodes": 2,
    "cpus": 4,
    "memory": 16,
    "image_id": "skypilot.example/image:1",
    "k8s_service_account_name": "default",
    "k8s_automount_sa_token": "false",
    "ray_port": 6380,
    "ray_dashboard_port": 8266,
    "labels": {},
    "volume_mounts": [],
    "ephemeral_volume_mounts": [],
    "volume_mount_rw_paths": [],
    "runcmd": [],
    "initial_setup_commands": [],
    "credentials": {},
    "k8s_docker_config_dict": {},
}
template = (Path(sky.__file__).parent / "templates" / "kubernetes-ray.yml.j2").read_text()
environment = jinja2.Environment(undefined=jinja2.ChainableUndefined)
known = meta.find_undeclared_variables(environment.parse(template))
nothing = dict.fromkeys(known - set(re.findall(r"(\w+) is defined", template)))
rendered = environment.from_string(template).render(nothing | asked)
head = yaml.safe_load(rendered)["available_node_types"]["ray_head_default"]["node_config"]
print(json.dumps({"network": network.name, "pod": head}))
