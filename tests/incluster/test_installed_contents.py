"""What is in the objects of six clusters: rights, files, specs, and what the components add to their plans."""

from typing import Any

import pytest
import yaml
from rdma_cluster.incluster.addons.readiness.policies import watcher_policies
from rdma_cluster.incluster.plan.mpi_operator import JOB_RULES, LEADER_RULES, PRIORITY_RULES
from tests.incluster.installed import called, objects, plans, there

pytestmark = pytest.mark.xdist_group("installed")


def bindings(name: str) -> dict[str, str]:
    """Who has which role, by binding."""
    found = {}
    for each in objects(name):
        if each.type.endswith("RoleBinding"):
            (account,) = each.inputs["subjects"]
            role = each.inputs["roleRef"]
            assert (account["kind"], role["apiGroup"]) == ("ServiceAccount", "rbac.authorization.k8s.io")
            found[called(each)] = f"{account['namespace']}/{account['name']} {role['kind']} {role['name']}"
    return found


def test_who_may_what():
    """Each account has its own role where it works, and no other."""
    prover, dispatch = "rdma-readiness/rdma-prover", "kueue-system/rdma-cluster-dispatch"
    watcher_account = "kube-system/rdma-fault-watcher"
    exporter = "rdma-monitoring/gpu-exporter ClusterRole rdma-cluster-gpu-exporter"

    assert bindings("aws") == {
        "ClusterRoleBinding rdma-cluster-gpu-exporter": exporter,
        "ClusterRoleBinding mpi-operator-priorities": "mpi-operator/mpi-operator ClusterRole mpi-operator-priorities",
        "RoleBinding mpi-operator/mpi-operator-leader": "mpi-operator/mpi-operator Role mpi-operator-leader",
        "RoleBinding rdma-acceptance/mpi-operator": "mpi-operator/mpi-operator ClusterRole mpi-operator",
        "ClusterRoleBinding nccl-marker": "rdma-acceptance/nccl-marker ClusterRole nccl-marker",
        "RoleBinding rdma-acceptance/nccl-watcher": "rdma-acceptance/nccl-watcher Role nccl-watcher",
        "ClusterRoleBinding rdma-prover": f"{prover} ClusterRole rdma-prover",
        "RoleBinding default/rdma-prover-events": f"{prover} Role rdma-prover-events",
        "RoleBinding rdma-acceptance/rdma-prover-tests": f"{prover} Role rdma-prover-tests",
        "RoleBinding rdma-readiness/rdma-prover": f"{prover} Role rdma-prover",
        "ClusterRoleBinding rdma-fault-watcher": f"{watcher_account} ClusterRole rdma-fault-watcher",
        "RoleBinding default/rdma-fault-watcher": f"{watcher_account} Role rdma-fault-watcher",
        "ClusterRoleBinding rdma-cluster-dispatch": f"{dispatch} ClusterRole rdma-cluster-dispatch",
        "RoleBinding default/rdma-cluster-dispatch": f"{dispatch} Role rdma-cluster-dispatch",
        "RoleBinding team/rdma-cluster-dispatch": f"{dispatch} Role rdma-cluster-dispatch",
    }
    assert bindings("google") == {"ClusterRoleBinding rdma-cluster-gpu-exporter": exporter}


