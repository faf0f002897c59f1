"""Outputs that are made up, one type and one property at a time."""

import json
from base64 import b64decode
from enum import Enum
from functools import cache
from typing import Any

import pytest
from pulumi_offline import sdk
from pulumi_offline.codec import ASSET, SECRET, SIGNATURE
from pulumi_offline.computed import _Maker, complete, identify, kubeconfig

TOKEN = "t:index:Rail"


class Size(str, Enum):
    """A choice."""

    SMALL = "small"
    LARGE = "large"


@cache
def classes() -> tuple[Any, ...]:
    """Output classes, each within the one before: text, a number, a list of texts, and what is further in."""
    import pulumi

    def made(inner: Any) -> Any:
        class Box(dict):
            @property
            @pulumi.getter(name="lidKind")
            def lid_kind(self) -> str | None:
                """Text that may be there."""

            @property
            @pulumi.getter
            def width(self) -> int:
                """A number."""
                return 0

            @property
            @pulumi.getter
            def inner(self):
                """What is further in."""

        Box.inner.fget.__annotations__["return"] = inner
        return pulumi.output_type(Box)

    found: tuple[Any, ...] = (Any,)
    for _ in range(5):
        found = (made(found[0]), *found)
    return found


def maker(**defaults: Any) -> _Maker:
    """Of a resource that is called rail-0."""
    return _Maker(TOKEN, "rail-0", defaults)


@pytest.mark.parametrize(
    ("key", "hint", "made"),
    [
        ("link", str, f"[link of {TOKEN} rail-0]"),
        ("link", str | None, f"[link of {TOKEN} rail-0]"),
        ("name", str, "rail-0"),
        ("project", str, "p"),
        ("number", str, "7"),
        ("mtu", int, 0),
        ("rate", float, 0),
        ("on", bool, False),
        ("links", list[str], [f"[links of {TOKEN} rail-0]"]),
        ("links", list[Any], []),
        ("labels", dict[str, str], {}),
        ("size", Size, "small"),
        ("size", Size | None, "small"),
        ("any", Any, None),
        ("other", bytes, None),
    ],
)
def test_a_value_of_a_type(key: str, hint: Any, made: Any):
    """Text says where it is from, unless it is the name or a setting of the provider; the rest is empty."""
    value = maker(project="p", number=7).make(key, hint)

    assert value == made and type(value) is type(made)


def test_objects_are_made_three_deep():
    """Of the innermost only what is text."""
    text = {"lidKind": f"[lidKind of {TOKEN} rail-0]"}
    whole = {**text, "width": 0}
    outer: Any = classes()[0]

    assert maker().make("box", outer) == {**whole, "inner": {**whole, "inner": text}}
    assert maker().make("boxes", list[outer]) == [maker().make("box", outer)]
    assert maker().make("box", outer, 2) == text
    assert maker().make("box", outer, 3) is None


def secret(value: Any) -> dict[str, Any]:
    """As it travels."""
    return {SIGNATURE: SECRET, "value": value}


def test_objects_that_a_program_gives_are_completed():
    """By what is text in them, at every depth; a secret stays one, and what the SDK has no class of stays as it is."""
    outer: Any = classes()[0]
    label = f"[lidKind of {TOKEN} rail-0]"
    inside = maker().inside

    assert inside({"width": 2}, outer) == {"width": 2, "lidKind": label}
    assert inside({"lidKind": "flat"}, outer) == {"lidKind": "flat"}
    assert inside({"inner": {"width": 1}}, outer) == {"inner": {"width": 1, "lidKind": label}, "lidKind": label}
    assert inside([{"width": 2}, 5], list[outer]) == [{"width": 2, "lidKind": label}, 5]
    assert inside(secret({"width": 2}), outer) == secret({"width": 2, "lidKind": label})
    assert inside({"width": 2}, dict[str, int]) == {"width": 2}
    assert inside({"width": 2}, Any) == {"width": 2}
    assert inside({SIGNATURE: ASSET, "text": "t"}, outer) == {SIGNATURE: ASSET, "text": "t"}
    assert inside("t", outer) == "t"
    assert inside([1], outer) == [1]
    assert inside({"a": [secret("hush")]}, str) == '{"a": ["[secret]"]}'
    assert inside([{"a": 1}], str) == '[{"a": 1}]'
    assert inside({"width": 2}, str | outer) == {"width": 2, "lidKind": label}


