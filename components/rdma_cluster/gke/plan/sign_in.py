"""How ``gke-gcloud-auth-plugin`` signs in as the provider does.

Its options: github.com/kubernetes/cloud-provider-gcp@4e24531 cmd/gke-gcloud-auth-plugin/cred.go, 2026-08-19. It asks
gcloud, whose accounts are not those of the provider's credentials.
"""

from ...common.sign_in import SignIn, Told, Words


def _words(told: Told) -> Words:
    account = told.get("impersonateServiceAccount")
    return Words(["--impersonate_service_account", account] if account else [])


SIGN_IN = SignIn(
    package="gcp",
    reads=("impersonateServiceAccount",),
    words=_words,
    credentials=("accessToken", "credentials", "externalCredentials", "impersonateServiceAccountDelegates"),
    remedy="give gcloud the same account where pulumi and kubectl run, e.g. by gcloud auth activate-service-account",
)
