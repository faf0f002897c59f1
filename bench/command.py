"""How long the command takes, against an empty process and against the SDK's own imports."""

import json
import subprocess
import sys
from pathlib import Path

from .processes import ratios

COMMAND = str(Path(sys.executable).with_name("rdma-cluster"))


def sdk_modules() -> list[str]:
    """The SDK packages that a preview of the GKE stack loads."""
    code = (
        "import json, sys, io, contextlib\n"
        "from rdma_cluster.cli.app import run\n"
        "with contextlib.redirect_stdout(io.StringIO()): run(['preview', 'gke', '--json'])\n"
        "json.dump(sorted(m for m, loaded in sys.modules.items() if m.split('.')[0] in "
        "('pulumi', 'pulumi_gcp', 'pulumi_kubernetes') and hasattr(loaded, '__path__')), "
        "sys.stdout)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def run() -> None:
    """Print the ratios beside their goals."""
    imports = "import " + ", ".join(sdk_modules())
    times = ratios(
        {
            "plan gke": [COMMAND, "plan", "gke"],
            "machines": [COMMAND, "machines"],
            "preview gke": [COMMAND, "preview", "gke"],
            "SDK imports": [sys.executable, "-c", imports],
        }
    )
    goals = {"plan gke": "<= 20", "machines": "<= 20", "preview gke": "<= 120"}
    print(f"{'process':<24}{'seconds':>9}{'x empty':>9}   goal")
    for name, (seconds, ratio) in times.items():
        print(f"{name:<24}{seconds:>9.3f}{ratio:>9.1f}   {goals.get(name, '')}")
    over = times["preview gke"][0] / times["SDK imports"][0]
    print(f"preview over a process that only imports the same SDK modules: {over:.2f}   goal <= 0.8")
