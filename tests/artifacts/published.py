"""What publishers say they published, copied from their own lists: an artifact of ours is checked against these.

A tag stands with its digest, where the list gives one. registry.k8s.io never moves a tag.
"""

_NETWORKING = "registry.k8s.io/networking"  # kubernetes/k8s.io@05521f2 images/k8s-staging-networking/images.yaml
_NVIDIA = "registry.k8s.io/dra-driver-nvidia"  # kubernetes/k8s.io pull 9845 (2026-08-19)
_KUEUE = "registry.k8s.io/kueue"  # kubernetes/k8s.io pull 9856 (2026-08-20), with what its chart renders
_JOBSET = "registry.k8s.io/jobset"  # kubernetes/k8s.io pull 9456 (2026-05-08)
_GIB = "us-docker.pkg.dev/gce-ai-infra/gpudirect-gib"  # release notes of NCCL/gIB, x86 (v1.1.2 of 2026-05-14)

_TCPX = "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx"  # its README.md of 2026-06-22 in the same repository
_TCPXO = "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo"  # its README.md in container-engine-accelerators@992db81

PUBLISHED: dict[str, dict[str, str]] = {
    f"{_KUEUE}/charts/kueue": {
        "0.19.1": "sha256:b8d0ba07db35275bc3c4702a7152db544748c83647e5d7949a2b20c2cc8f7642",
        "0.19.2": "sha256:ab436c33ef6c6b9b9e95b633e618bca0e0e436d6581d3b27bd12fc8a8026ab34",
    },
    f"{_KUEUE}/kueue": {"v0.19.2": ""},
    f"{_JOBSET}/charts/jobset": {"0.12.0": ""},
    f"{_JOBSET}/jobset": {"v0.12.0": ""},
    f"{_NETWORKING}/charts/dranet": {
        "v1.3.0": "sha256:762b9725c1dc45727741372b2c6188ef145f5809785500a1d575c6950891fec3",
        "v1.4.0": "sha256:8da67a537eca5cddeaf8148497acc24c4a88215e9370f386f0df91fa958c1fc0",
    },
    f"{_NETWORKING}/dranet": {
        "v1.3.0": "sha256:e827c334896d072d859738fd715ca682fcb3fdbbbe2ad4d71b5a133acdb278b7",
        "v1.4.0": "sha256:8d452a75f32465ca69aa5a7877f476add8641fe7c91a30ace3343174c1ef695f",
    },
    f"{_NVIDIA}/charts/dra-driver-nvidia-gpu": {
        "0.4.0": "sha256:ef9036572eaacd05463583df46e314c8582d1445c2f313e94865647fc156bb10",
        "0.5.0": "sha256:47e43e3fbcaf525accef5b5ad14d87e80e19ef1549839495dcb0eabd06ff3bbe",
    },
    f"{_NVIDIA}/dra-driver-nvidia-gpu": {
        "v0.4.0": "sha256:dd17d49170f62071d13ef5de9b8f0ff26c66793f9d802c34532c0cb4f8a1d1f3",
        "v0.5.0": "sha256:e1f104e64383ee693e982a5e6b7cf0b750023aaa5cc9b7dcc37c8e0549232933",
    },
    f"{_GIB}/nccl-plugin-gib": {"v1.1.2": "sha256:b71627dcf88862cd0e64434dfd0224441960db58f2022f94b5f56123659c207e"},
    # The notes give tags without digests; each release names one plugin and one daemon.
    f"{_TCPX}/nccl-plugin-gpudirecttcpx-dev": {"v3.1.9": "", "v3.1.12": ""},
    f"{_TCPX}/tcpgpudmarxd-dev": {"v2.0.12": "", "v2.0.15": ""},
    f"{_TCPXO}/nccl-plugin-gpudirecttcpx-dev": {"v1.0.14": "", "v1.0.15": ""},
    f"{_TCPXO}/tcpgpudmarxd-dev": {"v1.0.20": "", "v1.0.21": ""},
    f"{_GIB}/nccl-plugin-gib-diagnostic": {
        "v1.1.2": "sha256:61c917022538e59d24f597038a8ad7087a026d60715256ae39e7f06ef20ebde0"
    },
}

METADATA: dict[str, dict[str, str]] = {
    # The version in the metadata of the chart that a tag holds: dranet's Makefile strips the v before it packages
    # (tag v1.4.0; kubernetes/k8s.io pull 9736 names charts/dranet:1.4.0 in the staging registry), so does NVIDIA's.
    f"{_NETWORKING}/charts/dranet": {"v1.3.0": "1.3.0", "v1.4.0": "1.4.0"},
    f"{_NVIDIA}/charts/dra-driver-nvidia-gpu": {"0.4.0": "0.4.0", "0.5.0": "0.5.0"},
    # The charts in the Go modules of the same versions say so, too.
    f"{_KUEUE}/charts/kueue": {"0.19.2": "0.19.2"},
    f"{_JOBSET}/charts/jobset": {"0.12.0": "0.12.0"},
    # hack/push-chart.sh packages it under the tag of git, with the v.
    "registry.k8s.io/lws/charts/lws": {"v0.10.0": "v0.10.0"},
    # Its charts/README.md: "The chart version is also its immutable OCI tag."
    "mcr.microsoft.com/microsoft.azuremanagedlustre/azurelustre-csi-driver": {"0.6.0": "0.6.0"},
}
