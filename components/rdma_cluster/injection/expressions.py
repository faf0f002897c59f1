"""What the policies do, in CEL: expressions, each a variable that others read. ``inject.py`` is the same in Python.

Changes are JSON patches that write a list or a set of keys whole: as it was, with what is missing behind it. So nobody
has to know what was there before, and a second time changes nothing. An ApplyConfiguration may not touch atomic lists
(capabilities, tolerations), has to spell out each field of a volume that is only passed on, and puts what it merges
among the user's own.
"""

import json
from collections.abc import Sequence

from .pattern import HOST_NETWORK_ANNOTATION, SERVES_ANNOTATION
from .shapes import GPU

RAILS = "rdma-cluster/rails"
"""Annotation of a pod that shall have these rails and no others."""
ONE_CLAIM = "several containers ask for GPUs, which a pod gets by one claim here; let one container ask"
_GPU = json.dumps(GPU)
_POD_TERMS = (
    "object.spec.?affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.orValue([])"
)


def switched_on(annotations: Sequence[str]) -> str:
    """Whether the pod asks for the fabric."""
    return " || ".join(
        f'object.metadata.?annotations[?{json.dumps(name)}].orValue("") == "true"' for name in annotations
    )


def may_use_gpus() -> str:
    """Whether the pod asks for GPUs, or claims anything."""
    lists = [f"{_of_pod(items)}.exists(c, {_gpus_of('c')} != '0')" for items in ("containers", "initContainers")]
    return " || ".join([*lists, f"size({_of_pod('resourceClaims')}) > 0"])


def names_machine(terms: str, only: str) -> str:
    """Whether the pod names one of a machine's labels, and no other value of it.

    ``terms`` are those of the pattern's node affinity; ``only`` says whether pods that name none are its own.
    """
    fits = (
        "object.spec.?nodeSelector[?e.key].hasValue() ? object.spec.nodeSelector[e.key] in e.values : "
        f"size({_POD_TERMS}) > 0 && {_POD_TERMS}.all(t, t.?matchExpressions.orValue([]).exists(x, "
        "x.key == e.key && x.operator == 'In' && x.values.all(v, v in e.values)))"
    )
    return f"{_any_name(terms, fits)} || ({only} && !{_any_name(terms, _SAID)})"


def _any_name(terms: str, holds: str) -> str:
    return f"{terms}.exists(n, n.matchExpressions.exists(e, {holds}))"


_SAID = (
    "object.spec.?nodeSelector[?e.key].hasValue() || "
    f"{_POD_TERMS}.exists(t, t.?matchExpressions.orValue([]).exists(x, x.key == e.key))"
)


def _of_pod(items: str) -> str:
    return f"object.spec.?{items}.orValue([])"


def _gpus_of(container: str) -> str:
    return f"{container}.?resources.limits[?{_GPU}].orValue('0')"


def _map(keys: str, value: str) -> str:
    """A set of keys, from the list of them; ``value`` says what stands under ``k``."""
    return f"({keys}).transformMapEntry(i, k, {{k: {value}}})"


def _both(first: str, then: str) -> str:
    """All keys of two sets; where both have one, the first says what it is."""
    keys = f"{first}.map(k, k) + {then}.filter(k, !(k in {first}))"
    return _map(keys, f"k in {first} ? {first}[k] : {then}[k]")


def _added(own: str, more: str, same: str) -> str:
    """A list, and behind it what it lacks."""
    return f"{own} + {more}.filter(p, !{own}.exists(x, {same}))"


def pattern_variables(pattern: str) -> dict[str, str]:
    """What the pod is and asks, and why it cannot be served. ``pattern`` is the CEL of the PodTemplate."""
    everyone = f"({_of_pod('containers')} + {_of_pod('initContainers')})"
    return {
        "pattern": pattern,
        "spec": "variables.pattern.template.spec",
        "adds": "variables.spec.containers.filter(c, c.name == 'adds')[0]",
        "node": "variables.spec.containers.filter(c, c.name == 'node')[0].resources.limits",
        "rails": f'object.metadata.?annotations[?{json.dumps(RAILS)}].orValue("")',
        "window": "variables.rails == '' ? '' : '-' + variables.rails",
        # GPUs by name of the container that asks for them.
        "gpus": f"{everyone}.filter(c, {_gpus_of('c')} != '0').transformMapEntry(i, c, {{c.name: {_gpus_of('c')}}})",
        # The devices that these become, where there is such a shape.
        "devices": _map(
            f"variables.gpus.filter(k, size({_shape('variables.gpus[k]')}) > 0)",
            f"{_shape('variables.gpus[k]')}[0].resources",
        ),
        # Claims that the user wrote, or that are there from an earlier time.
        "claimed": f"{_of_pod('resourceClaims')}.filter(c, variables.spec.?resourceClaims.orValue([]).exists(p, "
        "p.resourceClaimTemplateName == c.?resourceClaimTemplateName.orValue(''))).map(c, c.name)",
        "uses": f"{everyone}.filter(c, c.name in variables.gpus || "
        "c.?resources.claims.orValue([]).exists(k, k.name in variables.claimed))",
        "refusals": _refusals(),
    }


