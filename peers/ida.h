/* What the programs that run IDA share: its names in versions 6 and 7, settings from the environment, a clock. */
#ifndef PEERS_IDA_H
#define PEERS_IDA_H
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

#if SUNDIALS_VERSION_MAJOR >= 7
typedef sunrealtype realtype;
#endif

static SUNContext new_context(void)
{
    SUNContext context;
#if SUNDIALS_VERSION_MAJOR >= 7
    SUNContext_Create(SUN_COMM_NULL, &context);
    SUNContext_ClearErrHandlers(context);
#else
    SUNContext_Create(NULL, &context);
#endif
    return context;
}

#if SUNDIALS_VERSION_MAJOR < 7
static void silent(int code, const char *module, const char *function, char *message, void *unused)
{
    (void)code, (void)module, (void)function, (void)message, (void)unused;
}
#endif

/* A run that fails says so in its result. */
static void keep_quiet(void *ida)
{
#if SUNDIALS_VERSION_MAJOR < 7
    IDASetErrHandlerFn(ida, silent, NULL);
#else
    (void)ida;
#endif
}

static double setting(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text ? atof(text) : otherwise;
}

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}
#endif
