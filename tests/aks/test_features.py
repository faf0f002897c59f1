"""AKSInfinibandSupport: which machines need it, and what its state means."""

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.aks.plan.features import check_one_kind, wrong_state
from tests.aks.plans import BUILDABLE, row

H100, A100, GB300 = (
    row(name) for name in ("Standard_ND96isr_H100_v5", "Standard_ND96asr_v4", "Standard_ND128isr_GB300_v6")
)


@pytest.mark.parametrize(
    ("state", "registered", "fine"),
    [
        ("Registered", True, True),
        ("Registering", True, False),
        ("NotRegistered", True, False),
        ("Pending", True, False),
        ("Registered", False, False),
        ("Unregistering", False, False),
        ("Unregistered", False, True),
        ("NotRegistered", False, True),
        ("NotSpecified", False, True),
    ],
)
def test_states(state: str, registered: bool, fine: bool):
    """Half on is not on, and half off is not off; what is wrong comes with the command."""
    reason = wrong_state(state, registered)

    assert (reason is None) is fine
    assert reason is None or f"az feature {'register' if registered else 'unregister'} " in reason


def test_both_kinds_are_told_apart():
    """One subscription cannot serve both; the pools that disagree with the first are named."""
    errors = ErrorList()
    check_one_kind([H100, None, A100, GB300], errors)
    fine = ErrorList()
    check_one_kind([H100, A100], fine)
    check_one_kind([None], fine)

    (error,) = errors.found()
    assert error.path == (3, "machine") and "another subscription" in error.reason
    assert not fine.found()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_who_needs_what_of_the_feature(order: tuple[int, int]):
    """Whichever pool comes first."""
    errors = ErrorList()
    check_one_kind([(H100, GB300)[i] for i in order], errors)

    (error,) = errors.found()
    assert error.path == (1, "machine")
    assert error.reason.startswith(
        f"{H100.name} needs AKSInfinibandSupport registered and {GB300.name} needs it away, and it belongs to the whole"
    )


def test_only_racks_want_it_away():
    """The catalogue's own column, against the sizes' names."""
    assert {each.name for each in BUILDABLE if not each.infiniband_feature} == {
        each.name for each in BUILDABLE if "_GB" in each.name
    }
