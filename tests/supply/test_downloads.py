"""Scripts and containers fetch nothing at run time but what is listed here."""

import base64
import binascii
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from tests.stacks import STACKS, graph_of

FETCHES = re.compile(
    r"^(?!\s*#).*?\b((?:apt(?:-get)?|dnf|yum|zypper)\b[^|;&]*\b(?:install|update)\b|pip3? install|npm install"
    r"|go install|(?:curl|wget) |git clone|(?:docker|ctr|crictl|podman)\b[^|;&]* pull|helm (?:install|pull)"
    r"|cos-extensions install)",
    re.MULTILINE,
)
KNOWN = {
    # Oracle's node package, from the package sources of the image (docs/artifacts.md).
    r"apt-get .*update": "oke",
    r"apt-get .*install \"oci-oke-node-all": "oke",
    # The images of `rdma-cluster artifacts gce`.
    r"docker pull --quiet \"\$image\"": "gce",
    r"docker pull": "gce",
    # Google's own driver of a machine with Google's own system (docs/artifacts.md).
    r"cos-extensions install": "gce",
    # The machine's own metadata service, which is no way out.
    r"(curl|get\(\)).*(metadata|169\.254\.169\.254|Metadata)": "",
    r"curl .*127\.0\.0\.1": "",
    r"curl .*\$metadata": "",
}


def texts(value: Any) -> Iterator[str]:
    """Every text below a value, and every text behind base64."""
    if isinstance(value, str):
        yield value
        if len(value) > 200:
            with suppress(binascii.Error, UnicodeDecodeError):
                yield base64.b64decode(value, validate=True).decode()
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


@pytest.mark.parametrize("stack", STACKS)
def test_every_line_that_fetches_something_is_listed(stack: str):
    strange = set()
    for resource in graph_of(stack).resources:
        for text in texts(resource.inputs):
            for line in text.splitlines():
                if FETCHES.search(line) and not any(re.search(known, line) for known in KNOWN):
                    strange.add(line.strip()[:200])

    assert strange == set()
