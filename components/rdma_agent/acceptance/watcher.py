"""Waits for the runner of a pool's test in the place of Pulumi, and ends as that decided.

The runner's Job fails where a test is due, so that the next `up` makes it again; `up` itself goes on then. This Job is
the one that `up` waits for.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote

from ..kube_api import Api, add_options, ended, plain
from ..names import OUTCOME, TESTS_NAMESPACE
from .test_end import idle

_AGAIN = "\nanother `up` runs this test again"
_MOST_BYTES = 4000
"""Of the 4096 that Kubernetes keeps of a termination message; what follows has the rest."""
_JOBS = f"/apis/batch/v1/namespaces/{TESTS_NAMESPACE}/jobs"


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the pool is proven, or keeps its earlier proof for now; 1 in every other case.

    The termination message says why, and an annotation of this program's own Job tells Pulumi.
    """
    options = _parser().parse_args(argv)
    api = Api(options.server, options.credentials)
    told = _watch(api, options.runner, options.seconds, options.poll)
    failed = told["status"] == "failed"
    said = plain(told["message"])[:_MOST_BYTES] + (_AGAIN if failed else "")
    print(said)
    Path(options.termination).write_text(said, encoding="utf-8")
    if not failed:
        api.merge(f"{_JOBS}/{quote(options.job)}", {"metadata": {"annotations": {OUTCOME: json.dumps(told)}}})
    return int(failed)


def _watch(api: Api, runner: str, seconds: int, poll: float) -> dict[str, Any]:
    deadline = time.monotonic() + seconds
    there, trouble = False, ""
    pods: list[dict[str, Any]] = []
    while time.monotonic() < deadline:
        try:
            job = api.get(f"{_JOBS}/{quote(runner)}")
            there, trouble = True, ""
            if (told := job["metadata"].get("annotations", {}).get(OUTCOME)) is not None:
                return json.loads(told)
            selector = quote(f"batch.kubernetes.io/job-name={runner}")
            pods = api.get(f"/api/v1/namespaces/{TESTS_NAMESPACE}/pods?labelSelector={selector}")["items"]
            if (end := ended(job)) is not None:
                why = ": ".join(end.get(key, "") for key in ("reason", "message")).strip(": ")
                return _failed(f"finished: did not finish: {runner}: {why}; wanted its outcome", *idle(pods))
        except (OSError, HTTPException, ValueError) as error:  # ValueError: an answer that is no JSON
            if not (isinstance(error, HTTPError) and error.code == 404):
                trouble = f"{type(error).__name__}: {error}"
                print(plain(trouble), file=sys.stderr)
            elif there:
                return _failed(f"finished: did not finish: Job {runner} was deleted; wanted its outcome")
            else:
                trouble = f"there is no Job {runner}"
        time.sleep(poll)
    why = [trouble] if trouble else idle(pods)
    return _failed(f"finished: did not finish within {seconds} s; wanted an outcome", *why)


def _failed(*lines: str) -> dict[str, Any]:
    return {"status": "failed", "message": "\n".join(lines)}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="watch-test", description="wait for the runner of a test")
    parser.add_argument("--runner", required=True, help="name of the runner's Job")
    parser.add_argument("--job", default=os.environ.get("JOB", ""), help="name of the Job whose pod this is")
    parser.add_argument("--seconds", required=True, type=int, help="when to give up")
    parser.add_argument("--poll", type=float, default=5.0, metavar="SECONDS")
    add_options(parser)
    parser.add_argument("--termination", default="/dev/termination-log", metavar="FILE")
    return parser


if __name__ == "__main__":
    sys.exit(main())
