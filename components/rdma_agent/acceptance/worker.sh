# A worker of the MPIJob. The operator names the pods, and mounts the keys with the modes of a Secret's volume, which
# StrictModes dislikes.
# shellcheck shell=bash
set -u
/sbin/ldconfig
echo "$NODE_NAME" > /tmp/node
[ -z "${FABRIC_OF_NODE:-}" ] || bash -c "$FABRIC_OF_NODE" > /tmp/fabric 2> /dev/null || rm -f /tmp/fabric
[ -z "${RACK_OF_NODE:-}" ] || bash -c "$RACK_OF_NODE" > /tmp/rack 2> /dev/null
[ -z "${CHECK_OF_NODE:-}" ] || bash -c "$CHECK_OF_NODE" > /tmp/check 2>&1
mkdir -p /run/sshd
ssh-keygen -A
exec /usr/sbin/sshd -De -p "$SSH_PORT" -o StrictModes=no
