/*
 * browser/chromium.h - one process of Debian's Chromium, for one visit: with its sandbox on, a
 * fresh profile, and its own network.
 *
 * The process starts in new user and network namespaces (network_namespaces(7)). Its network has
 * only a loopback device, so the kernel keeps it from everything but the listening socket that is
 * made there and handed out as `listener`. Flags are the second line: they send all connections to
 * that socket, and keep Chromium from resolving names, from UDP, and from services of its maker.
 *
 * Inside, the user is always 1000, because Chromium's sandbox does not work for
 * root.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct chromium {
    pid_t pid;     /* also the process group of all its processes */
    int to, from;  /* pipes of the DevTools protocol, non-blocking */
    int listener;  /* in its network; the caller may take it over, and set -1 */
    char *profile; /* folder */
};

/* Start it. Errors: ERR_INTERNAL with the step that failed, for the operator. */
bool chromium_start(const char *program, struct chromium *chromium, struct err *err) must_check;

/* Kill all its processes, and delete the profile. Accepts a zero struct with pid 0. */
void chromium_end(struct chromium *chromium);
