/* The pendulum and Andrews' squeezing mechanism as the peers see them: M(q) v' = f(q,v) - G(q)^T lambda, 0 = g(q), and
 * gamma = G'(q,v) v for the form with the constraints differentiated twice. Matrices by rows.
 *
 * Equations and constants are those of crates/problems/src/pendulum.rs and andrews.rs (Test Set for IVP Solvers). */
#ifndef MECHANISMS_H
#define MECHANISMS_H
#include <math.h>
#include <string.h>

enum { MOST_Q = 7, MOST_L = 6 };

typedef struct {
    double mass[MOST_Q * MOST_Q], force[MOST_Q], jacobian[MOST_L * MOST_Q], g[MOST_L], gamma[MOST_L];
} terms;

typedef void evaluation(const double *q, const double *v, terms *out);

typedef struct {
    int q, l;
    evaluation *evaluate;
    /* Configuration, accelerations and multipliers at the start, where everything is at rest. */
    double q0[MOST_Q], a0[MOST_Q], lambda0[MOST_L];
} mechanism;

static void pendulum(const double *q, const double *v, terms *out)
{
    const double gravity = 9.81;
    out->mass[0] = out->mass[3] = 1.0;
    out->mass[1] = out->mass[2] = 0.0;
    out->force[0] = 0.0;
    out->force[1] = -gravity;
    out->jacobian[0] = q[0];
    out->jacobian[1] = q[1];
    out->g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    out->gamma[0] = v[0] * v[0] + v[1] * v[1];
}

/* Angles beta, Theta, gamma, Phi, delta, Omega, epsilon, in this order. */
static void andrews(const double *q, const double *v, terms *out)
{
    const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498;
    const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
    const double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7, i7 = 1.912e-5;
    const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874;
    const double sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449;
    const double zf = 0.02, zt = 0.04, fa = 0.01421, torque = 0.033, stiffness = 4530.0, rest = 0.07785;
    double sin_be = sin(q[0]), sin_th = sin(q[1]), sin_ga = sin(q[2]), sin_ph = sin(q[3]), sin_de = sin(q[4]);
    double cos_be = cos(q[0]), cos_th = cos(q[1]), cos_ga = cos(q[2]), cos_ph = cos(q[3]), cos_de = cos(q[4]);
    double sin_om = sin(q[5]), cos_om = cos(q[5]), sin_ep = sin(q[6]), cos_ep = cos(q[6]);
    double sin_bt = sin(q[0] + q[1]), cos_bt = cos(q[0] + q[1]), sin_pd = sin(q[3] + q[4]), cos_pd = cos(q[3] + q[4]);
    double sin_oe = sin(q[5] + q[6]), cos_oe = cos(q[5] + q[6]);
    double p = e - ea, s = zf - fa;

    double *m = out->mass;
    memset(m, 0, sizeof out->mass);
    m[0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos_th + da * da) + i1 + i2;
    m[1] = m[7] = m2 * (da * da - da * rr * cos_th) + i2;
    m[8] = m2 * da * da + i2;
    m[16] = m3 * (sa * sa + sb * sb) + i3;
    m[24] = m4 * p * p + i4;
    m[25] = m[31] = m4 * (p * p + zt * p * sin_ph) + i4;
    m[32] = m4 * (zt * zt + 2 * zt * p * sin_ph + p * p) + m5 * (ta * ta + tb * tb) + i4 + i5;
    m[40] = m6 * s * s + i6;
    m[41] = m[47] = m6 * (s * s - u * s * sin_om) + i6;
    m[48] = m6 * (s * s - 2 * u * s * sin_om + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;

    double xd = sd * cos_ga + sc * sin_ga + xb, yd = sd * sin_ga - sc * cos_ga + yb;
    double length = sqrt((xd - xc) * (xd - xc) + (yd - yc) * (yd - yc));
    double pull = -stiffness * (length - rest) / length, fx = pull * (xd - xc), fy = pull * (yd - yc);
    double *f = out->force;
    f[0] = torque - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sin_th;
    f[1] = m2 * da * rr * v[0] * v[0] * sin_th;
    f[2] = fx * (sc * cos_ga - sd * sin_ga) + fy * (sd * cos_ga + sc * sin_ga);
    f[3] = m4 * zt * p * v[4] * v[4] * cos_ph;
    f[4] = -m4 * zt * p * v[3] * (v[3] + 2 * v[4]) * cos_ph;
    f[5] = -m6 * u * s * v[6] * v[6] * cos_om;
    f[6] = m6 * u * s * v[5] * (v[5] + 2 * v[6]) * cos_om;

    double a1 = -rr * sin_be + d * sin_bt, a2 = d * sin_bt, b1 = rr * cos_be - d * cos_bt, b2 = -d * cos_bt;
    double *j = out->jacobian;
    memset(j, 0, sizeof out->jacobian);
    j[0] = j[14] = j[28] = a1;
    j[1] = j[15] = j[29] = a2;
    j[7] = j[21] = j[35] = b1;
    j[8] = j[22] = j[36] = b2;
    j[2] = -ss * cos_ga;
    j[9] = -ss * sin_ga;
    j[17] = -e * cos_pd;
    j[18] = -e * cos_pd + zt * sin_de;
    j[24] = -e * sin_pd;
    j[25] = -e * sin_pd - zt * cos_de;
    j[33] = zf * sin_oe;
    j[34] = zf * sin_oe - u * cos_ep;
    j[40] = -zf * cos_oe;
    j[41] = -zf * cos_oe - u * sin_ep;

    double x = rr * cos_be - d * cos_bt, y = rr * sin_be - d * sin_bt;
    out->g[0] = x - ss * sin_ga - xb;
    out->g[1] = y + ss * cos_ga - yb;
    out->g[2] = x - e * sin_pd - zt * cos_de - xa;
    out->g[3] = y + e * cos_pd - zt * sin_de - ya;
    out->g[4] = x - zf * cos_oe - u * sin_ep - xa;
    out->g[5] = y - zf * sin_oe + u * cos_ep - ya;

    double bt = (v[0] + v[1]) * (v[0] + v[1]), pd = (v[3] + v[4]) * (v[3] + v[4]), oe = (v[5] + v[6]) * (v[5] + v[6]);
    double be = v[0] * v[0], ga = v[2] * v[2], de = v[4] * v[4], ep = v[6] * v[6];
    double x2 = -rr * cos_be * be + d * cos_bt * bt, y2 = -rr * sin_be * be + d * sin_bt * bt;
    out->gamma[0] = x2 + ss * sin_ga * ga;
    out->gamma[1] = y2 - ss * cos_ga * ga;
    out->gamma[2] = x2 + e * sin_pd * pd + zt * cos_de * de;
    out->gamma[3] = y2 - e * cos_pd * pd + zt * sin_de * de;
    out->gamma[4] = x2 + zf * cos_oe * oe + u * sin_ep * ep;
    out->gamma[5] = y2 + zf * sin_oe * oe - u * cos_ep * ep;
}

static const mechanism PENDULUM = {.q = 2, .l = 1, .evaluate = pendulum, .q0 = {1.0, 0.0}, .a0 = {0.0, -9.81}};
static const mechanism ANDREWS = {
    .q = 7,
    .l = 6,
    .evaluate = andrews,
    .q0 = {-0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
           0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568},
    .a0 = {14222.4439199541138705911625887, -10666.8329399655854029433719415},
    .lambda0 = {98.5668703962410896057654982170, -6.12268834425566265503114393122},
};
#endif
