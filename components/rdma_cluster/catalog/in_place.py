"""What a change of a part of a cluster does to the work that runs there: a row for each chart, object and kind."""

from collections.abc import Mapping

from pulumi_offline.frozen import frozen
from . import charts
from .machine import Source


@frozen
class InPlace:
    """One part."""

    running: str
    """What becomes of pods that run; empty where a change does nothing to anybody."""
    source: Source
    meanwhile: str = ""
    """What cannot be done until the part is back."""
    at_once: str = ""
    """Nodes of a pool at a time, a count or a share, where nothing of ours says it; empty where it runs on none."""
    removed: str = ""
    """What becomes of work when it is removed."""

    @property
    def told(self) -> str:
        """Both in one sentence."""
        return f"{self.running}; {self.meanwhile}" if self.meanwhile else self.running


_READ = "2026-11-27"
_HELPER = "kubernetes staging/src/k8s.io/dynamic-resource-allocation/kubeletplugin/doc.go"
_KEEP = "pods that run keep their devices and go on"
_CLAIMS = (
    "a pod that starts or ends on the node waits for it, and where it stays away for 30 s the node's devices are gone "
    "from the scheduler's view"
)
_ENDLESS = "pods that hold its claims go on, and cannot end: nobody gives their devices back (kubernetes#129402)"
_PLUGIN = (
    "a pod that was placed on the node and has no devices yet fails for good (UnexpectedAdmissionError), and new ones "
    "go elsewhere"
)
_NICS_AT_START = (
    f"{_CLAIMS}; one that is between its claim and its start loses its NICs without a word (kubernetes-sigs/dranet#89)"
)
_FIRST_KINDS = "helm leaves its CRDs as they were at first"
_FAIL = "its webhooks (failurePolicy Fail) refuse"
_DEVICE_PLUGINS = Source("github.com/kubernetes/kubernetes/issues/119248; k8s-device-plugin@1b826ac README.md", _READ)
_DRANET = Source(f"{_HELPER}; github.com/kubernetes-sigs/dranet v1.4.0 pkg/driver/pod_device_config.go", _READ)

# fmt: off
CHARTS: Mapping[str, InPlace] = {
    charts.NVIDIA_DRA_DRIVER.name: InPlace(_KEEP,
        Source(f"{_HELPER}; kubernetes#141912; dra-driver-nvidia-gpu@9593204 site/content/docs/upgrade.md", _READ),
        meanwhile=f"{_CLAIMS}; none goes back to a version before 0.4; {_FIRST_KINDS}", at_once="100%",
        removed=_ENDLESS),
    charts.DRANET.name: InPlace(_KEEP, _DRANET, meanwhile=_NICS_AT_START, at_once="1", removed=_ENDLESS),
    charts.AWS_DRANET.name: InPlace(_KEEP, _DRANET, meanwhile=_NICS_AT_START, at_once="1", removed=_ENDLESS),
    charts.EFA_DEVICE_PLUGIN.name: InPlace(_KEEP, _DEVICE_PLUGINS, meanwhile=_PLUGIN, at_once="1",
        removed="pods that run go on, and no new one gets its devices"),
    charts.NVIDIA_DEVICE_PLUGIN.name: InPlace(
        f"{_KEEP}, which NVIDIA does not promise: it advises to let them end before", _DEVICE_PLUGINS,
        meanwhile=_PLUGIN, at_once="1", removed="pods that run go on, and no new one gets its devices"),
    charts.GPU_OPERATOR.name: InPlace(
        "drivers stay as they are until somebody deletes their pods (OnDelete); where its container toolkit restarts, "
        "containerd does, and pods whose device plugin is away at that moment are killed (gpu-operator#596)",
        Source("github.com/NVIDIA/gpu-operator v26.3.3 assets/state-driver/0500_daemonset.yaml, values.yaml; issue 596",
            _READ),
        meanwhile=_PLUGIN, at_once="1", removed="its drivers go with it: no pod on its nodes reaches a GPU any longer"),
    charts.NETWORK_OPERATOR.name: InPlace(
        "drivers stay as they are until somebody deletes their pods (OnDelete, autoUpgrade off); a driver that is "
        "loaded anew takes the NICs of pods away",
        Source("github.com/Mellanox/network-operator@b06827e manifests/state-ofed-driver; "
            "docs/automatic-ofed-upgrade.md", _READ),
        meanwhile=_PLUGIN, at_once="1", removed="its drivers go with it: pods on its nodes lose their NICs"),
    charts.AZURE_LUSTRE.name: InPlace(
        "its pod installs the node's Lustre client: where the version changes and that fails, pods can lose what they "
        "have mounted", Source("github.com/kubernetes-sigs/azurelustre-csi-driver/pull/340 and 149", _READ),
        meanwhile="a pod with a volume of it that starts or ends on the node waits", at_once="10%",
        removed="pods that run keep what they have mounted, and cannot end"),
    charts.KUEUE.name: InPlace("jobs that are admitted go on",
        Source("github.com/kubernetes-sigs/kueue@ff69552 charts/kueue/templates/webhook/manifests.yaml, crd, manager",
            _READ),
        meanwhile=f"{_FAIL} every pod and job in the namespaces of its queues, also those that a running job makes "
        "anew, while no manager answers; the new one starts before the old one ends",
        removed="its CRDs are in the chart: every queue and Workload goes, and pods with its finalizer cannot end"),
    charts.JOBSET.name: InPlace("jobs and their pods go on",
        Source("github.com/kubernetes-sigs/jobset@08dfbdf charts/jobset/templates/webhook/manifests.yaml, crds", _READ),
        meanwhile=f"a pod that fails is answered later, and {_FAIL} JobSets and their pods; {_FIRST_KINDS}",
        removed="JobSets and their pods go on, and nobody answers a pod that fails"),
    charts.LEADER_WORKER_SET.name: InPlace(
        "a new version can make the pods of every group anew though nothing of it changed: 0.4 and 0.8 did "
        "(lws#281, lws#797)",
        Source("github.com/kubernetes-sigs/lws/issues/797; lws@060ab4d charts/lws/templates/webhook/webhook.yaml, crds",
            _READ),
        meanwhile=f"{_FAIL} LeaderWorkerSets and their pods; {_FIRST_KINDS}",
        removed="groups go on, and nobody answers a pod that fails"),
    charts.PROMETHEUS_KINDS.name: InPlace("it runs no pods: kinds alone change",
        charts.PROMETHEUS_KINDS.source, removed="the kinds go, and with them every PodMonitor and rule of anybody"),
}
"""By the name of the release, which is the chart's own."""

