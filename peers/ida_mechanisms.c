/* The pendulum and Andrews' mechanism with IDA, for peers/compare.sh.
 *
 *     ggl    q' = v - G^T mu,   M v' = f - G^T lambda,   0 = g,   0 = G v        the stabilised index-2 form
 *     ind1   q' = v,            the same,                0 = G v' + gamma        constraints differentiated twice
 *     ind3   q' = v,            the same,                0 = g
 *
 *     ida_mechanisms pend|andrews FORM RTOL T_END REPEATS        ALGFAC: factor of the tolerance of lambda and mu, VFAC: of v,
 *                                                                H0: first step
 *
 * Prints one JSON object in the manner of the other peers: the fastest repeat, counters, q and v at the end. */
#include "ida.h"
#include "mechanisms.h"

#include <stdio.h>

typedef enum { GGL, IND1, IND3 } form;
typedef struct {
    const mechanism *mechanism;
    form form;
} equations;

/* Angles of Andrews' mechanism at t = 0.03, from the Test Set for IVP Solvers. */
static const double ANGLES[7] = {15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                                 0.5244099658805304, 0.5347301163226948, 1.048080741042263};

static int residual(realtype t, N_Vector state, N_Vector slope, N_Vector out, void *data)
{
    (void)t;
    const equations *which = data;
    const int n = which->mechanism->q, l = which->mechanism->l;
    const double *q = N_VGetArrayPointer(state), *v = q + n, *lambda = v + n, *mu = lambda + l;
    const double *rate = N_VGetArrayPointer(slope);
    double *r = N_VGetArrayPointer(out);
    terms at;
    which->mechanism->evaluate(q, v, &at);
    for (int i = 0; i < n; i++) {
        double motion = rate[i] - v[i], balance = -at.force[i];
        for (int j = 0; j < n; j++)
            balance += at.mass[i * n + j] * rate[n + j];
        for (int j = 0; j < l; j++) {
            balance += at.jacobian[j * n + i] * lambda[j];
            motion += which->form == GGL ? at.jacobian[j * n + i] * mu[j] : 0.0;
        }
        r[i] = motion;
        r[n + i] = balance;
    }
    for (int j = 0; j < l; j++) {
        double speed = 0.0, acceleration = at.gamma[j];
        for (int i = 0; i < n; i++) {
            speed += at.jacobian[j * n + i] * v[i];
            acceleration += at.jacobian[j * n + i] * rate[n + i];
        }
        r[2 * n + j] = which->form == IND1 ? acceleration : at.g[j];
        if (which->form == GGL)
            r[2 * n + l + j] = speed;
    }
    return 0;
}

int main(int count, char **arguments)
{
    if (count != 6) {
        fprintf(stderr, "usage: %s pend|andrews ggl|ind1|ind3 RTOL T_END REPEATS\n", arguments[0]);
        return 2;
    }
    const char *name = arguments[1], *shape = arguments[2];
    equations which = {strcmp(name, "pend") ? &ANDREWS : &PENDULUM,
                       !strcmp(shape, "ggl") ? GGL : !strcmp(shape, "ind1") ? IND1 : IND3};
    const int n = which.mechanism->q, l = which.mechanism->l, size = 2 * n + (which.form == GGL ? 2 : 1) * l;
    double rtol = atof(arguments[3]), t_end = atof(arguments[4]), best = INFINITY, end[2 * MOST_Q];
    long steps = 0, residuals = 0, differences = 0, jacobians = 0, setups = 0;
    int flag = 0;
    SUNContext context = new_context();
    for (int repeat = 0; repeat < atoi(arguments[5]) && flag >= 0; repeat++) {
        N_Vector state = N_VNew_Serial(size, context), slope = N_VNew_Serial(size, context);
        N_Vector kind = N_VNew_Serial(size, context), atol = N_VNew_Serial(size, context);
        N_VConst(0.0, state), N_VConst(0.0, slope);
        for (int i = 0; i < size; i++) {
            int differential = i < (which.form == IND3 ? n : 2 * n);
            NV_Ith_S(kind, i) = differential;
            NV_Ith_S(atol, i) = rtol * (!differential ? setting("ALGFAC", 1.0) : i < n ? 1.0 : setting("VFAC", 1.0));
        }
        for (int i = 0; i < n; i++) {
            NV_Ith_S(state, i) = which.mechanism->q0[i];
            NV_Ith_S(slope, n + i) = which.mechanism->a0[i];
        }
        for (int j = 0; j < l; j++)
            NV_Ith_S(state, 2 * n + j) = which.mechanism->lambda0[j];
        double begin = cpu();
        void *ida = IDACreate(context);
        SUNMatrix matrix = SUNDenseMatrix(size, size, context);
        SUNLinearSolver solver = SUNLinSol_Dense(state, matrix, context);
        realtype reached;
        IDAInit(ida, residual, 0.0, state, slope);
        IDASetUserData(ida, &which);
        IDASVtolerances(ida, rtol, atol);
        IDASetId(ida, kind);
        if (which.form != IND1)
            IDASetSuppressAlg(ida, SUNTRUE);
        IDASetMaxNumSteps(ida, 100000000L);
        IDASetInitStep(ida, setting("H0", 0.0));
        keep_quiet(ida);
        IDASetLinearSolver(ida, solver, matrix);
        flag = IDASolve(ida, t_end, &reached, state, slope, IDA_NORMAL);
        double taken = cpu() - begin;
        best = taken < best ? taken : best;
        IDAGetNumSteps(ida, &steps);
        IDAGetNumResEvals(ida, &residuals);
        IDAGetNumLinResEvals(ida, &differences);
        IDAGetNumJacEvals(ida, &jacobians);
        IDAGetNumLinSolvSetups(ida, &setups);
        memcpy(end, N_VGetArrayPointer(state), 2 * n * sizeof(double));
        IDAFree(&ida);
        SUNLinSolFree(solver);
        SUNMatDestroy(matrix);
        N_VDestroy(state), N_VDestroy(slope), N_VDestroy(kind), N_VDestroy(atol);
    }
    double error = n == 7 ? 0.0 : -1.0;
    for (int i = 0; n == 7 && i < n; i++)
        error = fmax(error, fabs(end[i] / ANGLES[i] - 1.0));
    printf("{\"peer\":\"IDA\",\"prob\":\"%s\",\"form\":\"%s\",\"rtol\":%g,\"flag\":%d,\"cpu\":%.6g,\"steps\":%ld,\"fev\":%ld,"
           "\"jev\":%ld,\"lu\":%ld,\"err\":%.4g,\"y\":[",
           name, shape, rtol, flag, best, steps, residuals + differences, jacobians, setups, error);
    for (int i = 0; i < 2 * n; i++)
        printf("%s%.16g", i ? "," : "", end[i]);
    printf("]}\n");
    SUNContext_Free(&context);
    return 0;
}
