# Makes a machine of Container-Optimized OS one that speaks GPUDirect-TCPX: the GPUs' driver, what the kernel must allow,
# NCCL's plugin. May run again: a unit that failed is started anew.
# DRIVER, PLUGIN_IMAGE, PRIVATE_REGISTRIES, DRIVER_FOLDER and PLUGIN_FOLDER come from the unit's environment.
# shellcheck shell=bash
set -eu
metadata=http://metadata.google.internal/computeMetadata/v1/instance/network-interfaces
get() { curl -sS --fail --retry 5 -H 'Metadata-Flavor: Google' "$metadata/$1"; }

# /var forbids programs: a folder is mounted onto itself, and its mount allows them.
allow_programs() {
  mountpoint -q "$1" || mount --bind "$1" "$1"
  mount -o remount,exec "$1"
}

cos-extensions install gpu -- --version="$DRIVER"
allow_programs "$DRIVER_FOLDER"
"$DRIVER_FOLDER/bin/nvidia-smi" -pm 1

# Sockets of this kind hold more notes than the kernel's default allows.
sysctl -w net.core.optmem_max=131072

# The system drops what comes in. On each NIC the machines of its own subnet may speak; they are this pool and its like.
for nic in $(get '' | tr -d /); do
  from="$(get "$nic/ip")/$(get "$nic/subnetmask")"
  rule=(INPUT -i "eth$nic" -s "$from" -p tcp -j ACCEPT)
  iptables -w -C "${rule[@]}" 2> /dev/null || iptables -w -I "${rule[@]}"
done

mkdir -p "$HOME"
[ -z "$PRIVATE_REGISTRIES" ] || docker-credential-gcr configure-docker --registries="$PRIVATE_REGISTRIES"
docker run --rm --volume /var/lib:/var/lib "$PLUGIN_IMAGE" install --install-nccl
allow_programs "${PLUGIN_FOLDER%/lib64}"
