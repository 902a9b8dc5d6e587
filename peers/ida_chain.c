/* The chain of crates/problems/src/long_chain.rs (without springs and dampers) with IDA and KLU, for peers/chain.sh.
 *
 *     q' = v - G^T mu,   M v' = f - G^T lambda,   0 = g,   0 = G v        the stabilised index-2 form
 *
 *     ida_chain BARS RTOL T_END REPEATS [LONGEST_STEP]       ALGFAC: factor of the tolerance of lambda and mu, H0: first step,
 *                                                            CHAIN_OUT: file for x, y, angle, x', y', angle' of each bar
 *
 * Bar i has its centre at (x, y), and its joint with the bar before it is g_i = tip of i - 1 less base of i. With (c, s) half
 * of the cosine and sine of its angle, its own joint sees [-1 0 -s; 0 -1 c], the next one [1 0 -s; 0 1 c]. The Jacobian is
 * written by hand, column by column. Prints one JSON object in the manner of the other peers. */
#include "ida.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

/* Unknowns of a bar, in this order. */
enum { X, Y, ANGLE, VX, VY, SPIN, LX, LY, MX, MY, UNKNOWNS };
/* Entries of the Jacobian that a bar has at most. */
enum { ENTRIES = 46 };

static const double MASS = 1.0, INERTIA = 1.0 / 12.0, GRAVITY = 9.81, START = -M_PI / 4;
static int bars;

static int residual(realtype t, N_Vector state, N_Vector slope, N_Vector out, void *data)
{
    (void)t, (void)data;
    static const double none[UNKNOWNS] = {0.0};
    const double *y = N_VGetArrayPointer(state), *rate = N_VGetArrayPointer(slope);
    double *r = N_VGetArrayPointer(out), tip_x = 0.0, tip_y = 0.0, tip_vx = 0.0, tip_vy = 0.0;
    for (int i = 0; i < bars; i++, y += UNKNOWNS, rate += UNKNOWNS, r += UNKNOWNS) {
        const double *next = i + 1 < bars ? y + UNKNOWNS : none;
        double c = 0.5 * cos(y[ANGLE]), s = 0.5 * sin(y[ANGLE]);
        r[X] = rate[X] - y[VX] - y[MX] + next[MX];
        r[Y] = rate[Y] - y[VY] - y[MY] + next[MY];
        r[ANGLE] = rate[ANGLE] - y[SPIN] - s * (y[MX] + next[MX]) + c * (y[MY] + next[MY]);
        r[VX] = MASS * rate[VX] - y[LX] + next[LX];
        r[VY] = MASS * (rate[VY] + GRAVITY) - y[LY] + next[LY];
        r[SPIN] = INERTIA * rate[SPIN] - s * (y[LX] + next[LX]) + c * (y[LY] + next[LY]);
        r[LX] = tip_x - y[X] + c;
        r[LY] = tip_y - y[Y] + s;
        r[MX] = tip_vx - y[VX] - s * y[SPIN];
        r[MY] = tip_vy - y[VY] + c * y[SPIN];
        tip_x = y[X] + c, tip_y = y[Y] + s;
        tip_vx = y[VX] - s * y[SPIN], tip_vy = y[VY] + c * y[SPIN];
    }
    return 0;
}

typedef struct {
    sunindextype *rows;
    double *values;
    long count;
} columns;

static void put(columns *to, long row, double value)
{
    to->rows[to->count] = row;
    to->values[to->count++] = value;
}

