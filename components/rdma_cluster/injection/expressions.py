"""What the policies do, in CEL: expressions, each a variable that others read. ``inject.py`` is the same in Python.

Changes are JSON patches. A value in one is built of literals and of the pod's texts, numbers and booleans alone: from
1.37 on an API server does not turn a part of the pod, or a list that holds one, into JSON, and refuses the pod
(k8s.io/apiserver v0.37.2 pkg/cel/common/valuesschemalesstyped.go, ConvertToNative; 1.36 and Kyverno do). So what a pod
has stays where it is, and what it lacks is put behind it; short parts are copied key by key. A second time nothing
changes. An ApplyConfiguration may not touch atomic lists (capabilities, tolerations), has to spell out each field of a
volume that is only passed on, and puts what it merges among the user's own.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .device_requests import GPU
from .refusal_expressions import OTHER_RESOURCE, REPLACE, refusals

RAILS = "rdma-cluster/rails"
"""Annotation of a pod that shall have these rails and no others."""
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


def switched_on(annotations: Sequence[str], every_pod: bool) -> str:
    """Whether the pod asks for the fabric; ``every_pod``: unless it says no."""
    said = [f'object.metadata.?annotations[?{json.dumps(name)}].orValue("")' for name in annotations]
    if every_pod:
        return " && ".join(f'{each} != "false"' for each in said)
    return " || ".join(f'{each} in ["true", "{REPLACE}"]' for each in said)


def _replaces(annotations: Sequence[str]) -> str:
    """Whether the pod says that other requests for NICs shall be taken away."""
    return " || ".join(
        f'object.metadata.?annotations[?{json.dumps(name)}].orValue("") == "{REPLACE}"' for name in annotations
    )


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


def _lacking(own: str, more: str, same: str) -> str:
    """What a list lacks."""
    return f"{more}.filter(p, !{own}.exists(x, {same}))"


def _added(own: str, more: str, same: str, copy: str = "x") -> str:
    """A list, and behind it what it lacks; ``copy`` of each ``x`` that is there."""
    return f"{own}.map(x, {copy}) + {_lacking(own, more, same)}"


def _copy(part: str, value: str = "", key: str = "f") -> str:
    """A part of the pod key by key; ``value`` of each ``key``, which is the key's own if it is no set of keys."""
    return _map(f"{part}.map({key}, {key})", value or f"{part}[{key}]", key)


def question_variables(pattern: Mapping[str, Any], switches: Sequence[str]) -> dict[str, str]:
    """What the pod asks for, by which annotations, and why it cannot be served."""
    everyone = f"({_of_pod('containers')} + {_of_pod('initContainers')})"
    device_request = "(variables.gpus[k] + variables.window)"
    return {
        "given": literal(pattern),
        "rails": f'object.metadata.?annotations[?{json.dumps(RAILS)}].orValue("")',
        "window": "variables.rails == '' ? '' : '-' + variables.rails",
        "replaces": _replaces(switches),
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
        "refusals": f"size(variables.uses) == 0 ? [] : {refusals()}",
    }


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
    """The parts of the pod as they shall be, and what its lists lack."""
    unmounted = (
        "variables.uses.exists(c, variables.given.container.volumeMounts.exists(m, "
        "m.name == v.name && !c.?volumeMounts.orValue([]).exists(x, x.mountPath == m.mountPath)))"
    )
    tolerated = (
        "x.?key.orValue('') == '' || (x.key == p.key && "
        "(x.?operator.orValue('Equal') == 'Exists' || x.?value.orValue('') == p.?value.orValue('')))"
    )
    annotations = "object.metadata.?annotations.orValue({})"
    other = (
        "!variables.given.otherNics.networks.exists(n, n.annotation == k && "
        "object.metadata.annotations[k].contains(n.name))"
    )
    kept = _map(f"{annotations}.filter(k, {other})", f"{annotations}[k]")
    wanted = "variables.devices.exists(c, variables.devices[c].claims.exists(k, k.name == p.name))"
    volumes = (
        f"variables.given.volumes.filter(v, {unmounted} || "
        "variables.sidecars.exists(s, s.volumeMounts.exists(m, m.name == v.name)))"
    )
    users = " + ".join(
        f"{_of_pod(items)}.transformList(i, c, c.name in variables.uses.map(u, u.name), "
        f"{{'at': dyn('/spec/{items}/' + string(i)), 'c': dyn(c)}})"
        for items in ("containers", "initContainers")
    )
    return {
        "sidecars": f"variables.given.sidecars.filter(s, !{_of_pod('initContainers')}.exists(c, c.name == s.name))",
        "labels": _both("variables.given.labels", "object.metadata.?labels.orValue({})"),
        "ownAnnotations": f"variables.replaces ? {kept} : {annotations}",
        "annotations": _both("variables.ownAnnotations", "variables.given.annotations"),
        # The containers that use GPUs, each with its path.
        "users": users,
        "volumes": _lacking(_of_pod("volumes"), volumes, "x.name == p.name"),
        "resourceClaims": _lacking(
            _of_pod("resourceClaims"), f"variables.given.resourceClaims.filter(p, {wanted})", "x.name == p.name"
        ),
        "tolerations": _lacking(_of_pod("tolerations"), "variables.given.tolerations", tolerated),
        "nodeSelector": _both("object.spec.?nodeSelector.orValue({})", "variables.given.nodeSelector"),
    }


