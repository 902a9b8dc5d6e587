/* Right-hand sides for RADAU5 through deSolve: D y' = F(y), D = diag(1 .. 1, 0 .. 0).
 *
 *     ind3   y = (q, v, a, lambda):       q' = v,            v' = a,   0 = M a - f + G^T lambda,   0 = g
 *     ggl    y = (q, v, a, lambda, mu):   q' = v - G^T mu,   the same, and   0 = G v
 *
 * Each calls the mechanism once. */
#include "mechanisms.h"

static long calls = 0;

/* deSolve asks for a function that takes parameters; there are none. */
void no_parameters(void (*parameters)(int *, double *))
{
    (void)parameters;
}

/* How many calls there were since it was last asked. */
void count_calls(double *out)
{
    *out = calls;
    calls = 0;
}

/* q, a and lambda at the start; `which` is 0 for the pendulum, 1 for Andrews' mechanism. */
void start_of(int *which, double *q, double *a, double *lambda)
{
    const mechanism *m = *which ? &ANDREWS : &PENDULUM;
    memcpy(q, m->q0, m->q * sizeof(double));
    memcpy(a, m->a0, m->q * sizeof(double));
    memcpy(lambda, m->lambda0, m->l * sizeof(double));
}

static inline void right_hand_side(const int n, const int l, evaluation *evaluate, int stabilised, const double *y, double *out)
{
    terms at;
    calls++;
    evaluate(y, y + n, &at);
    const double *v = y + n, *a = y + 2 * n, *lambda = y + 3 * n, *mu = lambda + l;
    for (int i = 0; i < 2 * n; i++)
        out[i] = y[n + i];
    for (int i = 0; i < n; i++) {
        double sum = -at.force[i];
        for (int j = 0; j < n; j++)
            sum += at.mass[i * n + j] * a[j];
        for (int j = 0; j < l; j++)
            sum += at.jacobian[j * n + i] * lambda[j];
        out[2 * n + i] = sum;
    }
    for (int j = 0; j < l; j++)
        out[3 * n + j] = at.g[j];
    for (int j = 0; stabilised && j < l; j++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
            sum += at.jacobian[j * n + i] * v[i];
            out[i] -= at.jacobian[j * n + i] * mu[j];
        }
        out[3 * n + l + j] = sum;
    }
}

#define FORM(name, n, l, evaluate, stabilised)                                                  \
    void name(int *size, double *t, double *y, double *out, double *more, int *numbers)         \
    {                                                                                           \
        (void)size, (void)t, (void)more, (void)numbers;                                         \
        right_hand_side(n, l, evaluate, stabilised, y, out);                                    \
    }

FORM(pend_ind3, 2, 1, pendulum, 0)
FORM(pend_ggl, 2, 1, pendulum, 1)
FORM(andrews_ind3, 7, 6, andrews, 0)
FORM(andrews_ggl, 7, 6, andrews, 1)