_OURS = Source("the plan of this library", _READ)
WORKLOADS: Mapping[str, InPlace] = {
    "nccl-installer-*": InPlace(
        "processes that have the old plugin open keep it; a job whose pods start before and after it has two versions, "
        "so let jobs end before, or hold new ones back", Source(
            "github.com/PyO3/setuptools-rust/pull/295, on libraries that are replaced while they are open; "
            "github.com/GoogleCloudPlatform/cluster-toolkit/pull/4069, on mixed versions", _READ)),
    "nri-device-injector": InPlace("pods that run keep their devices and go on",
        Source("github.com/GoogleCloudPlatform/container-engine-accelerators@992db81 nri_device_injector", _READ),
        meanwhile="a pod that starts on the node gets none of the devices that its annotation names"),
    "asapd-lite": InPlace(
        "not known: it sets up the NICs of its node, and nobody publishes what its restart does to traffic; let jobs "
        "end before", Source("container-engine-accelerators@992db81 asapd-lite-installer says nothing of it", _READ)),
    "nvidia-driver-installer": InPlace("a driver that is loaded stays until its node is made anew", _OURS),
    "memory-lock": InPlace("where the limit is lifted already nothing happens; elsewhere containerd restarts, and "
        "pods go on", _OURS),
    "rdma-fault-watcher": InPlace("pods go on; conditions and taints stay, and the kernel's log is read again", _OURS),
    "*-exporter*": InPlace("pods go on; figures have a gap", _OURS),
    "mpi-operator": InPlace("jobs go on: it makes missing workers and compares no template",
        Source("github.com/kubeflow/mpi-operator@caa3c47 pkg/controller/mpi_job_controller.go, syncHandler", _READ),
        meanwhile="an MPIJob that is made, or lacks a worker, waits for it"),
    "rdma-prover": InPlace("tests that run go on, and it finds them again", _OURS,
        meanwhile="new nodes stay held"),
}
"""By the name of a DaemonSet or Deployment; ``*`` is anything."""

_IN_SERVER = "pods that run are not asked again; it is the API server's own, so no webhook is away"
_WEBSITE, _OPENED = "github.com/kubernetes/website@{} content/en/docs/", "2026-11-28"
_POLICY = InPlace(_IN_SERVER, Source(
    _WEBSITE.format("004fd8c") + "reference/access-authn-authz/validating-admission-policy.md", _OPENED))
