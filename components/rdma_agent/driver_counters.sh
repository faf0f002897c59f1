#!/bin/sh
# Writes what drivers of RDMA devices count by names of their own, once every 15 seconds, as Prometheus' text.
# $SYSFS and $COUNTERS stand for /sys and /counters in tests; with $ONCE it ends after the first time.
set -eu
sysfs=${SYSFS:-/sys}
folder=${COUNTERS:-/counters}

write() {
    echo '# HELP rdma_driver_counter_total A file of hw_counters of an RDMA port.'
    echo '# TYPE rdma_driver_counter_total counter'
    for file in "$sysfs"/class/infiniband/*/ports/*/hw_counters/*; do
        counter=${file##*/}
        # How long readings are kept, and no count.
        [ -f "$file" ] && [ "$counter" != lifespan ] || continue
        read -r value <"$file" 2>/dev/null || continue
        case $value in '' | *[!0-9]*) continue ;; esac
        port=${file%/hw_counters/*}
        device=${port%/ports/*}
        echo "rdma_driver_counter_total{device=\"${device##*/}\",port=\"${port##*/}\",counter=\"$counter\"} $value"
    done
}

while :; do
    # At its name all at once: a file that is half there is not read.
    write >"$folder/driver.partial"
    mv "$folder/driver.partial" "$folder/driver.prom"
    [ -z "${ONCE:-}" ] || exit 0
    sleep 15
done
