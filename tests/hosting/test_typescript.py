"""Programs in TypeScript that use our generated SDK compile, and wrong ones do not."""

import re
from pathlib import Path

import pytest
from rdma_cluster.common import CLOUDS
from rdma_cluster.hosting import components_of
from rdma_cluster.hosting.schema import schema_of
from tests.hosting.typescript import compile_all, make_sdk, missing
from tests.stacks import ROOT

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(bool(missing()), reason=missing()),
    # The analyzer leaves a file of the SDK's open.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

IMPORTS = """import * as pulumi from "@pulumi/pulumi";
import * as k8s from "@pulumi/kubernetes";
import * as rdma from "@pulumi/rdma-cluster";
declare const whole: rdma.GkeRdmaCluster;
"""
POD = """
const pool = whole.workloads.apply(pools => pools["a4"]);
new k8s.core.v1.Pod("train", {
    metadata: { annotations: pool.apply(of => of.annotations ?? {}) },
    spec: {
        nodeSelector: pool.nodeSelector,
        tolerations: pool.tolerations,
        hostNetwork: pool.apply(of => of.hostNetwork ?? false),
        initContainers: pool.apply(of => of.initContainers ?? []),
        volumes: pool.volumes,
        resourceClaims: [{ name: "fabric", resourceClaimTemplateName: pool.claimTemplates[0] }],
        containers: [{
            name: "train",
            image: pool.imageHint,
            env: pool.env,
            volumeMounts: pool.volumeMounts,
            securityContext: pool.securityContext,
            resources: pool.resources,
        }],
    },
});
export const least: pulumi.Output<number> = whole.proofs.apply(of => of["a4"].thresholds!["all_gather"][0].busbwGBytes);
export const claim: pulumi.Output<string | undefined> = whole.storage.apply(of => of.claim);
"""
"""What a pod takes of a pool goes into the types of Kubernetes' own SDK as it is."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the SDK of all components."""
    made = tmp_path_factory.mktemp("typescript")
    make_sdk(schema_of(components_of(*CLOUDS, "incluster")), made)
    return made


def shown() -> dict[str, str]:
    """The programs that we show, and a pod that takes a pool's parts."""
    page = (ROOT / "docs" / "other-languages.md").read_text()
    (block,) = re.findall(r"^```typescript\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    example = (ROOT / "examples" / "typescript" / "index.ts").read_text()
    return {"docs": block, "example": example, "pod": IMPORTS + POD}


WRONG = {
    "key": ('new rdma.GkeHpcNetwork("n", { project: "p", zoen: "z", machines: [] });', "'zoen' does not exist"),
    "absent": ('new rdma.GkeHpcNetwork("n", { project: "p", machines: [] });', "'zone' is missing"),
    "value": ('new rdma.GkeHpcNetwork("n", { project: "p", zone: 1, machines: [] });', "'number' is not assignable"),
    "workload": ('whole.workloads.apply(of => of["a4"].nodeSelectr);', "'nodeSelectr' does not exist"),
    "proof": ('whole.proofs.apply(of => of["a4"].nvlink!.stat);', "'stat' does not exist"),
    "stored": ("whole.storage.apply(of => of.clam);", "'clam' does not exist"),
}
"""Lines with an error, and what the compiler says of them."""


def test_programs_that_we_show_compile_and_each_wrong_line_does_not(folder: Path):
    wrong = {name: IMPORTS + line for name, (line, _) in WRONG.items()}

    told = compile_all({**shown(), **wrong}, folder)

    assert {name: told[name] for name in shown()} == dict.fromkeys(shown(), "")
    assert [told[name] for name, (_, words) in WRONG.items() if words not in told[name]] == []
