"""Wait until LeaderWorkerSets can be made: ask for one in a dry run, which goes by the webhooks and leaves nothing.

Usage: await_webhook.py SECONDS
"""

import sys
import time
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError

from .kube_api import CREDENTIALS, SERVER, Api

PAUSE_SECONDS = 3
_POD = {"spec": {"containers": [{"name": "probe", "image": "none.example/probe:0"}]}}
PROBE = {
    "apiVersion": "leaderworkerset.x-k8s.io/v1",
    "kind": "LeaderWorkerSet",
    "metadata": {"name": "probe"},
    "spec": {"leaderWorkerTemplate": {"size": 1, "workerTemplate": _POD}},
}


def refusal(api: Api, namespace: str) -> str:
    """Why none can be made; empty where one can."""
    path = f"/apis/leaderworkerset.x-k8s.io/v1/namespaces/{namespace}/leaderworkersets?dryRun=All"
    try:
        with api.open(path, "POST", PROBE):
            return ""
    except HTTPError as error:
        return f"HTTP {error.code}: {error.read().decode(errors='replace')}"
    except (OSError, HTTPException) as error:
        return f"{type(error).__name__}: {error}"


def main(
    seconds: float, server: str = SERVER, credentials: Path = Path(CREDENTIALS), pause: float = PAUSE_SECONDS
) -> int:
    """0 once one can be made, 1 when that took too long."""
    api, namespace = Api(server, credentials), (credentials / "namespace").read_text(encoding="utf-8").strip()
    deadline = time.monotonic() + seconds
    while why := refusal(api, namespace):
        if time.monotonic() > deadline:
            print(f"after {seconds:.0f} s no LeaderWorkerSet can be made: {why}", flush=True)
            return 1
        time.sleep(pause)
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
