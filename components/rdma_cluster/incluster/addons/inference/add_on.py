"""A served model, as a stack plans it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pulumi_offline.errors import ErrorList
from ...plan.context import Part
from ...plan.dra_drivers import InstalledBy
from ..add_on import AddOn, After, Stack
from ..storage.store import Store
from .args import InferenceOptions, InferenceWeights

if TYPE_CHECKING:
    from .plan import InferencePlan

_UNPOLICED = (
    "inference: whether this cluster's network enforces NetworkPolicies is not known, and OKE's does not by itself; "
    "where it does not, any pod reaches the ports between vLLM's nodes, which take orders from whoever does: install "
    "what enforces them, such as Calico, or let no pods on the cluster that you do not trust (docs/security.md)"
)


def _plan(stack: Stack, options: InferenceOptions, errors: ErrorList) -> "InferencePlan | None":
    from .plan import plan_inference_on

    at, namespaces = errors.at("inference"), stack.namespaces
    options = InferenceOptions(**options)
    if options.get("weights", {}).get("storage"):
        options["weights"] = _from_storage(options["weights"], stack.choice.storage, at.at("weights"))
    options.setdefault("namespace", next(iter(namespaces), "default"))
    inside = options["namespace"] in namespaces
    if not inside and options.get("weights", {}).get("storage"):
        at.at("namespace").add(
            f"got {options['namespace']}, which gets no claim on the stack's storage; list it in claims.namespaces, too"
        )

    plan = plan_inference_on(
        options,
        stack.pools if stack.all_pools_planned else [*stack.pools, None],
        stack.context,
        at,
        # What the test of the fabric may lack, its use may.
        waive=[gate for gate in stack.choice.acceptance.get("waive", []) if gate in ("socket", "transport", "gdr")],
        pod_files=InstalledBy.EXISTING if inside else InstalledBy.INSTALLED,
    )
    if plan is not None and any(pool.name == plan.pool and pool.scales_from_zero for pool in stack.pools):
        at.at("pool").add(
            f"{plan.pool} has no nodes until a pod asks for them, and they go again, while `up` waits until the model "
            "answers; name a pool whose nodes stay"
        )
        return None
    return plan


def _from_storage(weights: InferenceWeights, store: Store | None, errors: ErrorList) -> InferenceWeights:
    """Weights in the claim of the stack's storage; in none where it has none, for which the plan adds an error."""
    for key in ("claim", "claim_gb"):
        if key in weights:
            errors.at(key).add("not allowed with storage, which has a claim of its own; remove one of the two")
    stored = InferenceWeights(**{key: value for key, value in weights.items() if key not in ("claim", "claim_gb")})
    if store is None or not store.claim:
        return stored
    stored["claim"] = store.claim
    if store.mounted is None:  # a claim of the user's, as if named here
        del stored["storage"]
        return stored
    if store.capacity_gb is not None:
        stored["claim_gb"] = store.capacity_gb
    if store.annotations:
        stored["annotations"] = {**store.annotations, **weights.get("annotations", {})}
    return stored


def _warnings(stack: Stack, part: "Part[InferenceOptions, InferencePlan]") -> Iterator[str]:
    if not (stack.context.enforces_policies and stack.context.makes_namespaces):
        yield _UNPOLICED
    yield from part.plan.warnings


ADD_ON = AddOn(
    "inference",
    InferenceOptions,
    _plan,
    After.PROOF,
    namespaces={"lws-system": "the controller of LeaderWorkerSets"},
    warnings=_warnings,
)
