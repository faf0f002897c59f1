"""The table of what OCI does not change, held to the models of its SDK."""

import pytest
from pulumi_offline.immutable.oci import FIXED
from tools.api.oci import model

_SERVICES = {
    "ContainerEngine": "container_engine",
    "Core": "core",
    "Identity": "identity",
    "Lustre": "lustre_file_storage",
}
_NAMES = {"FileStorageLustreFileSystem": "LustreFileSystem"}
_ELSEWHERE = {
    "Vcn": "requests of their own add and remove its blocks of addresses",
    "Cluster.endpointConfig": "a request of its own takes all but the subnet",
    "NodePool.nodeImageName": "deprecated; ignored beside nodeSourceDetails",
    "Subnet.ipv4CidrBlocks": "a further spelling of cidrBlock, which may grow",
}
"""What no update takes and nothing is made anew for, with the reason."""
_OTHER_MODELS = [
    "Addon",
    "Instance",
    "ShapeManagement",
    "NetworkSecurityGroupSecurityRule",
    "DomainsDynamicResourceGroup",
]
TYPES = [key for key in FIXED if key.startswith("oci:") and key.split(":")[2] not in _OTHER_MODELS]


@pytest.mark.parametrize("key", TYPES)
def test_what_only_creation_takes_is_in_the_table(key: str):
    """A compartment moves by a request of its own."""
    service, name = _SERVICES[key.split(":")[1].split("/")[0]], key.split(":")[2]
    of_api = _NAMES.get(name, name)
    create, update = (model(service, f"{verb}{of_api}Details").members() for verb in ("Create", "Update"))

    only = {member for member in create.keys() - update.keys() - {"compartmentId"} if not FIXED[key].holds(member)}
    assert {each for each in only if not {name, f"{name}.{each}"} & _ELSEWHERE.keys()} == set()
