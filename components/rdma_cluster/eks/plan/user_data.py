"""A node's user data: nodeadm's configuration, as a managed node group takes it."""

from base64 import b64encode

_BOUNDARY = "rdma-cluster"
_DROP_IN = "/etc/eks/nodeadm.d/50-rdma-cluster.yaml"
_HEADER = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"


def user_data(*, max_pods: int | None, efa_on_card_0: bool, local_disks: bool) -> str:
    """Base64 of a MIME document whose parts EKS joins with its own; empty where nothing differs from EKS's.

    EKS appends a NodeConfig of its own that may hold its count of pods, and the last one wins. A file in nodeadm's
    drop-in folder wins over all of user data (amazon-eks-ami from v20251023 on), so the count is written twice: in an
    expression, from which nodeadm also takes the memory it reserves, and in such a file.
    """
    spec = []
    if local_disks:
        # One array of all NVMe disks, below kubelet and containerd: images of 20 GB and checkpoints fit.
        spec += ["  instance:", "    localStorage:", "      strategy: RAID0"]
    if efa_on_card_0:
        spec += ["  kubelet:", '    maxPodsExpression: "((default_enis - 1) * (ips_per_eni - 1)) + 2"']
    parts = []
    if spec:
        parts.append(_part("application/node.eks.aws", _config(spec)))
    if max_pods is not None:
        drop_in = _config(["  kubelet:", "    config:", f"      maxPods: {max_pods}"])
        # cloud-init runs it before nodeadm does.
        script = f"#!/bin/sh\nset -e\nmkdir -p {_DROP_IN.rpartition('/')[0]}\ncat >{_DROP_IN} <<'END'\n{drop_in}END\n"
        parts.append(_part('text/x-shellscript; charset="us-ascii"', script))
    if not parts:
        return ""
    head = f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{_BOUNDARY}"\n\n'
    return b64encode(f"{head}{''.join(parts)}--{_BOUNDARY}--\n".encode()).decode()


def _config(spec: list[str]) -> str:
    return f"{_HEADER}spec:\n" + "\n".join(spec) + "\n"


def _part(content_type: str, body: str) -> str:
    return f"--{_BOUNDARY}\nContent-Type: {content_type}\n\n{body}\n"
