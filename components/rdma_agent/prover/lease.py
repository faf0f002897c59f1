"""Who of several provers works: the one that holds the Lease."""

import math
import time
from datetime import datetime, timezone
from typing import Any
from urllib.error import HTTPError

from ..kube_api import Api

SECONDS = 60
"""How long a Lease holds that nobody renews."""
_MARGIN = 15


class Lease:
    """A Lease of the API server's, held or not."""

    def __init__(self, api: Api, namespace: str, name: str, holder: str) -> None:
        self._api, self._holder, self._name = api, holder, name
        self._path = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
        self._renewed = -math.inf
        self._seen: tuple[str, float] = ("", 0.0)

    @property
    def is_held(self) -> bool:
        """Whether nobody else can hold it yet, by this machine's own clock."""
        return time.monotonic() - self._renewed < SECONDS - _MARGIN

    def hold(self) -> bool:
        """Takes or renews it. ``False`` where another one holds it."""
        begun = time.monotonic()
        try:
            lease = self._api.get(f"{self._path}/{self._name}")
        except HTTPError as error:
            if error.code != 404:
                raise
            self._write("POST", self._path, {"metadata": {"name": self._name}, "spec": {}})
            self._renewed = begun
            return True
        spec = lease.get("spec") or {}
        mark = f"{spec.get('holderIdentity')} {spec.get('renewTime')}"
        if mark != self._seen[0]:
            self._seen = (mark, begun)
        # Clocks of machines differ: what counts is how long it has not changed before these eyes.
        if spec.get("holderIdentity") not in (None, "", self._holder) and begun - self._seen[1] <= SECONDS:
            return False
        try:
            self._write("PUT", f"{self._path}/{self._name}", lease)
        except HTTPError as error:
            if error.code == 409:  # another one was faster
                return False
            raise
        self._renewed = begun
        return True

    def _write(self, method: str, path: str, lease: dict[str, Any]) -> None:
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")  # noqa: UP017 - Python 3.10 has no UTC
        spec = {**(lease.get("spec") or {}), "holderIdentity": self._holder, "renewTime": now}
        lease["spec"] = {**spec, "leaseDurationSeconds": SECONDS}
        self._api.open(path, method, {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", **lease}).close()
