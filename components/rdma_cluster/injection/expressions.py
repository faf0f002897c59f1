"""What the policies do, in CEL: expressions, each a variable that others read. ``inject.py`` is the same in Python.

Changes are JSON patches that write a list or a set of keys whole: as it was, with what is missing behind it. So a patch
need not know what was there before, and a second time changes nothing. An ApplyConfiguration may not touch atomic lists
(capabilities, tolerations), has to spell out each field of a volume that is only passed on, and puts what it merges
among the user's own.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .device_requests import GPU

RAILS = "rdma-cluster/rails"
"""Annotation of a pod that shall have these rails and no others."""
ONE_CLAIM = "several containers ask for GPUs, which a pod gets by one claim here; let one container ask"
_GPU = json.dumps(GPU)
_POD_TERMS = (
    "object.spec.?affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.orValue([])"
)


def literal(value: Any) -> str:
    """Plain data in CEL, where the values of a set of keys, and the items of a list, must all be of one type."""
    if isinstance(value, Mapping):
        return (
            "{"
            + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: dyn({literal(of)})" for key, of in value.items())
            + "}"
        )
    if isinstance(value, list | tuple):
        return "[" + ", ".join(f"dyn({literal(item)})" for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def switched_on(annotations: Sequence[str]) -> str:
    """Whether the pod asks for the fabric."""
    names = map(json.dumps, annotations)
    return " || ".join(f'object.metadata.?annotations[?{name}].orValue("") == "true"' for name in names)


def may_use_gpus(templates: Sequence[str]) -> str:
    """Whether the pod asks for GPUs, or claims something by one of these templates."""
    asks = [f"{_of_pod(items)}.exists(c, {_gpus_of('c')} != '0')" for items in ("containers", "initContainers")]
    by_template = f"c.?resourceClaimTemplateName.orValue('') in {json.dumps(list(templates))}"
    return " || ".join([*asks, *([f"{_of_pod('resourceClaims')}.exists(c, {by_template})"] if templates else [])])


def names_machine(pattern: Mapping[str, Any]) -> str:
    """Whether the pod names one of the machine's labels and no other value of it; or none, where there is one machine.

    Of several terms of an affinity a node has to fit one only, so that each of them has to name the machine.
    """
    fits = (
        "object.spec.?nodeSelector[?e.key].hasValue() ? object.spec.nodeSelector[e.key] in e.values : "
        f"size({_POD_TERMS}) > 0 && {_POD_TERMS}.all(t, t.?matchExpressions.orValue([]).exists(x, "
        "x.key == e.key && x.operator == 'In' && x.values.all(v, v in e.values)))"
    )
    names = literal(pattern["names"])
    fitting = f"{names}.exists(e, {fits})"
    return f"{fitting} || !{names}.exists(e, {_SAID})" if pattern["only"] else fitting


_SAID = (
    "object.spec.?nodeSelector[?e.key].hasValue() || "
    f"{_POD_TERMS}.exists(t, t.?matchExpressions.orValue([]).exists(x, x.key == e.key))"
)


def _of_pod(items: str) -> str:
    return f"object.spec.?{items}.orValue([])"


def _gpus_of(container: str) -> str:
    return f"{container}.?resources.limits[?{_GPU}].orValue('0')"


def _map(keys: str, value: str, key: str = "k") -> str:
    """A set of keys, from the list of them; ``value`` says what stands under each ``key``."""
    return f"({keys}).transformMapEntry({key}_, {key}, {{{key}: {value}}})"


def _both(first: str, then: str) -> str:
    """All keys of two sets; where both have one, the first says what it is."""
    keys = f"{first}.map(k, k) + {then}.filter(k, !(k in {first}))"
    return _map(keys, f"k in {first} ? {first}[k] : {then}[k]")


def _added(own: str, more: str, same: str) -> str:
    """A list, and behind it what it lacks."""
    return f"{own} + {more}.filter(p, !{own}.exists(x, {same}))"


def question_variables(pattern: Mapping[str, Any]) -> dict[str, str]:
    """What the pod asks for, and why it cannot be served."""
    everyone = f"({_of_pod('containers')} + {_of_pod('initContainers')})"
    device_request = "(variables.gpus[k] + variables.window)"
    return {
        "given": literal(pattern),
        "rails": f'object.metadata.?annotations[?{json.dumps(RAILS)}].orValue("")',
        "window": "variables.rails == '' ? '' : '-' + variables.rails",
        # GPUs by name of the container that asks for them.
        "gpus": f"{everyone}.filter(c, {_gpus_of('c')} != '0').transformMapEntry(i, c, {{c.name: {_gpus_of('c')}}})",
        # The devices that these become, where there is such a shape.
        "devices": _map(
            f"variables.gpus.filter(k, {device_request} in variables.given.shapes)",
            f"variables.given.shapes[{device_request}]",
        ),
        # Claims that the user wrote, or that are there from an earlier time.
        "claimed": f"{_of_pod('resourceClaims')}.filter(c, variables.given.resourceClaims.exists(p, "
        "p.resourceClaimTemplateName == c.?resourceClaimTemplateName.orValue(''))).map(c, c.name)",
        "uses": f"{everyone}.filter(c, c.name in variables.gpus || "
        "c.?resources.claims.orValue([]).exists(k, k.name in variables.claimed))",
        "refusals": f"size(variables.uses) == 0 ? [] : {_refusals()}",
    }


def _refusals() -> str:
    """Why the pod cannot be served, each in words."""
    no_shape = (
        "'container ' + c.name + ' asks for ' + variables.gpus[c.name] + ' GPUs' + "
        "(variables.rails == '' ? '' : ' on ' + variables.rails) + ', but ' + variables.given.serves"
    )
    mains = "object.spec.containers.filter(c, c.name in variables.devices)"
    wanted = (
        f"variables.devices[c.name].limits[?n.resource].orValue(n.resource == {_GPU} ? variables.gpus[c.name] : '0')"
    )
    total = f"{mains}.map(c, int({wanted})).sum()"
    beyond = f"'its containers ask for ' + string({total}) + ' ' + n.resource + ' together, but a node has ' + n.most"
    by_claim = f"variables.devices.exists(c, !({_GPU} in variables.devices[c].limits))"
    differ = "variables.gpus.exists(c, variables.gpus.exists(d, variables.gpus[c] != variables.gpus[d]))"
    return " + ".join(
        (
            "(variables.given.noHostNetwork != '' && object.spec.?hostNetwork.orValue(false) "
            "? [variables.given.noHostNetwork] : [])",
            f"variables.uses.filter(c, c.name in variables.gpus && !(c.name in variables.devices)).map(c, {no_shape})",
            f"variables.given.capacity.filter(n, {total} > int(n.most)).map(n, {beyond})",
            f"({by_claim} && (size({mains}) > 1 || {differ}) ? [{json.dumps(ONE_CLAIM)}] : [])",
        )
    )


def has_devices(pattern: Mapping[str, Any]) -> str:
    """Whether each container that asks for GPUs has what these become: all NICs, or claims in the limit's place."""
    limits = [device_request["limits"] for device_request in pattern["shapes"].values()]
    asks = " || ".join(
        f"{_of_pod(items)}.exists(c, {_gpus_of('c')} != '0' && {{}})" for items in ("containers", "initContainers")
    )
    if not all(GPU in each for each in limits):
        return f"!({asks.format('true', 'true')})"
    always = sorted(set.intersection(*(set(each) for each in limits)))
    lacks = f"!{json.dumps(always)}.all(k, k in c.resources.limits)"
    return f"!({asks.format(lacks, lacks)})"


