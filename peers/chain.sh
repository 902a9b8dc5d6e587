#!/bin/bash
# Ours beside IDA with KLU on long chains, in one session, everybody in turn; ratios beside their limits.
#
#   peers/chain.sh FOLDER              FOLDER (or PEERS) holds the peers' scripts: c/build.sh, py/exudyn_chain.py
#
# PEERS_TMP        where their programs are built (default: a folder below the system's temporary one)
# XTASK            our program (default: built here with cargo build --release -p xtask)
# ROUNDS           how often everybody is measured, in turn; the fastest round counts, for all alike (default 3)
# EXUDYN_PYTHON    a python with exudyn and numpy, for its errors at the same step (default: left out)
#
# Needs gcc, the development files of SUNDIALS and SuiteSparse, and python3. See docs/large-systems.md.
set -eu
cd "$(dirname "$0")/.."

folder=${1:-${PEERS:-}}
if [ -z "$folder" ] || [ ! -f "$folder/c/build.sh" ]; then
    echo "error: no peers in '${folder:-}'" >&2
    echo "hint: name the folder with c/build.sh, or set PEERS" >&2
    exit 2
fi
for tool in gcc python3; do
    command -v $tool > /dev/null || { echo "error: $tool is not installed" >&2; exit 2; }
done
export PEERS_TMP=${PEERS_TMP:-${TMPDIR:-/tmp}/alembert-peers} OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
mkdir -p "$PEERS_TMP"
[ -x "$PEERS_TMP/peers_build/ida_bench" ] || bash "$folder/c/build.sh"
if [ -z "${XTASK:-}" ]; then
    cargo build --quiet --release -p xtask
    XTASK=${CARGO_TARGET_DIR:-target}/release/xtask
fi
export XTASK
python3 peers/chain.py "$folder" "${ROUNDS:-3}"
