"""What six clusters get: what comes after what, whose it is, and what the components add to their plans."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from rdma_cluster.fabrics import FABRICS
from rdma_cluster.incluster.addons.queues.dispatch import cluster_queue_of
from rdma_cluster.incluster.addons.readiness import watcher, watcher_policy
from rdma_cluster.incluster.plan.charts import Settings
from rdma_cluster.incluster.plan.mpi_operator import JOB_RULES, LEADER_RULES, PRIORITY_RULES
from rdma_cluster.incluster.plan.workload import Workload
from rdma_cluster.offline import Resource

from tests.incluster.installed import called, comes_after, graph, objects, plans

# One graph for all of them.
pytestmark = pytest.mark.xdist_group("installed")
CLUSTERS = ["aws", "google", "metal", "claims", "racks", "azure"]
EXPECTED = yaml.safe_load((Path(__file__).parent / "comes_after.yaml").read_text(encoding="utf-8"))


def there(name: str) -> dict[str, Resource]:
    """The objects of a cluster."""
    return {called(each): each for each in objects(name)}


@pytest.mark.parametrize("name", CLUSTERS)
def test_what_comes_after_what(name: str):
    """Every object of a cluster, and what must be there before it and stay until it is gone."""
    expected = {
        each: sorted(one for of in after for one in EXPECTED["sets"].get(of, [of]))
        for each, after in EXPECTED[name].items()
    }

    assert comes_after(name) == expected


@pytest.mark.parametrize("name", CLUSTERS)
def test_each_object_is_on_its_cluster(name: str):
    """By the cluster's provider, as a part of a component, which goes with the cluster; nothing is protected."""
    by_urn = {each.urn: each for each in graph().resources}
    for each in objects(name):
        assert each.provider and each.provider.endswith(f"::{name}"), each.urn
        assert "protect" not in each.options
        line = []
        at = each.parent
        while at:
            line.append(by_urn[at])
            at = by_urn[at].parent
        holders = [*line, each]
        assert any(str(of.options.get("deletedWith", "")).endswith(f"::{name}-cluster") for of in holders), each.urn
        assert line[-1].type == "test:index:Whole"


def test_what_is_made_anew():
    """What cannot change, under its own name and so only after the old is gone; all else changes in place."""
    found = {
        called(each): {
            key: value for key, value in each.options.items() if key in ("replaceOnChanges", "deleteBeforeReplace")
        }
        for name in CLUSTERS
        for each in objects(name)
        if each.options
    }
    by_value: dict[str, Any] = {"replaceOnChanges": ["value"], "deleteBeforeReplace": True}
    by_spec: dict[str, Any] = {"replaceOnChanges": ["spec"], "deleteBeforeReplace": True}
    anew: dict[str, Any] = {"deleteBeforeReplace": True}
    claims = [each for name in CLUSTERS for each in there(name) if "ResourceClaimTemplate" in each]

    assert {key: value for key, value in found.items() if value} == {
        **dict.fromkeys([each for each in claims if "every-gpu" not in each], by_spec),
        "MPIJob rdma-acceptance/nccl-efa-DIGEST": by_spec,
        "MPIJob rdma-acceptance/nccl-plugged-DIGEST": by_spec,
        "ComputeDomain rdma-acceptance/nccl-claimed-racks-nvlink": by_spec,
        "Job rdma-acceptance/nccl-claimed-racks-DIGEST": anew,
        "Job rdma-acceptance/nccl-claimed-racks-nvlink-DIGEST": anew,
        "Job rdma-acceptance/nccl-efa-DIGEST": anew,
        "Job rdma-acceptance/nccl-plugged-DIGEST": anew,
        "PriorityClass rdma-cluster-prover": by_value,
        "PriorityClass urgent": by_value,
        "Secret kueue-system/rdma-cluster-dispatch": anew,
        **{f"PersistentVolume data-{each}": anew for each in ("default", "team")},
        **{f"PersistentVolumeClaim {each}/data": anew for each in ("default", "team")},
    }


def test_how_long_each_may_take():
    """A rollout on hosts has four waves, a test its own deadline; charts have theirs among their inputs."""
    tests = [test for name in ("aws", "racks") for test in plans()[name].acceptance.plan.tests]
    found = {
        called(each): each.options["customTimeouts"]
        for name in CLUSTERS
        for each in objects(name)
        if "customTimeouts" in each.options
    }

    waves = {"create": "1200s", "update": "1200s"}
    installers = [f"nccl-installer-{each}" for each in ("gib", "gib-arm64", "tcpxo")]
    hosts = (*installers, "nvidia-driver-installer", "nri-device-injector", "asapd-lite")
    assert found == {
        **{f"DaemonSet kube-system/{each}": waves for each in hosts},
        **{
            f"Job rdma-acceptance/nccl-{test.short}-DIGEST": dict.fromkeys(waves, f"{test.timeout_seconds}s")
            for test in tests
        },
    }


