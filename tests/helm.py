"""Charts as Helm renders them, with the values of releases of ours."""

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pulumi_offline import Graph, Resource
from tests import quick_yaml
from tests.policies.readers import chart_of

_KUBERNETES = "1.36.0"
_NO_WAY_OUT = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9", "PATH": "", "HOME": "/nowhere"}


def different(graphs: Iterable[Graph]) -> list[tuple[str, Resource]]:
    """A release of each chart for each set of values that the graphs have, by the chart's name."""
    releases = [each for graph in graphs for each in graph.of_type("kubernetes:helm.sh/v3:Release")]
    found = {(chart_of(each), json.dumps(each.inputs.get("values", {}), sort_keys=True)): each for each in releases}
    return [(chart, release) for (chart, _), release in sorted(found.items(), key=lambda each: each[0])]


def rendered(helm: Path | str, folder: Path, release: Resource) -> list[dict[str, Any]]:
    """Every object that a chart's folder becomes, hooks included, by a Helm that reaches nothing."""
    command = [str(helm), "template", release.inputs["name"], str(folder), f"--namespace={release.inputs['namespace']}"]
    command += [f"--kube-version={_KUBERNETES}", "--values=-"]
    values = json.dumps(release.inputs.get("values", {}))
    done = subprocess.run(command, input=values, text=True, capture_output=True, env=_NO_WAY_OUT)
    assert done.returncode == 0, done.stderr
    return [each for each in quick_yaml.load_all(done.stdout) if each]
