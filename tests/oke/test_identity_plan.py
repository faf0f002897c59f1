"""Who gives the nodes their permissions: what is made, what each mode needs, and what does not go together."""

from typing import Any

import pytest
from rdma_cluster.oke.plan.identity import LUSTRE, Statement
from tests.oke.plans import COMPARTMENT, identity_plan, refused

GROUP = "ocid1.dynamicgroup.oc1..a"
DOMAIN = {"name": "Default", "url": "https://idcs-1.identity.oraclecloud.com:443"}


def told(**args: Any) -> list[str]:
    """What is refused of a choice."""
    return refused(identity_plan, "instances", **args)


@pytest.mark.parametrize(
    ("modes", "args", "makes", "makes_group"),
    [
        (["instances"], {}, True, True),
        (["managed"], {}, True, False),
        ([], {}, False, False),
        ([], {"lustre": True}, True, False),
        (["instances"], {"existing": True}, False, True),
        (["instances"], {"existing": False}, True, True),
        (["instances"], {"dynamic_group": GROUP}, True, False),
        (["managed", "gpu-memory-cluster"], {"domain": DOMAIN}, True, True),
    ],
)
def test_what_is_made(modes: list[str], args: dict[str, Any], makes: bool, makes_group: bool):
    """Policies where something must be said, and a group where a statement names one that the user has not."""
    plan = identity_plan(*modes, **args)

    assert (plan.make, plan.makes_group) == (makes, makes_group)
    assert plan.matching_rule == f"ALL {{instance.compartment.id = '{COMPARTMENT}'}}"
    assert plan.home_region is None


def test_racks_start_their_own_hosts():
    """A GPU memory cluster is a principal; only tag namespaces are the tenancy's."""
    principal = "where request.principal.type = 'compute-gpu-memory-clusters'"

    assert [each.text for each in identity_plan("gpu-memory-cluster").statements[1:]] == [
        *(
            f"Allow any-user to {verb} in compartment id $compartment {principal}"
            for verb in (
                "manage instance-family",
                "use virtual-network-family",
                "read compute-management-family",
                "use volume-family",
            )
        ),
        f"Allow any-user to use tag-namespaces in tenancy {principal}",
    ]


def test_file_system_needs_the_tenancy():
    """Its statement comes last, and is of the tenancy with no condition."""
    statements = identity_plan("managed", lustre=True, dual_stack=True).statements

    assert statements[-1] == LUSTRE and LUSTRE.in_tenancy
    assert [each.in_tenancy for each in statements[:-1]] == [False, False]
    assert identity_plan("managed", lustre=False, dual_stack=False).statements == statements[:1]
    assert not Statement("Allow any-user to use x in compartment id intenancy").in_tenancy


def test_each_host_group_is_named_once():
    """In the order in which pools name them."""
    one, other = "ocid1.computehostgroup.oc1..a", "ocid1.computehostgroup.oc1..b"
    statements = identity_plan("managed", host_groups=[other, one, other]).statements[1:]

    assert [each.text.partition("target.resource.id = ")[2] for each in statements] == [f"'{other}'}}", f"'{one}'}}"]


@pytest.mark.parametrize(
    ("args", "places"),
    [
        ({"home_region": "us-ashburn-1"}, []),
        ({"home_region": "ashburn"}, ["home_region"]),
        ({"domain": DOMAIN}, []),
        ({"dynamic_group": GROUP}, []),
        ({"dynamic_group": "ocid1.domaindynamicresourcegroup.oc1..a"}, []),
        ({"dynamic_group": COMPARTMENT}, ["dynamic_group"]),
        ({"dynamic_group": GROUP, "domain": DOMAIN}, ["domain"]),
        ({"existing": True}, []),
        ({"home_region": "us-ashburn-1", "existing": True, "dynamic_group": GROUP}, ["dynamic_group", "home_region"]),
        ({"existing": False, "home_region": "us-ashburn-1"}, []),
        ({"existing": True, "domain": DOMAIN}, ["domain"]),
        ({"region": "x", "tenancy": "y", "cluster": "z"}, ["region", "tenancy", "cluster"]),
    ],
)
def test_what_does_not_go_together(args: dict[str, Any], places: list[str]):
    """Policies that exist with choices of new ones, told in one order; a group with the domain that it is in."""
    assert [each.partition(":")[0] for each in told(**args)] == places


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Default", ""),
        ("My domain-1", ""),
        ("", "empty; write the domain's name, e.g. Default"),
        *(
            (name, f"got {name!r}; write it without quotes and backslashes: policies name it in quotes")
            for name in ("a'b", 'a"b', "a\\b", "a\nb")
        ),
    ],
)
def test_names_of_domains(name: str, words: str):
    """They stand in a policy in quotes."""
    assert told(domain={**DOMAIN, "name": name}) == ([f"domain.name: {words}"] if words else [])


@pytest.mark.parametrize(
    ("url", "fits"),
    [
        ("https://idcs-1.identity.oraclecloud.com:443", True),
        ("https://idcs-1.identity.oraclecloud.com/", True),
        ("http://idcs-1.identity.oraclecloud.com", False),
        ("https://idcs-1.identity.oraclecloud.com/ui", False),
    ],
)
def test_urls_of_domains(url: str, fits: bool):
    """The domain's own, with no page of it."""
    assert told(domain={**DOMAIN, "url": url}) == (
        [] if fits else [f"domain.url: got {url!r}; write its URL, e.g. https://idcs-....identity.oraclecloud.com:443"]
    )
