"""Running programs: exceptions, independence, sameness, projects on disk, functions of providers."""

import asyncio
import json
import logging
import os
import subprocess
import sys
import textwrap
from contextvars import ContextVar
from pathlib import Path

import pulumi
import pulumi_gcp as gcp
import pytest
import rdma_cluster
from pulumi_offline import Unanswered, preview
from pulumi_offline.project import read_settings

NETWORK = "gcp:compute/network:Network"


def test_an_exception_of_the_program_is_passed_on(rail):
    """It is passed on out of an apply and a constructor, too, and the next run is none the worse."""

    def at_once() -> None:
        rail("rail")
        raise ZeroDivisionError("of the program")

    def in_apply() -> None:
        rail("rail").network.name.apply(lambda name: name / 0)

    async def later() -> None:
        raise KeyError("later")

    with pytest.raises(ZeroDivisionError, match="of the program"):
        preview(at_once)
    with pytest.raises(TypeError, match="unsupported operand"):
        preview(in_apply)
    with pytest.raises(KeyError, match="later"):
        preview(later)
    with pytest.raises(SystemExit):
        preview(lambda: sys.exit(3))
    assert len(preview(lambda: rail("rail")).resources) == 3


def test_an_exception_carries_the_problems_found_before():
    """A wrong input is often why a program stumbles, so the exception has it as a note."""

    def program() -> None:
        gcp.compute.Network("n", mtu="big").mtu.apply(int)  # ty: ignore
        raise ValueError("stop")

    with pytest.raises(ValueError, match="stop") as caught:
        preview(program)
    assert caught.value.__notes__ == [f"also found: {NETWORK} n: mtu: 'big' is not int"]


def test_runs_are_independent():
    """A run sees no settings, names or resources of another, and neither do the caller's own mocks."""

    def program() -> None:
        gcp.compute.Network("n", description=pulumi.Config("app").get("note"))

    first = preview(program, project="one", stack="a", config={"app:note": "hello"}).one(NETWORK)
    second = preview(program, project="two", stack="b").one(NETWORK)

    assert first.urn == f"urn:pulumi:a::one::{NETWORK}::n"
    assert second.urn == f"urn:pulumi:b::two::{NETWORK}::n"
    assert first.inputs["description"] == "hello"
    assert second.inputs.get("description") is None
    assert pulumi.Config("app").get("note") is None


def test_mocks_of_the_caller_are_left_alone():
    class Mocks(pulumi.runtime.Mocks):
        def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict]:
            return "mocked", args.inputs

        def call(self, args: pulumi.runtime.MockCallArgs) -> tuple[dict, None]:
            return {}, None

    async def caller() -> None:
        pulumi.runtime.set_mocks(Mocks(), "mine", "own")
        root = pulumi.runtime.get_root_resource()
        graph = preview(lambda: gcp.compute.Network("n"), project="p", stack="s")

        assert graph.one(NETWORK).urn == f"urn:pulumi:s::p::{NETWORK}::n"
        assert pulumi.runtime.get_root_resource() is root
        assert (pulumi.get_project(), pulumi.get_stack()) == ("mine", "own")
        await pulumi.runtime.stack.wait_for_rpcs()

    asyncio.run(caller())


def test_the_program_sees_the_caller_s_context():
    flavour = ContextVar("flavour", default="none")
    flavour.set("lab")

    assert preview(lambda: pulumi.export("flavour", flavour.get())).outputs == {"flavour": "lab"}


def test_a_preview_inside_a_preview_is_refused():
    """It would wait for itself for ever."""
    with pytest.raises(RuntimeError, match="cannot start a preview"):
        preview(lambda: preview(lambda: None))


def test_a_preview_runs_inside_a_running_loop():
    """A notebook and an async test are inside an event loop already."""

    async def caller() -> int:
        return len(preview(lambda: gcp.compute.Network("n")).resources)

    assert asyncio.run(caller()) == 1


def test_importing_the_package_imports_no_sdk():
    """The package, its graph and its diff need no Pulumi."""
    code = "import sys, pulumi_offline; print([name for name in ('pulumi', 'grpc') if name in sys.modules])"
    environment = {**os.environ, "PYTHONPATH": str(Path(rdma_cluster.__file__).parent.parent)}
    output = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)

    assert output.stdout == "[]\n"