def charts(name: str) -> dict[str, Settings]:
    """Of a cluster's plan, by the name of the release."""
    plan = plans()[name]
    found: list[Settings | None] = []
    if plan.drivers is not None:
        found += [plan.drivers.plan.gpu, plan.drivers.plan.nic]
    if plan.device_plugins is not None:
        found += [plan.device_plugins.plan.gpu, plan.device_plugins.plan.nic]
    if plan.addons.queues is not None:
        found += plan.addons.queues.plan.charts
    if plan.addons.monitoring is not None:
        found.append(plan.addons.monitoring.plan.definitions)
    return {each.chart.name: each for each in found if each is not None}


@pytest.mark.parametrize("name", CLUSTERS)
def test_releases_of_charts(name: str):
    """Of the pinned version with the plan's values, never atomic: one bad node must not undo the others."""
    releases = {each.inputs["name"]: each.inputs for each in objects(name) if each.type.endswith(":Release")}
    expected = {
        called: {
            "name": called,
            "chart": settings.chart.chart,
            "version": settings.chart.version,
            "namespace": settings.namespace,
            "values": settings.values,
            "timeout": settings.timeout_seconds,
            **({"repositoryOpts": {"repo": settings.chart.repo}} if settings.chart.repo else {}),
        }
        for called, settings in charts(name).items()
    }

    assert releases.keys() == expected.keys()
    for each, wanted in expected.items():
        assert {key: value for key, value in releases[each].items() if key != "compat"} == wanted


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
        [{"apiGroups": rule["api_groups"], **{key: rule[key] for key in ("resources", "verbs")}} for rule in rules]
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
    held = {**prover.policies, **watcher_policy.policies(True)}
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


def test_what_a_program_is_told():
    """Proofs of what is tested and why the rest is not; the target of a cluster that takes jobs, which is secret."""
    outputs = graph().outputs
    proofs = outputs["aws"]["proofs"]

    assert proofs.keys() == {"efa", "plugged"}
    assert proofs["efa"]["status"] == "not proven" and proofs["efa"]["collective"] == "all_reduce"
    assert outputs["google"]["proofs"]["named"] == {"status": "not proven", "reason": "acceptance is disabled"}
    assert (outputs["aws"]["dispatch"], outputs["google"]["dispatch"]) == ("[secret]", "")
    assert watcher.NAMESPACE == "kube-system"


def test_how_a_cluster_is_reached():
    """By a command that asks for a token, which nobody has to answer; its certificate is named where it is no public
    one. Secret, and the provider is another one only where the cluster is."""
    outputs = graph().outputs
    public, private = (json.loads(each) for each in outputs["kubeconfigs"])
    (provider,) = [each for each in graph().resources if each.name == "reached"]
    server = {"server": "https://c.example"}

    assert public == {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": server}],
        "users": [
            {
                "name": "c",
                "user": {
                    "exec": {
                        "apiVersion": "client.authentication.k8s.io/v1beta1",
                        "interactiveMode": "Never",
                        "command": "get-token",
                        "args": ["--cluster", "c"],
                    }
                },
            }
        ],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
        "current-context": "c",
    }
    assert private == {**public, "clusters": [{"name": "c", "cluster": {**server, CERTIFICATE: "Q0E="}}]}
    assert outputs["secret"] == "[secret]"
    assert provider.inputs["clusterIdentifier"] == "c-1" and "protect" not in provider.options


CERTIFICATE = "certificate-authority-data"


def component(kind: str, name: str) -> Resource:
    """The component of a kind and a name."""
    (found,) = [each for each in graph().resources if each.type.endswith(f":index:{kind}") and each.name == name]
    return found


def shown(kind: str, name: str) -> dict[str, Any]:
    """The inputs of a component."""
    return component(kind, name).inputs


