"""What a node does at its first boot: the document, and its scripts run against programs that stand in for a host's."""

import gzip
import json
import os
import re
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path

import pytest
from rdma_cluster.oke.plan.cloud_init import FirstBoot, cloud_config, digest, text, user_data
from tests.oke.plans import RACKS, pool_plan

BOOT = FirstBoot(version="1.36.1", mask_imex=False, kubelet_args=("--v=2", "--topology-manager-scope=pod"))


def document(boot: FirstBoot) -> dict:
    """The cloud-config as cloud-init reads it."""
    head, _, rest = cloud_config(boot).partition("\n")
    assert head == "#cloud-config"
    return json.loads(rest)


def test_same_bytes():
    """The same choices are the same template of nodes: gzip's clock is not in it."""
    assert user_data(BOOT) == user_data(BOOT)
    assert gzip.decompress(b64decode(user_data(BOOT))).decode() == cloud_config(BOOT)
    assert digest(BOOT) != digest(FirstBoot("1.36.2", False, ()))


def test_it_fits_into_metadata():
    """OCI takes 32,000 bytes of metadata in all, labels, certificate and keys besides."""
    assert len(pool_plan(**RACKS).user_data) < 12_000


def test_nothing_is_fetched_from_a_branch():
    """Only from the node's own metadata service and Oracle's package mirror."""
    whole = cloud_config(FirstBoot("1.36.1", True, ()))
    hosts = {word.split("/")[2] for word in whole.replace('"', " ").split() if word.startswith(("http://", "https://"))}

    assert "github" not in whole
    assert hosts <= {
        "odx-oke.objectstorage.us-sanjose-1.oci.customer-oci.com",
        "objectstorage.us-sanjose-1.oraclecloud.com",
    }
    assert "http://169.254.169.254" in whole


def test_files_and_order():
    """Disks first, then the host's IMEX off, then the cluster: one command, that trouble with disks does not end."""
    made = document(FirstBoot("1.36.1", True, ("--v=2",)))
    (command,) = made["runcmd"]
    written = {each["path"]: each for each in made["write_files"]}

    assert command == [
        "sh",
        "-c",
        "/opt/rdma-cluster/nvme_raid.sh 10; /opt/rdma-cluster/mask_imex.sh && "
        "/opt/rdma-cluster/bootstrap.sh 1.36.1 '--v=2'",
    ]
    assert 'default_ulimits = ["memlock=-1:-1"]' in written["/etc/crio/crio.conf.d/50-rdma-memlock.conf"]["content"]
    routes = written["/etc/systemd/networkd.conf.d/50-rdma-routes.conf"]["content"]
    assert "ManageForeignRoutes=no" in routes and "ManageForeignRoutingPolicyRules=no" in routes
    for path, each in written.items():
        assert (each["permissions"] == "0755") is path.endswith(".sh")


def test_only_racks_mask_imex():
    """ComputeDomains run IMEX themselves; elsewhere there is none."""
    racks = gzip.decompress(b64decode(pool_plan(**RACKS).user_data)).decode()
    others = gzip.decompress(b64decode(pool_plan().user_data)).decode()

    assert "mask_imex.sh" in racks and "mask_imex.sh" not in others


Host = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """Runs a script on a host whose programs note how they are called, below a folder in place of ``/``."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "etc/apt/sources.list.d").mkdir(parents=True)
    (tmp_path / "etc/os-release").write_text("VERSION_CODENAME=noble\n")

    def program(name: str, body: str) -> None:
        path = tmp_path / "bin" / name
        path.write_text(f'#!/bin/bash\necho "{name} $*" >>{tmp_path}/called\n{body}\n')
        path.chmod(0o755)

    def run(
        script: str, *words: str, metadata: dict[str, str] | None = None, programs: dict[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        known = tmp_path / "metadata"
        for path, value in (metadata or {}).items():
            (known / path).parent.mkdir(parents=True, exist_ok=True)
            (known / path).write_text(value)
        program("curl", f'url=${{@: -1}}; cat "{known}/${{url#*/opc/v2/}}" 2>/dev/null | grep . || exit 22')
        for name, body in (programs or {}).items():
            program(name, body)
        path = tmp_path / script
        path.write_text(re.sub(r"(?<![\w.}])(/(etc|opt|var|mnt)/|/dev/(?!null))", rf"{tmp_path}\1", text(script)))
        env = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
        return subprocess.run(["bash", path, *words], env=env, capture_output=True, text=True, timeout=60)

    return run


IDENTITY = {"identity/cert.pem": "-----BEGIN CERTIFICATE-----"}
SELF_MANAGED = {
    **IDENTITY,
    "instance/metadata/apiserver_host": "10.140.0.2",
    "instance/metadata/cluster_ca_cert": b64encode(b"certificate").decode(),
}
QUIET = {"systemctl": "", "sleep": "", "oke": ""}


def called(tmp_path: Path) -> list[str]:
    """Programs that were called, and with what; the metadata service left out."""
    return [line for line in (tmp_path / "called").read_text().splitlines() if not line.startswith("curl ")]


def test_self_managed_node_joins(host: Host, tmp_path: Path):
    """It is told where its cluster is, and asks to be let in with its kubelet's arguments."""
    done = host("bootstrap.sh", "1.36.1", "--v=2", metadata=SELF_MANAGED, programs=QUIET)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "etc/oke/oke-apiserver").read_text() == "10.140.0.2"
    assert (tmp_path / "etc/kubernetes/ca.crt").read_text() == "certificate"
    assert called(tmp_path) == ["systemctl restart systemd-networkd", "oke bootstrap --kubelet-extra-args --v=2"]


