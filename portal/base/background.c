/* portal/base/background.c - see background.h. */
#include "portal/base/background.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/mem.h"
#include "base/os/log.h"
#include "base/os/wakeup.h"

struct background {
    background_work *work;
    void *argument;
    int64_t poll_ms;
    atomic_bool is_stopping;
    int wakeup;
    pthread_t thread;
};

bool background_wait(struct background *background)
{
    struct pollfd fd = { background->wakeup, POLLIN, 0 };
    poll(&fd, 1, (int)background->poll_ms);
    return !background->is_stopping;
}

static void *background_main(void *argument)
{
    struct background *background = argument;
    do {
        while (!background->is_stopping && background->work(background->argument))
            ;
    } while (background_wait(background));
    return NULL;
}

bool background_start(background_work *work, void *argument, int64_t poll_ms,
                      struct background **background, struct err *err)
{
    struct background *made = mem_new(sizeof(*made));
    made->work = work;
    made->argument = argument;
    made->poll_ms = poll_ms;
    made->wakeup = wakeup_new();
    *background = made; /* the thread may call background_wait() at once */
    if (pthread_create(&made->thread, NULL, background_main, made) == 0)
        return true;
    *background = NULL;
    wakeup_free(&made->wakeup);
    mem_free(&made);
    return err_set(err, ERR_INTERNAL, "background thread cannot be started");
}

void background_log(bool *is_cut_off, bool is_up, const char *again, const char *cut_off,
                    const struct err *err)
{
    if (is_up == *is_cut_off)
        log_line(is_up ? LOG_INFO : LOG_WARN, is_up ? again : cut_off,
                 log_str("error", is_up ? NULL : err->message));
    *is_cut_off = !is_up;
}

void background_stop(struct background **background)
{
    struct background *old = *background;
    if (!old)
        return;
    old->is_stopping = true;
    wakeup_signal(old->wakeup);
    pthread_join(old->thread, NULL);
    wakeup_free(&old->wakeup);
    mem_free(background);
}
