"""Waits until a model is served, asks it once, and judges by the pods' logs whether they talk over the fabric."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request

from .kube_api import Api, add_options, direct_opener, plain, unscheduled

_CONTAINER = "vllm"
_ASKED = "Say yes."
_ANSWER_SECONDS = 180
_REACHED_SECONDS = 60  # until every node knows that the Service has an endpoint
_MOST_BYTES = 4000  # of the 4096 that Kubernetes keeps as termination message


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the model answers over the fabric, 1 in every other case; the termination message says why."""
    options = _parser().parse_args(argv)
    api = Api(options.server, options.credentials, timeout_seconds=60)
    pods = f"/api/v1/namespaces/{quote(options.namespace)}/pods/"
    code, said = _ready(api, pods, options, time.monotonic() + options.seconds)
    if not code:
        code, said = _answers(options)
    if not code:
        code, said = _judged(api, pods, options)
    said = plain(said)[:_MOST_BYTES]
    print(said, flush=True)
    Path(options.termination).write_text(said, encoding="utf-8")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="serving_check", description="wait until a model is served over the fabric")
    parser.add_argument("--namespace", required=True)
    parser.add_argument("--pods", required=True, nargs="+", help="names, the leader first")
    parser.add_argument("--label", required=True, help="KEY=VALUE of the pods that are meant")
    parser.add_argument("--url", required=True, help="where the model is asked")
    parser.add_argument("--model", required=True)
    parser.add_argument("--network", required=True)
    parser.add_argument("--waive", action="append", default=[], metavar="GATE", help="a gate that may fail")
    parser.add_argument("--seconds", required=True, type=float, help="when to give up")
    parser.add_argument("--poll", type=float, default=5.0, metavar="SECONDS")
    add_options(parser)
    parser.add_argument("--termination", default="/dev/termination-log", metavar="FILE")
    return parser


def _ready(api: Api, pods: str, options: argparse.Namespace, deadline: float) -> tuple[int, str]:
    """Wait for every pod; of a set that is rolled out anew, for its new ones."""
    key, _, value = options.label.partition("=")
    while True:
        waiting = []
        for name in options.pods:
            try:
                pod = api.get(pods + quote(name))
                if pod["metadata"].get("labels", {}).get(key) != value:
                    waiting.append(f"pod {name} is still the one before")
                elif not _is_ready(pod):
                    waiting.append(f"pod {name} is {_why(pod)}")
            except HTTPError as error:
                waiting.append(f"pod {name}: HTTP {error.code}{' (there is none yet)' if error.code == 404 else ''}")
            except (OSError, HTTPException, ValueError) as error:  # ValueError: an answer that is no JSON
                waiting.append(f"pod {name}: {type(error).__name__}: {error}")
        if not waiting:
            return 0, ""
        if time.monotonic() > deadline:
            return 1, "\n".join([f"served: not within {options.seconds:.0f} s", *waiting])
        time.sleep(options.poll)


def _is_ready(pod: dict[str, Any]) -> bool:
    conditions = pod.get("status", {}).get("conditions", [])
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def _why(pod: dict[str, Any]) -> str:
    """What Kubernetes says of a pod that is not ready."""
    status = pod.get("status", {})
    containers = status.get("containerStatuses", [])
    states = [state for each in containers for state in each.get("state", {}).values() if "reason" in state]
    ended = [each["lastState"]["terminated"] for each in containers if each.get("lastState", {}).get("terminated")]
    told = [*states, *unscheduled(status), *ended]
    why = "; ".join(": ".join(filter(None, (each.get("reason"), each.get("message")))) for each in told)
    return f"{status.get('phase', 'without status')}{': ' + why if why else ', and not ready'}"


def _answers(options: argparse.Namespace) -> tuple[int, str]:
    """One request, which goes through every node: only then NCCL has its channels between them."""
    body = json.dumps({"model": options.model, "prompt": _ASKED, "max_tokens": 4}).encode()
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("API_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    request = Request(f"{options.url}/v1/completions", body, headers)
    deadline = time.monotonic() + _REACHED_SECONDS
    while True:
        try:
            with direct_opener().open(request, timeout=_ANSWER_SECONDS) as answer:
                said = json.load(answer)["choices"][0]["text"]
            break
        except HTTPError as error:
            told = error.read(500).decode(errors="replace")
            return 1, f"answered: HTTP {error.code} to a request of 4 tokens: {told}"
        except (OSError, HTTPException, ValueError, LookupError, TypeError) as error:
            # This kind alone says that nobody was reached.
            if not isinstance(error, URLError) or time.monotonic() > deadline:
                return 1, f"answered: no answer to a request of 4 tokens: {type(error).__name__}: {error}"
            time.sleep(options.poll)
    print(f"answered: {said!r}", flush=True)
    return 0, ""


def _judged(api: Api, pods: str, options: argparse.Namespace) -> tuple[int, str]:
    """What NCCL has said in the pods' logs, before the judge."""
    with tempfile.TemporaryDirectory() as folder:
        logs = [Path(folder) / name for name in options.pods]
        for log in logs:
            try:
                with api.open(f"{pods}{quote(log.name)}/log?container={_CONTAINER}") as answer, log.open("wb") as file:
                    shutil.copyfileobj(answer, file)
            except (OSError, HTTPException) as error:
                return 1, f"judged: the log of pod {log.name} cannot be read: {type(error).__name__}: {error}"
        waivers = [word for gate in options.waive for word in ("--waive", gate)]
        program = [sys.executable, str(Path(__file__).with_name("run.py")), "judge-serving"]
        judge = [*program, options.network, *waivers, "--", *map(str, logs)]
        verdict = subprocess.run(judge, capture_output=True, text=True, check=False)
    return int(verdict.returncode != 0), (verdict.stdout + verdict.stderr).replace(f"{folder}/", "").strip()


if __name__ == "__main__":
    sys.exit(main())