def _container_patches() -> list[str]:
    """The parts of each container that uses GPUs."""
    reference = _copy("x.valueFrom[r]", key="k")
    ours = "variables.given.folders[x.name]"
    lacks = f"f == 'value' && x.name in variables.given.folders && !x.value.contains({ours})"
    value = f"{lacks} ? dyn({ours} + (x.value == '' ? '' : ':' + x.value)) : dyn(x[f])"
    variable = _copy("x", f"f == 'valueFrom' ? dyn({_copy('x.valueFrom', reference, 'r')}) : {value}")
    own_env, own_mounts = "u.c.?env.orValue([])", "u.c.?volumeMounts.orValue([])"
    env = _added(own_env, "variables.given.container.env", "x.name == p.name", variable)
    mounts = _added(own_mounts, "variables.given.container.volumeMounts", "x.mountPath == p.mountPath", _copy("x"))
    return [_of_users("/env", env), _of_users("/volumeMounts", mounts), *_resource_patches(), *_context_patches()]


def _resource_patches() -> list[str]:
    """Its devices, where it asks for GPUs; those that the user wrote stay."""
    devices, own = "variables.devices[u.c.name]", "u.c.resources"
    stays = f"(k != {_GPU} || k in {devices}.limits) && !(variables.replaces && {OTHER_RESOURCE})"
    keys = f"{own}.limits.filter(k, {stays}) + {devices}.limits.filter(k, !(k in {own}.limits))"
    limits = _map(keys, f"k in {own}.limits ? {own}.limits[k] : {devices}.limits[k]")
    requests = _map(f"{own}.requests.filter(k, {stays})", f"{own}.requests[k]")
    claims = _added(f"{own}.?claims.orValue([])", f"{devices}.claims", "x.name == p.name", _copy("x"))
    asks = "u.c.name in variables.devices"
    return [
        _of_users("/resources/limits", limits, asks),
        _of_users("/resources/requests", requests, f"{asks} && has({own}.requests)"),
        _of_users("/resources/claims", claims, asks),
    ]


def _context_patches() -> list[str]:
    """Its security context with the pattern's capabilities."""
    own, wants = "u.c.?securityContext", "variables.given.container.securityContext"
    add = _added(
        f"{own}.capabilities.add.orValue([])", f"{wants}.?capabilities.add.orValue([])", "x == p || x == 'ALL'"
    )
    needed, path = f"size({wants}) > 0", "/securityContext"
    return [
        _of_users(path, "{}", f"{needed} && !{own}.hasValue()"),
        _of_users(f"{path}/capabilities", "{}", f"{needed} && !{own}.capabilities.hasValue()"),
        _of_users(f"{path}/capabilities/add", add, needed),
        _of_users(
            f"{path}/privileged", f"{wants}.privileged", f"has({wants}.privileged) && !{own}.privileged.hasValue()"
        ),
    ]


def _of_users(path: str, value: str, condition: str = "") -> str:
    """A patch of each container that uses GPUs."""
    some = f".filter(u, {condition})" if condition else ""
    return f'variables.users{some}.map(u, JSONPatch{{op: "add", path: u.at + "{path}", value: {value}}})'


def mutation() -> str:
    """The patch; nothing where the pod uses no GPU, or is refused."""
    default_dns = "object.spec.?dnsPolicy.orValue('ClusterFirst') == 'ClusterFirst'"
    joins = "variables.given.hostNetwork"
    patches = [
        _patch("/metadata/labels", "variables.labels"),
        _patch("/metadata/annotations", "variables.annotations"),
        # The pod's own names of the machine are enough.
        _patch("/spec/nodeSelector", "variables.nodeSelector", f"!variables.given.names.exists(e, {_SAID})"),
        *_container_patches(),
        *(_behind(items) for items in ("volumes", "resourceClaims", "tolerations")),
        # Before the user's own: only then do the paths above name other containers.
        _if_missing("initContainers", "variables.sidecars"),
        "variables.sidecars.transformList(i, s, "
        'JSONPatch{op: "add", path: "/spec/initContainers/" + string(i), value: s})',
        _patch("/spec/hostNetwork", "true", joins),
        _patch("/spec/dnsPolicy", '"ClusterFirstWithHostNet"', f"{joins} && {default_dns}"),
    ]
    return f"size(variables.uses) == 0 || size(variables.refusals) > 0 ? [] : {' + '.join(patches)}"


def _behind(items: str) -> str:
    """What a list of the pod lacks, behind it."""
    each = f'JSONPatch{{op: "add", path: "/spec/{items}/-", value: p}}'
    return f"{_if_missing(items, f'variables.{items}')} + variables.{items}.map(p, {each})"


def _if_missing(items: str, more: str) -> str:
    """An empty list, where there is none to put something in."""
    return _patch(f"/spec/{items}", "[]", f"size({more}) > 0 && !has(object.spec.{items})")


def _patch(path: str, value: str, condition: str = "") -> str:
    patch = f'[JSONPatch{{op: "add", path: "{path}", value: {value}}}]'
    return f"({condition} ? {patch} : [])" if condition else patch
