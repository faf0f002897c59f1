#!/usr/bin/env bash
# Keep the host's IMEX daemon off: a ComputeDomain runs one for each job, and two cannot share a node.
set -euo pipefail

if systemctl cat nvidia-imex.service >/dev/null 2>&1; then
    systemctl disable --now nvidia-imex.service
    systemctl mask nvidia-imex.service
fi