_ADDON = "pods that run go on; how many nodes at a time is the cloud's, and it publishes no figure that we read"
_QUOTA = InPlace("workloads that are admitted stay", Source(
    "github.com/kubernetes-sigs/kueue@ff69552 site/content/en/docs/tasks/troubleshooting/"
    "troubleshooting_delete_clusterqueue.md", _READ),
    removed="it goes when nothing names it any longer: let its jobs end before")
KINDS: Mapping[str, InPlace] = {
    "kubernetes:admissionregistration.k8s.io/*": _POLICY,
    "kubernetes:kueue.x-k8s.io/*": _QUOTA,
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition": InPlace("objects and their pods stay",
        Source(_WEBSITE.format("ab4e2a5") + "tasks/extend-kubernetes/custom-resources/"
            "custom-resource-definitions.md, Delete a CustomResourceDefinition; banzaicloud/koperator#444", _OPENED),
        removed="every object of the kind goes, and with it its pods"),
    "kubernetes:resource.k8s.io/v1:DeviceClass": InPlace(
        "claims that are allocated stay; a pod that is placed from then on gets by the new one", Source(_HELPER, _READ),
        removed="pods that run go on; no new claim of the class is allocated"),
    "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate": InPlace(
        "pods that run keep their claims; one that is made while it is away waits", Source(
            _WEBSITE.format("0180cc4") + "concepts/scheduling-eviction/dynamic-resource-allocation.md: no pod is "
            "scheduled before its claims are allocated; that a missing template is waited for is inferred", _OPENED)),
    "kubernetes:mellanox.com/v1alpha1:NicClusterPolicy": InPlace(
        "drivers stay as they are until somebody deletes their pods; device plugins restart",
        CHARTS[charts.NETWORK_OPERATOR.name].source, meanwhile=_PLUGIN, at_once="1",
        removed="its drivers go with it: pods on its nodes lose their NICs"),
    "kubernetes:sriovnetwork.openshift.io/v1:SriovNetworkNodePolicy": InPlace(
        "a node whose functions are made anew, as for a larger MTU, is drained before: its pods go, as many nodes at a "
        "time as the SriovNetworkPoolConfig says", Source(
            "github.com/k8snetworkplumbingwg/sriov-network-operator@249e200 pkg/plugins/generic/generic_plugin.go, "
            "needToUpdateVFs; api/v1/helper.go, NeedToUpdateSriov", _READ), meanwhile=_PLUGIN),
    "kubernetes:leaderworkerset.x-k8s.io/*": InPlace(
        "another template makes its groups anew, one at a time: with one group nothing is served meanwhile", Source(
            "github.com/kubernetes-sigs/lws@060ab4d charts/lws/crds, rolloutStrategy", _READ),
        removed="its pods go, and nothing is served"),
    "kubernetes:resource.nvidia.com/*": InPlace("", Source(
        "dra-driver-nvidia-gpu@9593204 site/content/docs/concepts/compute-domains.md", _READ),
        removed="the daemons that join the nodes' NVLinks go: jobs over several nodes of a rack lose them"),
    "kubernetes:networking.k8s.io/*": InPlace("holds for pods that run as soon as it is there", Source(
        _WEBSITE.format("0189ae0") + "concepts/services-networking/network-policies.md", _OPENED)),
    "kubernetes:policies.kyverno.io/*": InPlace(
        "pods that run are not asked again; Kyverno's own webhook stays", Source(
            "github.com/kyverno/website@5fc57fb src/content/docs/docs/policy-types/mutating-policy.mdx, mutateExisting",
            _OPENED)),
    "kubernetes:core/v1:Namespace": InPlace("", Source(
        _WEBSITE.format("0189ae0") + "tasks/administer-cluster/namespaces.md, Deleting a namespace", _OPENED),
        removed="everything in it goes, pods that run as well"),
    "aws:eks/addon:Addon": InPlace(_ADDON, Source("docs.aws.amazon.com/eks/latest/userguide/updating-an-add-on.html",
        _READ), meanwhile="with vpc-cni a pod that starts or ends on the node waits"),
    "oci:ContainerEngine/addon:Addon": InPlace(_ADDON, Source(
        "docs.oracle.com/iaas/Content/ContEng/Tasks/contengconfiguringclusteraddons.htm", _READ),
        meanwhile="with a device plugin or an operator of NICs a pod that starts on the node waits"),
}
"""By the type of a resource, where its name tells nothing; ``*`` is anything."""
# fmt: on
