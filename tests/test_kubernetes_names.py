"""Names, keys and values are taken up to the edges of what Kubernetes takes
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
def test_a_key_is_a_name_of_63_signs_behind_a_domain_or_none(key: str):
    assert is_key(key)


@pytest.mark.parametrize(
    "key",
    ["", "-a", "a-", "a.", f"{LONG}a", "/a", "a/", "a/b/c", "Example.com/a", "a b", "a\n", f"{'a.' * 127}/b", "ä"],
)
def test_other_texts_are_no_keys(key: str):
    assert not is_key(key)


@pytest.mark.parametrize("name", ["a", "a-b", "a.b", "9.9", f"{'a.' * 126}a", f"a.{'b' * 251}"])
def test_a_domain_has_253_signs_at_the_most(name: str):
    assert is_domain(name)


@pytest.mark.parametrize("name", ["", "A", "-a", "a-", "a..b", ".a", "a.", "a_b", f"{'a.' * 126}aa", "a\n"])
def test_letters_or_digits_stand_first_and_last_in_each_part_of_a_domain(name: str):
    assert not is_domain(name)
    assert errors(lambda found: check_object_name(name, "ConfigMap", found))


def test_a_value_has_the_form_of_a_key_or_is_empty():
    assert [errors(lambda found, v=value: check_value(v, found)) for value in ("", "A_1", LONG)] == [[], [], []]
    assert all(errors(lambda found, v=value: check_value(v, found)) for value in (f"{LONG}a", "a b", "-a", "a/b"))


def test_every_fault_of_a_taint_is_told_at_once():
    assert errors(lambda found: check_taint({"key": "example.com/gpu", "value": ""}, found)) == []
    assert [path for path, _ in errors(lambda found: check_taint({}, found))] == ["key", "value"]
    wrong = {"key": "-", "value": "-", "time": "1", "effect": "NoSchedule"}
    assert [path for path, _ in errors(lambda found: check_taint(wrong, found))] == ["effect", "time", "key", "value"]


def test_a_name_that_may_be_a_secret_is_not_shown():
    assert errors(lambda found: check_object_name("pull-secret", "Secret", found)) == []
    assert errors(lambda found: check_object_name(output_of("name", "a", "b"), "Secret", found)) == []
    for text in ("hf_" + "Ab1" * 10, "ghp_" + "a1" * 18):
        ((_, words),) = errors(lambda found, t=text: check_object_name(t, "Secret", found))
        assert text not in words
    ((_, words),) = errors(lambda found: check_object_name("My_Map", "ConfigMap", found))
    assert "'My_Map'" in words


def test_a_name_that_this_library_makes_is_taken():
    ours = {"rdma-readiness": "the prover"}
    ((path, words),) = errors(lambda found: check_taken(["mine", "rdma-readiness"], ours, found))

    assert path == "1" and "the prover" in words
