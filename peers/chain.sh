#!/bin/bash
# Ours beside IDA with KLU on long chains, in one session, everybody in turn; ratios beside their limits.
#
#   peers/chain.sh                     peers/setup.sh installs what it needs
#
# PEERS_TMP        where their programs are built (default: a folder below the system's temporary one)
# XTASK            our program (default: built here with cargo build --release -p xtask)
# ROUNDS           how often everybody is measured, in turn; the fastest round counts, for all alike (default 3)
# EXUDYN_PYTHON    a python with exudyn and numpy, for its errors at the same step (default: left out)
#
# Needs gcc, SUNDIALS and SuiteSparse with their headers, and python3. See docs/large-systems.md.
set -eu
cd "$(dirname "$0")/.."

need() {
    echo "error: $1 is not installed" >&2
    echo "hint: peers/setup.sh installs what is needed on Debian and Ubuntu" >&2
    exit 2
}
for tool in gcc python3; do
    command -v $tool > /dev/null || need $tool
done
# Debian keeps the headers of SuiteSparse, which those of SUNDIALS include, in a folder of their own.
include=-I/usr/include/suitesparse
echo '#include <sunlinsol/sunlinsol_klu.h>' | gcc $include -E - > /dev/null 2>&1 || need "SUNDIALS with KLU"
export PEERS_TMP=${PEERS_TMP:-${TMPDIR:-/tmp}/alembert-peers} OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
mkdir -p "$PEERS_TMP"

build_ida() {
    gcc -O3 -march=native -Wall $include -o "$PEERS_TMP/ida_chain" peers/ida_chain.c -lsundials_ida -lsundials_nvecserial \
        -lsundials_sunmatrixsparse -lsundials_sunlinsolklu "$1" -lklu -lm
}
# What is common to the parts of SUNDIALS has another name since version 7.
build_ida -lsundials_generic 2> /dev/null || build_ida -lsundials_core
if [ -z "${XTASK:-}" ]; then
    cargo build --quiet --release -p xtask
    XTASK=${CARGO_TARGET_DIR:-target}/release/xtask
fi
export XTASK
python3 peers/chain.py "${ROUNDS:-3}"
