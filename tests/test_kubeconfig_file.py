"""How a kubeconfig says to reach a cluster: as kubectl reads it, by its current context."""

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
    api = "client.authentication.k8s.io/v1"
    asked = {"apiVersion": api, "kind": "ExecCredential", "spec": {"interactive": False}}
    program = (
        "import json, os;"
        f"assert json.loads(os.environ['KUBERNETES_EXEC_INFO']) == {asked!r} and os.environ['OF'] == 'b';"
        f"assert 'PATH' in os.environ; print({json.dumps({'status': status})!r})"
    )
    words = {"command": sys.executable, "args": ["-c", program], "env": [{"name": "OF", "value": "b"}]}
    return {"exec": {"apiVersion": api, **words}}


@pytest.mark.parametrize(
    "user", [{"token": "t"}, plugin({"token": "t"}), {"token": "t", "username": "u"}], ids=["token", "plugin", "more"]
)
def test_a_token(user: dict[str, Any], tmp_path: Path):
    """It goes with every request, and to a client that asks for it."""
    file = written(tmp_path, user)

    server, tls, headers = connection(file)
    assert (server, headers) == (OPEN["server"], {"Authorization": "Bearer t"})
    assert tls.verify_mode is ssl.CERT_NONE and not tls.check_hostname
    assert access(file) == (OPEN, {"token": "t"})


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


def test_a_plugin_that_needs_no_words(tmp_path: Path):
    """A command alone, as the API of exec credentials has it; args and env may be null."""
    command = tmp_path / "asks"
    command.write_text('#!/bin/sh\necho \'{"status": {"token": "t"}}\'\n')
    command.chmod(0o755)
    alone = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(command)}

    assert access(written(tmp_path, {"exec": alone})).credential == {"token": "t"}
    assert access(written(tmp_path, {"exec": {**alone, "args": None, "env": None}})).credential == {"token": "t"}


def test_a_plugin_that_fails(tmp_path: Path):
    """What it printed before is no credential."""
    fails = {"command": "sh", "args": ["-c", 'echo \'{"status": {"token": "t"}}\'; exit 1']}
    file = written(tmp_path, {"exec": {"apiVersion": "client.authentication.k8s.io/v1", **fails}})

    with pytest.raises(subprocess.CalledProcessError):
        connection(file)


HALF = [{"client-certificate": "certificate"}, {"client-key": "key"}]


@pytest.mark.parametrize("user", [*HALF, HALF[0] | HALF[1]], ids=["certificate", "key", "both"])
def test_who_shows_a_certificate(user: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Whoever has its key as well: one without the other shows nothing."""
    shown: list[str] = []
    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", lambda _, file: shown.append(Path(file).read_text()))
    (tmp_path / "certificate").write_text("of the certificate")
    (tmp_path / "key").write_text("of the key")
    file = written(tmp_path, user)
    connection(file)

    assert shown == (["of the certificate\nof the key"] if len(user) == 2 else [])
    assert bool(access(file).credential) is (len(user) == 2)


def test_certificates_are_verified_unless_the_file_says_otherwise(tmp_path: Path):
    """By those that the system trusts, where it names none."""
    tls = connection(written(tmp_path, {"token": "t"}, {"server": "https://b.example"})).tls

    assert tls.verify_mode is ssl.CERT_REQUIRED and tls.check_hostname
