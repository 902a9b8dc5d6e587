#!/bin/bash
# Mechanisms of bodies and joints beside exudyn, MuJoCo and Drake, in one session, one thread, everybody in turn; ratios beside their limits.
#
#   peers/mechanisms.sh [SIZES...]     links of the chains (default 10 100 1000 10000); needs python3 with venv, and the package index at first
#
# PEERS_TMP        where a venv with exudyn, mujoco and drake is made (default: a folder below the system's temporary one)
# PEERS_PYTHON     a python that has them already
# XTASK            our program (default: built here with cargo build --release -p xtask)
# LIMIT, MEMORY    seconds and GB after which a peer's run is stopped, and the table says so (default 120 and 8)
# ROUNDS           how often everybody is measured, in turn; the fastest round counts, for all alike (default 3)
#
# See docs/peers.md. A peer that cannot be imported is left out.
set -eu
cd "$(dirname "$0")/.."

export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
if [ -z "${PEERS_PYTHON:-}" ]; then
    folder=${PEERS_TMP:-${TMPDIR:-/tmp}/alembert-peers}
    PEERS_PYTHON=$folder/mechanisms/bin/python
    if [ ! -x "$PEERS_PYTHON" ]; then
        mkdir -p "$folder"
        python3 -m venv "$folder/mechanisms" || {
            echo "error: python3 with venv is not installed" >&2
            echo "hint: peers/setup.sh installs what is needed on Debian and Ubuntu" >&2
            exit 2
        }
        for package in numpy exudyn mujoco drake; do
            "$PEERS_PYTHON" -m pip install --quiet "$package" || echo "$package cannot be installed, and is left out" >&2
        done
    fi
fi
if [ -z "${XTASK:-}" ]; then
    cargo build --quiet --release -p xtask
    XTASK=${CARGO_TARGET_DIR:-target}/release/xtask
fi
export XTASK PEERS_PYTHON
exec "$PEERS_PYTHON" peers/mechanisms.py "${ROUNDS:-3}" "$@"