def test_roles_are_the_plans():
    """The rules of each as they were planned."""
    plan = plans()["aws"]
    assert plan.addons.readiness and plan.addons.readiness.plan.prover and plan.addons.queues
    prover, worker = plan.addons.readiness.plan.prover, plan.addons.queues.plan.worker
    assert worker is not None
    found = {name: each.inputs["rules"] for name, each in there("aws").items() if name.split()[0].endswith("Role")}

    of_workers = [
        [{"apiGroups": rule["apiGroups"], **{key: rule[key] for key in ("resources", "verbs")}} for rule in rules]
        for rules in (worker.everywhere, worker.within)
    ]
    assert found == {
        "ClusterRole rdma-cluster-gpu-exporter": [
            {"apiGroups": ["resource.k8s.io"], "resources": ["resourceslices"], "verbs": ["get", "list", "watch"]}
        ],
        "ClusterRole mpi-operator": JOB_RULES,
        "ClusterRole mpi-operator-priorities": PRIORITY_RULES,
        "Role mpi-operator/mpi-operator-leader": LEADER_RULES,
        "ClusterRole nccl-marker": [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "patch"]}],
        "Role rdma-acceptance/nccl-watcher": [
            {"apiGroups": ["kubeflow.org"], "resources": ["mpijobs"], "verbs": ["get"]},
            {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
        ],
        "ClusterRole rdma-prover": list(prover.cluster_rules),
        "Role default/rdma-prover-events": list(prover.event_rules),
        "Role rdma-acceptance/rdma-prover-tests": list(prover.test_rules),
        "Role rdma-readiness/rdma-prover": list(prover.own_rules),
        "ClusterRole rdma-fault-watcher": list(plan.addons.readiness.plan.watcher.rules),
        "Role default/rdma-fault-watcher": [{"apiGroups": [""], "resources": ["events"], "verbs": ["create"]}],
        "ClusterRole rdma-cluster-dispatch": of_workers[0],
        "Role default/rdma-cluster-dispatch": of_workers[1],
        "Role team/rdma-cluster-dispatch": of_workers[1],
    }


def test_contents_are_the_plans():
    """Files, specs and policies as they were planned."""
    plan, aws = plans()["aws"], there("aws")
    assert plan.addons.readiness and plan.addons.readiness.plan.prover and plan.addons.monitoring
    prover, seen = plan.addons.readiness.plan.prover, plan.addons.readiness.plan.watcher
    first, second = plan.acceptance.plan.tests
    monitoring = plan.addons.monitoring.plan

    data = {name: each.inputs["data"] for name, each in aws.items() if name.startswith("ConfigMap")}
    assert data == {
        "ConfigMap rdma-monitoring/rdma-fabric": monitoring.dashboards,
        "ConfigMap rdma-acceptance/nccl-judge": plan.acceptance.plan.files,
        "ConfigMap rdma-acceptance/nccl-expect-efa": first.config,
        "ConfigMap rdma-acceptance/nccl-expect-plugged": second.config,
        "ConfigMap rdma-readiness/rdma-prover": prover.files,
        "ConfigMap kube-system/rdma-fault-watcher": seen.files,
    }
    specs = {name: each.inputs["spec"] for name, each in aws.items() if "AdmissionPolicy " in name}
    held = {**prover.policies, **watcher_policies(True)}
    for name, spec in held.items():
        assert specs[f"ValidatingAdmissionPolicy {name}"] == spec
    assert specs["MutatingAdmissionPolicy rdma-unproven-nodes"] == plan.addons.readiness.plan.registration
    assert aws["DaemonSet kube-system/rdma-fault-watcher"].inputs["spec"] == seen.spec
    deployment = aws["Deployment rdma-readiness/rdma-prover"].inputs["spec"]
    # With other files there is another pod, which reads them.
    assert deployment["template"]["metadata"].pop("annotations") == {"rdma-cluster/files": prover.digest}
    assert deployment == prover.deployment
    for each in monitoring.exporters:
        assert aws[f"DaemonSet rdma-monitoring/{each.name}"].inputs["spec"] == each.spec
    for called_, spec in monitoring.monitors.items():
        assert aws[f"PodMonitor rdma-monitoring/{called_}"].inputs["spec"] == spec
    assert aws["PrometheusRule rdma-monitoring/rdma-cluster"].inputs["spec"] == {"groups": monitoring.rules}
    assert aws["ResourceClaimTemplate rdma-monitoring/every-gpu"].inputs["spec"] == monitoring.claim
    locked = plans()["google"].locked_images
    assert locked is not None
    google = there("google")
    assert google["ValidatingAdmissionPolicy rdma-locked-images"].inputs["spec"] == locked.spec
    assert google["ValidatingAdmissionPolicyBinding rdma-locked-images"].inputs["spec"] == locked.binding
    (file,) = plans()["azure"].workloads["ib"].adds.files
    assert there("azure")[f"ConfigMap team/{file.config_map}"].inputs["data"] == {file.name: file.text}


