#!/bin/bash
# Ours from Python beside scipy_dae, scikit-sundae (IDA), exudyn and SciPy, in one session, one thread: times, errors, lines of user code.
#
#   peers/python.sh [--json FILE] [--only WORD] [--rounds N] [--no-program]     needs python3 with venv, and the package index at first
#
# PEERS_TMP        where a venv with the peers and our package is made (default: a folder below the system's temporary one)
# PEERS_PYTHON     a python that has them already
# PEERS_ALEMBERT   the program that Python is compared with (default: target/release/alembert, or the one of our package)
# PEERS_WHEEL      a wheel of our package, whose size is told; it is installed instead of what `pip install .` builds
#
# See docs/python.md. A peer that cannot be imported is left out; one that fails at a problem is shown with what it says.
set -eu
cd "$(dirname "$0")/.."

export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1
if [ -z "${PEERS_PYTHON:-}" ]; then
    folder=${PEERS_TMP:-${TMPDIR:-/tmp}/alembert-peers}
    PEERS_PYTHON=$folder/python/bin/python
    if [ ! -x "$PEERS_PYTHON" ]; then
        mkdir -p "$folder"
        python3 -m venv "$folder/python" || {
            echo "error: python3 with venv is not installed" >&2
            echo "hint: peers/setup.sh installs what is needed on Debian and Ubuntu" >&2
            exit 2
        }
        for package in numpy scipy numba scipy-dae scikit-sundae exudyn; do
            "$PEERS_PYTHON" -m pip install --quiet "$package" || echo "$package cannot be installed, and is left out" >&2
        done
    fi
    # Ours changes and keeps its version, so that pip has to be told.
    "$PEERS_PYTHON" -m pip uninstall --quiet --yes alembert 2>/dev/null || true
    "$PEERS_PYTHON" -m pip install --quiet "${PEERS_WHEEL:-.}" || {
        echo "error: our own package cannot be built" >&2
        echo "hint: pip install . needs a Rust toolchain; PEERS_WHEEL names a wheel that is there already" >&2
        exit 2
    }
fi
exec "$PEERS_PYTHON" peers/python "$@"
