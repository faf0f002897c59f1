"""A3 Mega's pods beside Google's own test pod, and the set of versions that it is published with."""

import json
from typing import Any

import pytest
import yaml
from pulumi_offline import Graph
from tests.stacks import graph_of

GPUS = [f"/dev/nvidia{i}" for i in range(8)]
# GoogleCloudPlatform/container-engine-accelerators@992db81 gpudirect-tcpx, gpudirect-tcpxo: nccl-test-latest.yaml;
# TCPX's versions by its release notes of 2026-06-22, which are newer.
GOOGLES: dict[str, dict[str, Any]] = {
    "gke-a3-mega": {
        "daemon": "tcpxo-daemon",
        "plugin": "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev:v1.0.15",
        "image": "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.21",
        "capabilities": {"NET_ADMIN", "NET_BIND_SERVICE"},
        "devices": [*GPUS, "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/dmabuf_import_helper"],
        "networks": [("eth0", "default"), *((f"eth{i}", f"vpc{i}") for i in range(1, 9))],
        "daemon_sees": {"/hostsysfs": "/sys", "/hostprocsysfs": "/proc/sys"},
        "program_sees": {"/dev/aperture_devices": "/dev/aperture_devices"},
    },
    "gke-a3-high": {
        "daemon": "tcpx-daemon",
        "plugin": "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.12",
        "image": "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.15",
        "capabilities": {"NET_ADMIN"},
        "devices": [*GPUS, "/dev/nvidiactl", "/dev/nvidia-uvm"],
        "networks": [("eth0", "default"), *((f"eth{i}", f"vpc{i}") for i in range(1, 5))],
        "daemon_sees": {"/hostsysfs": "/sys", "/hostprocsysfs": "/proc/sys", "/run/tcpx": "/run/tcpx"},
        # Google's program sees the sockets as its /tmp; here they are where the environment says, as on VMs.
        "program_sees": {"/run/tcpx": "/run/tcpx"},
    },
}

# Release notes of 2026-06-22 in container-engine-accelerators, gpudirect-tcpx/README.md.
NOTES = {
    "NCCL_SOCKET_IFNAME": "eth0",
    "NCCL_ALGO": "Ring,Tree",
    "NCCL_PROTO": "Simple",
    "NCCL_CROSS_NIC": "0",
    "NCCL_NET_GDR_LEVEL": "PIX",
    "NCCL_P2P_PXN_LEVEL": "0",
    "NCCL_GPUDIRECTTCPX_SOCKET_IFNAME": "eth1,eth2,eth3,eth4",
    "NCCL_GPUDIRECTTCPX_CTRL_DEV": "eth0",
    "NCCL_DYNAMIC_CHUNK_SIZE": "524288",
    "NCCL_P2P_NET_CHUNKSIZE": "524288",
    "NCCL_P2P_PCI_CHUNKSIZE": "524288",
    "NCCL_P2P_NVL_CHUNKSIZE": "1048576",
    "NCCL_BUFFSIZE": "4194304",
    "NCCL_NSOCKS_PERTHREAD": "4",
    "NCCL_SOCKET_NTHREADS": "1",
    "NCCL_GPUDIRECTTCPX_TX_BINDINGS": "eth1:8-21,112-125;eth2:8-21,112-125;eth3:60-73,164-177;eth4:60-73,164-177",
    "NCCL_GPUDIRECTTCPX_RX_BINDINGS": "eth1:22-35,126-139;eth2:22-35,126-139;eth3:74-87,178-191;eth4:74-87,178-191",
    "NCCL_GPUDIRECTTCPX_PROGRAM_FLOW_STEERING_WAIT_MICROS": "500000",
}