def test_managed_node_joins(host: Host, tmp_path: Path):
    """OKE knows its cluster: nothing is written in its place."""
    done = host("bootstrap.sh", "1.36.1", "", metadata=IDENTITY, programs=QUIET)

    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "etc/oke").exists()
    assert called(tmp_path)[-1] == "oke bootstrap"


def test_node_without_identity_does_not_join(host: Host, tmp_path: Path):
    """It would be let in nowhere; the boot ends with the reason."""
    done = host("bootstrap.sh", "1.36.1", "", programs=QUIET)

    assert done.returncode == 1 and "gave up after 60 times: has_identity" in done.stderr
    assert not [line for line in called(tmp_path) if line.startswith("oke ")]


def test_join_is_tried_again_and_then_given_up(host: Host, tmp_path: Path):
    """The cluster's API may not answer yet; a node that cannot join says so."""
    failing = {**QUIET, "oke": f"[[ $(grep -c ^oke {tmp_path}/called) -ge 3 ]]"}
    assert host("bootstrap.sh", "1.36.1", "", metadata=IDENTITY, programs=failing).returncode == 0

    never = host("bootstrap.sh", "1.36.1", "", metadata=IDENTITY, programs={**QUIET, "oke": "false"})
    assert never.returncode == 1 and "gave up after 20 times: oke bootstrap" in never.stderr


def without_oke(tmp_path: Path, package: str) -> dict[str, str]:
    """A host whose image holds no ``oke``; installing the package brings it."""
    oke = tmp_path / "bin/oke"
    brings = f'[[ "$*" == *"install {package}" ]] && printf "#!/bin/bash\\n" >{oke} && chmod +x {oke}'
    return {"systemctl": "", "sleep": "", "apt-get": f'[[ "$*" == *update ]] || {{ {brings}; }}'}


def test_package_of_the_cluster_version(host: Host, tmp_path: Path):
    """From the image's own repository where it has one, else from Oracle's mirror; its version is the cluster's."""
    local = tmp_path / "opt/oke-node-client-packages/ubuntu-noble/kubernetes-1.36/dists"
    local.mkdir(parents=True)
    done = host(
        "bootstrap.sh", "1.36.1", "", metadata=IDENTITY, programs=without_oke(tmp_path, "oci-oke-node-all-1.36.1")
    )
    source = (tmp_path / "etc/apt/sources.list.d/oke-node-client.sources").read_text()

    assert done.returncode == 0, done.stderr
    assert f"URIs: file://{local.parent}\n" in source


def test_package_from_the_mirror(host: Host, tmp_path: Path):
    """An older image holds no packages of a newer cluster."""
    programs = without_oke(tmp_path, "oci-oke-node-all-1.34.2")
    done = host("bootstrap.sh", "1.34.2", "", metadata=IDENTITY, programs=programs)
    source = (tmp_path / "etc/apt/sources.list.d/oke-node-client.sources").read_text()

    assert done.returncode == 0, done.stderr
    (line,) = [line for line in source.splitlines() if line.startswith("URIs: ")]
    mirrors = line.split()[1:]
    assert len({mirror.split("/")[2] for mirror in mirrors}) == len(mirrors) == 2
    assert all(mirror.endswith("/o/prod/ubuntu-noble/kubernetes-1.34") for mirror in mirrors)


def test_a_broken_repository_does_not_end_the_join(host: Host, tmp_path: Path):
    """Of somebody else, in the image: an update then fails, and the package is found all the same."""
    programs = without_oke(tmp_path, "oci-oke-node-all-1.36.1")
    programs["apt-get"] = programs["apt-get"].replace('[[ "$*" == *update ]] ||', '[[ "$*" != *update ]] &&')
    done = host("bootstrap.sh", "1.36.1", "", metadata=IDENTITY, programs=programs)

    assert done.returncode == 0, done.stderr
    assert "apt-get update failed" in done.stderr


