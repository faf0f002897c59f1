"""What the APIs set by themselves: known from somewhere, or called a guess."""

import re

import pytest
from tools.api.tables import tables
from tools.google_server.documents import LUSTRE, document
from tools.google_server.given import COMPUTE, CONTAINER, GUESS, Given

ROWS = [
    pytest.param(api, name, each, id=f"{name}.{each.path}")
    for api, table in (("compute.beta", COMPUTE), ("container.v1beta1", CONTAINER))
    for name, given in table.items()
    for each in given
]


@pytest.mark.parametrize(("api", "name", "given"), ROWS)
def test_each_has_its_place_and_its_source(api: str, name: str, given: Given):
    """The field is the document's; words that are said to be there are there."""
    described = document(api)
    assert described is not None
    schema = described.schemas[name]
    for step in given.path.split("."):
        schema = described.resolve(schema["properties"][step])
    if given.source != GUESS and not given.source.startswith(("https://", "github.com/")):
        place, _, words = given.source.partition(": ")
        where, _, field = place.partition(".")
        said = described.schemas[where]["properties"][field]["description"]
        assert re.sub(r"\s+", " ", words) in re.sub(r"\s+", " ", said)


def test_lustre_is_described_as_its_library_has_it():
    """It has no discovery document; the message of Google's own library stands for it."""
    of = tables()["gcp:lustre/instance:Instance"].shape.members()
    described = LUSTRE["schemas"]["Instance"]["properties"]

    assert described.keys() <= of.keys()
    for name, schema in described.items():
        kinds = {"integer"} if "format" in schema else {schema["type"], "list" if name == "labels" else schema["type"]}
        kinds |= {"object"} if name.endswith("Time") else set()
        assert of[name].shape.kind in kinds, name
