"""Chart repositories and credential plugins are played for a real provider."""

import io
import json
import shutil
import ssl
import subprocess
import tarfile
import urllib.request
from pathlib import Path

import pytest
import yaml
from rdma_rehearsal.real.kubernetes.charts import CustomKind, Repositories, UsedChart, archive, serving
from rdma_rehearsal.real.kubernetes.cluster import CredentialPlugins
from rdma_rehearsal.real.proxy import Authority

POLICY = CustomKind("mellanox.com/v1alpha1", "NicClusterPolicy", False)
QUEUE = CustomKind("kueue.x-k8s.io/v1beta2", "LocalQueue", True)
OPERATOR = UsedChart("network-operator", "https://helm.example.com/nvidia", "26.7.0")
KUEUE = UsedChart("oci://registry.example.com/charts/kueue@sha256:0123", "", "0.19.2")


def unpacked(packed: bytes) -> dict[str, str]:
    """The files of an archive by their path."""
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        return {each.name: file.read().decode() for each in tar if (file := tar.extractfile(each))}


def test_a_chart_brings_its_kinds_and_no_others():
    """Kinds recorded from its source are as they are, others have no schema."""
    texts = unpacked(archive(OPERATOR, [POLICY, QUEUE]))

    assert yaml.safe_load(texts["network-operator/Chart.yaml"])["version"] == "26.7.0"
    (kind,) = yaml.safe_load_all(texts["network-operator/templates/kinds.yaml"])
    assert kind["spec"]["names"]["kind"] == "NicClusterPolicy"
    assert "properties" in kind["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert "pre-upgrade" in texts["network-operator/templates/hook.yaml"]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl: apt-get install openssl")
def test_repositories_answer_over_https_by_a_proxy(tmp_path: Path):
    """Who trusts their authority finds them under their own names; no other request is answered or goes out."""
    repositories = Repositories(Authority(tmp_path))
    repositories.charts = [OPERATOR, KUEUE]
    trusts = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=repositories.authority.certificate))
    with serving(repositories) as proxy:
        asks = urllib.request.build_opener(urllib.request.ProxyHandler({"https": proxy}), trusts)
        index = json.loads(asks.open(f"{OPERATOR.repo}/index.yaml").read())
        (entry,) = index["entries"]["network-operator"]
        packed = asks.open(f"{OPERATOR.repo}/{entry['urls'][0]}").read()
        with pytest.raises(OSError, match="404"):
            asks.open("https://elsewhere.example.com/index.yaml")

    assert "network-operator/Chart.yaml" in unpacked(packed)
    assert repositories.refused == ["https://elsewhere.example.com/index.yaml"]


def test_credential_plugins_answer_and_write_down_who_asked(tmp_path: Path):
    """They answer in the version that is asked for."""
    plugins = CredentialPlugins(tmp_path, {"token": "secret"})
    plugins.provide({"command": "aws", "apiVersion": "client.authentication.k8s.io/v1beta1", "args": ["eks"]})

    said = subprocess.run([plugins.path / "aws", "eks", "get-token"], capture_output=True, text=True, check=True)

    answer = {"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential"}
    assert json.loads(said.stdout) == {**answer, "status": {"token": "secret"}}
    assert plugins.calls() == ["aws eks get-token"]
