"""What a plan promises of its cluster's daemons and claims, and the phases of its report: on parts of a plan."""

from types import SimpleNamespace as Part
from typing import Any

from rdma_cluster.claims import Target
from rdma_cluster.conform.expected import ExpectedDaemon, _claimed, _daemons, machines_of, target_of
from rdma_cluster.conform.promises import _charts
from rdma_cluster.conform.report import _phases, with_proofs
from rdma_cluster.fabrics import FABRICS, NIC_DRIVERS, GpuAllocation, HostPlugin, ImagePlugin
from tests.conform.pools import A4, machine

POOLS: Any = [Part(name=name) for name in ("a", "b", "c")]


def settings(name: str, seconds: int = 600) -> Part:
    """A chart that a plan installs."""
    return Part(chart=Part(name=name, version="1.2.3", title=f"the {name}"), timeout_seconds=seconds)


def nodes(*names: str) -> dict[str, Any]:
    """Those of some pools."""
    return {"label": "pool", "values": list(names)}


def part(gpu: Part | None, nic: Part | None, kernel: Any = None, **args: Any) -> Part:
    """Drivers or device plugins, with the nodes that they serve."""
    return Part(plan=Part(gpu=gpu, nic=nic, kernel=kernel, **args))


def in_cluster(**parts: Any) -> Any:
    """A plan of what is in a cluster."""
    return Part(**{"drivers": None, "device_plugins": None, "installers": {}, **parts})


def test_daemons_of_drivers_and_plugins():
    """Each kind on its own nodes, or both on the same; where there are no drivers there may be plugins."""
    drivers = part(settings("gpu"), settings("nic"), "a kernel's", gpu_nodes=nodes("a", "c"), nic_nodes=nodes("b"))
    plugins = part(None, settings("plugin"), nodes=nodes("c", "x"))

    assert list(_daemons(in_cluster(drivers=drivers), POOLS)) == [
        ExpectedDaemon("gpu", "1.2.3", "the gpu", (0, 2)),
        ExpectedDaemon("nic", "1.2.3", "the nic", (1,)),
        ExpectedDaemon("nvidia-driver-installer", "", "NVIDIA's kernel driver", (0, 2)),
    ]
    assert list(_daemons(in_cluster(device_plugins=plugins), POOLS)) == [
        ExpectedDaemon("plugin", "1.2.3", "the plugin", (2,))
    ]
    bare = part(settings("gpu"), None, None, gpu_nodes=nodes("a"), nic_nodes=nodes())
    assert [each.name for each in _daemons(in_cluster(drivers=bare, device_plugins=plugins), POOLS)] == [
        "gpu",
        "plugin",
    ]


def test_daemons_that_bring_what_nccl_needs():
    """A plugin that lies on the node has an installer; what stays beside it is a daemon by itself."""
    host, image = FABRICS["gib"].plugin, FABRICS["gib-metal"].plugin
    assert isinstance(host, HostPlugin) and isinstance(image, ImagePlugin)

    def installer(plugin: Any, *daemons: str) -> Part:
        return Part(plan=Part(plugin=plugin, daemons=[Part(name=each) for each in daemons], nodes=nodes("b")))

    plan = in_cluster(installers={"b": installer(host, "x", "y"), "c": installer(image, "asapd")})

    assert list(_daemons(plan, POOLS)) == [
        ExpectedDaemon(f"nccl-installer-{host.name}", host.release.version, f"the NCCL plugin {host.name}", (1,)),
        ExpectedDaemon("x", "", "the daemon x", (1,)),
        ExpectedDaemon("y", "", "the daemon y", (1,)),
        ExpectedDaemon("asapd", "", "the daemon asapd", (1,)),
    ]


