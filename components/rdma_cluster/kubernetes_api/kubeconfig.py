"""How to reach a cluster, from a kubeconfig: bearer tokens, client certificates and exec plugins."""

import base64
import json
import os
import ssl
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from pulumi_offline.strict_yaml import bytes_of, decode, read

_WHAT = "kubeconfig"


class Connection(NamedTuple):
    """One cluster as one user."""

    server: str
    """Its address: ``https://127.0.0.1:6443``."""
    tls: ssl.SSLContext
    headers: dict[str, str]
    """Headers of every request."""


class Access(NamedTuple):
    """What another client needs to reach the same cluster as the same user."""

    cluster: dict[str, Any]
    """As a kubeconfig has it, with the certificate of its authority in it."""
    credential: dict[str, str]
    """As the status of an ``ExecCredential`` has it."""


def connection(path: Path) -> Connection:
    """By the file's current context. Raises ``Refused``, ``KeyError``, ``OSError`` and others where it is none."""
    cluster, user = _current(path)
    headers = {"Authorization": f"Bearer {user['token']}"} if "token" in user else {}
    return Connection(cluster["server"], _tls(path.parent, cluster, user), headers)


def access(path: Path) -> Access:
    """The same for clients that are told by a kubeconfig and an exec plugin. Raises the same errors."""
    cluster, user = _current(path)
    reached = {key: cluster[key] for key in ("server", "insecure-skip-tls-verify", "tls-server-name") if key in cluster}
    if authority := _pem(path.parent, cluster, "certificate-authority"):
        reached["certificate-authority-data"] = base64.b64encode(authority).decode()
    credential = {"token": user["token"]} if "token" in user else {}
    certificate, key = _pem(path.parent, user, "client-certificate"), _pem(path.parent, user, "client-key")
    if certificate and key:
        credential |= {"clientCertificateData": certificate.decode(), "clientKeyData": key.decode()}
    return Access(reached, credential)


def _current(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Cluster and user of the current context; a plugin of the user's is asked."""
    config = read(decode(bytes_of(path), str(path), _WHAT), str(path), _WHAT)
    context = _named(config["contexts"], config["current-context"])["context"]
    cluster = _named(config["clusters"], context["cluster"])["cluster"]
    user = _named(config["users"], context["user"])["user"]
    return cluster, _exec_credentials(user["exec"]) if "exec" in user else user


def _named(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    for entry in entries:
        if entry["name"] == name:
            return entry
    raise ValueError(f"nothing in it is called {name!r}")


def _exec_credentials(plugin: dict[str, Any]) -> dict[str, Any]:
    """What a cloud's credential plugin answers, in the form of a kubeconfig's user."""
    info = {"apiVersion": plugin["apiVersion"], "kind": "ExecCredential", "spec": {"interactive": False}}
    environment = {entry["name"]: entry["value"] for entry in plugin.get("env") or []}
    environment["KUBERNETES_EXEC_INFO"] = json.dumps(info)
    command = [plugin["command"], *(plugin.get("args") or [])]
    answer = subprocess.run(command, env=os.environ | environment, check=True, stdout=subprocess.PIPE).stdout
    status = json.loads(answer)["status"]
    user = {"token": status["token"]} if "token" in status else {}
    if "clientCertificateData" in status:
        user["client-certificate-data"] = base64.b64encode(status["clientCertificateData"].encode())
        user["client-key-data"] = base64.b64encode(status["clientKeyData"].encode())
    return user


def _tls(folder: Path, cluster: dict[str, Any], user: dict[str, Any]) -> ssl.SSLContext:
    authority = _pem(folder, cluster, "certificate-authority")
    context = ssl.create_default_context(cadata=authority.decode() if authority else None)
    if cluster.get("insecure-skip-tls-verify"):
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    certificate, key = _pem(folder, user, "client-certificate"), _pem(folder, user, "client-key")
    if certificate and key:
        with tempfile.NamedTemporaryFile() as file:  # the ssl module takes a chain from a file only
            file.write(certificate + b"\n" + key)
            file.flush()
            context.load_cert_chain(file.name)
    return context


def _pem(folder: Path, entry: dict[str, Any], name: str) -> bytes | None:
    """A certificate or key that stands in the kubeconfig itself, or in a file that it names."""
    if data := entry.get(f"{name}-data"):
        return base64.b64decode(data)
    return (folder / entry[name]).read_bytes() if name in entry else None
