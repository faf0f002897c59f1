"""The metrics that alerts and dashboard read, and which exporter publishes each."""

from .machine import Source

# fmt: off
_DCGM = Source("github.com/NVIDIA/dcgm-exporter tag 4.5.3-4.8.2 etc/default-counters.csv; its labels: "
    "internal/pkg/rendermetrics/render_metrics.go", "2026-05-12")
_NODE = Source("github.com/prometheus/node_exporter@a7dcc3a (1.12.1) collector/infiniband_linux.go", "2026-08-08")
_STATE = Source("github.com/kubernetes/kube-state-metrics tag v2.20.0 internal/store/pod.go", "2026-08-20")
_STATE_NODE = Source("github.com/kubernetes/kube-state-metrics tag v2.20.0 internal/store/node.go", "2026-08-20")
_STATE_DAEMON_SET = Source("github.com/kubernetes/kube-state-metrics tag v2.20.0 internal/store/daemonset.go",
    "2026-08-20")
_KUBELET = Source("github.com/google/cadvisor metrics/prometheus.go; kubelet's /metrics/cadvisor", "2026-08-20")

METRICS: dict[str, Source] = {"DCGM_FI_DEV_GPU_TEMP": _DCGM, "DCGM_FI_DEV_GPU_UTIL": _DCGM,
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": _DCGM, "DCGM_FI_DEV_XID_ERRORS": _DCGM,
    "container_network_receive_bytes_total": _KUBELET, "container_network_transmit_bytes_total": _KUBELET,
    "kube_daemonset_status_number_unavailable": _STATE_DAEMON_SET, "kube_node_status_condition": _STATE_NODE,
    "kube_pod_resourceclaim_info": _STATE, "kube_pod_status_unschedulable": _STATE,
    "node_infiniband_link_downed_total": _NODE, "node_infiniband_port_data_received_bytes_total": _NODE,
    "node_infiniband_port_data_transmitted_bytes_total": _NODE, "node_infiniband_state_id": _NODE}
KUBE_STATE_METRICS = "2.20.0"
"""The first release with ``kube_pod_resourceclaim_info``: 2.19.1 has none."""
