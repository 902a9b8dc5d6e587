#!/bin/bash
# Ours beside RADAU5 and IDA, in one session: pendulum to t = 100, Andrews' mechanism to t = 0.03, car axis to t = 3.
#
#   peers/compare.sh                   peers/setup.sh installs what it needs
#
# PEERS_TMP    where the peers' programs are built (default: a folder below the system's temporary one)
# ALEMBERT     the program to measure (default: built here with cargo build --release)
# REPEATS      repeats of each of our runs within a round, of which the fastest counts (default 40)
# ROUNDS       how often everybody is measured, in turn; the fastest round counts, for all alike (default 3)
#
# Needs gcc, SUNDIALS with its headers, R with deSolve, and python3. See docs/peers.md.
set -eu
cd "$(dirname "$0")/.."

need() {
    echo "error: $1 is not installed" >&2
    echo "hint: peers/setup.sh installs what is needed on Debian and Ubuntu" >&2
    exit 2
}
for tool in gcc Rscript python3; do
    command -v $tool > /dev/null || need $tool
done
Rscript -e 'library(deSolve)' > /dev/null 2>&1 || need "R's package deSolve"
echo '#include <ida/ida.h>' | gcc -E - > /dev/null 2>&1 || need SUNDIALS
export PEERS_TMP=${PEERS_TMP:-${TMPDIR:-/tmp}/alembert-peers} OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
mkdir -p "$PEERS_TMP"
rows=$(mktemp -d "$PEERS_TMP/rows.XXXXXX")
trap 'rm -rf "$rows"' EXIT

build_ida() {
    gcc -O3 -march=native -Wall -o "$PEERS_TMP/$1" "peers/$1.c" -lsundials_ida -lsundials_nvecserial \
        -lsundials_sunmatrixdense -lsundials_sunlinsoldense "$2" -lm
}
for program in ida_car_axis ida_mechanisms; do
    # What is common to the parts of SUNDIALS has another name since version 7.
    build_ida $program -lsundials_generic 2> /dev/null || build_ida $program -lsundials_core
done
gcc -O3 -march=native -Wall -shared -fPIC -o "$PEERS_TMP/radau5_models.so" peers/radau5_models.c -lm
if [ -z "${ALEMBERT:-}" ]; then
    cargo build --quiet --release -p alembert-cli
    ALEMBERT=${CARGO_TARGET_DIR:-target}/release/alembert
fi

ours() {
    for problem in andrews pendulum_horizontal car_axis; do
        "$ALEMBERT" compare $problem --methods radau5,bdf --repeats "${REPEATS:-40}" --json 2> /dev/null
    done
    # With the tolerance of velocities that IDA gets below.
    "$ALEMBERT" compare andrews --methods bdf --velocity-tolerance 1000 --repeats "${REPEATS:-40}" --json 2> /dev/null |
        sed 's/"method": *"bdf"/"method":"bdf, v x1000"/'
}

radau5() {
    # RADAU5 writes about runs that fail to the same place.
    Rscript peers/radau5.R "$PEERS_TMP/radau5_models.so" 2> /dev/null | grep '^{'
}

# Settings without which IDA fails or is slower, as found by trial; a run that still fails is shown as failed.
ida() {
    local ida="$PEERS_TMP/ida_mechanisms"
    for tol in 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8 1e-9 1e-10; do
        ALGFAC=1e6 VFAC=1e3 H0=1e-7 "$ida" andrews ggl $tol 0.03 15 || true
        # The same with one tolerance for positions and velocities, as ours gets it.
        ALGFAC=1e6 H0=1e-7 "$ida" andrews ggl $tol 0.03 15 | sed 's/"form":"ggl"/"form":"ggl, v x1"/' || true
        "$ida" andrews ind1 $tol 0.03 10 || true
        H0=1e-6 ALGFAC=1e6 "$ida" andrews ind3 $tol 0.03 10 || true
    done
    for tol in 1e-4 1e-6 1e-8 1e-10; do
        ALGFAC=1e3 H0=1e-4 "$ida" pend ggl $tol 100 5 || true
    done
    # Loose tolerances of multipliers or velocities make IDA's runs longer or less accurate here.
    for tol in 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8 1e-9 1e-10; do
        "$PEERS_TMP/ida_car_axis" $tol 3 10 || true
    done
}

# In turn, so that whoever else uses the machine disturbs all alike.
for round in $(seq "${ROUNDS:-3}"); do
    for who in ours radau5 ida; do
        echo "round $round: measuring $who" >&2
        $who >> "$rows/$who-rounds.jsonl"
    done
done

python3 peers/ratios.py "$rows/ours-rounds.jsonl" "$rows/radau5-rounds.jsonl" "$rows/ida-rounds.jsonl"
