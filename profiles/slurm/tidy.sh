#!/bin/sh
# After Snakemake was killed: end the Slurm jobs that it left behind in this folder, wait until they
# are gone, and remove its lock. Run it in the folder in which Snakemake ran, then run that again.
set -eu

left_behind() {
    squeue --noheader --user "$(id -un)" --states pending,running,suspended,completing \
        --format "%i|%j|%Z" | awk -F '|' -v here="$PWD" '$2 ~ /^lincon/ && $3 == here { print $1 }'
}

jobs=$(left_behind)
if [ -n "$jobs" ]; then
    echo "cancelling Slurm jobs: $(echo "$jobs" | tr '\n' ' ')"
    # shellcheck disable=SC2086 # one word a job
    scancel $jobs
    while [ -n "$(left_behind)" ]; do sleep 1; done
fi
# As the pipeline was started: the same --configfile and --snakefile, if any.
snakemake --unlock "$@"
