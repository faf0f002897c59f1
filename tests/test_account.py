"""Whose account: what the stack's configuration says of a provider reaches every one that a whole makes."""

import json
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi.resource import DependencyProviderResource
from pulumi_offline import Graph, Resource, preview, sdk
from rdma_cluster.common.stack import room_of
from tests.clouds import CloudTests, clouds
from tests.kubeconfigs import kubeconfig_of

CLOUDS = {cloud.name: cloud for cloud in clouds()}
KEY = "-----BEGIN KEY-----"


def told_of(cloud: CloudTests) -> dict[str, str]:
    """A text for every key that the SDK's `config` module or its class `Provider` knows, of the key's type."""
    package = import_module(cloud.sdk)
    source = (Path(str(package.__file__)).parent / "config" / "vars.py").read_text()
    types = {name: each.types[0] for name, each in sdk.properties(package.ProviderArgs).items()}
    keys = {*types, *re.findall(r"__config__\.get\w*\('(\w+)'\)", source)}
    return {key: _sample(key, types.get(key, bool)) for key in sorted(keys)}


def _sample(key: str, type_: Any) -> str:
    if type_ in (str, int, bool):
        return {str: key, int: "7", bool: "true"}[type_]
    needed = (
        [name for name, each in sdk.properties(type_).items() if each.required] if sdk.is_input_class(type_) else []
    )
    return "[]" if "Sequence" in str(type_) else json.dumps(dict.fromkeys(needed, key))


def providers(cloud: CloudTests, config: Mapping[str, str], secrets: set[str]) -> list[Resource]:
    """The cloud's providers in a program with its whole component."""
    (name,) = [name for name in cloud.components if name.endswith("RdmaCluster")]
    whole = getattr(cloud.package, name)
    graph = preview(lambda: whole("c", cloud.components[name]), config=config, secrets=secrets)
    return graph.of_type(f"pulumi:providers:{cloud.sdk_package}")


@pytest.mark.parametrize("cloud", clouds(), ids=str)
def test_every_key_of_the_sdk_reaches_every_provider_and_a_secret_stays_one(cloud: CloudTests):
    """What the whole decides stands above it: another region is another cluster."""
    told, package = told_of(cloud), cloud.sdk_package
    decided = {key.partition(":")[2] for key in room_of(cloud.name).STACK_KEYS}
    secret = set(sorted(told.keys() - decided)[::2])
    config = {f"{package}:{key}": text for key, text in told.items()}

    made = providers(cloud, config, {f"{package}:{key}" for key in secret})

    assert len(made) == (2 if cloud.name == "oke" else 1)
    for provider in made:
        texts = {key: of if isinstance(of, str) else json.dumps(of) for key, of in provider.inputs.items()}
        assert {key for key in secret if texts[key] != "[secret]"} == set()
        # The SDK hides more than the stack: what it knows to be a credential.
        wrong = {key for key in told.keys() - decided - secret if texts[key] not in (told[key], "[secret]")}
        assert wrong | {key for key in decided if texts[key] == told[key]} == set()


def test_a_credential_in_plain_text_is_a_secret_of_the_provider():
    """The SDK knows it to be one; a stack file may not."""
    (provider,) = providers(CLOUDS["eks"], {"aws:secretKey": "plain", "aws:profile": "corp"}, set())

    assert (provider.inputs["secretKey"], provider.inputs["profile"]) == ("[secret]", "corp")


def test_a_key_that_no_provider_has_is_refused_by_name():
    with pytest.raises(pulumi.RunError, match=r"aws:assumeRole: .*did you mean aws:assumeRoles"):
        providers(CLOUDS["eks"], {"aws:assumeRole": "{}"}, set())


def home(handed_over: Callable[[Any, str], Any]) -> dict[str, Any]:
    """OKE's provider of the home region below one of the user's, which is handed over as itself or by its URN."""
    cloud = CLOUDS["oke"]

    async def program() -> None:
        import pulumi_oci as oci

        own = oci.Provider(
            "own", config_file_profile="CORP", private_key=KEY, disable_auto_retries=True, region="ap-tokyo-1"
        )
        opts = pulumi.ResourceOptions(provider=handed_over(own, str(await own.urn.future())))
        cloud.package.OkeRdmaCluster("c", cloud.components["OkeRdmaCluster"], opts)

    graph: Graph = preview(program, project="corp")
    assert KEY not in json.dumps(graph.to_dict())
    return dict(graph.one("pulumi:providers:oci", "c-home").inputs)