def test_who_answers_claims():
    """By what the plan of claims was made with; nobody, where nothing of a machine is claimed."""
    target = Target(NIC_DRIVERS["gke-managed"], GpuAllocation.DEVICE_PLUGIN, (1, 36))
    claims = Part(plan=Part(targets={A4.name: target}))

    assert target_of(in_cluster(claims=claims), A4) == target
    assert target_of(in_cluster(claims=claims), machine("p5.48xlarge")) is None
    assert target_of(in_cluster(claims=None), A4) is None


def test_classes_that_claims_name():
    """That of GPUs only where claims hand them out."""
    plugged = Target(gpus=GpuAllocation.DEVICE_PLUGIN)

    assert [_claimed(name, Target()) for name in ("gpu.nvidia.com", "dranet")] == [True, True]
    assert [_claimed(name, plugged) for name in ("gpu.nvidia.com", "dranet")] == [False, True]


def test_machines_of_a_plan():
    """Each once, in the order of the pools; adopted nodes count."""
    other = machine("p5.48xlarge")
    a, b = Part(machine=A4), Part(machine=other)

    assert machines_of(stack(pools=[b, a, b], adopted=[])) == [other, A4]
    assert machines_of(stack(pools=[a], adopted=[b])) == [A4, other]


def stack(**parts: Any) -> Any:
    """A plan of a stack with these parts alone."""
    return Part(**parts)


def plan(tests: list[Any], in_cluster: Any = None) -> Any:
    """A plan of two pools."""
    pools = [Part(name="a", create_minutes=20), Part(name="b", create_minutes=5)]
    return stack(pools=pools, tests=tests, in_cluster=in_cluster)


NODES = [{"phase": "nodes", "of": "a", "budgetSeconds": 1200}, {"phase": "nodes", "of": "b", "budgetSeconds": 300}]
PROOF = {"phase": "proof", "of": "a", "budgetSeconds": 900}


def test_phases_in_the_order_in_which_they_begin():
    """Nodes, drivers, proofs; plain machines have no drivers."""
    proofs = [Part(pool="a", timeout_seconds=900)]
    drivers = part(settings("gpu", 100), None)
    plugins = part(settings("g", 200), settings("n", 300))

    assert list(_phases(plan(proofs))) == [*NODES, PROOF]
    assert list(_phases(plan(proofs, in_cluster(drivers=drivers)))) == [
        *NODES,
        {"phase": "driver", "of": "the gpu", "budgetSeconds": 100},
        PROOF,
    ]
    plugged = plan(proofs, in_cluster(device_plugins=plugins))
    assert [each["of"] for each in _phases(plugged)] == ["a", "b", "the g", "the n", "a"]


def test_seconds_stand_beside_proofs_alone():
    """A pool's nodes have its name, too; of two proofs both must be proven."""
    told = {"phases": [NODES[0], PROOF, {**PROOF, "of": "b"}], "stack": "s"}
    proofs = {"a": {"status": "proven", "seconds": 412}, "b": {"status": "failed"}}

    assert with_proofs(told, proofs) == {
        "stack": "s",
        "phases": [NODES[0], {**PROOF, "seconds": 412}, {**PROOF, "of": "b"}],
        "proofs": proofs,
        "proven": False,
    }


def test_charts_that_a_plan_shows():
    """Each with its image, in the catalogue's order; how sure it is that they can be fetched so."""
    shown = [{"part": "DraNet"}, {"part": "AWS DRA driver for EFA"}, {"part": "Kubernetes"}]

    found = [(each.of, each.what.partition("@")[0].rpartition("/")[2], each.evidence.value) for each in _charts(shown)]

    assert found == [
        ("chart", "dranet", "in code"),
        ("image", "dranet:v1.4.0", "in code"),
        ("chart", "aws-dranet", "in code"),
        ("image", "dranet:v1.2.0-eksbuild.2", "inferred"),
    ]
    (*_, unsure) = _charts(shown)
    assert unsure.sources == () and unsure.reason.startswith("no pull and no digest of it was seen: github.com/aws/")