def test_identities_of_azure_are_given_as_a_list():
    """Azure hands back what it knows of each, by its id."""
    outer: Any = classes()[0]

    assert maker().inside(["id-a", "id-b"], dict[str, int]) == {"id-a": 0, "id-b": 0}
    known = maker().inside(["id-a"], dict[str, outer])
    assert known["id-a"] == {"lidKind": f"[lidKind of {TOKEN} rail-0]"}


def encoded(text: str) -> str:
    """Base64, decoded."""
    return b64decode(text).decode()


@pytest.mark.parametrize(
    ("token", "key", "text"),
    [
        ("g:a/b:Account", "email", "rail@rail.account.invalid"),
        ("g:a/b:Agent", "clientEmail", "rail@rail.agent.invalid"),
        ("gcp:serviceaccount/account:Account", "member", "serviceAccount:rail@rail.account.invalid"),
        ("gcp:projects/iAMMember:IAMMember", "member", None),
        ("a:b:Net", "ipv6CidrBlock", "fd00::/64"),
        ("a:b:Net", "externalIpv6Prefix", "fd00::/64"),
        ("a:b:Net", "Ipv6Range", "fd00::/64"),
        ("a:b:Net", "cidrBlock", "10.0.0.0/16"),
        ("a:b:Net", "clusterIpv4Cidr", "10.0.0.0/16"),
        ("a:b:Net", "ipRange", "10.0.0.0/16"),
        ("a:b:Net", "ip", "192.0.2.1"),
        ("a:b:Net", "privateIp", "192.0.2.1"),
        ("a:b:Net", "publicIP", "192.0.2.1"),
        ("a:b:Net", "ipAddress", "192.0.2.1"),
        ("a:b:Net", "natIpv4", "192.0.2.1"),
        ("a:b:Net", "ship", None),
        ("a:b:Net", "url", "https://rail.net.invalid"),
        ("a:b:Net", "uri", "https://rail.net.invalid"),
        ("a:b:Net", "oidcIssuerUrl", "https://rail.net.invalid"),
        ("a:b:Net", "selfURI", "https://rail.net.invalid"),
        ("a:b:Net", "issuer", "https://rail.net.invalid"),
        ("a:b:Net", "curl", None),
        ("aws:eks/cluster:Cluster", "endpoint", "https://rail.cluster.invalid"),
        ("gcp:container/cluster:Cluster", "endpoint", "rail.cluster.invalid"),
        ("a:b:Net", "fqdn", "rail.net.invalid"),
        ("a:b:Net", "privateFqdn", "rail.net.invalid"),
        ("a:b:Net", "hostname", "rail.net.invalid"),
        ("a:b:Net", "vpcDomainName", "rail.net.invalid"),
        ("a:b:Net", "privateDnsName", "rail.net.invalid"),
        ("a:b:Net", "endpoints", None),
    ],
)
def test_texts_that_programs_parse(token: str, key: str, text: str | None):
    """By the end of their name: addresses that are for documentation, and hosts that never resolve."""
    assert _Maker(token, "rail", {}).make(key, str) == (text or f"[{key} of {token} rail]")


@pytest.mark.parametrize(
    "key",
    [
        "data",
        "certificate",
        "caCertificate",
        "certificateAuthority",
        "certificateAuthorityData",
        "clientCertificateData",
    ],
)
def test_certificates_are_base64(key: str):
    """Decoded, they say where they are from."""
    assert encoded(maker().make(key, str)) == f"[{key} of {TOKEN} rail-0]"