def _shape(gpus: str) -> str:
    return f"variables.spec.containers.filter(s, s.name == 'gpus-' + {gpus} + variables.window)"


def _refusals() -> str:
    """Why the pod cannot be served, each in words."""
    host = f'variables.pattern.metadata.?annotations[?{json.dumps(HOST_NETWORK_ANNOTATION)}].orValue("")'
    serves = f"variables.pattern.metadata.annotations[{json.dumps(SERVES_ANNOTATION)}]"
    no_shape = (
        "'container ' + c + ' asks for ' + variables.gpus[c] + ' GPUs' + "
        f"(variables.rails == '' ? '' : ' on ' + variables.rails) + ', but ' + {serves}"
    )
    mains = "object.spec.containers.filter(c, c.name in variables.devices)"
    asked = f"variables.devices[c.name].?limits[?k].orValue(k == {_GPU} ? variables.gpus[c.name] : '0')"
    total = f"{mains}.map(c, int({asked})).sum()"
    beyond = f"'its containers ask for ' + string({total}) + ' ' + k + ' together, but a node has ' + variables.node[k]"
    by_claim = f"variables.devices.exists(c, !variables.devices[c].?limits[?{_GPU}].hasValue())"
    differ = "variables.gpus.exists(c, variables.gpus.exists(d, variables.gpus[c] != variables.gpus[d]))"
    several = f"(size({mains}) > 1 || {differ})"
    return " + ".join(
        (
            f"({host} != '' && object.spec.?hostNetwork.orValue(false) ? [{host}] : [])",
            f"variables.gpus.filter(c, !(c in variables.devices)).map(c, {no_shape})",
            f"variables.node.filter(k, {total} > int(variables.node[k])).map(k, {beyond})",
            f"({by_claim} && {several} ? [{json.dumps(ONE_CLAIM)}] : [])",
        )
    )


def change_variables() -> dict[str, str]:
    """The parts of the pod as they shall be."""
    template = "variables.pattern.template.metadata"
    mounts = "variables.adds.?volumeMounts.orValue([])"
    lacking = f"variables.uses.exists(c, {mounts}.exists(m, m.name == v.name && !{_mounted('c')}))"
    tolerated = (
        "x.?key.orValue('') == '' || (x.key == p.key && "
        "(x.?operator.orValue('Equal') == 'Exists' || x.?value.orValue('') == p.?value.orValue('')))"
    )
    wanted = "variables.devices.exists(c, variables.devices[c].?claims.orValue([]).exists(k, k.name == p.name))"
    volumes = (
        f"variables.spec.?volumes.orValue([]).filter(v, {lacking} || "
        "variables.sidecars.exists(s, s.?volumeMounts.orValue([]).exists(m, m.name == v.name)))"
    )
    spec_claims = f"variables.spec.?resourceClaims.orValue([]).filter(p, {wanted})"
    selector = "object.spec.?nodeSelector.orValue({})"
    unnamed = f"!{_any_name(_terms('variables.spec'), _SAID)}"
    return {
        "sidecars": "variables.spec.?initContainers.orValue([])"
        f".filter(s, !{_of_pod('initContainers')}.exists(c, c.name == s.name))",
        "labels": _both(f"{template}.labels", "object.metadata.?labels.orValue({})"),
        "annotations": _both("object.metadata.annotations", f"{template}.?annotations.orValue({{}})"),
        "containers": f"object.spec.containers.map(c, {_container()})",
        "initContainers": f"variables.sidecars + {_of_pod('initContainers')}.map(c, {_container()})",
        "volumes": _added(_of_pod("volumes"), volumes, "x.name == p.name"),
        "resourceClaims": _added(_of_pod("resourceClaims"), spec_claims, "x.name == p.name"),
        "tolerations": _added(_of_pod("tolerations"), "variables.spec.?tolerations.orValue([])", tolerated),
        "nodeSelector": f"{unnamed} ? {_both(selector, 'variables.spec.?nodeSelector.orValue({})')} : {selector}",
    }


