# RADAU5 (Hairer and Wanner's Fortran program, through deSolve) on the pendulum and Andrews' mechanism, for peers/compare.sh.
#
#   Rscript radau5.R LIBRARY           the library is made from radau5_models.c; prints one JSON object a run
#
# Jacobians are differences. A time is the best of several averages over about 60 ms, less than which R's clock does not tell.
suppressMessages(library(deSolve))
path <- commandArgs(TRUE)[1]
dyn.load(path)
name <- sub("\\.so$", "", basename(path))

# How errors are measured on Andrews' mechanism: the angles at t = 0.03 from the Test Set for IVP Solvers.
andrews <- c(15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
             0.5347301163226948, 1.048080741042263)

average <- function(call, times) {
  begin <- proc.time()
  for (k in seq_len(times)) result <- call()
  taken <- proc.time() - begin
  list(result = result, cpu = (taken[["user.self"]] + taken[["sys.self"]]) / times)
}

run <- function(problem, form, which, n, l, t_end, tol, averages, first) {
  start <- .C("start_of", as.integer(which), q = double(n), a = double(n), lambda = double(l))
  stabilised <- form == "ggl"
  y <- c(start$q, rep(0, n), start$a, start$lambda, if (stabilised) rep(0, l))
  # How many unknowns have index 1, 2 and 3.
  index <- if (stabilised) c(2 * n, n + 2 * l, 0) else c(n, n, n + l)
  mass <- matrix(c(rep(1, 2 * n), rep(0, length(y) - 2 * n)), nrow = 1)
  call <- function() {
    .C("count_calls", double(1))
    try(radau(y = y, times = c(0, t_end), func = paste0(problem, "_", form), parms = 0, nind = index, rtol = tol, atol = tol,
              mass = mass, massup = 0, massdown = 0, jactype = "fullint", dllname = name, initfunc = "no_parameters",
              maxsteps = 1e7, hini = first), silent = TRUE)
  }
  once <- average(call, 1)
  if (inherits(once$result, "try-error")) return(invisible())
  times <- max(1, min(50, ceiling(0.06 / max(once$cpu, 1e-3))))
  cpu <- min(sapply(seq_len(averages), function(k) average(call, times)$cpu))
  end <- once$result[nrow(once$result), -1]
  call()
  calls <- .C("count_calls", n = double(1))$n
  counts <- attributes(once$result)$istate
  error <- if (which == 1) max(abs(end[1:7] / andrews - 1)) else -1
  cat(sprintf('{"peer":"RADAU5","prob":"%s","form":"%s","rtol":%g,"cpu":%.6g,"steps":%d,"fev":%d,"jev":%d,"lu":%d,"err":%.4g,"istate":[%d],"y":[%s]}\n',
              problem, form, tol, cpu, counts[2], as.integer(calls), counts[4], counts[10], error, counts[1],
              paste(sprintf("%.16g", end[1:(2 * n)]), collapse = ",")))
}

for (form in c("ind3", "ggl")) {
  for (tol in 10^-(3:10)) run("andrews", form, 1, 7, 6, 0.03, tol, 7, 1e-6)
  for (tol in 10^-(3:10)) run("pend", form, 0, 2, 1, 100, tol, 5, 0)
}