def test_a_package_that_is_nowhere_ends_it(host: Host, tmp_path: Path):
    """Whatever an update says."""
    done = host("bootstrap.sh", "1.36.1", "", metadata=IDENTITY, programs=without_oke(tmp_path, "another"))

    assert done.returncode == 1 and "gave up after 5 times: install_packages" in done.stderr


def test_a_recycled_host_forgets_its_certificates(host: Host, tmp_path: Path):
    """Those of the node that it was; they lie on the array, which it keeps."""
    pki = tmp_path / "var/lib/kubelet/pki"
    pki.mkdir(parents=True)

    assert host("bootstrap.sh", "1.36.1", "", metadata=IDENTITY, programs=QUIET).returncode == 0
    assert not pki.exists()


DISKS = {
    "systemctl": "",
    "systemd-escape": 'echo "$(basename "${@: -1}").mount"',
    "mdadm": '[[ "$1" == --create ]] && touch "$2"; exit 0',
    "mkfs.ext4": "",
    "update-initramfs": "",
    "blkid": '[[ "$*" == *UUID* ]] && echo 1234 || exit 2',
    "lsblk": 'if [[ "$*" == *TYPE* ]]; then echo disk; [[ "$*" != *nvme99n1 ]] || echo part; fi',
}


def with_disks(tmp_path: Path, count: int) -> None:
    """So many local NVMe disks, and a boot disk."""
    (tmp_path / "dev/md").mkdir(parents=True)
    (tmp_path / "etc/systemd/system").mkdir(parents=True)
    (tmp_path / "etc/mdadm").mkdir(parents=True)
    for i in [*range(count), 99]:
        (tmp_path / f"dev/nvme{i}n1").touch()


@pytest.mark.parametrize(("count", "level"), [(16, 10), (4, 10), (2, 0), (1, 0)])
def test_disks_become_one_array(host: Host, tmp_path: Path, count: int, level: int):
    """RAID 10 from four disks on; the boot disk, which has partitions, stays out of it."""
    with_disks(tmp_path, count)
    done = host("nvme_raid.sh", "10", programs=DISKS)

    assert done.returncode == 0, done.stderr
    (create,) = [line for line in called(tmp_path) if line.startswith("mdadm --create")]
    assert f"--level={level} " in create and f"--raid-devices={count} " in create and "nvme99n1" not in create
    assert sum(line.startswith("mkfs.ext4") for line in called(tmp_path)) == 1
    units = {path.name for path in (tmp_path / "etc/systemd/system").iterdir()}
    assert units == {"nvme.mount", "containers.mount", "kubelet.mount", "pods.mount"}


def test_array_of_a_replaced_boot_volume_is_kept(host: Host, tmp_path: Path):
    """Its data are there; making it anew would lose them."""
    with_disks(tmp_path, 4)
    (tmp_path / "dev/md/rdma-cluster").touch()
    done = host("nvme_raid.sh", "10", programs={**DISKS, "blkid": "echo 1234"})

    assert done.returncode == 0, done.stderr
    assert not [line for line in called(tmp_path) if line.startswith(("mdadm --create", "mkfs"))]


def test_a_host_without_disks_boots(host: Host, tmp_path: Path):
    """Images and pods stay on the boot volume."""
    with_disks(tmp_path, 0)
    done = host("nvme_raid.sh", "10", programs=DISKS)

    assert (done.returncode, list((tmp_path / "etc/systemd/system").iterdir())) == (0, [])
    assert "no local NVMe disk" in done.stdout


def test_trouble_with_disks_is_told_on_the_node(host: Host, tmp_path: Path):
    """In the log of the boot, on the console, and to whoever logs in; the node joins all the same."""
    with_disks(tmp_path, 4)
    done = host("nvme_raid.sh", "10", programs={**DISKS, "mkfs.ext4": "exit 1"})

    assert done.returncode != 0
    assert "does without its local NVMe disks" in done.stderr
    assert (tmp_path / "etc/motd").read_text() in done.stderr


@pytest.mark.parametrize(("there", "calls"), [(True, 3), (False, 1)])
def test_imex_is_masked_where_it_is(host: Host, tmp_path: Path, there: bool, calls: int):
    """An image may come without it."""
    done = host("mask_imex.sh", programs={"systemctl": "" if there else '[[ "$1" != cat ]]'})

    assert (done.returncode, len(called(tmp_path))) == (0, calls)