SMALL: dict[str, dict[str, Any]] = yaml.safe_load("""
aws:
  Namespace rdma-acceptance: {labels: {pod-security.kubernetes.io/enforce: privileged}}
  Namespace rdma-readiness: {labels: {pod-security.kubernetes.io/enforce: restricted}}
  Namespace rdma-monitoring: {labels: {resource.kubernetes.io/admin-access: "true"}}
  Namespace team: {}
  DaemonSet rdma-monitoring/gpu-exporter: {annotations: {pulumi.com/skipAwait: "true"}}
  DaemonSet kube-system/rdma-fault-watcher: {annotations: {pulumi.com/skipAwait: "true"}}
  Secret kueue-system/rdma-cluster-dispatch: {annotations: {kubernetes.io/service-account.name: rdma-cluster-dispatch}}
  PrometheusRule rdma-monitoring/rdma-cluster: {}
google:
  PrometheusRule rdma-monitoring/rdma-cluster: {labels: {release: p}}
  PodMonitor rdma-monitoring/rdma-cluster-gpus: {labels: {release: p}}
  ConfigMap rdma-monitoring/rdma-fabric: {labels: {grafana_dashboard: "1"}}
""")


@pytest.mark.parametrize("name", SMALL)
def test_labels_and_annotations(name: str):
    """By which namespaces admit what their pods need, Grafana finds its dashboard, and nobody is waited for."""
    found = there(name)
    for each, wanted in SMALL[name].items():
        metadata = found[each].inputs["metadata"]
        assert {key: value for key, value in metadata.items() if key not in ("name", "namespace")} == wanted, each


SPECS: dict[str, dict[str, Any]] = yaml.safe_load("""
aws:
  NetworkPolicy mpi-operator/mpi-operator: {spec: {podSelector: {}, policyTypes: [Ingress]}}
  NetworkPolicy rdma-acceptance/nccl-acceptance:
    spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {}}]}]}
  PriorityClass urgent: {value: 7, preemptionPolicy: Never}
  PriorityClass rdma-cluster-prover: {value: -100, preemptionPolicy: Never}
  ServiceAccount kueue-system/rdma-cluster-dispatch: {automountServiceAccountToken: false}
  Secret kueue-system/rdma-cluster-dispatch: {type: kubernetes.io/service-account-token}
  MutatingAdmissionPolicyBinding rdma-unproven-nodes: {spec: {policyName: rdma-unproven-nodes}}
  ValidatingAdmissionPolicyBinding rdma-prover-tests:
    spec: {policyName: rdma-prover-tests, validationActions: [Deny]}
  ValidatingAdmissionPolicyBinding rdma-fault-watcher-events:
    spec: {policyName: rdma-fault-watcher-events, validationActions: [Deny]}
  ValidatingAdmissionPolicyBinding rdma-acceptance-marker:
    spec: {policyName: rdma-acceptance-marker, validationActions: [Deny]}
google:
  DeviceClass dranet: {spec: {selectors: [{cel: {expression: device.driver == "dra.net"}}]}}
  # Two pods on each of two nodes whose GPUs are claimed, and the controller.
  ResourceQuota dra-driver-nvidia-gpu/critical-pods:
    spec:
      hard: {pods: "5"}
      scopeSelector:
        matchExpressions:
        - scopeName: PriorityClass
          operator: In
          values: [system-node-critical, system-cluster-critical]
  # Two exporters on each of seven nodes.
  ResourceQuota rdma-monitoring/critical-pods:
    spec:
      hard: {pods: "14"}
      scopeSelector:
        matchExpressions: [{scopeName: PriorityClass, operator: In, values: [system-node-critical]}]
""")


@pytest.mark.parametrize("name", SPECS)
def test_small_objects(name: str):
    """Each with nothing but what it is for."""
    found = there(name)
    for each, wanted in SPECS[name].items():
        assert {
            key: value for key, value in found[each].inputs.items() if key not in ("apiVersion", "kind", "metadata")
        } == wanted, each