def _terms(spec: str) -> str:
    return f"{spec}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"


def _mounted(container: str) -> str:
    return f"{container}.?volumeMounts.orValue([]).exists(x, x.mountPath == m.mountPath)"


def _container() -> str:
    """A container as it shall be."""
    env = _added("c.?env.orValue([])", "variables.adds.?env.orValue([])", "x.name == p.name")
    mounts = _added(
        "c.?volumeMounts.orValue([])", "variables.adds.?volumeMounts.orValue([])", "x.mountPath == p.mountPath"
    )
    parts = {"env": env, "volumeMounts": mounts, "resources": _resources(), "securityContext": _context()}
    keys = f"c.filter(k, !(k in {list(parts)})) + ['env', 'volumeMounts', 'resources'] + "
    keys += "(has(variables.adds.securityContext) ? ['securityContext'] : c.filter(k, k == 'securityContext'))"
    choice = " : ".join(f"k == '{key}' ? dyn({of})" for key, of in parts.items())
    return f"!variables.uses.exists(u, u.name == c.name) ? c : {_map(keys, f'{choice} : dyn(c[k])')}"


def _resources() -> str:
    """Its devices, where it asks for GPUs; whatever of them the user wrote stays."""
    devices = "variables.devices[c.name]"
    kept = f"(k != {_GPU} || {devices}.?limits[?{_GPU}].hasValue())"
    keys = (
        f"c.resources.limits.filter(k, {kept}) + {devices}.?limits.orValue({{}}).filter(k, !(k in c.resources.limits))"
    )
    limits = _map(keys, f"k in c.resources.limits ? c.resources.limits[k] : {devices}.limits[k]")
    requests = _map(f"c.resources.?requests.orValue({{}}).filter(k, {kept})", "c.resources.requests[k]")
    claims = _added("c.resources.?claims.orValue([])", f"{devices}.?claims.orValue([])", "x.name == p.name")
    made = f"{{'limits': dyn({limits}), 'requests': dyn({requests}), 'claims': dyn({claims})}}"
    return f"c.name in variables.devices ? dyn({made}) : dyn(c.?resources.orValue({{}}))"


def _context() -> str:
    """Its security context with the pattern's capabilities."""
    own = "c.?securityContext.orValue({})"
    wants = "variables.adds.securityContext"
    add = _added(
        f"{own}.?capabilities.add.orValue([])", f"{wants}.?capabilities.add.orValue([])", "x == p || x == 'ALL'"
    )
    capabilities = _map(
        f"{own}.?capabilities.orValue({{}}).filter(k, k != 'add') + ['add']",
        f"k == 'add' ? dyn({add}) : dyn({own}.capabilities[k])",
    )
    keys = (
        f"{own}.filter(k, k != 'capabilities') + ['capabilities'] + "
        f"{wants}.filter(k, k == 'privileged' && !(k in {own}))"
    )
    value = f"k == 'capabilities' ? dyn({capabilities}) : dyn(k in {own} ? {own}[k] : {wants}[k])"
    return _map(keys, value)


PATCHES = (
    "/metadata/labels",
    "/metadata/annotations",
    "/spec/containers",
    "/spec/initContainers",
    "/spec/volumes",
    "/spec/resourceClaims",
    "/spec/tolerations",
    "/spec/nodeSelector",
)


def mutation() -> str:
    """The patch; nothing where the pod is refused."""
    always = [f'JSONPatch{{op: "add", path: "{path}", value: variables.{path.rpartition("/")[2]}}}' for path in PATCHES]
    joins = "variables.spec.?hostNetwork.orValue(false)"
    names = "object.spec.?dnsPolicy.orValue('ClusterFirst') == 'ClusterFirst'"
    host = _patch_if(joins, "hostNetwork") + " + " + _patch_if(f"{joins} && {names}", "dnsPolicy")
    return f"size(variables.refusals) > 0 ? [] : [{', '.join(always)}] + {host}"


def _patch_if(condition: str, field: str) -> str:
    return f'({condition} ? [JSONPatch{{op: "add", path: "/spec/{field}", value: variables.spec.{field}}}] : [])'