static int jacobian(realtype t, realtype cj, N_Vector state, N_Vector slope, N_Vector r, SUNMatrix matrix, void *data, N_Vector w1,
                    N_Vector w2, N_Vector w3)
{
    (void)t, (void)slope, (void)r, (void)data, (void)w1, (void)w2, (void)w3;
    static const double none[UNKNOWNS] = {0.0};
    const double *y = N_VGetArrayPointer(state);
    SUNMatZero(matrix);
    sunindextype *first = SUNSparseMatrix_IndexPointers(matrix);
    columns to = {SUNSparseMatrix_IndexValues(matrix), SUNSparseMatrix_Data(matrix), 0};
    double c_before = 0.0, s_before = 0.0;
    for (int i = 0; i < bars; i++, y += UNKNOWNS) {
        const int last = i + 1 == bars;
        const double *other = last ? none : y + UNKNOWNS;
        const long own = (long)UNKNOWNS * i, next = own + UNKNOWNS, before = own - UNKNOWNS;
        double c = 0.5 * cos(y[ANGLE]), s = 0.5 * sin(y[ANGLE]);
        for (int axis = 0; axis < 2; axis++) {
            first[own + X + axis] = to.count;
            put(&to, own + X + axis, cj);
            put(&to, own + LX + axis, -1.0);
            if (!last)
                put(&to, next + LX + axis, 1.0);
        }
        first[own + ANGLE] = to.count;
        put(&to, own + ANGLE, cj - c * (y[MX] + other[MX]) - s * (y[MY] + other[MY]));
        put(&to, own + SPIN, -c * (y[LX] + other[LX]) - s * (y[LY] + other[LY]));
        for (int end = 0; end < (last ? 1 : 2); end++) {
            long joint = end ? next : own;
            put(&to, joint + LX, -s);
            put(&to, joint + LY, c);
            put(&to, joint + MX, -c * y[SPIN]);
            put(&to, joint + MY, -s * y[SPIN]);
        }
        for (int axis = 0; axis < 2; axis++) {
            first[own + VX + axis] = to.count;
            put(&to, own + X + axis, -1.0);
            put(&to, own + VX + axis, cj * MASS);
            put(&to, own + MX + axis, -1.0);
            if (!last)
                put(&to, next + MX + axis, 1.0);
        }
        first[own + SPIN] = to.count;
        put(&to, own + ANGLE, -1.0);
        put(&to, own + SPIN, cj * INERTIA);
        for (int end = 0; end < (last ? 1 : 2); end++) {
            put(&to, (end ? next : own) + MX, -s);
            put(&to, (end ? next : own) + MY, c);
        }
        /* lambda in the rows of v, mu in those of q. */
        for (int kind = 0; kind < 2; kind++) {
            const int row = kind ? X : VX;
            for (int axis = 0; axis < 2; axis++) {
                first[own + (kind ? MX : LX) + axis] = to.count;
                if (i > 0) {
                    put(&to, before + row + axis, 1.0);
                    put(&to, before + row + 2, axis ? c_before : -s_before);
                }
                put(&to, own + row + axis, -1.0);
                put(&to, own + row + 2, axis ? c : -s);
            }
        }
        c_before = c, s_before = s;
    }
    first[(long)UNKNOWNS * bars] = to.count;
    return 0;
}

/* Multipliers and accelerations of the chain at rest: G M^-1 G^T lambda = G M^-1 f is block tridiagonal. All bars have the
 * same angle, so blocks are I/m + p p^T/J on the diagonal, once or twice, and -I/m + p p^T/J beside it. */
static void start(double *y, double *rate)
{
    double c = 0.5 * cos(START), s = 0.5 * sin(START), xx = s * s / INERTIA, xy = -c * s / INERTIA, yy = c * c / INERTIA;
    double beside[3] = {xx - 1.0 / MASS, xy, yy - 1.0 / MASS};
    /* Inverses of the pivots (xx, xy, yy), from the free end to the hinge: only there is a right-hand side. */
    double (*inverse)[3] = malloc(sizeof(double[3]) * bars);
    for (int i = bars - 1; i >= 0; i--) {
        double twice = i > 0 ? 2.0 : 1.0;
        double d[3] = {twice * (xx + 1.0 / MASS), twice * xy, twice * (yy + 1.0 / MASS)};
        if (i + 1 < bars) {
            const double *e = inverse[i + 1], *b = beside;
            double p[2][2] = {{b[0] * e[0] + b[1] * e[1], b[0] * e[1] + b[1] * e[2]},
                              {b[1] * e[0] + b[2] * e[1], b[1] * e[1] + b[2] * e[2]}};
            d[0] -= p[0][0] * b[0] + p[0][1] * b[1];
            d[1] -= p[0][0] * b[1] + p[0][1] * b[2];
            d[2] -= p[1][0] * b[1] + p[1][1] * b[2];
        }
        double determinant = d[0] * d[2] - d[1] * d[1];
        inverse[i][0] = d[2] / determinant, inverse[i][1] = -d[1] / determinant, inverse[i][2] = d[0] / determinant;
    }
    double right[2] = {0.0, GRAVITY};
    for (int i = 0; i < bars; i++) {
        double *at = y + (long)UNKNOWNS * i;
        at[X] = (2 * i + 1) * c, at[Y] = (2 * i + 1) * s, at[ANGLE] = START;
        at[LX] = inverse[i][0] * right[0] + inverse[i][1] * right[1];
        at[LY] = inverse[i][1] * right[0] + inverse[i][2] * right[1];
        right[0] = -beside[0] * at[LX] - beside[1] * at[LY];
        right[1] = -beside[1] * at[LX] - beside[2] * at[LY];
    }
    for (int i = 0; i < bars; i++) {
        const double *at = y + (long)UNKNOWNS * i;
        double *a = rate + (long)UNKNOWNS * i, nx = i + 1 < bars ? at[UNKNOWNS + LX] : 0.0, ny = i + 1 < bars ? at[UNKNOWNS + LY] : 0.0;
        a[VX] = (at[LX] - nx) / MASS;
        a[VY] = (at[LY] - ny) / MASS - GRAVITY;
        a[SPIN] = (s * (at[LX] + nx) - c * (at[LY] + ny)) / INERTIA;
    }
    free(inverse);
}

