/* common/base/os/signals.h - the signals that ask a process to stop or to reload its files. */
#pragma once

/*
 * Block SIGTERM, SIGINT and SIGHUP for this thread and all threads that it starts, so call it
 * before the first starts. Ignore SIGPIPE: a closed peer is an error of its write. Returns a
 * descriptor for signals_wait(), owned by the caller; -1 if the system has none left.
 */
int signals_open(void);

enum signal_kind {
    SIGNAL_NONE,
    SIGNAL_RELOAD, /* SIGHUP */
    SIGNAL_STOP,   /* SIGTERM, SIGINT */
};

/* Wait at most timeout_ms (-1: no limit) for the next signal. */
enum signal_kind signals_wait(int signals, int timeout_ms);
