/* KLU on the lattices of crates/alembert/examples/sparse_cost/cost.rs: bodies of three coordinates on a grid, one row for each
   pair of neighbours. Least times of several runs, in microseconds.

     gcc -O3 -march=native -I/usr/include/suitesparse -o klu_lattice peers/klu_lattice.c -lklu -lm && ./klu_lattice 10 30 100 */
#include <klu.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    int row, column;
    double value;
} entry;

static int by_column(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return x->column != y->column ? (x->column > y->column) - (x->column < y->column) : (x->row > y->row) - (x->row < y->row);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * t.tv_sec + 1e-3 * t.tv_nsec;
}

#define LEAST(time, call)                                                                                                        \
    do {                                                                                                                         \
        double begin = now();                                                                                                    \
        time = INFINITY;                                                                                                         \
        for (int run = 0; run < 4 || now() - begin < 5e5; run++) {                                                               \
            double start = now();                                                                                                \
            call;                                                                                                                \
            time = fmin(time, now() - start);                                                                                    \
        }                                                                                                                        \
    } while (0)

static void lattice(int side) {
    int bodies = side * side, n = 3 * bodies, m = 2 * side * (side - 1), size = n + m;
    entry *entries = malloc(sizeof(entry) * (3 * (size_t)n + 12 * (size_t)m));
    int *pairs = malloc(sizeof(int) * 2 * m);
    size_t count = 0;
    int rows = 0;
    for (int k = 0; k < bodies; k++)
        if (k % side + 1 < side) { pairs[2 * rows] = k; pairs[2 * rows++ + 1] = k + 1; }
    for (int k = 0; k < bodies - side; k++) { pairs[2 * rows] = k; pairs[2 * rows++ + 1] = k + side; }
    for (int i = 0; i < n; i++)
        for (int j = i / 3 * 3; j < i / 3 * 3 + 3; j++)
            entries[count++] = (entry){i, j, i == j ? 2.0 : 0.1 * sin((double)(i < j ? i + 3 * j : j + 3 * i))};
    for (int i = 0; i < m; i++)
        for (int end = 0; end < 2; end++)
            for (int c = 0; c < 3; c++) {
                unsigned long a = i, j = 3 * pairs[2 * i + end] + c;
                double value = sin((double)(a * a + 7 * a * j + j * j * j));
                entries[count++] = (entry){n + i, (int)j, value};
                entries[count++] = (entry){(int)j, n + i, value};
            }
    qsort(entries, count, sizeof(entry), by_column);
    int *starts = calloc(size + 1, sizeof(int)), *at = malloc(sizeof(int) * count);
    double *values = malloc(sizeof(double) * count), *exact = malloc(sizeof(double) * size), *rhs = calloc(size, sizeof(double));
    double *x = malloc(sizeof(double) * size);
    for (int k = 0; k < size; k++) exact[k] = cos((double)k);
    for (size_t e = 0; e < count; e++) {
        starts[entries[e].column + 1]++;
        at[e] = entries[e].row;
        values[e] = entries[e].value;
        rhs[entries[e].row] += entries[e].value * exact[entries[e].column];
    }
    for (int k = 0; k < size; k++) starts[k + 1] += starts[k];
    klu_common common;
    klu_defaults(&common);
    double analysis, factor, refactor, solve, error = 0;
    double start = now();
    klu_symbolic *symbolic = klu_analyze(size, starts, at, &common);
    analysis = now() - start;
    klu_numeric *numeric = NULL;
    LEAST(factor, {
        if (numeric) klu_free_numeric(&numeric, &common);
        numeric = klu_factor(starts, at, values, symbolic, &common);
    });
    LEAST(refactor, klu_refactor(starts, at, values, symbolic, numeric, &common));
    LEAST(solve, {
        for (int k = 0; k < size; k++) x[k] = rhs[k];
        klu_solve(symbolic, numeric, size, 1, x, &common);
    });
    for (int k = 0; k < size; k++) error = fmax(error, fabs(x[k] - exact[k]));
    printf("lattice %d x %d: analysis %.0f, factor %.1f, refactor %.1f, solve %.1f us, fill %d, error %.1e\n", side, side, analysis,
           factor, refactor, solve, numeric->lnz + numeric->unz, error);
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
    free(entries); free(pairs); free(starts); free(at); free(values); free(exact); free(rhs); free(x);
}

int main(int count, char **arguments) {
    for (int i = 1; i < count; i++) lattice(atoi(arguments[i]));
    return 0;
}