@pytest.mark.parametrize("key", ["kubeconfig", "kubeConfig", "kube_config", "kubeConfigRaw"])
def test_kubeconfigs_are_json(key: str):
    """Of one cluster, with a context that is chosen."""
    host = "rail-0.rail.invalid"
    text = maker().make(key, str)
    config = json.loads(text)
    (cluster,) = config["clusters"]

    assert text == kubeconfig(host, f"[{key} of {TOKEN} rail-0]")
    assert encoded(cluster["cluster"].pop("certificate-authority-data")) == f"[{key} of {TOKEN} rail-0]"
    assert config == {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": host, "cluster": {"server": f"https://{host}"}}],
        "contexts": [{"name": host, "context": {"cluster": host, "user": host}}],
        "current-context": host,
        "users": [{"name": host, "user": {}}],
    }


@pytest.mark.parametrize(
    ("inputs", "metadata"),
    [
        ({"kind": "Net"}, {"name": "n", "namespace": "default", "uid": "[uid of Net n]"}),
        (
            {"kind": "Net", "metadata": {"name": "own", "labels": {"a": "b"}}},
            {"name": "own", "namespace": "default", "uid": "[uid of Net n]", "labels": {"a": "b"}},
        ),
        (
            {"kind": "Net", "metadata": {"namespace": "there"}},
            {"name": "n", "namespace": "there", "uid": "[uid of Net n]"},
        ),
        ({"kind": "Net", "metadata": secret({"name": "own"})}, None),
        ({"metadata": {"name": "own"}}, None),
    ],
)
def test_metadata_of_an_object(inputs: dict[str, Any], metadata: dict[str, Any] | None):
    """What the API server fills in, of whatever kind; a chart has no kind, and a secret is not looked into."""
    assert complete("kubernetes:a.b/v1:Net", "n", inputs) == ({} if metadata is None else {"metadata": metadata})
    assert complete("other:a.b/v1:Net", "n", inputs) == {}


def test_what_a_resource_has_beyond_its_inputs():
    """Outputs that it always has, and none that it was given; a setting comes from the provider."""
    import pulumi_gcp as gcp

    token = "gcp:compute/network:Network"
    assert gcp.compute.Network
    made = complete(
        token, "n", {"autoCreateSubnetworks": False, "project": "own", "mtu": 1}, {"project": "p", "x": "y"}
    )
    other = complete(token, "n", {}, {"project": "p"})

    assert made["selfLink"] == f"[selfLink of {token} n]" and made["name"] == "n"
    assert not {"autoCreateSubnetworks", "project", "mtu", "id", "urn", "x"} & set(made)
    assert other["project"] == "p" and "description" not in other
    assert identify(token, "n") == f"[id of {token} n]"
    assert complete("pulumi:providers:gcp", "n", {}) == {}


def test_an_address_of_azure_is_chosen_later():
    """Its SDK does not promise it, and a program that gives one has that."""
    import pulumi_azure_native as azure

    token = "azure-native:network:PublicIPAddress"
    assert azure.network.PublicIPAddress
    assert complete(token, "n", {})["ipAddress"] == f"[ipAddress of {token} n]"
    assert "ipAddress" not in complete(token, "n", {"ipAddress": "192.0.2.9"})


def test_types_of_a_hint():
    """Those that may travel: without None, and without what makes a value one that may come later."""
    import pulumi

    assert sdk.alternatives(str) == (str,)
    assert sdk.alternatives(pulumi.Input[str] | None) == (str,)
    assert sdk.alternatives(pulumi.Input[str | Size] | None) == (str, Size)
    assert sdk.alternatives(None) == (None,)


def test_classes_of_an_sdk():
    """Of a token, with its arguments; a class that has arguments of two forms has those that it is made of."""
    import pulumi
    import pulumi_kubernetes as k8s

    assert sdk.resource_class("kubernetes:core/v1:ConfigMap") is k8s.core.v1.ConfigMap
    for token in (
        "kubernetes:core/v1:Nothing",
        "kubernetes:nothing/v1:ConfigMap",
        "nobody:a:B",
        "pulumi:providers:nobody",
    ):
        assert sdk.resource_class(token) is None
    init, plain = sdk.args_class(k8s.core.v1.ConfigMap), sdk.args_class(k8s.Provider)
    assert (init and init.__name__, plain and plain.__name__) == ("ConfigMapInitArgs", "ProviderArgs")
    assert sdk.args_class(pulumi.StackReference) is None
    assert sdk.version("nobody:a:B") == ""
