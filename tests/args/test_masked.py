"""A text that looks like a secret reaches no message."""

import pytest
from pulumi_offline.errors import ErrorList, InputError, masked

SECRETS = [
    "hf_abcdefghijklmnop",
    "ghp_0123456789abcdef",
    "sk-proj-abcdefghij",
    "nvapi-abcdefghijkl",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOi.eyJzdWIiOiJ4In0",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_secrets_are_masked(secret: str):
    errors = ErrorList()
    errors.at("key").add(f"got {secret!r}; write another")

    assert secret[:14] not in str(errors.found()[0]) + errors.found()[0].reason + str(InputError((), secret))


@pytest.mark.parametrize(
    "text", ["hf_x", "a4-highgpu-8g", "sk-8", "ocid1.key.oc1.eu-frankfurt-1.aaaaexample", "task-scheduler-one"]
)
def test_names_that_only_resemble_secrets_are_shown(text: str):
    assert masked(f"got {text!r}") == f"got {text!r}"
