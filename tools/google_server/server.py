"""Google's APIs on 127.0.0.1: each request is held against the discovery document of its API, then answered."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractContextManager
from urllib.parse import parse_qsl, unquote, urlsplit

from rdma_rehearsal.real.proxy import Authority, ProxyHandler, proxy
from tools.google_server import accounts, compute, container, file_systems
from tools.google_server.call import Call, Handler
from tools.google_server.documents import OWN, Document, document
from tools.google_server.fake_google import ApiError, Body, FakeGoogle
from tools.google_server.judge import against_address, against_body

_HANDLERS: Mapping[str, Handler] = {
    **accounts.HANDLERS,
    **file_systems.HANDLERS,
    **{f"compute.{verb}": handler for verb, handler in compute.HANDLERS.items()},
    **{f"container.projects.locations.{name}": handler for name, handler in container.HANDLERS.items()},
}
_APIS = {name.partition(".")[0] for name in _HANDLERS}
_WHO_ASKS = "openidconnect.googleapis.com"
"""Of the token's owner. The provider asks it for its logs, and does as well without."""
_STATUS = {400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 409: "ALREADY_EXISTS", 501: "UNIMPLEMENTED"}


class GoogleApis:
    """The APIs, with what they were asked."""

    def __init__(self, google: FakeGoogle) -> None:
        self.google = google
        self.asked: Counter[str] = Counter()
        """How often each method, by its name in the document."""
        self.wrong: list[str] = []
        """What the documents say against requests, and what none of them describes."""
        self.documents: set[str] = set()
        """Those that judged, with their dates."""

    def answer(self, verb: str, host: str, target: str, content: bytes) -> tuple[int, Body]:
        """Status and body for one request to an API's host."""
        with self.google.lock:
            self.google.settle()
            try:
                return 200, self._answer(verb, host, target, content)
            except ApiError as error:
                # As https://cloud.google.com/apis/design/errors and the APIs' older form have it, both in one.
                errors = [{"message": str(error), "domain": "global", "reason": error.reason}]
                status = _STATUS.get(error.code, "FAILED_PRECONDITION")
                body = {"code": error.code, "message": str(error), "status": status, "errors": errors}
                return error.code, {"error": body}

    def _answer(self, verb: str, host: str, target: str, content: bytes) -> Body:
        url = urlsplit(target)
        address, query = url.path.lstrip("/"), dict(parse_qsl(url.query))
        if host == _WHO_ASKS:
            return {"email": "nobody@rehearsal.invalid"}
        described = self._document(host, address)
        # `v1beta1/projects/…` has its version in it, `compute/beta/projects/…` before it.
        address = address.removeprefix(described.base if described else "")
        if described is None or (found := described.method(verb, address)) is None:
            self.wrong.append(f"{verb} https://{host}/{url.path.lstrip('/')}: no document describes it")
            raise ApiError(404, "notFound", f"The requested URL {url.path} was not found on this server.")
        method, parameters = found
        self.asked[method.id] += 1
        body = json.loads(content) if content else {}
        against = [*against_address(method, parameters, query), *against_body(described, method, body)]
        if against:
            self.wrong += [f"{method.id}: {each}" for each in against]
            raise ApiError(400, "badRequest", "\n".join(against))
        call = Call(self.google, described, method, _resource(unquote(address)), parameters, query, body)
        # Compute's collections are alike.
        name = re.sub(r"^compute\..*\.", "compute.", method.id)
        if (handle := _HANDLERS.get(name)) is None:
            raise ApiError(501, "notImplemented", f"{method.id} has no answer here")
        return handle(call)

    def _document(self, host: str, address: str) -> Document | None:
        api = host.partition(".")[0]
        steps = address.split("/")
        version = steps[1] if steps[0] == api and len(steps) > 1 else steps[0]
        found = OWN.get(api) or (document(f"{api}.{version}") if api in _APIS else None)
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


class _Handler(ProxyHandler):
    """Requests under ``/HOST/``: the custom endpoint of each API names its host first."""

    apis: GoogleApis

    def _handle(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        host, _, target = f"{self.host}{self.path}".lstrip("/").partition("/")
        status, body = self.apis.answer(self.command, host, target, content)
        self.reply(status, json.dumps(body).encode(), Content_Type="application/json; charset=UTF-8")

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _handle

    def do_CONNECT(self) -> None:
        """Answer for the host of an address that no endpoint changes; without an authority refuse."""
        if self.authority is None:
            self.apis.wrong.append(f"{self.path}: no endpoint changes this address, and no certificate is for it")
            self.send_error(502)
        else:
            super().do_CONNECT()


def serving(apis: GoogleApis, authority: Authority | None = None) -> AbstractContextManager[int]:
    """Serve the APIs, and with an ``authority`` Google's own hosts, to the end of the block; gives the port."""
    return proxy(_Handler, apis=apis, authority=authority)
