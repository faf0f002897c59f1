"""How ``aws eks get-token`` signs in as the provider does.

Options and variables: docs.aws.amazon.com/cli/latest/reference/eks/get-token.html and
docs.aws.amazon.com/cli/latest/userguide/cli-configure-envvars.html, 2026-11-27.
"""

from ...base.config import value
from ...common.sign_in import SignIn, Told, Words

_FILES = {"sharedConfigFiles": "AWS_CONFIG_FILE", "sharedCredentialsFiles": "AWS_SHARED_CREDENTIALS_FILE"}
_WEB_IDENTITY = {
    "roleArn": "AWS_ROLE_ARN",
    "sessionName": "AWS_ROLE_SESSION_NAME",
    "webIdentityTokenFile": "AWS_WEB_IDENTITY_TOKEN_FILE",
}


def _words(told: Told) -> Words:
    args = ["--profile", told["profile"]] if "profile" in told else []
    env, lost = {}, []
    for key, name in _FILES.items():
        match value(told.get(key, "[]")):
            case []:
                pass
            case [str(file)]:
                env[name] = file
            case _:  # the client reads one
                lost.append(key)
    match value(told.get("assumeRoles", "[]")):
        case []:
            pass
        case [{"roleArn": str(role), **others}] if not others:
            args += ["--role-arn", role]
        case _:  # it takes one role, and no external id
            lost.append("assumeRoles")
    match value(told.get("assumeRoleWithWebIdentity", "{}")):
        case dict(role) if role.keys() <= _WEB_IDENTITY.keys():
            env |= {_WEB_IDENTITY[key]: str(of) for key, of in sorted(role.items())}
        case _:
            lost.append("assumeRoleWithWebIdentity")
    return Words(args, env, tuple(lost))


SIGN_IN = SignIn(
    package="aws",
    reads=("profile", *_FILES, "assumeRoles", "assumeRoleWithWebIdentity"),
    words=_words,
    credentials=("accessKey", "secretKey", "token"),
    remedy="name a profile (aws:profile) that signs in so, or set AWS_PROFILE or AWS_ACCESS_KEY_ID and its fellows "
    "where pulumi and kubectl run",
)
