"""The client of what runs in pods sends the token of the moment, and tries a change again where somebody was faster."""

import json
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler

import pytest
from rdma_agent import kube_api


class Server:
    """An API server that gives its answers in turn; an answer that is a number is refused with that code."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.asked: list[tuple[str, Any, bytes]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                server.asked.append((self.command, self.headers, body))
                answer = server.answers.pop(0)
                self.send_response(answer if isinstance(answer, int) else 200)
                self.end_headers()
                self.wfile.write(b"x" * 900 if isinstance(answer, int) else json.dumps(answer).encode())

            def log_message(self, format: str, *args: Any) -> None:
                """Keep the output of the tests clean."""

            do_GET = do_PATCH = do_DELETE = answer

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"


@pytest.fixture
def server() -> Iterator[Server]:
    """Run an API server."""
    made = Server()
    thread = threading.Thread(target=made.http.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.http.shutdown()
    thread.join()
    made.http.server_close()


@pytest.fixture
def client(server: Server, tmp_path: Path) -> kube_api.Api:
    """Return a client of that server."""
    (tmp_path / "token").write_text("first\n")
    return kube_api.Api(server.url, tmp_path, 7)


def test_a_request_has_the_token_of_the_moment(server: Server, client: kube_api.Api, tmp_path: Path):
    """What is written has its type, and nothing has none."""
    server.answers = [{}, {"made": 2}]
    client.get("/a")
    (tmp_path / "token").write_text("second")
    assert client.merge("/b", {"x": 1}) == {"made": 2}
    (get, read, _), (patch, merged, body) = server.asked

    assert (get, patch, body) == ("GET", "PATCH", b'{"x": 1}')
    assert (read["Authorization"], merged["Authorization"]) == ("Bearer first", "Bearer second")
    assert (read["Content-Type"], merged["Content-Type"]) == (None, "application/merge-patch+json")


@pytest.mark.parametrize(
    ("answers", "ends"),
    [
        ([{}, {}], None),
        ([{}, 409, {}, 409, {}, 409, {}, {}], None),
        ([{}, 409, {}, 409, {}, 409, {}, 409], 409),
        ([{}, 403], 403),
    ],
)
def test_a_change_is_tried_four_times_where_somebody_was_faster(
    server: Server, client: kube_api.Api, answers: list[Any], ends: int | None
):
    """Another refusal ends it, with the first words of the server."""
    server.answers = list(answers)
    if ends is None:
        assert client.change("/n", lambda _: {"x": 1}) is True
    else:
        with pytest.raises(HTTPError) as refused:
            client.change("/n", lambda _: {"x": 1})
        assert (refused.value.code, refused.value.read()) == (ends, b"x" * 500)
    assert len(server.asked) == len(answers)


def test_a_client_trusts_the_authority_beside_its_token_and_asks_no_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("https_proxy", "http://proxy.example")
    with pytest.raises(FileNotFoundError):
        kube_api.Api("https://kubernetes.default.svc", tmp_path)
    handlers = vars(kube_api.direct_opener(ssl.create_default_context()))["handlers"]

    assert not [each for each in handlers if isinstance(each, ProxyHandler)]