@pytest.fixture
def project(tmp_path) -> Path:
    """A project on disk, whose program lies in two files and reads a third."""
    files = {
        "Pulumi.yaml": """
            name: fabric
            runtime: python
            stackConfigDir: stacks
            config:
              rails: {type: integer, default: 2}
              mtu: {type: integer, default: 1460}
              token: {type: string, secret: true, default: hush}
              gcp:project: {value: from-project}
            """,
        "stacks/Pulumi.lab.yaml": """
            config:
              fabric:mtu: 8896
              pools: [{machine: a4}]
              sealed: {secure: v1:abc}
            """,
        "__main__.py": """
            import rails_of_this_test
            """,
        "rails_of_this_test.py": """
            from pathlib import Path
            import pulumi, pulumi_gcp as gcp
            config = pulumi.Config()
            for i in range(config.require_int("rails")):
                gcp.compute.Network(f"rail-{i}", mtu=config.require_int("mtu"), description=Path("note").read_text())
            pulumi.export("pools", config.require_object("pools"))
            pulumi.export("project", pulumi.Config("gcp").require("project"))
            pulumi.export("secrets", [config.require_secret("token"), config.require_secret("sealed")])
            """,
        "note": "beside the program",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return tmp_path


@pytest.mark.parametrize("end", ["", "__main__.py"])
def test_a_project_on_disk_is_run_with_its_settings(project, end):
    """Settings of Pulumi.yaml and of the stack's file reach the program, and a second run makes everything again."""
    here, path = Path.cwd(), list(sys.path)

    for _ in range(2):
        graph = preview(project / end, stack="lab")

        assert [resource.urn for resource in graph.resources] == [
            f"urn:pulumi:lab::fabric::{NETWORK}::rail-0",
            f"urn:pulumi:lab::fabric::{NETWORK}::rail-1",
        ]
        assert graph.resources[0].inputs["description"] == "beside the program"
        assert graph.resources[0].inputs["mtu"] == 8896
        assert graph.outputs["pools"] == [{"machine": "a4"}]
        assert graph.outputs["project"] == "from-project"
        assert graph.outputs["secrets"] == ["[secret]", "[secret]"]
    assert (Path.cwd(), sys.path) == (here, path)
    assert "rails_of_this_test" not in sys.modules


def test_given_config_wins_over_the_files(project):
    graph = preview(project, stack="lab", config={"fabric:rails": 1, "gcp:project": "mine"})

    assert len(graph.resources) == 1
    assert graph.outputs["project"] == "mine"


def test_functions_are_answered_by_results_and_callables():
    def program() -> None:
        pulumi.export("zones", gcp.compute.get_zones_output(region="r").names)
        pulumi.export("now", gcp.compute.get_zones(region="plain").names)

    answers = {"gcp:compute/getZones:getZones": lambda args: {"names": [f"{args['region']}-b"], "id": "z"}}

    assert preview(program, invokes=answers).outputs == {"zones": ["r-b"], "now": ["plain-b"]}
    fixed = preview(program, invokes={"gcp:compute/getZones:getZones": {"names": ["x"], "id": "z"}})
    assert fixed.outputs == {"zones": ["x"], "now": ["x"]}


@pytest.mark.parametrize("call", ["get_zones", "get_zones_output"])
def test_an_unanswered_function_says_what_to_pass(call: str):
    with pytest.raises(Unanswered, match=r"getZones:getZones: nobody answers .* called with region; .*invokes="):
        preview(lambda: getattr(gcp.compute, call)(region="r"))
    # An answer of ours that lacks an argument says so; what a program's own answer raises is the program's.
    with pytest.raises(Unanswered, match="called without 'projectId'"):
        preview(lambda: gcp.organizations.get_project())
    zones = "gcp:compute/getZones:getZones"
    with pytest.raises(KeyError, match="lacking"):
        preview(lambda: getattr(gcp.compute, call)(region="r"), invokes={zones: lambda args: args["lacking"]})


def test_stack_references_are_answered_like_functions():
    """The token of a resource type answers with its outputs."""

    def program() -> None:
        pulumi.export("cluster", pulumi.StackReference("org/infra/lab").require_output("cluster"))

    answers = {"pulumi:pulumi:StackReference": lambda args: {"outputs": {"cluster": f"of {args['name']}"}}}

    assert preview(program, invokes=answers).outputs == {"cluster": "of org/infra/lab"}


def test_warnings_of_the_program_are_logged(caplog):
    """Warnings and infos go to the logger `pulumi`."""
    caplog.set_level(logging.INFO, "pulumi")

    preview(lambda: (pulumi.log.warn("spot nodes vanish"), pulumi.log.info("8 rails")))

    assert caplog.record_tuples == [("pulumi", 30, "spot nodes vanish"), ("pulumi", 20, "8 rails")]


def test_an_encrypted_value_makes_its_whole_setting_secret(project):
    """A text stands in the place of each encrypted value, however deep it lies."""
    with (project / "stacks" / "Pulumi.lab.yaml").open("a") as file:
        file.write("  nested: {a: [{secure: v1:abc}, plain], b: {secure: v1:def}}\n")
    settings = read_settings(project, "lab")

    assert json.loads(settings.config["fabric:nested"]) == {"a": ["[secret]", "plain"], "b": "[secret]"}
    assert "fabric:nested" in settings.secrets and "fabric:pools" not in settings.secrets
