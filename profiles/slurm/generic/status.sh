#!/bin/sh
# Tell Snakemake's generic executor how a Slurm job fares: running, success or failed.
# squeue remembers an ended job for a while only (MinJobAge, 5 minutes by default); sacct, where
# there is accounting, remembers it for good.
state=$(squeue --noheader --states all --format %T --jobs "$1" 2>/dev/null)
[ -n "$state" ] || state=$(sacct --noheader --allocations --format State --jobs "$1" 2>/dev/null)

case $(echo "$state" | awk 'NR == 1 { print $1 }') in
COMPLETED) echo success ;;
PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED | REQUEUED | RESIZING | STOPPED) echo running ;;
*) echo failed ;;
esac
