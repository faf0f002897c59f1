#!/usr/bin/env bash
# Join the cluster that the instance's metadata names.
# usage: bootstrap.sh KUBERNETES_VERSION KUBELET_ARGS
set -euo pipefail

version=$1
kubelet_args=$2
metadata=http://169.254.169.254/opc/v2
mirror=https://odx-oke.objectstorage.us-sanjose-1.oci.customer-oci.com/n/odx-oke/b/okn-repositories/o/prod
mirror_by_link=https://objectstorage.us-sanjose-1.oraclecloud.com/p/_Zaa2khW3lPESEbqZ2JB3FijAd0HeKmiP-KA2eOMuWwro85dcG2WAqua2o_a-PlZ/n/odx-oke/b/okn-repositories-private/o/prod

ask() { # PATH
    curl --silent --fail --location --max-time 30 --header 'Authorization: Bearer Oracle' "$metadata/$1"
}

repeat() { # TIMES SECONDS COMMAND...
    local times=$1 seconds=$2
    shift 2
    for ((i = 1; i <= times; i++)); do
        if "$@"; then
            return 0
        fi
        sleep "$seconds"
    done
    echo "gave up after $times times: $*" >&2
    return 1
}

has_identity() {
    ask identity/cert.pem | grep --quiet 'BEGIN CERTIFICATE'
}

install_packages() {
    # One broken repository of the image ends an update, and need not end the join (oci-hpc-oke#287): what was asked for
    # is installed or is not.
    apt-get --yes --quiet -o DPkg::Lock::Timeout=600 update || echo 'apt-get update failed; going on' >&2
    apt-get --yes --quiet -o DPkg::Lock::Timeout=600 install "oci-oke-node-all-$version"
}

add_repository() { # URIS
    printf 'Enabled: yes\nTypes: deb\nURIs: %s\nSuites: stable\nComponents: main\nTrusted: yes\n' "$1" \
        >/etc/apt/sources.list.d/oke-node-client.sources
}

# The drop-in file is read at the start of the daemon, which is running by now.
systemctl restart systemd-networkd

# Without its certificate the instance is nobody, and the cluster lets nobody in.
repeat 60 10 has_identity

# A recycled host brings the certificates of the node that it was.
rm -rf /var/lib/kubelet/pki

# Self-managed nodes are told where their cluster is; of managed ones OKE knows it.
if host=$(ask instance/metadata/apiserver_host) && authority=$(ask instance/metadata/cluster_ca_cert); then
    mkdir -p /etc/oke /etc/kubernetes
    printf '%s' "$host" >/etc/oke/oke-apiserver
    base64 --decode <<<"$authority" >/etc/kubernetes/ca.crt
fi

if ! command -v oke >/dev/null; then
    # shellcheck source=/dev/null
    . /etc/os-release
    minor=${version%.*}
    folder="ubuntu-$VERSION_CODENAME/kubernetes-$minor"
    local_repository="/opt/oke-node-client-packages/$folder"
    if [[ -d $local_repository/dists ]]; then
        add_repository "file://$local_repository"
    fi
    if [[ ! -d $local_repository/dists ]] || ! repeat 2 5 install_packages; then
        # Oracle's two mirrors; where one does not answer, the other does (oci-hpc-oke#286).
        add_repository "$mirror_by_link/$folder $mirror/$folder"
        repeat 5 15 install_packages
    fi
fi

arguments=()
if [[ -n $kubelet_args ]]; then
    arguments=(--kubelet-extra-args "$kubelet_args")
fi
repeat 20 15 oke bootstrap "${arguments[@]}"
