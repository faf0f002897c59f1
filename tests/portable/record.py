"""The record of a published manifest, for manifests.yaml: where it lies, and the parts of its pods that matter.

    python -m tests.portable.record FILE --at OWNER/NAME/PATH@COMMIT --of YYYY-MM-DD --licence Apache-2.0

Its text is not kept: neither commands nor arguments, nor values of variables.
"""

import argparse
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml
from rdma_cluster.injection import pods_in
from rdma_cluster.injection.device_requests import GPU

_OF_POD = ("hostNetwork", "tolerations", "nodeSelector", "affinity", "schedulerName", "runtimeClassName", "dnsPolicy")
_OF_CONTAINER = ("image", "resources", "securityContext", "restartPolicy")
_FENCED = re.compile(r"^```ya?ml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def record(text: str, at: str, date: str, licence: str, number: int | None) -> dict[str, Any]:
    """What is kept; ``number`` is that of the block of YAML in a page of Markdown."""
    place, _, commit = at.rpartition("@")
    owner, name, path = place.split("/", 2)
    block = text if number is None else _FENCED.findall(text)[number]
    objects = [each for each in yaml.safe_load_all(block) if isinstance(each, dict)]
    asking = [each for each in objects if GPU in str(each)]
    pods = [_pod(path, pod) for each in asking for path, pod in _placed(each)]
    return {
        "kind": asking[0]["kind"],
        "apiVersion": asking[0]["apiVersion"],
        "source": {
            "repository": f"{owner}/{name}",
            "path": path,
            **({} if number is None else {"block": number}),
            "commit": commit,
            "date": date,
            "licence": licence,
            "sha256": sha256(text.encode()).hexdigest(),
        },
        "pods": pods,
    }


def _placed(part: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The pods of an object, each with its key path."""
    if isinstance(part, Mapping) and next(pods_in(part), None) is part:
        yield path, part
    elif isinstance(part, Mapping | list):
        items = part.items() if isinstance(part, Mapping) else enumerate(part)
        for key, of in items:
            yield from _placed(of, f"{path}.{key}".removeprefix("."))


def _pod(path: str, pod: Mapping[str, Any]) -> dict[str, Any]:
    spec = pod["spec"]
    found: dict[str, Any] = {"at": path, **{key: spec[key] for key in _OF_POD if key in spec}}
    for key in ("initContainers", "containers"):
        if spec.get(key):
            found[key] = {each["name"]: _container(each) for each in spec[key]}
    if spec.get("volumes"):
        kinds = {each["name"]: {key: of for key, of in each.items() if key != "name"} for each in spec["volumes"]}
        found["volumes"] = {name: of if "emptyDir" in of else next(iter(of)) for name, of in kinds.items()}
    return found


def _container(container: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: container[key] for key in _OF_CONTAINER if container.get(key)}
    if container.get("env"):
        kept["env"] = [each["name"] for each in container["env"]]
    if container.get("volumeMounts"):
        kept["mounts"] = {each["mountPath"]: each["name"] for each in container["volumeMounts"]}
    return kept


def main() -> None:
    """Print a record."""
    parser = argparse.ArgumentParser(description="Print the record of a published manifest")
    parser.add_argument("file", type=Path)
    parser.add_argument("--at", required=True)
    parser.add_argument("--of", required=True)
    parser.add_argument("--licence", required=True)
    parser.add_argument("--block", type=int)
    args = parser.parse_args()
    found = record(args.file.read_text(encoding="utf-8"), args.at, args.of, args.licence, args.block)
    print(yaml.safe_dump([found], sort_keys=False, width=120, default_flow_style=None), end="")


if __name__ == "__main__":
    main()
