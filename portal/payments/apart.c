/* portal/payments/apart.c - see apart.h. */
#include "portal/payments/apart.h"

#include <pthread.h>

enum { STACK_BYTES = 512 << 10 };

struct call {
    apart_run *run;
    void *context;
};

static void *thread_main(void *argument)
{
    const struct call *call = argument;
    call->run(call->context);
    return NULL;
}

static bool call_in_thread(struct call *call)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    bool ok = pthread_create(&thread, &attributes, thread_main, call) == 0;
    pthread_attr_destroy(&attributes);
    if (ok)
        pthread_join(thread, NULL);
    return ok;
}

bool apart(struct payments *payments, apart_run *run, void *context, struct err *err)
{
    struct call call = { run, context };
    bool ok = payments_enter(payments, PLACE_ASKING);
    if (ok) {
        ok = call_in_thread(&call);
        payments_leave(payments, PLACE_ASKING);
    }
    return ok || err_set(err, ERR_OVERLOADED, "many people are buying at this moment");
}
