# A worker of the MPIJob. The operator names the pods, and mounts the keys with the modes of a Secret's volume, which
# StrictModes dislikes.
# shellcheck shell=bash
set -u
/sbin/ldconfig
echo "$NODE_NAME" > /tmp/node
mkdir -p /run/sshd
ssh-keygen -A
exec /usr/sbin/sshd -De -o StrictModes=no