/* Memory at its peak, in MB. */
static double peak(void)
{
    double found = 0.0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "VmHWM:", 6))
            found = atof(line + 6) / 1024.0;
    if (file)
        fclose(file);
    return found;
}

int main(int count, char **arguments)
{
    if (count != 5 && count != 6) {
        fprintf(stderr, "usage: %s BARS RTOL T_END REPEATS [LONGEST_STEP]\n", arguments[0]);
        return 2;
    }
    bars = atoi(arguments[1]);
    const long size = (long)UNKNOWNS * bars;
    double rtol = atof(arguments[2]), t_end = atof(arguments[3]), longest = count > 5 ? atof(arguments[5]) : 0.0, best = INFINITY;
    long steps = 0, residuals = 0, differences = 0, jacobians = 0, setups = 0;
    int flag = 0;
    double *end = calloc(size, sizeof(double));
    SUNContext context = new_context();
    for (int repeat = 0; repeat < atoi(arguments[4]) && flag >= 0; repeat++) {
        N_Vector state = N_VNew_Serial(size, context), slope = N_VNew_Serial(size, context);
        N_Vector kind = N_VNew_Serial(size, context), atol = N_VNew_Serial(size, context);
        N_VConst(0.0, state), N_VConst(0.0, slope);
        for (long i = 0; i < size; i++) {
            int differential = i % UNKNOWNS < LX;
            NV_Ith_S(kind, i) = differential;
            NV_Ith_S(atol, i) = rtol * (differential ? 1.0 : setting("ALGFAC", 1.0));
        }
        start(N_VGetArrayPointer(state), N_VGetArrayPointer(slope));
        double begin = cpu();
        void *ida = IDACreate(context);
        SUNMatrix matrix = SUNSparseMatrix(size, size, (long)ENTRIES * bars, CSC_MAT, context);
        SUNLinearSolver solver = SUNLinSol_KLU(state, matrix, context);
        realtype reached;
        IDAInit(ida, residual, 0.0, state, slope);
        IDASVtolerances(ida, rtol, atol);
        IDASetId(ida, kind);
        IDASetSuppressAlg(ida, SUNTRUE);
        IDASetMaxNumSteps(ida, 100000000L);
        IDASetInitStep(ida, setting("H0", 0.0));
        if (longest > 0.0)
            IDASetMaxStep(ida, longest);
        keep_quiet(ida);
        IDASetLinearSolver(ida, solver, matrix);
        IDASetJacFn(ida, jacobian);
        flag = IDASolve(ida, t_end, &reached, state, slope, IDA_NORMAL);
        double taken = cpu() - begin;
        best = taken < best ? taken : best;
        IDAGetNumSteps(ida, &steps);
        IDAGetNumResEvals(ida, &residuals);
        IDAGetNumLinResEvals(ida, &differences);
        IDAGetNumJacEvals(ida, &jacobians);
        IDAGetNumLinSolvSetups(ida, &setups);
        memcpy(end, N_VGetArrayPointer(state), size * sizeof(double));
        IDAFree(&ida);
        SUNLinSolFree(solver);
        SUNMatDestroy(matrix);
        N_VDestroy(state), N_VDestroy(slope), N_VDestroy(kind), N_VDestroy(atol);
    }
    printf("{\"peer\":\"IDA\",\"prob\":\"chain\",\"form\":\"ggl\",\"N\":%d,\"rtol\":%g,\"flag\":%d,\"cpu\":%.6g,\"steps\":%ld,\"fev\":%ld,"
           "\"jev\":%ld,\"lu\":%ld,\"rss_mb\":%.1f}\n",
           bars, rtol, flag, best, steps, residuals + differences, jacobians, setups, peak());
    const char *out = getenv("CHAIN_OUT");
    FILE *file = out ? fopen(out, "wb") : NULL;
    for (int i = 0; file && i < bars; i++)
        fwrite(end + (long)UNKNOWNS * i, sizeof(double), LX, file);
    if (file)
        fclose(file);
    SUNContext_Free(&context);
    free(end);
    return 0;
}
