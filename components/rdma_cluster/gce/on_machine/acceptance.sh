# Follows an order to test that it has not followed yet, and leaves the verdict in the guest attributes, where `up` reads
# it. The order is `ID IMAGE`: a name that changes with all that is proved, and an image with Python, which unpacks the
# files of the test and judges. A machine that is started again has nothing new to prove.
# shellcheck shell=bash
set -u
metadata=http://metadata.google.internal/computeMetadata/v1/instance
work=${WORK:-/var/lib/rdma-cluster}
again=${AGAIN_SECONDS:-15}
get() { curl -sS --fail -H 'Metadata-Flavor: Google' "$metadata/$1"; }

# All images, before any clock runs.
fetch() {
  local image
  for image in $(get attributes/container-images); do
    docker image inspect "$image" > /dev/null 2>&1 || docker pull --quiet "$image" || return
  done
}

# The files of the order, as JSON by path; the machine that leads has the judge's besides.
unpack() {
  rm -rf "$work/run"
  mkdir -p "$work/run/results" "$work/run/fabric" "$work/run/plain"
  {
    get attributes/nccl-acceptance-files
    get attributes/nccl-acceptance-judge 2> /dev/null
    get attributes/nccl-acceptance-judge-2 2> /dev/null
  } | docker run --rm --interactive --network none --volume "$work/run:/run/order" \
    "$python" python3 -c '
import json, pathlib, sys
files, rest = {}, sys.stdin.read()
while rest:
    more, end = json.JSONDecoder().raw_decode(rest)
    files, rest = {**files, **more}, rest[end:].lstrip()
for name, text in files.items():
    path = pathlib.Path("/run/order", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
'
}

# The test image with all GPUs and NICs of the machine; $1 says what to do, $2 where results go.
contain() {
  docker rm --force "nccl-$1" > /dev/null 2>&1
  docker run --rm --name "nccl-$1" "${words[@]}" --cap-add SYS_NICE \
    --env NODE_NAME="$(get name)" --env DOMAIN="$domain" \
    --volume "$work/run/scripts:/acceptance:ro" --volume "$work/run/$2:/results" \
    "$TEST_IMAGE" bash /acceptance/node.sh "$1"
}

# The judge may read, and write down one message.
judge() {
  : > "$work/run/message"
  chmod 666 "$work/run/message"
  # shellcheck disable=SC2086 # WAIVERS are several words
  docker run --rm --name nccl-verdict --network none --user 65534 --read-only --cap-drop ALL \
    --env SECONDS_IN_ALL="$SECONDS_IN_ALL" --volume "$work/run/judge:/judge:ro" \
    --volume "$work/run/expect:/expect:ro" --volume "$work/run/results:/results:ro" \
    --volume "$work/run/message:/dev/termination-log" "$python" sh /judge/judge.sh $WAIVERS
}

# With the plugin and without it, for people; no verdict: of small messages no figure is one of the wire.
compare() {
  contain fabric fabric >&2
  contain plain plain >&2
  docker run --rm --network none --user 65534 --read-only --cap-drop ALL \
    --volume "$work/run/judge:/judge:ro" --volume "$work/run/fabric:/fabric:ro" --volume "$work/run/plain:/plain:ro" \
    "$python" python3 /judge/run.py compare GPUDirect-TCPX /fabric/pair-0-1.log /plain/pair-0-1.log
}

lead() {
  local code=0 status=failed
  contain proof results &
  judge || code=$?
  [ "$code" != 0 ] || status=proven
  docker rm --force nccl-proof > /dev/null 2>&1
  wait
  {
    echo "$id $status"
    cat "$work/run/message"
    echo
    [ -z "$COMPARE" ] || [ "$code" != 0 ] || compare
  } > "$work/run/verdict"
  contain over results
  cat "$work/run/verdict"
  until curl -sS --fail -X PUT --data-binary "@$work/run/verdict" -H 'Metadata-Flavor: Google' \
    "$metadata/guest-attributes/nccl-acceptance/verdict"; do sleep "$again"; done
}

mkdir -p "$work"
mapfile -t words < /etc/rdma-cluster/container
read -r id python <<< "$(get attributes/nccl-acceptance)"
if [ -n "$id" ] && [ "$id" != "$(cat "$work/done" 2> /dev/null)" ] && fetch && unpack; then
  domain=$(get hostname)
  domain=${domain#*.}
  # shellcheck source=/dev/null
  source "$work/run/scripts/env.sh"
  if [ -e "$work/run/expect/expectation.json" ]; then lead; else contain lend results; fi
  echo "$id" > "$work/done"
fi
