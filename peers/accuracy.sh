#!/bin/bash
# SciPy's Radau and LSODA on pendulums under forces that are not smooth, in minimal coordinates: the rows of docs/accuracy.md.
#
#   peers/accuracy.sh < CASES          CASES as `cargo xtask accuracy` writes them; see accuracy.py
#
# PEERS_TMP    where SciPy is installed (default: a folder below the system's temporary one)
set -eu
cd "$(dirname "$0")"

command -v python3 > /dev/null || { echo "error: python3 is not installed" >&2; exit 2; }
tmp=${PEERS_TMP:-${TMPDIR:-/tmp}/alembert-peers}
mkdir -p "$tmp"
if [ ! -x "$tmp/scipy/bin/python" ] || ! "$tmp/scipy/bin/python" -c 'import scipy' 2> /dev/null; then
    python3 -m venv "$tmp/scipy"
    "$tmp/scipy/bin/pip" install --quiet scipy >&2
fi
OMP_NUM_THREADS=1 exec "$tmp/scipy/bin/python" accuracy.py
