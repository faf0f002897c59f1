"""Each component on its own, in a program that knows of nothing else, with no SDK but its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from rdma_cluster import eks, gke, incluster
from rdma_cluster.hosting import components_of

KUBERNETES = ("pulumi_kubernetes",)
GOOGLE = ("pulumi_gcp", "pulumi_kubernetes")
AMAZON = ("pulumi_aws", "pulumi_kubernetes")
SDKS = ("pulumi_aws", "pulumi_azure_native", "pulumi_gcp", "pulumi_kubernetes", "pulumi_oci")

PROGRAM = """
import gc, sys
gc.disable()

class Missing:
    '''Makes a package as good as not installed.'''

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())

from rdma_cluster.offline import preview

def program():
    import pulumi
    {program}
    for key, value in vars(component).items():
        if isinstance(value, pulumi.Output):
            pulumi.export(key, value)

graph = preview(program, project="foreign", stack="dev", config={{}})
sys.exit(0 if len(graph.resources) > 1 else "no resources")
"""

NETWORKS = '[{"network": "n", "subnetwork": f"s{i}"} for i in range(9)]'
NODES = '{"label": "pool", "values": ["a"], "nodes": 2}'
PRIMARY = '"network": "n", "subnetwork": "s", "pod_range": "p", "service_range": "v"'
OHIO = '"region": "us-east-2", "zone": "us-east-2a"'
SUBNETS = '[{"subnet": "a", "zone": "us-east-2a"}, {"subnet": "b", "zone": "us-east-2b"}]'
ADMINS = '"admins": ["arn:aws:iam::111122223333:role/admin"]'
P5 = '"name": "p5", "machine": "p5.48xlarge", "nodes": 2, "capacity": {"spot": True}'

PROGRAMS: dict[str, tuple[tuple[str, ...], str]] = {
    "GkeHpcNetwork": (GOOGLE, '{"project": "p", "zone": "us-west8-c", "machines": ["a4-highgpu-8g"]}'),
    "GkeCluster": (GOOGLE, f'{{"project": "p", "zone": "us-west8-c", {PRIMARY}}}'),
    "GkeGpuNodePool": (
        GOOGLE,
        '{"project": "p", "zone": "us-west8-c", "name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, '
        f'"capacity": {{"spot": True}}, "cluster": "c", "location": "us-west8", "networks": {NETWORKS}}}',
    ),
    "GkeRdmaCluster": (
        GOOGLE,
        '{"project": "p", "zone": "us-west8-c", '
        '"pools": [{"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"spot": True}}]}',
    ),
    "EksHpcNetwork": (AMAZON, f'{{{OHIO}, "machines": ["p5.48xlarge"], "control_plane_zones": ["us-east-2b"]}}'),
    "EksCluster": (AMAZON, f'{{"region": "us-east-2", "subnets": {SUBNETS}, {ADMINS}}}'),
    "EksGpuNodePool": (
        AMAZON,
        f'{{{OHIO}, {P5}, "cluster": "c", "cluster_security_group": "sg-1", "efa_security_group": "sg-2", '
        '"node_role": "r", "subnets": [{"subnet": "a", "zone": "us-east-2a"}]}',
    ),
    "EksRdmaCluster": (
        AMAZON,
        f'{{{OHIO}, "pools": [{{{P5}}}], "kubernetes": {{{ADMINS}}}, '
        '"network": {"control_plane_zones": ["us-east-2b"]}}',
    ),
    "DraDrivers": (KUBERNETES, f'{{"host": "cos", "gpu_nodes": {NODES}, "nic_nodes": {NODES}}}'),
    "NcclInstaller": (KUBERNETES, f'{{"fabric": "gib", "nodes": {NODES}}}'),
    "ClaimTemplates": (KUBERNETES, '{"machines": ["a3-ultragpu-8g", "a4-highgpu-8g"]}'),
    "DevicePlugins": (KUBERNETES, f'{{"nodes": {NODES}, "nic_plugin": "efa", "nic_registry": "r.example"}}'),
    "MpiOperator": (KUBERNETES, "{}"),
    "NcclAcceptance": (
        KUBERNETES,
        '{"pools": [{"name": "a", "machine": "a4-highgpu-8g", "nodes": 2, "fabric": "gib"}], "pool_label": "pool", '
        '"taint": {"key": "k", "value": "v"}}',
    ),
}


def start(name: str, installed: tuple[str, ...], args: str) -> subprocess.Popen[str]:
    """Preview a program of one component, with all SDKs but some made impossible to import."""
    package = next(each.__name__ for each in (eks, gke, incluster) if name in each.__all__)
    program = f"from {package} import {name}\n    component = {name}('alone', {args})"
    code = PROGRAM.format(missing=tuple(sdk for sdk in SDKS if sdk not in installed), program=program)
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def started() -> Iterator[dict[str, subprocess.Popen[str]]]:
    """All programs at once, for each spends its time on the import of its SDK."""
    with ExitStack() as open_pipes:
        yield {name: open_pipes.enter_context(start(name, *program)) for name, program in PROGRAMS.items()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_component_alone(name: str, started: dict[str, subprocess.Popen[str]]):
    """It needs its cloud's SDK and pulumi-kubernetes; an in-cluster component the latter alone."""
    _, told = started[name].communicate()

    assert (started[name].returncode, told) == (0, "")


def test_no_component_is_forgotten():
    """Every component that these packages export is tried."""
    assert set(PROGRAMS) == {component.__name__ for component in components_of("eks", "gke", "incluster")}


def test_missing_sdk_is_missed():
    """The SDKs are gone indeed: a component fails without its own."""
    installed, args = PROGRAMS["GkeHpcNetwork"]

    process = start("GkeHpcNetwork", tuple(sdk for sdk in installed if sdk != "pulumi_gcp"), args)
    _, told = process.communicate()

    assert process.returncode == 1
    assert "No module named 'pulumi_gcp'" in told
