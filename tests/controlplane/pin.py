"""Writes the Go module that builds one Kubernetes release: `python tests/controlplane/pin.py 1.36.3`.

k8s.io/kubernetes replaces its staging modules by folders of its own repository, and a replace counts only in the main
module. So the module here repeats each of them with the version published for that release.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

GO_MODULES = Path(__file__).parent / "go"
COMMANDS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")


def upstream_go_mod(version: str) -> str:
    """The go.mod that the release was published with."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["go", "mod", "init", "pin"], cwd=folder, check=True, capture_output=True)
        download = ["go", "mod", "download", "-json", f"k8s.io/kubernetes@v{version}"]
        answer = subprocess.run(download, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
    return Path(json.loads(answer)["GoMod"]).read_text()


def render(version: str, upstream: str) -> str:
    """Our go.mod for the release, from upstream's."""
    staging = re.findall(r"^\s+(\S+) => \./staging/src/", upstream, re.MULTILINE)
    go = re.search(r"^go (\S+)$", upstream, re.MULTILINE)
    if not staging or go is None:
        raise SystemExit(f"pin: the go.mod of kubernetes {version} reads otherwise than expected; adapt {__file__}")
    published = re.sub(r"^1\.", "v0.", version)
    lines = [
        f"// Written by pin.py {version}: the Kubernetes servers that the control-plane tests run.",
        "module controlplane",
    ]
    lines += ["", f"go {go[1]}", "", "tool (", *(f"\tk8s.io/kubernetes/cmd/{command}" for command in COMMANDS), ")"]
    lines += ["", f"require k8s.io/kubernetes v{version}"]
    lines += ["", "replace (", *(f"\t{name} => {name} {published}" for name in staging), ")", ""]
    return "\n".join(lines)


def main() -> None:
    version = sys.argv[1]
    module = GO_MODULES / ("kubernetes-" + version.rpartition(".")[0])
    module.mkdir(parents=True, exist_ok=True)
    (module / "go.mod").write_text(render(version, upstream_go_mod(version)))
    subprocess.run(["go", "mod", "tidy"], cwd=module, check=True)


if __name__ == "__main__":
    main()
