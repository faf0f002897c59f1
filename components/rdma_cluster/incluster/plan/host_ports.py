"""Ports of the host on which pods in its network wait for other pods, where a fabric puts them there.

A firewall between pods and nodes lets these through; a port that is not here is for nodes alone.
"""

SSH = 2222
"""Of a test's or a job's workers, beside the host's own sshd."""
SERVING = 8000
"""vLLM's API. Its other ports take orders from whoever reaches them."""
NIC_METRICS = 19100
"""The exporter of the NICs."""

TO_HOSTS = {
    SSH: "launchers to sshd of their workers",
    SERVING: "callers of a model that is served",
    NIC_METRICS: "Prometheus to the exporter of the NICs",
}
"""What comes to each."""
