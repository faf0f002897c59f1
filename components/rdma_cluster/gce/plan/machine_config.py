"""What a plain machine does at every start, as cloud-init takes it: files that lie in ``on_machine``, and units."""

import json
import shlex
from collections.abc import Mapping
from hashlib import sha256

from pulumi_offline.frozen import frozen
from ...catalog.artifact import mirrored
from ...catalog.gce_image import LAYOUT
from ...catalog.machine import Machine
from ...fabrics import Fabric, HostMount, HostPlugin, PodPatch
from ...fabrics.gke_pods import GPU_DEVICES
from ..on_machine import script

FOLDER = "/etc/rdma-cluster"
HOME = "/var/lib/rdma-cluster"
"""A folder that survives a restart of the machine; cloud-init writes ``FOLDER`` again at each start."""
_GKE_DRIVER = "/home/kubernetes/bin/nvidia"
"""Folder of the driver in the fabric's record, which describes GKE's nodes."""
_PRIVATE = (".pkg.dev", "gcr.io")
"""Registries of Google's that ask for a token; the machine's account has one."""


@frozen
class StartUp:
    """What the start of a pool's machines depends on."""

    machine: Machine
    fabric: Fabric
    driver: str
    """The driver, in the words of ``cos-extensions install gpu``."""
    registries: Mapping[str, str]

    @property
    def pod_patch(self) -> PodPatch:
        """What a container adds to use the fabric."""
        return self.fabric.pod_patch_on(self.machine)


def cloud_config(start: StartUp) -> str:
    """The cloud-config of a machine, as JSON: JSON is YAML, and has one form only."""
    units = {
        "rdma-cluster-machine": _machine_unit(start),
        "rdma-cluster-rxdm": _daemon_unit(start),
        # It only waits where nothing is ordered.
        "rdma-cluster-acceptance": _ACCEPTANCE_UNIT,
    }
    files = {
        **{f"{FOLDER}/{name}": script(name) for name in ("machine.sh", "await.sh")},
        f"{FOLDER}/container": "".join(f"{word}\n" for word in container_words(start)),
        **{f"/etc/systemd/system/{name}.service": text for name, text in units.items()},
    }
    written = [
        {"path": path, "content": text, "owner": "root:root", "permissions": "0644"} for path, text in files.items()
    ]
    run = [["systemctl", "daemon-reload"], ["systemctl", "start", "--no-block", *units]]
    return "#cloud-config\n" + json.dumps({"write_files": written, "runcmd": run}) + "\n"


def digest(start: StartUp) -> str:
    """Short digest of all that a machine runs at its start."""
    return sha256(cloud_config(start).encode()).hexdigest()[:12]


def container_words(start: StartUp) -> list[str]:
    """The options of ``docker run`` that give a container the machine's GPUs and NICs; none holds a blank."""
    adds = start.pod_patch
    env = {**adds.env, "LD_LIBRARY_PATH": f"/usr/local/nvidia/lib64:{LAYOUT.plugin_in_container}"}
    return [
        "--network=host",
        f"--shm-size={adds.shared_memory.lower().removesuffix('i')}",
        "--ulimit=memlock=-1",
        *(f"--cap-add={name}" for name in adds.capabilities),
        *(f"--device={path}" for path in GPU_DEVICES),
        *_volumes(adds.mounts),
        f"--volume={LAYOUT.plugin}:{LAYOUT.plugin_in_container}",
        *(f"--env={key}={value}" for key, value in env.items()),
    ]


def _volumes(mounts: tuple[HostMount, ...]) -> list[str]:
    """The mounts of the record, with this system's folder of the driver."""
    return [f"--volume={each.host_path.replace(_GKE_DRIVER, LAYOUT.driver)}:{each.mount_path}" for each in mounts]


def machine_images(start: StartUp) -> list[str]:
    """The images of the plugin and of the daemon."""
    plugin, (daemon,) = start.fabric.plugin, start.pod_patch.sidecars
    assert isinstance(plugin, HostPlugin)
    return [mirrored(image, start.registries) for image in (plugin.release.installer, daemon.image)]


def _machine_unit(start: StartUp) -> str:
    images = machine_images(start)
    private = sorted({host for image in images if (host := image.partition("/")[0]).endswith(_PRIVATE)})
    return _unit(
        "The GPUs' driver and the plugin of NCCL",
        "network-online.target docker.service",
        "Type=oneshot",
        "RemainAfterExit=true",
        f"Environment=DRIVER={start.driver} DRIVER_FOLDER={LAYOUT.driver} PLUGIN_FOLDER={LAYOUT.plugin}",
        f"Environment=PLUGIN_IMAGE={images[0]}",
        f"Environment=PRIVATE_REGISTRIES={','.join(private)}",
        # A unit that failed would fail all that waits for it, for good.
        f"ExecStart=/bin/sh -c 'until /bin/bash {FOLDER}/machine.sh; do sleep 15; done'",
    )


def _daemon_unit(start: StartUp) -> str:
    """The daemon that owns the GPU memory which NICs write to; privileged, as every guide for machines has it."""
    (daemon,) = start.pod_patch.sidecars
    name, ready = "receive-datapath-manager", " ".join(daemon.ready)
    run = [
        "/usr/bin/docker run --rm",
        f"--name={name}",
        "--privileged --network=host",
        *(f"--cap-add={each}" for each in daemon.capabilities),
        *(f"--device={path}" for path in GPU_DEVICES),
        *_volumes(daemon.mounts),
        *(f"--env={key}={value}" for key, value in daemon.env.items()),
        f"--entrypoint={daemon.command[0]}",
        mirrored(daemon.image, start.registries),
        shlex.join(daemon.command[1:]),
    ]
    return _unit(
        "Receive data path manager of GPUDirect-TCPX",
        "rdma-cluster-machine.service",
        "Restart=always",
        "RestartSec=5",
        f"TimeoutStartSec={daemon.ready_seconds + 600}",
        f"ExecStartPre=-/usr/bin/docker rm --force {name}",
        f"ExecStart={' '.join(run)}",
        # What starts after it finds it serving.
        f"ExecStartPost=/bin/sh -c 'until {ready}; do sleep 1; done'",
        f"ExecStop=/usr/bin/docker stop {name}",
    )


def _unit(what: str, after: str, *service: str) -> str:
    lines = ["[Unit]", f"Description={what}", f"Wants={after}", f"After={after}", "", "[Service]"]
    return "".join(f"{line}\n" for line in [*lines, f"Environment=HOME={HOME}", *service])


_ACCEPTANCE_UNIT = _unit(
    "The proof of the fabric, when it is ordered",
    "rdma-cluster-rxdm.service",
    "Restart=always",
    "RestartSec=15",
    f"ExecStart=/bin/bash {FOLDER}/await.sh",
)