def change_variables() -> dict[str, str]:
    """The parts of the pod as they shall be."""
    lacking = (
        "variables.uses.exists(c, variables.given.container.volumeMounts.exists(m, "
        "m.name == v.name && !c.?volumeMounts.orValue([]).exists(x, x.mountPath == m.mountPath)))"
    )
    tolerated = (
        "x.?key.orValue('') == '' || (x.key == p.key && "
        "(x.?operator.orValue('Equal') == 'Exists' || x.?value.orValue('') == p.?value.orValue('')))"
    )
    wanted = "variables.devices.exists(c, variables.devices[c].claims.exists(k, k.name == p.name))"
    volumes = (
        f"variables.given.volumes.filter(v, {lacking} || "
        "variables.sidecars.exists(s, s.volumeMounts.exists(m, m.name == v.name)))"
    )
    selector = "object.spec.?nodeSelector.orValue({})"
    return {
        "sidecars": f"variables.given.sidecars.filter(s, !{_of_pod('initContainers')}.exists(c, c.name == s.name))",
        "labels": _both("variables.given.labels", "object.metadata.?labels.orValue({})"),
        "annotations": _both("object.metadata.annotations", "variables.given.annotations"),
        "containers": f"object.spec.containers.map(c, {_container()})",
        "initContainers": f"variables.sidecars + {_of_pod('initContainers')}.map(c, {_container()})",
        "volumes": _added(_of_pod("volumes"), volumes, "x.name == p.name"),
        "resourceClaims": _added(
            _of_pod("resourceClaims"), f"variables.given.resourceClaims.filter(p, {wanted})", "x.name == p.name"
        ),
        "tolerations": _added(_of_pod("tolerations"), "variables.given.tolerations", tolerated),
        # The pod's own names of the machine are enough.
        "nodeSelector": f"variables.given.names.exists(e, {_SAID}) ? {selector} : "
        + _both(selector, "variables.given.nodeSelector"),
    }


