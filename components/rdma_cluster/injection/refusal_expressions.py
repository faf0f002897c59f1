"""Why a pod cannot be served, in CEL: part of the policies that refuse it. ``refusals.py`` is the same in Python."""

import json

from .device_requests import GPU
from .pattern import PLUGIN_VARIABLE

REPLACE = "replace"
"""A value of the switch: other requests for NICs are taken away, and not refused."""
OR_REPLACE = f"; or set the annotation to {REPLACE}, and injection takes it away"
ONE_CLAIM = "several containers ask for GPUs, which a pod gets by one claim here; let one container ask"
UNPRIVILEGED = (
    " says privileged: false or allowPrivilegeEscalation: false, but nothing hands out the NICs here, so that only a "
    "privileged container opens them; remove it"
)
_GPU = json.dumps(GPU)
_NEEDS_PRIVILEGE = "variables.given.container.securityContext.?privileged.orValue(false)"
_IMAGE = "(c.?image.orValue('') + ':').replace('@', ':')"
"""A reference that ends its repository with a colon, whether a tag, a digest or nothing follows."""


def refusals() -> str:
    """Why the pod cannot be served, each in words."""
    no_shape = (
        "'container ' + c.name + ' asks for ' + variables.gpus[c.name] + "
        "(variables.gpus[c.name] == '1' ? ' GPU' : ' GPUs') + "
        "(variables.rails == '' ? '' : ' on ' + variables.rails) + ', but ' + variables.given.serves"
    )
    mains = "object.spec.containers.filter(c, c.name in variables.devices)"
    wanted = (
        f"variables.devices[c.name].limits[?n.resource].orValue(n.resource == {_GPU} ? variables.gpus[c.name] : '0')"
    )
    total = f"{mains}.map(c, int({wanted})).sum()"
    beyond = f"'its containers ask for ' + string({total}) + ' ' + n.resource + ' together, but a node has ' + n.most"
    by_claim = f"variables.devices.exists(c, !({_GPU} in variables.devices[c].limits))"
    lacks = f"({_IMAGE}).startsWith(i.start) && !(i.but != '' && ({_IMAGE}).contains(i.but))"
    own_plugin = f"c.?env.orValue([]).exists(e, e.name == {json.dumps(PLUGIN_VARIABLE)})"
    unfit = f"'container ' + c.name + ' runs ' + c.image + ', ' + variables.given.unfit.filter(i, {lacks})[0].says"
    forbids = " || ".join(
        f"!c.?securityContext.{each}.orValue(true)" for each in ("privileged", "allowPrivilegeEscalation")
    )
    unprivileged = f"'container ' + c.name + {json.dumps(UNPRIVILEGED)}"
    differ = "variables.gpus.exists(c, variables.gpus.exists(d, variables.gpus[c] != variables.gpus[d]))"
    return " + ".join(
        (
            *_other_nics(),
            "(variables.given.noHostNetwork != '' && object.spec.?hostNetwork.orValue(false) "
            "? [variables.given.noHostNetwork] : [])",
            f"variables.uses.filter(c, c.name in variables.gpus && !(c.name in variables.devices)).map(c, {no_shape})",
            f"variables.given.capacity.filter(n, {total} > int(n.most)).map(n, {beyond})",
            f"variables.uses.filter(c, !{own_plugin} && variables.given.unfit.exists(i, {lacks})).map(c, {unfit})",
            f"variables.uses.filter(c, {_NEEDS_PRIVILEGE} && ({forbids})).map(c, {unprivileged})",
            f"({by_claim} && (size({mains}) > 1 || {differ}) ? [{json.dumps(ONE_CLAIM)}] : [])",
        )
    )


OTHER_RESOURCE = (
    "variables.given.otherNics.resources.exists(p, k.startsWith(p)) && !(k in variables.given.otherNics.own)"
)
"""Whether ``k`` is a resource by which other fabrics hand out NICs."""


def _other_nics() -> tuple[str, ...]:
    """Requests for NICs that no node serves. Those of containers that ask for GPUs may be taken away."""
    every = "(object.spec.containers + object.spec.?initContainers.orValue([]))"
    stays = "!(variables.replaces && c.name in variables.gpus)"
    asked = f"c.?resources.limits.orValue({{}}).filter(k, {OTHER_RESOURCE})"
    come = f"variables.given.otherNics.come + {json.dumps(OR_REPLACE)}"
    says = "object.metadata.?annotations[?n.annotation].orValue('').contains(n.name)"
    path = "v.?hostPath.path.orValue('').startsWith(variables.given.otherNics.hostPath)"
    return (
        f"{every}.filter(c, {stays} && size({asked}) > 0)"
        f".map(c, 'container ' + c.name + ' asks for ' + {asked}.join(', ') + {come})",
        f"variables.given.otherNics.networks.filter(n, !variables.replaces && {says})"
        f".map(n, 'annotation ' + n.annotation + ' names the network ' + n.name + {come})",
        "(variables.given.otherNics.hostPath == '' ? [] : object.spec.?volumes.orValue([])"
        f".filter(v, {path}).map(v, 'volume ' + v.name + ' is ' + v.hostPath.path + ' of the host' "
        "+ variables.given.otherNics.come))",
    )