def test_a_second_provider_inherits_what_the_users_own_was_given():
    """And nothing that was not. What the SDK shows of it keeps its secrecy; the rest is as secret as the whole."""
    inputs = home(lambda own, urn: own)

    assert inputs.pop("region") == "home-region-1"
    assert inputs == {"configFileProfile": "CORP", "privateKey": "[secret]", "disableAutoRetries": "[secret]"}


def test_a_provider_of_a_program_in_another_language_is_asked_of_the_engine():
    """Such a program hands over its reference alone."""
    inputs = home(lambda own, urn: DependencyProviderResource(f"{urn}::id"))

    assert inputs.keys() == {"configFileProfile", "privateKey", "disableAutoRetries", "region"}
    assert (inputs["privateKey"], inputs["region"]) == ("[secret]", "home-region-1")


ROLE = "arn:aws:iam::111122223333:role/deploy"
COMMANDS: list[tuple[str, dict[str, Any], list[str], dict[str, str]]] = [
    ("eks", {"aws:profile": "corp"}, ["--profile", "corp"], {}),
    ("eks", {"aws:assumeRoles": [{"roleArn": ROLE}]}, ["--role-arn", ROLE], {}),
    ("eks", {"aws:assumeRoles": [{"roleArn": ROLE, "externalId": "x"}], "aws:secretKey": KEY}, [], {}),
    ("eks", {"aws:sharedConfigFiles": ["/aws/config"]}, [], {"AWS_CONFIG_FILE": "/aws/config"}),
    (
        "eks",
        {"aws:assumeRoleWithWebIdentity": {"roleArn": ROLE, "webIdentityTokenFile": "/token"}},
        [],
        {"AWS_ROLE_ARN": ROLE, "AWS_WEB_IDENTITY_TOKEN_FILE": "/token"},
    ),
    ("gke", {"gcp:impersonateServiceAccount": "d@p"}, ["--impersonate_service_account", "d@p"], {}),
    ("gke", {"gcp:credentials": KEY}, [], {}),
    (
        "oke",
        {"oci:configFileProfile": "CORP", "oci:auth": "SecurityToken"},
        ["--profile", "CORP", "--auth", "security_token"],
        {},
    ),
    ("oke", {"oci:privateKey": KEY, "oci:userOcid": "u"}, [], {}),
    ("aks", {"azure-native:useMsi": True, "azure-native:clientId": "i"}, ["--client-id", "i"], {}),
    (
        "aks",
        {"azure-native:useOidc": True, "azure-native:clientId": "i", "azure-native:oidcTokenFilePath": "/token"},
        ["--client-id", "i", "--federated-token-file", "/token"],
        {},
    ),
    ("aks", {"azure-native:clientSecret": KEY, "azure-native:tenantId": "t"}, ["--tenant-id", "t"], {}),
]
LOGINS = {"useMsi": "msi", "useOidc": "workloadidentity", "clientSecret": "spn"}


@pytest.mark.parametrize(("cloud", "config", "args", "env"), COMMANDS)
def test_a_kubeconfigs_command_signs_in_as_the_provider_and_holds_no_credential(
    cloud: str, config: dict[str, Any], args: list[str], env: dict[str, str], caplog: pytest.LogCaptureFixture
):
    """What it cannot take is told by the name of its key."""
    plain = kubeconfig_of(CLOUDS[cloud])["users"][0]["user"]["exec"].get("args", [])

    command = kubeconfig_of(CLOUDS[cloud], config)["users"][0]["user"]["exec"]

    logins = [login for key, login in LOGINS.items() if f"azure-native:{key}" in config]
    expected = [logins[0] if logins and each == "azurecli" else each for each in plain]
    assert command.get("args", []) == [*expected, *args]
    assert {each["name"]: each["value"] for each in command.get("env", [])} == env
    assert KEY not in json.dumps(command) + caplog.text
    lost = {key for key, value in config.items() if value == KEY or "externalId" in str(value)}
    assert {key for key in config if f"{key}" in caplog.text} == lost


def test_a_kubeconfigs_command_signs_in_as_the_users_own_provider():
    command = kubeconfig_of(CLOUDS["eks"], region="us-east-2", profile="mine")["users"][0]["user"]["exec"]

    assert command["args"][-2:] == ["--profile", "mine"]
