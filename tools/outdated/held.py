"""Why a pin of a package, a module or a cloud's add-on stays behind, or cannot be compared: by name, with the day.

Charts and images have theirs in the catalogue (`newest.py`).
"""

_NOT_SERVED = "2026-11-23: the proxy answers for the pinned version alone; `newest.py` has what its releases are"

_KYVERNO = "2026-11-23: 1.19 was not tried: its engine takes the longest of all to build"
_ORACLE = "2026-11-28: no newer one is in what Oracle publishes of its stack (oci-hpc-oke@405118b)"

HELD: dict[str, str] = {
    "pytest": "2026-11-22: from 9.2 on xdist 3.8 groups no tests: it writes an attribute that pytest no longer reads",
    "github.com/kyverno/kyverno": _KYVERNO,
    "github.com/kyverno/api": "2026-11-23: goes with Kyverno; it has no releases",
    **dict.fromkeys(
        ("k8s.io/api", "k8s.io/apimachinery", "k8s.io/apiserver", "k8s.io/client-go"), "2026-11-23: goes with Kyverno"
    ),
    "NvidiaGpuOperator": _ORACLE,
    "NvidiaNetworkOperator": _ORACLE,
    "sigs.k8s.io/kueue": _NOT_SERVED,
    "sigs.k8s.io/jobset": _NOT_SERVED,
    "sigs.k8s.io/lws": f"{_NOT_SERVED}. 0.10.0, which the chart installs, has no archive there",
}
