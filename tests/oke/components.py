"""Each OKE component on its own."""

from typing import Any

from tests.oke.plans import CLUSTER, COMPARTMENT, IN_CLUSTER, NETWORK, OF_CLUSTER, POOL

_PLACE = {key: IN_CLUSTER[key] for key in ("region", "tenancy", "compartment")}
_STACK_POOL: dict[str, Any] = {"name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2, "capacity": {"on_demand": True}}

COMPONENTS: dict[str, dict[str, Any]] = {
    "OkeHpcNetwork": dict(NETWORK),
    "OkeCluster": dict(OF_CLUSTER),
    "OkeGpuNodePool": dict(POOL),
    "OkeIdentityPolicies": {**_PLACE, "cluster": CLUSTER, "modes": ["managed", "instances"]},
    "OkeImportedImage": {"compartment": COMPARTMENT, "machines": ["BM.GPU.H100.8"]},
    "OkeAdoptedNodes": {**_STACK_POOL, "compartment": COMPARTMENT, "names": ["10.0.0.1", "10.0.0.2"]},
    "OkeVirtualFunctions": {"machines": ["BM.GPU.B200.8"]},
    "OkeStorage": {
        **_PLACE,
        "zone": IN_CLUSTER["zone"],
        "subnet": "s",
        "namespaces": ["default"],
        "lustre": {"capacity_gb": 31_200},
    },
    "OkeRdmaCluster": {**IN_CLUSTER, "pools": [_STACK_POOL]},
}
del COMPONENTS["OkeAdoptedNodes"]["capacity"]
