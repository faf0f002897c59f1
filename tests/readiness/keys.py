"""The keys of ``readiness``, for the tests that go through every key of a stack."""

from hypothesis import strategies as st
from tests.strategies import SWITCH, keys

HELD = ("readiness={enabled: true}",)
CHANGES: dict[str, tuple[str, ...]] = {
    "readiness.enabled": HELD,
    "readiness.on_fault": ("readiness={enabled: true, onFault: quarantine}",),
    "readiness.evict": ("readiness={enabled: true, onFault: quarantine, evict: true}",),
    "readiness.leave_existing": ("readiness={enabled: true, leaveExisting: true}",),
    "readiness.renew.every": ("readiness={enabled: true, renew: {every: 12h}}",),
    "readiness.renew.when": ("readiness={enabled: true, renew: {when: never}}",),
}
"""A value of each."""

READINESS = keys(
    {"enabled": SWITCH},
    {
        "onFault": st.sampled_from(["observe", "quarantine", "repair", "x"]),
        "evict": SWITCH,
        "leaveExisting": SWITCH,
        "renew": keys(
            {}, {"every": st.sampled_from(["7d", "12h", "0h", "soon"]), "when": st.sampled_from(["idle", "never"])}
        ),
    },
)
"""Any of them, some wrong."""
