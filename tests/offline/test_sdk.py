"""The private names of Pulumi this package stands on. When a release changes them, these tests say which."""

import inspect

import pulumi_gcp as gcp
import pytest
from pulumi import _types
from pulumi.runtime import _callbacks, resource, rpc, settings, stack, sync_await
from pulumi.runtime.proto import source_pb2
from rdma_cluster.offline import codec, sdk

NAMES = [
    (_types, "_raw_return_hints"),
    (_types, "_required_property_names"),
    (_types, "_is_union_type"),
    (_types, "_is_plumbing_arg"),
    (_types, "is_input_type"),
    (_types, "is_output_type"),
    (_types, "input_type_py_to_pulumi_names"),
    (_types, "resource_types"),
    (rpc, "_RESOURCE_MODULES"),
    (rpc, "_RESOURCE_PACKAGES"),
    (resource, "_get_stack_trace"),
    (settings, "ROOT"),
    (settings, "SETTINGS"),
    (settings, "Settings"),
    (settings, "configure"),
    (stack, "run_in_stack"),
    (_callbacks, "_CallbackServicer"),
    (sync_await, "_sync_await"),
]


@pytest.mark.parametrize(("module", "name"), NAMES, ids=[f"{module.__name__}.{name}" for module, name in NAMES])
def test_private_name_is_there(module, name):
    """Modules of offline/ use it."""
    assert hasattr(module, name), f"this pulumi has no {module.__name__}.{name}: adapt rdma_cluster/offline to it"


def test_wire_constants_are_the_sdks():
    """The protocol's magic strings are written down in offline/codec.py, so that it needs no pulumi."""
    ours = (codec.UNKNOWN, codec.SIGNATURE, codec.SECRET, codec.ASSET, codec.ARCHIVE, codec.RESOURCE, codec.OUTPUT)
    theirs = (
        rpc.UNKNOWN,
        rpc._special_sig_key,
        rpc._special_secret_sig,
        rpc._special_asset_sig,
        rpc._special_archive_sig,
        rpc._special_resource_sig,
        rpc._special_output_value_sig,
    )
    assert ours == theirs, "the wire's magic strings changed: adapt rdma_cluster/offline/codec.py"


def test_tables_of_a_generated_sdk():
    """Token to class, class to Args, Args to properties: what a generated package keeps, and in which shape."""
    token = "gcp:container/nodePool:NodePool"
    args = sdk.args_class(gcp.container.NodePool)

    assert sdk.resource_class(token) is gcp.container.NodePool
    assert args is not None and args.__name__ == "NodePoolArgs"
    assert sdk.properties(args)["nodeCount"] == ((int,), False)
    assert sdk.properties(args)["cluster"] == ((str,), True)
    assert sdk.python_names(args)["node_count"] == "nodeCount"
    assert sdk.alternatives(sdk.outputs(gcp.container.NodePool)["name"]) == (str,)
    assert sdk.resource_class("pulumi:providers:gcp") is gcp.Provider
    assert sdk.version(token) == sdk.version("pulumi:providers:gcp") != ""


def test_stack_traces_have_the_stand_ins_type():
    """The run puts the empty StackTrace in the place of the SDK's function."""
    assert inspect.signature(resource._get_stack_trace).return_annotation is source_pb2.StackTrace
    assert not inspect.signature(resource._get_stack_trace).parameters
