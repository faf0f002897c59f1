"""`pulumi package add` gives a Python program an SDK that sends keys as the plugin reads them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rdma_cluster import __version__
from rdma_cluster.common import CLOUDS
from rdma_cluster.hosting import components_of
from rdma_cluster.hosting.schema import schema_of
from tests.hosting.generator import generate

PROGRAMS = ("pulumi", "pulumi-language-python")

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        None in map(shutil.which, PROGRAMS), reason=f"needs {' and '.join(PROGRAMS)} on PATH; see DEVELOPERS.md"
    ),
    # The analyzer leaves a file of the SDK's open.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

PROGRAM = """
import pulumi

class Told(pulumi.runtime.Mocks):
    def new_resource(self, args):
        print(args.typ, sorted(args.inputs), args.inputs["pools"][0]["capacity"])
        return args.name, args.inputs

    def call(self, args):
        return {}

pulumi.runtime.set_mocks(Told())
import pulumi_rdma_cluster as rdma

@pulumi.runtime.test
def program():
    capacity = rdma.GkeCapacityArgs(flex_start=True)
    pool = rdma.GkePoolArgs(name="a4", machine="a4-highgpu-8g", nodes=2, capacity=capacity)
    return rdma.GkeRdmaCluster("train", project="p", zone="us-west8-c", pools=[pool], look_ups=False).urn

program()
"""


def test_the_generated_sdk_asks_for_a_component_in_the_wheels_version(tmp_path: Path):
    sdk = generate(schema_of(components_of(*CLOUDS, "incluster")), "python", tmp_path)
    # As pip would install it.
    (installed := sdk / f"pulumi_rdma_cluster-{__version__}.dist-info").mkdir()
    (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: pulumi_rdma_cluster\nVersion: {__version__}\n")

    environment = {**os.environ, "PYTHONPATH": str(sdk)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)

    assert f'VERSION = "{__version__}"' in (sdk / "setup.py").read_text()
    told = "rdma-cluster:index:GkeRdmaCluster ['lookUps', 'pools', 'project', 'zone'] {'flexStart': True}\n"
    assert (done.stdout, done.stderr) == (told, "")
