# A pod of the Indexed Job: the image's own sshd, with the keys that the image holds. Pod 0 leads, the others lend
# their node.
# shellcheck shell=bash
set -u
/sbin/ldconfig
echo "$NODE_NAME" > /tmp/node
$DAEMON &
if [ "$JOB_COMPLETION_INDEX" != 0 ]; then exec sleep infinity; fi
members=${HOSTNAME%-0}- domain=$SUBDOMAIN
# shellcheck source-path=SCRIPTDIR source=ring.sh
source /acceptance/ring.sh
