"""Wait until LeaderWorkerSets can be made: ask for one in a dry run, which goes by the webhooks and leaves nothing.

Usage: await_webhook.py SECONDS
"""

import json
import ssl
import sys
import time
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPSHandler, ProxyHandler, Request, build_opener

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
API = "https://kubernetes.default.svc"
PAUSE_SECONDS = 3
PROBE = {
    "apiVersion": "leaderworkerset.x-k8s.io/v1",
    "kind": "LeaderWorkerSet",
    "metadata": {"name": "probe"},
    "spec": {
        "leaderWorkerTemplate": {
            "size": 1,
            "workerTemplate": {"spec": {"containers": [{"name": "probe", "image": "none.example/probe:0"}]}},
        }
    },
}


def refusal(server: str, account: Path) -> str:
    """Why none can be made; empty where one can."""
    namespace = (account / "namespace").read_text().strip()
    path = f"/apis/leaderworkerset.x-k8s.io/v1/namespaces/{namespace}/leaderworkersets?dryRun=All"
    headers = {"Authorization": f"Bearer {(account / 'token').read_text().strip()}", "Content-Type": "application/json"}
    tls = ssl.create_default_context(cafile=str(account / "ca.crt")) if server.startswith("https:") else None
    opener = build_opener(ProxyHandler({}), HTTPSHandler(context=tls))
    try:
        with opener.open(Request(server + path, json.dumps(PROBE).encode(), headers), timeout=30):
            return ""
    except HTTPError as error:
        return f"HTTP {error.code}: {error.read(500).decode(errors='replace')}"
    except (OSError, HTTPException) as error:
        return f"{type(error).__name__}: {error}"


def main(seconds: float, server: str = API, account: Path = ACCOUNT, pause: float = PAUSE_SECONDS) -> int:
    """0 once one can be made, 1 when that took too long."""
    deadline = time.monotonic() + seconds
    while why := refusal(server, account):
        if time.monotonic() > deadline:
            print(f"after {seconds:.0f} s no LeaderWorkerSet can be made: {why}", flush=True)
            return 1
        time.sleep(pause)
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
