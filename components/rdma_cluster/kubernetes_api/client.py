"""Requests to an API server: objects of any kind."""

import json
import time
from collections.abc import Callable, Mapping
from http.client import HTTPException, HTTPSConnection
from ssl import SSLError
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from .kubeconfig import Connection

Object = Mapping[str, Any]
MANAGER = "rdma-cluster-rehearsal"
"""Manager of the fields that it sets."""
SECONDS = 60.0
"""Of one request."""
POLL_SECONDS = 0.05
_APPLY = "application/apply-patch+yaml"


class Answered(Exception):
    """The API server said no, in its own words."""

    def __init__(self, code: int, words: str) -> None:
        self.code = code
        super().__init__(words)


class Kind(NamedTuple):
    """Where objects of a kind are served."""

    root: str
    plural: str
    namespaced: bool

    def path(self, meta: Object) -> str:
        """Of one object."""
        inside = f"/namespaces/{meta.get('namespace') or 'default'}" if self.namespaced else ""
        return f"{self.root}{inside}/{self.plural}/{meta['name']}"


class Client:
    """One connection, for one request at a time."""

    def __init__(self, connection: Connection) -> None:
        self._server, self._headers = connection.server, connection.headers
        at = urlsplit(connection.server)
        self._prefix = at.path.rstrip("/")
        # No proxy is asked: the server is on this machine or named by the user.
        self._http = HTTPSConnection(at.hostname or "", at.port or 443, context=connection.tls, timeout=SECONDS)
        self._lock = Lock()
        self._kinds: dict[tuple[str, str], Kind] = {}

    @property
    def server(self) -> str:
        """Its address."""
        return self._server

    def close(self) -> None:
        """No more requests."""
        self._http.close()

    def request(
        self, method: str, path: str, body: Any = None, content: str = "application/json", **params: str
    ) -> dict[str, Any]:
        """The answer as JSON. Raises ``Answered`` for a no."""
        return json.loads(self._ask(method, path, body, content, params))

    def text(self, path: str, **params: str) -> str:
        """What stands at a path as text, such as a pod's log. Raises ``Answered`` for a no."""
        return self._ask("GET", path, None, "application/json", params).decode(errors="replace")

    def _ask(self, method: str, path: str, body: Any, content: str, params: Mapping[str, str]) -> bytes:
        query = f"?{urlencode(params)}" if params else ""
        # A log is text, and asked for as JSON alone it would be refused.
        headers = {**self._headers, "Accept": "application/json, */*", "Content-Type": content}
        text = None if body is None else json.dumps(body)
        with self._lock:
            status, answer = self._send(method, f"{self._prefix}{path}{query}", text, headers)
        if status < 300:
            return answer
        try:
            words = json.loads(answer)["message"]
        except (ValueError, KeyError, TypeError):
            words = answer.decode(errors="replace").strip()
        raise Answered(status, words)

    def _send(self, method: str, path: str, text: str | None, headers: dict[str, str]) -> tuple[int, bytes]:
        for last in (False, True):
            try:
                self._http.request(method, path, text, headers)
                with self._http.getresponse() as answer:
                    return answer.status, answer.read()
            except (HTTPException, ConnectionError, SSLError):
                # A server ends connections that nobody uses; each of our requests can be made twice.
                self._http.close()
                if last:
                    raise
        raise AssertionError("the second time it is raised")

    def kind(self, obj: Object) -> Kind | None:
        """Where an object's kind is served; ``None`` where it is not."""
        version, name = obj["apiVersion"], obj["kind"]
        if (version, name) not in self._kinds:
            root = f"/apis/{version}" if "/" in version else f"/api/{version}"
            try:
                served = self.request("GET", root)["resources"]
            except Answered:
                return None
            for each in served:
                if "/" not in each["name"]:
                    self._kinds[version, each["kind"]] = Kind(root, each["name"], each["namespaced"])
        return self._kinds.get((version, name))

    def path(self, obj: Object) -> str:
        """Of one object. Raises ``Answered`` where its kind is not served."""
        if (kind := self.kind(obj)) is None:
            raise Answered(404, f'no matches for kind "{obj["kind"]}" in version "{obj["apiVersion"]}"')
        return kind.path(obj["metadata"])

    def apply(self, obj: Object) -> dict[str, Any]:
        """Server-side apply, as the provider does it; unknown fields are refused, which it would only warn of."""
        params = {"fieldManager": MANAGER, "force": "true", "fieldValidation": "Strict"}
        return self.request("PATCH", self.path(obj), obj, _APPLY, **params)

    def get(self, obj: Object) -> dict[str, Any] | None:
        """The object as the server has it; ``None`` where it has none."""
        try:
            return self.request("GET", self.path(obj))
        except Answered as answered:
            if answered.code != 404:
                raise
            return None

    def delete(self, obj: Object) -> None:
        """Delete with what it owns. What is not there is no error."""
        try:
            self.request("DELETE", self.path(obj), {"propagationPolicy": "Background"})
        except Answered as answered:
            if answered.code != 404:
                raise

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until something is so. Raises ``Answered`` where it takes too long."""
        deadline = time.monotonic() + SECONDS
        while not holds():
            if time.monotonic() > deadline:
                raise Answered(504, f"{what}: not within {SECONDS:.0f} s")
            time.sleep(POLL_SECONDS)