# google/nccl-plugin-gpudirect-tcpxo@v1.0.15 tcpxo_scripts/nccl-env-profile.sh, as bash leaves it where no NIC is found.
PROFILE = {
    "NCCL_FASTRAK_IFNAME": "eth1,eth2,eth3,eth4,eth5,eth6,eth7,eth8",
    "NCCL_FASTRAK_CTRL_DEV": "eth0",
    "NCCL_SOCKET_IFNAME": "eth0",
    "NCCL_CROSS_NIC": "0",
    "NCCL_PROTO": "Simple,LL128",
    "NCCL_MIN_NCHANNELS": "4",
    "NCCL_NVLSTREE_MAX_CHUNKSIZE": "131072",
    "NCCL_P2P_NET_CHUNKSIZE": "524288",
    "NCCL_P2P_PCI_CHUNKSIZE": "524288",
    "NCCL_P2P_NVL_CHUNKSIZE": "1048576",
    "NCCL_FASTRAK_NUM_FLOWS": "2",
    "NCCL_FASTRAK_ENABLE_CONTROL_CHANNEL": "0",
    "NCCL_BUFFSIZE": "8388608",
    "NCCL_FASTRAK_USE_SNAP": "1",
    "NCCL_FASTRAK_USE_LLCM": "1",
    "CUDA_VISIBLE_DEVICES": "0,1,2,3,4,5,6,7",
    "NCCL_NET_GDR_LEVEL": "PIX",
    "NCCL_FASTRAK_ENABLE_HOTPATH_LOGGING": "0",
    "NCCL_TUNER_PLUGIN": "libnccl-tuner.so",
    "NCCL_TUNER_CONFIG_PATH": "/usr/local/nvidia/lib64/a3plus_tuner_config.textproto",
    "NCCL_SHIMNET_GUEST_CONFIG_CHECKER_CONFIG_FILE": "/usr/local/nvidia/lib64/a3plus_guest_config.textproto",
    "NCCL_FASTRAK_PLUGIN_ACCEPT_TIMEOUT_MS": "600000",
}


def pod(graph: Graph) -> dict[str, Any]:
    """The template of the acceptance test's pods."""
    return next(each for each in graph.of_type("kubernetes:batch/v1:Job") if each.name.endswith("-test")).inputs[
        "spec"
    ]["template"]


def seen(spec: dict[str, Any], container: dict[str, Any]) -> dict[str, str]:
    """Folders of the host by where a container sees them."""
    folders = {each["name"]: each["hostPath"]["path"] for each in spec["volumes"] if "hostPath" in each}
    return {m["mountPath"]: folders[m["name"]] for m in container["volumeMounts"] if m["name"] in folders}


@pytest.mark.parametrize("stack", GOOGLES)
def test_pods_are_as_googles_own_test_pod(stack: str):
    """Networks, devices, daemon and folders; the driver's libraries are one folder higher, as SkyPilot mounts them."""
    want, template = GOOGLES[stack], pod(graph_of(stack))
    annotations, spec = template["metadata"]["annotations"], template["spec"]
    (daemon,), program = spec["initContainers"], spec["containers"][0]
    libraries = {"/usr/local/nvidia": "/home/kubernetes/bin/nvidia"}

    asked = json.loads(annotations["networking.gke.io/interfaces"])
    assert [(each["interfaceName"], each["network"]) for each in asked] == want["networks"]
    devices = yaml.safe_load(annotations[f"devices.gke.io/container.{want['daemon']}"])
    assert [each["path"] for each in devices] == want["devices"]
    assert (daemon["name"], daemon["image"], daemon["restartPolicy"]) == (want["daemon"], want["image"], "Always")
    assert set(daemon["securityContext"]["capabilities"]["add"]) == want["capabilities"]
    assert seen(spec, daemon) == {**want["daemon_sees"], **libraries}
    assert seen(spec, program) == {**want["program_sees"], **libraries}
    assert (program["image"], program["resources"]["limits"]) == (want["plugin"], {"nvidia.com/gpu": "8"})


def test_tcpxo_environment_is_the_releases_own():
    """Every pod has what the release's own script sets."""
    program = pod(graph_of("gke-a3-mega"))["spec"]["containers"][0]
    assert {each["name"]: each.get("value") for each in program["env"]}.items() >= PROFILE.items()


def test_tcpx_environment_is_the_releases_own():
    """Every pod has what the notes list, and where the sockets are."""
    program = pod(graph_of("gke-a3-high"))["spec"]["containers"][0]
    has = {each["name"]: each["value"] for each in program["env"] if each["name"].startswith("NCCL_")}

    assert has.pop("NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX") == "/run/tcpx"
    assert has == NOTES


def test_the_program_waits_for_its_daemon():
    """A node on which the daemon never serves fails before NCCL hangs on it."""
    (daemon,) = pod(graph_of("gke-a3-mega"))["spec"]["initContainers"]
    probe, written = daemon["startupProbe"], {each["name"]: each["value"] for each in daemon["env"]}

    assert probe["exec"]["command"] == ["cat", written["HEALTH_CHECK_LOG_FILE"]]
    assert probe["periodSeconds"] * probe["failureThreshold"] == 120
