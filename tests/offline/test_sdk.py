"""What this package takes from Pulumi's SDK without a promise: private names, and what they give."""

from importlib.metadata import version

import pytest
from pulumi import _types
from pulumi.runtime import rpc
from pulumi_offline import codec, preview
from pulumi_offline.sdk_names import NAMES, TESTED, UntestedPulumi, demand_names


def test_an_sdk_without_a_name_is_refused_in_words(monkeypatch: pytest.MonkeyPatch):
    """The words name its version, the missing names and what to install; the installed SDK has all names."""
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
    """codec.py writes the protocol's magic strings down, so that it needs no pulumi."""
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
