#!/usr/bin/env bash
# Join the local NVMe disks to one array and put images, pods and their logs on it.
# usage: nvme_raid.sh LEVEL
set -Eeuo pipefail

# The node joins all the same, as Oracle's do (oci-hpc-oke@61d210a terraform/oke-workers.tf): images and pods then stay on
# the boot volume, in whole or in part. cloud-init brings this to the console and to /var/log/cloud-init-output.log.
tell() { # LINE
    echo "WARNING: nvme_raid.sh failed in line $1: this node does without its local NVMe disks" | tee -a /etc/motd >&2
}
trap 'tell $LINENO' ERR

level=$1
array=/dev/md/rdma-cluster
root=/mnt/nvme
folders=(/var/lib/containers /var/lib/kubelet /var/log/pods)

shopt -s nullglob
disks=(/dev/nvme*n1)
shopt -u nullglob
# The boot volume of a bare-metal host is on iSCSI, but where it is NVMe it has partitions or is mounted.
free=()
for disk in "${disks[@]}"; do
    if [[ $(lsblk --noheadings --list --output TYPE "$disk" | sort -u) == disk && -z $(lsblk --noheadings --output MOUNTPOINTS "$disk" | tr -d '[:space:]') ]]; then
        free+=("$disk")
    fi
done

# After a boot-volume replacement the array is there already.
mdadm --assemble --scan --quiet || true
if [[ ! -e $array ]]; then
    found=$(find /dev/md -mindepth 1 -maxdepth 1 2>/dev/null | sort | head -n 1)
    if [[ -n $found ]]; then
        array=$found
    elif ((${#free[@]} == 0)); then
        echo "no local NVMe disk; images and pods stay on the boot volume"
        exit 0
    else
        # One disk cannot mirror, and RAID 10 wants four.
        if ((${#free[@]} < 4)); then
            level=0
        fi
        mdadm --create "$array" --level="$level" --chunk=256 --force --run --raid-devices="${#free[@]}" "${free[@]}"
    fi
fi

if ! blkid "$array" >/dev/null; then
    mkfs.ext4 -q -F -m 1 "$array"
fi

mount_unit() { # WHAT WHERE TYPE OPTIONS
    local unit
    unit=$(systemd-escape --path --suffix=mount "$2")
    mkdir -p "$2"
    printf '[Unit]\nDescription=Local NVMe array at %s\n[Mount]\nWhat=%s\nWhere=%s\nType=%s\nOptions=%s\n[Install]\nWantedBy=local-fs.target\n' \
        "$2" "$1" "$2" "$3" "$4" >"/etc/systemd/system/$unit"
    systemctl enable --now "$unit"
}

mount_unit "UUID=$(blkid --match-tag UUID --output value "$array")" "$root" ext4 defaults,noatime
for folder in "${folders[@]}"; do
    mkdir -p "$root/${folder##*/}"
    mount_unit "$root/${folder##*/}" "$folder" none bind
done

mdadm --detail --scan >>/etc/mdadm/mdadm.conf
update-initramfs -u
