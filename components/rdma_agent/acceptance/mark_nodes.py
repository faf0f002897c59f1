"""Taints the nodes that a verdict suspects, and clears those that it found good.

It reads what ``nccl_verdict --blame`` prints. It never changes the outcome of a test: what it cannot do, it says.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from http.client import HTTPException
from typing import Any
from urllib.parse import quote

from ..kube_api import Api, add_options, plain
from ..names import FABRIC_LABEL, FAILED

_TAINT = {"key": FABRIC_LABEL, "value": FAILED, "effect": "NoSchedule"}


def mark(api: Api, name: str, failed: bool) -> bool:
    """Taint and label a node, or clear both. ``False`` where there was nothing to do."""
    return api.change(f"/api/v1/nodes/{quote(name)}", lambda node: _patch(node, failed))


def _patch(node: dict[str, Any], failed: bool) -> dict[str, Any] | None:
    held = node.get("spec", {}).get("taints", [])
    wanted = [taint for taint in held if taint.get("key") != FABRIC_LABEL] + [_TAINT] * failed
    label = FAILED if failed else None
    if wanted == held and node["metadata"].get("labels", {}).get(FABRIC_LABEL) == label:
        return None
    # The version makes the API refuse the list of taints where somebody else has written it meanwhile.
    version = node["metadata"]["resourceVersion"]
    return {"metadata": {"resourceVersion": version, "labels": {FABRIC_LABEL: label}}, "spec": {"taints": wanted}}


def main(argv: Sequence[str] | None = None) -> int:
    """0 when every node could be marked or cleared."""
    options = _parser().parse_args(argv)
    blame = json.load(sys.stdin)
    api = Api(options.server, options.credentials)
    code = 0
    for failed, names in ((True, blame["suspects"]), (False, blame["good"])):
        for name in names:
            try:
                done = mark(api, name, failed)
            except (OSError, HTTPException, ValueError, KeyError) as error:
                print(plain(f"node {name}: could not be {'tainted' if failed else 'cleared'}: {error}"))
                code = 1
                continue
            if done:
                what = "tainted with" if failed else "cleared of"
                print(plain(f"node {name}: {what} {FABRIC_LABEL}=failed:NoSchedule"))
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mark_nodes", description="taint suspected nodes, clear good ones")
    add_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
