"""Graphs that break policies of all clouds, made from any cloud's: these look for nothing that only one cloud has."""

from functools import partial
from typing import Any

from pulumi_offline import Graph
from rdma_agent.names import STARTUP_TAINT
from . import admission, claims, in_cluster, named, pods, tree
from .breaking import Break, Data, put, the
from .readers import chosen, gpu_pools, pod_templates

WRITER = {
    "volumes": [{"name": "drivers", "hostPath": {"path": "/opt"}}],
    "initContainers": [{"name": "install", "volumeMounts": [{"name": "drivers", "mountPath": "/opt"}]}],
}
ROLE = "rbac.authorization.k8s.io/v1:Role"
WRONG: list[dict[str, list[str]]] = [
    {"apiGroups": [], "resources": ["pods"], "verbs": ["list"]},
    {"apiGroups": [""], "resources": [], "verbs": ["list"]},
    {"apiGroups": [""], "resources": ["pods"], "verbs": []},
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "updat"]},
]
PROVIDER = "pulumi:providers:kubernetes"


def own(data: Data) -> Data:
    """The first resource that a component of ours makes in the cloud."""
    return next(
        each for each in data["resources"] if not each["type"].startswith(("rdma-cluster:", "pulumi:", "kubernetes:"))
    )


def placed(data: Data) -> tuple[dict[str, Any], str]:
    """Where a resource says its place; on AWS its provider alone does."""
    found = [each for each in data["resources"] if not each["type"].startswith(("rdma-cluster:", "kubernetes:"))]
    found.sort(key=lambda each: each["type"].startswith("pulumi:"))
    places = ("region", "resourceGroupName", "compartmentId")
    return next((each["inputs"], key) for each in found for key in places if key in each["inputs"])


def worker(data: Data) -> Data:
    """A pod of the acceptance test that runs on GPU nodes."""
    jobs = [each["inputs"]["spec"] for each in data["resources"] if each["type"].endswith((":Job", ":MPIJob"))]
    replicas = [job.get("mpiReplicaSpecs", {"": job}).values() for job in jobs]
    pods = [each["template"]["spec"] for some in replicas for each in some]
    return next(pod for pod in pods if chosen(pod))


def container(data: Data) -> Data:
    """A container that is no root, and that mounts something."""
    specs = [each["inputs"]["spec"] for each in data["resources"] if each["type"].endswith((":Job", ":MPIJob"))]
    pods = [each["template"]["spec"] for spec in specs for each in spec.get("mpiReplicaSpecs", {"": spec}).values()]
    found = [each for pod in pods for each in pod["containers"]]
    return next(each for each in found if each.get("securityContext", {}).get("runAsNonRoot"))


def awaited(data: Data) -> Data:
    """A Job that `up` waits for."""
    return next(
        each for each in data["resources"] if each["type"].endswith(":Job") and "customTimeouts" in each["options"]
    )


def probed(data: Data) -> Data:
    """The question for the health of a container."""
    pods = [pod for each in data["resources"] for pod in pod_templates(each["inputs"])]
    boxes = [container for pod in pods for container in pod["spec"]["containers"]]
    return next(box[probe]["httpGet"] for box in boxes for probe in ("readinessProbe", "livenessProbe") if probe in box)


def misread(data: Data) -> None:
    """Figures are asked for at a port that nobody has."""
    the(data, ":PodMonitor")
    for each in data["resources"]:
        if each["type"].endswith(":PodMonitor"):
            each["inputs"]["spec"]["podMetricsEndpoints"][0]["port"] = "x"


def add(data: Data, token: str, **inputs: Any) -> None:
    """Add an object to the cluster."""
    like = the(data, ":Namespace")
    data["resources"].append({**like, "urn": "a::b::c::d", "type": f"kubernetes:{token}", "inputs": inputs})


def rolled(data: Data) -> Data:
    """A DaemonSet's spec, or the values of a chart that can be told how to roll."""
    sets = [each["inputs"]["spec"] for each in data["resources"] if each["type"].endswith(":DaemonSet")]
    charts = [each["inputs"].get("values", {}) for each in data["resources"] if each["type"].endswith(":Release")]
    return next(each for each in [*sets, *charts] if "updateStrategy" in each)


def pool(data: Data) -> Data:
    """The first GPU pool."""
    urn = gpu_pools(Graph.from_dict(data))[0].resource.urn
    return next(each for each in data["resources"] if each["urn"] == urn)


def devices(data: Data) -> Data:
    """The devices of a claim template that aligns them."""
    found = [each["inputs"]["spec"]["spec"]["devices"] for each in data["resources"] if _is_template(each)]
    return next(each for each in found if "constraints" in each)


def request(data: Data) -> Data:
    """What a claim template asks of one device."""
    found = [each["inputs"]["spec"]["spec"]["devices"] for each in data["resources"] if _is_template(each)]
    return next(each["requests"][0]["exactly"] for each in found)


def workload(data: Data) -> Data:
    """What a user pastes into a pod for a pool with claims alone."""
    workloads = data["outputs"].get("workloads", {}).values()
    return next(each for each in workloads if each["claimTemplates"] and not each["resources"].get("limits"))


