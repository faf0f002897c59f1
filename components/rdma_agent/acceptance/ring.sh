# The pod that leads: it finds out which node each member is on, runs nccl-tests over the pairs of each round, and
# leaves a log a pair. Sourced; the caller sets `members`, the members' names without their number, and `domain`.
# shellcheck shell=bash disable=SC2154,SC2086
# SC2154: the caller's names. SC2086: ssh, MPI_ARGS and exports are several words each.
trap 'touch /results/done' EXIT
: > /results/faults
: > /results/ended
mkdir -p /tmp/answers
ssh="ssh -p $SSH_PORT -o BatchMode=yes -o LogLevel=ERROR -o StrictHostKeyChecking=no"
ssh="$ssh -o UserKnownHostsFile=/dev/null -o ConnectTimeout=5"
host() { echo "$members$1.$domain"; }

# All at once: at 64 nodes, one dead node after the other would use up the time of those that live.
ask() {
  timeout 15 $ssh "$(host "$1")" cat /tmp/node > "/tmp/answers/$1.new" 2> "/tmp/answers/$1.why" \
    && [ -s "/tmp/answers/$1.new" ] && mv "/tmp/answers/$1.new" "/tmp/answers/$1"
}
everyone=$(seq 0 $((NODES - 1)))
deadline=$((SECONDS + READY_SECONDS))
while :; do
  asked=()
  for i in $everyone; do
    [ -e "/tmp/answers/$i" ] || { ask "$i" & asked+=($!); }
  done
  wait "${asked[@]}"
  silent=
  for i in $everyone; do
    [ -e "/tmp/answers/$i" ] || { silent="$silent $members$i"; last=$i; }
  done
  [ -n "$silent" ] || break
  if [ "$SECONDS" -ge "$deadline" ]; then
    why=$(tail -n 1 "/tmp/answers/$last.why")
    echo "ran: no answer within $READY_SECONDS s from$silent${why:+ ($why)}; wanted $NODES nodes" \
      | tee -a /results/faults
    exit 0
  fi
  sleep 2
done

# The verdict speaks of nodes, and two pods on one node show as one.
node() { cat "/tmp/answers/$1"; }
for i in $everyone; do
  echo "$members$i is on node $(node "$i")"
  printf 's/\\b%s\\b/%s/g\n' "$members$i" "$(node "$i")" >> /tmp/nodes.sed
done

# Nodes of one pool may be on several fabrics that do not reach each other: then every test would hang.
if [ -n "${FABRIC_OF_NODE:-}" ]; then
  for i in $everyone; do
    fabric=$(timeout 15 $ssh "$(host "$i")" cat /tmp/fabric 2> /dev/null)
    echo "node $(node "$i") is on fabric ${fabric:-(not told)}"
    [ -z "$fabric" ] || echo "$fabric $(node "$i")" >> /tmp/fabrics
  done
  if [ "$(cut -d ' ' -f 1 /tmp/fabrics 2> /dev/null | sort -u | wc -l)" -gt 1 ]; then
    each=$(awk '{ nodes[$1] = nodes[$1] " " $2 } END { for (f in nodes) print f ":" nodes[f] }' /tmp/fabrics | sort)
    echo "ran: nodes are on several fabrics, which do not reach each other: ${each//$'\n'/; }; wanted one fabric" \
      | tee -a /results/faults
    exit 0
  fi
fi

# NVLink ends at a rack: rounds are of places in the order of racks, and a pair of two racks is none.
mapfile -t place <<< "$everyone"
rack=()
if [ -n "${RACKS:-}" ]; then
  for i in $everyone; do
    echo "$(timeout 15 $ssh "$(host "$i")" cat /tmp/rack 2> /dev/null) $i"
  done | sort > /tmp/racks
  mapfile -t place < <(sed 's/.* //' /tmp/racks)
  mapfile -t rack < <(sed 's/ [0-9]*$//' /tmp/racks)
  seen=$(printf '%s\n' "${rack[@]}" | sort -u | wc -l)
  if [ "$seen" != "$RACKS" ]; then
    echo "ran: by nvidia-smi the nodes are in $seen NVLink domains; wanted $RACKS, the pool's racks" \
      | tee -a /results/faults
    exit 0
  fi
