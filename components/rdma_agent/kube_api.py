"""The API server, as a pod's service account sees it: the one client of all programs here."""

import argparse
import json
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPSHandler, OpenerDirector, ProxyHandler, Request, build_opener

SERVER = "https://kubernetes.default.svc"
CREDENTIALS = "/var/run/secrets/kubernetes.io/serviceaccount"
STRATEGIC = "application/strategic-merge-patch+json"
EVENTS = "/api/v1/namespaces/default/events"
"""The path of nodes' Events: nodes have no namespace of their own."""
_MERGE = "application/merge-patch+json"
_TRIES = 4
_PAGE = 500
_MOST_WORDS = 500
"""The most bytes of an error that are kept."""


class Api:
    """Requests with the service account's token. They raise what urllib raises; only ``change`` tries again."""

    def __init__(self, server: str = SERVER, credentials: Path = Path(CREDENTIALS), timeout_seconds: float = 30):
        self._server, self._timeout_seconds = server, timeout_seconds
        self._token = credentials / "token"
        tls = ssl.create_default_context(cafile=credentials / "ca.crt") if server.startswith("https:") else None
        self._opener = direct_opener(tls)

    def open(self, path: str, method: str = "GET", body: Any = None, kind: str = "application/json") -> Any:
        """The answer at a path, as a stream; ``body`` is sent as JSON of a content type."""
        # Read anew each time: the kubelet renews the token within the hour.
        headers = {"Authorization": "Bearer " + self._token.read_text(encoding="utf-8").strip()}
        if body is not None:
            headers["Content-Type"] = kind
        data = None if body is None else json.dumps(body).encode()
        request = Request(self._server + path, data, headers, method=method)
        try:
            return self._opener.open(request, timeout=self._timeout_seconds)
        except HTTPError as error:
            # What the server said is read here, so that nobody has a connection to close.
            with error:
                said = BytesIO(error.read(_MOST_WORDS))
            raise HTTPError(error.url, error.code, error.reason, error.headers, said) from None

    def get(self, path: str) -> Any:
        """The object at a path."""
        with self.open(path) as answer:
            return json.load(answer)

    def merge(self, path: str, patch: Any) -> Any:
        """The object at a path, with a merge patch in it."""
        with self.open(path, "PATCH", patch, _MERGE) as answer:
            return json.load(answer)

    def change(self, path: str, patch_of: Callable[[Any], Any]) -> bool:
        """Patches an object by what it is, again where somebody else has changed it meanwhile.

        The patch names the version that it was made of. ``False`` where ``patch_of`` has none for it.
        """
        for tries in range(1, _TRIES + 1):
            if (patch := patch_of(self.get(path))) is None:
                return False
            try:
                self.merge(path, patch)
                break
            except HTTPError as error:
                if error.code != 409 or tries == _TRIES:
                    raise
        return True


class Reads(Protocol):
    """Whatever answers a path with an object."""

    def get(self, path: str, /) -> Any: ...


def listed(api: Reads, path: str, **options: str) -> Iterator[dict[str, Any]]:
    """Every object at a path, page by page."""
    more = ""
    while True:
        query = urlencode({**options, "limit": str(_PAGE), **({"continue": more} if more else {})})
        page = api.get(f"{path}?{query}")
        yield from page.get("items") or []
        if not (more := page.get("metadata", {}).get("continue", "")):
            return


def seconds_of(text: str | None) -> int:
    """Seconds since 1970 of a time as Kubernetes writes it; 0 of none."""
    return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()) if text else 0


def ended(job: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The condition with which a Job or an MPIJob ended; ``None`` while it runs."""
    met = (each for each in job.get("status", {}).get("conditions") or [] if each["status"] == "True")
    return next((each for each in met if each["type"] in ("Complete", "Failed", "Succeeded")), None)


def is_suspended(job: Mapping[str, Any]) -> bool:
    """Whether a Job or an MPIJob has no pods until somebody lets it run."""
    spec = job.get("spec", {})
    return bool(spec.get("runPolicy", spec).get("suspend"))


def stamp() -> str:
    """The time, as the API writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def event_of(
    node: Mapping[str, Any], source: Mapping[str, str], prefix: str, reason: str, message: str, *, warning: bool
) -> dict[str, Any]:
    """An Event of a node."""
    metadata, now = node["metadata"], stamp()
    named = {"name": metadata["name"], "uid": metadata.get("uid", "")}
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"generateName": prefix, "namespace": "default"},
        "involvedObject": {"apiVersion": "v1", "kind": "Node", **named},
        "reason": reason,
        "message": message,
        "type": "Warning" if warning else "Normal",
        "source": dict(source),
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
    }


def unscheduled(status: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The conditions in which Kubernetes says why a pod has no node."""
    conditions = status.get("conditions", [])
    return [each for each in conditions if each["type"] == "PodScheduled" and each["status"] != "True"]


def plain(text: str) -> str:
    """What others said, for a log and a termination message: in ASCII, and with nothing that acts on a terminal.

    Kubernetes cuts a message by bytes, and half a character would make the whole status of the pod invalid.
    """
    return "".join(each if " " <= each <= "~" or each == "\n" else "?" for each in text)


def direct_opener(tls: ssl.SSLContext | None = None) -> OpenerDirector:
    """No proxy, whatever the environment says: every server that a script here asks is inside the cluster."""
    return build_opener(ProxyHandler({}), HTTPSHandler(context=tls))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Where the API server and the account's files are, which tests set."""
    parser.add_argument("--server", default=SERVER)
    parser.add_argument("--credentials", default=CREDENTIALS, type=Path, metavar="FOLDER")
