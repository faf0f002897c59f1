"""Wait until the API server serves some CustomResourceDefinitions, and end well; or say which are not there, and fail.

Usage: await_definitions.py SECONDS NAME...
"""

import sys
import time
from urllib.error import HTTPError, URLError

from .kube_api import Api

FOLDER = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
PAUSE_SECONDS = 5


def established(api: Api, name: str) -> bool:
    """Whether a definition is served."""
    try:
        conditions = api.get(FOLDER + name).get("status", {}).get("conditions") or []
    except HTTPError as error:
        if error.code == 404:
            return False
        raise
    except (URLError, TimeoutError) as error:
        print(f"no answer: {error}", flush=True)
        return False
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)


def main(seconds: float, names: list[str], api: Api, pause: float = PAUSE_SECONDS) -> int:
    """0 once all are served, 1 when that took too long."""
    deadline = time.monotonic() + seconds
    while missing := [name for name in names if not established(api, name)]:
        if time.monotonic() > deadline:
            print(f"after {seconds:.0f} s the API server does not serve {', '.join(missing)}: is the add-on well?")
            return 1
        time.sleep(pause)
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:], Api(timeout_seconds=10)))
