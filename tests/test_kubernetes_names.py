"""Names, keys and values at the edges of what Kubernetes takes
(kubernetes.io/docs/concepts/overview/working-with-objects, names and labels, 2026-11-23)."""

from collections.abc import Callable

import pytest
from pulumi_offline.errors import ErrorList
from pulumi_offline.unknowns import output_of
from rdma_cluster.base.kubernetes_names import (
    check_object_name,
    check_taint,
    check_taken,
    check_value,
    is_domain,
    is_key,
)

LONG = "a" * 63


def errors(check: Callable[[ErrorList], object]) -> list[tuple[str, str]]:
    """Path and words of what a check adds."""
    found = ErrorList()
    check(found)
    return [(".".join(map(str, each.path)), each.reason) for each in found.found()]


@pytest.mark.parametrize("key", ["a", "A", "9", LONG, "a.b_c-d", "example.com/a", "x/A", f"{'a.' * 126}a/{LONG}"])
def test_keys(key: str):
    """A name of 63 characters, behind a domain of 253 or none."""
    assert is_key(key)


@pytest.mark.parametrize(
    "key",
    ["", "-a", "a-", "a.", f"{LONG}a", "/a", "a/", "a/b/c", "Example.com/a", "a b", "a\n", f"{'a.' * 127}/b", "ä"],
)
def test_no_keys(key: str):
    """Neither as a label nor as a taint."""
    assert not is_key(key)


@pytest.mark.parametrize("name", ["a", "a-b", "a.b", "9.9", f"{'a.' * 126}a", f"a.{'b' * 251}"])
def test_domains(name: str):
    """The names of most objects, 253 characters long at the most."""
    assert is_domain(name)


@pytest.mark.parametrize("name", ["", "A", "-a", "a-", "a..b", ".a", "a.", "a_b", f"{'a.' * 126}aa", "a\n"])
def test_no_domains(name: str):
    """Letters or digits stand first, last and on both sides of a dot."""
    assert not is_domain(name)
    assert [path for path, _ in errors(lambda found: check_object_name(name, "ConfigMap", found))] == [""]


def test_values():
    """As keys, or empty."""
    assert [errors(lambda found, v=value: check_value(v, found)) for value in ("", "A_1", LONG)] == [[], [], []]
    assert all(errors(lambda found, v=value: check_value(v, found)) for value in (f"{LONG}a", "a b", "-a", "a/b"))


def test_taints():
    """Two keys and no other, both of a label's form; every fault at once."""
    assert errors(lambda found: check_taint({"key": "example.com/gpu", "value": ""}, found)) == []
    assert [path for path, _ in errors(lambda found: check_taint({}, found))] == ["key", "value"]
    wrong = {"key": "-", "value": "-", "time": "1", "effect": "NoSchedule"}
    assert [path for path, _ in errors(lambda found: check_taint(wrong, found))] == ["effect", "time", "key", "value"]


def test_names_of_objects():
    """What only a cloud knows is not judged; what may be a secret itself is not shown."""
    assert errors(lambda found: check_object_name(output_of("name", "a", "b"), "Secret", found)) == []
    assert errors(lambda found: check_object_name("pull-secret", "Secret", found)) == []
    for text in ("hf_" + "Ab1" * 10, "ghp_" + "a1" * 18):
        ((_, words),) = errors(lambda found, t=text: check_object_name(t, "Secret", found))
        assert text not in words and "not the name of a Secret" in words
    ((_, words),) = errors(lambda found: check_object_name("My_Map", "ConfigMap", found))
    assert words.startswith("got 'My_Map'; the name of a ConfigMap is")
    ours = {"rdma-readiness": "the prover"}
    (taken,) = errors(lambda found: check_taken(["mine", "rdma-readiness"], ours, found))
    assert taken == ("1", "rdma-readiness is made by this library for the prover; take another name")
