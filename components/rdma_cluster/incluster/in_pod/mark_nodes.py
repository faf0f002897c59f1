"""Taints the nodes that a verdict suspects, and clears those that it found good; reads what ``nccl --blame`` prints.

Runs inside the cluster, as it stands here: standard library of Python 3.10 and above, nothing else of this package. It
never changes the outcome of a test: what it cannot do, it says.
"""

import argparse
import json
import ssl
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote

KEY = "rdma-cluster/fabric"
"""Of the label, and of the taint."""
_TAINT = {"key": KEY, "value": "failed", "effect": "NoSchedule"}
_CREDENTIALS = "/var/run/secrets/kubernetes.io/serviceaccount"
_TRIES = 4


class Nodes:
    """The cluster's nodes, as this pod's service account sees them."""

    def __init__(self, server: str, credentials: Path):
        self._server = server
        self._token = credentials / "token"
        tls = ssl.create_default_context(cafile=credentials / "ca.crt") if server.startswith("https:") else None
        # No proxy, whatever the environment says: what is asked for is inside the cluster.
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=tls)
        )

    def mark(self, name: str, failed: bool) -> bool:
        """Taint and label a node, or clear both. ``False`` where there was nothing to do."""
        for _ in range(_TRIES - 1):
            try:
                return self._mark(name, failed)
            except urllib.error.HTTPError as error:
                error.close()
                if error.code != 409:  # somebody else changed it meanwhile
                    raise
        return self._mark(name, failed)

    def _mark(self, name: str, failed: bool) -> bool:
        node = self._call(name)
        held = node.get("spec", {}).get("taints", [])
        wanted = [taint for taint in held if taint.get("key") != KEY] + [_TAINT] * failed
        label = "failed" if failed else None
        if wanted == held and node["metadata"].get("labels", {}).get(KEY) == label:
            return False
        # The version makes the API refuse the list of taints where somebody else has written it meanwhile.
        version = node["metadata"]["resourceVersion"]
        patch = {"metadata": {"resourceVersion": version, "labels": {KEY: label}}, "spec": {"taints": wanted}}
        self._call(name, patch)
        return True

    def _call(self, name: str, patch: dict[str, Any] | None = None) -> Any:
        headers = {"Authorization": f"Bearer {self._token.read_text().strip()}", "Accept": "application/json"}
        if patch is not None:
            headers["Content-Type"] = "application/merge-patch+json"
        request = urllib.request.Request(
            f"{self._server}/api/v1/nodes/{quote(name)}",
            data=None if patch is None else json.dumps(patch).encode(),
            headers=headers,
            method="GET" if patch is None else "PATCH",
        )
        with self._opener.open(request, timeout=30) as answer:
            return json.load(answer)


def main(argv: Sequence[str] | None = None) -> int:
    """0 when every node could be marked or cleared."""
    options = _parser().parse_args(argv)
    blame = json.load(sys.stdin)
    nodes = Nodes(options.server, Path(options.credentials))
    code = 0
    for failed, names in ((True, blame["suspects"]), (False, blame["good"])):
        for name in names:
            try:
                done = nodes.mark(name, failed)
            except (OSError, HTTPException, ValueError, KeyError) as error:
                print(f"node {name}: could not be {'tainted' if failed else 'cleared'}: {error}")
                code = 1
                continue
            if done:
                print(f"node {name}: {'tainted with' if failed else 'cleared of'} {KEY}=failed:NoSchedule")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mark_nodes", description="taint suspected nodes, clear good ones")
    parser.add_argument("--server", default="https://kubernetes.default.svc")
    parser.add_argument("--credentials", default=_CREDENTIALS, metavar="FOLDER")
    return parser


if __name__ == "__main__":
    sys.exit(main())
