"""Blocks of addresses are cut with neither overlap nor gap, and only those are taken that a cluster may use."""

from ipaddress import IPv4Network, collapse_addresses

import pytest
from hypothesis import given, strategies as st
from pulumi_offline.errors import ErrorList
from rdma_cluster.common.addresses import (
    PRIVATE,
    RFC_1918,
    check_callers,
    check_outside,
    cut,
    overlap,
    parse,
    prefix_for,
)


@given(st.integers(1, 2**32))
def test_a_prefix_is_the_longest_that_holds_the_addresses(addresses: int):
    prefix = prefix_for(addresses)

    assert 2 ** (32 - prefix) >= addresses
    assert prefix == 32 or 2 ** (32 - prefix - 1) < addresses


@given(
    st.integers(8, 24), st.dictionaries(st.text("abcdefgh", min_size=1), st.integers(8, 32), min_size=1, max_size=20)
)
def test_a_block_is_cut_without_overlap_or_gap_or_is_told_to_be_too_small(length: int, prefixes: dict[str, int]):
    """Who takes the block that the refusal names is let in."""
    block = IPv4Network((10 << 24, length))
    needed = sum(2 ** (32 - prefix) for prefix in prefixes.values())
    errors = ErrorList()

    cuts = cut(block, prefixes, errors)

    if needed > block.num_addresses:
        assert errors and not cuts
        enough = prefix_for(needed)
        assert f"take a /{enough} or larger" in str(errors.found()[0])
        assert enough < 8 or cut(IPv4Network((10 << 24, enough)), prefixes, ErrorList())
        return
    assert not errors
    assert {name: subnet.prefixlen for name, subnet in cuts.items()} == prefixes and list(cuts) == list(prefixes)
    assert all(subnet.subnet_of(block) for subnet in cuts.values())
    assert overlap(cuts) == []
    covered = sum(subnet.num_addresses for subnet in collapse_addresses(cuts.values()))
    last = max(int(subnet.broadcast_address) for subnet in cuts.values())
    assert covered == needed == last - int(block.network_address) + 1


@pytest.mark.parametrize("block", PRIVATE, ids=str)
def test_private_blocks_are_taken_to_their_last_part(block: IPv4Network):
    errors = ErrorList()
    last = IPv4Network((int(block[-1]) & ~255, 24))

    assert (parse(str(block), errors), parse(str(last), errors)) == (block, last)
    assert not errors


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *((text, "public") for text in ("8.8.8.0/24", "192.169.0.0/16", "0.0.0.0/0", "10.0.0.0/7", "172.32.0.0/16")),
        ("169.254.0.0/16", "link-local"),
        ("127.0.0.0/8", "loopback"),
        ("224.0.0.0/24", "multicast"),
        ("240.0.0.0/16", "reserved (class E)"),
        ("100.64.0.0/16", "shared by carriers"),
        ("0.0.0.0/8", "of this host"),
        ("198.18.0.0/15", "for benchmarks"),
        ("2001:db8::/32", "IPv6"),
        ("10.0.0.1/8", "has host bits set"),
    ],
)
def test_other_blocks_are_refused_as_what_they_are(text: str, kind: str):
    """Also one that merely reaches beyond a private block. Each cloud has private ranges of its own."""
    errors = ErrorList()

    assert parse(text, errors, RFC_1918) is None
    assert text in str(errors.found()[0]) and kind in str(errors.found()[0])


@given(st.text(max_size=30))
def test_any_text_is_a_block_or_an_error(text: str):
    errors = ErrorList()

    assert (parse(text, errors) is None) is bool(errors)


@pytest.mark.parametrize(
    ("public", "cidrs", "most", "error"),
    [
        (True, ["203.0.113.7/32"], 0, ""),
        (False, [], 0, ""),
        (True, [], 0, "missing"),
        (False, ["203.0.113.7/32"], 0, "not allowed with a private endpoint"),
        (True, ["203.0.113.7/32", "203.0.113.8/32"], 2, ""),
        (True, ["203.0.113.7/32", "203.0.113.8/32"], 1, "got 2 blocks; the cloud takes 1"),
        (True, ["203.0.113.7/32", "10.0.0.0/8"], 0, "[1]: got 10.0.0.0/8"),
    ],
)
def test_a_public_api_has_callers_and_a_private_one_has_none(public: bool, cidrs: list[str], most: int, error: str):
    found = ErrorList()
    check_callers(public, cidrs, found, ", or else", most)

    assert [str(each)[: len(error)] for each in found.found()] == [error] * bool(error)


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ("203.0.113.7/32", ""),
        ("8.0.0.0/8", ""),
        *((block, "everybody or nearly") for block in ("8.0.0.0/7", "0.0.0.0/0")),
        *((block, "nothing comes") for block in ("192.168.1.0/24", "100.64.0.0/16", "240.0.0.0/8", "127.0.0.1/32")),
        *((block, "nothing comes") for block in ("198.18.0.0/24", "0.0.0.0/32")),
        ("203.0.113.7", "203.0.113.7/32"),
        ("2001:db8::/32", "IPv6"),
        ("203.0.113.7/24", "has host bits set"),
        ("somewhere", "no address block"),
    ],
)
def test_a_caller_is_somebody_of_the_internet_and_not_nearly_everybody(block: str, words: str):
    errors = ErrorList()
    check_outside(block, errors)

    assert [words in str(each) for each in errors.found()] == [True] * bool(words)
