/* The car axis in the stabilised index-2 form (Gear, Gupta, Leimkuhler) with IDA, for peers/compare.sh.
 *
 *     q' = v - G^T mu,   m v' = f(t,q) - G^T lambda,   0 = g(t,q),   0 = g_t + G v
 *
 * Equations and constants are those of crates/problems/src/car_axis.rs (Test Set for IVP Solvers).
 *
 *     ida_car_axis RTOL T_END REPEATS        ALGFAC: factor of the tolerance of lambda and mu, VFAC: of v, H0: first step
 *
 * Prints one JSON object in the manner of the other peers: the fastest repeat, counters, q at the end. */
#include "ida.h"

#include <math.h>
#include <stdio.h>

enum { Q = 4, L = 2, SIZE = 2 * Q + 2 * L };
static const double LENGTH = 1.0, REST = 0.5, MASS = 10.0 * 0.01 * 0.01 / 2.0, BUMP = 0.1, OMEGA = 10.0;

static int residual(realtype t, N_Vector state, N_Vector slope, N_Vector out, void *unused)
{
    (void)unused;
    const double *q = N_VGetArrayPointer(state), *v = q + Q, *lambda = v + Q, *mu = lambda + L;
    const double *rate = N_VGetArrayPointer(slope);
    double *r = N_VGetArrayPointer(out);
    double yb = BUMP * sin(OMEGA * t), xb = sqrt(LENGTH * LENGTH - yb * yb);
    double yb_t = BUMP * OMEGA * cos(OMEGA * t), xb_t = -yb * yb_t / xb;
    double arm[2][2] = {{q[0], q[1]}, {q[2] - xb, q[3] - yb}};
    double dx = q[0] - q[2], dy = q[1] - q[3];
    double jacobian[L][Q] = {{xb, yb, 0.0, 0.0}, {2 * dx, 2 * dy, -2 * dx, -2 * dy}};
    for (int i = 0; i < Q; i++) {
        double length = hypot(arm[i / 2][0], arm[i / 2][1]);
        double force = (REST - length) * arm[i / 2][i % 2] / length - (i % 2 ? MASS : 0.0);
        r[i] = rate[i] - v[i];
        r[Q + i] = MASS * rate[Q + i] - force;
        for (int j = 0; j < L; j++) {
            r[i] += jacobian[j][i] * mu[j];
            r[Q + i] += jacobian[j][i] * lambda[j];
        }
    }
    r[2 * Q] = q[0] * xb + q[1] * yb;
    r[2 * Q + 1] = dx * dx + dy * dy - LENGTH * LENGTH;
    for (int j = 0; j < L; j++) {
        r[2 * Q + L + j] = j == 0 ? q[0] * xb_t + q[1] * yb_t : 0.0;
        for (int i = 0; i < Q; i++)
            r[2 * Q + L + j] += jacobian[j][i] * v[i];
    }
    return 0;
}

int main(int count, char **arguments)
{
    if (count != 4) {
        fprintf(stderr, "usage: %s RTOL T_END REPEATS\n", arguments[0]);
        return 2;
    }
    double rtol = atof(arguments[1]), t_end = atof(arguments[2]), best = INFINITY, end[Q] = {NAN, NAN, NAN, NAN};
    long steps = 0, residuals = 0, differences = 0, jacobians = 0, setups = 0;
    int flag = 0;
    SUNContext context = new_context();
    for (int repeat = 0; repeat < atoi(arguments[3]) && flag >= 0; repeat++) {
        N_Vector state = N_VNew_Serial(SIZE, context), slope = N_VNew_Serial(SIZE, context);
        N_Vector kind = N_VNew_Serial(SIZE, context), atol = N_VNew_Serial(SIZE, context);
        const double start[Q] = {0.0, 0.5, 1.0, 0.5}, speed[Q] = {-0.5, 0.0, -0.5, 0.0};
        N_VConst(0.0, state), N_VConst(0.0, slope);
        for (int i = 0; i < SIZE; i++) {
            NV_Ith_S(kind, i) = i < 2 * Q ? 1.0 : 0.0;
            NV_Ith_S(atol, i) = rtol * (i < Q ? 1.0 : i < 2 * Q ? setting("VFAC", 1.0) : setting("ALGFAC", 1.0));
        }
        for (int i = 0; i < Q; i++) {
            NV_Ith_S(state, i) = start[i];
            NV_Ith_S(state, Q + i) = NV_Ith_S(slope, i) = speed[i];
        }
        double begin = cpu();
        void *ida = IDACreate(context);
        SUNMatrix matrix = SUNDenseMatrix(SIZE, SIZE, context);
        SUNLinearSolver solver = SUNLinSol_Dense(state, matrix, context);
        realtype reached;
        IDAInit(ida, residual, 0.0, state, slope);
        IDASVtolerances(ida, rtol, atol);
        IDASetId(ida, kind);
        IDASetSuppressAlg(ida, SUNTRUE);
        IDASetMaxNumSteps(ida, 10000000L);
        IDASetInitStep(ida, setting("H0", 0.0));
        keep_quiet(ida);
        IDASetLinearSolver(ida, solver, matrix);
        /* Accelerations and multipliers of the start follow from the equations. */
        flag = IDACalcIC(ida, IDA_YA_YDP_INIT, 1e-3);
        if (flag >= 0)
            flag = IDASolve(ida, t_end, &reached, state, slope, IDA_NORMAL);
        double taken = cpu() - begin;
        best = taken < best ? taken : best;
        IDAGetNumSteps(ida, &steps);
        IDAGetNumResEvals(ida, &residuals);
        IDAGetNumLinResEvals(ida, &differences);
        IDAGetNumJacEvals(ida, &jacobians);
        IDAGetNumLinSolvSetups(ida, &setups);
        for (int i = 0; i < Q; i++)
            end[i] = NV_Ith_S(state, i);
        IDAFree(&ida);
        SUNLinSolFree(solver);
        SUNMatDestroy(matrix);
        N_VDestroy(state), N_VDestroy(slope), N_VDestroy(kind), N_VDestroy(atol);
    }
    printf("{\"peer\":\"IDA\",\"prob\":\"car_axis\",\"form\":\"ggl\",\"rtol\":%g,\"flag\":%d,\"cpu\":%.6g,\"steps\":%ld,"
           "\"fev\":%ld,\"jev\":%ld,\"lu\":%ld,\"y\":[%.16g,%.16g,%.16g,%.16g]}\n",
           rtol, flag, best, steps, residuals + differences, jacobians, setups, end[0], end[1], end[2], end[3]);
    SUNContext_Free(&context);
    return 0;
}
