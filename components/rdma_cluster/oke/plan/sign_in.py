"""How ``oci ce cluster generate-token`` signs in as the provider does.

Options and variables: github.com/oracle/oci-cli@02d1a3d4 src/oci_cli/cli_constants.py and cli_root.py, 2026-07-21. Its
own `create-kubeconfig --with-auth-context` writes --auth and --profile.
"""

from ...common.sign_in import SignIn, Told, Words

_AUTH = {
    "ApiKey": "api_key",
    "InstancePrincipal": "instance_principal",
    "OKEWorkloadIdentity": "oke_workload_identity",
    "ResourcePrincipal": "resource_principal",
    "SecurityToken": "security_token",
}
_KEY = {
    "userOcid": "OCI_CLI_USER",
    "fingerprint": "OCI_CLI_FINGERPRINT",
    "privateKeyPath": "OCI_CLI_KEY_FILE",
    "tenancyOcid": "OCI_CLI_TENANCY",
}


def _words(told: Told) -> Words:
    args = ["--profile", told["configFileProfile"]] if "configFileProfile" in told else []
    auth = told.get("auth")
    if auth in _AUTH:
        args += ["--auth", _AUTH[auth]]
    by_key = "userOcid" in told and "privateKeyPath" in told
    env = {name: told[key] for key, name in _KEY.items() if by_key and key in told}
    return Words(args, env, ("auth",) if auth not in (None, *_AUTH) else ())


SIGN_IN = SignIn(
    package="oci",
    reads=("configFileProfile", "auth", *_KEY),
    words=_words,
    credentials=("privateKey", "privateKeyPassword"),
    remedy="name a profile of ~/.oci/config (oci:configFileProfile) that signs in so, or set OCI_CLI_KEY_CONTENT and "
    "its fellows where pulumi and kubectl run",
)
