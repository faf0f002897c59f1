"""Address arithmetic: blocks are cut with neither overlap nor gap, and only private ones are taken."""

from ipaddress import IPv4Network, collapse_addresses

import pytest
from hypothesis import given, strategies as st
from pulumi_offline.errors import ErrorList
from rdma_cluster.common.addresses import PRIVATE, check_callers, check_outside, cut, overlap, parse, prefix_for


@given(st.integers(1, 2**32))
def test_prefix_holds_and_is_the_longest(addresses: int):
    """The next longer one would be too small."""
    prefix = prefix_for(addresses)

    assert 2 ** (32 - prefix) >= addresses
    assert prefix == 32 or 2 ** (32 - prefix - 1) < addresses


@given(
    st.integers(8, 24), st.dictionaries(st.text("abcdefgh", min_size=1), st.integers(8, 32), min_size=1, max_size=20)
)
def test_cut(length: int, prefixes: dict[str, int]):
    """Every subnet has its size, lies inside, overlaps none, leaves no gap; or the block is refused as too small."""
    block = IPv4Network((10 << 24, length))
    needed = sum(2 ** (32 - prefix) for prefix in prefixes.values())
    errors = ErrorList()

    cuts = cut(block, prefixes, errors)

    if needed > block.num_addresses:
        assert errors and not cuts
        assert f"take a /{prefix_for(needed)} or larger" in str(errors.found()[0])
        return
    assert not errors
    assert list(cuts) == list(prefixes)
    assert {name: subnet.prefixlen for name, subnet in cuts.items()} == prefixes
    assert all(subnet.subnet_of(block) for subnet in cuts.values())
    assert overlap(cuts) == []
    covered = sum(subnet.num_addresses for subnet in collapse_addresses(cuts.values()))
    last = max(int(subnet.broadcast_address) for subnet in cuts.values())
    assert covered == needed == last - int(block.network_address) + 1


@pytest.mark.parametrize("block", PRIVATE, ids=str)
def test_private_blocks_are_taken(block: IPv4Network):
    """RFC 1918, shared and class E; the whole, and a part at its end."""
    errors = ErrorList()
    last = list(block.subnets(new_prefix=24))[-1] if block.prefixlen > 8 else IPv4Network((int(block[-1]) & ~255, 24))

    assert parse(str(block), errors) == block
    assert parse(str(last), errors) == last
    assert not errors


@pytest.mark.parametrize(
    "text", ["8.8.8.0/24", "192.169.0.0/16", "0.0.0.0/0", "10.0.0.0/7", "172.32.0.0/16", "224.0.0.0/3"]
)
def test_public_blocks_are_refused(text: str):
    """Also those that merely reach beyond a private one."""
    errors = ErrorList()

    assert parse(text, errors) is None
    assert "public address space" in str(errors.found()[0])


@given(st.text(max_size=30))
def test_any_text_is_a_block_or_a_error(text: str):
    """Never an exception, never both."""
    errors = ErrorList()

    assert (parse(text, errors) is None) is bool(errors)


@pytest.mark.parametrize(
    ("public", "cidrs", "most", "errors"),
    [
        (True, ["203.0.113.7/32"], 0, []),
        (False, [], 0, []),
        (True, [], 0, ["missing; name the blocks that may reach a public endpoint, e.g. 203.0.113.7/32, or else"]),
        (
            False,
            ["203.0.113.7/32"],
            0,
            ["not allowed with a private endpoint; remove it, or set endpoint: public"],
        ),
        (True, ["203.0.113.7/32", "203.0.113.8/32"], 2, []),
        (
            True,
            ["203.0.113.7/32", "203.0.113.8/32"],
            1,
            ["got 2 blocks; the cloud takes 1 at the most, so join neighbours into larger blocks"],
        ),
        (True, ["203.0.113.7/32", "10.0.0.0/8"], 0, ["[1]: got 10.0.0.0/8, from which nothing comes over the"]),
    ],
)  # fmt: skip
def test_who_may_call(public: bool, cidrs: list[str], most: int, errors: list[str]):
    """Some where an API is public, none where it is not, and as many as the cloud takes."""
    found = ErrorList()
    check_callers(public, cidrs, found, ", or else", most)

    told = [str(each) for each in found.found()]
    assert len(told) == len(errors) and all(map(str.startswith, told, errors))


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ("203.0.113.7/32", ""),
        ("8.0.0.0/8", ""),
        ("8.0.0.0/7", "which is everybody or nearly"),
        ("0.0.0.0/0", "which is everybody or nearly"),
        ("192.168.1.0/24", "from which nothing comes over the internet"),
        ("100.64.0.0/16", "from which nothing comes over the internet"),
        ("240.0.0.0/8", "from which nothing comes over the internet"),
        ("127.0.0.1/32", "from which nothing comes over the internet"),
        ("198.18.0.0/24", "from which nothing comes over the internet"),
        ("0.0.0.0/32", "from which nothing comes over the internet"),
        ("203.0.113.7", "which is an address; write the block of it alone, 203.0.113.7/32"),
        ("2001:db8::/32", "an IPv6 block; the cluster is an IPv4 one, write e.g. 203.0.113.7/32"),
        ("203.0.113.7/24", "which is no address block (has host bits set); write e.g. 203.0.113.7/32"),
        ("somewhere", "which is no address block ("),
    ],
)
def test_blocks_of_the_outside(block: str, words: str):
    """From which somebody comes, and not nearly everybody."""
    errors = ErrorList()
    check_outside(block, errors)
    told = [str(each) for each in errors.found()]

    assert len(told) == bool(words) and all(words in each for each in told)
