/* common/base/os/signals.c - receives signals through a descriptor. */
#include "base/os/signals.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int signals_open(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

enum signal_kind signals_wait(int signals, int timeout_ms)
{
    struct signalfd_siginfo info;
    struct pollfd fd = { signals, POLLIN, 0 };
    if (timeout_ms != 0)
        poll(&fd, 1, timeout_ms);
    if (read(signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return SIGNAL_NONE;
    return info.ssi_signo == SIGHUP ? SIGNAL_RELOAD : SIGNAL_STOP;
}
