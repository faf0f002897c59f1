# The launcher of the MPIJob leads.
# shellcheck shell=bash
set -u
domain=${HOSTNAME%-launcher} members=${HOSTNAME%-launcher}-worker-
# shellcheck source-path=SCRIPTDIR source=ring.sh
source "${BASH_SOURCE[0]%/*}/ring.sh"
