# A pod of the Indexed Job: the image's own sshd, with the keys that the image holds. Pod 0 leads, the others lend
# their node.
# shellcheck shell=bash
set -u
/sbin/ldconfig
echo "$NODE_NAME" > /tmp/node
[ -z "${FABRIC_OF_NODE:-}" ] || bash -c "$FABRIC_OF_NODE" > /tmp/fabric 2> /dev/null || rm -f /tmp/fabric
[ -z "${RACK_OF_NODE:-}" ] || bash -c "$RACK_OF_NODE" > /tmp/rack 2> /dev/null
[ -z "${CHECK_OF_NODE:-}" ] || bash -c "$CHECK_OF_NODE" > /tmp/check 2>&1
$DAEMON &
if [ "$JOB_COMPLETION_INDEX" != 0 ]; then exec sleep infinity; fi
members=${HOSTNAME%-0}- domain=$SUBDOMAIN
# shellcheck source-path=SCRIPTDIR source=ring.sh
source "${BASH_SOURCE[0]%/*}/ring.sh"