def _container() -> str:
    """A container as it shall be."""
    env = _added("c.?env.orValue([])", "variables.given.container.env", "x.name == p.name")
    mounts = _added(
        "c.?volumeMounts.orValue([])", "variables.given.container.volumeMounts", "x.mountPath == p.mountPath"
    )
    parts = {"env": env, "volumeMounts": mounts, "resources": _resources(), "securityContext": _context()}
    keys = (
        f"c.filter(f, !(f in {list(parts)})) + ['env', 'volumeMounts', 'resources'] + "
        "(size(variables.given.container.securityContext) > 0 ? ['securityContext'] "
        ": c.filter(f, f == 'securityContext'))"
    )
    choice = " : ".join(f"f == '{part}' ? dyn({of})" for part, of in parts.items())
    return f"!variables.uses.exists(u, u.name == c.name) ? c : {_map(keys, f'{choice} : dyn(c[f])', 'f')}"


def _resources() -> str:
    """Its devices, where it asks for GPUs; those that the user wrote stay."""
    devices = "variables.devices[c.name]"
    stays = f"(k != {_GPU} || k in {devices}.limits)"
    keys = f"c.resources.limits.filter(k, {stays}) + {devices}.limits.filter(k, !(k in c.resources.limits))"
    limits = _map(keys, f"k in c.resources.limits ? c.resources.limits[k] : {devices}.limits[k]")
    requests = _map(f"c.resources.?requests.orValue({{}}).filter(k, {stays})", "c.resources.requests[k]")
    claims = _added("c.resources.?claims.orValue([])", f"{devices}.claims", "x.name == p.name")
    resources = f"{{'limits': dyn({limits}), 'requests': dyn({requests}), 'claims': dyn({claims})}}"
    return f"c.name in variables.devices ? dyn({resources}) : dyn(c.?resources.orValue({{}}))"


def _context() -> str:
    """Its security context with the pattern's capabilities."""
    own = "c.?securityContext.orValue({})"
    wants = "variables.given.container.securityContext"
    add = _added(
        f"{own}.?capabilities.add.orValue([])", f"{wants}.?capabilities.add.orValue([])", "x == p || x == 'ALL'"
    )
    others = f"{own}.?capabilities.orValue({{}}).filter(q, q != 'add')"
    capabilities = _map(f"{others} + ['add']", f"q == 'add' ? dyn({add}) : dyn({own}.capabilities[q])", "q")
    keys = (
        f"{own}.filter(k, k != 'capabilities') + ['capabilities'] + "
        f"{wants}.filter(k, k == 'privileged' && !(k in {own}))"
    )
    value = f"k == 'capabilities' ? dyn({capabilities}) : dyn(k in {own} ? {own}[k] : {wants}[k])"
    return _map(keys, value)


PATCHES = (
    *("/metadata/labels", "/metadata/annotations", "/spec/containers", "/spec/initContainers", "/spec/volumes"),
    *("/spec/resourceClaims", "/spec/tolerations", "/spec/nodeSelector"),
)


def mutation() -> str:
    """The patch; nothing where the pod uses no GPU, or is refused."""
    always = [f'JSONPatch{{op: "add", path: "{path}", value: variables.{path.rpartition("/")[2]}}}' for path in PATCHES]
    default_dns = "object.spec.?dnsPolicy.orValue('ClusterFirst') == 'ClusterFirst'"
    joins = "variables.given.hostNetwork"
    host = _patch_if(joins, "hostNetwork", "true")
    dns = _patch_if(f"{joins} && {default_dns}", "dnsPolicy", '"ClusterFirstWithHostNet"')
    return f"size(variables.uses) == 0 || size(variables.refusals) > 0 ? [] : [{', '.join(always)}] + {host} + {dns}"


def _patch_if(condition: str, field: str, value: str) -> str:
    return f'({condition} ? [JSONPatch{{op: "add", path: "/spec/{field}", value: {value}}}] : [])'
