"""Wait until the API server serves some CustomResourceDefinitions, and end well; or say which are not there, and fail.

Usage: await_definitions.py SECONDS NAME...
"""

import json
import ssl
import sys
import time
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import HTTPSHandler, ProxyHandler, Request, build_opener

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
API = "https://kubernetes.default.svc/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
PAUSE_SECONDS = 5


def established(name: str) -> bool:
    """Whether a definition is served."""
    request = Request(API + name, headers={"Authorization": f"Bearer {(ACCOUNT / 'token').read_text().strip()}"})
    trusted = ssl.create_default_context(cafile=str(ACCOUNT / "ca.crt"))
    # The API server is beside the pod: no proxy of the environment leads there.
    opener = build_opener(ProxyHandler({}), HTTPSHandler(context=trusted))
    try:
        with opener.open(request, timeout=10) as answer:
            conditions = json.load(answer).get("status", {}).get("conditions") or []
    except HTTPError as error:
        if error.code == 404:
            return False
        raise
    except (URLError, TimeoutError) as error:
        print(f"no answer: {error}", flush=True)
        return False
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)


def main(seconds: float, names: list[str]) -> int:
    deadline = time.monotonic() + seconds
    while missing := [name for name in names if not established(name)]:
        if time.monotonic() > deadline:
            print(f"after {seconds:.0f} s the API server does not serve {', '.join(missing)}: is the add-on well?")
            return 1
        time.sleep(PAUSE_SECONDS)
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
