#!/bin/sh
# For vernier-reduce: 1 if the graph is valid and has a rotation.
vernier-opt "$1" -o /dev/null 2> /dev/null || exit 0
! grep -q 'vernier.rope' "$1"
