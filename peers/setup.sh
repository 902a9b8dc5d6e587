#!/bin/bash
# Installs what peers/compare.sh and peers/chain.sh need, on Debian or Ubuntu: a C compiler, SUNDIALS (IDA), SuiteSparse (KLU),
# R with deSolve (RADAU5), python3 with venv (for SciPy in peers/accuracy.sh).
#
#   peers/setup.sh                     as root, or as somebody who may use sudo
#
# R packages come from the distribution; where it has no deSolve, from CRAN, which takes a Fortran compiler and some minutes.
set -eu

if ! command -v apt-get > /dev/null; then
    echo "error: there is no apt-get" >&2
    echo "hint: install gcc, python3, SUNDIALS and SuiteSparse with their headers, R and its package deSolve by hand; the scripts need no more" >&2
    exit 2
fi
as_root=""
[ "$(id -u)" = 0 ] || as_root=sudo
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# Recommended packages are left out: SUNDIALS' include MPI, R's a desktop.
$as_root apt-get install -y -qq --no-install-recommends gcc libc6-dev python3 python3-venv libsundials-dev libsuitesparse-dev r-base-core
if ! Rscript -e 'library(deSolve)' > /dev/null 2>&1; then
    $as_root apt-get install -y -qq --no-install-recommends r-cran-desolve || {
        $as_root apt-get install -y -qq --no-install-recommends r-base-dev
        $as_root Rscript -e 'install.packages("deSolve", repos = "https://cloud.r-project.org")'
    }
fi
Rscript -e 'suppressMessages(library(deSolve)); cat("deSolve", format(packageVersion("deSolve")), "\n")'