def test_what_components_show():
    """Names by which a program goes on: of classes, templates, namespaces, machines and queues."""
    aws = plans()["aws"]
    assert aws.addons.readiness is not None
    outputs = {
        f"{kind} {name}": dict(component(kind, name).outputs)
        for kind, name in (
            *(("DraDrivers", name) for name in ("aws", "google")),
            *((kind, "aws") for kind in ("ClaimTemplates", "FabricInjection", "Monitoring", "MpiOperator")),
            *((kind, "aws") for kind in ("NodeReadiness", "Queues")),
            *((kind, "google") for kind in ("Queues",)),
        )
    }

    assert outputs == {
        # AWS's chart brings the class.
        "DraDrivers aws": {"deviceClass": ""},
        "DraDrivers google": {"deviceClass": "dranet"},
        "ClaimTemplates aws": {"names": {"p5.48xlarge": ["p5.48xlarge-whole-gpus", "p5.48xlarge-whole-nics"]}},
        "FabricInjection aws": {"machines": ["p5.48xlarge"]},
        "Monitoring aws": {"namespace": "rdma-monitoring"},
        "MpiOperator aws": {"namespace": "mpi-operator"},
        "NodeReadiness aws": {"fingerprints": aws.addons.readiness.plan.fingerprints},
        "Queues aws": {"queues": {"efa": "efa", "plugged": "plugged"}, "target": "[secret]"},
        "Queues google": {"queues": {"gib": "gib", "nics": "nics", "named": "named"}, "target": ""},
    }
    gib = component("NcclInstaller", "google-gib").outputs["workload"]
    assert gib == Workload(FABRICS["gib"]).pod_patch()


def test_files_wait_for_namespaces_of_claims():
    """Each by itself: what waits for a component alone would go with its namespace and not before it."""
    (namespace,) = [each for each in objects("claims") if called(each) == "Namespace team"]

    assert namespace.urn in there("claims")["ConfigMap team/nccl-topology-ndv5"].dependencies


def test_a_rack_is_proved_twice():
    """By its NICs, and then over NVLink, whose proof stands within the other."""
    proof = graph().outputs["racks"]["proofs"]["claimed-racks"]
    nics, nvlink = plans()["racks"].acceptance.plan.tests

    assert proof == {"status": "not proven", **nics.shown, "nvlink": {"status": "not proven", **nvlink.shown}}
    assert there("racks")["ComputeDomain rdma-acceptance/nccl-claimed-racks-nvlink"].inputs["spec"] == {
        "numNodes": 0,
        "channel": {"resourceClaimTemplate": {"name": "nccl-claimed-racks-nvlink"}, "allocationMode": "Single"},
    }


def test_data_of_the_stacks_store():
    """A claim in each namespace, by the store's own handle and attributes; of what is there already nothing is made."""
    csi = there("azure")["PersistentVolume data-team"].inputs["spec"]["csi"]

    assert csi == {"driver": "gcsfuse", "volumeHandle": "account:team", "volumeAttributes": {"protocol": "nfs"}}
    assert graph().outputs["azure"]["storage"] == {
        "kind": "objectStore",
        "claim": "data",
        "namespaces": ["default", "team"],
        "annotations": {},
        "storageClass": "",
        "volume": "",
        "store": "account/data",
    }
    theirs = graph().outputs["google"]["storage"]
    assert (theirs["kind"], theirs["claim"], theirs["store"]) == ("existing", "data", "")
    assert graph().outputs["aws"]["storage"] == {}


def test_a_queue_has_the_gpus_of_all_its_clusters():
    """Of both: by the output that is known, and by that of another stack."""
    queue = there("google")["ClusterQueue sent"].inputs["spec"]

    assert queue == cluster_queue_of("sent", ["default"], "16")["spec"]


def test_components_have_the_plans_args():
    """Each is one of its kind on a cluster, and its inputs are those that its plan was made of."""
    kinds = {
        name: sorted(
            each.type.rpartition(":")[2]
            for each in graph().resources
            if each.type.startswith("rdma-cluster:") and (each.name == name or each.name.startswith(f"{name}-"))
        )
        for name in CLUSTERS
    }

    assert kinds == {
        "aws": [
            *("ClaimTemplates", "DevicePlugins", "DraDrivers", "FabricInjection", "Monitoring", "MpiOperator"),
            *("NcclAcceptance", "NodeReadiness", "Queues"),
        ],
        "google": [
            *(
                "ClaimTemplates",
                "DraDrivers",
                "Monitoring",
                "NcclAcceptance",
                "NcclInstaller",
                "NcclInstaller",
                "Queues",
            )
        ],
        "claims": ["ClaimTemplates", "DraDrivers", "NcclAcceptance", "PodFiles"],
        "racks": ["ClaimTemplates", "DraDrivers", "NcclAcceptance", "NcclInstaller"],
        "metal": ["ClaimTemplates", "DraDrivers", "NcclAcceptance", "NcclInstaller"],
        "azure": ["NcclAcceptance", "PodFiles", "SharedVolume"],
    }
    assert shown("DraDrivers", "aws")["host"] == "al2023"
    assert shown("PodFiles", "azure")["namespaces"] == ["default", "team"]
    assert shown("NcclInstaller", "google-gib")["nodes"] == {"label": "pool", "values": ["gib", "nics"], "nodes": 5}
