"""Google's APIs on 127.0.0.1: each request is held against the discovery document of its API, then answered."""

import json
import re
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from ..authority import Authority
from . import accounts, compute, container, file_systems, quotas
from .call import Call
from .documents import Document, document
from .judge import against_address, against_body
from .world import ApiError, Body, World

_ANSWERS: Mapping[str, Callable[[Call], Body]] = {
    "cloudquotas": quotas.answer,
    "cloudresourcemanager": accounts.answer,
    "compute": compute.answer,
    "container": container.answer,
    "iam": accounts.answer,
    "lustre": file_systems.answer,
    "servicenetworking": file_systems.answer,
    "storage": accounts.answer,
}
OWN = {"cloudquotas": Document("cloudquotas.v1", quotas.QUOTAS), "lustre": Document("lustre.v1", file_systems.LUSTRE)}
"""Of APIs for which Google's package has no document."""
_WHO_ASKS = "openidconnect.googleapis.com"
"""Of the token's owner. The provider asks it for its logs, and does as well without."""
_STATUS = {400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 409: "ALREADY_EXISTS", 501: "UNIMPLEMENTED"}


class Google:
    """The APIs, with what they were asked."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.asked: Counter[str] = Counter()
        """How often each method, by its name in the document."""
        self.wrong: list[str] = []
        """What the documents say against requests, and what none of them describes."""
        self.documents: set[str] = set()
        """Those that judged, with their dates."""

    def answer(self, verb: str, host: str, target: str, content: bytes) -> tuple[int, Body]:
        """Status and body for one request to an API's host."""
        with self.world.lock:
            self.world.settle()
            try:
                return 200, self._answer(verb, host, target, content)
            except ApiError as error:
                return error.code, _body(error)

    def _answer(self, verb: str, host: str, target: str, content: bytes) -> Body:
        url = urlsplit(target)
        address, query = url.path.lstrip("/"), dict(parse_qsl(url.query))
        if host == _WHO_ASKS:
            return {"email": "nobody@rehearsal.invalid"}
        described = self._document(host, address)
        found = None
        if described is not None:
            # `v1beta1/projects/…` has its version in it, `compute/beta/projects/…` before it.
            address = address.removeprefix(described.base)
            found = described.method(verb, address)
        if described is None or found is None:
            self.wrong.append(f"{verb} https://{host}/{url.path.lstrip('/')}: no document describes it")
            raise ApiError(404, "notFound", f"The requested URL {url.path} was not found on this server.")
        method, parameters = found
        self.asked[method.id] += 1
        body = json.loads(content) if content else {}
        against = [*against_address(method, parameters, query), *against_body(described, method, body)]
        if against:
            self.wrong += [f"{method.id}: {each}" for each in against]
            raise ApiError(400, "badRequest", "\n".join(against))
        call = Call(self.world, described, method, _resource(unquote(address)), parameters, query, body)
        return _ANSWERS[method.id.partition(".")[0]](call)

    def _document(self, host: str, address: str) -> Document | None:
        api = host.partition(".")[0]
        steps = address.split("/")
        version = steps[1] if steps[0] == api and len(steps) > 1 else steps[0]
        found = OWN.get(api) or (document(f"{api}.{version}") if api in _ANSWERS else None)
        if found is not None:
            self.documents.add(f"{found.name} of {found.revision}")
        return found


def _resource(address: str) -> str:
    """What an address is about: without the version, and without a verb of its own."""
    bare = re.sub(r"^v\d\w*/", "", address)
    head, _, last = bare.rpartition("/")
    if ":" in last:
        return f"{head}/{last.partition(':')[0]}"
    return head if last in _VERBS else bare


_VERBS = ("getGuestAttributes", "iam", "setLabels", "setMetadata", "setScheduling", "setTags", "start", "stop")


def _body(error: ApiError) -> Body:
    """As https://cloud.google.com/apis/design/errors and the APIs' older form have it, both in one."""
    errors = [{"message": str(error), "domain": "global", "reason": error.reason}]
    status = _STATUS.get(error.code, "FAILED_PRECONDITION")
    return {"error": {"code": error.code, "message": str(error), "status": status, "errors": errors}}


class _Handler(BaseHTTPRequestHandler):
    """Requests under ``/HOST/``: the custom endpoint of each API names its host first."""

    protocol_version = "HTTP/1.1"
    google: Google
    authority: Authority | None
    _tunnelled = ""
    """The host of this connection, where the provider named one and not its endpoint."""

    def _handle(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        host, _, target = f"{self._tunnelled}{self.path}".lstrip("/").partition("/")
        status, body = self.google.answer(self.command, host, target, content)
        written = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=UTF-8")
        self.send_header("Content-Length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _handle

    def do_CONNECT(self) -> None:
        """What the provider asks by an address that no endpoint changes."""
        if self.authority is None:
            self.google.wrong.append(f"{self.path}: no endpoint changes this address, and no certificate is for it")
            self.send_error(502)
            return
        self._tunnelled = self.path.partition(":")[0]
        self.send_response(200)
        self.end_headers()
        self.connection: Any = self.authority.context(self._tunnelled).wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.close_connection = False

    def finish(self) -> None:
        """With the connection inside, which the server does not know."""
        super().finish()
        self.connection.close()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: what was asked is counted."""


@contextmanager
def serving(google: Google, authority: Authority | None = None) -> Generator[int]:
    """Serve the APIs to the end of the block, as a proxy to Google's own hosts too where there is an ``authority``.

    Gives the port.
    """
    handler = type("Handler", (_Handler,), {"google": google, "authority": authority})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