def in_namespace(data: Data) -> Data:
    """An object in a namespace that the program makes."""
    made = {each["inputs"]["metadata"]["name"] for each in data["resources"] if each["type"].endswith(":Namespace")}
    return next(each for each in data["resources"] if _namespace(each["inputs"]) in made)


def _is_template(resource: Data) -> bool:
    return resource["type"].endswith(":ResourceClaimTemplate")


def _namespace(inputs: dict[str, Any]) -> str | None:
    return inputs.get("metadata", inputs).get("namespace")


def policy(data: Data) -> Data:
    """An admission policy."""
    return the(data, ":ValidatingAdmissionPolicy")["inputs"]["spec"]


BREAKS: list[Break] = [
    (pods.no_service_becomes_a_variable, lambda data: put(worker(data), "enableServiceLinks", True)),
    (
        pods.containers_gain_no_rights,
        lambda data: put(container(data)["securityContext"], "allowPrivilegeEscalation", True),
    ),
    (pods.containers_gain_no_rights, lambda data: container(data)["securityContext"].pop("capabilities")),
    (pods.containers_gain_no_rights, lambda data: container(data)["securityContext"].pop("seccompProfile")),
    (named.ports_are_open, lambda data: put(probed(data), "port", 1)),
    (named.ports_are_open, misread),
    (named.objects_have_a_name_of_their_own, lambda data: the(data, ":ConfigMap")["inputs"]["metadata"].pop("name")),
    (
        named.what_is_named_is_there,
        lambda data: put(the(data, ":ServiceAccount")["inputs"]["metadata"], "name", "another"),
    ),
    (named.what_is_named_is_there, lambda data: put(the(data, ":RoleBinding")["inputs"]["roleRef"], "name", "another")),
    (
        named.what_is_named_is_there,
        lambda data: worker(data)["volumes"].append({"name": "v", "configMap": {"name": "another"}}),
    ),
    (admission.admission_policies_match_something, lambda data: put(policy(data), "matchConstraints", {})),
    (admission.admission_policies_match_something, lambda data: policy(data).pop("validations")),
    (
        admission.admission_policies_match_something,
        lambda data: put(policy(data)["matchConstraints"]["resourceRules"][0], "operations", ["MAKE"]),
    ),
    (
        admission.admission_policies_are_bound,
        lambda data: data["resources"].remove(the(data, ":ValidatingAdmissionPolicyBinding")),
    ),
    (
        admission.admission_policies_are_bound,
        lambda data: the(data, ":ValidatingAdmissionPolicyBinding")["inputs"]["spec"].pop("validationActions"),
    ),
    (tree.parents_are_components, lambda data: put(own(data), "parent", None)),
    (tree.parents_are_components, lambda data: put(the(data, ":Namespace"), "parent", own(data)["urn"])),
    (tree.parents_are_components, lambda data: put(the(data, ":NcclAcceptance"), "parent", None)),
    (tree.no_default_provider, lambda data: put(own(data), "provider", None)),
    (tree.dependencies_exist, lambda data: put(own(data), "dependencies", ["a::b::c::d"])),
    (tree.dependencies_exist, lambda data: put(own(data), "dependencies", [each["urn"] for each in data["resources"]])),
    (tree.reserved_capacity_is_freed_first, lambda data: pool(data)["options"].pop("deleteBeforeReplace")),
    (tree.resources_are_where_their_stack_is, lambda data: put(*placed(data), "elsewhere")),
    (tree.resources_are_where_their_stack_is, lambda data: dict.pop(*placed(data))),
    (
        tree.nothing_is_told_of_what_is_off,
        lambda data: put(own(data)["inputs"], "parts", [{"some": {"enabled": False, "more": 1}}]),
    ),
    (tree.what_takes_long_has_its_time, lambda data: pool(data)["options"].pop("customTimeouts")),
    (tree.what_takes_long_has_its_time, lambda data: put(pool(data)["options"]["customTimeouts"], "create", "20m")),
    (tree.what_takes_long_has_its_time, lambda data: pool(data)["options"]["customTimeouts"].pop("delete")),
    (tree.named_properties_exist, lambda data: put(own(data)["options"], "ignoreChanges", ["nodeConfg"])),
    (tree.named_properties_exist, lambda data: put(own(data)["options"], "replaceOnChanges", ["nodeConfg"])),
    (tree.kubeconfigs_are_secret, lambda data: put(the(data, PROVIDER)["inputs"], "kubeconfig", "[kubeconfig]")),
    (tree.kubeconfigs_are_secret, lambda data: put(data["outputs"], "kubeconfig", "clusters: []")),
    (
        tree.kubeconfigs_are_secret,
        lambda data: put(the(data, ":Namespace")["inputs"]["metadata"], "annotations", {"a": "current-context: x"}),
    ),
    (
        in_cluster.volumes_have_a_claim_each,
        lambda data: put(the(data, ":PersistentVolume")["inputs"]["spec"], "persistentVolumeReclaimPolicy", "Delete"),
    ),
    (
        in_cluster.what_is_made_anew_by_wish_frees_its_name,
        lambda data: the(data, ":ResourceClaimTemplate")["options"].pop("deleteBeforeReplace"),
    ),
    (in_cluster.drivers_reach_their_nodes, lambda data: worker(data).pop("tolerations")),
    (
        in_cluster.work_waits_until_nodes_are_proven,
        lambda data: put(data["outputs"], "workloads", {"a": {"tolerations": [{"key": STARTUP_TAINT}]}}),
    ),
    (in_cluster.drivers_reach_their_nodes, lambda data: put(worker(data)["tolerations"][0], "value", "other")),
    (in_cluster.drivers_roll_in_waves, lambda data: rolled(data).pop("updateStrategy")),
    (in_cluster.drivers_roll_in_waves, lambda data: put(rolled(data), "updateStrategy", {"type": "OnDelete"})),
    (in_cluster.drivers_leave_before_their_nodes, lambda data: put(the(data, ":DraDrivers"), "dependencies", [])),
    (in_cluster.charts_are_pinned, lambda data: put(the(data, ":Release")["inputs"], "version", ">=0.4")),
    (in_cluster.charts_are_pinned, lambda data: put(the(data, ":Release")["inputs"], "version", "v0.5")),
    (in_cluster.charts_are_pinned, lambda data: the(data, ":Release")["inputs"].pop("version")),
    (in_cluster.charts_are_pinned, lambda data: the(data, ":Release")["inputs"].pop("namespace")),
    (in_cluster.charts_are_pinned, lambda data: the(data, ":Release")["inputs"].pop("timeout")),
    (in_cluster.charts_are_pinned, lambda data: put(the(data, ":Release")["inputs"], "atomic", True)),
    (in_cluster.charts_wait_long_enough, lambda data: put(the(data, ":Release")["inputs"], "timeout", 314)),
    (in_cluster.jobs_are_awaited_to_their_end, lambda data: put(awaited(data)["options"], "customTimeouts", {})),
    (
        in_cluster.jobs_are_awaited_to_their_end,
        lambda data: put(awaited(data)["options"]["customTimeouts"], "create", "100s"),
    ),
    (
        in_cluster.jobs_are_awaited_to_their_end,
        lambda data: put(awaited(data)["inputs"]["spec"], "activeDeadlineSeconds", 0),
    ),
    (
        in_cluster.metadata_has_nothing_empty,
        lambda data: put(the(data, ":Namespace")["inputs"]["metadata"], "labels", {}),
    ),
    (in_cluster.objects_are_on_the_cluster, lambda data: put(the(data, ":Namespace"), "provider", None)),
    (in_cluster.objects_are_on_the_cluster, lambda data: the(data, PROVIDER)["inputs"].pop("clusterIdentifier")),
    (
        in_cluster.objects_are_on_the_cluster,
        lambda data: put(the(data, PROVIDER)["inputs"], "clusterIdentifier", "[id of cluster]"),
    ),
    (in_cluster.objects_are_on_the_cluster, lambda data: put(the(data, PROVIDER), "parent", None)),
    (
        in_cluster.objects_are_on_the_cluster,
        lambda data: data["resources"].append({**the(data, PROVIDER), "urn": "a::b::c::d"}),
    ),
    (in_cluster.namespaces_come_first, lambda data: put(in_namespace(data), "dependencies", [])),
    (
        in_cluster.expressions_name_what_is_declared,
        lambda data: put(
            the(data, ":ValidatingAdmissionPolicy")["inputs"]["spec"]["validations"][0], "expression", "a"
        ),
    ),
    (
        claims.pairs_have_their_own_constraint,
        lambda data: devices(data)["constraints"].append({"matchAttribute": claims.PCIE_ROOT}),
    ),
    (
        claims.pairs_have_their_own_constraint,
        lambda data: devices(data)["constraints"].append(
            {"matchAttribute": claims.PCIE_ROOT, "requests": ["gpu-77", "nic-77"]}
        ),
    ),
    (
        claims.attributes_are_read_with_care,
        lambda data: put(request(data), "selectors", [{"cel": {"expression": 'device.attributes["dra.net"].rdma'}}]),
    ),
    (pods.only_installers_are_privileged, lambda data: put(container(data)["securityContext"], "privileged", True)),
    (
        pods.only_installers_are_privileged,
        lambda data: put(container(data)["securityContext"], "allowPrivilegeEscalation", True),
    ),
    (
        pods.what_writes_to_a_host_is_privileged,
        lambda data: add(data, "apps/v1:DaemonSet", spec={"template": {"spec": WRITER}}),
    ),
    *((pods.rights_are_spelt, partial(add, token=ROLE, rules=[rule])) for rule in WRONG),
    (pods.volumes_and_mounts_agree, lambda data: put(container(data)["volumeMounts"][0], "name", "other")),
    (claims.device_classes_exist, lambda data: put(request(data), "deviceClassName", "other.example")),
    (claims.workloads_name_templates_that_exist, lambda data: workload(data)["claimTemplates"].append("other")),
    (claims.workloads_name_templates_that_exist, lambda data: workload(data)["claimTemplates"].clear()),
]
