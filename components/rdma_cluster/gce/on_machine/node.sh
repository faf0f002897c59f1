# A machine of the test, in the test's container: the image's own sshd, with the keys that the image holds. The machine
# that leads asks and measures; the others lend themselves until it says that all is over.
# shellcheck shell=bash
set -u
# shellcheck source=/dev/null
source /acceptance/env.sh
/sbin/ldconfig
echo "$NODE_NAME" > /tmp/node
$DAEMON &
# shellcheck disable=SC2034,SC2153 # ring.sh reads them
members=$MEMBERS domain=$DOMAIN
case $1 in
  lend)
    until [ -e /tmp/over ] || [ "$SECONDS" -ge "$LEND_SECONDS" ]; do sleep 1; done
    ;;
  fabric | plain)
    # The first two machines once more, from small messages on: as in the proof, or by NCCL alone.
    [ "$1" = fabric ] || export LD_LIBRARY_PATH=$PLAIN_LIBRARIES
    # Of less than 1 KiB each of 16 GPUs would have no 64 bytes.
    # shellcheck disable=SC2034
    NODES=2 ROUNDS=0,1 ALSO='' LEAST_BYTES=1K
    # shellcheck source=/dev/null
    source /acceptance/ring.sh
    ;;
  over)
    told=()
    for i in $(seq 1 $((NODES - 1))); do
      timeout 15 ssh -p "$SSH_PORT" -o BatchMode=yes -o LogLevel=ERROR -o StrictHostKeyChecking=no \
        -o UserKnownHostsFile=/dev/null -o ConnectTimeout=5 "$members$i.$domain" touch /tmp/over &
      told+=($!)
    done
    wait "${told[@]}"
    ;;
  *)
    # shellcheck source=/dev/null
    source /acceptance/ring.sh
    ;;
esac
