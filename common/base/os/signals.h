/* common/base/os/signals.h - the signals of a process that is told to stop or to read its files
 * again.
 */
#pragma once

/*
 * Block SIGTERM, SIGINT and SIGHUP for this thread and all that it makes, so call it before the
 * first is made; ignore SIGPIPE, since a peer that has gone is an error of its write. Returns a
 * descriptor for signals_wait(), the caller's; -1 when the system has none left.
 */
int signals_open(void);

enum signal_kind {
    SIGNAL_NONE,
    SIGNAL_RELOAD, /* SIGHUP */
    SIGNAL_STOP,   /* SIGTERM, SIGINT */
};

/* Wait at most timeout_ms (-1: without end) for the next one. */
enum signal_kind signals_wait(int signals, int timeout_ms);
