"""How ``kubelogin`` signs in as the provider does.

Its options: github.com/Azure/kubelogin@6678496 pkg/internal/token/options.go, 2026-08-14.
"""

from functools import partial

from ...common.sign_in import SignIn, Told, Words
from .access import AksLogin

# The application that AKS's API servers are in Entra ID, the same for every cluster.
# https://azure.github.io/kubelogin/concepts/aks.html
_SERVER_ID = "6dae42f8-4368-4678-94ff-3960e28e3630"
_SERVICE_PRINCIPAL = ("clientSecret", "clientCertificatePath")
_ENVIRONMENTS = {"usgovernment": "AzureUSGovernmentCloud", "china": "AzureChinaCloud"}
_OPTIONS = {
    "clientId": ("--client-id", {AksLogin.SERVICE_PRINCIPAL, AksLogin.MANAGED_IDENTITY, AksLogin.WORKLOAD_IDENTITY}),
    "tenantId": ("--tenant-id", {AksLogin.SERVICE_PRINCIPAL, AksLogin.WORKLOAD_IDENTITY, AksLogin.AZURE_CLI}),
    "clientCertificatePath": ("--client-certificate", {AksLogin.SERVICE_PRINCIPAL}),
    "oidcTokenFilePath": ("--federated-token-file", {AksLogin.WORKLOAD_IDENTITY}),
}
"""The options of keys, and the logins that take them."""


def sign_in(login: AksLogin | None) -> SignIn:
    """The user's ``login``, or the one that the provider's keys say."""
    return SignIn(
        package="azure-native",
        reads=(*_OPTIONS, "useOidc", "useMsi", "environment"),
        words=partial(_words, login),
        credentials=("clientSecret", "clientCertificatePassword", "oidcToken", "oidcRequestToken"),
        remedy="set AZURE_CLIENT_SECRET, AZURE_CLIENT_CERTIFICATE_PASSWORD or AZURE_FEDERATED_TOKEN_FILE where pulumi "
        "and kubectl run, or choose another kubernetes.login",
    )


def _words(login: AksLogin | None, told: Told) -> Words:
    chosen = login or _login_of(told)
    args = ["--login", chosen.value, "--server-id", _SERVER_ID]
    for key, (option, logins) in _OPTIONS.items():
        if key in told and chosen in logins:
            args += [option, told[key]]
    environment = _ENVIRONMENTS.get(told.get("environment", ""))
    return Words([*args, *(["--environment", environment] if environment else [])])


def _login_of(told: Told) -> AksLogin:
    """The login that is nearest to how azure-native signs in, in its order of preference."""
    if any(key in told for key in _SERVICE_PRINCIPAL):
        return AksLogin.SERVICE_PRINCIPAL
    if told.get("useOidc") == "true":
        return AksLogin.WORKLOAD_IDENTITY
    return AksLogin.MANAGED_IDENTITY if told.get("useMsi") == "true" else AksLogin.AZURE_CLI