fi

# What a node knows to be wrong with its NICs says more than NCCL, which only hangs or falls back.
if [ -n "${CHECK_OF_NODE:-}" ]; then
  for i in $everyone; do
    wrong=$(timeout 15 $ssh "$(host "$i")" head -n 1 /tmp/check 2> /dev/null)
    [ -z "$wrong" ] || echo "ran: node $(node "$i"): $wrong; wanted NICs that can be used" | tee -a /results/faults
  done
  [ ! -s /results/faults ] || exit 0
fi

if [ -n "$SOURCE" ]; then
  set +u # a vendor's script may look at what is not set
  # shellcheck disable=SC1090
  source "$SOURCE"
  set -u
fi
# Between nodes of a rack: 1 wants NVLink, 0 the NICs alone, whatever the pod's environment says to programs.
[ -z "${NVLINK:-}" ] || export NCCL_MNNVL_ENABLE="$NVLINK"
export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET
# What an image or an operator chose for one mpirun over all hosts: Open MPI takes an interface to include or one to
# exclude, never both, and a host that is not in its default file is refused.
unset NCCL_DEBUG_FILE OMPI_MCA_btl_tcp_if_exclude OMPI_MCA_orte_default_hostfile
# Open MPI 5 starts its daemons by PRRTE, which has names of its own for what stands on the command line below.
export PRTE_MCA_plm_ssh_agent="$ssh" PRTE_MCA_plm_ssh_no_tree_spawn=1 PRTE_MCA_prte_keep_fqdn_hostnames=1
exports=$(printf -- ' -x %s' ${!NCCL*} ${!FI_*} ${!CUDA_DEVICE*} ${!SHARP_*} LD_LIBRARY_PATH PATH)

# One collective over a pair. What runs is said first: early nccl-tests do not name themselves.
measure() {
  local log="/results/pair-$1-$2${4:+-$4}.log" one two status
  one=$(host "$1") two=$(host "$2")
  echo "# $TESTS/$3_perf" > "$log"
  timeout -k 20 "$PAIR_SECONDS" "$MPIRUN" --allow-run-as-root \
    --host "$one:$GPUS,$two:$GPUS" -np $((2 * GPUS)) --bind-to none \
    --mca plm_rsh_agent "$ssh" --mca plm_rsh_no_tree_spawn 1 --mca orte_keep_fqdn_hostnames 1 \
    --mca btl self,tcp --mca btl_tcp_if_include eth0 $MPI_ARGS $exports \
    "$TESTS/$3_perf" -b "${LEAST_BYTES:-1G}" -e "$MOST_BYTES" -f 2 -g 1 -w 5 -n 20 -c 1 2>&1 \
    | sed -u -f /tmp/nodes.sed >> "$log"
  status=${PIPESTATUS[0]}
  case $status in
    0) return 0 ;;
    124 | 137)
      echo "Test timeout: mpirun was ended after $PAIR_SECONDS s" >> "$log"
      echo "finished: $(node "$1") and $(node "$2") did not finish $3 within $PAIR_SECONDS s; wanted a finished test" \
        | tee -a /results/faults
      ;;
    *)
      echo "mpirun of $(node "$1") and $(node "$2") ended with $status: $(tail -n 1 "$log" | cut -c 1-300)" \
        | tee -a /results/ended
      ;;
  esac
  return 1
}

# Where one collective fails, the others would take the time and tell no more.
pair() {
  measure "$1" "$2" "$COLLECTIVE" || return
  for also in ${ALSO:-}; do measure "$1" "$2" "$also" "$also" || return; done
}

while read -r round; do
  running=()
  for each in $round; do
    one=${each%,*} two=${each#*,}
    [ "${rack[one]:-}" = "${rack[two]:-}" ] || continue
    pair "${place[one]}" "${place[two]}" &
    running+=($!)
  done
  wait "${running[@]}"
done <<< "$ROUNDS"
cat /results/pair-*.log
