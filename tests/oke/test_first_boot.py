"""What a node does at its first boot: its scripts, run against programs that stand in for a host's."""

import os
import re
import subprocess
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest
from rdma_cluster.oke.plan.cloud_init import text

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


def test_a_self_managed_node_is_told_where_its_cluster_is_and_joins_it(host: Host, tmp_path: Path):
    done = host("bootstrap.sh", "1.36.1", "--v=2", metadata=SELF_MANAGED, programs=QUIET)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "etc/oke/oke-apiserver").read_text() == "10.140.0.2"
    assert (tmp_path / "etc/kubernetes/ca.crt").read_text() == "certificate"
    assert called(tmp_path) == ["systemctl restart systemd-networkd", "oke bootstrap --kubelet-extra-args --v=2"]


def test_a_managed_node_joins_the_cluster_that_oke_knows(host: Host, tmp_path: Path):
    done = host("bootstrap.sh", "1.36.1", "", metadata=IDENTITY, programs=QUIET)

    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "etc/oke").exists()
    assert called(tmp_path)[-1] == "oke bootstrap"


def test_a_node_without_identity_does_not_join(host: Host, tmp_path: Path):
    done = host("bootstrap.sh", "1.36.1", "", programs=QUIET)

    assert done.returncode == 1 and "gave up after 60 times: has_identity" in done.stderr
    assert not [line for line in called(tmp_path) if line.startswith("oke ")]


def test_a_join_is_tried_again_and_then_given_up(host: Host, tmp_path: Path):
    failing = {**QUIET, "oke": f"[[ $(grep -c ^oke {tmp_path}/called) -ge 3 ]]"}
    assert host("bootstrap.sh", "1.36.1", "", metadata=IDENTITY, programs=failing).returncode == 0

    never = host("bootstrap.sh", "1.36.1", "", metadata=IDENTITY, programs={**QUIET, "oke": "false"})
    assert never.returncode == 1 and "gave up after 20 times: oke bootstrap" in never.stderr


def without_oke(tmp_path: Path, package: str) -> dict[str, str]:
    """A host whose image holds no ``oke``; installing the package brings it."""
    oke = tmp_path / "bin/oke"
    brings = f'[[ "$*" == *"install {package}" ]] && printf "#!/bin/bash\\n" >{oke} && chmod +x {oke}'
    return {"systemctl": "", "sleep": "", "apt-get": f'[[ "$*" == *update ]] || {{ {brings}; }}'}


def test_packages_of_the_cluster_version_come_from_the_image(host: Host, tmp_path: Path):
    local = tmp_path / "opt/oke-node-client-packages/ubuntu-noble/kubernetes-1.36/dists"
    local.mkdir(parents=True)
    done = host(
        "bootstrap.sh", "1.36.1", "", metadata=IDENTITY, programs=without_oke(tmp_path, "oci-oke-node-all-1.36.1")
    )
    source = (tmp_path / "etc/apt/sources.list.d/oke-node-client.sources").read_text()

    assert done.returncode == 0, done.stderr
    assert f"URIs: file://{local.parent}\n" in source


def test_packages_that_an_older_image_lacks_come_from_two_mirrors(host: Host, tmp_path: Path):
    programs = without_oke(tmp_path, "oci-oke-node-all-1.34.2")
    done = host("bootstrap.sh", "1.34.2", "", metadata=IDENTITY, programs=programs)
    source = (tmp_path / "etc/apt/sources.list.d/oke-node-client.sources").read_text()

    assert done.returncode == 0, done.stderr
    (line,) = [line for line in source.splitlines() if line.startswith("URIs: ")]
    mirrors = line.split()[1:]
    assert len({mirror.split("/")[2] for mirror in mirrors}) == len(mirrors) == 2
    assert all(mirror.endswith("/o/prod/ubuntu-noble/kubernetes-1.34") for mirror in mirrors)


def test_a_broken_repository_does_not_end_the_join(host: Host, tmp_path: Path):
    """A repository of somebody else in the image fails the update, and the package is found all the same."""
    programs = without_oke(tmp_path, "oci-oke-node-all-1.36.1")
    programs["apt-get"] = programs["apt-get"].replace('[[ "$*" == *update ]] ||', '[[ "$*" != *update ]] &&')
    done = host("bootstrap.sh", "1.36.1", "", metadata=IDENTITY, programs=programs)

    assert done.returncode == 0, done.stderr
    assert "apt-get update failed" in done.stderr


def test_a_package_that_is_nowhere_ends_the_join(host: Host, tmp_path: Path):
    done = host("bootstrap.sh", "1.36.1", "", metadata=IDENTITY, programs=without_oke(tmp_path, "another"))

    assert done.returncode == 1 and "gave up after 5 times: install_packages" in done.stderr


def test_a_recycled_host_forgets_its_certificates(host: Host, tmp_path: Path):
    """They lie on the array, which it keeps, and are those of the node that it was."""
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


@pytest.mark.parametrize(("count", "level"), [(16, 10), (4, 10), (3, 0), (1, 0)])
def test_local_disks_become_one_array(host: Host, tmp_path: Path, count: int, level: int):
    """It is RAID 10 from four disks on; the boot disk, which has partitions, stays out of it."""
    with_disks(tmp_path, count)
    done = host("nvme_raid.sh", "10", programs=DISKS)

    assert done.returncode == 0, done.stderr
    (create,) = [line for line in called(tmp_path) if line.startswith("mdadm --create")]
    assert f"--level={level} " in create and f"--raid-devices={count} " in create and "nvme99n1" not in create
    assert sum(line.startswith("mkfs.ext4") for line in called(tmp_path)) == 1
    units = {path.name for path in (tmp_path / "etc/systemd/system").iterdir()}
    assert units == {"nvme.mount", "containers.mount", "kubelet.mount", "pods.mount"}


def test_an_array_outlives_the_boot_volume(host: Host, tmp_path: Path):
    with_disks(tmp_path, 4)
    (tmp_path / "dev/md/rdma-cluster").touch()
    done = host("nvme_raid.sh", "10", programs={**DISKS, "blkid": "echo 1234"})

    assert done.returncode == 0, done.stderr
    assert not [line for line in called(tmp_path) if line.startswith(("mdadm --create", "mkfs"))]


def test_a_host_without_disks_boots(host: Host, tmp_path: Path):
    with_disks(tmp_path, 0)
    done = host("nvme_raid.sh", "10", programs=DISKS)

    assert (done.returncode, list((tmp_path / "etc/systemd/system").iterdir())) == (0, [])
    assert "no local NVMe disk" in done.stdout


def test_trouble_with_disks_is_logged_and_shown_at_login(host: Host, tmp_path: Path):
    with_disks(tmp_path, 4)
    done = host("nvme_raid.sh", "10", programs={**DISKS, "mkfs.ext4": "exit 1"})

    assert done.returncode != 0
    assert "does without its local NVMe disks" in done.stderr
    assert (tmp_path / "etc/motd").read_text() in done.stderr


@pytest.mark.parametrize(("there", "calls"), [(True, 3), (False, 1)])
def test_imex_is_masked_where_an_image_has_it(host: Host, tmp_path: Path, there: bool, calls: int):
    done = host("mask_imex.sh", programs={"systemctl": "" if there else '[[ "$1" != cat ]]'})

    assert (done.returncode, len(called(tmp_path))) == (0, calls)
