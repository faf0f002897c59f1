# Waits for the logs and judges them. What the leading pod saw by itself is told before the judge's own words: it names
# the pod or the pair.
# shellcheck shell=sh
set -u
here=${0%/*}
if [ "${JOB_COMPLETION_INDEX:-0}" != 0 ]; then exec sleep infinity; fi
message=/dev/termination-log
deadline=$(($(date +%s) + SECONDS_IN_ALL))
until [ -e /results/done ] || [ "$(date +%s)" -ge "$deadline" ]; do sleep 1; done

logs=
for log in /results/pair-*.log; do
  [ -e "$log" ] && logs="$logs $log"
done
# shellcheck disable=SC2086 # a word a log
python3 "$here/run.py" judge ${logs:-/dev/null} --expect /expect/expectation.json --termination $message "$@"
code=$?
# Another thing than the outcome, which it cannot change: nodes that the pairs blame, and those that they clear.
if [ "${MARK_NODES:-}" ] && [ $code != 2 ]; then
  # shellcheck disable=SC2086
  python3 "$here/run.py" judge $logs --expect /expect/expectation.json --blame "$@" \
    | python3 "$here/run.py" "mark-$MARK_NODES" || true
fi
[ $code = 0 ] && exit 0

first=$(head -c 1500 /results/faults 2>/dev/null)
if [ ! -e /results/done ]; then
  first="finished: did not finish within $SECONDS_IN_ALL s; wanted a finished test${first:+
$first}"
elif [ $code = 2 ] && [ -z "$first" ]; then
  first=$(sed -n '1s/^/ran: /p' /results/ended 2>/dev/null)
fi
if [ -n "$first" ]; then
  said=$(cat $message)
  echo "$first"
  # Half a character would make the whole status of the pod invalid.
  printf '%s\n%s' "$first" "$said" | tr -cd '\n\t -~' | head -c 4096 > $message
fi
exit 1
