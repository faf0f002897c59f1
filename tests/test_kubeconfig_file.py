"""A kubeconfig is read as kubectl reads it: by its current context, with the credential of that context's user."""

import json
import ssl
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.kubernetes_api.kubeconfig import access, connection

OPEN = {"server": "https://127.0.0.1:6443", "insecure-skip-tls-verify": True}
API = "client.authentication.k8s.io/v1"


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
    asked = {"apiVersion": API, "kind": "ExecCredential", "spec": {"interactive": False}}
    program = (
        "import json, os;"
        f"assert json.loads(os.environ['KUBERNETES_EXEC_INFO']) == {asked!r} and os.environ['OF'] == 'b';"
        f"assert 'PATH' in os.environ; print({json.dumps({'status': status})!r})"
    )
    words = {"command": sys.executable, "args": ["-c", program], "env": [{"name": "OF", "value": "b"}]}
    return {"exec": {"apiVersion": API, **words}}


@pytest.mark.parametrize("user", [{"token": "t"}, plugin({"token": "t"})], ids=["token", "plugin"])
def test_a_token_goes_with_every_request(user: dict[str, Any], tmp_path: Path):
    file = written(tmp_path, user)

    server, tls, headers = connection(file)
    assert (server, headers) == (OPEN["server"], {"Authorization": "Bearer t"})
    assert tls.verify_mode is ssl.CERT_NONE and not tls.check_hostname
    assert access(file) == (OPEN, {"token": "t"})


def test_another_client_gets_what_stands_in_the_files_that_a_kubeconfig_names(tmp_path: Path):
    (tmp_path / "key").write_text("of the key")
    (tmp_path / "authority").write_text("of the authority")
    certified = {"clientCertificateData": "of the certificate", "clientKeyData": "of the key"}
    data = b64encode(b"of the certificate").decode()
    cluster = {"server": "https://b.example", "certificate-authority": "authority", "tls-server-name": "b"}

    found = access(written(tmp_path, {"client-certificate-data": data, "client-key": "key"}, cluster))

    assert found.credential == certified
    assert found.cluster == {
        "server": "https://b.example",
        "tls-server-name": "b",
        "certificate-authority-data": b64encode(b"of the authority").decode(),
    }
    assert access(written(tmp_path, plugin(certified))).credential == certified


def test_what_a_plugin_prints_before_it_fails_is_no_credential(tmp_path: Path):
    fails = {"command": "sh", "args": ["-c", 'echo \'{"status": {"token": "t"}}\'; exit 1']}

    with pytest.raises(subprocess.CalledProcessError):
        connection(written(tmp_path, {"exec": {"apiVersion": API, **fails}}))


HALF = [{"client-certificate": "certificate"}, {"client-key": "key"}]


@pytest.mark.parametrize("user", [*HALF, HALF[0] | HALF[1]], ids=["certificate", "key", "both"])
def test_a_certificate_is_shown_with_its_key_alone(
    user: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shown: list[str] = []
    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", lambda _, file: shown.append(Path(file).read_text()))
    (tmp_path / "certificate").write_text("of the certificate")
    (tmp_path / "key").write_text("of the key")
    file = written(tmp_path, user)

    assert connection(file).headers == {}
    assert shown == (["of the certificate\nof the key"] if len(user) == 2 else [])
    assert bool(access(file).credential) is (len(user) == 2)


def test_a_server_is_trusted_by_the_files_own_authority_or_by_the_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    tls = connection(written(tmp_path, {"token": "t"}, {"server": "https://b.example"})).tls
    assert tls.verify_mode is ssl.CERT_REQUIRED and tls.check_hostname

    trusted: list[str | None] = []
    monkeypatch.setattr(ssl, "create_default_context", lambda cadata: trusted.append(cadata) or tls)
    data = b64encode(b"of the authority").decode()
    connection(written(tmp_path, {}, {"server": "https://b.example", "certificate-authority-data": data}))
    assert trusted == ["of the authority"]
