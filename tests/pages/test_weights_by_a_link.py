"""The Job on docs/workloads.md that fills a claim by a pre-authenticated link, run against a bucket of files.

The bucket answers as Object Storage does: `GET LINK` lists a page of objects and what the next one starts with, and
`GET LINK` with a name behind it is the object.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import yaml
from pulumi_offline.strict import check_inputs
from tests.pages.blocks import run_blocks

WEIGHTS = {"config.json": b"{}", "model 1.safetensors": b"a" * 5000, "original/": b"", "original/params.json": b"[]"}
PAGE = 2
(JOB,) = [job for block in run_blocks("yaml") if (job := yaml.safe_load(block.text)).get("kind") == "Job"]
(FILL,) = JOB["spec"]["template"]["spec"]["containers"]


@pytest.fixture
def bucket() -> Iterator[tuple[str, list[str]]]:
    """The link to a bucket, and the names that were asked for."""
    asked: list[str] = []

    class Bucket(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            name = unquote(url.path.partition("/o/")[2])
            names = [each for each in sorted(WEIGHTS) if each >= parse_qs(url.query).get("start", [""])[0]]
            page = {"objects": [{"name": each, "size": len(WEIGHTS[each])} for each in names[:PAGE]]}
            if len(names) > PAGE:
                page["nextStartWith"] = names[PAGE]
            asked.extend([name] if name else [])
            self.send_response(200)
            self.end_headers()
            self.wfile.write(WEIGHTS[name] if name else json.dumps(page).encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Bucket)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/p/secret/n/mine/b/llama/o/", asked
    server.shutdown()
    server.server_close()


def test_the_job_fetches_every_object_once(tmp_path: Path, bucket: tuple[str, list[str]]):
    """What a broken run left in part is fetched again, what is whole is not; folders are no objects."""
    link, asked = bucket
    env = {"LINK": f"{link}\n", "FOLDER": str(tmp_path / "llama")}

    for _ in range(2):
        subprocess.run([sys.executable, *FILL["command"][1:], *FILL["args"]], env=env, check=True)
        (tmp_path / "llama/original/params.json").write_bytes(b"[")

    found = {str(file.relative_to(tmp_path / "llama")): file for file in tmp_path.rglob("*") if file.is_file()}
    assert found["model 1.safetensors"].read_bytes() == WEIGHTS["model 1.safetensors"]
    assert found.keys() == {name for name in WEIGHTS if not name.endswith("/")}
    assert sorted(asked) == ["config.json", "model 1.safetensors", "original/params.json", "original/params.json"]


def test_the_job_is_one_and_has_the_link_from_a_secret():
    import pulumi_kubernetes.batch.v1  # noqa: F401  # which the check asks

    assert check_inputs("kubernetes:batch/v1:Job", JOB) == []
    assert [each["valueFrom"] for each in FILL["env"] if each["name"] == "LINK"] == [
        {"secretKeyRef": {"name": "weights-link", "key": "link"}}
    ]
