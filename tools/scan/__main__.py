"""Every Kubernetes object of every stack before an independent scanner: `make scan`.

What it refuses and we keep is listed in `accepted.yaml` with the reason. A failure that is not listed ends this with
exit code 1, and so does an entry that nothing fails any more.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from tests.clouds import clouds
from tests.stacks import graph_of

HERE = Path(__file__).parent


def manifests() -> list[dict[str, Any]]:
    """The plain objects of all stacks and variants, each once; what charts bring is their publishers' to answer for."""
    found: dict[str, dict[str, Any]] = {}
    for cloud in clouds():
        for asked in cloud.graphs.values():
            for resource in graph_of(*asked).resources:
                if resource.type.startswith("kubernetes:") and {"kind", "metadata"} <= resource.inputs.keys():
                    # One that the provider names has a name here, too.
                    named = {**resource.inputs, "metadata": {"name": resource.name, **resource.inputs["metadata"]}}
                    for each in (named, *_pods(named)):
                        found[json.dumps(each, sort_keys=True)] = each
    return [found[key] for key in sorted(found)]


def _pods(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """The pods of an MPIJob, which no scanner knows: as Jobs, since they run to an end, too."""
    replicas = manifest["spec"]["mpiReplicaSpecs"] if manifest["kind"] == "MPIJob" else {}
    named = manifest["metadata"]
    return [
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": f"{named['name']}-{role.lower()}", "namespace": named["namespace"]},
            "spec": {"template": of["template"]},
        }
        for role, of in replicas.items()
    ]


def failures(scanner: str) -> dict[tuple[str, str], str]:
    """What fails, by check and object, with the check's name."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "objects.yaml").write_text(yaml.safe_dump_all(manifests(), sort_keys=False))
        words = [scanner, "-d", folder, "--framework", "kubernetes", "--quiet", "--compact", "-o", "json"]
        done = subprocess.run([*words, "--skip-download"], capture_output=True, text=True)
    report = json.loads(done.stdout)
    print(f"checkov {report['summary']['checkov_version']}: {report['summary']['passed']} checks pass")
    return {(each["check_id"], each["resource"]): each["check_name"] for each in report["results"]["failed_checks"]}


def main() -> int:
    """Compare what fails with what is accepted."""
    accepted = yaml.safe_load((HERE / "accepted.yaml").read_text())
    failed = failures(sys.argv[1])
    used: set[tuple[str, int]] = set()
    new = []
    for (check, resource), name in sorted(failed.items()):
        entry = next((i for i, each in enumerate(accepted.get(check, [])) if re.search(each["where"], resource)), None)
        if entry is None:
            new.append(f"{check} {resource}: {name}")
        else:
            used.add((check, entry))
    stale = [
        f"{check} {each['where']}"
        for check in accepted
        for i, each in enumerate(accepted[check])
        if (check, i) not in used
    ]
    for title, lines in (("not accepted", new), ("accepted, but nothing fails it", stale)):
        for line in lines:
            print(f"{title}: {line}")
    print(f"{len(failed)} failures, {len(failed) - len(new)} of them accepted with a reason")
    return 1 if new or stale else 0


if __name__ == "__main__":
    sys.exit(main())
