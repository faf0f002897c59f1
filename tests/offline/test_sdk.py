"""What this package takes from Pulumi's SDK without a promise: private names, and what they give."""

import inspect
from importlib.metadata import version

import pulumi_gcp as gcp
import pytest
from pulumi import _types
from pulumi.runtime import resource, rpc
from pulumi.runtime.proto import source_pb2
from pulumi_offline import codec, preview, sdk
from pulumi_offline.sdk_names import NAMES, TESTED, UntestedPulumi, demand_names


def test_an_sdk_without_a_name_is_refused_in_words(monkeypatch: pytest.MonkeyPatch):
    """With its version, the names, and what to install; this SDK has all names, and its minor is one of the tested."""
    demand_names.cache_clear()
    demand_names()
    assert version("pulumi").rpartition(".")[0] in TESTED

    monkeypatch.delattr(_types, "_raw_return_hints")
    monkeypatch.setitem(NAMES, "pulumi.runtime.gone", ("_gone",))
    demand_names.cache_clear()
    with pytest.raises(UntestedPulumi) as refused:
        preview(lambda: None, config={})
    assert str(refused.value) == (
        f"pulumi {version('pulumi')} has no pulumi._types._raw_return_hints, pulumi.runtime.gone._gone, which "
        'pulumi_offline needs; it was tested with pulumi 3.272: pip install "pulumi==3.272.*"'
    )


def test_wire_constants_are_the_sdks():
    """The protocol's magic strings are written down in codec.py, so that it needs no pulumi."""
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
    assert ours == theirs, "the wire's magic strings changed: adapt pulumi_offline/codec.py"


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
