# Runs what the machine's metadata has for a proof, again and again. The script comes with the orders, so that a better one
# needs no new machine; where nothing was ever ordered there is none.
# shellcheck shell=bash
attributes=http://metadata.google.internal/computeMetadata/v1/instance/attributes
while :; do
  bash -c "$(curl -s --fail -H 'Metadata-Flavor: Google' "$attributes/nccl-acceptance-script")"
  [ -z "${ONCE:-}" ] || exit 0
  sleep 15
done
