"""How a kubeconfig says to reach a cluster: as kubectl reads it, by its current context."""

import json
import ssl
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.kubernetes_api.kubeconfig import access, connection

OPEN = {"server": "https://127.0.0.1:6443", "insecure-skip-tls-verify": True}


def written(folder: Path, user: dict[str, Any], cluster: dict[str, Any] = OPEN) -> Path:
    """A kubeconfig whose current context is its second."""
    other = {"server": "https://other.example", "insecure-skip-tls-verify": True}
    config = {
        "current-context": "b",
        "contexts": [
            {"name": "a", "context": {"cluster": "a", "user": "a"}},
            {"name": "b", "context": {"cluster": "b", "user": "b"}},
        ],
        "clusters": [{"name": "a", "cluster": other}, {"name": "b", "cluster": cluster}],
        "users": [{"name": "a", "user": {"token": "of-the-other"}}, {"name": "b", "user": user}],
    }
    file = folder / "kubeconfig"
    file.write_text(json.dumps(config))
    return file


def plugin(status: dict[str, str]) -> dict[str, Any]:
    """A user whose credential plugin answers so, where it is asked as the API of exec credentials says."""
    answer = json.dumps({"status": status})
    program = (
        "import json, os; asked = json.loads(os.environ['KUBERNETES_EXEC_INFO']);"
        f"assert asked['kind'] == 'ExecCredential' and os.environ['OF'] == 'b'; print({answer!r})"
    )
    words = {"command": sys.executable, "args": ["-c", program], "env": [{"name": "OF", "value": "b"}]}
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", **words}}


@pytest.mark.parametrize(
    "user", [{"token": "t"}, plugin({"token": "t"}), {"token": "t", "username": "u"}], ids=["token", "plugin", "more"]
)
def test_a_token(user: dict[str, Any], tmp_path: Path):
    """It goes with every request, and to a client that asks for it."""
    file = written(tmp_path, user)

    server, tls, headers = connection(file)
    assert (server, headers) == (OPEN["server"], {"Authorization": "Bearer t"})
    assert tls.verify_mode is ssl.CERT_NONE
    assert access(file) == (OPEN, {"token": "t"})


def test_a_user_without_a_token(tmp_path: Path):
    """No header stands for one that is not there."""
    file = written(tmp_path, {})

    assert connection(file).headers == {}
    assert access(file).credential == {}


def test_a_certificate(tmp_path: Path):
    """In the file or beside it, with the authority's; another client gets what stands in them."""
    (tmp_path / "key").write_text("of the key")
    (tmp_path / "authority").write_text("of the authority")
    data = b64encode(b"of the certificate").decode()
    cluster = {"server": "https://b.example", "certificate-authority": "authority", "tls-server-name": "b"}

    found = access(written(tmp_path, {"client-certificate-data": data, "client-key": "key"}, cluster))

    assert found.credential == {"clientCertificateData": "of the certificate", "clientKeyData": "of the key"}
    assert found.cluster == {
        "server": "https://b.example",
        "tls-server-name": "b",
        "certificate-authority-data": b64encode(b"of the authority").decode(),
    }


def test_certificates_are_verified_unless_the_file_says_otherwise(tmp_path: Path):
    """By those that the system trusts, where it names none."""
    tls = connection(written(tmp_path, {"token": "t"}, {"server": "https://b.example"})).tls

    assert tls.verify_mode is ssl.CERT_REQUIRED and tls.check_hostname
